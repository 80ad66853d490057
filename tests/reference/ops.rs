//! One op for each reference: each primitive and formula alone, and composites as users write them.

use super::compare::Run;
use tensor_op::prelude::*;

/// The results of an op: one tensor or two.
trait Outputs {
    fn list(self) -> Vec<Tensor>;
}

impl Outputs for Tensor {
    fn list(self) -> Vec<Tensor> {
        vec![self]
    }
}

impl Outputs for (Tensor, Tensor) {
    fn list(self) -> Vec<Tensor> {
        vec![self.0, self.1]
    }
}

/// Declares ops, and a function `table()` that lists them. `@no_grad fn` declares an op without a gradient.
macro_rules! ops {
    ($($(@$flag:ident)? fn $name:ident($($x:ident: $kind:ident $(!$axes:tt)?),*) -> $out:tt $(!$result:tt)? { $($body:tt)* })*) => {
        $(
            #[tensor_op]
            $(#[$flag])?
            fn $name($($x: $kind $(!$axes)?),*) -> $out $(!$result)? { $($body)* }
        )*

        pub(crate) fn table() -> Vec<(&'static str, super::Run)> {
            vec![$((stringify!($name), |inputs| {
                let [$($x),*] = inputs else { panic!(concat!("inputs of ", stringify!($name))) };
                Ok(super::Outputs::list($name($($x),*)?))
            })),*]
        }
    };
}

pub(crate) mod unary {
    use tensor_op::prelude::*;

    ops! {
        fn neg(x: Tensor) -> Tensor { -x }
        fn exp(x: Tensor) -> Tensor { exp(x) }
        fn exp2(x: Tensor) -> Tensor { exp2(x) }
        fn expm1(x: Tensor) -> Tensor { expm1(x) }
        fn ln(x: Tensor) -> Tensor { ln(x) }
        fn log2(x: Tensor) -> Tensor { log2(x) }
        fn log1p(x: Tensor) -> Tensor { log1p(x) }
        fn sqrt(x: Tensor) -> Tensor { sqrt(x) }
        fn rsqrt(x: Tensor) -> Tensor { rsqrt(x) }
        fn recip(x: Tensor) -> Tensor { recip(x) }
        fn sin(x: Tensor) -> Tensor { sin(x) }
        fn cos(x: Tensor) -> Tensor { cos(x) }
        fn tan(x: Tensor) -> Tensor { tan(x) }
        fn asin(x: Tensor) -> Tensor { asin(x) }
        fn acos(x: Tensor) -> Tensor { acos(x) }
        fn atan(x: Tensor) -> Tensor { atan(x) }
        fn sinh(x: Tensor) -> Tensor { sinh(x) }
        fn cosh(x: Tensor) -> Tensor { cosh(x) }
        fn tanh(x: Tensor) -> Tensor { tanh(x) }
        fn asinh(x: Tensor) -> Tensor { asinh(x) }
        fn acosh(x: Tensor) -> Tensor { acosh(x) }
        fn atanh(x: Tensor) -> Tensor { atanh(x) }
        fn erf(x: Tensor) -> Tensor { erf(x) }
        fn erfc(x: Tensor) -> Tensor { erfc(x) }
        fn lgamma(x: Tensor) -> Tensor { lgamma(x) }
        fn digamma(x: Tensor) -> Tensor { digamma(x) }
        @no_grad fn trigamma(x: Tensor) -> Tensor { trigamma(x) }
        fn abs(x: Tensor) -> Tensor { x.abs() }
        @no_grad fn sign(x: Tensor) -> Tensor { sign(x) }
        @no_grad fn floor(x: Tensor) -> Tensor { floor(x) }
        @no_grad fn ceil(x: Tensor) -> Tensor { ceil(x) }
        @no_grad fn trunc(x: Tensor) -> Tensor { trunc(x) }
        @no_grad fn round(x: Tensor) -> Tensor { round(x) }
        fn is_nan(x: Tensor) -> BoolTensor { is_nan(x) }
        fn is_finite(x: Tensor) -> BoolTensor { is_finite(x) }
        @no_grad fn cast_int(x: Tensor) -> IntTensor { cast(x, int) }
        @no_grad fn cast_bool(x: Tensor) -> BoolTensor { cast(x, bool) }
        fn cast_float(x: IntTensor) -> Tensor { cast(x, float) }
        fn not(x: BoolTensor) -> BoolTensor { !x }
        fn stop_grad(x: Tensor) -> Tensor { x * stop_grad(x) }
        fn relu(x: Tensor) -> Tensor { relu(x) }
        fn sigmoid(x: Tensor) -> Tensor { sigmoid(x) }
        fn silu(x: Tensor) -> Tensor { silu(x) }
        fn gelu(x: Tensor) -> Tensor { gelu(x) }
        fn gelu_tanh(x: Tensor) -> Tensor { gelu_tanh(x) }
        fn softplus(x: Tensor) -> Tensor { softplus(x) }
        fn mish(x: Tensor) -> Tensor { mish(x) }
        fn sinc(x: Tensor) -> Tensor { sinc(x) }
        fn square(x: Tensor) -> Tensor { square(x) }
        fn cube(x: Tensor) -> Tensor { cube(x) }
    }
}

pub(crate) mod binary {
    use tensor_op::prelude::*;

    ops! {
        fn add(a: Tensor, b: Tensor) -> Tensor { a + b }
        fn sub(a: Tensor, b: Tensor) -> Tensor { a - b }
        fn mul(a: Tensor, b: Tensor) -> Tensor { a * b }
        fn div(a: Tensor, b: Tensor) -> Tensor { a / b }
        fn rem(a: Tensor, b: Tensor) -> Tensor { a % b }
        fn maximum(a: Tensor, b: Tensor) -> Tensor { maximum(a, b) }
        fn minimum(a: Tensor, b: Tensor) -> Tensor { a.minimum(b) }
        fn pow(a: Tensor, b: Tensor) -> Tensor { pow(a, b) }
        fn atan2(a: Tensor, b: Tensor) -> Tensor { atan2(a, b) }
        fn hypot(a: Tensor, b: Tensor) -> Tensor { hypot(a, b) }
        fn logaddexp(a: Tensor, b: Tensor) -> Tensor { logaddexp(a, b) }
        fn lt(a: Tensor, b: Tensor) -> BoolTensor { a < b }
        fn le(a: Tensor, b: Tensor) -> BoolTensor { a <= b }
        fn gt(a: Tensor, b: Tensor) -> BoolTensor { a > b }
        fn ge(a: Tensor, b: Tensor) -> BoolTensor { a >= b }
        fn eq(a: Tensor, b: Tensor) -> BoolTensor { a == b }
        fn ne(a: Tensor, b: Tensor) -> BoolTensor { a != b }
        fn and(a: BoolTensor, b: BoolTensor) -> BoolTensor { a & b }
        fn or(a: BoolTensor, b: BoolTensor) -> BoolTensor { a | b }
        fn select(cond: BoolTensor, a: Tensor, b: Tensor) -> Tensor { select(cond, a, b) }
        fn clamp(x: Tensor) -> Tensor { clamp(x, -1.0, 1.0) }
        fn clamp_bounds(x: Tensor, low: Tensor, high: Tensor) -> Tensor { clamp(x, low, high) }
        fn add_int(a: IntTensor, b: IntTensor) -> IntTensor { a + b }
        fn sub_int(a: IntTensor, b: IntTensor) -> IntTensor { a - b }
        fn mul_int(a: IntTensor, b: IntTensor) -> IntTensor { a * b }
        fn div_int(a: IntTensor, b: IntTensor) -> IntTensor { a / b }
        fn rem_int(a: IntTensor, b: IntTensor) -> IntTensor { a % b }
    }
}

pub(crate) mod reductions {
    use tensor_op::prelude::*;

    ops! {
        fn sum_row(x: Tensor![m, n]) -> Tensor![m] { sum(x, n) }
        fn sum_col(x: Tensor![m, n]) -> Tensor![n] { sum(x, m) }
        fn sum_all(x: Tensor![m, n]) -> Tensor![] { sum(x, (m, n)) }
        fn mean_row(x: Tensor![m, n]) -> Tensor![m] { mean(x, n) }
        fn mean_col(x: Tensor![m, n]) -> Tensor![n] { mean(x, m) }
        fn mean_all(x: Tensor![m, n]) -> Tensor![] { mean(x, (m, n)) }
        fn prod_row(x: Tensor![m, n]) -> Tensor![m] { prod(x, n) }
        fn prod_col(x: Tensor![m, n]) -> Tensor![n] { prod(x, m) }
        fn prod_all(x: Tensor![m, n]) -> Tensor![] { prod(x, (m, n)) }
        fn max_row(x: Tensor![m, n]) -> Tensor![m] { max(x, n) }
        fn max_col(x: Tensor![m, n]) -> Tensor![n] { max(x, m) }
        fn max_all(x: Tensor![m, n]) -> Tensor![] { max(x, (m, n)) }
        fn min_row(x: Tensor![m, n]) -> Tensor![m] { min(x, n) }
        fn min_col(x: Tensor![m, n]) -> Tensor![n] { min(x, m) }
        fn min_all(x: Tensor![m, n]) -> Tensor![] { min(x, (m, n)) }
        fn argmax_row(x: Tensor![m, n]) -> IntTensor![m] { argmax(x, n) }
        fn argmax_col(x: Tensor![m, n]) -> IntTensor![n] { argmax(x, m) }
        fn argmax_all(x: Tensor![m, n]) -> IntTensor![] { argmax(x, (m, n)) }
        fn argmin_row(x: Tensor![m, n]) -> IntTensor![m] { argmin(x, n) }
        fn argmin_col(x: Tensor![m, n]) -> IntTensor![n] { argmin(x, m) }
        fn argmin_all(x: Tensor![m, n]) -> IntTensor![] { argmin(x, (m, n)) }
        fn any_row(x: BoolTensor![m, n]) -> BoolTensor![m] { any(x, n) }
        fn any_col(x: BoolTensor![m, n]) -> BoolTensor![n] { any(x, m) }
        fn any_all(x: BoolTensor![m, n]) -> BoolTensor![] { any(x, (m, n)) }
        fn all_row(x: BoolTensor![m, n]) -> BoolTensor![m] { all(x, n) }
        fn all_col(x: BoolTensor![m, n]) -> BoolTensor![n] { all(x, m) }
        fn all_all(x: BoolTensor![m, n]) -> BoolTensor![] { all(x, (m, n)) }
        fn logsumexp_row(x: Tensor![m, n]) -> Tensor![m] { logsumexp(x, n) }
        fn logsumexp_col(x: Tensor![m, n]) -> Tensor![n] { logsumexp(x, m) }
        fn logsumexp_all(x: Tensor![m, n]) -> Tensor![] { logsumexp(x, (m, n)) }
        fn var0_row(x: Tensor![m, n]) -> Tensor![m] { var(x, n) }
        fn var0_col(x: Tensor![m, n]) -> Tensor![n] { var(x, m) }
        fn var0_all(x: Tensor![m, n]) -> Tensor![] { var(x, (m, n)) }
        fn var1_row(x: Tensor![m, n]) -> Tensor![m] { var(x, n, 1) }
        fn var1_col(x: Tensor![m, n]) -> Tensor![n] { var(x, m, 1) }
        fn var1_all(x: Tensor![m, n]) -> Tensor![] { var(x, (m, n), 1) }
        fn std0_row(x: Tensor![m, n]) -> Tensor![m] { std(x, n) }
        fn std0_col(x: Tensor![m, n]) -> Tensor![n] { std(x, m) }
        fn std0_all(x: Tensor![m, n]) -> Tensor![] { std(x, (m, n)) }
        fn std1_row(x: Tensor![m, n]) -> Tensor![m] { std(x, n, 1) }
        fn std1_col(x: Tensor![m, n]) -> Tensor![n] { std(x, m, 1) }
        fn std1_all(x: Tensor![m, n]) -> Tensor![] { std(x, (m, n), 1) }
        fn norm_row(x: Tensor![m, n]) -> Tensor![m] { norm(x, n) }
        fn norm_col(x: Tensor![m, n]) -> Tensor![n] { norm(x, m) }
        fn norm_all(x: Tensor![m, n]) -> Tensor![] { norm(x, (m, n)) }
        fn softmax_row(x: Tensor![m, n]) -> Tensor![m, n] { softmax(x, n) }
        fn softmax_col(x: Tensor![m, n]) -> Tensor![m, n] { softmax(x, m) }
        fn log_softmax_row(x: Tensor![m, n]) -> Tensor![m, n] { log_softmax(x, n) }
        fn log_softmax_col(x: Tensor![m, n]) -> Tensor![m, n] { log_softmax(x, m) }
    }
}

pub(crate) mod composites {
    use tensor_op::prelude::*;

    ops! {
        fn silu_mul(x: Tensor, gate: Tensor) -> Tensor { x * gate * sigmoid(gate) }
        fn rms_norm(x: Tensor![.., n], gamma: Tensor![n]) -> Tensor![.., n] {
            x * rsqrt(mean(x * x, n) + 1e-6) * gamma
        }
        fn add_rms_norm(x: Tensor![.., n], residual: Tensor![.., n], gamma: Tensor![n]) -> (Tensor![.., n], Tensor![.., n]) {
            let s = x + residual;
            (s * rsqrt(mean(s * s, n) + 1e-6) * gamma, s)
        }
        fn layer_norm(x: Tensor![.., n], gamma: Tensor![n], beta: Tensor![n]) -> Tensor![.., n] {
            let centred = x - mean(x, n);
            centred * rsqrt(mean(centred * centred, n) + 1e-5) * gamma + beta
        }
        fn group_norm(
            x: Tensor![b, (g = 2, c), h, w],
            gamma: Tensor![(g = 2, c)],
            beta: Tensor![(g = 2, c)]
        ) -> Tensor![b, (g = 2, c), h, w] {
            let centred = x - mean(x, (c, h, w));
            centred * rsqrt(mean(centred * centred, (c, h, w)) + 1e-5) * gamma + beta
        }
        fn cross_entropy(logits: Tensor![b, v], target: IntTensor![b]) -> Tensor![b] {
            logsumexp(logits, v) - at(logits, v = target)
        }
        fn embedding(weight: Tensor![v, d], ids: IntTensor![..]) -> Tensor![.., d] { at(weight, v = ids) }
        fn pick(x: Tensor![b, n], index: IntTensor![b]) -> Tensor![b] { at(x, n = index) }
        fn matmul(a: Tensor![.., m, k], b: Tensor![.., k, n]) -> Tensor![.., m, n] { sum(a * b, k) }
        fn matmul_nt(a: Tensor![m, k], b: Tensor![n, k]) -> Tensor![m, n] { sum(a * b, k) }
        fn matmul_tn(a: Tensor![k, m], b: Tensor![k, n]) -> Tensor![m, n] { sum(a * b, k) }
        fn outer(a: Tensor![m], b: Tensor![n]) -> Tensor![m, n] { a * b }
        fn dot(a: Tensor![k], b: Tensor![k]) -> Tensor![] { sum(a * b, k) }
        fn matmul_add_relu(lhs: Tensor![.., m, k], rhs: Tensor![.., k, n], bias: Tensor![n]) -> Tensor![.., m, n] {
            relu(sum(lhs * rhs, k) + bias)
        }
        fn attention(q: Tensor![.., s, d], k: Tensor![.., t, d], v: Tensor![.., t, e]) -> Tensor![.., s, e] {
            let scores = sum(q * k, d) / sqrt(len(d));
            sum(softmax(scores, t) * v, t)
        }
        fn rotary(x: Tensor![.., s, (half = 2, d)], cosine: Tensor![s, d], sine: Tensor![s, d]) -> Tensor![.., s, (half = 2, d)] {
            let first = at(x, half = 0);
            let second = at(x, half = 1);
            select(iota(half) == 0, first * cosine - second * sine, second * cosine + first * sine)
        }
        fn iota(x: Tensor![.., n]) -> Tensor![.., n] { x * cast(iota(n), float) }
        fn len(x: Tensor![.., n]) -> Tensor![.., n] { x / len(n) }
    }
}

/// Ops of the catalogue.
pub(crate) mod special {
    use tensor_op::catalogue::special::*;
    use tensor_op::prelude::*;

    /// Names of ops, each with the call.
    macro_rules! table {
        ($($name:literal: |$($x:ident),*| $call:expr;)*) => {
            pub(crate) fn table() -> Vec<(&'static str, super::Run)> {
                vec![$(($name, |inputs| {
                    let [$($x),*] = inputs else { panic!(concat!("inputs of ", $name)) };
                    Ok(vec![$call?])
                })),*]
            }
        };
    }

    table! {
        "erfinv": |x| erfinv(x);
        "ndtri": |x| ndtri(x);
        "i0": |x| i0(x);
        "i0e": |x| i0e(x);
        "i1": |x| i1(x);
        "i1e": |x| i1e(x);
        "bessel_j0": |x| bessel_j0(x);
        "bessel_j1": |x| bessel_j1(x);
        "zeta": |x, q| zeta(x, q);
        "trigamma": |x| trigamma(x);
        "polygamma_0": |x| polygamma(0, x);
        "polygamma_1": |x| polygamma(1, x);
        "polygamma_2": |x| polygamma(2, x);
        "polygamma_7": |x| polygamma(7, x);
        "polygamma_30": |x| polygamma(30, x);
    }
}
