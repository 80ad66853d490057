//! The generated CPU kernels of `layer_norm`. To run this file instead, write
//! `#[kernel(cpu = layer_norm_cpu, cpu_backward = layer_norm_backward_cpu, saves)]` on the op.
//! An op of another crate gets it by `tensor_op::backend::register_kernel::<tensor_op::NdArray>`.
#![allow(clippy::approx_constant, clippy::eq_op, clippy::legacy_numeric_constants)]

use tensor_op::Result;
use tensor_op::cpu::{Args, NdArrayTensor, PassFns, run_passes};
use tensor_op::cpu::{Block, Lane, Pass};
#[allow(unused_imports)]
use tensor_op::cpu::{IntLane as _, MaskLane as _};

/// Runs `layer_norm`: its graph, and the passes of its kernels.
///
/// ```text
/// op layer_norm
/// dim .. group
/// dim n named
/// arg x: float[.., n], forward 0
/// arg gamma: float[n], forward 1
/// arg beta: float[n], forward 2
/// arg eps: f64, forward 3
/// %0 = input x : float[.., n]
/// %1 = input gamma : float[n]
/// %2 = input beta : float[n]
/// %3 = input eps : float[]
/// %4 = sum(%0; n) : float[..]
/// %5 = len(n) : float[]
/// %6 = div(%4, %5) : float[..]
/// %7 = sub(%0, %6) : float[.., n]
/// %8 = mul(%7, %7) : float[.., n]
/// %9 = sum(%8; n) : float[..]
/// %10 = div(%9, %5) : float[..]
/// %11 = add(%10, %3) : float[..]
/// %12 = rsqrt(%11) : float[..]
/// %13 = mul(%7, %12) : float[.., n]
/// %14 = mul(%13, %1) : float[.., n]
/// %15 = add(%14, %2) : float[.., n]
/// out out = %15 [.., n]
/// out saved = %12 [..] hidden
/// out saved1 = %6 [..] hidden
/// ```
///
/// ```text
/// kernel 0: row
///   for each of [..] over [n]
///   pass 0: uniforms (), elements (x)
///     %4 = sum of %0
///   pass 1: uniforms (%4, len[n]), elements (x)
///     %9 = sum of %8
///   pass 2: uniforms (%4, len[n], %9, eps), elements (x, gamma, beta)
///     out[.., n] <- %15
///   pass 3 once per row: uniforms (%4, len[n], %9, eps), elements ()
///     saved1[..] <- %6
///     saved[..] <- %12
/// ```
pub(crate) fn layer_norm_cpu(
    args: &Args<'_, NdArrayTensor>,
) -> Result<Vec<NdArrayTensor>> {
    const PASSES: &[PassFns] = &[
        PassFns::of::<LayerNormPass0>(),
        PassFns::of_rows::<LayerNormPass1>(),
        PassFns::of_rows::<LayerNormPass2>(),
        PassFns::of::<LayerNormPass3>(),
    ];
    run_passes(args, PASSES, 6227445777841890245)
}

struct LayerNormPass0;
impl Pass for LayerNormPass0 {
    #[inline(always)]
    fn run<L: Lane>(block: &mut Block<'_, '_, L>) {
        block.elements(|[x], [], []| ([x], [], []));
    }
}

struct LayerNormPass1;
impl Pass for LayerNormPass1 {
    #[inline(always)]
    fn run<L: Lane>(block: &mut Block<'_, '_, L>) {
        let ([sum, len_n], [], []) = block.uniforms();
        let t0 = sum / len_n;
        block
            .elements_of_rows(
                ([t0], [], []),
                |([t0], [], []), [x], [], []| {
                    let t1 = x - t0;
                    ([t1 * t1], [], [])
                },
            );
    }
}

struct LayerNormPass2;
impl Pass for LayerNormPass2 {
    #[inline(always)]
    fn run<L: Lane>(block: &mut Block<'_, '_, L>) {
        let ([sum, len_n, sum_2, eps], [], []) = block.uniforms();
        let t0 = sum / len_n;
        let t1 = (sum_2 / len_n + eps).rsqrt();
        block
            .elements_of_rows(
                ([t0, t1], [], []),
                |([t0, t1], [], []), [x, gamma, beta], [], []| (
                    [(x - t0) * t1 * gamma + beta],
                    [],
                    [],
                ),
            );
    }
}

struct LayerNormPass3;
impl Pass for LayerNormPass3 {
    #[inline(always)]
    fn run<L: Lane>(block: &mut Block<'_, '_, L>) {
        let ([sum, len_n, sum_2, eps], [], []) = block.uniforms();
        block.per_row([sum / len_n, (sum_2 / len_n + eps).rsqrt()], [], []);
    }
}

/// Runs `layer_norm_backward`: its graph, and the passes of its kernels.
///
/// ```text
/// op layer_norm_backward
/// dim .. group
/// dim n named
/// arg x: float[.., n], forward 0
/// arg gamma: float[n], forward 1
/// arg beta: shape[n], forward 2
/// arg saved: float[..], output 1
/// arg saved1: float[..], output 2
/// arg grad_out: float[.., n], grad 0
/// %0 = input x : float[.., n]
/// %1 = input gamma : float[n]
/// %2 = len(n) : float[]
/// %3 = input saved1 : float[..]
/// %4 = sub(%0, %3) : float[.., n]
/// %5 = input saved : float[..]
/// %6 = mul(%4, %5) : float[.., n]
/// %7 = input grad_out : float[.., n]
/// %8 = sum(%7; ..) : float[n]
/// %9 = mul(%7, %1) : float[.., n]
/// %10 = mul(%7, %6) : float[.., n]
/// %11 = sum(%10; ..) : float[n]
/// %12 = mul(%9, %5) : float[.., n]
/// %13 = mul(%9, %4) : float[.., n]
/// %14 = sum(%13; n) : float[..]
/// %15 = mul(%14, %5) : float[..]
/// %16 = mul(%15, %5) : float[..]
/// %17 = div(%16, %2) : float[..]
/// %18 = mul(%17, %6) : float[.., n]
/// %19 = sum(%12; n) : float[..]
/// %20 = sub(%12, %18) : float[.., n]
/// %21 = div(%19, %2) : float[..]
/// %22 = sub(%20, %21) : float[.., n]
/// out grad_x = %22 [.., n] like x
/// out grad_gamma = %11 [n] like gamma
/// out grad_beta = %8 [n] like beta
/// ```
///
/// ```text
/// kernel 0: mixed
///   for each of [..] over [n]
///   pass 0: uniforms (saved1, saved), elements (grad_out, gamma, x)
///     %14 = sum of %13
///     %19 = sum of %12
///     grad_beta[n] <- sum over rows of %7
///     grad_gamma[n] <- sum over rows of %10
///   pass 1: uniforms (saved, %14, len[n], saved1, %19), elements (grad_out, gamma, x)
///     grad_x[.., n] <- %22
/// ```
pub(crate) fn layer_norm_backward_cpu(
    args: &Args<'_, NdArrayTensor>,
) -> Result<Vec<NdArrayTensor>> {
    const PASSES: &[PassFns] = &[
        PassFns::of_rows::<LayerNormBackwardPass0>(),
        PassFns::of_rows::<LayerNormBackwardPass1>(),
    ];
    run_passes(args, PASSES, 922160469091391277)
}

struct LayerNormBackwardPass0;
impl Pass for LayerNormBackwardPass0 {
    #[inline(always)]
    fn run<L: Lane>(block: &mut Block<'_, '_, L>) {
        let ([saved1, saved], [], []) = block.uniforms();
        block
            .elements_of_rows(
                ([saved1, saved], [], []),
                |([saved1, saved], [], []), [grad_out, gamma, x], [], []| {
                    let t0 = grad_out * gamma;
                    let t1 = x - saved1;
                    ([t0 * t1, t0 * saved, grad_out, grad_out * (t1 * saved)], [], [])
                },
            );
    }
}

struct LayerNormBackwardPass1;
impl Pass for LayerNormBackwardPass1 {
    #[inline(always)]
    fn run<L: Lane>(block: &mut Block<'_, '_, L>) {
        let ([saved, sum, len_n, saved1, sum_2], [], []) = block.uniforms();
        let t0 = sum * saved * saved / len_n;
        let t1 = sum_2 / len_n;
        block
            .elements_of_rows(
                ([saved, saved1, t0, t1], [], []),
                |([saved, saved1, t0, t1], [], []), [grad_out, gamma, x], [], []| (
                    [grad_out * gamma * saved - t0 * ((x - saved1) * saved) - t1],
                    [],
                    [],
                ),
            );
    }
}
