//! The generated CPU kernels of `noisy`. To run this file instead, write
//! `#[kernel(cpu = noisy_cpu, cpu_backward = noisy_backward_cpu)]` on the op.
//! An op of another crate gets it by `tensor_op::backend::register_kernel::<tensor_op::NdArray>`.
#![allow(clippy::approx_constant, clippy::eq_op, clippy::legacy_numeric_constants)]

use tensor_op::Result;
use tensor_op::cpu::{Args, NdArrayTensor, PassFns, run_passes};
use tensor_op::cpu::{Block, Lane, Pass};
#[allow(unused_imports)]
use tensor_op::cpu::{IntLane as _, MaskLane as _};

/// Runs `noisy`: its graph, and the passes of its kernels.
///
/// ```text
/// op noisy
/// dim .. group
/// arg x: float[..], forward 0
/// arg p: Fraction, forward 1
/// arg seed: Seed, forward 2
/// %0 = input x : float[..]
/// %1 = input p : float[]
/// %2 = input seed : int[]
/// %3 = literal 0 : int[]
/// %4 = iota(..) : int[..]
/// %5 = random(%2, %3, %4) : float[..]
/// %6 = lt(%5, %1) : bool[..]
/// %7 = literal 0.0 : float[]
/// %8 = literal 1.0 : float[]
/// %9 = sub(%8, %1) : float[]
/// %10 = div(%0, %9) : float[..]
/// %11 = select(%6, %7, %10) : float[..]
/// %12 = le(%11, %7) : bool[..]
/// %13 = select(%12, %7, %11) : float[..]
/// out out = %13 [..]
/// ```
///
/// ```text
/// kernel 0: pointwise
///   for each of [] over [..]
///   pass 0: uniforms (seed, p), elements (iota[..], x)
///     out[..] <- %13
/// ```
pub(crate) fn noisy_cpu(args: &Args<'_, NdArrayTensor>) -> Result<Vec<NdArrayTensor>> {
    const PASSES: &[PassFns] = &[PassFns::of::<NoisyPass0>()];
    run_passes(args, PASSES, 8426964585601108488)
}

struct NoisyPass0;
impl Pass for NoisyPass0 {
    #[inline(always)]
    fn run<L: Lane>(block: &mut Block<'_, '_, L>) {
        let ([p], [seed], []) = block.uniforms();
        let t0 = L::float(1.0) - p;
        block
            .elements(|[x], [index_group], []| {
                let t1 = L::select(
                    L::random(seed, L::int(0), index_group).lt(p),
                    L::float(0.0),
                    x / t0,
                );
                ([L::select(t1.le(L::float(0.0)), L::float(0.0), t1)], [], [])
            });
    }
}

/// Runs `noisy_backward`: its graph, and the passes of its kernels.
///
/// ```text
/// op noisy_backward
/// dim .. group
/// arg x: shape[..], forward 0
/// arg p: Fraction, forward 1
/// arg seed: Seed, forward 2
/// arg out: float[..], output 0
/// arg grad_out: float[..], grad 0
/// %0 = input p : float[]
/// %1 = input seed : int[]
/// %2 = literal 0 : int[]
/// %3 = iota(..) : int[..]
/// %4 = random(%1, %2, %3) : float[..]
/// %5 = lt(%4, %0) : bool[..]
/// %6 = literal 0.0 : float[]
/// %7 = literal 1.0 : float[]
/// %8 = sub(%7, %0) : float[]
/// %9 = input out : float[..]
/// %10 = le(%9, %6) : bool[..]
/// %11 = input grad_out : float[..]
/// %12 = select(%10, %6, %11) : float[..]
/// %13 = div(%12, %8) : float[..]
/// %14 = select(%5, %6, %13) : float[..]
/// out grad_x = %14 [..] like x
/// ```
///
/// ```text
/// kernel 0: pointwise
///   for each of [] over [..]
///   pass 0: uniforms (seed, p), elements (iota[..], out, grad_out)
///     grad_x[..] <- %14
/// ```
pub(crate) fn noisy_backward_cpu(
    args: &Args<'_, NdArrayTensor>,
) -> Result<Vec<NdArrayTensor>> {
    const PASSES: &[PassFns] = &[PassFns::of::<NoisyBackwardPass0>()];
    run_passes(args, PASSES, 5470438730588936519)
}

struct NoisyBackwardPass0;
impl Pass for NoisyBackwardPass0 {
    #[inline(always)]
    fn run<L: Lane>(block: &mut Block<'_, '_, L>) {
        let ([p], [seed], []) = block.uniforms();
        let t0 = L::float(1.0) - p;
        block
            .elements(|[out, grad_out], [index_group], []| (
                [
                    L::select(
                        L::random(seed, L::int(0), index_group).lt(p),
                        L::float(0.0),
                        L::select(out.le(L::float(0.0)), L::float(0.0), grad_out) / t0,
                    ),
                ],
                [],
                [],
            ));
    }
}
