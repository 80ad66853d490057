//! The generated GPU kernels of `middle`. To run this file instead, write
//! `#[kernel(cube = middle_cube, cube_backward = middle_backward_cube, saves)]` on the op.
//! An op of another crate gets it by `tensor_op::gpu::register_kernel`.
#![allow(clippy::approx_constant, clippy::eq_op, clippy::legacy_numeric_constants)]

use cubecl::prelude::*;
use tensor_op::gpu::lanes::{Values, floats};
use tensor_op::gpu::{Args, CubeTensor, Pass, run_passes};
use tensor_op::Result;

/// Runs `middle`: its graph, and the passes of its kernels.
///
/// ```text
/// op middle
/// dim .. group
/// dim n named
/// arg x: float[.., n], forward 0
/// %0 = input x : float[.., n]
/// %1 order = argsort(%0; n to n) : int[.., n]
/// %2 = at(%0; n = %1) : float[.., n]
/// %3 = mul(%2, %2) : float[.., n]
/// out out = %3 [.., n]
/// out order = %1 [.., n] hidden
/// ```
///
/// ```text
/// kernel 0: argsort
///   order[.., n] <- argsort of x along n
/// kernel 1: index
///   temp %2[.., n] <- gather x at n = %1 order
/// kernel 2: pointwise
///   for each of [] over [.., n]
///   pass 0: uniforms (), elements (%2)
///     out[.., n] <- %3
/// ```
pub(crate) fn middle_cube(args: &Args<'_, CubeTensor>) -> Result<Vec<CubeTensor>> {
    const PASSES: &[Pass] = &[Pass::of(middle_pass0::expand)];
    run_passes(args, PASSES, 17545758786930177357)
}

#[cube]
fn middle_pass0(at: &mut Values) {
    let gathered = at.floats[0];
    at.floats.push(gathered * gathered);
}

/// Runs `middle_backward`: its graph, and the passes of its kernels.
///
/// ```text
/// op middle_backward
/// dim .. group
/// dim n named
/// arg x: float[.., n], forward 0
/// arg order: int[.., n] no_grad, output 1
/// arg grad_out: float[.., n], grad 0
/// %0 = input x : float[.., n]
/// %1 = input order : int[.., n]
/// %2 = at(%0; n = %1) : float[.., n]
/// %3 = input grad_out : float[.., n]
/// %4 = mul(%3, %2) : float[.., n]
/// %5 = literal 2.0 : float[]
/// %6 = mul(%5, %4) : float[.., n]
/// %7 = scatter_add(%6; n = %1; once) : float[.., n]
/// out grad_x = %7 [.., n] like x
/// ```
///
/// ```text
/// kernel 0: index
///   temp %2[.., n] <- gather x at n = order
/// kernel 1: pointwise
///   for each of [] over [.., n]
///   pass 0: uniforms (), elements (grad_out, %2)
///     temp %6[.., n] <- %6
/// kernel 2: index
///   grad_x[.., n] <- scatter_add %6 at n = order, once
/// ```
pub(crate) fn middle_backward_cube(
    args: &Args<'_, CubeTensor>,
) -> Result<Vec<CubeTensor>> {
    const PASSES: &[Pass] = &[Pass::of(middle_backward_pass0::expand)];
    run_passes(args, PASSES, 12438675405092060850)
}

#[cube]
fn middle_backward_pass0(at: &mut Values) {
    let grad_out = at.floats[0];
    let gathered = at.floats[1];
    at.floats.push(floats(2.0) * (grad_out * gathered));
}
