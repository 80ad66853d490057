//! Fourier transforms, as products with a table of sines and cosines.

use super::Entry;
use crate::node::{Node, Outcome};
use tensor_op::catalogue::movement::flip;
use tensor_op::prelude::*;

/// `m` frequencies of a signal of complex numbers; with the sign -1 the inverse, before it is divided.
#[tensor_op(tests = false)]
fn frequencies(
    re: Tensor![.., n],
    im: Tensor![.., n],
    m: usize,
    sign: f64,
) -> (Tensor![.., m], Tensor![.., m]) {
    let turns = cast(iota(n) * iota(m) % len(n), float) / cast(len(n), float);
    let c = cos(2.0 * PI * turns);
    let s = sin(2.0 * PI * turns);
    (sum(re * c + sign * im * s, n), sum(im * c - sign * re * s, n))
}

#[tensor_op(tests = false)]
fn frames(x: Tensor![b, n], window: Tensor![k], count: usize, step: usize) -> Tensor![b, count, k] {
    at(x, n = iota(count) * step + k) * window
}

/// The parts of complex numbers along the last axis; real ones have only one. They are f64, since their sums
/// cancel.
fn parts(x: &Tensor) -> Result<(Tensor, Tensor)> {
    let x = x.cast(DType::F64)?;
    let re = x.slice(-1, ..1)?.squeeze(-1)?;
    let im = if x.shape().last() == Some(&2) {
        x.slice(-1, 1..)?.squeeze(-1)?
    } else {
        Tensor::zeros(re.shape(), re.dtype(), &re.device())?
    };
    Ok((re, im))
}

/// The numbers of a real signal behind the first half: they mirror it, with the other sign of `im`.
fn whole(re: &Tensor, im: &Tensor, size: i64) -> Result<(Tensor, Tensor)> {
    let half = re.shape()[re.rank() - 1] as i64;
    let mirror = |x: &Tensor| flip(x.slice(-1, 1..size - half + 1)?, -1);
    Ok((Tensor::cat(&[re.clone(), mirror(re)?], -1)?, Tensor::cat(&[im.clone(), (-mirror(im)?)?], -1)?))
}

/// The axis is an input or an attribute.
fn dft(node: &Node) -> Outcome {
    let x = node.x(0)?;
    let axis = node.ints(2)?.map_or_else(|| node.int("axis", -2), |axis| Ok(axis[0]))?;
    let axis = x.shape().axis(axis)? as i64;
    let (inverse, onesided) = (node.flag("inverse", false)?, node.flag("onesided", false)?);
    let (re, im) = parts(&x)?;
    let (mut re, mut im) = (re.transpose(axis, -1)?, im.transpose(axis, -1)?);
    let own = re.shape()[re.rank() - 1] as i64;
    let given = if inverse && onesided { 2 * (own - 1) } else { own };
    let size = node.number(1)?.map_or(given, |size| size as i64);
    if inverse && onesided {
        (re, im) = whole(&re, &im, size)?;
    } else if size != own {
        let fit = |x: &Tensor| x.pad([(0, size - own)], None, None);
        (re, im) = (fit(&re)?, fit(&im)?);
    }
    let count = if onesided && !inverse { size / 2 + 1 } else { size };
    let (re, im) = frequencies(re, im, count as usize, if inverse { -1.0 } else { 1.0 })?;
    let scale = if inverse { size as f64 } else { 1.0 };
    let dtype = x.dtype();
    let done = |x: Tensor| (x / scale)?.transpose(axis, -1)?.unsqueeze(-1)?.cast(dtype);
    let re = done(re)?;
    Ok(vec![if inverse && onesided { re } else { Tensor::cat(&[re, done(im)?], -1)? }])
}

/// The transforms of frames, which begin `frame_step` apart.
fn stft(node: &Node) -> Outcome {
    let (re, _) = parts(&node.x(0)?)?;
    let step = node.number(1)?.unwrap_or(1.0) as usize;
    let window = match (node.optional(2), node.number(3)?) {
        (Some(window), _) => window.cast(DType::F64)?,
        (None, length) => Tensor::ones([length.unwrap_or(1.0) as usize], re.dtype(), &re.device())?,
    };
    let length = window.elements();
    let count = (re.shape()[1] - length) / step + 1;
    let framed = frames(re, window, count, step)?;
    let zeros = Tensor::zeros(framed.shape(), framed.dtype(), &framed.device())?;
    let m = if node.flag("onesided", true)? { length / 2 + 1 } else { length };
    let (re, im) = frequencies(framed, zeros, m, 1.0)?;
    Ok(vec![Tensor::stack(&[re, im], -1)?.cast(node.x(0)?.dtype())?])
}

pub(super) fn table() -> Vec<Entry> {
    vec![("DFT", dft), ("STFT", stft)]
}
