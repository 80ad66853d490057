//! Ops whose arguments are hard to draw. Their generated tests pass only if points in the domain of the
//! formula are found.
#![allow(dead_code, reason = "what is called are the tests that they generate")]

use tensor_op::prelude::*;

/// Declares ops, one a line: `name(arguments) -> result = formula;`.
macro_rules! ops {
    ($($name:ident($($argument:tt)*) -> [$($result:tt)*] = $formula:expr;)+) => {
        $(
            #[tensor_op]
            fn $name($($argument)*) -> $($result)* {
                $formula
            }
        )+
    };
}

// Indices that are computed.
ops! {
    every_other(x: Tensor![n], y: IntTensor![m]) -> [Tensor![m]] = at(x, n = y * 2);
    shifted(x: Tensor![n], ids: IntTensor![m], off: i64) -> [Tensor![m]] = at(x, n = ids + off);
    shifted_each(x: Tensor![n, d], ids: IntTensor![m], off: IntTensor![d]) -> [Tensor![m, d]] = at(x, n = ids - off);
    far(x: Tensor![n], ids: IntTensor![m]) -> [Tensor![m]] = at(x, n = 3 * (ids - 1000));
    backwards(x: Tensor![n], ids: IntTensor![m]) -> [Tensor![m]] = at(x, n = len(n) - 1 - ids);
    windows(x: Tensor![.., n], y: Tensor![m], w: Tensor![k], #[default(2)] stride: i64) -> [Tensor![.., m]] =
        y + sum(at(x, n = iota(m) * stride + iota(k)) * w, k);
    of_a_float(x: Tensor![n], #[no_grad] place: Tensor![m]) -> [Tensor![m]] = at(x, n = cast(place * 4.0, int));
    of_two_tables(x: Tensor![n], table: IntTensor![k], ids: IntTensor![m]) -> [Tensor![m]] = at(x, n = at(table, k = ids) - 7);
    product(x: Tensor![n], a: IntTensor![m], b: IntTensor![m]) -> [Tensor![m]] = at(x, n = a * b);
    remainder(x: Tensor![n], ids: IntTensor![m]) -> [Tensor![m]] = at(x, n = ids % 3);
    of_either_sign(x: Tensor![n], ids: IntTensor![m]) -> [Tensor![m]] = at(x, n = abs(ids));
    clamped(x: Tensor![n], ids: IntTensor![m]) -> [Tensor![m]] = at(x, n = minimum(maximum(ids, 0), len(n) - 1));
    chosen(x: Tensor![n], ids: IntTensor![m], keep: BoolTensor![m]) -> [Tensor![m]] = at(x, n = select(keep, ids + 4, 0));
    slice(x: Tensor![n], y: Tensor![m], off: i64) -> [Tensor![m]] = y * at(x, n = iota(m) + off);
    strided(x: Tensor![.., n], m: usize, stride: usize) -> [Tensor![.., m]] = at(x, n = iota(m) * stride);
    pooled(x: Tensor![h, w], a: usize, b: usize) -> [Tensor![a, b]] =
        at(at(x, h = 2 * iota(a)), w = 2 * iota(b)) + at(at(x, h = 2 * iota(a) + 1), w = 2 * iota(b) + 1);
    between(x: Tensor![n], p: Tensor![m]) -> [Tensor![m]] =
        at(x, n = cast(stop_grad(floor(p)), int)) * (p - stop_grad(floor(p))) + at(x, n = cast(stop_grad(floor(p)), int) + 1);
    of_the_largest(x: Tensor![n, d]) -> [Tensor![d]] = at(x, n = argmax(stop_grad(x), n));
    band(x: Tensor![n, m], off: IntTensor![k]) -> [Tensor![n, k]] = at(x, m = minimum(maximum(iota(n) + off, 0), len(m) - 1));
}

// Domains that lie elsewhere.
ops! {
    logarithm(x: Tensor) -> [Tensor] = ln(x - 10.0);
    circle(x: Tensor) -> [Tensor] = sqrt(1.0 - x * x);
    cosine(x: Tensor) -> [Tensor] = acosh(x + 3.0);
    pole(x: Tensor) -> [Tensor] = 1.0 / (x - 2.0);
    power(x: Tensor, y: Tensor) -> [Tensor] = pow(x - 5.0, y);
    narrow(x: Tensor) -> [Tensor] = asin(x / 50.0 - 3.0);
    tiny(x: Tensor) -> [Tensor] = atanh(x * 5000.0);
    large(x: Tensor) -> [Tensor] = sqrt(x / 1000.0 - 7.0);
    of_both(x: Tensor, y: Tensor) -> [Tensor] = ln(x * y - 300.0);
    apart(x: Tensor, y: Tensor) -> [Tensor] = sqrt(x - 2.0 * y - 40.0);
    in_the_ball(x: Tensor![.., n]) -> [Tensor![..]] = sqrt(1.0 - sum(x * x, n));
    chained(x: Tensor) -> [Tensor] = ln(ln(ln(x)));
    cut(x: Tensor, #[default(20.0)] from: f64) -> [Tensor] = ln(x - from);
    below(x: Tensor) -> [Tensor] = ln(1.0 - exp(x));
    of_a_formula(x: Tensor) -> [Tensor] = ln(sigmoid(x) - 0.9);
    inside(x: Tensor) -> [Tensor] = sqrt(x) + ln(5.0 - x);
    far_inside(x: Tensor) -> [Tensor] = sqrt(x - 500.0) + ln(501.0 - x);
    of_three(x: Tensor, y: Tensor, z: Tensor) -> [Tensor] = ln(x + y + z - 50.0);
    spread(x: Tensor![.., n]) -> [Tensor![..]] = sqrt(var(x, n) + 1.0) / ln(norm(x, n) + 30.0);
    ratio(x: Tensor, y: Tensor) -> [Tensor] = asin(x / y);
    exponent(x: Tensor, #[default(3.0)] p: f64) -> [Tensor] = pow(x - 2.0, p);
    count(x: Tensor, #[default(2)] k: usize, flip: bool) -> [Tensor] = select(flip, -x, x) * cast(k, float);
    either_side(x: Tensor) -> [Tensor] = select(x > 37.5, ln(x), x * x);
}

// Results that overflow where others don't, and infinite masks.
ops! {
    steep(x: Tensor, #[default(1000.0)] w: f64) -> [Tensor] = exp(w * x);
    masked(x: Tensor, keep: BoolTensor) -> [Tensor] = select(keep, x * x, -INFINITY);
}

// Slopes that are small compared with the value, slopes that change within a step, and slopes that exist at
// few points only.
ops! {
    offset(x: Tensor) -> [Tensor] = x + 1e8;
    offset_square(x: Tensor) -> [Tensor] = x * x + 1e10;
    fast(x: Tensor) -> [Tensor] = sin(1e5 * x);
    sum_of_unlike(x: Tensor![.., n]) -> [Tensor![..]] = sum(exp(20.0 * x), n);
    step_like(x: Tensor) -> [Tensor] = sigmoid(1e6 * x);
    peak(x: Tensor) -> [Tensor] = 1e-20 / (x * x + 1e-20);
    of_a_variance(x: Tensor![.., n]) -> [Tensor![..]] = rsqrt(var(x, n) - 4.0);
    of_a_difference(x: Tensor![.., n]) -> [Tensor![..]] = rsqrt(mean(x * x, n) - mean(x, n) * mean(x, n) - 100.0);
    of_a_product(x: Tensor![.., n]) -> [Tensor![..]] = sqrt(prod(x, n) - 50.0);
}

// A branch that is not chosen and has no gradient at the point, so the whole formula has none there.
ops! {
    not_chosen(x: Tensor) -> [Tensor] = select(x > 1.0, sqrt(x - 1.0), x * x);
}
