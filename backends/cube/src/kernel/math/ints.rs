//! Ints: they wrap around, and division by zero gives 0.

use cubecl::prelude::*;
use tensor_op_spec::prim::{Arithmetic, Unary};

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
