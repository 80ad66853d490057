//! Scans of all lengths: rows that lie beside each other, rows of one tile, and rows of many. Expected values
//! are the CPU's.
#![cfg(any(feature = "wgpu", feature = "cuda"))]

use tensor_op::prelude::*;

const GPU: &str = if cfg!(feature = "cuda") { "cuda" } else { "wgpu" };

#[tensor_op(tests = false)]
fn rows(x: Tensor![m, n]) -> Tensor![m, n] {
    cumsum(x, n)
}

#[tensor_op(tests = false)]
fn rows_from_the_end(x: Tensor![m, n]) -> Tensor![m, n] {
    cumsum(x, n, reverse = true)
}

#[tensor_op(tests = false)]
fn columns(x: Tensor![m, n]) -> Tensor![m, n] {
    cumsum(x, m)
}

#[tensor_op(tests = false)]
fn largest(x: Tensor![m, n]) -> Tensor![m, n] {
    cummax(x, n)
}

/// Signs.
#[tensor_op(tests = false)]
fn products(x: Tensor![m, n]) -> Tensor![m, n] {
    cumprod(select(x > 0.0, 1.0, -1.0), n)
}

/// From what is no number on, nothing is the smallest.
#[tensor_op(tests = false)]
fn smallest(x: Tensor![m, n]) -> Tensor![m, n] {
    let found = cummin(select(x > 4.9999, NAN, select(x < -2.9, -INFINITY, x)), n);
    select(is_nan(found), 100.0, maximum(found, -50.0))
}

/// Factors around one half.
#[tensor_op(tests = false)]
fn recurrence(x: Tensor![m, n]) -> Tensor![m, n] {
    linear_recurrence(sigmoid(x), x, n, reverse = true)
}

/// What is counted so far.
#[tensor_op(tests = false)]
fn counts(x: Tensor![m, n]) -> Tensor![m, n] {
    cast(cumsum(select(x > 0.0, 1, 0), n), float)
}

/// Around the tiles of the kernel, and around the number of rows from which each has a unit of its own. Long
/// rows are several pieces.
const SHAPES: &[[usize; 2]] = &[
    [1, 1],
    [3, 8],
    [3, 9],
    [2, 2047],
    [2, 2048],
    [3, 2049],
    [1, 100_003],
    [1, 262_144],
    [2, 600_001],
    [40, 33_000],
    [5000, 3],
    [300, 260],
    [4, 5000],
];

type Function = fn(&Tensor) -> Result<Tensor>;

/// Of the largest result.
const ROUNDED: f32 = 2e-5;
const EXACT: f32 = 0.0;

const FUNCTIONS: &[(&str, Function, f32)] = &[
    ("rows", |x| rows(x), ROUNDED),
    ("rows_from_the_end", |x| rows_from_the_end(x), ROUNDED),
    ("columns", |x| columns(x), ROUNDED),
    ("largest", |x| largest(x), EXACT),
    ("products", |x| products(x), EXACT),
    ("smallest", |x| smallest(x), EXACT),
    ("recurrence", |x| recurrence(x), ROUNDED),
    ("counts", |x| counts(x), EXACT),
];

#[test]
fn scans_of_all_lengths_are_those_of_the_cpu() {
    let devices = [Device::default(), Device::new(GPU).expect("a GPU, or a processor that poses as one")];
    for shape in SHAPES {
        let count = shape[0] * shape[1];
        let elements: Vec<f32> = (0..count).map(|i| (i as f32 * 0.618_034).fract() * 8.0 - 3.0).collect();
        for (name, function, error) in FUNCTIONS {
            let [cpu, gpu] = devices.map(|device| {
                let x = Tensor::from_vec(elements.clone(), *shape, &device).expect("as many elements");
                function(&x).and_then(|y| y.to_vec::<f32>()).unwrap_or_else(|error| panic!("{name}: {error}"))
            });
            let largest = cpu.iter().fold(0.0_f32, |most, x| most.max(x.abs()));
            for (at, (expected, found)) in cpu.iter().zip(&gpu).enumerate() {
                let is_near = (expected - found).abs() <= error * largest;
                assert!(is_near, "{name} of {shape:?} at {at}: {found}, and {expected} on the CPU");
            }
        }
    }
}

/// The product of the factors of a long row overflows, and its results don't.
#[tensor_op(tests = false)]
fn growth(x: Tensor![m, n]) -> Tensor![m, n] {
    linear_recurrence(1.02, x, n)
}

#[test]
fn factors_may_overflow_where_results_are_zero() {
    let devices = [Device::default(), Device::new(GPU).expect("a GPU, or a processor that poses as one")];
    for device in devices {
        let mut elements = vec![0.0_f32; 300_000];
        elements[299_998] = 1.0;
        let x = Tensor::from_vec(elements, [1, 300_000], &device).expect("as many elements");
        let found = growth(&x).and_then(|y| y.to_vec::<f32>()).expect("it runs");
        assert!(found[..299_998].iter().all(|y| *y == 0.0));
        assert_eq!(found[299_998..], [1.0, 1.02]);
    }
}
