//! The generated GPU kernels of `silu_mul`. To run this file instead, write
//! `#[kernel(cube = silu_mul_cube, cube_backward = silu_mul_backward_cube)]` on the op.
//! An op of another crate gets it by `tensor_op::gpu::register_kernel`.
#![allow(clippy::approx_constant, clippy::eq_op, clippy::legacy_numeric_constants)]

use cubecl::prelude::*;
use tensor_op::gpu::lanes::{Values, exp, floats, recip};
use tensor_op::gpu::{Args, CubeTensor, Pass, run_passes};
use tensor_op::Result;

/// Runs `silu_mul`: its graph, and the passes of its kernels.
///
/// ```text
/// op silu_mul
/// dim .. group
/// arg x: float[..], forward 0
/// arg gate: float[..], forward 1
/// %0 = input x : float[..]
/// %1 = input gate : float[..]
/// %2 = mul(%0, %1) : float[..]
/// %3 = literal 1.0 : float[]
/// %4 = neg(%1) : float[..]
/// %5 = exp(%4) : float[..]
/// %6 = add(%3, %5) : float[..]
/// %7 = recip(%6) : float[..]
/// %8 = mul(%2, %7) : float[..]
/// out out = %8 [..]
/// ```
///
/// ```text
/// kernel 0: pointwise
///   for each of [] over [..]
///   pass 0: uniforms (), elements (x, gate)
///     out[..] <- %8
/// ```
pub(crate) fn silu_mul_cube(args: &Args<'_, CubeTensor>) -> Result<Vec<CubeTensor>> {
    const PASSES: &[Pass] = &[Pass::of(silu_mul_pass0::expand)];
    run_passes(args, PASSES, 15138630973409670136)
}

#[cube]
fn silu_mul_pass0(at: &mut Values) {
    let x = at.floats[0];
    let gate = at.floats[1];
    at.floats.push(x * gate * recip(floats(1.0) + exp(-gate)));
}

/// Runs `silu_mul_backward`: its graph, and the passes of its kernels.
///
/// ```text
/// op silu_mul_backward
/// dim .. group
/// arg x: float[..], forward 0
/// arg gate: float[..], forward 1
/// arg grad_out: float[..], grad 0
/// %0 = input x : float[..]
/// %1 = input gate : float[..]
/// %2 = mul(%0, %1) : float[..]
/// %3 = literal 1.0 : float[]
/// %4 = neg(%1) : float[..]
/// %5 = exp(%4) : float[..]
/// %6 = add(%3, %5) : float[..]
/// %7 = recip(%6) : float[..]
/// %8 = sub(%3, %7) : float[..]
/// %9 = input grad_out : float[..]
/// %10 = mul(%9, %7) : float[..]
/// %11 = mul(%2, %10) : float[..]
/// %12 = mul(%11, %8) : float[..]
/// %13 = mul(%10, %1) : float[..]
/// %14 = mul(%10, %0) : float[..]
/// %15 = add(%12, %14) : float[..]
/// out grad_x = %13 [..] like x
/// out grad_gate = %15 [..] like gate
/// ```
///
/// ```text
/// kernel 0: pointwise
///   for each of [] over [..]
///   pass 0: uniforms (), elements (grad_out, gate, x)
///     grad_x[..] <- %13
///     grad_gate[..] <- %15
/// ```
pub(crate) fn silu_mul_backward_cube(
    args: &Args<'_, CubeTensor>,
) -> Result<Vec<CubeTensor>> {
    const PASSES: &[Pass] = &[Pass::of(silu_mul_backward_pass0::expand)];
    run_passes(args, PASSES, 8967926102692841699)
}

#[cube]
fn silu_mul_backward_pass0(at: &mut Values) {
    let grad_out = at.floats[0];
    let gate = at.floats[1];
    let x = at.floats[2];
    let t0 = recip(floats(1.0) + exp(-gate));
    let t1 = grad_out * t0;
    at.floats.push(t1 * gate);
    at.floats.push(x * gate * t1 * (floats(1.0) - t0) + t1 * x);
}
