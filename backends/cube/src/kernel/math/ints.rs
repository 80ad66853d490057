//! Ints: they wrap around, and division by zero gives 0.

use cubecl::prelude::*;
use tensor_op_spec::prim::Prim;

/// A primitive of one int.
#[cube]
pub(crate) fn int_unary<I: Int, N: Size>(x: Vector<I, N>, #[comptime] prim: Prim) -> Vector<I, N> {
    let zero = Vector::<I, N>::new(I::new(0));
    match prim {
        Prim::Neg => zero - x,
        Prim::Abs => select_many(x.less_than(&zero), zero - x, x),
        Prim::Sign => {
            let one = Vector::<I, N>::new(I::new(1));
            select_many(x.less_than(&zero), zero - one, select_many(x.equal(&zero), zero, one))
        }
        Prim::Exp
        | Prim::Exp2
        | Prim::Expm1
        | Prim::Ln
        | Prim::Log2
        | Prim::Log1p
        | Prim::Sqrt
        | Prim::Rsqrt
        | Prim::Recip
        | Prim::Sin
        | Prim::Cos
        | Prim::Tan
        | Prim::Asin
        | Prim::Acos
        | Prim::Atan
        | Prim::Sinh
        | Prim::Cosh
        | Prim::Tanh
        | Prim::Asinh
        | Prim::Acosh
        | Prim::Atanh
        | Prim::Erf
        | Prim::Erfc
        | Prim::Floor
        | Prim::Ceil
        | Prim::Round
        | Prim::Add
        | Prim::Sub
        | Prim::Mul
        | Prim::Div
        | Prim::Rem
        | Prim::Maximum
        | Prim::Minimum
        | Prim::Pow
        | Prim::Atan2
        | Prim::Lt
        | Prim::Le
        | Prim::Gt
        | Prim::Ge
        | Prim::Eq
        | Prim::Ne
        | Prim::And
        | Prim::Or
        | Prim::Not
        | Prim::IsNan
        | Prim::IsFinite
        | Prim::Select => comptime!(unreachable!("{prim:?} does not take one int to an int")),
    }
}

/// A primitive of two ints. Division by zero gives 0.
#[cube]
pub(crate) fn int_binary<I: Int, N: Size>(
    a: Vector<I, N>,
    b: Vector<I, N>,
    #[comptime] prim: Prim,
) -> Vector<I, N> {
    let zero = Vector::<I, N>::new(I::new(0));
    let one = Vector::<I, N>::new(I::new(1));
    match prim {
        Prim::Add => a + b,
        Prim::Sub => a - b,
        Prim::Mul => a * b,
        Prim::Div => {
            // The smallest int by -1 wraps; it is no division that hardware defines.
            let minus = b.equal(&(zero - one));
            let safe = select_many(b.equal(&zero), one, select_many(minus, one, b));
            select_many(b.equal(&zero), zero, select_many(minus, zero - a, a / safe))
        }
        Prim::Rem => {
            let minus = b.equal(&(zero - one));
            let safe = select_many(b.equal(&zero), one, select_many(minus, one, b));
            a - (a / safe) * safe
        }
        Prim::Maximum => select_many(a.less_than(&b), b, a),
        Prim::Minimum => select_many(b.less_than(&a), b, a),
        Prim::Neg
        | Prim::Exp
        | Prim::Exp2
        | Prim::Expm1
        | Prim::Ln
        | Prim::Log2
        | Prim::Log1p
        | Prim::Sqrt
        | Prim::Rsqrt
        | Prim::Recip
        | Prim::Sin
        | Prim::Cos
        | Prim::Tan
        | Prim::Asin
        | Prim::Acos
        | Prim::Atan
        | Prim::Sinh
        | Prim::Cosh
        | Prim::Tanh
        | Prim::Asinh
        | Prim::Acosh
        | Prim::Atanh
        | Prim::Erf
        | Prim::Erfc
        | Prim::Abs
        | Prim::Sign
        | Prim::Floor
        | Prim::Ceil
        | Prim::Round
        | Prim::Pow
        | Prim::Atan2
        | Prim::Lt
        | Prim::Le
        | Prim::Gt
        | Prim::Ge
        | Prim::Eq
        | Prim::Ne
        | Prim::And
        | Prim::Or
        | Prim::Not
        | Prim::IsNan
        | Prim::IsFinite
        | Prim::Select => comptime!(unreachable!("{prim:?} does not take two ints to an int")),
    }
}
