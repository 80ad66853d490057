//! The generated GPU kernels of `linear_gelu`. To run this file instead, write
//! `#[kernel(cube = linear_gelu_cube, cube_backward = linear_gelu_backward_cube, saves)]` on the op.
//! An op of another crate gets it by `tensor_op::gpu::register_kernel`.
#![allow(clippy::approx_constant, clippy::eq_op, clippy::legacy_numeric_constants)]

use cubecl::prelude::*;
use tensor_op::gpu::lanes::{Values, erfc, exp, floats};
use tensor_op::gpu::{Args, CubeTensor, Pass, run_passes};
use tensor_op::Result;

/// Runs `linear_gelu`: its graph, and the passes of its kernels.
///
/// ```text
/// op linear_gelu
/// dim .. group
/// dim i named
/// dim o named
/// arg x: float[.., i], forward 0
/// arg weight: float[o, i], forward 1
/// arg bias: float[o], forward 2
/// %0 = input x : float[.., i]
/// %1 = input weight : float[i, o]
/// %2 = input bias : float[o]
/// %3 = mul(%0, %1) : float[.., i, o]
/// %4 = sum(%3; i) : float[.., o]
/// %5 = add(%4, %2) : float[.., o]
/// %6 = literal 0.5 : float[]
/// %7 = mul(%6, %5) : float[.., o]
/// %8 = literal 1.4142135623730951 : float[]
/// %9 = div(%5, %8) : float[.., o]
/// %10 = neg(%9) : float[.., o]
/// %11 = erfc(%10) : float[.., o]
/// %12 = mul(%7, %11) : float[.., o]
/// out out = %12 [.., o]
/// out saved = %5 [.., o] hidden
/// ```
///
/// ```text
/// kernel 0: contraction
///   temp %4[.., o] <- x * weight, batch [], m [..], n [o], k [i]
///   for each of [] over [.., o]
///   pass 0: uniforms (), elements (%4, bias)
///     saved[.., o] <- %5
///     out[.., o] <- %12
/// ```
pub(crate) fn linear_gelu_cube(args: &Args<'_, CubeTensor>) -> Result<Vec<CubeTensor>> {
    const PASSES: &[Pass] = &[Pass::of(linear_gelu_pass0::expand)];
    run_passes(args, PASSES, 10891675141274644119)
}

#[cube]
fn linear_gelu_pass0(at: &mut Values) {
    let sum = at.floats[0];
    let bias = at.floats[1];
    let t0 = sum + bias;
    at.floats.push(t0);
    at.floats.push(floats(0.5) * t0 * erfc(-(t0 / floats(1.4142135623730951))));
}

/// Runs `linear_gelu_backward`: its graph, and the passes of its kernels.
///
/// ```text
/// op linear_gelu_backward
/// dim .. group
/// dim i named
/// dim o named
/// arg x: float[.., i], forward 0
/// arg weight: float[o, i], forward 1
/// arg bias: shape[o], forward 2
/// arg saved: float[.., o], output 1
/// arg grad_out: float[.., o], grad 0
/// %0 = input x : float[.., i]
/// %1 = input weight : float[i, o]
/// %2 = input saved : float[.., o]
/// %3 = literal 0.5 : float[]
/// %4 = literal 1.4142135623730951 : float[]
/// %5 = div(%2, %4) : float[.., o]
/// %6 = neg(%5) : float[.., o]
/// %7 = erfc(%6) : float[.., o]
/// %8 = input grad_out : float[.., o]
/// %9 = mul(%8, %7) : float[.., o]
/// %10 = mul(%8, %2) : float[.., o]
/// %11 = mul(%5, %5) : float[.., o]
/// %12 = neg(%11) : float[.., o]
/// %13 = exp(%12) : float[.., o]
/// %14 = mul(%10, %13) : float[.., o]
/// %15 = literal 0.39894228040143265 : float[]
/// %16 = mul(%15, %14) : float[.., o]
/// %17 = mul(%9, %3) : float[.., o]
/// %18 = add(%16, %17) : float[.., o]
/// %19 = sum(%18; ..) : float[o]
/// %20 = mul(%18, %1) : float[.., i, o]
/// %21 = mul(%18, %0) : float[.., i, o]
/// %22 = sum(%20; o) : float[.., i]
/// %23 = sum(%21; ..) : float[i, o]
/// out grad_x = %22 [.., i] like x
/// out grad_weight = %23 [o, i] like weight
/// out grad_bias = %19 [o] like bias
/// ```
///
/// ```text
/// kernel 0: mixed
///   for each of [..] over [o]
///   pass 0: uniforms (), elements (grad_out, saved)
///     grad_bias[o] <- sum over rows of %18
///     temp %18[.., o] <- %18
/// kernel 1: contraction
///   grad_x[.., i] <- %18 * weight, batch [], m [..], n [i], k [o]
/// kernel 2: contraction
///   grad_weight[i, o] <- %18 * x, batch [], m [o], n [i], k [..]
/// ```
pub(crate) fn linear_gelu_backward_cube(
    args: &Args<'_, CubeTensor>,
) -> Result<Vec<CubeTensor>> {
    const PASSES: &[Pass] = &[Pass::of(linear_gelu_backward_pass0::expand)];
    run_passes(args, PASSES, 6117191826684534761)
}

#[cube]
fn linear_gelu_backward_pass0(at: &mut Values) {
    let grad_out = at.floats[0];
    let saved = at.floats[1];
    let t0 = saved / floats(1.4142135623730951);
    let t1 = floats(0.39894228040143265) * (grad_out * saved * exp(-(t0 * t0)))
        + grad_out * erfc(-t0) * floats(0.5);
    at.floats.push(t1);
    at.floats.push(t1);
}
