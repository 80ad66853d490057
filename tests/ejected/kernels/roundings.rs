//! The generated CPU kernels of `roundings`. To run this file instead, write
//! `#[kernel(cpu = roundings_cpu, cpu_backward = roundings_backward_cpu)]` on the op.
//! An op of another crate gets it by `tensor_op::backend::register_kernel::<tensor_op::NdArray>`.
#![allow(clippy::approx_constant, clippy::eq_op, clippy::legacy_numeric_constants)]

use tensor_op::Result;
use tensor_op::cpu::{Args, NdArrayTensor, PassFns, run_passes};
use tensor_op::cpu::{Block, Lane, Pass};
#[allow(unused_imports)]
use tensor_op::cpu::{IntLane as _, MaskLane as _};

/// Runs `roundings`: its graph, and the passes of its kernels.
///
/// ```text
/// op roundings
/// dim .. group
/// arg x: float[..], forward 0
/// arg y: float[..], forward 1
/// %0 = input x : float[..]
/// %1 = input y : float[..]
/// %2 = floor(%0) : float[..]
/// %3 = ceil(%0) : float[..]
/// %4 = add(%2, %3) : float[..]
/// %5 = round(%0) : float[..]
/// %6 = add(%4, %5) : float[..]
/// %7 = trunc(%0) : float[..]
/// %8 = add(%6, %7) : float[..]
/// %9 = sign(%0) : float[..]
/// %10 = add(%8, %9) : float[..]
/// %11 = abs(%0) : float[..]
/// %12 whole = add(%10, %11) : float[..]
/// %13 = abs(%1) : float[..]
/// %14 = literal 1.0 : float[]
/// %15 = add(%13, %14) : float[..]
/// %16 = rem(%0, %15) : float[..]
/// %17 = add(%12, %16) : float[..]
/// %18 = maximum(%0, %1) : float[..]
/// %19 = add(%17, %18) : float[..]
/// %20 = minimum(%0, %1) : float[..]
/// %21 = add(%19, %20) : float[..]
/// %22 = literal 0.5 : float[]
/// %23 = add(%11, %22) : float[..]
/// %24 = pow(%23, %1) : float[..]
/// %25 = add(%21, %24) : float[..]
/// %26 = atan2(%0, %1) : float[..]
/// %27 = add(%25, %26) : float[..]
/// out out = %27 [..]
/// ```
///
/// ```text
/// kernel 0: pointwise
///   for each of [] over [..]
///   pass 0: uniforms (), elements (x, y)
///     out[..] <- %27
/// ```
pub(crate) fn roundings_cpu(
    args: &Args<'_, NdArrayTensor>,
) -> Result<Vec<NdArrayTensor>> {
    const PASSES: &[PassFns] = &[PassFns::of::<RoundingsPass0>()];
    run_passes(args, PASSES, 12391854459061483179)
}

struct RoundingsPass0;
impl Pass for RoundingsPass0 {
    #[inline(always)]
    fn run<L: Lane>(block: &mut Block<'_, '_, L>) {
        block
            .elements(|[x, y], [], []| {
                let t0 = x.abs();
                let whole = x.floor() + x.ceil() + x.round() + x.trunc() + x.sign() + t0;
                (
                    [
                        whole + x % (y.abs() + L::float(1.0)) + x.maximum(y)
                            + x.minimum(y) + (t0 + L::float(0.5)).pow(y) + x.atan2(y),
                    ],
                    [],
                    [],
                )
            });
    }
}

/// Runs `roundings_backward`: its graph, and the passes of its kernels.
///
/// ```text
/// op roundings_backward
/// dim .. group
/// arg x: float[..], forward 0
/// arg y: float[..], forward 1
/// arg grad_out: float[..], grad 0
/// %0 = input x : float[..]
/// %1 = input y : float[..]
/// %2 = abs(%0) : float[..]
/// %3 = abs(%1) : float[..]
/// %4 = literal 1.0 : float[]
/// %5 = add(%3, %4) : float[..]
/// %6 = literal 0.5 : float[]
/// %7 = add(%2, %6) : float[..]
/// %8 = pow(%7, %1) : float[..]
/// %9 = input grad_out : float[..]
/// %10 = maximum(%2, %3) : float[..]
/// %11 = is_finite(%10) : bool[..]
/// %12 = literal 0.0 : float[]
/// %13 = gt(%10, %12) : bool[..]
/// %14 = and(%11, %13) : bool[..]
/// %15 = select(%14, %10, %4) : float[..]
/// %16 = div(%0, %15) : float[..]
/// %17 = div(%1, %15) : float[..]
/// %18 = mul(%16, %16) : float[..]
/// %19 = mul(%17, %17) : float[..]
/// %20 = add(%18, %19) : float[..]
/// %21 = mul(%15, %20) : float[..]
/// %22 = eq(%21, %12) : bool[..]
/// %23 = div(%17, %21) : float[..]
/// %24 = mul(%9, %23) : float[..]
/// %25 = select(%22, %12, %24) : float[..]
/// %26 = div(%16, %21) : float[..]
/// %27 = mul(%9, %26) : float[..]
/// %28 = neg(%27) : float[..]
/// %29 = select(%22, %12, %28) : float[..]
/// %30 = sub(%1, %4) : float[..]
/// %31 = pow(%7, %30) : float[..]
/// %32 = mul(%1, %31) : float[..]
/// %33 = mul(%9, %32) : float[..]
/// %34 = eq(%1, %12) : bool[..]
/// %35 = select(%34, %12, %33) : float[..]
/// %36 = eq(%7, %12) : bool[..]
/// %37 = ge(%1, %12) : bool[..]
/// %38 = and(%36, %37) : bool[..]
/// %39 = ln(%7) : float[..]
/// %40 = mul(%8, %39) : float[..]
/// %41 = mul(%9, %40) : float[..]
/// %42 = select(%38, %12, %41) : float[..]
/// %43 = add(%29, %42) : float[..]
/// %44 = gt(%0, %1) : bool[..]
/// %45 = eq(%0, %1) : bool[..]
/// %46 = mul(%9, %6) : float[..]
/// %47 = select(%45, %46, %9) : float[..]
/// %48 = select(%44, %12, %47) : float[..]
/// %49 = gt(%1, %0) : bool[..]
/// %50 = select(%49, %12, %47) : float[..]
/// %51 = add(%25, %48) : float[..]
/// %52 = add(%43, %50) : float[..]
/// %53 = lt(%0, %1) : bool[..]
/// %54 = select(%53, %12, %47) : float[..]
/// %55 = lt(%1, %0) : bool[..]
/// %56 = select(%55, %12, %47) : float[..]
/// %57 = add(%51, %54) : float[..]
/// %58 = add(%52, %56) : float[..]
/// %59 = div(%0, %5) : float[..]
/// %60 = trunc(%59) : float[..]
/// %61 = mul(%9, %60) : float[..]
/// %62 = add(%57, %9) : float[..]
/// %63 = sign(%1) : float[..]
/// %64 = mul(%61, %63) : float[..]
/// %65 = sub(%58, %64) : float[..]
/// %66 = add(%35, %9) : float[..]
/// %67 = sign(%0) : float[..]
/// %68 = mul(%66, %67) : float[..]
/// %69 = add(%62, %68) : float[..]
/// out grad_x = %69 [..] like x
/// out grad_y = %65 [..] like y
/// ```
///
/// ```text
/// kernel 0: pointwise
///   for each of [] over [..]
///   pass 0: uniforms (), elements (x, y, grad_out)
///     grad_y[..] <- %65
///     grad_x[..] <- %69
/// ```
pub(crate) fn roundings_backward_cpu(
    args: &Args<'_, NdArrayTensor>,
) -> Result<Vec<NdArrayTensor>> {
    const PASSES: &[PassFns] = &[PassFns::of::<RoundingsBackwardPass0>()];
    run_passes(args, PASSES, 5833123396555727720)
}

struct RoundingsBackwardPass0;
impl Pass for RoundingsBackwardPass0 {
    #[inline(always)]
    fn run<L: Lane>(block: &mut Block<'_, '_, L>) {
        block
            .elements(|[x, y, grad_out], [], []| {
                let t0 = x.abs();
                let t1 = y.abs();
                let t2 = t0.maximum(t1);
                let t3 = L::select(
                    t2.is_finite() & t2.gt(L::float(0.0)),
                    t2,
                    L::float(1.0),
                );
                let t4 = x / t3;
                let t5 = y / t3;
                let t6 = t3 * (t4 * t4 + t5 * t5);
                let t7 = t6.equal(L::float(0.0));
                let t8 = t0 + L::float(0.5);
                let t9 = L::select(x.equal(y), grad_out * L::float(0.5), grad_out);
                (
                    [
                        L::select(t7, L::float(0.0), -(grad_out * (t4 / t6)))
                            + L::select(
                                t8.equal(L::float(0.0)) & y.ge(L::float(0.0)),
                                L::float(0.0),
                                grad_out * (t8.pow(y) * t8.ln()),
                            ) + L::select(y.gt(x), L::float(0.0), t9)
                            + L::select(y.lt(x), L::float(0.0), t9)
                            - grad_out * (x / (t1 + L::float(1.0))).trunc() * y.sign(),
                        L::select(t7, L::float(0.0), grad_out * (t5 / t6))
                            + L::select(x.gt(y), L::float(0.0), t9)
                            + L::select(x.lt(y), L::float(0.0), t9) + grad_out
                            + (L::select(
                                y.equal(L::float(0.0)),
                                L::float(0.0),
                                grad_out * (y * t8.pow(y - L::float(1.0))),
                            ) + grad_out) * x.sign(),
                    ],
                    [],
                    [],
                )
            });
    }
}
