//! Elements for the cases, and the comparison of two tensors.

use tensor_op_core::{DType, Element, Result, Shape, Storage, TensorData, match_dtype};
use tensor_op_spec::ir::{Kind, Scalar};

/// A tensor whose elements differ from their neighbours; tensors of one case get different seeds.
pub(super) fn elements(dtype: DType, shape: &Shape, seed: usize) -> Result<TensorData> {
    let count = shape.elements()?;
    let value = |i: usize| match dtype.kind() {
        Kind::Float => Scalar::Float(((i * 7 + seed) % 251) as f64 / 4.0 - 20.0),
        Kind::Int => Scalar::Int(((i * 7 + seed) % 251) as i64),
        Kind::Bool => Scalar::Bool((i % 3 * (i % 3) + seed).is_multiple_of(3)),
    };
    match_dtype!(dtype, T => TensorData::new((0..count).map(value).map(T::from_scalar).collect(), shape.clone()))
}

/// The element at a point.
pub(super) fn scalar(data: &TensorData, point: &[usize]) -> Scalar {
    fn get<T: Element>(elements: &[T], at: usize) -> Scalar {
        elements[at].to_scalar()
    }
    let at = data.shape().strides().iter().zip(point).map(|(stride, i)| stride * i).sum();
    match data.storage() {
        Storage::F64(x) => get(x, at),
        Storage::F32(x) => get(x, at),
        Storage::F16(x) => get(x, at),
        Storage::BF16(x) => get(x, at),
        Storage::I64(x) => get(x, at),
        Storage::I32(x) => get(x, at),
        Storage::U32(x) => get(x, at),
        Storage::U8(x) => get(x, at),
        Storage::Bool(x) => get(x, at),
    }
}

/// All points of a shape, row-major.
pub(super) fn points(shape: &Shape) -> Vec<Vec<usize>> {
    shape.iter().fold(vec![vec![]], |points: Vec<Vec<usize>>, size| {
        let extend = |point: &Vec<usize>| {
            let point = point.clone();
            (0..*size).map(move |i| [point.as_slice(), &[i]].concat())
        };
        points.iter().flat_map(extend).collect()
    })
}

/// Whether two tensors have the same bits, except for the payload of a NaN; `Err` says where they differ.
pub(super) fn same(found: &TensorData, expected: &TensorData) -> std::result::Result<(), String> {
    if found.dtype() != expected.dtype() {
        return Err(format!("the result is {}, not {}", found.dtype(), expected.dtype()));
    }
    if found.shape() != expected.shape() {
        return Err(format!("the shape is {}, not {}", found.shape(), expected.shape()));
    }
    for point in points(expected.shape()) {
        let (found, expected) = (scalar(found, &point), scalar(expected, &point));
        let both_nan =
            matches!((found, expected), (Scalar::Float(a), Scalar::Float(b)) if a.is_nan() && b.is_nan());
        if found != expected && !both_nan {
            return Err(format!("element {point:?} is {found}, not {expected}"));
        }
    }
    Ok(())
}
