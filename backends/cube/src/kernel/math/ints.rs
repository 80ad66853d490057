//! Ints: they wrap around, division by zero gives 0, and shifts by too much move all bits out.

use cubecl::prelude::*;
use tensor_op_spec::prim::{Arithmetic, Bits, Unary};

/// A position as an int. Mesa 22.3 compares wrongly with a constant what was an unsigned word:
/// `iota(n) < 1` was false for all. So the word gets a sign before it gets longer. It does so on all
/// devices, because the kernel does not know its driver.
#[cube]
pub(crate) fn position<I: Int>(at: usize) -> I {
    let bits = usize::size_bits().comptime();
    let wanted = I::size_bits().comptime();
    if comptime!(bits == 32 && wanted == 64) {
        I::cast_from(i32::cast_from(u32::cast_from(at) ^ 2147483648u32)) + I::new(2147483648i64)
    } else {
        I::cast_from(at)
    }
}

/// A function of a number, of ints.
#[cube]
pub(crate) fn int_unary<I: Int, N: Size>(x: Vector<I, N>, #[comptime] unary: Unary) -> Vector<I, N> {
    let zero = Vector::<I, N>::new(I::new(0));
    match unary {
        Unary::Neg => zero - x,
        Unary::Abs => select_many(x.less_than(&zero), zero - x, x),
        Unary::Sign => {
            let one = Vector::<I, N>::new(I::new(1));
            select_many(x.less_than(&zero), zero - one, select_many(x.equal(&zero), zero, one))
        }
    }
}

/// Arithmetic of ints. Division by zero gives 0.
#[cube]
pub(crate) fn int_arithmetic<I: Int, N: Size>(
    a: Vector<I, N>,
    b: Vector<I, N>,
    #[comptime] arithmetic: Arithmetic,
) -> Vector<I, N> {
    let zero = Vector::<I, N>::new(I::new(0));
    let one = Vector::<I, N>::new(I::new(1));
    match arithmetic {
        Arithmetic::Add => a + b,
        Arithmetic::Sub => a - b,
        Arithmetic::Mul => a * b,
        Arithmetic::Div => {
            // The smallest int by -1 wraps; it is no division that hardware defines.
            let minus = b.equal(&(zero - one));
            let safe = select_many(b.equal(&zero), one, select_many(minus, one, b));
            select_many(b.equal(&zero), zero, select_many(minus, zero - a, a / safe))
        }
        Arithmetic::Rem => {
            let minus = b.equal(&(zero - one));
            let safe = select_many(b.equal(&zero), one, select_many(minus, one, b));
            a - (a / safe) * safe
        }
        Arithmetic::Maximum => select_many(a.less_than(&b), b, a),
        Arithmetic::Minimum => select_many(b.less_than(&a), b, a),
    }
}

/// An int of two ints, bit by bit. Hardware takes a shift modulo the number of bits, so it never gets one
/// that moves all bits out.
#[cube]
pub(crate) fn bits<I: Int, N: Size>(
    a: Vector<I, N>,
    b: Vector<I, N>,
    #[comptime] bits: Bits,
) -> Vector<I, N> {
    let zero = Vector::<I, N>::new(I::new(0));
    let count = I::size_bits().comptime();
    let last = Vector::<I, N>::new(I::new(comptime!(count as i64 - 1)));
    let is_short = b.greater_equal(&zero).vec_and(b.less_equal(&last));
    match bits {
        Bits::BitAnd => a & b,
        Bits::BitOr => a | b,
        Bits::BitXor => a ^ b,
        Bits::Shl => select_many(is_short, a << select_many(is_short, b, zero), zero),
        Bits::Shr => {
            // CubeCL's compiler for CUDA (0.11.3) shifts zeros into vectors of negative ints, so that no
            // negative int is shifted here.
            let flip = select_many(a.less_than(&zero), zero - Vector::<I, N>::new(I::new(1)), zero);
            ((a ^ flip) >> select_many(is_short, b, last)) ^ flip
        }
    }
}
