//! The generated GPU kernels of `rows_into`. To run this file instead, write
//! `#[kernel(cube = rows_into_cube, cube_backward = rows_into_backward_cube)]` on the op.
//! An op of another crate gets it by `tensor_op::gpu::register_kernel`.
#![allow(clippy::approx_constant, clippy::eq_op, clippy::legacy_numeric_constants)]

use cubecl::prelude::*;
use tensor_op::gpu::lanes::{Values, exp};
use tensor_op::gpu::{Args, CubeTensor, Pass, run_passes};
use tensor_op::Result;

/// Runs `rows_into`: its graph, and the passes of its kernels.
///
/// ```text
/// op rows_into
/// dim m named
/// dim .. group
/// dim n named
/// arg x: float[m, ..], forward 0
/// arg index: int[n] no_grad, forward 1
/// arg by: float[n, ..], forward 2
/// %0 = input x : float[m, ..]
/// %1 = input index : int[n]
/// %2 = input by : float[.., n]
/// %3 = exp(%2) : float[.., n]
/// %4 = scatter_add(%3; m = %1) : float[m, ..]
/// %5 = add(%0, %4) : float[m, ..]
/// out out = %5 [m, ..]
/// ```
///
/// ```text
/// kernel 0: pointwise
///   for each of [] over [.., n]
///   pass 0: uniforms (), elements (by)
///     temp %3[.., n] <- %3
/// kernel 1: index
///   temp %4[m, ..] <- scatter_add %3 at m = index
/// kernel 2: pointwise
///   for each of [] over [m, ..]
///   pass 0: uniforms (), elements (x, %4)
///     out[m, ..] <- %5
/// ```
pub(crate) fn rows_into_cube(args: &Args<'_, CubeTensor>) -> Result<Vec<CubeTensor>> {
    const PASSES: &[Pass] = &[
        Pass::of(rows_into_pass0::expand),
        Pass::of(rows_into_pass1::expand),
    ];
    run_passes(args, PASSES, 14714245827983260803)
}

#[cube]
fn rows_into_pass0(at: &mut Values) {
    let by = at.floats[0];
    at.floats.push(exp(by));
}

#[cube]
fn rows_into_pass1(at: &mut Values) {
    let x = at.floats[0];
    let scattered = at.floats[1];
    at.floats.push(x + scattered);
}

/// Runs `rows_into_backward`: its graph, and the passes of its kernels.
///
/// ```text
/// op rows_into_backward
/// dim m named
/// dim .. group
/// dim n named
/// arg x: shape[m, ..], forward 0
/// arg index: int[n] no_grad, forward 1
/// arg by: float[n, ..], forward 2
/// arg grad_out: float[m, ..], grad 0
/// %0 = input index : int[n]
/// %1 = input by : float[.., n]
/// %2 = exp(%1) : float[.., n]
/// %3 = input grad_out : float[m, ..]
/// %4 = at(%3; m = %0) : float[.., n]
/// %5 = mul(%4, %2) : float[.., n]
/// out grad_x = %3 [m, ..] like x
/// out grad_by = %5 [n, ..] like by
/// ```
///
/// ```text
/// kernel 0: index
///   temp %4[.., n] <- gather grad_out at m = index
/// kernel 1: pointwise
///   for each of [] over [m, ..]
///   pass 0: uniforms (), elements (grad_out)
///     grad_x[m, ..] <- %3
/// kernel 2: pointwise
///   for each of [] over [.., n]
///   pass 0: uniforms (), elements (%4, by)
///     grad_by[.., n] <- %5
/// ```
pub(crate) fn rows_into_backward_cube(
    args: &Args<'_, CubeTensor>,
) -> Result<Vec<CubeTensor>> {
    const PASSES: &[Pass] = &[
        Pass::of(rows_into_backward_pass0::expand),
        Pass::of(rows_into_backward_pass1::expand),
    ];
    run_passes(args, PASSES, 8563136010378153412)
}

#[cube]
fn rows_into_backward_pass0(at: &mut Values) {
    let grad_out = at.floats[0];
    at.floats.push(grad_out);
}

#[cube]
fn rows_into_backward_pass1(at: &mut Values) {
    let gathered = at.floats[0];
    let by = at.floats[1];
    at.floats.push(gathered * exp(by));
}
