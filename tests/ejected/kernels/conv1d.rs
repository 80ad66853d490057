//! The generated CPU kernels of `conv1d`. To run this file instead, write
//! `#[kernel(cpu = conv1d_cpu, cpu_backward = conv1d_backward_cpu)]` on the op.
//! An op of another crate gets it by `tensor_op::backend::register_kernel::<tensor_op::NdArray>`.
#![allow(clippy::approx_constant, clippy::eq_op, clippy::legacy_numeric_constants)]

use tensor_op::Result;
use tensor_op::cpu::{Args, NdArrayTensor, PassFns, run_passes};
use tensor_op::cpu::{Block, Lane, Pass};
#[allow(unused_imports)]
use tensor_op::cpu::{IntLane as _, MaskLane as _};

/// Runs `conv1d`: its graph, and the passes of its kernels.
///
/// ```text
/// op conv1d
/// dim b named
/// dim c named
/// dim n named
/// dim o named
/// dim k named
/// dim l computed (+ (/ (- (+ len(n) (* 2 pad)) len(k)) stride) 1)
/// arg x: float[b, c, n], forward 0
/// arg weight: float[o, c, k], forward 1
/// arg stride: usize = 1, forward 2
/// arg pad: usize = 0, forward 3
/// %0 = input x : float[b, c, n]
/// %1 = input weight : float[c, o, k]
/// %2 = window(%0; n = (- 0 pad), k 1, l stride / 1 or 0.0) : float[b, c, k, l]
/// %3 = mul(%2, %1) : float[b, c, o, k, l]
/// %4 = sum(%3; c, k) : float[b, o, l]
/// out out = %4 [b, o, l]
/// ```
///
/// ```text
/// kernel 0: view
///   temp %2[b, c, k, l] <- view of x at n = iota(k) + iota(l) * stride - pad or 0.0
/// kernel 1: pointwise
///   for each of [] over [b, c, k, l]
///   pass 0: uniforms (), elements (%2)
///     temp %2[b, c, k, l] <- %2
/// kernel 2: contraction
///   out[b, o, l] <- %2 * weight, batch [], m [b, l], n [o], k [c, k]
/// ```
pub(crate) fn conv1d_cpu(args: &Args<'_, NdArrayTensor>) -> Result<Vec<NdArrayTensor>> {
    const PASSES: &[PassFns] = &[PassFns::of::<Conv1dPass0>()];
    run_passes(args, PASSES, 8470869468052464615)
}

struct Conv1dPass0;
impl Pass for Conv1dPass0 {
    #[inline(always)]
    fn run<L: Lane>(block: &mut Block<'_, '_, L>) {
        block.elements(|[window], [], []| ([window], [], []));
    }
}

/// Runs `conv1d_backward`: its graph, and the passes of its kernels.
///
/// ```text
/// op conv1d_backward
/// dim b named
/// dim c named
/// dim n named
/// dim o named
/// dim k named
/// dim l computed (+ (/ (- (+ len(n) (* 2 pad)) len(k)) stride) 1)
/// arg x: float[b, c, n], forward 0
/// arg weight: float[o, c, k], forward 1
/// arg stride: usize = 1, forward 2
/// arg pad: usize = 0, forward 3
/// arg grad_out: float[b, o, l], grad 0
/// %0 = input x : float[b, c, n]
/// %1 = input weight : float[c, o, k]
/// %2 = window(%0; n = (- 0 pad), k 1, l stride / 1 or 0.0) : float[b, c, k, l]
/// %3 = input grad_out : float[b, o, l]
/// %4 = mul(%3, %1) : float[b, c, o, k, l]
/// %5 = mul(%3, %2) : float[b, c, o, k, l]
/// %6 = sum(%4; o) : float[b, c, k, l]
/// %7 = sum(%5; b, l) : float[c, o, k]
/// %8 = window(%6; l = pad, n 1, k -1 / stride or 0.0) : float[b, c, n, k]
/// %9 = sum(%8; k) : float[b, c, n]
/// out grad_x = %9 [b, c, n] like x
/// out grad_weight = %7 [o, c, k] like weight
/// ```
///
/// ```text
/// kernel 0: view
///   temp %2[b, c, k, l] <- view of x at n = iota(k) + iota(l) * stride - pad or 0.0
/// kernel 1: contraction
///   temp %6[b, c, k, l] <- grad_out * weight, batch [], m [b, l], n [c, k], k [o]
/// kernel 2: view
///   temp %8[b, c, n, k] <- view of %6 at l = iota(n) + pad - iota(k) by stride or 0.0
/// kernel 3: column
///   for each of [k] over [b, c, n]
///   pass 0: uniforms (), elements (%8)
///     grad_x[b, c, n] <- sum over rows of %8
/// kernel 4: pointwise
///   for each of [] over [b, c, k, l]
///   pass 0: uniforms (), elements (%2)
///     temp %2[b, c, k, l] <- %2
/// kernel 5: contraction
///   grad_weight[c, o, k] <- grad_out * %2, batch [], m [o], n [c, k], k [b, l]
/// ```
pub(crate) fn conv1d_backward_cpu(
    args: &Args<'_, NdArrayTensor>,
) -> Result<Vec<NdArrayTensor>> {
    const PASSES: &[PassFns] = &[
        PassFns::of::<Conv1dBackwardPass0>(),
        PassFns::of::<Conv1dBackwardPass1>(),
    ];
    run_passes(args, PASSES, 15470119430534773353)
}

struct Conv1dBackwardPass0;
impl Pass for Conv1dBackwardPass0 {
    #[inline(always)]
    fn run<L: Lane>(block: &mut Block<'_, '_, L>) {
        block.elements(|[window], [], []| ([window], [], []));
    }
}

struct Conv1dBackwardPass1;
impl Pass for Conv1dBackwardPass1 {
    #[inline(always)]
    fn run<L: Lane>(block: &mut Block<'_, '_, L>) {
        block.elements(|[window], [], []| ([window], [], []));
    }
}
