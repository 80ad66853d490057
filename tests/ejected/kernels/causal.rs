//! The generated CPU kernels of `causal`. To run this file instead, write
//! `#[kernel(cpu = causal_cpu, cpu_backward = causal_backward_cpu, saves)]` on the op.
//! An op of another crate gets it by `tensor_op::backend::register_kernel::<tensor_op::NdArray>`.
#![allow(clippy::approx_constant, clippy::eq_op, clippy::legacy_numeric_constants)]

use tensor_op::Result;
use tensor_op::cpu::{Args, NdArrayTensor, PassFns, run_passes};
use tensor_op::cpu::{Block, Lane, Pass};
#[allow(unused_imports)]
use tensor_op::cpu::{IntLane as _, MaskLane as _};

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
///     kept %12
///   pass 2: uniforms (%13), elements (kept %12)
///     temp %14[t, s] <- %14
///   pass 3 once per row: uniforms (%10, %13), elements ()
///     saved1[t] <- %10
///     saved[t] <- %13
/// kernel 2: contraction
///   out[t, e] <- %14 * v, batch [], m [t], n [e], k [s]
/// stream of kernels 0 to 2
///   rows [t], of which batch [], along [s]
///   local (%7, %14), sums over rows ()
/// ```
pub(crate) fn causal_cpu(args: &Args<'_, NdArrayTensor>) -> Result<Vec<NdArrayTensor>> {
    const PASSES: &[PassFns] = &[
        PassFns::of_rows::<CausalPass0>(),
        PassFns::of_rows::<CausalPass1>(),
        PassFns::of_rows::<CausalPass2>(),
        PassFns::of::<CausalPass3>(),
    ];
    run_passes(args, PASSES, 2158702438100989674)
}

struct CausalPass0;
impl Pass for CausalPass0 {
    #[inline(always)]
    fn run<L: Lane>(block: &mut Block<'_, '_, L>) {
        let ([], [index_t], []) = block.uniforms();
        block
            .elements_of_rows(
                ([], [index_t], []),
                |([], [index_t], []), [sum], [index_s], []| (
                    [
                        L::select(
                            index_s.le(index_t),
                            sum,
                            L::float(::core::f64::NEG_INFINITY),
                        ),
                    ],
                    [],
                    [],
                ),
            );
    }
}

struct CausalPass1;
impl Pass for CausalPass1 {
    #[inline(always)]
    fn run<L: Lane>(block: &mut Block<'_, '_, L>) {
        let ([max], [index_t], []) = block.uniforms();
        block
            .elements_of_rows(
                ([max], [index_t], []),
                |([max], [index_t], []), [sum], [index_s], []| {
                    let t0 = (L::select(
                        index_s.le(index_t),
                        sum,
                        L::float(::core::f64::NEG_INFINITY),
                    ) - max)
                        .exp();
                    ([t0, t0], [], [])
                },
            );
    }
}

struct CausalPass2;
impl Pass for CausalPass2 {
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

struct CausalPass3;
impl Pass for CausalPass3 {
    #[inline(always)]
    fn run<L: Lane>(block: &mut Block<'_, '_, L>) {
        let ([max, sum], [], []) = block.uniforms();
        block.per_row([max, sum], [], []);
    }
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
/// ```
pub(crate) fn causal_backward_cpu(
    args: &Args<'_, NdArrayTensor>,
) -> Result<Vec<NdArrayTensor>> {
    const PASSES: &[PassFns] = &[
        PassFns::of::<CausalBackwardPass0>(),
        PassFns::of::<CausalBackwardPass1>(),
        PassFns::of::<CausalBackwardPass2>(),
        PassFns::of::<CausalBackwardPass3>(),
    ];
    run_passes(args, PASSES, 14328976563320563666)
}

struct CausalBackwardPass0;
impl Pass for CausalBackwardPass0 {
    #[inline(always)]
    fn run<L: Lane>(block: &mut Block<'_, '_, L>) {
        block.elements(|[grad_out, out1], [], []| ([grad_out * out1], [], []));
    }
}

struct CausalBackwardPass1;
impl Pass for CausalBackwardPass1 {
    #[inline(always)]
    fn run<L: Lane>(block: &mut Block<'_, '_, L>) {
        let ([sum], [], []) = block.uniforms();
        block.per_row([sum], [], []);
    }
}

struct CausalBackwardPass2;
impl Pass for CausalBackwardPass2 {
    #[inline(always)]
    fn run<L: Lane>(block: &mut Block<'_, '_, L>) {
        block
            .elements(|[sum, saved1, saved], [index_s, index_t], []| (
                [
                    (L::select(
                        index_s.le(index_t),
                        sum,
                        L::float(::core::f64::NEG_INFINITY),
                    ) - saved1)
                        .exp() / saved,
                ],
                [],
                [],
            ));
    }
}

struct CausalBackwardPass3;
impl Pass for CausalBackwardPass3 {
    #[inline(always)]
    fn run<L: Lane>(block: &mut Block<'_, '_, L>) {
        block
            .elements(|[stored, sum, sum_2], [index_s, index_t], []| (
                [L::select(index_s.le(index_t), stored * (sum - sum_2), L::float(0.0))],
                [],
                [],
            ));
    }
}
