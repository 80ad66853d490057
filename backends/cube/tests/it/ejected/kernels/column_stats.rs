//! The generated GPU kernels of `column_stats`. To run this file instead, write
//! `#[kernel(cube = column_stats_cube, cube_backward = column_stats_backward_cube)]` on the op.
//! An op of another crate gets it by `tensor_op::gpu::register_kernel`.
#![allow(clippy::approx_constant, clippy::eq_op, clippy::legacy_numeric_constants)]

use cubecl::prelude::*;
use tensor_op::gpu::lanes::{Values, eq, floats_from_bools};
use tensor_op::gpu::{Args, CubeTensor, Pass, run_passes};
use tensor_op::Result;

/// Runs `column_stats`: its graph, and the passes of its kernels.
///
/// ```text
/// op column_stats
/// dim b named
/// dim n named
/// arg x: float[b, n], forward 0
/// %0 = input x : float[b, n]
/// %1 = sum(%0; b) : float[n]
/// %2 = max(%0; b) : float[n]
/// out out0 = %1 [n]
/// out out1 = %2 [n]
/// ```
///
/// ```text
/// kernel 0: column
///   for each of [b] over [n]
///   pass 0: uniforms (), elements (x)
///     out0[n] <- sum over rows of %0
///     out1[n] <- max over rows of %0
/// ```
pub(crate) fn column_stats_cube(args: &Args<'_, CubeTensor>) -> Result<Vec<CubeTensor>> {
    const PASSES: &[Pass] = &[Pass::of(column_stats_pass0::expand)];
    run_passes(args, PASSES, 7598840901061637845)
}

#[cube]
fn column_stats_pass0(at: &mut Values) {
    let x = at.floats[0];
    at.floats.push(x);
    at.floats.push(x);
}

/// Runs `column_stats_backward`: its graph, and the passes of its kernels.
///
/// ```text
/// op column_stats_backward
/// dim b named
/// dim n named
/// arg x: float[b, n], forward 0
/// arg out1: float[n], output 1
/// arg grad_out0: float[n], grad 0
/// arg grad_out1: float[n], grad 1
/// %0 = input x : float[b, n]
/// %1 = input out1 : float[n]
/// %2 = input grad_out0 : float[n]
/// %3 = input grad_out1 : float[n]
/// %4 = eq(%0, %1) : bool[b, n]
/// %5 = cast(%4) : float[b, n]
/// %6 = sum(%5; b) : float[n]
/// %7 = div(%3, %6) : float[n]
/// %8 = mul(%7, %5) : float[b, n]
/// %9 = add(%8, %2) : float[b, n]
/// out grad_x = %9 [b, n] like x
/// ```
///
/// ```text
/// kernel 0: row
///   for each of [n] over [b]
///   pass 0: uniforms (out1), elements (x)
///     %6 = sum of %5
///   pass 1: uniforms (grad_out1, %6, out1, grad_out0), elements (x)
///     grad_x[b, n] <- %9
/// ```
pub(crate) fn column_stats_backward_cube(
    args: &Args<'_, CubeTensor>,
) -> Result<Vec<CubeTensor>> {
    const PASSES: &[Pass] = &[
        Pass::of(column_stats_backward_pass0::expand),
        Pass::of(column_stats_backward_pass1::expand),
    ];
    run_passes(args, PASSES, 16101179939467420801)
}

#[cube]
fn column_stats_backward_pass0(at: &mut Values) {
    let out1 = at.floats[0];
    let x = at.floats[1];
    at.floats.push(floats_from_bools(eq(x, out1)));
}

#[cube]
fn column_stats_backward_pass1(at: &mut Values) {
    let grad_out1 = at.floats[0];
    let sum = at.floats[1];
    let out1 = at.floats[2];
    let grad_out0 = at.floats[3];
    let x = at.floats[4];
    let t0 = grad_out1 / sum;
    at.floats.push(t0 * floats_from_bools(eq(x, out1)) + grad_out0);
}
