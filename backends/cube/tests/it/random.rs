//! Random numbers on a GPU: the same bits as on the CPU, whatever the vectors, strides and seeds are.
#![cfg(any(feature = "wgpu", feature = "cuda"))]

use tensor_op::prelude::*;

const GPU: &str = if cfg!(feature = "cuda") { "cuda" } else { "wgpu" };

#[tensor_op(tests = false)]
fn rows(m: usize, n: usize, seed: i64) -> Tensor![m, n] {
    uniform(seed, (m, n))
}

/// The position moves along the first dim, so that no lanes of a vector are neighbours.
#[tensor_op(tests = false)]
fn columns(m: usize, n: usize, seed: i64) -> Tensor![m, n] {
    uniform(seed, (n, m))
}

/// Vectors start inside of the words of a counter.
#[tensor_op(tests = false)]
fn shifted(m: usize, n: usize, seed: i64) -> Tensor![m, n] {
    random(seed, 3, iota((m, n)) + 1)
}

#[tensor_op(tests = false)]
fn far(m: usize, n: usize, seed: i64) -> Tensor![m, n] {
    random(seed, -1, iota((m, n)) * 1_000_000_007 - 5_000_000_000)
}

/// Each element has its own seed.
#[tensor_op(tests = false)]
fn seeds(m: usize, n: usize, seed: i64) -> Tensor![m, n] {
    uniform(seed + iota(n), m)
}

#[tensor_op(tests = false)]
fn dropped(m: usize, n: usize, seed: i64) -> Tensor![m, n] {
    dropout(uniform(seed, (m, n), stream = 1), 0.3, seed)
}

/// Two passes over a row draw the same numbers.
#[tensor_op(tests = false)]
fn below_the_largest(m: usize, n: usize, seed: i64) -> Tensor![m, n] {
    let drawn = uniform(seed, (m, n));
    max(drawn, n) - drawn
}

const SHAPES: &[[usize; 2]] = &[[1, 1], [3, 8], [5, 7], [4, 2], [1, 4099], [300, 260], [0, 3]];

type Function = fn(usize, usize, i64, DType, &Device) -> Result<Tensor>;

const FUNCTIONS: &[(&str, Function)] = &[
    ("rows", rows),
    ("columns", columns),
    ("shifted", shifted),
    ("far", far),
    ("seeds", seeds),
    ("dropped", dropped),
    ("below_the_largest", below_the_largest),
];

#[test]
fn numbers_are_those_of_the_cpu() -> Result<()> {
    let (cpu, gpu) = (Device::default(), Device::new(GPU)?);
    let cases = [(DType::F32, 7), (DType::F32, -1), (DType::F16, i64::MAX - 5), (DType::F64, 1 << 40)];
    for (dtype, seed) in cases {
        for [m, n] in SHAPES {
            for (name, function) in FUNCTIONS {
                let values = |device| -> Result<Vec<f64>> {
                    function(*m, *n, seed, dtype, device)?.to_data()?.cast(DType::F64).into_vec()
                };
                assert_eq!(values(&gpu)?, values(&cpu)?, "{name} {dtype} of {seed}, {m} x {n}");
            }
        }
    }
    Ok(())
}
