//! Draws that are measured: ops of the catalogue, and formulas that contain them.

use tensor_op::catalogue::random;
use tensor_op::prelude::*;

pub(crate) fn dropout(x: &Tensor, _: &Tensor) -> Result<Tensor> {
    random::dropout(x, 0.1, None)
}

#[tensor_op(tests = false)]
fn gelu_then_dropout(x: Tensor, seed: Seed) -> Tensor {
    dropout(gelu(x), 0.1, seed)
}

pub(crate) fn gelu_dropout(x: &Tensor, _: &Tensor) -> Result<Tensor> {
    gelu_then_dropout(x, None)
}

#[tensor_op(tests = false)]
fn dropout_then_norm(x: Tensor![.., n], residual: Tensor![.., n], seed: Seed) -> Tensor![.., n] {
    let y = residual + dropout(x, 0.1, seed);
    let centered = y - mean(y, n);
    centered * rsqrt(mean(square(centered), n) + 1e-5)
}

/// The end of a block of a transformer.
pub(crate) fn dropout_add_norm(x: &Tensor, residual: &Tensor) -> Result<Tensor> {
    dropout_then_norm(x, residual, None)
}

pub(crate) fn channel_dropout(x: &Tensor, _: &Tensor) -> Result<Tensor> {
    random::feature_dropout(x, 0.1, None)
}

pub(crate) fn noise(x: &Tensor, std: &Tensor) -> Result<Tensor> {
    random::normal(x, std, None)
}

pub(crate) fn gumbel(x: &Tensor, _: &Tensor) -> Result<Tensor> {
    random::gumbel_softmax(x, 1.0, None, -1, None)
}

pub(crate) fn attention_dropout(q: &Tensor, k: &Tensor, v: &Tensor) -> Result<Tensor> {
    random::attention_with_dropout(q, k, v, 0.1, None)
}
