//! Checks `gather` and `scatter_add` of the backend directly: with indices of every int dtype, and that sums
//! are the same each time.

use super::moved::tabulate;
use super::values::{elements, same, scalar};
use super::{Function, Suite};
use crate::claims::bits;
use crate::place::{Layout, place};
use crate::random::Random;
use tensor_op_core::{Backend, DType, Dynamic, Element, Result, Shape, TensorData};
use tensor_op_spec::ir::{Kind, Scalar};

/// Runs the cases of elements of one dtype.
pub(super) fn run(suite: &mut Suite, dtype: DType) {
    let device = suite.device;
    for int in [DType::I64, DType::I32, DType::U32, DType::U8] {
        if Dynamic::supports_dtype(&device, int) {
            gathers(suite, dtype, int);
            if dtype.kind() != Kind::Bool {
                scatters(suite, dtype, int);
            }
        }
    }
    if dtype.kind() == Kind::Float {
        repeats(suite, dtype);
    }
}

/// `out[i, j] = tensor[index[i, j], j]`.
fn gathers(suite: &mut Suite, dtype: DType, int: DType) {
    let device = suite.device;
    suite.check(Function::Gather, dtype, format!("index {int}"), || {
        let data = elements(dtype, &Shape::new(&[5, 3]), 1)?;
        let index = TensorData::new((0..12).map(|i| i * 7 % 5).collect::<Vec<i64>>(), [4, 3])?.cast(int);
        let expected = tabulate(dtype, &Shape::new(&[4, 3]), |point| {
            scalar(&data, &[i64::from_scalar(scalar(&index, point)) as usize, point[1]])
        })?;
        let placed = place(data, &device, Layout::Contiguous)?;
        let found = Dynamic::gather(placed, 0, place(index, &device, Layout::Contiguous)?)?;
        Ok(same(&Dynamic::into_data(found)?, &expected))
    });
}

/// `out[index[i, j], j] += source[i, j]`, with numbers whose sums are exact.
fn scatters(suite: &mut Suite, dtype: DType, int: DType) {
    let device = suite.device;
    suite.check(Function::ScatterAdd, dtype, format!("index {int}"), || {
        let small: Vec<i64> = (0..12).collect();
        let source = TensorData::new(small.clone(), [4, 3])?.cast(dtype);
        let index = TensorData::new(small.iter().map(|i| i * 7 % 5).collect::<Vec<_>>(), [4, 3])?.cast(int);
        let mut sums = [[0; 3]; 5];
        small.iter().for_each(|i| sums[(i * 7 % 5) as usize][(i % 3) as usize] += i);
        let expected = tabulate(dtype, &Shape::new(&[5, 3]), |point| Scalar::Int(sums[point[0]][point[1]]))?;
        let placed = place(source, &device, Layout::Contiguous)?;
        let found = Dynamic::scatter_add(placed, 0, place(index, &device, Layout::Contiguous)?, 5)?;
        Ok(same(&Dynamic::into_data(found)?, &expected))
    });
}

/// Sums of many floats. They must be rounded in the same order each time.
fn repeats(suite: &mut Suite, dtype: DType) {
    const ROWS: usize = 5000;
    let device = suite.device;
    suite.check(Function::ScatterAdd, dtype, "the same bits each time", || {
        let mut random = Random::new(&[1]);
        let source: Vec<f64> = (0..2 * ROWS).map(|_| random.unit() - 0.3).collect();
        let source = TensorData::new(source, [ROWS, 2])?.cast(dtype);
        let index = TensorData::new((0..2 * ROWS as i64).map(|i| i * 7 % 3).collect::<Vec<_>>(), [ROWS, 2])?;
        let run = || -> Result<Vec<u64>> {
            let placed = place(source.clone(), &device, Layout::Contiguous)?;
            let sums =
                Dynamic::scatter_add(placed, 0, place(index.clone(), &device, Layout::Contiguous)?, 3)?;
            Ok(bits(&Dynamic::into_data(sums)?))
        };
        let first = run()?;
        for _ in 0..5 {
            if run()? != first {
                return Ok(Err("sums differ from call to call".to_string()));
            }
        }
        Ok(Ok(()))
    });
}
