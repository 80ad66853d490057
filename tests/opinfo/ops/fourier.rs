//! Fourier transforms. Complex tensors are pairs in a last axis.

use super::Entry;
use super::movement::one;
use crate::call::{Call, Outcome};
use tensor_op::fft::{self, Norm};
use tensor_op::prelude::*;

type Transform = fn(Tensor, Option<usize>, i64, Norm) -> Result<Tensor>;

/// `(n, dim, norm)`.
fn transform(call: &Call, x: Tensor, op: Transform) -> Outcome {
    let norm = match call.text(3, "norm", "backward")? {
        "backward" => Norm::Backward,
        "forward" => Norm::Forward,
        "ortho" => Norm::Ortho,
        _ => return Err(call.wrong("norm", "a norm")),
    };
    let n = call.int(1, "n")?.map(|n| n as usize);
    one(op(x, n, call.int(2, "dim")?.unwrap_or(-1), norm))
}

/// Real numbers as pairs.
fn pairs(x: Tensor) -> Outcome<Tensor> {
    Ok(Tensor::stack(&[x.clone(), x.zeros_like()?], -1)?)
}

/// `dim` is one axis, a list, or all.
fn shift(call: &Call, op: fn(Tensor, i64) -> Result<Tensor>) -> Outcome {
    let x = call.x()?;
    let all = || (0..x.rank() as i64).collect();
    let mut axes = call.list(1, "dim")?.unwrap_or_else(all).into_iter();
    one(axes.try_fold(x.clone(), op))
}

pub(super) fn table() -> Vec<Entry> {
    vec![
        Entry::new("fft.fft", |call| transform(call, pairs(call.x()?)?, fft::fft)),
        Entry::new("fft.fft complex", |call| transform(call, call.x()?, fft::fft)),
        Entry::new("fft.fftshift", |call| shift(call, fft::fftshift)),
        Entry::new("fft.ifft", |call| transform(call, pairs(call.x()?)?, fft::ifft)),
        Entry::new("fft.ifft complex", |call| transform(call, call.x()?, fft::ifft)),
        Entry::new("fft.ifftshift", |call| shift(call, fft::ifftshift)),
        Entry::new("fft.irfft", |call| transform(call, pairs(call.x()?)?, fft::irfft)),
        Entry::new("fft.irfft complex", |call| transform(call, call.x()?, fft::irfft)),
        Entry::new("fft.rfft", |call| transform(call, call.x()?, fft::rfft)),
    ]
}
