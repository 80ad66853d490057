//! Functions of f32 that are written out, at arguments of all exponents, against the host's of f64.

use super::{Gpu, gpu};
use std::f64::consts::{FRAC_PI_2, LN_2};
use tensor_op::TensorData;
use tensor_op::backend::{Backend, Prim};
use tensor_op::prelude::*;
use tensor_op_spec::prim::gamma;

/// Results of `function` on arguments of all exponents, those in the neighbourhood of these points, and
/// special ones, are no further off than the primitive promises.
fn check(prim: Prim, function: fn(f64) -> f64, points: impl Iterator<Item = f64>) -> Result<()> {
    check_within(prim, function, |_| 0.0, points)
}

/// The same, or so many units more.
fn check_within(
    prim: Prim,
    function: fn(f64) -> f64,
    more: fn(f64) -> f64,
    points: impl Iterator<Item = f64>,
) -> Result<()> {
    let near =
        points.flat_map(|point| (-2..=2).map(move |by| (point as f32).to_bits().wrapping_add_signed(by)));
    let special =
        [0.0, -0.0, f32::INFINITY, f32::NEG_INFINITY, f32::NAN, f32::MAX, f32::MIN].map(f32::to_bits);
    let bits = (0..=u32::MAX).step_by(8_191).chain(near).chain(special);
    let arguments: Vec<f32> = bits.map(f32::from_bits).filter(|x| !x.is_subnormal()).collect();
    let found = Gpu::apply(prim, vec![gpu(TensorData::new(arguments.clone(), [arguments.len()])?)])?;
    for (x, found) in arguments.into_iter().zip(Gpu::into_data(found)?.into_vec::<f32>()?) {
        let (wide, bound) = (f64::from(x), prim.ulps() + more(x.into()));
        let expected = function(wide);
        let off = units(found, expected, prim.terms(&[wide]));
        assert!(
            off == 0.0 || off <= bound,
            "{prim:?} of {x:?} is {found:?}, not {expected}: {off} units off, not {bound}"
        );
    }
    Ok(())
}

/// How many units WGSL lets `exp(y)` be off.
pub(super) fn of_exp(y: f64) -> f64 {
    3.0 + 2.0 * y.abs()
}

/// How far a result is off, in units in the last place of an f32, or of the size of its terms.
fn units(found: f32, expected: f64, terms: f64) -> f64 {
    let rounded = expected as f32;
    if rounded.is_nan() || rounded.is_infinite() || expected == 0.0 {
        let same = if rounded.is_nan() { found.is_nan() } else { found.to_bits() == rounded.to_bits() };
        return if same { 0.0 } else { f64::INFINITY };
    }
    if rounded.abs() < f32::MIN_POSITIVE {
        // It may be taken for 0, and has few digits.
        let least = f64::from(f32::from_bits(1));
        return if f64::from(found).abs() <= 2.0 * expected.abs() + least { 0.0 } else { f64::INFINITY };
    }
    let off = (f64::from(found) - expected).abs() / unit(rounded.abs().max(terms as f32));
    if off.is_nan() { f64::INFINITY } else { off }
}

/// The unit in the last place of a number.
pub(super) fn unit(x: f32) -> f64 {
    let size = x.abs();
    f64::from(f32::from_bits(size.to_bits() + 1)) - f64::from(size)
}

/// Multiples of a number up to this one.
fn multiples(of: f64, count: i32) -> impl Iterator<Item = f64> {
    (-count..=count).map(move |k| f64::from(k) * of)
}

#[test]
fn of_circular_functions() -> Result<()> {
    check(Prim::Sin, f64::sin, multiples(FRAC_PI_2, 60_000))?;
    check(Prim::Cos, f64::cos, multiples(FRAC_PI_2, 60_000))?;
    check(Prim::Tan, f64::tan, multiples(FRAC_PI_2, 60_000))
}

#[test]
fn of_exponentials_and_logarithms() -> Result<()> {
    check(Prim::Expm1, f64::exp_m1, multiples(LN_2 / 2.0, 260))?;
    check(Prim::Ln, f64::ln, multiples(0.001, 3000))?;
    check(Prim::Log2, f64::log2, multiples(0.001, 3000))?;
    check(Prim::Log1p, f64::ln_1p, multiples(0.001, 3000))
}

#[test]
fn of_hyperbolic_functions() -> Result<()> {
    check_within(Prim::Sinh, f64::sinh, of_exp, multiples(0.01, 9000))?;
    check_within(Prim::Cosh, f64::cosh, of_exp, multiples(0.01, 9000))?;
    check(Prim::Tanh, f64::tanh, multiples(0.01, 2000))?;
    check(Prim::Asinh, f64::asinh, multiples(0.01, 2000))?;
    check(Prim::Acosh, f64::acosh, multiples(0.001, 3000))?;
    check(Prim::Atanh, f64::atanh, multiples(0.001, 1000))
}

#[test]
fn of_inverse_circular_functions() -> Result<()> {
    check(Prim::Asin, f64::asin, multiples(0.001, 1000))?;
    check(Prim::Acos, f64::acos, multiples(0.001, 1000))?;
    check(Prim::Atan, f64::atan, multiples(0.001, 3000))
}

#[test]
fn of_the_gamma_function() -> Result<()> {
    check(Prim::Lgamma, libm::lgamma, multiples(0.007, 4000).chain([1.0, 2.0]))?;
    check(Prim::Digamma, gamma::digamma, multiples(0.007, 4000).chain([gamma::ROOT[0]]))?;
    check(Prim::Trigamma, gamma::trigamma, multiples(0.007, 4000))
}

#[test]
fn of_error_functions() -> Result<()> {
    check_within(Prim::Erf, libm::erf, |x| of_exp(x * x), multiples(0.001, 4000))?;
    check_within(Prim::Erfc, libm::erfc, |x| of_exp(x * x), multiples(0.001, 10_000))
}
