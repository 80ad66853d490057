//! Compares the results of a backend with values that have an error bound.

use super::{Bounded, Format};
use tensor_op_core::{DType, Element, Evaluated, Result, Storage, TensorData};
use tensor_op_spec::ir::{Kind, Scalar};

/// What a comparison of all elements of a result found.
#[derive(Clone, Copy, Debug, Default)]
pub struct Found {
    /// Elements with a bound.
    pub bounded: usize,
    /// Elements without a bound: any value is accepted.
    pub free: usize,
    /// The largest ratio of error to bound; 0 where results are exact.
    pub ratio: f64,
}

/// The element with the largest error, in units of its bound.
#[derive(Clone, Debug)]
pub struct Difference {
    /// Row-major index of the element.
    pub index: usize,
    /// The value that the backend gave.
    pub found: f64,
    /// The value that it should be.
    pub expected: f64,
    /// The largest distance that is allowed.
    pub bound: f64,
}

/// Compares a result, stored in its dtype, with the expected values. `Ok(Err(..))` is the worst of the
/// elements that are beyond their bound.
pub fn compare(
    found: &TensorData,
    expected: &Evaluated<Bounded>,
) -> Result<std::result::Result<Found, Difference>> {
    let dtype = found.dtype();
    let numbers = found.clone().cast(if expected.kind == Kind::Float { DType::F64 } else { DType::I64 });
    let at = |index: usize| match numbers.storage() {
        Storage::F64(x) => Scalar::Float(x[index]),
        Storage::I64(x) => Scalar::Int(x[index]),
        Storage::F32(_) | Storage::F16(_) | Storage::BF16(_) => Scalar::Float(f64::NAN),
        Storage::I32(_) | Storage::U32(_) | Storage::U8(_) | Storage::Bool(_) => Scalar::Int(i64::MIN),
    };
    let mut total = Found::default();
    let mut worst: Option<(f64, Difference)> = None;
    for (index, expected) in expected.values.iter().enumerate() {
        if expected.is_free() {
            total.free += 1;
            continue;
        }
        total.bounded += 1;
        let (ratio, bound) = match (at(index), expected.value) {
            (Scalar::Float(found), Scalar::Float(value)) => float(found, value, expected.error, dtype),
            (found, value) => {
                (if stored(value, dtype)? == i64::from_scalar(found) { 0.0 } else { f64::INFINITY }, 0.0)
            }
        };
        total.ratio = total.ratio.max(ratio);
        if ratio > 1.0 && worst.as_ref().is_none_or(|(other, _)| ratio > *other) {
            let difference =
                Difference { index, found: at(index).as_f64(), expected: expected.value.as_f64(), bound };
            worst = Some((ratio, difference));
        }
    }
    Ok(worst.map_or(Ok(total), |(_, difference)| Err(difference)))
}

/// The ratio of error to bound, and the bound.
fn float(found: f64, value: f64, error: f64, dtype: DType) -> (f64, f64) {
    let format = Format::of(dtype);
    let rounds = dtype != dtype.compute();
    let bound =
        if value.is_finite() && rounds { error + format.ulp(value.abs() + error) / 2.0 } else { error };
    let same = found == value || (found.is_nan() && value.is_nan());
    if same {
        let other_zero = value == 0.0 && error == 0.0 && found.is_sign_negative() != value.is_sign_negative();
        return (if other_zero { f64::INFINITY } else { 0.0 }, bound);
    }
    // A number beyond the largest finite number is rounded to infinity.
    if found.is_infinite() && value.is_finite() {
        let reaches = value * found.signum() + error >= format.overflow();
        return (if reaches { 0.0 } else { f64::INFINITY }, bound);
    }
    let distance = (found - value).abs();
    let ratio = if distance.is_nan() { f64::INFINITY } else { distance / bound };
    (ratio, bound)
}

/// An int or bool as it is stored in a dtype.
fn stored(value: Scalar, dtype: DType) -> Result<i64> {
    let data = match value {
        Scalar::Bool(x) => TensorData::scalar(x),
        Scalar::Int(_) | Scalar::Float(_) => TensorData::scalar(i64::from_scalar(value)),
    };
    Ok(data.cast(dtype).cast(DType::I64).into_vec::<i64>()?[0])
}
