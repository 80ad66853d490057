//! The remainder is exact: to the bit that of the host, over all exponents.

use super::{Gpu, gpu};
use tensor_op::backend::{Backend, Prim};
use tensor_op::prelude::*;
use tensor_op::{Element, TensorData};

/// Numbers of all exponents, and those of which a quotient is rounded up to a whole number; in vectors and
/// alone.
fn check<T: Element>(pairs: &[(T, T)], rem: impl Fn(T, T) -> T, bits: impl Fn(T) -> u64) -> Result<()> {
    for count in [1, 3, pairs.len()] {
        let (a, b): (Vec<T>, Vec<T>) = pairs[..count].iter().copied().unzip();
        let args = [a, b].map(|column| TensorData::new(column, [count]).map(gpu));
        let found = Gpu::apply(Prim::Rem, args.into_iter().collect::<Result<_>>()?)?;
        for ((a, b), found) in pairs.iter().zip(Gpu::into_data(found)?.into_vec::<T>()?) {
            let expected = rem(*a, *b);
            assert_eq!(bits(found), bits(expected), "{a:?} % {b:?} is {found:?}, not {expected:?}");
        }
    }
    Ok(())
}

/// Numbers whose bits are drawn, after these.
fn pairs<T: Copy>(known: &[T], of_bits: impl Fn(u64) -> T) -> Vec<(T, T)> {
    let mut all: Vec<(T, T)> = known.chunks_exact(2).map(|pair| (pair[0], pair[1])).collect();
    all.extend(known.iter().flat_map(|a| known.iter().map(|b| (*a, *b))));
    let mut state = 1_u64;
    let mut draw = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        of_bits(state ^ (state >> 31))
    };
    all.extend((0..3000).map(|_| (draw(), draw())));
    all
}

#[test]
fn of_f32() -> Result<()> {
    let known = [1.0, 0.1, 1e5, 0.001, 5.3, 0.001, -7.5, 2.0, 3e38, 1e-38, f32::MAX, f32::MIN_POSITIVE];
    let special = [0.0, -0.0, f32::INFINITY, f32::NEG_INFINITY, f32::NAN, 3.0];
    let pairs = pairs(&[&known[..], &special].concat(), |bits| f32::from_bits((bits >> 32) as u32));
    check(&pairs, |a, b| a % b, |x| if x.is_nan() { 0x7fc0_0000 } else { x.to_bits().into() })
}

#[test]
fn of_f64() -> Result<()> {
    if !Gpu::supports_dtype(&Default::default(), DType::F64) {
        return Ok(());
    }
    let known = [1.0, 0.1, 1e5, 0.001, 3e38, -2.5, f64::MAX, f64::MIN_POSITIVE, 1e300, 7e-300];
    let special = [0.0, -0.0, f64::INFINITY, f64::NEG_INFINITY, f64::NAN, 3.0];
    let pairs = pairs(&[&known[..], &special].concat(), f64::from_bits);
    check(&pairs, |a, b| a % b, |x| if x.is_nan() { f64::NAN.to_bits() } else { x.to_bits() })
}
