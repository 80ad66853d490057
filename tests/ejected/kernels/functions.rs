//! The generated CPU kernels of `functions`. To run this file instead, write
//! `#[kernel(cpu = functions_cpu, cpu_backward = functions_backward_cpu)]` on the op.
//! An op of another crate gets it by `tensor_op::backend::register_kernel::<tensor_op::NdArray>`.
#![allow(clippy::approx_constant, clippy::eq_op, clippy::legacy_numeric_constants)]

use tensor_op::Result;
use tensor_op::cpu::{Args, NdArrayTensor, PassFns, run_passes};
use tensor_op::cpu::{Block, Lane, Pass};
#[allow(unused_imports)]
use tensor_op::cpu::{IntLane as _, MaskLane as _};

/// Runs `functions`: its graph, and the passes of its kernels.
///
/// ```text
/// op functions
/// dim .. group
/// arg x: float[..], forward 0
/// %0 = input x : float[..]
/// %1 = sin(%0) : float[..]
/// %2 = cos(%0) : float[..]
/// %3 = add(%1, %2) : float[..]
/// %4 = tan(%0) : float[..]
/// %5 = add(%3, %4) : float[..]
/// %6 = sinh(%0) : float[..]
/// %7 = add(%5, %6) : float[..]
/// %8 = cosh(%0) : float[..]
/// %9 = add(%7, %8) : float[..]
/// %10 = tanh(%0) : float[..]
/// %11 = add(%9, %10) : float[..]
/// %12 = asinh(%0) : float[..]
/// %13 = add(%11, %12) : float[..]
/// %14 = atan(%0) : float[..]
/// %15 waves = add(%13, %14) : float[..]
/// %16 = asin(%10) : float[..]
/// %17 = acos(%10) : float[..]
/// %18 = add(%16, %17) : float[..]
/// %19 = acosh(%8) : float[..]
/// %20 = add(%18, %19) : float[..]
/// %21 = atanh(%10) : float[..]
/// %22 inverse = add(%20, %21) : float[..]
/// %23 = exp(%0) : float[..]
/// %24 = exp2(%0) : float[..]
/// %25 = add(%23, %24) : float[..]
/// %26 = expm1(%0) : float[..]
/// %27 = add(%25, %26) : float[..]
/// %28 = sqrt(%23) : float[..]
/// %29 = add(%27, %28) : float[..]
/// %30 = rsqrt(%23) : float[..]
/// %31 = add(%29, %30) : float[..]
/// %32 = recip(%23) : float[..]
/// %33 powers = add(%31, %32) : float[..]
/// %34 = ln(%23) : float[..]
/// %35 = log2(%24) : float[..]
/// %36 = add(%34, %35) : float[..]
/// %37 = log1p(%23) : float[..]
/// %38 logs = add(%36, %37) : float[..]
/// %39 = erf(%0) : float[..]
/// %40 = erfc(%0) : float[..]
/// %41 = add(%39, %40) : float[..]
/// %42 = lgamma(%23) : float[..]
/// %43 = add(%41, %42) : float[..]
/// %44 = digamma(%23) : float[..]
/// %45 special = add(%43, %44) : float[..]
/// %46 = add(%15, %22) : float[..]
/// %47 = add(%46, %33) : float[..]
/// %48 = add(%47, %38) : float[..]
/// %49 = add(%48, %45) : float[..]
/// out out = %49 [..]
/// ```
///
/// ```text
/// kernel 0: pointwise
///   for each of [] over [..]
///   pass 0: uniforms (), elements (x)
///     out[..] <- %49
/// ```
pub(crate) fn functions_cpu(
    args: &Args<'_, NdArrayTensor>,
) -> Result<Vec<NdArrayTensor>> {
    const PASSES: &[PassFns] = &[PassFns::of::<FunctionsPass0>()];
    run_passes(args, PASSES, 3192885460569918132)
}

struct FunctionsPass0;
impl Pass for FunctionsPass0 {
    #[inline(always)]
    fn run<L: Lane>(block: &mut Block<'_, '_, L>) {
        block
            .elements(|[x], [], []| {
                let t0 = x.cosh();
                let t1 = x.tanh();
                let waves = x.sin() + x.cos() + x.tan() + x.sinh() + t0 + t1 + x.asinh()
                    + x.atan();
                let inverse = t1.asin() + t1.acos() + t0.acosh() + t1.atanh();
                let t2 = x.exp();
                let t3 = x.exp2();
                let powers = t2 + t3 + x.expm1() + t2.sqrt() + t2.rsqrt() + t2.recip();
                let logs = t2.ln() + t3.log2() + t2.log1p();
                let special = x.erf() + x.erfc() + t2.lgamma() + t2.digamma();
                ([waves + inverse + powers + logs + special], [], [])
            });
    }
}

/// Runs `functions_backward`: its graph, and the passes of its kernels.
///
/// ```text
/// op functions_backward
/// dim .. group
/// arg x: float[..], forward 0
/// arg grad_out: float[..], grad 0
/// %0 = input x : float[..]
/// %1 = sin(%0) : float[..]
/// %2 = cos(%0) : float[..]
/// %3 = tan(%0) : float[..]
/// %4 = sinh(%0) : float[..]
/// %5 = cosh(%0) : float[..]
/// %6 = tanh(%0) : float[..]
/// %7 = exp(%0) : float[..]
/// %8 = exp2(%0) : float[..]
/// %9 = expm1(%0) : float[..]
/// %10 = sqrt(%7) : float[..]
/// %11 = rsqrt(%7) : float[..]
/// %12 = recip(%7) : float[..]
/// %13 = digamma(%7) : float[..]
/// %14 = input grad_out : float[..]
/// %15 = trigamma(%7) : float[..]
/// %16 = mul(%14, %15) : float[..]
/// %17 = mul(%14, %13) : float[..]
/// %18 = add(%16, %17) : float[..]
/// %19 = mul(%0, %0) : float[..]
/// %20 = neg(%19) : float[..]
/// %21 = exp(%20) : float[..]
/// %22 = mul(%14, %21) : float[..]
/// %23 = literal 1.1283791670955126 : float[]
/// %24 = mul(%23, %22) : float[..]
/// %25 = sub(%24, %24) : float[..]
/// %26 = literal 1.0 : float[]
/// %27 = add(%7, %26) : float[..]
/// %28 = div(%14, %27) : float[..]
/// %29 = add(%18, %28) : float[..]
/// %30 = literal 0.6931471805599453 : float[]
/// %31 = div(%14, %8) : float[..]
/// %32 = div(%31, %30) : float[..]
/// %33 = div(%14, %7) : float[..]
/// %34 = add(%29, %33) : float[..]
/// %35 = mul(%14, %12) : float[..]
/// %36 = mul(%35, %12) : float[..]
/// %37 = sub(%34, %36) : float[..]
/// %38 = mul(%14, %11) : float[..]
/// %39 = mul(%38, %11) : float[..]
/// %40 = mul(%39, %11) : float[..]
/// %41 = literal 0.5 : float[]
/// %42 = mul(%41, %40) : float[..]
/// %43 = sub(%37, %42) : float[..]
/// %44 = literal 2.0 : float[]
/// %45 = div(%14, %10) : float[..]
/// %46 = div(%45, %44) : float[..]
/// %47 = add(%43, %46) : float[..]
/// %48 = add(%9, %26) : float[..]
/// %49 = mul(%14, %48) : float[..]
/// %50 = add(%25, %49) : float[..]
/// %51 = add(%47, %14) : float[..]
/// %52 = add(%32, %14) : float[..]
/// %53 = mul(%52, %8) : float[..]
/// %54 = mul(%53, %30) : float[..]
/// %55 = add(%50, %54) : float[..]
/// %56 = mul(%51, %7) : float[..]
/// %57 = add(%55, %56) : float[..]
/// %58 = sub(%26, %6) : float[..]
/// %59 = add(%6, %26) : float[..]
/// %60 = mul(%58, %59) : float[..]
/// %61 = div(%14, %60) : float[..]
/// %62 = sub(%5, %26) : float[..]
/// %63 = add(%5, %26) : float[..]
/// %64 = mul(%62, %63) : float[..]
/// %65 = abs(%5) : float[..]
/// %66 = literal 134217728.0 : float[]
/// %67 = gt(%65, %66) : bool[..]
/// %68 = sqrt(%64) : float[..]
/// %69 = select(%67, %65, %68) : float[..]
/// %70 = div(%14, %69) : float[..]
/// %71 = rsqrt(%60) : float[..]
/// %72 = mul(%14, %71) : float[..]
/// %73 = sub(%61, %72) : float[..]
/// %74 = add(%73, %72) : float[..]
/// %75 = add(%19, %26) : float[..]
/// %76 = div(%14, %75) : float[..]
/// %77 = add(%57, %76) : float[..]
/// %78 = abs(%0) : float[..]
/// %79 = gt(%78, %66) : bool[..]
/// %80 = sqrt(%75) : float[..]
/// %81 = select(%79, %78, %80) : float[..]
/// %82 = div(%14, %81) : float[..]
/// %83 = add(%77, %82) : float[..]
/// %84 = add(%74, %14) : float[..]
/// %85 = mul(%6, %6) : float[..]
/// %86 = sub(%26, %85) : float[..]
/// %87 = mul(%84, %86) : float[..]
/// %88 = add(%83, %87) : float[..]
/// %89 = add(%70, %14) : float[..]
/// %90 = mul(%89, %4) : float[..]
/// %91 = add(%88, %90) : float[..]
/// %92 = mul(%14, %5) : float[..]
/// %93 = add(%91, %92) : float[..]
/// %94 = mul(%3, %3) : float[..]
/// %95 = add(%94, %26) : float[..]
/// %96 = mul(%14, %95) : float[..]
/// %97 = add(%93, %96) : float[..]
/// %98 = mul(%14, %1) : float[..]
/// %99 = sub(%97, %98) : float[..]
/// %100 = mul(%14, %2) : float[..]
/// %101 = add(%99, %100) : float[..]
/// out grad_x = %101 [..] like x
/// ```
///
/// ```text
/// kernel 0: pointwise
///   for each of [] over [..]
///   pass 0: uniforms (), elements (grad_out, x)
///     grad_x[..] <- %101
/// ```
pub(crate) fn functions_backward_cpu(
    args: &Args<'_, NdArrayTensor>,
) -> Result<Vec<NdArrayTensor>> {
    const PASSES: &[PassFns] = &[PassFns::of::<FunctionsBackwardPass0>()];
    run_passes(args, PASSES, 3867139116359404104)
}

struct FunctionsBackwardPass0;
impl Pass for FunctionsBackwardPass0 {
    #[inline(always)]
    fn run<L: Lane>(block: &mut Block<'_, '_, L>) {
        block
            .elements(|[grad_out, x], [], []| {
                let t0 = x * x;
                let t1 = L::float(1.1283791670955126) * (grad_out * (-t0).exp());
                let t2 = x.exp2();
                let t3 = x.exp();
                let t4 = t3.recip();
                let t5 = t3.rsqrt();
                let t6 = t0 + L::float(1.0);
                let t7 = x.abs();
                let t8 = x.tanh();
                let t9 = (L::float(1.0) - t8) * (t8 + L::float(1.0));
                let t10 = grad_out * t9.rsqrt();
                let t11 = x.cosh();
                let t12 = t11.abs();
                let t13 = x.tan();
                (
                    [
                        t1 - t1 + grad_out * (x.expm1() + L::float(1.0))
                            + (grad_out / t2 / L::float(0.6931471805599453) + grad_out)
                                * t2 * L::float(0.6931471805599453)
                            + (grad_out * t3.trigamma() + grad_out * t3.digamma()
                                + grad_out / (t3 + L::float(1.0)) + grad_out / t3
                                - grad_out * t4 * t4
                                - L::float(0.5) * (grad_out * t5 * t5 * t5)
                                + grad_out / t3.sqrt() / L::float(2.0) + grad_out) * t3
                            + grad_out / t6
                            + grad_out
                                / L::select(t7.gt(L::float(134217728.0)), t7, t6.sqrt())
                            + (grad_out / t9 - t10 + t10 + grad_out)
                                * (L::float(1.0) - t8 * t8)
                            + (grad_out
                                / L::select(
                                    t12.gt(L::float(134217728.0)),
                                    t12,
                                    ((t11 - L::float(1.0)) * (t11 + L::float(1.0))).sqrt(),
                                ) + grad_out) * x.sinh() + grad_out * t11
                            + grad_out * (t13 * t13 + L::float(1.0)) - grad_out * x.sin()
                            + grad_out * x.cos(),
                    ],
                    [],
                    [],
                )
            });
    }
}
