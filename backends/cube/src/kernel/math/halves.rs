//! Functions that are as exact as halves need, and take fewer instructions than those that are as exact as
//! f32.

use super::parts::all;
use cubecl::prelude::*;

/// `2^64`: what is smaller than it and larger than its reciprocal has a normal reciprocal.
const SCALE: f64 = 18_446_744_073_709_551_616.0;

/// `a / b` as a product with `1 / b`, which is computed once if `b` is the same for many `a`. It is off by
/// less than two units in the last place. `b` is scaled so that its reciprocal is a normal number.
#[cube]
pub(crate) fn quotient<A: Float, N: Size>(a: Vector<A, N>, b: Vector<A, N>) -> Vector<A, N> {
    let (one, up, down) = (all::<A, N>(1.0), all::<A, N>(SCALE), all::<A, N>(comptime!(1.0 / SCALE)));
    let size = Vector::abs(b);
    let scale = select_many(size.greater_than(&up), down, select_many(size.less_than(&down), up, one));
    a * scale * (one / (b * scale))
}
