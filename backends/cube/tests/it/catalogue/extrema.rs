//! Indices of extrema of few long rows, each of which many cubes share.

use super::{Gpu, gpu};
use tensor_op::backend::{Backend, Fold};
use tensor_op::prelude::*;
use tensor_op::{NdArray, TensorData};

/// Both indices of the extrema of rows of `fill`, with some elements others, are the CPU's.
fn extrema_are_found(shape: [usize; 2], fill: f64, others: &[(usize, f64)], dtype: DType) {
    if !Gpu::supports_dtype(&Default::default(), dtype) {
        return;
    }
    let mut elements = vec![fill; shape[0] * shape[1]];
    others.iter().for_each(|(at, value)| elements[*at] = *value);
    let data = TensorData::new(elements, shape).expect("as many as the shape says").cast(dtype);
    for fold in [Fold::ArgMax, Fold::ArgMin] {
        let on_cpu = NdArray::from_data(data.clone(), &Default::default());
        let expected = on_cpu.and_then(|x| NdArray::into_data(NdArray::reduce(fold, x, &[1])?));
        let found = Gpu::into_data(Gpu::reduce(fold, gpu(data.clone()), &[1]).expect("runs"));
        let what = format!("{fold:?} of {shape:?} {dtype}: {fill} and {others:?}");
        assert_eq!(found.expect("readable"), expected.expect("runs"), "{what}");
    }
}

/// Long enough for many parts, with an odd tail, or one that vectors fit.
const ROWS: [[usize; 2]; 4] = [[1, 70_001], [1, 300_032], [2, 131_072], [3, 65_540]];

#[test]
fn of_equal_extrema_the_first_is_found() {
    for shape in ROWS {
        let [_, n] = shape;
        for fill in [0.0, f64::INFINITY, f64::NEG_INFINITY, f64::NAN] {
            extrema_are_found(shape, fill, &[], DType::F32);
        }
        extrema_are_found(
            shape,
            0.0,
            &[(n / 2, 5.0), (n - 1, 5.0), (n / 3, -5.0), (n / 5 * 4, -5.0)],
            DType::F32,
        );
        extrema_are_found(shape, 1.0, &[(n / 4, 0.0), (n / 2, -0.0)], DType::F32);
        extrema_are_found(shape, -1.0, &[(n / 4, -0.0), (n / 2, 0.0)], DType::F32);
    }
}

#[test]
fn extrema_in_any_part_are_found() {
    for shape in ROWS {
        let [_, n] = shape;
        for at in [0, 1, n / 7, n / 2 + 3, n - 2, n - 1] {
            extrema_are_found(shape, 0.0, &[(at, 1.0)], DType::F32);
            extrema_are_found(shape, 0.0, &[(at, -1.0)], DType::F32);
        }
    }
}

#[test]
fn nan_in_a_later_part_is_the_extremum() {
    for shape in ROWS {
        let [_, n] = shape;
        let infinities = [(3, f64::INFINITY), (5, f64::NEG_INFINITY)];
        extrema_are_found(shape, 0.0, &[infinities[0], infinities[1], (n - 1, f64::NAN)], DType::F32);
        extrema_are_found(
            shape,
            0.0,
            &[infinities[0], infinities[1], (n / 2, f64::NAN), (n - 2, f64::NAN)],
            DType::F32,
        );
        extrema_are_found(shape, f64::NEG_INFINITY, &[(n - 1, f64::NAN)], DType::F32);
    }
}

#[test]
fn extrema_of_any_dtype() {
    for dtype in [DType::F64, DType::F16, DType::BF16, DType::I64, DType::I32, DType::U8] {
        extrema_are_found(
            [1, 100_003],
            7.0,
            &[(60_000, 9.0), (100_002, 9.0), (50_000, 3.0), (70_000, 3.0)],
            dtype,
        );
    }
    // What folds over nothing start from.
    for limit in [i32::MIN, i32::MAX] {
        extrema_are_found([1, 100_003], f64::from(limit), &[], DType::I32);
        extrema_are_found([2, 100_003], f64::from(limit), &[(99_999, 0.0)], DType::I32);
    }
}

/// Axes that do not lie next to each other are counted in their order.
#[test]
fn extrema_over_several_axes() -> Result<()> {
    let data = TensorData::new(
        (0..300 * 2 * 301).map(|i| (i * 31 % 5003) as f32).collect::<Vec<_>>(),
        [300, 2, 301],
    )?;
    for fold in [Fold::ArgMax, Fold::ArgMin] {
        let cpu = NdArray::reduce(fold, NdArray::from_data(data.clone(), &Default::default())?, &[0, 2])?;
        let found = Gpu::into_data(Gpu::reduce(fold, gpu(data.clone()), &[0, 2])?)?;
        assert_eq!(found, NdArray::into_data(cpu)?, "{fold:?}");
    }
    Ok(())
}
