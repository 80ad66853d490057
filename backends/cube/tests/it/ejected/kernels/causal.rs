//! The generated GPU kernels of `causal`. To run this file instead, write
//! `#[kernel(cube = causal_cube, cube_backward = causal_backward_cube, saves)]` on the op.
//! An op of another crate gets it by `tensor_op::gpu::register_kernel`.
#![allow(clippy::approx_constant, clippy::eq_op, clippy::legacy_numeric_constants)]

use cubecl::prelude::*;
use tensor_op::gpu::lanes::{Values, exp, floats, le, select};
use tensor_op::gpu::{Args, CubeTensor, Pass, run_passes};
use tensor_op::Result;

/// Runs `causal`: its graph, and the passes of its kernels.
///
/// ```text
/// op causal
/// dim t named
/// dim d named
/// dim s named
/// dim e named
/// arg q: float[t, d], forward 0
/// arg k: float[s, d], forward 1
/// arg v: float[s, e], forward 2
/// %0 = input q : float[t, d]
/// %1 = input k : float[d, s]
/// %2 = input v : float[s, e]
/// %3 = iota(s) : int[s]
/// %4 = iota(t) : int[t]
/// %5 = le(%3, %4) : bool[t, s]
/// %6 = mul(%0, %1) : float[t, d, s]
/// %7 = sum(%6; d) : float[t, s]
/// %8 = literal -inf : float[]
/// %9 = select(%5, %7, %8) : float[t, s]
/// %10 = max(%9; s) : float[t]
/// %11 = sub(%9, %10) : float[t, s]
/// %12 = exp(%11) : float[t, s]
/// %13 = sum(%12; s) : float[t]
/// %14 = div(%12, %13) : float[t, s]
/// %15 = mul(%14, %2) : float[t, s, e]
/// %16 = sum(%15; s) : float[t, e]
/// out out = %16 [t, e]
/// out out1 = %16 [t, e] hidden
/// out saved = %13 [t] hidden
/// out saved1 = %10 [t] hidden
/// ```
///
/// ```text
/// kernel 0: contraction
///   temp %7[t, s] <- q * k, batch [], m [t], n [s], k [d]
/// kernel 1: row
///   for each of [t] over [s]
///   pass 0: uniforms (iota[t]), elements (iota[s], %7)
///     %10 = max of %9
///   pass 1: uniforms (iota[t], %10), elements (iota[s], %7)
///     %13 = sum of %12
///   pass 2: uniforms (iota[t], %10, %13), elements (iota[s], %7)
///     temp %14[t, s] <- %14
///   pass 3 once per row: uniforms (%10, %13), elements ()
///     saved1[t] <- %10
///     saved[t] <- %13
/// kernel 2: contraction
///   out[t, e] <- %14 * v, batch [], m [t], n [e], k [s]
/// stream of kernels 0 to 2
///   rows [t], of which batch [], along [s]
///   local (%7, %14), sums over rows ()
///   as one kernel: scores of kernels [0], sums of kernels [2]
///   for each of [t] over [s]
///   pass 0: uniforms (iota[t]), elements (iota[s], %7)
///     %10 = max of %9
///   pass 1: uniforms (iota[t], %10), elements (iota[s], %7)
///     %13 = sum of %12
///   pass 2: uniforms (iota[t], %10, %13), elements (iota[s], %7)
///     temp %14[t, s] <- %14
///   pass 3 once per row: uniforms (%10, %13), elements ()
///     saved1[t] <- %10
///     saved[t] <- %13
/// ```
pub(crate) fn causal_cube(args: &Args<'_, CubeTensor>) -> Result<Vec<CubeTensor>> {
    const PASSES: &[Pass] = &[
        Pass::of(causal_pass0::expand),
        Pass::of(causal_pass1::expand),
        Pass::of(causal_pass2::expand),
        Pass::of(causal_pass3::expand),
    ];
    run_passes(args, PASSES, 6692265010233019087)
}

#[cube]
fn causal_pass0(at: &mut Values) {
    let index_t = at.ints[0];
    let index_s = at.ints[1];
    let sum = at.floats[0];
    at.floats.push(select(le(index_s, index_t), sum, floats(::core::f64::NEG_INFINITY)));
}

#[cube]
fn causal_pass1(at: &mut Values) {
    let index_t = at.ints[0];
    let max = at.floats[0];
    let index_s = at.ints[1];
    let sum = at.floats[1];
    at.floats
        .push(
            exp(
                select(le(index_s, index_t), sum, floats(::core::f64::NEG_INFINITY))
                    - max,
            ),
        );
}

#[cube]
fn causal_pass2(at: &mut Values) {
    let index_t = at.ints[0];
    let max = at.floats[0];
    let sum = at.floats[1];
    let index_s = at.ints[1];
    let sum_2 = at.floats[2];
    at.floats
        .push(
            exp(
                select(le(index_s, index_t), sum_2, floats(::core::f64::NEG_INFINITY))
                    - max,
            ) / sum,
        );
}

#[cube]
fn causal_pass3(at: &mut Values) {
    let max = at.floats[0];
    let sum = at.floats[1];
    at.floats.push(max);
    at.floats.push(sum);
}

/// Runs `causal_backward`: its graph, and the passes of its kernels.
///
/// ```text
/// op causal_backward
/// dim t named
/// dim d named
/// dim s named
/// dim e named
/// arg q: float[t, d], forward 0
/// arg k: float[s, d], forward 1
/// arg v: float[s, e], forward 2
/// arg out1: float[t, e], output 1
/// arg saved: float[t], output 2
/// arg saved1: float[t], output 3
/// arg grad_out: float[t, e], grad 0
/// %0 = input q : float[t, d]
/// %1 = input k : float[d, s]
/// %2 = input v : float[s, e]
/// %3 = iota(s) : int[s]
/// %4 = iota(t) : int[t]
/// %5 = le(%3, %4) : bool[t, s]
/// %6 = mul(%0, %1) : float[t, d, s]
/// %7 = sum(%6; d) : float[t, s]
/// %8 = literal -inf : float[]
/// %9 = select(%5, %7, %8) : float[t, s]
/// %10 = input saved1 : float[t]
/// %11 = sub(%9, %10) : float[t, s]
/// %12 = exp(%11) : float[t, s]
/// %13 = input saved : float[t]
/// %14 = div(%12, %13) : float[t, s]
/// %15 = input grad_out : float[t, e]
/// %16 = mul(%15, %2) : float[t, s, e]
/// %17 = mul(%15, %14) : float[t, s, e]
/// %18 = sum(%16; e) : float[t, s]
/// %19 = sum(%17; t) : float[s, e]
/// %20 = input out1 : float[t, e]
/// %21 = mul(%15, %20) : float[t, e]
/// %22 = sum(%21; e) : float[t]
/// %23 = sub(%18, %22) : float[t, s]
/// %24 = mul(%14, %23) : float[t, s]
/// %25 = literal 0.0 : float[]
/// %26 = select(%5, %24, %25) : float[t, s]
/// %27 = mul(%26, %1) : float[t, d, s]
/// %28 = mul(%26, %0) : float[t, d, s]
/// %29 = sum(%27; s) : float[t, d]
/// %30 = sum(%28; t) : float[d, s]
/// out grad_q = %29 [t, d] like q
/// out grad_k = %30 [s, d] like k
/// out grad_v = %19 [s, e] like v
/// ```
///
/// ```text
/// kernel 0: row
///   for each of [t] over [e]
///   pass 0: uniforms (), elements (grad_out, out1)
///     %22 = sum of %21
///   pass 1 once per row: uniforms (%22), elements ()
///     temp %22[t] <- %22
/// kernel 1: contraction
///   temp %7[t, s] <- q * k, batch [], m [t], n [s], k [d]
///   for each of [] over [t, s]
///   pass 0: uniforms (), elements (iota[s], iota[t], %7, saved1, saved)
///     temp %14[t, s] <- %14
/// kernel 2: contraction
///   temp %18[t, s] <- grad_out * v, batch [], m [t], n [s], k [e]
///   for each of [] over [t, s]
///   pass 0: uniforms (), elements (iota[s], iota[t], %14, %18, %22)
///     temp %26[t, s] <- %26
/// kernel 3: contraction
///   grad_v[s, e] <- grad_out * %14, batch [], m [e], n [s], k [t]
/// kernel 4: contraction
///   grad_q[t, d] <- %26 * k, batch [], m [t], n [d], k [s]
/// kernel 5: contraction
///   grad_k[d, s] <- %26 * q, batch [], m [s], n [d], k [t]
/// stream of kernels 1 to 5
///   rows [t], of which batch [], along [s]
///   local (%7, %14, %18, %26), sums over rows (%19, %30)
///   as one kernel: scores of kernels [1, 2], sums of kernels [4]
///   for each of [t] over [s]
///   pass 0: uniforms (iota[t], saved1, saved, %22), elements (iota[s], %7, %18)
///     temp %26[t, s] <- %26
///   as one kernel: scores of kernels [1, 2], sums of kernels [3, 5]
///   for each of [s] over [t]
///   pass 0: uniforms (iota[s]), elements (iota[t], %7, saved1, saved, %18, %22)
///     temp %14[t, s] <- %14
///     temp %26[t, s] <- %26
/// ```
pub(crate) fn causal_backward_cube(
    args: &Args<'_, CubeTensor>,
) -> Result<Vec<CubeTensor>> {
    const PASSES: &[Pass] = &[
        Pass::of(causal_backward_pass0::expand),
        Pass::of(causal_backward_pass1::expand),
        Pass::of(causal_backward_pass2::expand),
        Pass::of(causal_backward_pass3::expand),
    ];
    run_passes(args, PASSES, 15505898077416527558)
}

#[cube]
fn causal_backward_pass0(at: &mut Values) {
    let grad_out = at.floats[0];
    let out1 = at.floats[1];
    at.floats.push(grad_out * out1);
}

#[cube]
fn causal_backward_pass1(at: &mut Values) {
    let sum = at.floats[0];
    at.floats.push(sum);
}

#[cube]
fn causal_backward_pass2(at: &mut Values) {
    let index_s = at.ints[0];
    let index_t = at.ints[1];
    let sum = at.floats[0];
    let saved1 = at.floats[1];
    let saved = at.floats[2];
    at.floats
        .push(
            exp(
                select(le(index_s, index_t), sum, floats(::core::f64::NEG_INFINITY))
                    - saved1,
            ) / saved,
        );
}

#[cube]
fn causal_backward_pass3(at: &mut Values) {
    let index_s = at.ints[0];
    let index_t = at.ints[1];
    let stored = at.floats[0];
    let sum = at.floats[1];
    let sum_2 = at.floats[2];
    at.floats.push(select(le(index_s, index_t), stored * (sum - sum_2), floats(0.0)));
}
