//! The operators `& | ^ !` on ints, bit by bit, and on bools. The ops are those of
//! [`catalogue::bits`](crate::catalogue::bits) and [`catalogue::logic`](crate::catalogue::logic). As with
//! `+`, one side may be the `Result` of another op, and the right side a number; beside bools it is 0 or 1.
//!
//! In Rust `&` binds tighter than a comparison, and comparisons of tensors are methods: `x.gt(0)? &
//! x.lt(1)?`.

use super::operand::Number;
use super::{Tensor, error};
use crate::catalogue::{bits, logic};
use crate::{ErrorKind, IntoTensor, Result, Shape};
use std::ops::{BitAnd, BitOr, BitXor, Not};
use tensor_op_spec::ir::Kind;

/// The ops of an operator, for ints and for bools.
struct Bitwise {
    name: &'static str,
    ints: fn(Tensor, Tensor) -> Result<Tensor>,
    bools: fn(Tensor, Tensor) -> Result<Tensor>,
}

const AND: Bitwise = Bitwise { name: "bitand", ints: bits::bitwise_and, bools: logic::logical_and };
const OR: Bitwise = Bitwise { name: "bitor", ints: bits::bitwise_or, bools: logic::logical_or };
const XOR: Bitwise = Bitwise { name: "bitxor", ints: bits::bitwise_xor, bools: logic::logical_xor };

impl Bitwise {
    fn tensors(&self, x: impl IntoTensor, y: impl IntoTensor) -> Result<Tensor> {
        let (x, y) = (x.into_tensor()?, y.into_tensor()?);
        match (x.dtype().kind(), y.dtype().kind()) {
            (Kind::Int, Kind::Int) => (self.ints)(x, y),
            (Kind::Bool, Kind::Bool) => (self.bools)(x, y),
            (of_x, of_y) if of_x == of_y => Err(no_bits(self.name, &x)),
            _ => {
                let message = format!("`x` is {}, `y` is {}; cast one of them", x.dtype(), y.dtype());
                Err(error(self.name, ErrorKind::DType, message))
            }
        }
    }

    fn number(&self, x: impl IntoTensor, y: impl Into<Number>) -> Result<Tensor> {
        let x = x.into_tensor()?;
        if x.dtype().kind() == Kind::Float {
            return Err(no_bits(self.name, &x));
        }
        let number = y.into().of_kind(x.dtype().kind()).map_err(|error| error.with_op(self.name))?;
        let y = x.filled_like(self.name, Shape::scalar(), number)?;
        self.tensors(x, y)
    }
}

fn no_bits(op: &str, x: &Tensor) -> crate::Error {
    let message = format!("a tensor of {} has no bits; cast it to an int, or compare it", x.dtype());
    error(op, ErrorKind::DType, message)
}

macro_rules! bitwise {
    ($trait:ident, $method:ident, $operator:ident) => {
        bitwise!(tensors: $trait, $method, $operator: [&Tensor, &Tensor], [&Tensor, Tensor], [Tensor, &Tensor]);
        bitwise!(tensors: $trait, $method, $operator: [Tensor, Tensor], [&Tensor, Result<Tensor>]);
        bitwise!(tensors: $trait, $method, $operator: [Tensor, Result<Tensor>], [Result<Tensor>, &Tensor]);
        bitwise!(tensors: $trait, $method, $operator: [Result<Tensor>, Tensor]);
        bitwise!(right: $trait, $method, $operator: &Tensor, Tensor);
    };
    (tensors: $trait:ident, $method:ident, $operator:ident: $([$lhs:ty, $rhs:ty]),*) => {$(
        impl $trait<$rhs> for $lhs {
            type Output = Result<Tensor>;
            fn $method(self, rhs: $rhs) -> Result<Tensor> {
                $operator.tensors(self, rhs)
            }
        }
    )*};
    (right: $trait:ident, $method:ident, $operator:ident: $($tensor:ty),*) => {$(
        impl<N: Into<Number>> $trait<N> for $tensor {
            type Output = Result<Tensor>;
            fn $method(self, rhs: N) -> Result<Tensor> {
                $operator.number(self, rhs)
            }
        }
    )*};
}
bitwise!(BitAnd, bitand, AND);
bitwise!(BitOr, bitor, OR);
bitwise!(BitXor, bitxor, XOR);

impl Not for Tensor {
    type Output = Result<Tensor>;
    fn not(self) -> Result<Tensor> {
        match self.dtype().kind() {
            Kind::Int => bits::bitwise_not(self),
            Kind::Bool => logic::logical_not(self),
            Kind::Float => Err(no_bits("not", &self)),
        }
    }
}

impl Not for &Tensor {
    type Output = Result<Tensor>;
    fn not(self) -> Result<Tensor> {
        !self.clone()
    }
}
