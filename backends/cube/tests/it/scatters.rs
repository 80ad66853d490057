//! Scatters by several indices, of ints, and the different values of a tensor, beside the CPU. Values are
//! whole numbers, so that results are exact in any order.
#![cfg(any(feature = "wgpu", feature = "cuda"))]

use tensor_op::catalogue::segments::index_put_add;
use tensor_op::prelude::*;
use tensor_op::{unique, unique_consecutive};

const GPU: &str = if cfg!(feature = "cuda") { "cuda" } else { "wgpu" };

fn numbers(count: usize, by: usize, below: usize) -> impl Iterator<Item = i64> {
    (0..count).map(move |i| (i * by % below) as i64)
}

/// What a function gives on the GPU is what it gives on the CPU, in each of its tensors.
#[track_caller]
fn as_on_the_cpu(f: impl Fn(&Device) -> Result<Vec<Tensor>>) -> Result<()> {
    let (found, expected) = (f(&Device::new(GPU)?)?, f(&Device::default())?);
    for (at, (found, expected)) in found.iter().zip(&expected).enumerate() {
        assert_eq!((found.dtype(), found.shape()), (expected.dtype(), expected.shape()), "{at}");
        let bits = |x: &Tensor| -> Result<Vec<u64>> {
            let is_int = matches!(x.dtype(), DType::I64 | DType::I32 | DType::U32 | DType::U8);
            Ok(match is_int {
                true => x.to_vec::<i64>()?.iter().map(|x| *x as u64).collect(),
                false => {
                    x.cast(DType::F32)?.to_vec::<f32>()?.iter().map(|x| u64::from(x.to_bits())).collect()
                }
            })
        };
        let (found, expected) = (bits(found)?, bits(expected)?);
        assert_eq!(found.iter().zip(&expected).position(|(a, b)| a != b), None, "{at}");
    }
    Ok(())
}

#[tensor_op(tests = false)]
fn of_pairs(
    x: Tensor![n, d],
    i: IntTensor![n],
    j: IntTensor![n],
    s: usize,
    t: usize,
) -> (Tensor![s, t, d], Tensor![t, d, s], Tensor![s, d, t]) {
    (scatter_add(x, n, s = i, t = j), scatter_max(x, n, s = i, t = j), scatter_mean(x, n, s = i, t = j))
}

#[test]
fn several_indices() -> Result<()> {
    for (count, size) in [(1000, 30), (9000, 120)] {
        as_on_the_cpu(|device| {
            let x = numbers(count * 3, 31, 17).map(|x| x as f32 - 8.0).collect();
            let x = Tensor::from_vec(x, [count, 3], device)?.require_grad();
            let ids = |by: usize| Tensor::from_vec(numbers(count, by, size).collect(), [count], device);
            let (sum, max, mean) = of_pairs(&x, ids(7919)?, ids(101)?, size, size)?;
            let total = (&sum * &sum)?;
            let gradients = total.backward_with(&total.ones_like()?)?;
            let gradient = gradients.get(&x).expect("tracked").clone();
            let mean = (mean * Tensor::scalar(720.0_f32, device)?)?;
            Ok(vec![sum, max, gradient, mean])
        })?;
    }
    Ok(())
}

#[test]
fn one_of_several_indices_out_of_range_is_an_error() -> Result<()> {
    let device = Device::new(GPU)?;
    let x = Tensor::ones([4, 5], DType::F32, &device)?;
    let value = Tensor::ones([3], DType::F32, &device)?;
    for (i, j, words) in [(1, 5, "`t` has size 5"), (1, -1, "`t` has size 5"), (4, 0, "`s` has size 4")] {
        let ids = |at: i64| Tensor::from_vec(vec![0, at, 1], [3], &device);
        let found = index_put_add(&x, ids(i)?, ids(j)?, &value).and_then(|x| x.to_vec::<f32>());
        let error = found.expect_err("an index is out of range").to_string();
        assert!(error.contains(words), "{error}");
    }
    Ok(())
}

#[tensor_op(tests = false)]
fn sorted(x: Tensor![m, n, d], k: usize) -> (Tensor![d, m, n], Tensor![m, k, d]) {
    (sort(x, n), sort(x, n, first = k, descending = true))
}

/// Gradients that are moved to where the elements came from: permutations, and the first of a row.
#[test]
fn gradients_of_sorts() -> Result<()> {
    for shape in [[1, 1, 1], [700, 9, 1], [40, 33, 3], [2, 5000, 1], [1, 70_000, 1], [0, 4, 1], [3, 0, 1]] {
        let (count, k) = (shape.iter().product(), shape[1].min(5));
        for result in [0, 1] {
            as_on_the_cpu(|device| {
                let x = numbers(count, 7919, 10_007).map(|x| x as f32).collect();
                let x = Tensor::from_vec(x, shape, device)?.require_grad();
                let (all, first) = sorted(&x, k)?;
                let chosen = [all, first][result].clone();
                let count = chosen.elements();
                let seeds = numbers(count, 31, 127).map(|x| if x == 3 { -0.0 } else { x as f32 - 60.0 });
                let seeds = Tensor::from_vec(seeds.collect(), chosen.shape().to_vec(), device)?;
                let gradients = chosen.backward_with(&seeds)?;
                Ok(vec![gradients.get(&x).expect("tracked").clone()])
            })?;
        }
    }
    Ok(())
}

#[tensor_op(tests = false)]
fn extremes(x: IntTensor![n, d], ids: IntTensor![n], s: usize) -> (IntTensor![s, d], IntTensor![d, s]) {
    (scatter_max(x, n, s = ids), scatter_min(x, n, s = ids))
}

/// Few and many places, of which some have no element.
#[test]
fn extremes_of_ints() -> Result<()> {
    for dtype in [DType::I64, DType::I32, DType::U32, DType::U8] {
        for (count, size) in [(50, 7), (20_000, 3), (9000, 10_007)] {
            as_on_the_cpu(|device| {
                let big = if dtype == DType::I64 { (1 << 62) - 100 } else { 0 };
                let x = numbers(count * 2, 31, 127).map(|x| x * (big / 200).max(1) + big / 2).collect();
                let x = Tensor::from_vec(x, [count, 2], device)?.cast(dtype)?;
                let ids = numbers(count, 7919, 10_007).map(|id| id % size as i64).collect();
                let (max, min) = extremes(x, Tensor::from_vec(ids, [count], device)?, size + 1)?;
                Ok(vec![max, min])
            })?;
        }
    }
    Ok(())
}

#[test]
fn different_values() -> Result<()> {
    for count in [0, 1, 7, 3000, 70_000] {
        for dtype in [DType::F32, DType::F16, DType::I64, DType::I32, DType::U8, DType::Bool] {
            as_on_the_cpu(|device| {
                let x = numbers(count, 7919, 10_007).map(|x| (x / 100 % 3 * 50) as f32 - (x % 3) as f32);
                let x = Tensor::from_vec(x.map(f32::abs).collect(), [count], device)?.cast(dtype)?;
                let (sorted, runs) = (unique(&x)?, unique_consecutive(&x)?);
                Ok(vec![sorted.values, sorted.inverse, sorted.counts, runs.values, runs.inverse, runs.counts])
            })?;
        }
    }
    Ok(())
}
