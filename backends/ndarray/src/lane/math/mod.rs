//! Elementary functions of one element, without branches, so that a loop over them becomes SIMD code.
//!
//! Each is within the units in the last place that `lane/tests.rs` has, at most 5, over the whole range,
//! subnormals and special values included.
//! Polynomials named here with no source interpolate at the Chebyshev nodes of the given interval.

mod angles;
mod arcs;
mod erf;
mod exp;
mod hyperbolic;
mod log;
mod powers;
mod real;

pub(super) use angles::{cos, sin, tan};
pub(super) use arcs::{acos, asin, atan, atan2};
pub(super) use erf::{erf32, erf64, erfc32, erfc64};
pub(super) use exp::{exp, exp2, expm1, tanh};
pub(super) use hyperbolic::{acosh32, acosh64, asinh32, asinh64, atanh32, atanh64, cosh, sinh32, sinh64};
pub(super) use log::{ln, log1p, log2};
pub(super) use powers::pow;
pub(super) use real::fma;
