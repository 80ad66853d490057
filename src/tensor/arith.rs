//! `+ - * /` and unary minus between tensors, scalars and results of them: `((&a + &b)? * 2.0)?`.
//!
//! An operand by value gives its buffer away. A sum can fail, so its type is `Result<Tensor>`; a `Result` may stand on one side.

use super::{Runtime, Tensor, error};
use crate::{Backend, ErrorKind, Result};
use std::collections::HashMap;
use std::ops::{Add, Div, Mul, Neg, Sub};
use std::sync::LazyLock;
use tensor_op_core::{GraphOp, Value};
use tensor_op_spec::ir::{
    Arg, ArgType, Axis, Builder, Dim, DimId, DimKind, DimSet, Graph, Kind, Output, Role, Scalar, ScalarType,
};
use tensor_op_spec::prim::Prim;

/// What may stand beside an operator.
enum Operand {
    Tensor(Tensor),
    Scalar(Scalar),
}

impl From<Tensor> for Operand {
    fn from(tensor: Tensor) -> Operand {
        Operand::Tensor(tensor)
    }
}

impl From<&Tensor> for Operand {
    fn from(tensor: &Tensor) -> Operand {
        Operand::Tensor(tensor.clone())
    }
}

impl From<f64> for Operand {
    fn from(value: f64) -> Operand {
        Operand::Scalar(Scalar::Float(value))
    }
}

impl From<i64> for Operand {
    fn from(value: i64) -> Operand {
        Operand::Scalar(Scalar::Int(value))
    }
}

fn binary(prim: Prim, lhs: impl Into<Operand>, rhs: impl Into<Operand>) -> Result<Tensor> {
    let (lhs, rhs) = (lhs.into(), rhs.into());
    let kind = match (&lhs, &rhs) {
        (Operand::Tensor(a), Operand::Tensor(b)) => common_kind(prim, a, b)?,
        (Operand::Tensor(tensor), Operand::Scalar(_)) | (Operand::Scalar(_), Operand::Tensor(tensor)) => {
            tensor.dtype().kind()
        }
        (Operand::Scalar(a), Operand::Scalar(_)) => a.kind(),
    };
    run(prim, kind, vec![lhs, rhs])
}

fn run(prim: Prim, kind: Kind, operands: Vec<Operand>) -> Result<Tensor> {
    let name = prim.row().name;
    let forms = operands.iter().map(Form::of).collect();
    let Some(op) = OPS.get(&(prim, kind, forms)) else {
        return Err(error(
            name,
            ErrorKind::DType,
            format!("{kind} tensors have no arithmetic; cast them to an int or a float"),
        ));
    };
    let args = operands.into_iter().map(|operand| match operand {
        Operand::Tensor(tensor) => Ok(Value::Tensor(tensor.0)),
        Operand::Scalar(scalar) => as_kind(prim, scalar, kind).map(Value::Scalar),
    });
    let outputs = Runtime::run(op, args.collect::<Result<_>>()?, &[true])?;
    let result = outputs.into_iter().flatten().next();
    result.map(Tensor).ok_or_else(|| error(name, ErrorKind::Backend, "no result came back"))
}

fn common_kind(prim: Prim, lhs: &Tensor, rhs: &Tensor) -> Result<Kind> {
    if lhs.dtype() == rhs.dtype() {
        return Ok(lhs.dtype().kind());
    }
    let message =
        format!("the left side is {}, the right side {}; cast one of them", lhs.dtype(), rhs.dtype());
    Err(error(prim.row().name, ErrorKind::DType, message))
}

/// A scalar beside a tensor of a kind. An int beside floats is exact or an error; a float beside ints is an error.
fn as_kind(prim: Prim, scalar: Scalar, kind: Kind) -> Result<Scalar> {
    const EXACT: u64 = 1 << f64::MANTISSA_DIGITS;
    match (scalar, kind) {
        (Scalar::Int(value), Kind::Float) if value.unsigned_abs() <= EXACT => Ok(Scalar::Float(value as f64)),
        (Scalar::Float(_), Kind::Float) | (Scalar::Int(_), Kind::Int) => Ok(scalar),
        (Scalar::Int(_) | Scalar::Float(_) | Scalar::Bool(_), _) => {
            let written = match scalar {
                Scalar::Float(value) => value.to_string(),
                Scalar::Int(value) => value.to_string(),
                Scalar::Bool(value) => value.to_string(),
            };
            let message = format!(
                "the scalar {written} beside a tensor of {kind}s would lose its value; cast the tensor"
            );
            Err(error(prim.row().name, ErrorKind::DType, message))
        }
    }
}

macro_rules! operator {
    ($trait:ident, $method:ident, $prim:ident) => {
        operator!(@ $trait, $method, $prim; [&Tensor, &Tensor] [&Tensor, Tensor] [Tensor, &Tensor] [Tensor, Tensor]
            [&Tensor, f64] [Tensor, f64] [f64, &Tensor] [f64, Tensor]
            [&Tensor, i64] [Tensor, i64] [i64, &Tensor] [i64, Tensor]);
        operator!(? $trait, $method, $prim; [&Tensor] [Tensor]);
    };
    (@ $trait:ident, $method:ident, $prim:ident; $([$lhs:ty, $rhs:ty])+) => {$(
        impl $trait<$rhs> for $lhs {
            type Output = Result<Tensor>;
            fn $method(self, rhs: $rhs) -> Result<Tensor> {
                binary(Prim::$prim, self, rhs)
            }
        }
    )+};
    (? $trait:ident, $method:ident, $prim:ident; $([$side:ty])+) => {$(
        impl $trait<Result<Tensor>> for $side {
            type Output = Result<Tensor>;
            fn $method(self, rhs: Result<Tensor>) -> Result<Tensor> {
                binary(Prim::$prim, self, rhs?)
            }
        }
        impl $trait<$side> for Result<Tensor> {
            type Output = Result<Tensor>;
            fn $method(self, rhs: $side) -> Result<Tensor> {
                binary(Prim::$prim, self?, rhs)
            }
        }
    )+};
}
operator!(Add, add, Add);
operator!(Sub, sub, Sub);
operator!(Mul, mul, Mul);
operator!(Div, div, Div);

impl Neg for &Tensor {
    type Output = Result<Tensor>;
    fn neg(self) -> Result<Tensor> {
        -self.clone()
    }
}

impl Neg for Tensor {
    type Output = Result<Tensor>;
    fn neg(self) -> Result<Tensor> {
        run(Prim::Neg, self.dtype().kind(), vec![self.into()])
    }
}

/// Whether an operand of an op is a tensor or a scalar.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Form {
    Tensor,
    Scalar,
}

impl Form {
    fn of(operand: &Operand) -> Form {
        match operand {
            Operand::Tensor(_) => Form::Tensor,
            Operand::Scalar(_) => Form::Scalar,
        }
    }
}

/// One op for each operator, kind and form of the operands.
static OPS: LazyLock<HashMap<(Prim, Kind, Vec<Form>), GraphOp>> = LazyLock::new(|| {
    let forms = [[Form::Tensor, Form::Tensor], [Form::Tensor, Form::Scalar], [Form::Scalar, Form::Tensor]];
    let mut ops = HashMap::new();
    for kind in [Kind::Float, Kind::Int] {
        for (prim, forms) in
            [Prim::Add, Prim::Sub, Prim::Mul, Prim::Div].iter().flat_map(|p| forms.map(|f| (*p, f)))
        {
            ops.insert((prim, kind, forms.to_vec()), GraphOp::new(graph(prim, kind, &forms)));
        }
        ops.insert(
            (Prim::Neg, kind, vec![Form::Tensor]),
            GraphOp::new(graph(Prim::Neg, kind, &[Form::Tensor])),
        );
    }
    ops
});

fn graph(prim: Prim, kind: Kind, forms: &[Form]) -> Graph {
    let group = DimId::new(0);
    let axes = vec![Axis::Dim(group)];
    let scalar = if kind == Kind::Float { ScalarType::F64 } else { ScalarType::I64 };
    let arg = |(index, form): (usize, &Form)| {
        let ty = match form {
            Form::Tensor => ArgType::Tensor { kind, axes: axes.clone(), no_grad: kind != Kind::Float },
            Form::Scalar => ArgType::Scalar { ty: scalar, default: None },
        };
        Arg { name: ["x", "y"][index].into(), ty, role: Role::Forward(index) }
    };
    let builder = Builder::new(Graph {
        name: prim.row().name.into(),
        dims: vec![Dim { name: "..".into(), kind: DimKind::Group }],
        args: forms.iter().enumerate().map(arg).collect(),
        nodes: vec![],
        outputs: vec![],
    });
    let inputs = forms.iter().enumerate().map(|(index, form)| match form {
        Form::Tensor => builder.input(index, DimSet::one(group), kind),
        Form::Scalar => builder.input(index, DimSet::EMPTY, kind),
    });
    let node = builder.apply(prim, &inputs.collect::<Vec<_>>()).id;
    builder.declare(|g| g.outputs.push(Output { name: "out".into(), node, axes: axes.clone(), like: None }));
    builder.finish()
}
