//! The generated GPU kernels of `cross_entropy`. To run this file instead, write
//! `#[kernel(cube = cross_entropy_cube, cube_backward = cross_entropy_backward_cube, saves)]` on the op.
//! An op of another crate gets it by `tensor_op::gpu::register_kernel`.
#![allow(clippy::approx_constant, clippy::eq_op, clippy::legacy_numeric_constants)]

use cubecl::prelude::*;
use tensor_op::gpu::lanes::{Values, eq, exp, floats, is_finite, ln, select};
use tensor_op::gpu::{Args, CubeTensor, Pass, run_passes};
use tensor_op::Result;

/// Runs `cross_entropy`: its graph, and the passes of its kernels.
///
/// ```text
/// op cross_entropy
/// dim b named
/// dim v named
/// arg logits: float[b, v], forward 0
/// arg target: int[b] no_grad, forward 1
/// %0 = input logits : float[b, v]
/// %1 = input target : int[b]
/// %2 = max(%0; v) : float[b]
/// %3 = is_finite(%2) : bool[b]
/// %4 = literal 0.0 : float[]
/// %5 = select(%3, %2, %4) : float[b]
/// %6 = sub(%0, %5) : float[b, v]
/// %7 = exp(%6) : float[b, v]
/// %8 = sum(%7; v) : float[b]
/// %9 = ln(%8) : float[b]
/// %10 = add(%9, %5) : float[b]
/// %11 = at(%0; v = %1) : float[b]
/// %12 = sub(%10, %11) : float[b]
/// out out = %12 [b]
/// out saved = %10 [b] hidden
/// ```
///
/// ```text
/// kernel 0: index
///   temp %11[b] <- gather logits at v = target
/// kernel 1: row
///   for each of [b] over [v]
///   pass 0: uniforms (), elements (logits)
///     %2 = max of %0
///   pass 1: uniforms (%2), elements (logits)
///     %8 = sum of %7
///   pass 2 once per row: uniforms (%8, %2, %11), elements ()
///     saved[b] <- %10
///     out[b] <- %12
/// ```
pub(crate) fn cross_entropy_cube(
    args: &Args<'_, CubeTensor>,
) -> Result<Vec<CubeTensor>> {
    const PASSES: &[Pass] = &[
        Pass::of(cross_entropy_pass0::expand),
        Pass::of(cross_entropy_pass1::expand),
        Pass::of(cross_entropy_pass2::expand),
    ];
    run_passes(args, PASSES, 17488395924355073553)
}

#[cube]
fn cross_entropy_pass0(at: &mut Values) {
    let logits = at.floats[0];
    at.floats.push(logits);
}

#[cube]
fn cross_entropy_pass1(at: &mut Values) {
    let max = at.floats[0];
    let logits = at.floats[1];
    let t0 = select(is_finite(max), max, floats(0.0));
    at.floats.push(exp(logits - t0));
}

#[cube]
fn cross_entropy_pass2(at: &mut Values) {
    let sum = at.floats[0];
    let max = at.floats[1];
    let gathered = at.floats[2];
    let t0 = ln(sum) + select(is_finite(max), max, floats(0.0));
    at.floats.push(t0);
    at.floats.push(t0 - gathered);
}

/// Runs `cross_entropy_backward`: its graph, and the passes of its kernels.
///
/// ```text
/// op cross_entropy_backward
/// dim b named
/// dim v named
/// arg logits: float[b, v], forward 0
/// arg target: int[b] no_grad, forward 1
/// arg saved: float[b], output 1
/// arg grad_out: float[b], grad 0
/// %0 = input logits : float[b, v]
/// %1 = input target : int[b]
/// %2 = literal 0.0 : float[]
/// %3 = input saved : float[b]
/// %4 = input grad_out : float[b]
/// %5 = iota(v) : int[v]
/// %6 = eq(%5, %1) : bool[b, v]
/// %7 = select(%6, %4, %2) : float[b, v]
/// %8 = sub(%0, %3) : float[b, v]
/// %9 = exp(%8) : float[b, v]
/// %10 = mul(%4, %9) : float[b, v]
/// %11 = sub(%10, %7) : float[b, v]
/// out grad_logits = %11 [b, v] like logits
/// ```
///
/// ```text
/// kernel 0: pointwise
///   for each of [] over [b, v]
///   pass 0: uniforms (), elements (grad_out, logits, saved, iota[v], target)
///     grad_logits[b, v] <- %11
/// ```
pub(crate) fn cross_entropy_backward_cube(
    args: &Args<'_, CubeTensor>,
) -> Result<Vec<CubeTensor>> {
    const PASSES: &[Pass] = &[Pass::of(cross_entropy_backward_pass0::expand)];
    run_passes(args, PASSES, 7915863750011617760)
}

#[cube]
fn cross_entropy_backward_pass0(at: &mut Values) {
    let grad_out = at.floats[0];
    let logits = at.floats[1];
    let saved = at.floats[2];
    let index_v = at.ints[0];
    let target = at.ints[1];
    at.floats
        .push(
            grad_out * exp(logits - saved)
                - select(eq(index_v, target), grad_out, floats(0.0)),
        );
}
