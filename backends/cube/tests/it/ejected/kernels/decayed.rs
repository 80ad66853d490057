//! The generated GPU kernels of `decayed`. To run this file instead, write
//! `#[kernel(cube = decayed_cube, cube_backward = decayed_backward_cube)]` on the op.
//! An op of another crate gets it by `tensor_op::gpu::register_kernel`.
#![allow(clippy::approx_constant, clippy::eq_op, clippy::legacy_numeric_constants)]

use cubecl::prelude::*;
use tensor_op::gpu::lanes::{Values, exp, floats, tanh};
use tensor_op::gpu::{Args, CubeTensor, Pass, run_passes};
use tensor_op::Result;

/// Runs `decayed`: its graph, and the passes of its kernels.
///
/// ```text
/// op decayed
/// dim .. group
/// dim dim axis dim
/// arg x: float[..], forward 0
/// arg rate: f64, forward 1
/// arg dim: axis, forward 2
/// %0 = input x : float[.., dim]
/// %1 = input rate : float[]
/// %2 = neg(%1) : float[]
/// %3 = exp(%2) : float[]
/// %4 = mul(%0, %3) : float[.., dim]
/// %5 = cumsum(%4; dim) : float[.., dim]
/// %6 = tanh(%5) : float[.., dim]
/// out out = %6 [..]
/// ```
///
/// ```text
/// kernel 0: pointwise
///   for each of [] over [.., dim]
///   pass 0: uniforms (rate), elements (x)
///     temp %4[.., dim] <- %4
/// kernel 1: scan
///   temp %5[.., dim] <- cumsum of %4 along dim
/// kernel 2: pointwise
///   for each of [] over [.., dim]
///   pass 0: uniforms (), elements (%5)
///     out[.., dim] <- %6
/// sweep of kernels 0 to 2, along dim
///   state %5 = cumsum of %4
///   for each of [dim] over [..]
///   pass 0: uniforms (rate), elements (x)
///     temp %4[.., dim] <- %4
///   pass 1: uniforms (), elements (%5)
///     out[.., dim] <- %6
/// ```
pub(crate) fn decayed_cube(args: &Args<'_, CubeTensor>) -> Result<Vec<CubeTensor>> {
    const PASSES: &[Pass] = &[
        Pass::of(decayed_pass0::expand),
        Pass::of(decayed_pass1::expand),
    ];
    run_passes(args, PASSES, 5593140035090819439)
}

#[cube]
fn decayed_pass0(at: &mut Values) {
    let rate = at.floats[0];
    let x = at.floats[1];
    let t0 = exp(-rate);
    at.floats.push(x * t0);
}

#[cube]
fn decayed_pass1(at: &mut Values) {
    let scanned = at.floats[0];
    at.floats.push(tanh(scanned));
}

/// Runs `decayed_backward`: its graph, and the passes of its kernels.
///
/// ```text
/// op decayed_backward
/// dim .. group
/// dim dim axis dim
/// arg x: shape[..], forward 0
/// arg rate: f64, forward 1
/// arg dim: axis, forward 2
/// arg out: float[..], output 0
/// arg grad_out: float[..], grad 0
/// %0 = input rate : float[]
/// %1 = neg(%0) : float[]
/// %2 = exp(%1) : float[]
/// %3 = input out : float[.., dim]
/// %4 = input grad_out : float[.., dim]
/// %5 = mul(%3, %3) : float[.., dim]
/// %6 = literal 1.0 : float[]
/// %7 = sub(%6, %5) : float[.., dim]
/// %8 = mul(%4, %7) : float[.., dim]
/// %9 = cumsum(%8; reverse dim) : float[.., dim]
/// %10 = mul(%9, %2) : float[.., dim]
/// out grad_x = %10 [..] like x
/// ```
///
/// ```text
/// kernel 0: pointwise
///   for each of [] over [.., dim]
///   pass 0: uniforms (), elements (grad_out, out)
///     temp %8[.., dim] <- %8
/// kernel 1: scan
///   temp %9[.., dim] <- cumsum of %8 from the last element of dim
/// kernel 2: pointwise
///   for each of [] over [.., dim]
///   pass 0: uniforms (rate), elements (%9)
///     grad_x[.., dim] <- %10
/// sweep of kernels 0 to 2, from the last element of dim
///   state %9 = cumsum of %8
///   for each of [dim] over [..]
///   pass 0: uniforms (), elements (grad_out, out)
///     temp %8[.., dim] <- %8
///   pass 1: uniforms (rate), elements (%9)
///     grad_x[.., dim] <- %10
/// ```
pub(crate) fn decayed_backward_cube(
    args: &Args<'_, CubeTensor>,
) -> Result<Vec<CubeTensor>> {
    const PASSES: &[Pass] = &[
        Pass::of(decayed_backward_pass0::expand),
        Pass::of(decayed_backward_pass1::expand),
    ];
    run_passes(args, PASSES, 319817405969218311)
}

#[cube]
fn decayed_backward_pass0(at: &mut Values) {
    let grad_out = at.floats[0];
    let out = at.floats[1];
    at.floats.push(grad_out * (floats(1.0) - out * out));
}

#[cube]
fn decayed_backward_pass1(at: &mut Values) {
    let rate = at.floats[0];
    let scanned = at.floats[1];
    let t0 = exp(-rate);
    at.floats.push(scanned * t0);
}
