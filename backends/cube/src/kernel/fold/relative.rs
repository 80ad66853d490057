//! Sums of exponentials relative to the largest value so far.

use crate::kernel::math::bools::test;
use crate::kernel::math::parts::all;
use crate::kernel::math::{arithmetic, function};
use cubecl::prelude::*;
use tensor_op_spec::prim::{Arithmetic, Function, Test};

/// The base of the exponents: the largest value, or 0 if that is not finite.
#[cube]
pub(crate) fn base<A: Float>(largest: Vector<A, Const<1>>) -> Vector<A, Const<1>> {
    select_many(test::<A, Const<1>>(largest, Test::IsFinite), largest, all::<A, Const<1>>(0.0))
}

/// The factor that turns a sum relative to one base into a sum relative to another. If there was no value
/// yet, the sum becomes 0. A sum that contains infinities or NaN stays unchanged.
#[cube]
pub(crate) fn scale<A: Float>(from: Vector<A, Const<1>>, to: Vector<A, Const<1>>) -> Vector<A, Const<1>> {
    let factor = function::<A, Const<1>>(arithmetic::<A, Const<1>>(from, to, Arithmetic::Sub), Function::Exp);
    let none = from.equal(&all::<A, Const<1>>(f64::NEG_INFINITY));
    let other = select_many(none, all::<A, Const<1>>(0.0), all::<A, Const<1>>(1.0));
    select_many(test::<A, Const<1>>(from, Test::IsFinite), factor, other)
}
