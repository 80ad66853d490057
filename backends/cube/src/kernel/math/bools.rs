//! Comparisons, tests, and what is made of their results.

use cubecl::prelude::*;
use tensor_op_spec::prim::Prim;

/// A comparison.
#[cube]
pub(crate) fn compare<E: Numeric, N: Size>(
    a: Vector<E, N>,
    b: Vector<E, N>,
    #[comptime] prim: Prim,
) -> Vector<bool, N> {
    match prim {
        Prim::Lt => a.less_than(&b),
        Prim::Le => a.less_equal(&b),
        Prim::Gt => a.greater_than(&b),
        Prim::Ge => a.greater_equal(&b),
        Prim::Eq => a.equal(&b),
        // Not `not_equal`, which is ordered in some shading languages: false for NaN.
        Prim::Ne => !a.equal(&b),
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
        | Prim::Add
        | Prim::Sub
        | Prim::Mul
        | Prim::Div
        | Prim::Rem
        | Prim::Maximum
        | Prim::Minimum
        | Prim::Pow
        | Prim::Atan2
        | Prim::And
        | Prim::Or
        | Prim::Not
        | Prim::IsNan
        | Prim::IsFinite
        | Prim::Select => comptime!(unreachable!("{prim:?} is no comparison")),
    }
}

/// A test of one float.
#[cube]
pub(crate) fn test<A: Float, N: Size>(x: Vector<A, N>, #[comptime] prim: Prim) -> Vector<bool, N> {
    match prim {
        Prim::IsNan => Vector::is_nan(x),
        Prim::IsFinite => !(Vector::is_nan(x).or(Vector::is_inf(x))),
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
        | Prim::Select => comptime!(unreachable!("{prim:?} is no test of a float")),
    }
}

#[cube]
pub(crate) fn not<N: Size>(x: Vector<bool, N>) -> Vector<bool, N> {
    !x
}

/// A primitive of two bools.
#[cube]
pub(crate) fn logic<N: Size>(
    a: Vector<bool, N>,
    b: Vector<bool, N>,
    #[comptime] prim: Prim,
) -> Vector<bool, N> {
    match prim {
        Prim::And => a.vec_and(b),
        Prim::Or => a.or(b),
        Prim::Eq => (a.vec_and(b)).or((!a).vec_and(!b)),
        Prim::Ne => (a.vec_and(!b)).or((!a).vec_and(b)),
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
        | Prim::Not
        | Prim::IsNan
        | Prim::IsFinite
        | Prim::Select => comptime!(unreachable!("{prim:?} does not take two bools")),
    }
}

#[cube]
pub(crate) fn logic_select<N: Size>(
    cond: Vector<bool, N>,
    a: Vector<bool, N>,
    b: Vector<bool, N>,
) -> Vector<bool, N> {
    (cond.vec_and(a)).or((!cond).vec_and(b))
}
