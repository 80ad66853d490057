//! The operators `+ - * /` and unary minus, between tensors, scalars and results of operators, as in
//! `((&a + &b)? * 2.0)?`.
//!
//! An operand that is passed by value gives its buffer away. A sum can fail, so its type is `Result<Tensor>`;
//! one side of an operator may be a `Result`. The ops are those of
//! [`catalogue::arith`](crate::catalogue::arith).

use super::{Tensor, error};
use crate::catalogue::arith;
use crate::{DType, Error, ErrorKind, Result};
use std::fmt;
use std::ops::{Add, Div, Mul, Neg, Sub};
use tensor_op_spec::ir::Kind;

/// An operator, with its ops on floats and on ints.
struct Operator {
    name: &'static str,
    floats: Forms<f64>,
    ints: Forms<i64>,
}

/// The ops of an operator: for two tensors, and for a scalar on the right or on the left.
struct Forms<S> {
    tensors: fn(Tensor, Tensor) -> Result<Tensor>,
    right: fn(Tensor, S) -> Result<Tensor>,
    left: fn(S, Tensor) -> Result<Tensor>,
}

const ADD: Operator = Operator {
    name: "add",
    floats: Forms { tensors: arith::add, right: arith::add_scalar, left: |x, y| arith::add_scalar(y, x) },
    ints: Forms {
        tensors: arith::add_int,
        right: arith::add_scalar_int,
        left: |x, y| arith::add_scalar_int(y, x),
    },
};
const SUB: Operator = Operator {
    name: "sub",
    floats: Forms { tensors: arith::sub, right: arith::sub_scalar, left: arith::scalar_sub },
    ints: Forms { tensors: arith::sub_int, right: arith::sub_scalar_int, left: arith::scalar_sub_int },
};
const MUL: Operator = Operator {
    name: "mul",
    floats: Forms { tensors: arith::mul, right: arith::mul_scalar, left: |x, y| arith::mul_scalar(y, x) },
    ints: Forms {
        tensors: arith::mul_int,
        right: arith::mul_scalar_int,
        left: |x, y| arith::mul_scalar_int(y, x),
    },
};
const DIV: Operator = Operator {
    name: "div",
    floats: Forms { tensors: arith::div, right: arith::div_scalar, left: arith::scalar_div },
    ints: Forms { tensors: arith::div_int, right: arith::div_scalar_int, left: arith::scalar_div_int },
};

impl Operator {
    fn tensors(&self, x: Tensor, y: Tensor) -> Result<Tensor> {
        let are_ints = x.dtype().kind() == Kind::Int && y.dtype().kind() == Kind::Int;
        if x.dtype() != y.dtype() && !are_ints {
            let message = format!("`x` is {}, `y` is {}; cast one of them", x.dtype(), y.dtype());
            return Err(error(self.name, ErrorKind::DType, message));
        }
        match x.dtype().kind() {
            Kind::Float => (self.floats.tensors)(x, y),
            Kind::Int => (self.ints.tensors)(x, y),
            Kind::Bool => Err(no_arithmetic(self.name)),
        }
    }

    fn right<S: Scalar>(&self, x: Tensor, y: S) -> Result<Tensor> {
        let dtype = x.dtype();
        match dtype.kind() {
            Kind::Float => (self.floats.right)(x, self.exact(y.float(), y, dtype)?),
            Kind::Int => (self.ints.right)(x, self.exact(y.int().filter(|y| fits(*y, dtype)), y, dtype)?),
            Kind::Bool => Err(no_arithmetic(self.name)),
        }
    }

    fn left<S: Scalar>(&self, x: S, y: Tensor) -> Result<Tensor> {
        let dtype = y.dtype();
        match dtype.kind() {
            Kind::Float => (self.floats.left)(self.exact(x.float(), x, dtype)?, y),
            Kind::Int => (self.ints.left)(self.exact(x.int().filter(|x| fits(*x, dtype)), x, dtype)?, y),
            Kind::Bool => Err(no_arithmetic(self.name)),
        }
    }

    /// The value of a scalar next to a tensor of this dtype. An `Err` if there is no exact value.
    fn exact<T>(&self, value: Option<T>, scalar: impl Scalar, dtype: DType) -> Result<T> {
        value.ok_or_else(|| {
            let message =
                format!("the scalar {scalar} has no exact value beside a tensor of {dtype}; cast the tensor");
            error(self.name, ErrorKind::DType, message)
        })
    }
}

/// Whether an int dtype can hold the value.
fn fits(value: i64, dtype: DType) -> bool {
    match dtype {
        DType::I32 => i32::try_from(value).is_ok(),
        DType::U32 => u32::try_from(value).is_ok(),
        DType::U8 => u8::try_from(value).is_ok(),
        DType::I64 | DType::F64 | DType::F32 | DType::F16 | DType::BF16 | DType::Bool => true,
    }
}

fn no_arithmetic(op: &str) -> Error {
    error(op, ErrorKind::DType, "tensors of bool have no arithmetic; cast them to an int or a float")
}

/// A scalar next to a tensor.
trait Scalar: Copy + fmt::Display {
    /// Its exact value as a float, if there is one.
    fn float(self) -> Option<f64>;
    /// Its exact value as an int, if there is one.
    fn int(self) -> Option<i64>;
}

impl Scalar for f64 {
    fn float(self) -> Option<f64> {
        Some(self)
    }
    fn int(self) -> Option<i64> {
        None
    }
}

impl Scalar for i64 {
    fn float(self) -> Option<f64> {
        const EXACT: u64 = 1 << f64::MANTISSA_DIGITS;
        (self.unsigned_abs() <= EXACT).then_some(self as f64)
    }
    fn int(self) -> Option<i64> {
        Some(self)
    }
}

macro_rules! operator {
    ($trait:ident, $method:ident, $operator:ident) => {
        operator!(tensors $trait, $method, $operator: &Tensor, &Tensor);
        operator!(tensors $trait, $method, $operator: &Tensor, Tensor);
        operator!(tensors $trait, $method, $operator: Tensor, &Tensor);
        operator!(tensors $trait, $method, $operator: Tensor, Tensor);
        operator!(sides $trait, $method, $operator: &Tensor, f64);
        operator!(sides $trait, $method, $operator: Tensor, f64);
        operator!(sides $trait, $method, $operator: &Tensor, i64);
        operator!(sides $trait, $method, $operator: Tensor, i64);
        operator!(results $trait, $method, $operator: &Tensor);
        operator!(results $trait, $method, $operator: Tensor);
    };
    (tensors $trait:ident, $method:ident, $operator:ident: $lhs:ty, $rhs:ty) => {
        impl $trait<$rhs> for $lhs {
            type Output = Result<Tensor>;
            fn $method(self, rhs: $rhs) -> Result<Tensor> {
                $operator.tensors(self.into(), rhs.into())
            }
        }
    };
    (sides $trait:ident, $method:ident, $operator:ident: $tensor:ty, $scalar:ty) => {
        impl $trait<$scalar> for $tensor {
            type Output = Result<Tensor>;
            fn $method(self, rhs: $scalar) -> Result<Tensor> {
                $operator.right(self.into(), rhs)
            }
        }
        impl $trait<$tensor> for $scalar {
            type Output = Result<Tensor>;
            fn $method(self, rhs: $tensor) -> Result<Tensor> {
                $operator.left(self, rhs.into())
            }
        }
    };
    (results $trait:ident, $method:ident, $operator:ident: $tensor:ty) => {
        impl $trait<Result<Tensor>> for $tensor {
            type Output = Result<Tensor>;
            fn $method(self, rhs: Result<Tensor>) -> Result<Tensor> {
                $operator.tensors(self.into(), rhs?)
            }
        }
        impl $trait<$tensor> for Result<Tensor> {
            type Output = Result<Tensor>;
            fn $method(self, rhs: $tensor) -> Result<Tensor> {
                $operator.tensors(self?, rhs.into())
            }
        }
    };
}
operator!(Add, add, ADD);
operator!(Sub, sub, SUB);
operator!(Mul, mul, MUL);
operator!(Div, div, DIV);

impl Neg for Tensor {
    type Output = Result<Tensor>;
    fn neg(self) -> Result<Tensor> {
        match self.dtype().kind() {
            Kind::Float => arith::neg(self),
            Kind::Int => arith::neg_int(self),
            Kind::Bool => Err(no_arithmetic("neg")),
        }
    }
}

impl Neg for &Tensor {
    type Output = Result<Tensor>;
    fn neg(self) -> Result<Tensor> {
        -self.clone()
    }
}
