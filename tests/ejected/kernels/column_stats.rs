//! The generated CPU kernels of `column_stats`. To run this file instead, write
//! `#[kernel(cpu = column_stats_cpu, cpu_backward = column_stats_backward_cpu)]` on the op.
//! An op of another crate gets it by `tensor_op::backend::register_kernel::<tensor_op::NdArray>`.
#![allow(clippy::approx_constant, clippy::eq_op, clippy::legacy_numeric_constants)]

use tensor_op::Result;
use tensor_op::cpu::{Args, NdArrayTensor, PassFns, run_passes};
use tensor_op::cpu::{Block, Lane, Pass};
#[allow(unused_imports)]
use tensor_op::cpu::{IntLane as _, MaskLane as _};

/// Runs `column_stats`: its graph, and the passes of its kernels.
///
/// ```text
/// op column_stats
/// dim b named
/// dim n named
/// arg x: float[b, n], forward 0
/// %0 = input x : float[b, n]
/// %1 = sum(%0; b) : float[n]
/// %2 = max(%0; b) : float[n]
/// out out0 = %1 [n]
/// out out1 = %2 [n]
/// ```
///
/// ```text
/// kernel 0: column
///   for each of [b] over [n]
///   pass 0: uniforms (), elements (x)
///     out0[n] <- sum over rows of %0
///     out1[n] <- max over rows of %0
/// ```
pub(crate) fn column_stats_cpu(
    args: &Args<'_, NdArrayTensor>,
) -> Result<Vec<NdArrayTensor>> {
    const PASSES: &[PassFns] = &[PassFns::of::<ColumnStatsPass0>()];
    run_passes(args, PASSES, 7598840901061637845)
}

struct ColumnStatsPass0;
impl Pass for ColumnStatsPass0 {
    #[inline(always)]
    fn run<L: Lane>(block: &mut Block<'_, '_, L>) {
        block.elements(|[x], [], []| ([x, x], [], []));
    }
}

/// Runs `column_stats_backward`: its graph, and the passes of its kernels.
///
/// ```text
/// op column_stats_backward
/// dim b named
/// dim n named
/// arg x: float[b, n], forward 0
/// arg out1: float[n], output 1
/// arg grad_out0: float[n], grad 0
/// arg grad_out1: float[n], grad 1
/// %0 = input x : float[b, n]
/// %1 = input out1 : float[n]
/// %2 = input grad_out0 : float[n]
/// %3 = input grad_out1 : float[n]
/// %4 = eq(%0, %1) : bool[b, n]
/// %5 = cast(%4) : float[b, n]
/// %6 = sum(%5; b) : float[n]
/// %7 = div(%3, %6) : float[n]
/// %8 = mul(%7, %5) : float[b, n]
/// %9 = add(%8, %2) : float[b, n]
/// out grad_x = %9 [b, n] like x
/// ```
///
/// ```text
/// kernel 0: row
///   for each of [n] over [b]
///   pass 0: uniforms (out1), elements (x)
///     %6 = sum of %5
///   pass 1: uniforms (grad_out1, %6, out1, grad_out0), elements (x)
///     grad_x[b, n] <- %9
/// ```
pub(crate) fn column_stats_backward_cpu(
    args: &Args<'_, NdArrayTensor>,
) -> Result<Vec<NdArrayTensor>> {
    const PASSES: &[PassFns] = &[
        PassFns::of_rows::<ColumnStatsBackwardPass0>(),
        PassFns::of_rows::<ColumnStatsBackwardPass1>(),
    ];
    run_passes(args, PASSES, 16101179939467420801)
}

struct ColumnStatsBackwardPass0;
impl Pass for ColumnStatsBackwardPass0 {
    #[inline(always)]
    fn run<L: Lane>(block: &mut Block<'_, '_, L>) {
        let ([out1], [], []) = block.uniforms();
        block
            .elements_of_rows(
                ([out1], [], []),
                |([out1], [], []), [x], [], []| ([L::from_mask(x.equal(out1))], [], []),
            );
    }
}

struct ColumnStatsBackwardPass1;
impl Pass for ColumnStatsBackwardPass1 {
    #[inline(always)]
    fn run<L: Lane>(block: &mut Block<'_, '_, L>) {
        let ([grad_out1, sum, out1, grad_out0], [], []) = block.uniforms();
        let t0 = grad_out1 / sum;
        block
            .elements_of_rows(
                ([out1, grad_out0, t0], [], []),
                |([out1, grad_out0, t0], [], []), [x], [], []| (
                    [t0 * L::from_mask(x.equal(out1)) + grad_out0],
                    [],
                    [],
                ),
            );
    }
}
