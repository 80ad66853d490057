//! The generated GPU kernels of `noisy`. To run this file instead, write
//! `#[kernel(cube = noisy_cube, cube_backward = noisy_backward_cube)]` on the op.
//! An op of another crate gets it by `tensor_op::gpu::register_kernel`.
#![allow(clippy::approx_constant, clippy::eq_op, clippy::legacy_numeric_constants)]

use cubecl::prelude::*;
use tensor_op::gpu::lanes::{Values, floats, ints, le, lt, random, select};
use tensor_op::gpu::{Args, CubeTensor, Pass, run_passes};
use tensor_op::Result;

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
pub(crate) fn noisy_cube(args: &Args<'_, CubeTensor>) -> Result<Vec<CubeTensor>> {
    const PASSES: &[Pass] = &[Pass::of(noisy_pass0::expand)];
    run_passes(args, PASSES, 8426964585601108488)
}

#[cube]
fn noisy_pass0(at: &mut Values) {
    let seed = at.ints[0];
    let p = at.floats[0];
    let index_group = at.ints[1];
    let x = at.floats[1];
    let t0 = floats(1.0) - p;
    let t1 = select(lt(random(seed, ints(0), index_group), p), floats(0.0), x / t0);
    at.floats.push(select(le(t1, floats(0.0)), floats(0.0), t1));
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
pub(crate) fn noisy_backward_cube(
    args: &Args<'_, CubeTensor>,
) -> Result<Vec<CubeTensor>> {
    const PASSES: &[Pass] = &[Pass::of(noisy_backward_pass0::expand)];
    run_passes(args, PASSES, 5470438730588936519)
}

#[cube]
fn noisy_backward_pass0(at: &mut Values) {
    let seed = at.ints[0];
    let p = at.floats[0];
    let index_group = at.ints[1];
    let out = at.floats[1];
    let grad_out = at.floats[2];
    let t0 = floats(1.0) - p;
    at.floats
        .push(
            select(
                lt(random(seed, ints(0), index_group), p),
                floats(0.0),
                select(le(out, floats(0.0)), floats(0.0), grad_out) / t0,
            ),
        );
}
