//! Second derivatives in two ways: the gradient of forward mode, and the gradient of the gradient. The ops
//! have rules that read their results. The two ways differentiate these rules differently.

use tensor_op::catalogue::nn::{layer_norm, silu_mul};
use tensor_op::prelude::*;
use tensor_op::{grad, hessian_vector_product, jvp};

/// The op has a rule for one of two inputs, which reads the result.
#[tensor_op]
#[grad(x = grad * (y / (norm(x, n) * norm(y, n)) - out * x / sum(x * x, n)))]
fn cosine(x: Tensor![m, n], y: Tensor![n]) -> Tensor![m] {
    sum(x * y, n) / (norm(x, n) * norm(y, n))
}

/// The rule depends only on the result.
#[tensor_op]
#[grad(x = grad * out * (1.0 - out))]
fn logistic(x: Tensor) -> Tensor {
    recip(1.0 + exp(-x))
}

#[tensor_op]
fn soft(x: Tensor![.., n]) -> Tensor![.., n] {
    softmax(x, n)
}

fn varied(shape: &[usize], seed: usize) -> Tensor {
    let elements = (0..shape.iter().product()).map(|i| ((i * 11 + seed * 17) as f64 * 0.41).sin() + 0.3);
    Tensor::from_vec(elements.collect::<Vec<f64>>(), shape, &Device::default()).unwrap()
}

/// Checks derivatives of the squares of the results, so that gradients depend on the results.
fn check(name: &str, inputs: &[Tensor], f: impl Fn(&[Tensor]) -> Result<Tensor> + Copy) -> Result<()> {
    let squares = move |x: &[Tensor]| {
        let y = f(x)?;
        &y * &y
    };
    let directions: Vec<Tensor> =
        inputs.iter().enumerate().map(|(at, x)| varied(&x.shape(), 7 + at)).collect();
    let expected = hessian_vector_product(squares, inputs, &directions)?;
    let along = |x: &[Tensor]| Ok(jvp(squares, x, &directions)?.1);
    for (at, (found, expected)) in grad(along)(inputs)?.iter().zip(&expected).enumerate() {
        for (found, expected) in found.to_vec::<f64>()?.iter().zip(expected.to_vec::<f64>()?) {
            let close = (found - expected).abs() <= 1e-10 * (1.0 + expected.abs());
            assert!(close, "{name}: input {at}: {found} reverse over forward, {expected} in reverse twice");
        }
    }
    Ok(())
}

#[test]
fn both_ways_agree() -> Result<()> {
    for (m, n) in [(1, 1), (1, 3), (4, 5)] {
        let rows = || varied(&[m, n], 1);
        check("cosine", &[rows(), varied(&[n], 2)], |x| cosine(&x[0], &x[1]))?;
        check("logistic", &[rows()], |x| logistic(&x[0]))?;
        check("softmax", &[rows()], |x| soft(&x[0]))?;
        check("silu_mul", &[rows(), varied(&[m, n], 3)], |x| silu_mul(&x[0], &x[1]))?;
        check("layer_norm", &[rows(), varied(&[n], 4), varied(&[n], 5)], |x| {
            layer_norm(&x[0], &x[1], &x[2], 1e-5)
        })?;
    }
    Ok(())
}
