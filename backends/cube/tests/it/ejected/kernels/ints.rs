//! The generated GPU kernels of `ints`. To run this file instead, write
//! `#[kernel(cube = ints_cube, cube_backward = ints_backward_cube, saves)]` on the op.
//! An op of another crate gets it by `tensor_op::gpu::register_kernel`.
#![allow(clippy::approx_constant, clippy::eq_op, clippy::legacy_numeric_constants)]

use cubecl::prelude::*;
use tensor_op::gpu::lanes::{
    Values, abs_int, bit_and, bit_or, bit_xor, div_int, floats, floats_from_ints, ints,
    ints_from_floats, maximum_int, minimum_int, rem_int, shl, shr, sign_int,
};
use tensor_op::gpu::{Args, CubeTensor, Pass, run_passes};
use tensor_op::Result;

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
pub(crate) fn ints_cube(args: &Args<'_, CubeTensor>) -> Result<Vec<CubeTensor>> {
    const PASSES: &[Pass] = &[Pass::of(ints_pass0::expand)];
    run_passes(args, PASSES, 10157377580789718168)
}

#[cube]
fn ints_pass0(at: &mut Values) {
    let a = at.ints[0];
    let b = at.ints[1];
    let x = at.floats[0];
    let numbers = a + b - a * b + div_int(a, b) + rem_int(a, b) + maximum_int(a, b)
        - minimum_int(a, b) + abs_int(a) + sign_int(b) + a + a * ints(8589934592i64);
    let t0 = floats_from_ints(numbers);
    let bits = bit_xor(
        bit_xor(bit_xor(bit_and(a, b), bit_or(a, b)), shl(a, ints(3))),
        shr(b, ints(1)),
    );
    at.floats.push(t0);
    at.floats.push(x * t0 + floats_from_ints(bits));
    at.ints.push(numbers + bits + ints_from_floats(x * floats(10.0)));
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
pub(crate) fn ints_backward_cube(
    args: &Args<'_, CubeTensor>,
) -> Result<Vec<CubeTensor>> {
    const PASSES: &[Pass] = &[Pass::of(ints_backward_pass0::expand)];
    run_passes(args, PASSES, 14257096455911049778)
}

#[cube]
fn ints_backward_pass0(at: &mut Values) {
    let grad_out0 = at.floats[0];
    let saved = at.floats[1];
    at.floats.push(grad_out0 * saved);
}
