//! The generated CPU kernels of `conditions`. To run this file instead, write
//! `#[kernel(cpu = conditions_cpu, cpu_backward = conditions_backward_cpu, saves)]` on the op.
//! An op of another crate gets it by `tensor_op::backend::register_kernel::<tensor_op::NdArray>`.
#![allow(clippy::approx_constant, clippy::eq_op, clippy::legacy_numeric_constants)]

use tensor_op::Result;
use tensor_op::cpu::{Args, NdArrayTensor, PassFns, run_passes};
use tensor_op::cpu::{Block, Lane, Pass};
#[allow(unused_imports)]
use tensor_op::cpu::{IntLane as _, MaskLane as _};

/// Runs `conditions`: its graph, and the passes of its kernels.
///
/// ```text
/// op conditions
/// dim .. group
/// arg x: float[..], forward 0
/// arg y: float[..], forward 1
/// arg a: int[..] no_grad, forward 2
/// arg c: bool[..] no_grad, forward 3
/// %0 = input x : float[..]
/// %1 = input y : float[..]
/// %2 = input a : int[..]
/// %3 = input c : bool[..]
/// %4 = lt(%0, %1) : bool[..]
/// %5 = literal 1.0 : float[]
/// %6 = le(%0, %5) : bool[..]
/// %7 = and(%4, %6) : bool[..]
/// %8 = literal 2 : int[]
/// %9 = gt(%2, %8) : bool[..]
/// %10 = not(%9) : bool[..]
/// %11 = literal -1 : int[]
/// %12 = ge(%2, %11) : bool[..]
/// %13 = and(%10, %12) : bool[..]
/// %14 less = or(%7, %13) : bool[..]
/// %15 = literal 3 : int[]
/// %16 = eq(%2, %15) : bool[..]
/// %17 = ne(%0, %1) : bool[..]
/// %18 = ne(%16, %17) : bool[..]
/// %19 = is_nan(%0) : bool[..]
/// %20 = is_finite(%1) : bool[..]
/// %21 = and(%19, %20) : bool[..]
/// %22 same = or(%18, %21) : bool[..]
/// %23 = eq(%3, %14) : bool[..]
/// %24 = ne(%3, %22) : bool[..]
/// %25 both = and(%23, %24) : bool[..]
/// %26 = select(%25, %0, %1) : float[..]
/// %27 = cast(%22) : float[..]
/// %28 chosen = add(%26, %27) : float[..]
/// %29 = literal 7 : int[]
/// %30 = select(%3, %2, %29) : int[..]
/// %31 = cast(%14) : int[..]
/// %32 = add(%30, %31) : int[..]
/// %33 = cast(%0) : bool[..]
/// %34 = select(%3, %25, %33) : bool[..]
/// %35 = cast(%2) : bool[..]
/// %36 = or(%34, %35) : bool[..]
/// out out0 = %28 [..]
/// out out1 = %32 [..] of(a) counts
/// out out2 = %36 [..]
/// out both = %25 [..] hidden
/// ```
///
/// ```text
/// kernel 0: pointwise
///   for each of [] over [..]
///   pass 0: uniforms (), elements (c, x, y, a)
///     both[..] <- %25 both
///     out0[..] <- %28 chosen
///     out1[..] <- %32
///     out2[..] <- %36
/// ```
pub(crate) fn conditions_cpu(
    args: &Args<'_, NdArrayTensor>,
) -> Result<Vec<NdArrayTensor>> {
    const PASSES: &[PassFns] = &[PassFns::of::<ConditionsPass0>()];
    run_passes(args, PASSES, 11301822648135986256)
}

struct ConditionsPass0;
impl Pass for ConditionsPass0 {
    #[inline(always)]
    fn run<L: Lane>(block: &mut Block<'_, '_, L>) {
        block
            .elements(|[x, y], [a], [c]| {
                let less = x.lt(y) & x.le(L::float(1.0))
                    | !a.gt(L::int(2)) & a.ge(L::int(-1));
                let same = a.equal(L::int(3)).not_equal(x.not_equal(y))
                    | x.is_nan() & y.is_finite();
                let both = c.equal(less) & c.not_equal(same);
                let chosen = L::select(both, x, y) + L::from_mask(same);
                (
                    [chosen],
                    [L::select_int(c, a, L::int(7)) + L::int_from_mask(less)],
                    [both, L::select_mask(c, both, x.to_mask()) | a.to_mask()],
                )
            });
    }
}

/// Runs `conditions_backward`: its graph, and the passes of its kernels.
///
/// ```text
/// op conditions_backward
/// dim .. group
/// arg x: shape[..], forward 0
/// arg y: shape[..], forward 1
/// arg both: bool[..] no_grad, output 3
/// arg grad_out0: float[..], grad 0
/// %0 = input both : bool[..]
/// %1 = input grad_out0 : float[..]
/// %2 = literal 0.0 : float[]
/// %3 = select(%0, %1, %2) : float[..]
/// %4 = select(%0, %2, %1) : float[..]
/// out grad_x = %3 [..] like x
/// out grad_y = %4 [..] like y
/// ```
///
/// ```text
/// kernel 0: pointwise
///   for each of [] over [..]
///   pass 0: uniforms (), elements (both, grad_out0)
///     grad_x[..] <- %3
///     grad_y[..] <- %4
/// ```
pub(crate) fn conditions_backward_cpu(
    args: &Args<'_, NdArrayTensor>,
) -> Result<Vec<NdArrayTensor>> {
    const PASSES: &[PassFns] = &[PassFns::of::<ConditionsBackwardPass0>()];
    run_passes(args, PASSES, 4365882765025576076)
}

struct ConditionsBackwardPass0;
impl Pass for ConditionsBackwardPass0 {
    #[inline(always)]
    fn run<L: Lane>(block: &mut Block<'_, '_, L>) {
        block
            .elements(|[grad_out0], [], [both]| (
                [
                    L::select(both, grad_out0, L::float(0.0)),
                    L::select(both, L::float(0.0), grad_out0),
                ],
                [],
                [],
            ));
    }
}
