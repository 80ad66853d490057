//! The dtypes of one call. All float tensors share one dtype. Int tensors may have several. The dtype of an
//! int result then follows from where its values come from (`IntSource`), as in PyTorch. Hidden results are
//! kept in the dtype of the arithmetic: for an op on halves they are f32. So the gradient of such an op, and
//! what is derived from it, takes both dtypes.

use crate::{DType, Error, ErrorKind, Result, Value};
use tensor_op_spec::ir::{ArgType, Graph, IntSource, Kind, Role};

/// The dtypes of one call: that of its floats, and those of its results.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Dtypes {
    /// The dtype of float values.
    pub float: DType,
    /// The dtypes of int results, by the index of the result. Empty if all of them are i64.
    ints: Vec<DType>,
}

/// The dtypes of ints whose dtype does not follow from an int argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IntRule {
    /// The dtype of positions, indices, sizes and values that were cast to int; also of numbers that meet no
    /// tensor.
    pub counts: DType,
    /// The dtype of sums and products along dims; `None` if they keep the dtype of the summed tensor.
    pub sums: Option<DType>,
}

impl IntRule {
    /// The rule of this library, which is PyTorch's: all of them are i64.
    pub const PYTORCH: IntRule = IntRule { counts: DType::I64, sums: Some(DType::I64) };

    /// The dtype of an int result: the widest of all dtypes that decide it. `dtype` gives the dtypes of the
    /// int arguments.
    ///
    /// ```
    /// # use tensor_op_core::{DType, IntRule};
    /// # use tensor_op_spec::ir::IntSource;
    /// let elementwise = IntSource { args: vec![0, 1], sums: false, counts: false };
    /// assert_eq!(IntRule::PYTORCH.dtype(&elementwise, |arg| [DType::U8, DType::I32][arg]), DType::I32);
    /// let summed = IntSource { args: vec![0], sums: true, counts: false };
    /// assert_eq!(IntRule::PYTORCH.dtype(&summed, |_| DType::U8), DType::I64);
    /// ```
    pub fn dtype(self, source: &IntSource, dtype: impl Fn(usize) -> DType) -> DType {
        let args = source.args.iter().map(|arg| dtype(*arg));
        let sums = self.sums.filter(|_| source.sums);
        let counts = source.counts.then_some(self.counts);
        args.chain(sums).chain(counts).reduce(DType::widest_int).unwrap_or(self.counts)
    }
}

impl Dtypes {
    /// The dtypes of a call with tensors of these dtypes. Floats are f32 if there is no float tensor.
    pub fn new(graph: &Graph, args: &[Value<DType>]) -> Result<Dtypes> {
        Dtypes::from_args(graph, args, |dtype| *dtype)
    }

    /// The dtypes of a call whose tensors have any Rust type.
    pub fn from_args<T>(graph: &Graph, args: &[Value<T>], dtype: impl Fn(&T) -> DType) -> Result<Dtypes> {
        let float = common_float(graph, args, &dtype)?;
        let is_open = |source: &IntSource| !source.args.is_empty();
        let ints = if graph.outputs.iter().any(|output| is_open(&output.ints)) {
            let of_arg = |arg: usize| args[arg].tensor().map_or(DType::I64, &dtype);
            graph.outputs.iter().map(|output| IntRule::PYTORCH.dtype(&output.ints, of_arg)).collect()
        } else {
            Vec::new()
        };
        Ok(Dtypes { float, ints })
    }

    /// The dtype of a result.
    pub fn of_result(&self, graph: &Graph, index: usize) -> DType {
        let output = &graph.outputs[index];
        match graph.node(output.node).kind {
            Kind::Float if output.hidden => self.float.compute(),
            Kind::Float => self.float,
            Kind::Int => self.ints.get(index).copied().unwrap_or(DType::I64),
            Kind::Bool => DType::Bool,
        }
    }

    /// The dtype in which values of a kind are computed: f32 for halves, i64 for ints.
    pub fn compute(&self, kind: Kind) -> DType {
        match kind {
            Kind::Float => self.float.compute(),
            Kind::Int => DType::I64,
            Kind::Bool => DType::Bool,
        }
    }
}

/// The dtype of all float tensors; f32 if there is none. Also checks the kinds of all tensors.
fn common_float<T>(graph: &Graph, args: &[Value<T>], dtype: impl Fn(&T) -> DType) -> Result<DType> {
    let mut float: Option<(DType, usize)> = None;
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
        if *kind != Kind::Float {
            continue;
        }
        let (first, other) = float.get_or_insert((found, index));
        if is_derived && first.compute() == found.compute() {
            // In a derived op a half may stand beside f32. The half is then the dtype in which results are
            // stored.
            *first = if *first == found.compute() { found } else { *first };
        }
        if *first != found && !(is_derived && found == first.compute()) {
            let other = &graph.args[*other].name;
            let message =
                format!("is {found}, but `{other}` is {first}; cast one of them to the other's dtype");
            return Err(Error::new(ErrorKind::DType, message).with_arg(&declared.name).with_op(&graph.name));
        }
    }
    Ok(float.map_or(DType::F32, |(dtype, _)| dtype))
}

fn wrong_kind(wanted: Kind, found: DType) -> Error {
    let (wanted, dtypes, fix) = match wanted {
        Kind::Float => ("a float", "f64, f32, f16 or bf16", "cast it to one of them"),
        Kind::Int => ("an int", "i64, i32, u32 or u8", "cast it to one of them"),
        Kind::Bool => ("a bool", "bool", "compare it to make one"),
    };
    Error::new(ErrorKind::DType, format!("is {found}, but {wanted} tensor is wanted ({dtypes}); {fix}"))
}
