//! The generated CPU kernels of `ints`. To run this file instead, write
//! `#[kernel(cpu = ints_cpu, cpu_backward = ints_backward_cpu, saves)]` on the op.
//! An op of another crate gets it by `tensor_op::backend::register_kernel::<tensor_op::NdArray>`.
#![allow(clippy::approx_constant, clippy::eq_op, clippy::legacy_numeric_constants)]

use tensor_op::Result;
use tensor_op::cpu::{Args, NdArrayTensor, PassFns, run_passes};
use tensor_op::cpu::{Block, Lane, Pass};
#[allow(unused_imports)]
use tensor_op::cpu::{IntLane as _, MaskLane as _};

/// Runs `ints`: its graph, and the passes of its kernels.
///
/// ```text
/// op ints
/// dim .. group
/// arg x: float[..], forward 0
/// arg a: int[..] no_grad, forward 1
/// arg b: int[..] no_grad, forward 2
/// %0 = input x : float[..]
/// %1 = input a : int[..]
/// %2 = input b : int[..]
/// %3 = add(%1, %2) : int[..]
/// %4 = mul(%1, %2) : int[..]
/// %5 = sub(%3, %4) : int[..]
/// %6 = div(%1, %2) : int[..]
/// %7 = add(%5, %6) : int[..]
/// %8 = rem(%1, %2) : int[..]
/// %9 = add(%7, %8) : int[..]
/// %10 = maximum(%1, %2) : int[..]
/// %11 = add(%9, %10) : int[..]
/// %12 = minimum(%1, %2) : int[..]
/// %13 = sub(%11, %12) : int[..]
/// %14 = abs(%1) : int[..]
/// %15 = add(%13, %14) : int[..]
/// %16 = sign(%2) : int[..]
/// %17 = add(%15, %16) : int[..]
/// %18 = add(%17, %1) : int[..]
/// %19 = literal 8589934592 : int[]
/// %20 = mul(%1, %19) : int[..]
/// %21 numbers = add(%18, %20) : int[..]
/// %22 = bit_and(%1, %2) : int[..]
/// %23 = bit_or(%1, %2) : int[..]
/// %24 = bit_xor(%22, %23) : int[..]
/// %25 = literal 3 : int[]
/// %26 = shl(%1, %25) : int[..]
/// %27 = bit_xor(%24, %26) : int[..]
/// %28 = literal 1 : int[]
/// %29 = shr(%2, %28) : int[..]
/// %30 bits = bit_xor(%27, %29) : int[..]
/// %31 = cast(%21) : float[..]
/// %32 = mul(%0, %31) : float[..]
/// %33 = cast(%30) : float[..]
/// %34 = add(%32, %33) : float[..]
/// %35 = add(%21, %30) : int[..]
/// %36 = literal 10.0 : float[]
/// %37 = mul(%0, %36) : float[..]
/// %38 = cast(%37) : int[..]
/// %39 = add(%35, %38) : int[..]
/// out out0 = %34 [..]
/// out out1 = %39 [..] of(a, b) counts
/// out saved = %31 [..] hidden
/// ```
///
/// ```text
/// kernel 0: pointwise
///   for each of [] over [..]
///   pass 0: uniforms (), elements (a, b, x)
///     saved[..] <- %31
///     out0[..] <- %34
///     out1[..] <- %39
/// ```
pub(crate) fn ints_cpu(args: &Args<'_, NdArrayTensor>) -> Result<Vec<NdArrayTensor>> {
    const PASSES: &[PassFns] = &[PassFns::of::<IntsPass0>()];
    run_passes(args, PASSES, 10157377580789718168)
}

struct IntsPass0;
impl Pass for IntsPass0 {
    #[inline(always)]
    fn run<L: Lane>(block: &mut Block<'_, '_, L>) {
        block
            .elements(|[x], [a, b], []| {
                let numbers = a + b - a * b + a / b + a % b + a.maximum(b) - a.minimum(b)
                    + a.abs() + b.sign() + a + a * L::int(8589934592);
                let t0 = L::from_int(numbers);
                let bits = a & b ^ (a | b) ^ a << L::int(3) ^ b >> L::int(1);
                (
                    [t0, x * t0 + L::from_int(bits)],
                    [numbers + bits + (x * L::float(10.0)).to_int()],
                    [],
                )
            });
    }
}

/// Runs `ints_backward`: its graph, and the passes of its kernels.
///
/// ```text
/// op ints_backward
/// dim .. group
/// arg x: shape[..], forward 0
/// arg saved: float[..], output 2
/// arg grad_out0: float[..], grad 0
/// %0 = input saved : float[..]
/// %1 = input grad_out0 : float[..]
/// %2 = mul(%1, %0) : float[..]
/// out grad_x = %2 [..] like x
/// ```
///
/// ```text
/// kernel 0: pointwise
///   for each of [] over [..]
///   pass 0: uniforms (), elements (grad_out0, saved)
///     grad_x[..] <- %2
/// ```
pub(crate) fn ints_backward_cpu(
    args: &Args<'_, NdArrayTensor>,
) -> Result<Vec<NdArrayTensor>> {
    const PASSES: &[PassFns] = &[PassFns::of::<IntsBackwardPass0>()];
    run_passes(args, PASSES, 14257096455911049778)
}

struct IntsBackwardPass0;
impl Pass for IntsBackwardPass0 {
    #[inline(always)]
    fn run<L: Lane>(block: &mut Block<'_, '_, L>) {
        block.elements(|[grad_out0, saved], [], []| ([grad_out0 * saved], [], []));
    }
}
