//! The element types of one call: all float tensors share one dtype, and so do all int tensors. Hidden results of an op on halves are
//! f32, so that its gradient, and what is derived of that, takes both.

use crate::{DType, Error, ErrorKind, Result, Value};
use tensor_op_spec::ir::{ArgType, Graph, Kind, Output, Role};

/// The dtypes that stand for the kinds in one call. Results have them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Dtypes {
    /// Of float values.
    pub float: DType,
    /// Of int values.
    pub int: DType,
}

impl Dtypes {
    /// The dtypes of the tensors among the arguments; f32 and i64 where there is no tensor of the kind.
    pub fn new(graph: &Graph, args: &[Value<DType>]) -> Result<Dtypes> {
        Dtypes::from_args(graph, args, |dtype| *dtype)
    }

    /// The dtypes of arguments of any tensor type.
    pub fn from_args<T>(graph: &Graph, args: &[Value<T>], dtype: impl Fn(&T) -> DType) -> Result<Dtypes> {
        let (mut float, mut int) = (None, None);
        let is_derived = graph.args.iter().any(|arg| match arg.role {
            Role::Output(_) | Role::Grad(_) | Role::Tangent(_) => true,
            Role::Forward(_) => false,
        });
        for (index, (declared, arg)) in graph.args.iter().zip(args).enumerate() {
            let (ArgType::Tensor { kind, .. }, Value::Tensor(tensor)) = (&declared.ty, arg) else { continue };
            let found = dtype(tensor);
            if found.kind() != *kind {
                return Err(wrong_kind(*kind, found).with_arg(&declared.name).with_op(&graph.name));
            }
            let known = match kind {
                Kind::Float => &mut float,
                Kind::Int => &mut int,
                Kind::Bool => continue,
            };
            let (first, other) = known.get_or_insert((found, index));
            if is_derived && *kind == Kind::Float && first.compute() == found.compute() {
                // A half beside f32 is what results are stored as.
                *first = if *first == found.compute() { found } else { *first };
            }
            if *first != found && !(is_derived && found == first.compute()) {
                let other = &graph.args[*other].name;
                let message =
                    format!("is {found}, but `{other}` is {first}; cast one of them to the other's dtype");
                return Err(Error::new(ErrorKind::DType, message)
                    .with_arg(&declared.name)
                    .with_op(&graph.name));
            }
        }
        Ok(Dtypes { float: float.map_or(DType::F32, |(d, _)| d), int: int.map_or(DType::I64, |(d, _)| d) })
    }

    /// The dtype of values of a kind.
    pub fn of(self, kind: Kind) -> DType {
        match kind {
            Kind::Float => self.float,
            Kind::Int => self.int,
            Kind::Bool => DType::Bool,
        }
    }

    /// The dtype of a result of a kind: hidden floats are kept as computed.
    pub fn of_result(self, output: &Output, kind: Kind) -> DType {
        if output.hidden && kind == Kind::Float { self.compute().float } else { self.of(kind) }
    }

    /// The dtypes of the arithmetic: f32 for halves, i64 for ints.
    pub fn compute(self) -> Dtypes {
        Dtypes { float: self.float.compute(), int: self.int.compute() }
    }
}

fn wrong_kind(wanted: Kind, found: DType) -> Error {
    let (wanted, dtypes, fix) = match wanted {
        Kind::Float => ("a float", "f64, f32, f16 or bf16", "cast it to one of them"),
        Kind::Int => ("an int", "i64, i32, u32 or u8", "cast it to one of them"),
        Kind::Bool => ("a bool", "bool", "compare it to make one"),
    };
    Error::new(ErrorKind::DType, format!("is {found}, but {wanted} tensor is wanted ({dtypes}); {fix}"))
}
