//! Whole numbers near a float are those of the host, to the bit: the sign of zero, ties, and numbers with few
//! digits after the point.

use super::{Gpu, gpu};
use tensor_op::backend::{Backend, Prim};
use tensor_op::prelude::*;
use tensor_op::{Element, TensorData};

fn check<T: Element>(numbers: &[T], prim: Prim, host: fn(T) -> T, bits: fn(T) -> u64) -> Result<()> {
    let x = gpu(TensorData::new(numbers.to_vec(), [numbers.len()])?);
    let found = Gpu::into_data(Gpu::apply(prim, vec![x])?)?.into_vec::<T>()?;
    for (x, found) in numbers.iter().zip(found) {
        let expected = host(*x);
        assert_eq!(bits(found), bits(expected), "{prim:?} of {x:?} is {found:?}, not {expected:?}");
    }
    Ok(())
}

/// Quarters around zero and around powers of two, and what is large.
fn numbers() -> Vec<f64> {
    let starts = [0, 8, 20, 22, 24, 31, 32, 49].map(|power| 2_f64.powi(power));
    let near = starts.iter().flat_map(|start| (-9..=9).map(move |step| start + f64::from(step) * 0.25));
    let large = [1e300, f64::INFINITY, 2_f64.powi(52) + 1.0, 0.0, f64::MIN_POSITIVE];
    near.chain(large).flat_map(|x| [x, -x]).collect()
}

#[test]
fn of_f64() -> Result<()> {
    if !Gpu::supports_dtype(&Default::default(), DType::F64) {
        return Ok(());
    }
    for (prim, host) in [
        (Prim::Floor, f64::floor as fn(f64) -> f64),
        (Prim::Ceil, f64::ceil),
        (Prim::Trunc, f64::trunc),
        (Prim::Round, f64::round_ties_even),
    ] {
        check(&numbers(), prim, host, f64::to_bits)?;
    }
    Ok(())
}

#[test]
fn of_f32() -> Result<()> {
    let numbers: Vec<f32> = numbers().into_iter().map(|x| x as f32).collect();
    for (prim, host) in [
        (Prim::Floor, f32::floor as fn(f32) -> f32),
        (Prim::Ceil, f32::ceil),
        (Prim::Trunc, f32::trunc),
        (Prim::Round, f32::round_ties_even),
    ] {
        check(&numbers, prim, host, |x| u64::from(x.to_bits()))?;
    }
    Ok(())
}
