//! Scans that are measured: ops of the catalogue.

use tensor_op::catalogue::scan;
use tensor_op::prelude::*;

/// Along the last axis.
pub(crate) fn cumsum(x: &Tensor, _: &Tensor) -> Result<Tensor> {
    scan::cumsum(x, -1)
}

/// Along the first axis: columns lie beside each other in memory.
pub(crate) fn cumsum_columns(x: &Tensor, _: &Tensor) -> Result<Tensor> {
    scan::cumsum(x, 0)
}

pub(crate) fn cumprod(x: &Tensor, _: &Tensor) -> Result<Tensor> {
    scan::cumprod(x, -1)
}

pub(crate) fn cummax(x: &Tensor, _: &Tensor) -> Result<Tensor> {
    Ok(scan::cummax(x, -1)?.0)
}

pub(crate) fn logcumsumexp(x: &Tensor, _: &Tensor) -> Result<Tensor> {
    scan::logcumsumexp(x, -1)
}

/// A state-space model with selection, as in Mamba: the state of each channel has the dim `s`.
#[tensor_op(tests = false)]
pub(crate) fn selective(
    u: Tensor![n, t, d],
    delta: Tensor![n, t, d],
    a: Tensor![d, s],
    b: Tensor![n, t, s],
    c: Tensor![n, t, s],
) -> Tensor![n, t, d] {
    let step = softplus(delta);
    sum(linear_recurrence(exp(-step * exp(a)), step * b * u, t) * c, s)
}

/// Linear attention whose state decays by a gate for each channel of the keys.
#[tensor_op(tests = false)]
pub(crate) fn gated_attention(
    q: Tensor![b, h, t, d],
    k: Tensor![b, h, t, d],
    v: Tensor![b, h, t, e],
    gate: Tensor![b, h, t, d],
) -> Tensor![b, h, t, e] {
    sum(q * linear_recurrence(sigmoid(gate), k * v, t), d)
}

/// A recurrent network without matrices in its recurrence, as in minGRU.
#[tensor_op(tests = false)]
pub(crate) fn gated_average(x: Tensor![n, t, d], gate: Tensor![n, t, d]) -> Tensor![n, t, d] {
    let z = sigmoid(gate);
    silu(linear_recurrence(1.0 - z, z * x, t))
}

/// A weighted mean of all elements so far, along the first axis.
#[tensor_op(tests = false)]
pub(crate) fn running_mean(x: Tensor![t, d], w: Tensor![t, d]) -> Tensor![t, d] {
    let weight = exp(w);
    cumsum(weight * x, t) / cumsum(weight, t)
}
