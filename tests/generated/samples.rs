//! Ops whose arguments are hard to draw: their generated tests pass only if points in the domain of the formula are found. An op a line.
#![allow(dead_code, reason = "what is called are the tests that they generate")]

use tensor_op::prelude::*;

/// Ops, one a line: `name(arguments) -> result = formula;`.
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
    either_side(x: Tensor) -> [Tensor] = select(x > 37.5, ln(x), x * x);
}
