//! The generated CPU kernels of `decayed`. To run this file instead, write
//! `#[kernel(cpu = decayed_cpu, cpu_backward = decayed_backward_cpu)]` on the op.
//! An op of another crate gets it by `tensor_op::backend::register_kernel::<tensor_op::NdArray>`.
#![allow(clippy::approx_constant, clippy::eq_op, clippy::legacy_numeric_constants)]

use tensor_op::Result;
use tensor_op::cpu::{Args, NdArrayTensor, PassFns, run_passes};
use tensor_op::cpu::{Block, Lane, Pass};
#[allow(unused_imports)]
use tensor_op::cpu::{IntLane as _, MaskLane as _};

/// Runs `decayed`: its graph, and the passes of its kernels.
///
/// ```text
/// op decayed
/// dim .. group
/// dim dim axis dim
/// arg x: float[..], forward 0
/// arg rate: f64, forward 1
/// arg dim: axis, forward 2
/// %0 = input x : float[.., dim]
/// %1 = input rate : float[]
/// %2 = neg(%1) : float[]
/// %3 = exp(%2) : float[]
/// %4 = mul(%0, %3) : float[.., dim]
/// %5 = cumsum(%4; dim) : float[.., dim]
/// %6 = tanh(%5) : float[.., dim]
/// out out = %6 [..]
/// ```
///
/// ```text
/// kernel 0: pointwise
///   for each of [] over [.., dim]
///   pass 0: uniforms (rate), elements (x)
///     temp %4[.., dim] <- %4
/// kernel 1: scan
///   temp %5[.., dim] <- cumsum of %4 along dim
/// kernel 2: pointwise
///   for each of [] over [.., dim]
///   pass 0: uniforms (), elements (%5)
///     out[.., dim] <- %6
/// stream of kernels 0 to 2
///   rows [..], of which batch [..], along [dim]
///   local (%4, %5), sums over rows ()
/// ```
pub(crate) fn decayed_cpu(args: &Args<'_, NdArrayTensor>) -> Result<Vec<NdArrayTensor>> {
    const PASSES: &[PassFns] = &[
        PassFns::of::<DecayedPass0>(),
        PassFns::of::<DecayedPass1>(),
    ];
    run_passes(args, PASSES, 7427499442992925168)
}

struct DecayedPass0;
impl Pass for DecayedPass0 {
    #[inline(always)]
    fn run<L: Lane>(block: &mut Block<'_, '_, L>) {
        let ([rate], [], []) = block.uniforms();
        let t0 = (-rate).exp();
        block.elements(|[x], [], []| ([x * t0], [], []));
    }
}

struct DecayedPass1;
impl Pass for DecayedPass1 {
    #[inline(always)]
    fn run<L: Lane>(block: &mut Block<'_, '_, L>) {
        block.elements(|[scanned], [], []| ([scanned.tanh()], [], []));
    }
}

/// Runs `decayed_backward`: its graph, and the passes of its kernels.
///
/// ```text
/// op decayed_backward
/// dim .. group
/// dim dim axis dim
/// arg x: shape[..], forward 0
/// arg rate: f64, forward 1
/// arg dim: axis, forward 2
/// arg out: float[..], output 0
/// arg grad_out: float[..], grad 0
/// %0 = input rate : float[]
/// %1 = neg(%0) : float[]
/// %2 = exp(%1) : float[]
/// %3 = input out : float[.., dim]
/// %4 = input grad_out : float[.., dim]
/// %5 = mul(%3, %3) : float[.., dim]
/// %6 = literal 1.0 : float[]
/// %7 = sub(%6, %5) : float[.., dim]
/// %8 = mul(%4, %7) : float[.., dim]
/// %9 = cumsum(%8; reverse dim) : float[.., dim]
/// %10 = mul(%9, %2) : float[.., dim]
/// out grad_x = %10 [..] like x
/// ```
///
/// ```text
/// kernel 0: pointwise
///   for each of [] over [.., dim]
///   pass 0: uniforms (), elements (grad_out, out)
///     temp %8[.., dim] <- %8
/// kernel 1: scan
///   temp %9[.., dim] <- cumsum of %8 from the last element of dim
/// kernel 2: pointwise
///   for each of [] over [.., dim]
///   pass 0: uniforms (rate), elements (%9)
///     grad_x[.., dim] <- %10
/// stream of kernels 0 to 2
///   rows [..], of which batch [..], along [dim]
///   local (%8, %9), sums over rows ()
/// ```
pub(crate) fn decayed_backward_cpu(
    args: &Args<'_, NdArrayTensor>,
) -> Result<Vec<NdArrayTensor>> {
    const PASSES: &[PassFns] = &[
        PassFns::of::<DecayedBackwardPass0>(),
        PassFns::of::<DecayedBackwardPass1>(),
    ];
    run_passes(args, PASSES, 1937023888000690718)
}

struct DecayedBackwardPass0;
impl Pass for DecayedBackwardPass0 {
    #[inline(always)]
    fn run<L: Lane>(block: &mut Block<'_, '_, L>) {
        block
            .elements(|[grad_out, out], [], []| (
                [grad_out * (L::float(1.0) - out * out)],
                [],
                [],
            ));
    }
}

struct DecayedBackwardPass1;
impl Pass for DecayedBackwardPass1 {
    #[inline(always)]
    fn run<L: Lane>(block: &mut Block<'_, '_, L>) {
        let ([rate], [], []) = block.uniforms();
        let t0 = (-rate).exp();
        block.elements(|[scanned], [], []| ([scanned * t0], [], []));
    }
}
