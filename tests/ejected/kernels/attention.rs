//! The generated CPU kernels of `attention`. To run this file instead, write
//! `#[kernel(cpu = attention_cpu, cpu_backward = attention_backward_cpu, saves)]` on the op.
//! An op of another crate gets it by `tensor_op::backend::register_kernel::<tensor_op::NdArray>`.
#![allow(clippy::approx_constant, clippy::eq_op, clippy::legacy_numeric_constants)]

use tensor_op::Result;
use tensor_op::cpu::{Args, NdArrayTensor, PassFns, run_passes};
use tensor_op::cpu::{Block, Lane, Pass};
#[allow(unused_imports)]
use tensor_op::cpu::{IntLane as _, MaskLane as _};

/// Runs `attention`: its graph, and the passes of its kernels.
///
/// ```text
/// op attention
/// dim .. group
/// dim t named
/// dim d named
/// dim s named
/// dim e named
/// arg q: float[.., t, d], forward 0
/// arg k: float[.., s, d], forward 1
/// arg v: float[.., s, e], forward 2
/// %0 = input q : float[.., t, d]
/// %1 = input k : float[.., d, s]
/// %2 = input v : float[.., s, e]
/// %3 = mul(%0, %1) : float[.., t, d, s]
/// %4 = sum(%3; d) : float[.., t, s]
/// %5 = len(d) : float[]
/// %6 = sqrt(%5) : float[]
/// %7 scores = div(%4, %6) : float[.., t, s]
/// %8 = max(%7; s) : float[.., t]
/// %9 = sub(%7, %8) : float[.., t, s]
/// %10 = exp(%9) : float[.., t, s]
/// %11 = sum(%10; s) : float[.., t]
/// %12 = div(%10, %11) : float[.., t, s]
/// %13 = mul(%12, %2) : float[.., t, s, e]
/// %14 = sum(%13; s) : float[.., t, e]
/// out out = %14 [.., t, e]
/// out out1 = %14 [.., t, e] hidden
/// out saved = %11 [.., t] hidden
/// out saved1 = %8 [.., t] hidden
/// ```
///
/// ```text
/// kernel 0: contraction
///   temp %4[.., t, s] <- q * k, batch [..], m [t], n [s], k [d]
/// kernel 1: row
///   for each of [.., t] over [s]
///   pass 0: uniforms (len[d]), elements (%4)
///     %8 = max of %7 scores
///     kept %7 scores
///   pass 1: uniforms (%8), elements (kept %7 scores)
///     %11 = sum of %10
///     kept %10
///   pass 2: uniforms (%11), elements (kept %10)
///     temp %12[.., t, s] <- %12
///   pass 3 once per row: uniforms (%8, %11), elements ()
///     saved1[.., t] <- %8
///     saved[.., t] <- %11
/// kernel 2: contraction
///   out[.., t, e] <- %12 * v, batch [..], m [t], n [e], k [s]
/// stream of kernels 0 to 2
///   rows [.., t], of which batch [..], along [s]
///   local (%4, %12), sums over rows ()
/// ```
pub(crate) fn attention_cpu(
    args: &Args<'_, NdArrayTensor>,
) -> Result<Vec<NdArrayTensor>> {
    const PASSES: &[PassFns] = &[
        PassFns::of::<AttentionPass0>(),
        PassFns::of_rows::<AttentionPass1>(),
        PassFns::of_rows::<AttentionPass2>(),
        PassFns::of::<AttentionPass3>(),
    ];
    run_passes(args, PASSES, 14129013627585180833)
}

struct AttentionPass0;
impl Pass for AttentionPass0 {
    #[inline(always)]
    fn run<L: Lane>(block: &mut Block<'_, '_, L>) {
        let ([len_d], [], []) = block.uniforms();
        let t0 = len_d.sqrt();
        block
            .elements(|[sum], [], []| {
                let scores = sum / t0;
                ([scores, scores], [], [])
            });
    }
}

struct AttentionPass1;
impl Pass for AttentionPass1 {
    #[inline(always)]
    fn run<L: Lane>(block: &mut Block<'_, '_, L>) {
        let ([max], [], []) = block.uniforms();
        block
            .elements_of_rows(
                ([max], [], []),
                |([max], [], []), [scores], [], []| {
                    let t0 = (scores - max).exp();
                    ([t0, t0], [], [])
                },
            );
    }
}

struct AttentionPass2;
impl Pass for AttentionPass2 {
    #[inline(always)]
    fn run<L: Lane>(block: &mut Block<'_, '_, L>) {
        let ([sum], [], []) = block.uniforms();
        block
            .elements_of_rows(
                ([sum], [], []),
                |([sum], [], []), [stored], [], []| ([stored / sum], [], []),
            );
    }
}

struct AttentionPass3;
impl Pass for AttentionPass3 {
    #[inline(always)]
    fn run<L: Lane>(block: &mut Block<'_, '_, L>) {
        let ([max, sum], [], []) = block.uniforms();
        block.per_row([max, sum], [], []);
    }
}

/// Runs `attention_backward`: its graph, and the passes of its kernels.
///
/// ```text
/// op attention_backward
/// dim .. group
/// dim t named
/// dim d named
/// dim s named
/// dim e named
/// arg q: float[.., t, d], forward 0
/// arg k: float[.., s, d], forward 1
/// arg v: float[.., s, e], forward 2
/// arg out1: float[.., t, e], output 1
/// arg saved: float[.., t], output 2
/// arg saved1: float[.., t], output 3
/// arg grad_out: float[.., t, e], grad 0
/// %0 = input q : float[.., t, d]
/// %1 = input k : float[.., d, s]
/// %2 = input v : float[.., s, e]
/// %3 = mul(%0, %1) : float[.., t, d, s]
/// %4 = sum(%3; d) : float[.., t, s]
/// %5 = len(d) : float[]
/// %6 = sqrt(%5) : float[]
/// %7 scores = div(%4, %6) : float[.., t, s]
/// %8 = input saved1 : float[.., t]
/// %9 = sub(%7, %8) : float[.., t, s]
/// %10 = exp(%9) : float[.., t, s]
/// %11 = input saved : float[.., t]
/// %12 = div(%10, %11) : float[.., t, s]
/// %13 = input grad_out : float[.., t, e]
/// %14 = mul(%13, %2) : float[.., t, s, e]
/// %15 = mul(%13, %12) : float[.., t, s, e]
/// %16 = sum(%14; e) : float[.., t, s]
/// %17 = sum(%15; t) : float[.., s, e]
/// %18 = input out1 : float[.., t, e]
/// %19 = mul(%13, %18) : float[.., t, e]
/// %20 = sum(%19; e) : float[.., t]
/// %21 = sub(%16, %20) : float[.., t, s]
/// %22 = mul(%12, %21) : float[.., t, s]
/// %23 = mul(%22, %1) : float[.., t, d, s]
/// %24 = sum(%23; s) : float[.., t, d]
/// %25 = div(%24, %6) : float[.., t, d]
/// %26 = mul(%22, %0) : float[.., t, d, s]
/// %27 = sum(%26; t) : float[.., d, s]
/// %28 = div(%27, %6) : float[.., d, s]
/// out grad_q = %25 [.., t, d] like q
/// out grad_k = %28 [.., s, d] like k
/// out grad_v = %17 [.., s, e] like v
/// ```
///
/// ```text
/// kernel 0: row
///   for each of [.., t] over [e]
///   pass 0: uniforms (), elements (grad_out, out1)
///     %20 = sum of %19
///   pass 1 once per row: uniforms (%20), elements ()
///     temp %20[.., t] <- %20
/// kernel 1: contraction
///   temp %4[.., t, s] <- q * k, batch [..], m [t], n [s], k [d]
///   for each of [] over [.., t, s]
///   pass 0: uniforms (len[d]), elements (%4, saved1, saved)
///     temp %12[.., t, s] <- %12
/// kernel 2: contraction
///   temp %16[.., t, s] <- grad_out * v, batch [..], m [t], n [s], k [e]
///   for each of [] over [.., t, s]
///   pass 0: uniforms (), elements (%12, %16, %20)
///     temp %22[.., t, s] <- %22
/// kernel 3: contraction
///   grad_v[.., s, e] <- grad_out * %12, batch [..], m [e], n [s], k [t]
/// kernel 4: contraction
///   temp %24[.., t, d] <- %22 * k, batch [..], m [t], n [d], k [s]
///   for each of [] over [.., t, d]
///   pass 0: uniforms (len[d]), elements (%24)
///     grad_q[.., t, d] <- %25
/// kernel 5: contraction
///   temp %27[.., d, s] <- %22 * q, batch [..], m [s], n [d], k [t]
///   for each of [] over [.., d, s]
///   pass 0: uniforms (len[d]), elements (%27)
///     grad_k[.., d, s] <- %28
/// stream of kernels 1 to 5
///   rows [.., t], of which batch [..], along [s]
///   local (%4, %12, %16, %22, %24), sums over rows (%17, %27)
/// ```
pub(crate) fn attention_backward_cpu(
    args: &Args<'_, NdArrayTensor>,
) -> Result<Vec<NdArrayTensor>> {
    const PASSES: &[PassFns] = &[
        PassFns::of::<AttentionBackwardPass0>(),
        PassFns::of::<AttentionBackwardPass1>(),
        PassFns::of::<AttentionBackwardPass2>(),
        PassFns::of::<AttentionBackwardPass3>(),
        PassFns::of::<AttentionBackwardPass4>(),
        PassFns::of::<AttentionBackwardPass5>(),
    ];
    run_passes(args, PASSES, 17167191659583306730)
}

struct AttentionBackwardPass0;
impl Pass for AttentionBackwardPass0 {
    #[inline(always)]
    fn run<L: Lane>(block: &mut Block<'_, '_, L>) {
        block.elements(|[grad_out, out1], [], []| ([grad_out * out1], [], []));
    }
}

struct AttentionBackwardPass1;
impl Pass for AttentionBackwardPass1 {
    #[inline(always)]
    fn run<L: Lane>(block: &mut Block<'_, '_, L>) {
        let ([sum], [], []) = block.uniforms();
        block.per_row([sum], [], []);
    }
}

struct AttentionBackwardPass2;
impl Pass for AttentionBackwardPass2 {
    #[inline(always)]
    fn run<L: Lane>(block: &mut Block<'_, '_, L>) {
        let ([len_d], [], []) = block.uniforms();
        let t0 = len_d.sqrt();
        block
            .elements(|[sum, saved1, saved], [], []| {
                let scores = sum / t0;
                ([(scores - saved1).exp() / saved], [], [])
            });
    }
}

struct AttentionBackwardPass3;
impl Pass for AttentionBackwardPass3 {
    #[inline(always)]
    fn run<L: Lane>(block: &mut Block<'_, '_, L>) {
        block
            .elements(|[stored, sum, sum_2], [], []| ([stored * (sum - sum_2)], [], []));
    }
}

struct AttentionBackwardPass4;
impl Pass for AttentionBackwardPass4 {
    #[inline(always)]
    fn run<L: Lane>(block: &mut Block<'_, '_, L>) {
        let ([len_d], [], []) = block.uniforms();
        let t0 = len_d.sqrt();
        block.elements(|[sum], [], []| ([sum / t0], [], []));
    }
}

struct AttentionBackwardPass5;
impl Pass for AttentionBackwardPass5 {
    #[inline(always)]
    fn run<L: Lane>(block: &mut Block<'_, '_, L>) {
        let ([len_d], [], []) = block.uniforms();
        let t0 = len_d.sqrt();
        block.elements(|[sum], [], []| ([sum / t0], [], []));
    }
}
