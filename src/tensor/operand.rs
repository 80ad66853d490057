//! What stands beside a tensor: another tensor, the result of an op, or a number. It chooses the op that is
//! run, together with the kind of the tensor.

use super::{Tensor, error};
use crate::{DType, Error, ErrorKind, Result};
use std::fmt;
use tensor_op_core::{bf16, f16};
use tensor_op_spec::ir::{Kind, Scalar};

/// What a tensor is combined with: a `Tensor`, a `&Tensor`, the `Result<Tensor>` of an op, or a number.
///
/// Numbers are those of `f64`, `f32`, `i64`, `i32`, `u32`, `u8` and `usize`. By Rust's rule a literal without
/// a suffix is an `i32` or an `f64`. A whole number may stand beside a tensor of floats, if an f64 holds it
/// exactly; beside f32, f16 and bf16 it is then rounded as `2.0` or `0.1` are: to the dtype in comparisons,
/// and to f32 in arithmetic on halves.
///
/// ```
/// use tensor_op::prelude::*;
///
/// # fn main() -> Result<()> {
/// let x = Tensor::from([1.0, 2.0, 3.0]);
/// assert_eq!(x.gt(2)?.to_vec::<bool>()?, [false, false, true]);
/// assert_eq!(x.eq(&x * 1.0)?.to_vec::<bool>()?, [true; 3]);
/// assert!(Tensor::from([1, 2]).gt(1.5).is_err());
/// # Ok(())
/// # }
/// ```
#[diagnostic::on_unimplemented(
    message = "a tensor can't be combined with `{Self}`",
    label = "this is no `Tensor`, `&Tensor`, `Result<Tensor>` or number",
    note = "a `Vec` becomes a tensor by `Tensor::from_vec(vec, [2, 3], &device)?`"
)]
pub trait IntoOperand {
    /// The operand.
    ///
    /// # Errors
    ///
    /// The error of the op whose result this is.
    fn into_operand(self) -> Result<Operand>;
}

/// A tensor or a number.
#[derive(Clone, Debug)]
pub enum Operand {
    /// A tensor.
    Tensor(Tensor),
    /// A number.
    Number(Number),
}

/// A number beside a tensor.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Number {
    /// A float.
    Float(f64),
    /// A whole number.
    Int(i128),
}

impl IntoOperand for Tensor {
    fn into_operand(self) -> Result<Operand> {
        Ok(Operand::Tensor(self))
    }
}

impl IntoOperand for &Tensor {
    fn into_operand(self) -> Result<Operand> {
        Ok(Operand::Tensor(self.clone()))
    }
}

impl IntoOperand for Result<Tensor> {
    fn into_operand(self) -> Result<Operand> {
        self.map(Operand::Tensor)
    }
}

macro_rules! numbers {
    ($($number:ty, $value:ident => $variant:expr;)*) => {$(
        impl From<$number> for Number {
            fn from($value: $number) -> Number {
                $variant
            }
        }
        impl IntoOperand for $number {
            fn into_operand(self) -> Result<Operand> {
                Ok(Operand::Number(self.into()))
            }
        }
    )*};
}
numbers! {
    f64, x => Number::Float(x);
    f32, x => Number::Float(x.into());
    i64, n => Number::Int(n.into());
    i32, n => Number::Int(n.into());
    u32, n => Number::Int(n.into());
    u8, n => Number::Int(n.into());
    usize, n => Number::Int(n as i128);
}

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Number::Float(x) => x.fmt(f),
            Number::Int(n) => n.fmt(f),
        }
    }
}

impl Number {
    /// The number, if it has an exact value as an f64 or as an int of this dtype.
    pub(super) fn beside(self, op: &str, dtype: DType) -> Result<Number> {
        let is_exact = match dtype.kind() {
            Kind::Float => self.float().is_some(),
            Kind::Int => self.int(dtype).is_some(),
            Kind::Bool => return Err(no_arithmetic(op)),
        };
        if is_exact { Ok(self) } else { Err(self.refused(op, dtype)) }
    }

    /// Its exact value as a scalar of this kind. For bools it is 0 or 1.
    pub(crate) fn of_kind(self, kind: Kind) -> Result<Scalar> {
        let (exact, wanted) = match kind {
            Kind::Float => {
                (self.float().map(Scalar::Float), "floats: pass a number that an f64 holds exactly")
            }
            Kind::Int => (self.int(DType::I64).map(Scalar::Int), "ints: pass a whole number, such as `2`"),
            Kind::Bool => (self.bool().map(Scalar::Bool), "bools: pass 0 or 1"),
        };
        let found = match self {
            Number::Float(x) => format!("{x:?}"),
            Number::Int(n) => n.to_string(),
        };
        exact.ok_or_else(|| Error::new(ErrorKind::DType, format!("is {found}, and the tensor has {wanted}")))
    }

    /// The error of a number that can't stand beside a tensor of this dtype.
    pub(super) fn refused(self, op: &str, dtype: DType) -> Error {
        let message = match self {
            Number::Float(x) if x.fract() == 0.0 => {
                format!("{x:?} is a float, and the tensor is {dtype}: write {x}, or cast the tensor")
            }
            Number::Float(x) => format!("{x:?} is a float, and the tensor is {dtype}: cast the tensor"),
            Number::Int(n) => format!("{n} has no exact value beside a tensor of {dtype}: cast the tensor"),
        };
        error(op, ErrorKind::DType, message)
    }

    /// The nearest number of the dtype, if that is finite. An op on halves computes in f32, where a number
    /// has more digits than any element.
    pub(super) fn rounded(self, dtype: DType) -> Number {
        let Some(x) = self.float() else { return self };
        let near = match dtype {
            DType::F16 => f16::from_f64(x).to_f64(),
            DType::BF16 => bf16::from_f64(x).to_f64(),
            DType::F64 | DType::F32 | DType::I64 | DType::I32 | DType::U32 | DType::U8 | DType::Bool => {
                return self;
            }
        };
        if near.is_finite() { Number::Float(near) } else { self }
    }

    /// Its exact value as an f64, if there is one.
    fn float(self) -> Option<f64> {
        match self {
            Number::Float(x) => Some(x),
            Number::Int(n) => (n as f64 as i128 == n).then_some(n as f64),
        }
    }

    fn bool(self) -> Option<bool> {
        match self {
            Number::Int(n @ (0 | 1)) => Some(n == 1),
            Number::Int(_) | Number::Float(_) => None,
        }
    }

    /// Its exact value as an int that the dtype can hold, if there is one.
    pub(super) fn int(self, dtype: DType) -> Option<i64> {
        let Number::Int(n) = self else { return None };
        let fits = match dtype {
            DType::I32 => i32::try_from(n).is_ok(),
            DType::U32 => u32::try_from(n).is_ok(),
            DType::U8 => u8::try_from(n).is_ok(),
            DType::I64 | DType::F64 | DType::F32 | DType::F16 | DType::BF16 | DType::Bool => true,
        };
        i64::try_from(n).ok().filter(|_| fits)
    }
}

/// The ops of a name: with another tensor, and with a number on the right.
pub(super) struct Pair {
    pub(super) name: &'static str,
    pub(super) tensor: fn(Tensor, Tensor) -> Result<Tensor>,
    pub(super) number: fn(Tensor, Number) -> Result<Tensor>,
}

/// A [`Pair`] on one line.
pub(super) const fn pair(
    name: &'static str,
    tensor: fn(Tensor, Tensor) -> Result<Tensor>,
    number: fn(Tensor, Number) -> Result<Tensor>,
) -> Pair {
    Pair { name, tensor, number }
}

impl Pair {
    pub(super) fn operand(&self, x: Tensor, y: Operand) -> Result<Tensor> {
        match y {
            Operand::Tensor(y) => self.tensor(x, y),
            Operand::Number(y) => self.number(x, y),
        }
    }

    pub(super) fn tensor(&self, x: Tensor, y: Tensor) -> Result<Tensor> {
        let are_ints = x.dtype().kind() == Kind::Int && y.dtype().kind() == Kind::Int;
        if x.dtype() != y.dtype() && !are_ints {
            let message = format!("`x` is {}, `y` is {}; cast one of them", x.dtype(), y.dtype());
            return Err(error(self.name, ErrorKind::DType, message));
        }
        match x.dtype().kind() {
            Kind::Float | Kind::Int => (self.tensor)(x, y),
            Kind::Bool => Err(no_arithmetic(self.name)),
        }
    }

    pub(super) fn number(&self, x: Tensor, y: Number) -> Result<Tensor> {
        let y = y.beside(self.name, x.dtype())?;
        (self.number)(x, y)
    }
}

pub(super) fn no_arithmetic(op: &str) -> Error {
    error(op, ErrorKind::DType, "tensors of bool have no arithmetic; cast them to an int or a float")
}
