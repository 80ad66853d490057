//! The generated CPU kernels of `silu_mul`. To run this file instead, write
//! `#[kernel(cpu = silu_mul_cpu, cpu_backward = silu_mul_backward_cpu)]` on the op.
//! An op of another crate gets it by `tensor_op::backend::register_kernel::<tensor_op::NdArray>`.
#![allow(clippy::approx_constant, clippy::eq_op, clippy::legacy_numeric_constants)]

use tensor_op::Result;
use tensor_op::cpu::{Args, NdArrayTensor, PassFns, run_passes};
use tensor_op::cpu::{Block, Lane, Pass};
#[allow(unused_imports)]
use tensor_op::cpu::{IntLane as _, MaskLane as _};

/// Runs `silu_mul`: its graph, and the passes of its kernels.
///
/// ```text
/// op silu_mul
/// dim .. group
/// arg x: float[..], forward 0
/// arg gate: float[..], forward 1
/// %0 = input x : float[..]
/// %1 = input gate : float[..]
/// %2 = mul(%0, %1) : float[..]
/// %3 = literal 1.0 : float[]
/// %4 = neg(%1) : float[..]
/// %5 = exp(%4) : float[..]
/// %6 = add(%3, %5) : float[..]
/// %7 = recip(%6) : float[..]
/// %8 = mul(%2, %7) : float[..]
/// out out = %8 [..]
/// ```
///
/// ```text
/// kernel 0: pointwise
///   for each of [] over [..]
///   pass 0: uniforms (), elements (x, gate)
///     out[..] <- %8
/// ```
pub(crate) fn silu_mul_cpu(
    args: &Args<'_, NdArrayTensor>,
) -> Result<Vec<NdArrayTensor>> {
    const PASSES: &[PassFns] = &[PassFns::of::<SiluMulPass0>()];
    run_passes(args, PASSES, 15138630973409670136)
}

struct SiluMulPass0;
impl Pass for SiluMulPass0 {
    #[inline(always)]
    fn run<L: Lane>(block: &mut Block<'_, '_, L>) {
        block
            .elements(|[x, gate], [], []| (
                [x * gate * (L::float(1.0) + (-gate).exp()).recip()],
                [],
                [],
            ));
    }
}

/// Runs `silu_mul_backward`: its graph, and the passes of its kernels.
///
/// ```text
/// op silu_mul_backward
/// dim .. group
/// arg x: float[..], forward 0
/// arg gate: float[..], forward 1
/// arg grad_out: float[..], grad 0
/// %0 = input x : float[..]
/// %1 = input gate : float[..]
/// %2 = mul(%0, %1) : float[..]
/// %3 = literal 1.0 : float[]
/// %4 = neg(%1) : float[..]
/// %5 = exp(%4) : float[..]
/// %6 = add(%3, %5) : float[..]
/// %7 = recip(%6) : float[..]
/// %8 = sub(%3, %7) : float[..]
/// %9 = input grad_out : float[..]
/// %10 = mul(%9, %7) : float[..]
/// %11 = mul(%2, %10) : float[..]
/// %12 = mul(%11, %8) : float[..]
/// %13 = mul(%10, %1) : float[..]
/// %14 = mul(%10, %0) : float[..]
/// %15 = add(%12, %14) : float[..]
/// out grad_x = %13 [..] like x
/// out grad_gate = %15 [..] like gate
/// ```
///
/// ```text
/// kernel 0: pointwise
///   for each of [] over [..]
///   pass 0: uniforms (), elements (grad_out, gate, x)
///     grad_x[..] <- %13
///     grad_gate[..] <- %15
/// ```
pub(crate) fn silu_mul_backward_cpu(
    args: &Args<'_, NdArrayTensor>,
) -> Result<Vec<NdArrayTensor>> {
    const PASSES: &[PassFns] = &[PassFns::of::<SiluMulBackwardPass0>()];
    run_passes(args, PASSES, 8967926102692841699)
}

struct SiluMulBackwardPass0;
impl Pass for SiluMulBackwardPass0 {
    #[inline(always)]
    fn run<L: Lane>(block: &mut Block<'_, '_, L>) {
        block
            .elements(|[grad_out, gate, x], [], []| {
                let t0 = (L::float(1.0) + (-gate).exp()).recip();
                let t1 = grad_out * t0;
                ([t1 * gate, x * gate * t1 * (L::float(1.0) - t0) + t1 * x], [], [])
            });
    }
}
