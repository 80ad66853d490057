//! Small pieces that the functions of this folder share: constants, polynomials and signs.

use cubecl::ir::{ConstantValue, ElemType, ExpandValue, FloatKind, UIntKind};
use cubecl::prelude::*;

/// A constant in full precision. WGSL has no spelling for infinities and NaN: they come from their bits.
#[cube]
#[allow(clippy::extra_unused_type_parameters, reason = "the type is what the constant is of")]
pub(crate) fn float<A: Float>(#[comptime] value: f64) -> A {
    intrinsic!(|scope| {
        let elem = A::elem_type(scope);
        if value.is_finite() {
            let constant: ExpandValue = elem.constant(ConstantValue::Float(value));
            constant.into()
        } else if elem == ElemType::Float(FloatKind::F64) {
            let bits = ElemType::UInt(UIntKind::U64).constant(ConstantValue::UInt(value.to_bits()));
            A::__expand_reinterpret::<u64>(scope, bits.into())
        } else {
            let bits = u64::from((value as f32).to_bits());
            let bits = ElemType::UInt(UIntKind::U32).constant(ConstantValue::UInt(bits));
            A::__expand_reinterpret::<u32>(scope, bits.into())
        }
    })
}

/// A constant in all lanes.
#[cube]
pub(crate) fn all<A: Float, N: Size>(#[comptime] value: f64) -> Vector<A, N> {
    Vector::<A, N>::new(float::<A>(value))
}

/// Whether arithmetic is in f64, where the device's functions are taken.
#[cube]
#[allow(clippy::extra_unused_type_parameters, reason = "the question is about the type")]
pub(super) fn is_double<A: Float>() -> comptime_type!(bool) {
    intrinsic!(|scope| A::elem_type(scope) == ElemType::Float(FloatKind::F64))
}

/// The same value, but an optimizer knows nothing about it. Mesa's optimizer (NIR) takes common factors out
/// of sums and joins constants: it makes `x - n * (a + b)` of `x - n * a - n * b`, whose terms are exact, and
/// `x` of `(x + 1) - 1`. The numbers must be below 1e30.
#[cube]
pub(super) fn held<A: Float, N: Size>(x: Vector<A, N>) -> Vector<A, N> {
    min(x, all::<A, N>(1e30))
}

/// Whether any lane is set.
#[cube]
pub(super) fn any<N: Size>(lanes: Vector<bool, N>) -> bool {
    let found = RuntimeCell::<bool>::new(false);
    #[unroll]
    for lane in 0..lanes.vector_size() {
        found.store(found.read() || lanes.extract(lane));
    }
    found.read()
}

/// `c[0] + x * (c[1] + x * (..))`.
#[cube]
pub(super) fn polynomial<A: Float, N: Size>(x: Vector<A, N>, #[comptime] c: Vec<f64>) -> Vector<A, N> {
    let last = comptime!(c.len() - 1);
    let mut value = all::<A, N>(comptime!(c[last]));
    #[unroll]
    for i in 0..last {
        value = value * x + all::<A, N>(comptime!(c[last - 1 - i]));
    }
    value
}

/// The sign of `x` on a value of at least 0; keeps -0 and NaN.
#[cube]
pub(super) fn with_sign<A: Float, N: Size>(magnitude: Vector<A, N>, x: Vector<A, N>) -> Vector<A, N> {
    let zero = all::<A, N>(0.0);
    select_many(x.equal(&zero), x, select_many(x.less_than(&zero), -magnitude, magnitude))
}

/// Whether the sign bit is set, of no NaN.
#[cube]
pub(super) fn is_negative<A: Float, N: Size>(x: Vector<A, N>) -> Vector<bool, N> {
    let zero = all::<A, N>(0.0);
    x.less_than(&zero).or(x.equal(&zero).vec_and((all::<A, N>(1.0) / x).less_than(&zero)))
}
