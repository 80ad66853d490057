//! The operators `+ - * / %` and unary minus, between tensors, numbers and results of ops, as in
//! `(&a + &b)? * 2.0`. The rest `%` has the sign of the dividend, as in Rust and in formulas;
//! [`Tensor::remainder`] has that of the divisor, as `%` has in PyTorch.
//!
//! An operand that is passed by value gives its buffer away. A sum can fail, so its type is `Result<Tensor>`,
//! and one side of an operator may be a `Result`, beside a tensor. Two of them, or one and a number, can't
//! have operators: Rust allows no `impl Add<Result<..>> for Result<..>` outside of the standard library. The
//! methods of [`Arithmetic`] take their place. The ops are those of
//! [`catalogue::arith`](crate::catalogue::arith). A sum can be written as `total += &x` where `total` is a
//! `Result<Tensor>`, which keeps the first error: no `+=` of a tensor itself could say one.
//!
//! On the right a number has any type that becomes a [`Number`]. On the left it is an f64 or an i64: with
//! more types there, Rust would not know the type of `(2 * &x)?`.

use super::Tensor;
use super::operand::{IntoOperand, Number, Pair, no_arithmetic, pair};
use crate::catalogue::{arith, bits, math};
use crate::{IntoTensor, Result, Shape};
use std::ops::{Add, AddAssign, Div, DivAssign, Mul, MulAssign, Neg, Rem, RemAssign, Sub, SubAssign};
use tensor_op_spec::ir::Kind;

/// An operator: its ops for a tensor on the left, and for a number on the left.
struct Operator {
    right: Pair,
    left: fn(Number, Tensor) -> Result<Tensor>,
}

const ADD: Operator =
    Operator { right: pair("add", arith::add, arith::add_scalar), left: |x, y| arith::add_scalar(y, x) };
const SUB: Operator = Operator { right: pair("sub", arith::sub, arith::sub_scalar), left: arith::scalar_sub };
const MUL: Operator =
    Operator { right: pair("mul", arith::mul, arith::mul_scalar), left: |x, y| arith::mul_scalar(y, x) };
const DIV: Operator = Operator { right: pair("div", arith::div, arith::div_scalar), left: arith::scalar_div };
const REM: Operator = Operator {
    right: pair("rem", math::fmod, |x, y| math::fmod(&x, scalar_like(&x, y))),
    left: |x, y| math::fmod(scalar_like(&y, x), &y),
};
const FLOOR_DIV: Pair = pair("floor_div", bits::floor_div, |x, y| bits::floor_div(&x, scalar_like(&x, y)));
const REMAINDER: Pair = pair("remainder", bits::remainder, |x, y| bits::remainder(&x, scalar_like(&x, y)));

/// A number as a tensor without axes, for an op that takes no scalar.
fn scalar_like(x: &Tensor, number: Number) -> Result<Tensor> {
    x.filled_like("scalar", Shape::scalar(), number.of_kind(x.dtype().kind())?)
}

impl Operator {
    fn tensors(&self, x: impl IntoTensor, y: impl IntoTensor) -> Result<Tensor> {
        self.right.tensor(x.into_tensor()?, y.into_tensor()?)
    }

    fn number_left(&self, x: impl Into<Number>, y: impl IntoTensor) -> Result<Tensor> {
        let y = y.into_tensor()?;
        let x = x.into().beside(self.right.name, y.dtype())?;
        (self.left)(x, y)
    }

    fn number_right(&self, x: impl IntoTensor, y: impl Into<Number>) -> Result<Tensor> {
        self.right.number(x.into_tensor()?, y.into())
    }
}

macro_rules! operator {
    ($trait:ident, $method:ident, $operator:ident) => {
        operator!(tensors: $trait, $method, $operator: [&Tensor, &Tensor], [&Tensor, Tensor], [Tensor, &Tensor]);
        operator!(tensors: $trait, $method, $operator: [Tensor, Tensor], [&Tensor, Result<Tensor>]);
        operator!(tensors: $trait, $method, $operator: [Tensor, Result<Tensor>], [Result<Tensor>, &Tensor]);
        operator!(tensors: $trait, $method, $operator: [Result<Tensor>, Tensor]);
        operator!(right: $trait, $method, $operator: &Tensor, Tensor);
        operator!(left: $trait, $method, $operator: [f64, &Tensor], [f64, Tensor], [i64, &Tensor], [i64, Tensor]);
    };
    (tensors: $trait:ident, $method:ident, $operator:ident: $([$lhs:ty, $rhs:ty]),*) => {$(
        impl $trait<$rhs> for $lhs {
            type Output = Result<Tensor>;
            fn $method(self, rhs: $rhs) -> Result<Tensor> {
                $operator.tensors(self, rhs)
            }
        }
    )*};
    // One implementation for all numbers, so that `(&x + 1)?` has a type before that of the literal is known.
    (right: $trait:ident, $method:ident, $operator:ident: $($tensor:ty),*) => {$(
        impl<N: Into<Number>> $trait<N> for $tensor {
            type Output = Result<Tensor>;
            fn $method(self, rhs: N) -> Result<Tensor> {
                $operator.number_right(self, rhs)
            }
        }
    )*};
    (left: $trait:ident, $method:ident, $operator:ident: $([$number:ty, $tensor:ty]),*) => {$(
        impl $trait<$tensor> for $number {
            type Output = Result<Tensor>;
            fn $method(self, rhs: $tensor) -> Result<Tensor> {
                $operator.number_left(self, rhs)
            }
        }
    )*};
}
operator!(Add, add, ADD);
operator!(Sub, sub, SUB);
operator!(Mul, mul, MUL);
operator!(Div, div, DIV);
operator!(Rem, rem, REM);

/// The operators that change the result of an op. After an error it stays the error.
macro_rules! assigning {
    ($($trait:ident, $method:ident, $operator:ident;)*) => {$(
        impl $trait<&Tensor> for Result<Tensor> {
            fn $method(&mut self, rhs: &Tensor) {
                if let Ok(x) = self {
                    *self = $operator.tensors(&*x, rhs);
                }
            }
        }

        impl $trait<Tensor> for Result<Tensor> {
            fn $method(&mut self, rhs: Tensor) {
                if let Ok(x) = self {
                    *self = $operator.tensors(&*x, rhs);
                }
            }
        }
    )*};
}
assigning! {
    AddAssign, add_assign, ADD;
    SubAssign, sub_assign, SUB;
    MulAssign, mul_assign, MUL;
    DivAssign, div_assign, DIV;
    RemAssign, rem_assign, REM;
}

impl Neg for Tensor {
    type Output = Result<Tensor>;
    fn neg(self) -> Result<Tensor> {
        match self.dtype().kind() {
            Kind::Float | Kind::Int => arith::neg(self),
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

/// Arithmetic with the result of an op on the left. The operators take only a tensor beside it; these methods
/// also take another result, or a number. So a chain needs one `?`.
///
/// ```
/// use tensor_op::prelude::*;
///
/// # fn main() -> Result<()> {
/// let (x, y) = (Tensor::from([1.0, 2.0]), Tensor::from([3.0, 4.0]));
/// let z = (&x * &x).add(&y * &y).div(2)?;
/// assert_eq!(z.to_vec::<f64>()?, [5.0, 10.0]);
/// # Ok(())
/// # }
/// ```
pub trait Arithmetic {
    /// The sum.
    fn add(self, y: impl IntoOperand) -> Result<Tensor>;
    /// The difference.
    fn sub(self, y: impl IntoOperand) -> Result<Tensor>;
    /// The product.
    fn mul(self, y: impl IntoOperand) -> Result<Tensor>;
    /// The quotient.
    fn div(self, y: impl IntoOperand) -> Result<Tensor>;
    /// The same with the other sign.
    fn neg(self) -> Result<Tensor>;
}

impl Arithmetic for Result<Tensor> {
    fn add(self, y: impl IntoOperand) -> Result<Tensor> {
        ADD.right.operand(self?, y.into_operand()?)
    }
    fn sub(self, y: impl IntoOperand) -> Result<Tensor> {
        SUB.right.operand(self?, y.into_operand()?)
    }
    fn mul(self, y: impl IntoOperand) -> Result<Tensor> {
        MUL.right.operand(self?, y.into_operand()?)
    }
    fn div(self, y: impl IntoOperand) -> Result<Tensor> {
        DIV.right.operand(self?, y.into_operand()?)
    }
    fn neg(self) -> Result<Tensor> {
        Neg::neg(self?)
    }
}

impl Tensor {
    /// The quotient of floats or of ints, rounded down. By 0 it is 0 for ints. `torch.floor_divide`.
    pub fn floor_div(&self, y: impl IntoOperand) -> Result<Tensor> {
        FLOOR_DIV.operand(self.clone(), y.into_operand()?)
    }

    /// The rest of [`floor_div`](Tensor::floor_div), which has the sign of the divisor. `torch.remainder`.
    ///
    /// ```
    /// # use tensor_op::prelude::*;
    /// assert_eq!(Tensor::from([5, -5]).remainder(3)?.to_vec::<i32>()?, [2, 1]);
    /// # Ok::<(), tensor_op::Error>(())
    /// ```
    pub fn remainder(&self, y: impl IntoOperand) -> Result<Tensor> {
        REMAINDER.operand(self.clone(), y.into_operand()?)
    }
}
