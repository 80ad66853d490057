//! The generated CPU kernels of `cross_entropy`. To run this file instead, write
//! `#[kernel(cpu = cross_entropy_cpu, cpu_backward = cross_entropy_backward_cpu, saves)]` on the op.
//! An op of another crate gets it by `tensor_op::backend::register_kernel::<tensor_op::NdArray>`.
#![allow(clippy::approx_constant, clippy::eq_op, clippy::legacy_numeric_constants)]

use tensor_op::Result;
use tensor_op::cpu::{Args, NdArrayTensor, PassFns, run_passes};
use tensor_op::cpu::{Block, Lane, Pass};
#[allow(unused_imports)]
use tensor_op::cpu::{IntLane as _, MaskLane as _};

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
pub(crate) fn cross_entropy_cpu(
    args: &Args<'_, NdArrayTensor>,
) -> Result<Vec<NdArrayTensor>> {
    const PASSES: &[PassFns] = &[
        PassFns::of::<CrossEntropyPass0>(),
        PassFns::of_rows::<CrossEntropyPass1>(),
        PassFns::of::<CrossEntropyPass2>(),
    ];
    run_passes(args, PASSES, 17488395924355073553)
}

struct CrossEntropyPass0;
impl Pass for CrossEntropyPass0 {
    #[inline(always)]
    fn run<L: Lane>(block: &mut Block<'_, '_, L>) {
        block.elements(|[logits], [], []| ([logits], [], []));
    }
}

struct CrossEntropyPass1;
impl Pass for CrossEntropyPass1 {
    #[inline(always)]
    fn run<L: Lane>(block: &mut Block<'_, '_, L>) {
        let ([max], [], []) = block.uniforms();
        let t0 = L::select(max.is_finite(), max, L::float(0.0));
        block
            .elements_of_rows(
                ([t0], [], []),
                |([t0], [], []), [logits], [], []| ([(logits - t0).exp()], [], []),
            );
    }
}

struct CrossEntropyPass2;
impl Pass for CrossEntropyPass2 {
    #[inline(always)]
    fn run<L: Lane>(block: &mut Block<'_, '_, L>) {
        let ([sum, max, gathered], [], []) = block.uniforms();
        let t0 = sum.ln() + L::select(max.is_finite(), max, L::float(0.0));
        block.per_row([t0, t0 - gathered], [], []);
    }
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
pub(crate) fn cross_entropy_backward_cpu(
    args: &Args<'_, NdArrayTensor>,
) -> Result<Vec<NdArrayTensor>> {
    const PASSES: &[PassFns] = &[PassFns::of::<CrossEntropyBackwardPass0>()];
    run_passes(args, PASSES, 7915863750011617760)
}

struct CrossEntropyBackwardPass0;
impl Pass for CrossEntropyBackwardPass0 {
    #[inline(always)]
    fn run<L: Lane>(block: &mut Block<'_, '_, L>) {
        block
            .elements(|[grad_out, logits, saved], [index_v, target], []| (
                [
                    grad_out * (logits - saved).exp()
                        - L::select(index_v.equal(target), grad_out, L::float(0.0)),
                ],
                [],
                [],
            ));
    }
}
