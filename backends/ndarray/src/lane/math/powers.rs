//! Powers of f32, in f64 and rounded once: `2^(y log2 |x|)`. f64 has 29 bits more than f32. At most 8 of them
//! hold the whole part of the product, and 21 are left.

use super::exp::exp2;
use super::log::log2;
use crate::lane::isa::Isa;

/// `x` to the power `y`, with the special values of IEEE 754.
#[inline(always)]
pub(in crate::lane) fn pow<I: Isa>(x: f32, y: f32) -> f32 {
    let (x, y) = (f64::from(x), f64::from(y));
    let size = exp2::<I, f64>(y * log2::<I, f64>(x.abs()));
    // Infinite powers of -1.
    let size = if (x == -1.0) & !y.is_nan() { 1.0 } else { size };
    let is_whole = y.trunc() == y;
    let is_odd = is_whole & ((0.5 * y).trunc() != 0.5 * y);
    let signed = if is_odd { size.copysign(x) } else { size };
    let has_none = (x < 0.0) & (x > f64::NEG_INFINITY) & !is_whole;
    let power = if has_none { f64::NAN } else { signed };
    let is_one = (x == 1.0) | (y == 0.0);
    (if is_one { 1.0 } else { power }) as f32
}
