//! Scatters into tables so large that the indices are sorted first: short runs of equal indices, and runs of
//! many blocks. Values are whole numbers, so that results are exact in any order.
#![cfg(any(feature = "wgpu", feature = "cuda"))]

use crate::launches::counted;
use tensor_op::prelude::*;

const GPU: &str = if cfg!(feature = "cuda") { "cuda" } else { "wgpu" };

#[tensor_op(tests = false)]
fn of_rows(
    x: Tensor![n, d],
    ids: IntTensor![n],
    s: usize,
) -> (Tensor![s, d], Tensor![s, d], Tensor![s, d], Tensor![s, d]) {
    (
        scatter_add(x, n, s = ids),
        scatter_mul(x, n, s = ids),
        scatter_max(x, n, s = ids),
        scatter_min(x, n, s = ids),
    )
}

#[tensor_op(tests = false)]
fn of_ints(x: IntTensor![n, d], ids: IntTensor![n], s: usize) -> (IntTensor![d, s], IntTensor![d, s]) {
    (scatter_add(x, n, s = ids), scatter_mul(x, n, s = ids))
}

/// Each row of the batch has its own indices, and two dims are summed.
#[tensor_op(tests = false)]
fn of_batch(x: Tensor![b, n, d, m], ids: IntTensor![b, n, m], s: usize) -> Tensor![s, b, d] {
    scatter_add(x, (n, m), s = ids)
}

#[tensor_op(tests = false)]
fn sums(x: Tensor![n], ids: IntTensor![n], s: usize) -> Tensor![s] {
    scatter_add(x, n, s = ids)
}

#[tensor_op(tests = false)]
fn means(x: Tensor![n], ids: IntTensor![n], s: usize) -> Tensor![s] {
    scatter_mean(x, n, s = ids)
}

#[tensor_op(tests = false)]
fn by_two(x: Tensor![n], a: IntTensor![n], b: IntTensor![n], s: usize) -> (Tensor![s], Tensor![s]) {
    (scatter_add(x, n, s = a), scatter_add(x, n, s = b))
}

type Combine = fn(f32, f32) -> f32;

/// Indices of which some have most of the elements.
type Ids = fn(usize) -> usize;

const IDS: [(&str, Ids); 4] = [
    ("spread", |i| i * 7919 % 10_007),
    ("one", |_| 3),
    ("skewed", |i| [0, 1, 2, i % 20_000][i % 4]),
    ("in order", |i| i / 100),
];

fn check(count: usize, columns: usize, size: usize, (name, id): (&str, Ids)) -> Result<()> {
    let device = Device::new(GPU)?;
    let value = |i: usize| [1.0, -1.0, 2.0, 0.5, 1.0, -1.0, 1.0][i * 31 % 7];
    let values: Vec<f32> = (0..count * columns).map(value).collect();
    let ids: Vec<usize> = (0..count).map(|i| id(i) % size).collect();
    let x = Tensor::from_vec(values.clone(), [count, columns], &device)?;
    let index = ids.iter().map(|id| *id as i64).collect::<Vec<i64>>();
    let (sum, product, max, min) = of_rows(&x, Tensor::from_vec(index, [count], &device)?, size)?;
    let folds: [(Tensor, f32, Combine); 4] = [
        (sum, 0.0, |a, b| a + b),
        (product, 1.0, |a, b| a * b),
        (max, f32::NEG_INFINITY, f32::max),
        (min, f32::INFINITY, f32::min),
    ];
    for (found, identity, combine) in folds {
        let mut expected = vec![identity; size * columns];
        for (i, value) in values.iter().enumerate() {
            let place = ids[i / columns] * columns + i % columns;
            expected[place] = combine(expected[place], *value);
        }
        let found = found.to_vec::<f32>()?;
        let wrong = found.iter().zip(&expected).position(|(found, expected)| found != expected);
        let what = wrong.map(|at| (at, found[at], expected[at]));
        assert_eq!(what, None, "{count}x{columns} into {size}, {name}, from {identity}");
    }
    Ok(())
}

#[test]
fn runs_of_any_length() -> Result<()> {
    for ids in IDS {
        for columns in [1, 3, 8] {
            check(20_011, columns, 20_000, ids)?;
        }
    }
    check(5000, 64, 5000, IDS[0])?;
    check(4097, 1, 70_000, IDS[2])?;
    // More than a thousand blocks, and partial results of several levels.
    check(300_000, 1, 300_000, IDS[1])?;
    check(300_000, 2, 300_000, IDS[2])
}

#[test]
fn ints_and_indices_per_row() -> Result<()> {
    let (gpu, cpu) = (Device::new(GPU)?, Device::default());
    let on = |device: &Device| -> Result<Vec<Vec<f64>>> {
        let ints = |count: usize, by: usize, below: usize| (0..count).map(move |i| (i * by % below) as i64);
        let x: Vec<i64> = ints(9000 * 2, 31, 7).map(|x| x - 3).collect();
        let ids: Vec<i64> = ints(9000, 7919, 10_007).collect();
        let x = Tensor::from_vec(x, [9000, 2], device)?;
        let (sum, product) = of_ints(&x, Tensor::from_vec(ids, [9000], device)?, 10_007)?;
        let x: Vec<f32> = ints(3 * 2500 * 5 * 2, 37, 19).map(|x| x as f32 - 9.0).collect();
        let ids: Vec<i64> = ints(3 * 2500 * 2, 7919, 4999).map(|id| id.min(3000)).collect();
        let x = Tensor::from_vec(x, [3, 2500, 5, 2], device)?;
        let batch = of_batch(&x, Tensor::from_vec(ids, [3, 2500, 2], device)?, 5000)?;
        let numbers = |x: Tensor| x.cast(DType::F64)?.to_vec::<f64>();
        Ok(vec![numbers(sum)?, numbers(product)?, numbers(batch)?])
    };
    let (found, expected) = (on(&gpu)?, on(&cpu)?);
    for (found, expected) in found.iter().zip(&expected) {
        assert_eq!(found.iter().zip(expected).position(|(a, b)| a != b), None);
    }
    Ok(())
}

#[test]
fn an_index_out_of_range_is_an_error() -> Result<()> {
    let device = Device::new(GPU)?;
    for wrong in [-1, 20_000] {
        let mut ids: Vec<i64> = (0..20_000).collect();
        ids[777] = wrong;
        let x = Tensor::ones([20_000, 1], DType::F32, &device)?;
        let found = of_rows(&x, Tensor::from_vec(ids, [20_000], &device)?, 20_000);
        let error = found.and_then(|(sum, ..)| sum.to_vec::<f32>()).expect_err("an index is out of range");
        assert!(error.to_string().contains("`ids`: dim `s` has size 20000"), "{error}");
    }
    Ok(())
}

/// Sums of numbers that are rounded.
#[test]
fn the_same_bits_each_time() -> Result<()> {
    let device = Device::new(GPU)?;
    let values: Vec<f32> = (0..50_001).map(|i| (i as f32 * 0.618_034).fract() - 0.3).collect();
    let ids: Vec<i64> = (0..50_001).map(|i| i % 3 * 7).collect();
    let (x, ids) =
        (Tensor::from_vec(values, [50_001, 1], &device)?, Tensor::from_vec(ids, [50_001], &device)?);
    let run = || -> Result<Vec<u32>> {
        let sums = of_rows(&x, &ids, 50_000)?.0.to_vec::<f32>()?;
        Ok(sums.into_iter().map(f32::to_bits).collect())
    };
    let first = run()?;
    for _ in 0..3 {
        assert!(run()? == first);
    }
    let halves = DType::BF16;
    if device.supports_dtype(halves) {
        let x = x.cast(halves)?;
        let rounded = of_rows(&x, &ids, 50_000)?.0.cast(DType::F32)?.to_vec::<f32>()?;
        let exact = of_rows(x.cast(DType::F32)?, &ids, 50_000)?.0.to_vec::<f32>()?;
        let is_close = |(a, b): (&f32, &f32)| (a - b).abs() <= b.abs() / 256.0;
        assert!(exact[0] > 3000.0 && rounded.iter().zip(&exact).all(is_close), "{:?}", &rounded[..8]);
    }
    Ok(())
}

#[test]
fn a_mean_sorts_its_indices_once() -> Result<()> {
    let device = Device::new(GPU)?;
    let ids =
        Tensor::from_vec((0..20_000).map(|i| i * 7919 % 10_007).collect::<Vec<i64>>(), [20_000], &device)?;
    let x = Tensor::ones([20_000], DType::F32, &device)?;
    let (sums, of_sums) = counted(|| sums(&x, &ids, 10_007));
    let (means, of_means) = counted(|| means(&x, &ids, 10_007));
    // The sort alone has three kernels for each of its three digits.
    assert!(of_sums > 9 && of_means < of_sums + 9, "{of_sums} launches for sums, {of_means} for means");
    let expected = [(0..20_000).filter(|i| i * 7919 % 10_007 == 5).count() as f32, 1.0];
    assert_eq!([sums?, means?].map(|x| x.to_vec::<f32>().expect("numbers")[5]), expected);
    Ok(())
}

/// Two tensors of indices, and two parts of one.
#[test]
fn each_index_has_its_own_order() -> Result<()> {
    let ids: Vec<i64> = (0..40_000).map(|i| i * i % 10_007).collect();
    let on = |device: &Device| -> Result<Vec<Vec<f32>>> {
        let x = Tensor::from_vec((0..20_000).map(|i| (i % 7) as f32).collect(), [20_000], device)?;
        let all = Tensor::from_vec(ids.clone(), [40_000], device)?;
        let parts = [all.i(..20_000)?, all.i(20_000..)?];
        let (first, second) = by_two(&x, &parts[0], &parts[1], 10_007)?;
        let (third, fourth) = by_two(&x, &parts[1], &parts[0], 10_007)?;
        [first, second, third, fourth].iter().map(Tensor::to_vec).collect()
    };
    let (found, expected) = (on(&Device::new(GPU)?)?, on(&Device::default())?);
    assert!(found == expected && expected[0] != expected[1]);
    Ok(())
}
