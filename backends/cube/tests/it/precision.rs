//! Which factors of matrix products are rounded.
#![cfg(feature = "wgpu")]

use tensor_op::prelude::*;
use tensor_op::tensor_op;
use tensor_op_core::f16;

/// A product with a computed factor.
#[tensor_op(tests = false)]
fn gated(a: Tensor![m, k], gate: Tensor![m, k], b: Tensor![k, n]) -> Tensor![m, n] {
    sum(a * gate * b, k)
}

/// The same product, with all digits of its factor.
#[tensor_op(tests = false)]
#[precision(highest)]
fn gated_exactly(a: Tensor![m, k], gate: Tensor![m, k], b: Tensor![k, n]) -> Tensor![m, n] {
    sum(a * gate * b, k)
}

/// The computed factor is also a result, and another kernel reads it.
#[tensor_op(tests = false)]
fn gated_and_kept(
    a: Tensor![m, k],
    gate: Tensor![m, k],
    b: Tensor![k, n],
) -> (Tensor![m, n], Tensor![m, k], Tensor![m]) {
    let factor = a * gate;
    (sum(factor * b, k), factor, sum(factor, k))
}

/// As written this is no product of matrices: the sign is moved out of the sum.
#[tensor_op]
fn negated(x: Tensor![m, k], w: Tensor![k, n]) -> Tensor![m, n] {
    sum(-(exp(x) * w), k)
}

/// Rows of `[x, y, 0, 0, ..]`.
fn rows(shape: [usize; 2], first: [f32; 2], device: &Device) -> Result<Tensor> {
    let mut numbers = vec![f16::ZERO; shape[0] * shape[1]];
    for row in numbers.chunks_mut(shape[1]) {
        row[..2].copy_from_slice(&first.map(f16::from_f32));
    }
    Tensor::from_vec(numbers, shape, device)
}

/// The factors in the first columns are `(1 + d)^2 = 1 + 2 d + d^2`, of which a half keeps `1 + 2 d`, and
/// `1 + 2 d`. They are multiplied by 1024 and -1024, so that the products are `1024 d^2 = d` or zero.
fn check(
    k: usize,
    product: impl Fn(&Tensor, &Tensor, &Tensor) -> Result<Tensor>,
    expected: f32,
) -> Result<()> {
    let device = Device::new("wgpu")?;
    let d = 1.0 / 1024.0;
    let a = rows([33, k], [1.0 + d, 1.0 + 2.0 * d], &device)?;
    let gate = rows([33, k], [1.0 + d, 1.0], &device)?;
    let b = rows([40, k], [1024.0, -1024.0], &device)?.transpose(0, 1)?;
    let found = product(&a, &gate, &b)?.to_vec::<f16>()?;
    assert!(found.iter().all(|x| x.to_f32() == expected), "{:?}, not {expected}", &found[..3]);
    Ok(())
}

#[test]
fn computed_factors_of_halves_are_halves() -> Result<()> {
    let d = 1.0 / 1024.0;
    // As rows, and as matrices of the library.
    for k in [2, 48] {
        check(k, |a, gate, b| gated(a, gate, b), 0.0)?;
        check(k, |a, gate, b| Ok(gated_and_kept(a, gate, b)?.0), 0.0)?;
        check(k, |a, gate, b| gated_exactly(a, gate, b), d)?;
        // What is summed is not rounded before: the total is `2 + 4 d + d^2`.
        check(k, |a, gate, b| Ok(gated_and_kept(a, gate, b)?.2), 2.0 + 4.0 * d)?;
    }
    Ok(())
}
