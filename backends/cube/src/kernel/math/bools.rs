//! Comparisons, tests, and what is made of their results.

use cubecl::prelude::*;
use tensor_op_spec::prim::{Comparison, Equality, Logic, Test};

/// A comparison by size.
#[cube]
pub(crate) fn compare<E: Numeric, N: Size>(
    a: Vector<E, N>,
    b: Vector<E, N>,
    #[comptime] comparison: Comparison,
) -> Vector<bool, N> {
    match comparison {
        Comparison::Lt => a.less_than(&b),
        Comparison::Le => a.less_equal(&b),
        Comparison::Gt => a.greater_than(&b),
        Comparison::Ge => a.greater_equal(&b),
    }
}

/// Whether numbers are equal, or whether they are not.
#[cube]
pub(crate) fn equality<E: Numeric, N: Size>(
    a: Vector<E, N>,
    b: Vector<E, N>,
    #[comptime] equality: Equality,
) -> Vector<bool, N> {
    match equality {
        Equality::Eq => a.equal(&b),
        // Not `not_equal`, which is ordered in some shading languages: false for NaN.
        Equality::Ne => !a.equal(&b),
    }
}

/// Whether bools are equal, or whether they are not.
#[cube]
pub(crate) fn bool_equality<N: Size>(
    a: Vector<bool, N>,
    b: Vector<bool, N>,
    #[comptime] equality: Equality,
) -> Vector<bool, N> {
    match equality {
        Equality::Eq => (a.vec_and(b)).or((!a).vec_and(!b)),
        Equality::Ne => (a.vec_and(!b)).or((!a).vec_and(b)),
    }
}

/// A test of a float.
#[cube]
pub(crate) fn test<A: Float, N: Size>(x: Vector<A, N>, #[comptime] test: Test) -> Vector<bool, N> {
    match test {
        Test::IsNan => Vector::is_nan(x),
        Test::IsFinite => !(Vector::is_nan(x).or(Vector::is_inf(x))),
    }
}

/// A bool of two bools. The negation takes the first alone.
#[cube]
pub(crate) fn pair<N: Size>(
    a: Vector<bool, N>,
    b: Vector<bool, N>,
    #[comptime] logic: Logic,
) -> Vector<bool, N> {
    match logic {
        Logic::And => a.vec_and(b),
        Logic::Or => a.or(b),
        Logic::Not => !a,
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
