//! Written by `UPDATE=1 cargo test -p tensor-op-formulas --test compiled declarations_are_current`.

use tensor_op::Op;
use tensor_op::prelude::*;

#[tensor_op(tests = false)]
fn formula_10000(z: IntTensor![m], y: IntTensor![m], x: Tensor![m]) -> (IntTensor![m], Tensor![m]) {
    let v0 = (((x + x)) / (norm(((x + x)), m) + 0.5));
    (z, (select((v0 != 0.25), 1.0, 0.25) + ((logaddexp(((x + x)), ((x + x)))) + cast((at(y, m = iota(m) % len(m)) % at(y, m = iota(m) % len(m))), float))))
}

#[tensor_op(tests = false)]
fn formula_10001(x: Tensor![n, k, (g = 2, c), m, j], z: IntTensor![j], y: BoolTensor![j]) -> (Tensor![j, k, m, n, (g = 2, c)], Tensor![j]) {
    let v0 = at(y, j = iota(j) % len(j));
    (x, (select(v0, 1.0, 0.25) + cast(min(z, j), float)))
}

#[tensor_op(tests = false)]
fn formula_10002(x: Tensor![n, k, j, m]) -> Tensor![k, n] {
    let v0 = logsumexp(x, (m, j));
    tan(0.4 * tanh(v0))
}

#[tensor_op(tests = false)]
fn formula_10003(y: BoolTensor![m], x: Tensor![m]) -> (BoolTensor![m], BoolTensor![m], Tensor![m]) {
    let v0 = cube(asinh(x));
    let v1 = cast(stop_grad(v0), bool);
    (y, v1, (logaddexp(tan(0.4 * tanh(asinh(x))), v0)))
}

#[tensor_op(tests = false)]
fn formula_10004(x: Tensor![.., m], #[no_grad] y: Tensor![.., m], z: BoolTensor![.., m]) -> (BoolTensor![.., m], BoolTensor![.., m], Tensor![.., m]) {
    let v0 = rsqrt(square(y) + 0.5);
    (z, (y != v0), ((x * x)))
}

#[tensor_op(tests = false)]
fn formula_10005(x: Tensor![.., m]) -> Tensor![..] {
    let v0 = ((x / (abs(x) + 0.5)));
    let v1 = (1.0 / v0);
    let v2 = ((v1 - x));
    max((exp(0.5 * v2) / sum(exp(0.5 * v2), m)), m)
}

#[tensor_op(tests = false)]
fn formula_10006(g: usize, z: Tensor![.., m, k, (g, c)], x: Tensor![.., k, (g, c), m, n], y: Tensor![n]) -> (Tensor![n], Tensor![.., k, m, n, (g, c)]) {
    let v0 = abs(y);
    let v1 = (z - mean(z, (m, k, g)));
    let v2 = asinh(y);
    (v0, (sin(((z - x))) + (v1 + v2)))
}

#[tensor_op(tests = false)]
fn formula_10007(y: Tensor, x: Tensor) -> (Tensor, Tensor) {
    let v0 = sigmoid(y);
    let v1 = abs(x);
    let v2 = asin(0.9 * tanh(y));
    let v3 = (atan2(v1, v1));
    (v2, (round(stop_grad(3.0 * v0)) + v3))
}

#[tensor_op(tests = false)]
fn formula_10008(x: Tensor![n, m, k]) -> Tensor![k, m] {
    let v0 = ((sign(stop_grad(mean(x, n))) - sign(stop_grad(mean(x, n)))));
    v0
}

#[tensor_op(tests = false)]
fn formula_10009(x: Tensor) -> Tensor {
    let v0 = ln(abs((hypot(x, x))) + 0.5);
    let v1 = (x == v0);
    let v2 = log1p(abs(sign(stop_grad(v0))));
    let v3 = sign(stop_grad(v2));
    (select(v1, 1.0, 0.25) + v3)
}

#[tensor_op(tests = false)]
fn formula_10010(x: Tensor![.., k, n, j, m], flag: bool, #[default(2)] i: i64, y: IntTensor![.., n, m, j]) -> Tensor![.., j, k, m, n] {
    let v0 = argmax(y, (.., m, j));
    (select(flag, 1.0, 0.25) + (select((i > y), 1.0, 0.25) + (softplus(x) + cast(sum(v0, n), float))))
}

#[tensor_op(tests = false)]
fn formula_10011(g: usize, x: Tensor![.., j, n, m, k, (g, c)]) -> (Tensor![.., j, k, m, n, (g, c)], Tensor![.., j, k, m, n, (g, c)]) {
    let v0 = ((x - x));
    let v1 = cast(v0, float);
    let v2 = square(square(x));
    (v1, v2)
}

#[tensor_op(tests = false)]
fn formula_10012(z: IntTensor![..], #[default(0.5)] s: f64, x: Tensor![.., m, (g, c)], y: Tensor![.., m], g: usize) -> Tensor![m] {
    let v0 = cast(cast(stop_grad(stop_grad(s)), bool), float);
    let v1 = (logaddexp(x, x));
    let v2 = logsumexp(y, ..);
    let v3 = softmax(v1, m);
    (cast(max(z, ..), float) + (v0 + (v2 + max(v3, (.., m, g, c)))))
}

#[tensor_op(tests = false)]
#[recompute]
fn formula_10013(x: Tensor![.., m]) -> Tensor![.., m] {
    let v0 = erf(log_softmax((minimum(x, x)), m));
    mish(v0)
}

#[tensor_op(tests = false)]
fn formula_10014(y: BoolTensor![], z: Tensor![m], #[default(2)] i: i64, x: Tensor![k, j, n, m]) -> (IntTensor![], Tensor![m]) {
    let v0 = (((maximum(z, x)) / z));
    let v1 = select(y, asinh(v0), at(z, m = iota(m) % len(m)));
    let v2 = (y != y);
    (i, (select(v2, 1.0, 0.25) + (select((y != y), 1.0, 0.25) + mean(v1, (n, k, j)))))
}

#[tensor_op(tests = false)]
#[recompute]
fn formula_10015(x: Tensor![m, k, n, j]) -> Tensor![j, m] {
    let v0 = square(x);
    let v1 = ((sum((pow(v0, 2.0) * x), (n, k)) / sum((pow(v0, 2.0) * x), (n, k))));
    v1
}

#[tensor_op(tests = false)]
fn formula_10016(y: BoolTensor, axis: Axis, x: Tensor) -> (IntTensor, Tensor) {
    let v0 = (hypot(x, x));
    let v1 = cast(stop_grad(min((exp(0.5 * v0) / sum(exp(0.5 * v0), axis)), axis)), int);
    let v2 = sum(x, axis);
    let v3 = square(cast((exp(0.5 * v0) / sum(exp(0.5 * v0), axis)), float));
    let v4 = (y == y);
    (v1, (gelu((exp(0.5 * v0) / sum(exp(0.5 * v0), axis))) + (v2 + (v3 + select(v4, 1.0, 0.25)))))
}

#[tensor_op(tests = false)]
fn formula_10017(x: Tensor![n, (g = 2, c), k, m], y: BoolTensor![m, (g = 2, c), k], z: BoolTensor![k, n, m]) -> Tensor![k, m, n, (g = 2, c)] {
    let v0 = ln(x);
    (select(z, 1.0, 0.25) + (select(at(y, k = iota(c) % len(k)), 1.0, 0.25) + v0))
}

#[tensor_op(tests = false)]
fn formula_10018(#[default(2)] i: i64, x: Tensor![.., k, n, m], z: IntTensor![.., k], y: IntTensor![.., n, m], #[default(true)] flag: bool) -> (IntTensor![.., m, n], Tensor![.., k]) {
    let v0 = (((0.25 * cast(iota(k), float)) - (0.25 * cast(iota(k), float))));
    let v1 = at(z, k = len(k) - 1 - iota(k));
    (y, (cast(i, float) + (select(flag, 1.0, 0.25) + (select(is_finite(mean(x, (.., m, n, k))), 1.0, 0.25) + ((pow(v0, 2.0) * v0) + cast(v1, float))))))
}

#[tensor_op(tests = false)]
fn formula_10019(x: Tensor![.., k, m, n]) -> IntTensor![k, m] {
    let v0 = argmin(stop_grad(x), n);
    let v1 = argmax(v0, ..);
    v1
}

#[tensor_op(tests = false)]
fn formula_10020(y: Tensor![], x: Tensor![m, n]) -> (BoolTensor![m, n], Tensor![m]) {
    let v0 = (x < y);
    let v1 = log1p(abs(y));
    let v2 = (is_finite((0.25 * cast(iota(m), float))) != is_finite((0.25 * cast(iota(m), float))));
    let v3 = asinh((atan2(v1, (0.25 * cast(iota(m), float)))));
    let v4 = (exp(0.5 * v3) / sum(exp(0.5 * v3), m));
    (v0, (select(v2, 1.0, 0.25) + v4))
}

#[tensor_op(tests = false)]
fn formula_10021(y: Tensor![.., m, n], x: Tensor![.., m, n], #[default(0.5)] s: f64, z: IntTensor![.., n]) -> (IntTensor![.., n], Tensor![.., m, n]) {
    let v0 = sum(y, m);
    let v1 = ((pow(s, 2.0) * log_softmax(x, ..)) * rsqrt(mean(square((pow(s, 2.0) * log_softmax(x, ..))), ..) + 0.1));
    (z, (v0 + v1))
}

#[tensor_op(tests = false)]
#[recompute]
fn formula_10022(i: i64, x: Tensor![m, (g, c), n, k], g: usize) -> (BoolTensor![], Tensor![k, m, n, (g, c)]) {
    let v0 = acos(0.9 * sin(x));
    let v1 = ((v0 + x));
    let v2 = at(v1, k = len(k) - 1 - iota(k));
    let v3 = softplus(v2);
    let v4 = (i >= i);
    let v5 = ((v0 * v3));
    (v4, softplus(v5))
}

#[tensor_op(tests = false)]
fn formula_10023(x: Tensor![.., n, m], s: f64) -> (Tensor![], Tensor![.., m, n]) {
    let v0 = ((tanh(s) * var(x, (.., m, n))));
    let v1 = atan(v0);
    let v2 = rsqrt(square(v1) + 0.5);
    let v3 = floor(stop_grad(s));
    let v4 = (clamp(v2, v3, 1.5));
    let v5 = silu(x);
    (v4, v5)
}

#[tensor_op(tests = false)]
fn formula_10024(x: Tensor![m, n, k]) -> (BoolTensor![k, n], Tensor![k, m, n]) {
    let v0 = cos(x);
    let v1 = sqrt(v0);
    let v2 = log_softmax(v1, (m, n));
    ((relu(logsumexp(v0, m)) != 0.25), v2)
}

#[tensor_op(tests = false)]
fn formula_10025(y: IntTensor![n, m, k], x: Tensor![k, m, n]) -> Tensor![k, m, n] {
    let v0 = sum(x, k);
    let v1 = ((max((pow(v0, 2.0) * x), n) / (abs((pow(v0, 2.0) * x)) + 0.5)));
    let v2 = at(tan(0.4 * tanh(v1)), n = 0);
    (cast(y, float) + v2)
}

#[tensor_op(tests = false)]
fn formula_10026(x: Tensor![m, n]) -> (IntTensor![], Tensor![m, n]) {
    let v0 = (((clamp(x, acos(0.9 * sin(x)), 1.5)) / (clamp(x, acos(0.9 * sin(x)), 1.5))));
    let v1 = min(cast(stop_grad(v0), int), (m, n));
    let v2 = relu(v0);
    (v1, v2)
}

#[tensor_op(tests = false)]
fn formula_10027(#[default(true)] flag: bool, x: Tensor![n, j, k, m]) -> (Tensor![j, k, m, n], IntTensor![j, k]) {
    let v0 = tan(0.4 * tanh(((tan(0.4 * tanh(select(flag, x, x))) % 1.5 - x))));
    (v0, argmax(stop_grad(select(flag, x, x)), (m, n)))
}

#[tensor_op(tests = false)]
fn formula_10028(x: Tensor, y: Tensor, z: Tensor) -> Tensor {
    let v0 = (1.0 / z);
    let v1 = cosh(0.3 * y);
    (x + (v0 + (v1 + recip(abs(stop_grad(z)) + 0.7))))
}

#[tensor_op(tests = false)]
fn formula_10029(#[default(-1)] axis: Axis, x: Tensor, y: IntTensor, other: Axis) -> (Tensor, Tensor) {
    let v0 = (y <= 1);
    let v1 = all(v0, other);
    let v2 = all(v1, axis);
    let v3 = any(cast(stop_grad(x), bool), other);
    (((x * x)), (select(v2, 1.0, 0.25) + select(v3, 1.0, 0.25)))
}

#[tensor_op(tests = false)]
fn formula_10030(#[default(2)] i: i64, x: Tensor![n, k, m]) -> (Tensor![m, n], BoolTensor![]) {
    let v0 = mean(x, k);
    (v0, cast(i, bool))
}

#[tensor_op(tests = false)]
fn formula_10031(x: Tensor![.., (g = 2, c), m, n, k]) -> Tensor![..] {
    let v0 = ((x * x));
    let v1 = erf(std(v0, (m, n, k, g, c)));
    let v2 = (((v1 * rsqrt(square(std(v0, (m, n, k, g, c))) + 0.5))) / (norm(((v1 * rsqrt(square(std(v0, (m, n, k, g, c))) + 0.5))), ..) + 0.5));
    v2
}

#[tensor_op(tests = false)]
fn formula_10032(y: Tensor![], x: Tensor![.., n, m]) -> (Tensor![], Tensor![.., m, n]) {
    let v0 = floor(stop_grad(y));
    let v1 = exp2(-abs(x));
    let v2 = mean(v1, (m, n));
    let v3 = softplus(v2);
    let v4 = cast(stop_grad(v2), int);
    (v0, (acosh(abs(x) + 1.25) + (((v3 / (abs(v1) + 0.5))) + cast(v4, float))))
}

#[tensor_op(tests = false)]
fn formula_10033(y: Tensor![n, k, j], x: Tensor![.., m, n, j, k]) -> (Tensor![], Tensor![j, m]) {
    let v0 = sum(x, (.., n, k));
    let v1 = mean(at(v0, j = 0), m);
    (sum(y, (n, k, j)), (v1 + (max(at(v0, j = 0), m) + (v0 / (norm(v0, j) + 0.5)))))
}

#[tensor_op(tests = false)]
fn formula_10034(#[default(true)] flag: bool, x: Tensor, other: Axis, #[default(-1)] axis: Axis, y: Tensor) -> Tensor {
    let v0 = sum(y, other);
    let v1 = cast(v0, float);
    let v2 = at(v1, axis = iota(axis) % len(axis));
    let v3 = at(x, other = len(other) - 1 - iota(other));
    (select(flag, 1.0, 0.25) + (v2 + v3))
}

#[tensor_op(tests = false)]
fn formula_10035(y: IntTensor![n, m], flag: bool, #[default(0.5)] s: f64, x: Tensor![.., n, m]) -> (Tensor![], BoolTensor![], Tensor![m, n]) {
    let v0 = (1 + iota(m) % 2);
    let v1 = max(y, m);
    let v2 = argmax(stop_grad(atanh(0.8 * tanh(x))), (.., m, n));
    (s, flag, (cast(v0, float) + (cast(v1, float) + cast(v2, float))))
}

#[tensor_op(tests = false)]
fn formula_10036(y: Tensor, x: Tensor, #[default(2)] i: i64, z: Tensor) -> (Tensor, Tensor) {
    let v0 = exp2(-abs(x));
    let v1 = atanh(0.8 * tanh(v0));
    let v2 = (z >= z);
    let v3 = erfc(v1);
    let v4 = cast(stop_grad(z), bool);
    (y, (cast(i, float) + (select(v2, 1.0, 0.25) + (v3 + select(v4, 1.0, 0.25)))))
}

#[tensor_op(tests = false)]
fn formula_10037(y: BoolTensor![n, m], z: Tensor![m, n], x: Tensor![m, n]) -> (IntTensor![n], Tensor![m, n]) {
    let v0 = (hypot(min(square((maximum(z, x))), n), min(square((maximum(z, x))), n)));
    let v1 = select(y, square((maximum(z, x))), v0);
    let v2 = iota(n);
    let v3 = (select(v1 < v1, 0.5, 2.0));
    let v4 = (pow(z, 2.0) * z);
    (v2, (select((v0 == v3), 1.0, 0.25) + v4))
}

#[tensor_op(tests = false)]
fn formula_10038(x: Tensor, #[default(0.5)] s: f64, axis: Axis) -> (Tensor, Tensor![]) {
    let v0 = sqrt(s);
    (x, (asin(0.9 * tanh(s)) + (v0 + cast(len(axis), float))))
}

#[tensor_op(tests = false)]
fn formula_10039(#[default(true)] flag: bool, g: usize, x: Tensor![(g, c), n, m]) -> (Tensor![m], BoolTensor![]) {
    let v0 = ((x * x));
    let v1 = sqrt((maximum(v0, v0)));
    let v2 = silu(v1);
    let v3 = sum(v2, (n, g, c));
    let v4 = at(v3, m = len(m) - 1 - iota(m));
    (v4, (flag == flag))
}

#[tensor_op(tests = false)]
fn formula_10040(s: f64, y: IntTensor, flag: bool, x: Tensor) -> (IntTensor, Tensor, Tensor) {
    let v0 = (select(x < s, 0.5, 2.0));
    let v1 = erf(v0);
    let v2 = select(flag, mish(v1), mish(v1));
    let v3 = erf(v2);
    let v4 = log1p(abs(x));
    let v5 = (-s);
    let v6 = ((v5 - v3));
    (y, v4, v6)
}

#[tensor_op(tests = false)]
fn formula_10041(x: Tensor![.., m], flag: bool, y: Tensor![.., m]) -> (Tensor![.., m], Tensor![.., m]) {
    let v0 = select(flag, ((x - y)).exp().log1p(), ((x - y)).exp().log1p());
    let v1 = (minimum(x, ((x - y))));
    let v2 = ((v0 + y));
    let v3 = sigmoid(v2);
    let v4 = ((v1 / v1));
    (v4, ln(abs(v3) + 0.5))
}

#[tensor_op(tests = false)]
fn formula_10042(z: Tensor![.., j, n, m], y: IntTensor![k, j], x: Tensor![.., j, m, k, n]) -> (IntTensor![], Tensor![.., j, m, n], Tensor![.., j, m, n]) {
    let v0 = std(z, (n, j));
    let v1 = mish(z);
    let v2 = logsumexp(v1, j);
    (prod((y % y), (k, j)), sigmoid(v1), (((v0 / sum(abs(x), (m, n, k)))) + v2))
}

#[tensor_op(tests = false)]
fn formula_10043(#[default(2)] i: i64, #[default(0.5)] s: f64, y: IntTensor![..], x: Tensor![.., m], #[no_grad] z: Tensor![.., m]) -> Tensor![..] {
    let v0 = sum(y, ..);
    let v1 = at(z, m = abs(i % len(m)));
    let v2 = (pow(asinh(((v1 / (abs(s) + 0.5)))), 2.0) * ((v1 / (abs(s) + 0.5))));
    let v3 = cast(stop_grad(v2), bool);
    (std(x, m) + (select(v3, 1.0, 0.25) + cast(minimum(abs(i), v0), float)))
}

#[tensor_op(tests = false)]
#[recompute]
fn formula_10044(z: IntTensor, y: Tensor, x: Tensor) -> (IntTensor, Tensor) {
    let v0 = ((asinh(x) + y));
    let v1 = atan(x);
    (z, (v0 + v1))
}

#[tensor_op(tests = false)]
fn formula_10045(other: Axis, #[default(-1)] axis: Axis, x: Tensor) -> (Tensor, Tensor, Tensor) {
    let v0 = var(x, other);
    let v1 = ((acos(0.9 * sin(erf(v0))) % 1.5 - acos(0.9 * sin(erf(v0)))));
    let v2 = (clamp(v0, erf(v0), 1.5));
    let v3 = logsumexp(softplus(v0), axis);
    (v1, v2, v3)
}

#[tensor_op(tests = false)]
fn formula_10046(flag: bool, y: IntTensor, axis: Axis, x: Tensor) -> (IntTensor, Tensor) {
    let v0 = maximum(y, y);
    let v1 = ((x + x));
    let v2 = argmax(v0, axis);
    let v3 = select(flag, v1, v1);
    let v4 = tan(0.4 * tanh(v3));
    (v2, v4)
}

#[tensor_op(tests = false)]
fn formula_10047(#[default(0.5)] s: f64, #[default(-1)] axis: Axis, other: Axis, y: Tensor, x: Tensor) -> (Tensor, Tensor) {
    let v0 = (pow(abs(x) + 0.3, s));
    let v1 = (pow(v0, 2.0) * v0);
    (at((logaddexp(x, y)), axis = 0), (v1 + cast(len(other), float)))
}

#[tensor_op(tests = false)]
fn formula_10048(i: i64, z: BoolTensor![.., m], y: Tensor![.., m], x: Tensor![.., m, n]) -> (BoolTensor![.., m], BoolTensor![], Tensor![.., m, n]) {
    (z, (i == 1), (sin(x) + (hypot(y, y))))
}

#[tensor_op(tests = false)]
fn formula_10049(x: Tensor, y: Tensor, #[default(-1)] axis: Axis) -> (BoolTensor, Tensor) {
    let v0 = sinh(0.3 * x);
    let v1 = max(y, axis);
    let v2 = is_finite(v1);
    let v3 = (x > v0);
    let v4 = at((((pow(abs(v0) + 0.3, v1)) * (pow(abs(v0) + 0.3, v1)))), axis = len(axis) - 1 - iota(axis));
    (v2, (v4 + select(any(v3, axis), 1.0, 0.25)))
}

#[tensor_op(tests = false)]
fn formula_10050(z: Tensor, y: BoolTensor, x: Tensor) -> (Tensor, BoolTensor, Tensor) {
    let v0 = (((pow(abs(z) + 0.3, z)) / (pow(abs(z) + 0.3, z))));
    (x, y, sqrt(abs(v0) + 0.1))
}

#[tensor_op(tests = false)]
fn formula_10051(y: Tensor![m, j, n, k], x: Tensor![.., j, m, n, k], flag: bool) -> Tensor![.., j, k, m, n] {
    let v0 = cast(flag, bool);
    (x + (select(v0, 1.0, 0.25) + (atan2(y, y))))
}

#[tensor_op(tests = false)]
fn formula_10052(x: Tensor![k, m, n]) -> (BoolTensor![k, m, n], Tensor![k, m, n]) {
    let v0 = (pow(x, 2.0) * x);
    let v1 = sqrt(abs(v0) + 0.1);
    let v2 = select(any((x < x), (m, k)), v1, v1);
    let v3 = is_finite(v2);
    let v4 = (0.25 * cast(iota(m), float));
    (v3, (((v2 / v0)) + v4))
}

#[tensor_op(tests = false)]
fn formula_10053(y: IntTensor, #[default(-1)] axis: Axis, x: Tensor) -> (IntTensor, Tensor, Tensor) {
    let v0 = ln(abs(relu(x)) + 0.5);
    (argmax(y, axis), (pow(abs(expm1(0.5 * relu(x))) + 0.3, expm1(0.5 * relu(x)))), v0)
}

#[tensor_op(tests = false)]
fn formula_10054(#[no_grad] y: Tensor![m], z: Tensor![m], x: Tensor![k, n, m]) -> (BoolTensor![m, n], Tensor![m], Tensor![m]) {
    let v0 = square(z);
    let v1 = (argmax(stop_grad(x), k) != argmax(stop_grad(x), k));
    let v2 = ln(abs(z) + 0.5);
    let v3 = mish(v2);
    (v1, (select(v0 < v0, 0.5, 2.0)), (sum(y, m) + v3))
}

#[tensor_op(tests = false)]
fn formula_10055(y: BoolTensor, x: Tensor, axis: Axis) -> (Tensor, BoolTensor) {
    let v0 = cast(y, bool);
    let v1 = (x / (norm(x, axis) + 0.5));
    (v1, all(v0, axis))
}

#[tensor_op(tests = false)]
fn formula_10056(#[default(2)] i: i64, x: Tensor![m]) -> (Tensor![], Tensor![]) {
    let v0 = max(x, m);
    let v1 = (sign(i) + i);
    let v2 = ln(v0);
    let v3 = logsumexp((0.25 * cast(iota(m), float)), m);
    (floor(stop_grad(v0)), (cast(i, float) + (cast(v1, float) + (v2 + (at(x, m = 0) + v3)))))
}

#[tensor_op(tests = false)]
fn formula_10057(other: Axis, #[default(0.5)] s: f64, y: Tensor, axis: Axis, x: Tensor, z: IntTensor) -> (Tensor, IntTensor, Tensor) {
    let v0 = argmin(stop_grad(y), other);
    let v1 = norm(y, other);
    let v2 = ((sqrt(abs(softplus(atanh(0.8 * tanh(y)))) + 0.1) * atanh(0.8 * tanh(y))));
    let v3 = at(v2, other = len(other) - 1 - iota(other));
    (x, z, (cast(v0, float) + (v1 + (silu(atanh(0.8 * tanh(y))) + (ln(s) + (v3 + cast(len(axis), float)))))))
}

#[tensor_op(tests = false)]
fn formula_10058(x: Tensor![.., n, k, m, j]) -> Tensor![.., j, k, m, n] {
    let v0 = (minimum(sum(tan(0.4 * tanh(x)), (m, n)), x));
    v0
}

#[tensor_op(tests = false)]
fn formula_10059(x: Tensor![n, j, k, m], i: i64, s: f64) -> (IntTensor![], Tensor![j, k, m, n]) {
    let v0 = at(x, n = 0);
    (i, (logaddexp((minimum(s, x)), v0)))
}

#[tensor_op(tests = false)]
fn formula_10060(x: Tensor) -> Tensor {
    let v0 = sigmoid(x);
    let v1 = (atan2(v0, v0));
    let v2 = (logaddexp(v1, v1));
    ((erfc(((v2 / v2))) * erfc(((v2 / v2)))))
}

#[tensor_op(tests = false)]
fn formula_10061(s: f64, x: Tensor![n, m, k], y: BoolTensor![]) -> (BoolTensor![], Tensor![k, m, n]) {
    let v0 = ln(x);
    let v1 = (((0.25 * cast(iota(n), float)) / (0.25 * cast(iota(n), float))));
    let v2 = mean(v1, n);
    (y, (s + (v0 + (cast(len(k), float) + v2))))
}

#[tensor_op(tests = false)]
fn formula_10062(x: Tensor![.., m, n], #[no_grad] y: Tensor![n]) -> Tensor![.., m, n] {
    let v0 = select((x <= y), round(stop_grad(3.0 * ((y / (abs(y) + 0.5))))), round(stop_grad(3.0 * ((y / (abs(y) + 0.5))))));
    v0
}

#[tensor_op(tests = false)]
fn formula_10063(x: Tensor![m], #[default(true)] flag: bool) -> (Tensor![m], Tensor![m]) {
    let v0 = iota(m);
    (x, (select(flag, 1.0, 0.25) + cast(cast(v0, int), float)))
}

#[tensor_op(tests = false)]
fn formula_10064(z: BoolTensor, other: Axis, y: IntTensor, #[default(-1)] axis: Axis, x: Tensor) -> Tensor {
    let v0 = asin(0.9 * tanh(x));
    let v1 = ((v0 * v0));
    let v2 = (logaddexp(x, v1));
    let v3 = select(z, v2, v2);
    let v4 = argmax(y, axis);
    let v5 = sum(v4, other);
    (v3 + cast(v5, float))
}

#[tensor_op(tests = false)]
fn formula_10065(x: Tensor, #[default(-1)] axis: Axis) -> Tensor {
    let v0 = ((var((x * cast(iota(axis), float)), axis) - 2.0 * std(x, axis)));
    let v1 = (x <= ((v0 + v0)));
    let v2 = logsumexp((x * cast(iota(axis), float)), axis);
    let v3 = atanh(0.8 * tanh(v2));
    select(v1, v0, v3)
}

#[tensor_op(tests = false)]
fn formula_10066(z: IntTensor![m], y: IntTensor![], x: Tensor![n, m]) -> (IntTensor![], IntTensor![m], Tensor![m, n]) {
    let v0 = ((softplus(x) * softplus(x)));
    let v1 = tanh(v0);
    let v2 = (exp(0.5 * v1) / sum(exp(0.5 * v1), (m, n)));
    let v3 = (0.25 * cast(iota(n), float));
    let v4 = iota(n);
    (y, at(z, m = len(m) - 1 - iota(m)), ((v2 - mean(v2, m)) + (v3 + cast(v4, float))))
}

#[tensor_op(tests = false)]
fn formula_10067(y: Tensor![], #[default(0.5)] s: f64, x: Tensor![(g = 2, c), m]) -> (Tensor![], Tensor![m, (g = 2, c)]) {
    (y, (((sigmoid(x) * sigmoid(x))) + round(stop_grad(3.0 * s))))
}

#[tensor_op(tests = false)]
fn formula_10068(x: Tensor![n, m]) -> IntTensor![m, n] {
    cast(stop_grad(((x % 1.5 - x))), int)
}

#[tensor_op(tests = false)]
fn formula_10069(x: Tensor![.., m, n], z: Tensor![], y: Tensor![.., m, n]) -> (Tensor![], Tensor![m, n], Tensor![.., m, n]) {
    let v0 = ((z + z));
    let v1 = recip(abs(x) + 0.7);
    let v2 = log_softmax(v1, (.., m, n));
    let v3 = logsumexp(y, ..);
    let v4 = gelu(v2);
    (v0, v3, v4)
}

#[tensor_op(tests = false)]
fn formula_10070(#[default(2)] i: i64, x: Tensor![(g = 2, c), m]) -> (IntTensor![], Tensor![m, (g = 2, c)]) {
    let v0 = asinh(x);
    (i, sign(stop_grad(v0)))
}

#[tensor_op(tests = false)]
fn formula_10071(x: Tensor![.., m, n], #[default(true)] flag: bool, y: IntTensor![.., m]) -> (BoolTensor![], Tensor![m, n]) {
    let v0 = (y % y);
    let v1 = argmin(stop_grad(x), ..);
    let v2 = cast(argmax(v0, (.., m)), float);
    (flag, (cast(v1, float) + v2))
}

#[tensor_op(tests = false)]
fn formula_10072(x: Tensor![.., k, n, m], #[default(2)] i: i64, z: Tensor![.., k, n], y: BoolTensor![.., m, n]) -> Tensor![.., k, m, n] {
    let v0 = acosh(abs(((z + x))) + 1.25);
    let v1 = iota(k);
    let v2 = (select(v0 < z, 0.5, 2.0));
    let v3 = (pow(v2, 2.0) * v2);
    let v4 = ((v3 * (((minimum(v3, v3)) - 2.0 * (minimum(v3, v3))))));
    (select(y, 1.0, 0.25) + (cast(i, float) + (cast(v1, float) + v4)))
}

#[tensor_op(tests = false)]
fn formula_10073(x: Tensor![m, n]) -> Tensor![m, n] {
    let v0 = at(x, m = len(m) - 1 - iota(m));
    let v1 = ((v0 * v0));
    let v2 = (atan2(v1, v1));
    (minimum(v2, v2))
}

#[tensor_op(tests = false)]
fn formula_10074(x: Tensor![.., m]) -> (Tensor![..], Tensor![.., m]) {
    let v0 = at(floor(stop_grad(clamp(x, -1.0, 0.75))), m = iota(m) % len(m));
    let v1 = norm(sinh(0.3 * v0), m);
    let v2 = log2(square(floor(stop_grad(clamp(x, -1.0, 0.75)))) + 0.25);
    (v1, v2)
}

#[tensor_op(tests = false)]
fn formula_10075(x: Tensor![j, m, k, n], y: BoolTensor![k, m, n]) -> (BoolTensor![m], Tensor![j, k, m, n]) {
    let v0 = ((x - 2.0 * x));
    (all(y, (n, k)), atanh(0.8 * tanh(v0)))
}

#[tensor_op(tests = false)]
#[recompute]
fn formula_10076(x: Tensor![.., m], z: IntTensor![.., m], y: IntTensor![..]) -> Tensor![m] {
    let v0 = (pow(abs(logsumexp(x, ..)) + 0.3, logsumexp(x, ..)));
    let v1 = any((y <= z), ..);
    (v0 + select(v1, 1.0, 0.25))
}

#[tensor_op(tests = false)]
fn formula_10077(z: Tensor, y: Tensor, x: Tensor) -> (BoolTensor, Tensor) {
    let v0 = (minimum(y, x));
    let v1 = cast(stop_grad((select(sigmoid(z) < sigmoid(z), 0.5, 2.0))), bool);
    let v2 = exp2(-abs(v0));
    (v1, v2)
}

#[tensor_op(tests = false)]
fn formula_10078(y: Tensor, z: IntTensor, x: Tensor, axis: Axis) -> (IntTensor, Tensor) {
    let v0 = ((x / (abs(x) + 0.5)));
    let v1 = softmax(v0, axis);
    let v2 = (x < x);
    let v3 = (v2 | !v2);
    let v4 = (v1 / (norm(v1, axis) + 0.5));
    let v5 = atanh(0.8 * tanh(norm(y, axis)));
    let v6 = any(v2, axis);
    let v7 = (v5 > v1);
    (z, (select(v3, 1.0, 0.25) + (v4 + (select(v6, 1.0, 0.25) + select(v7, 1.0, 0.25)))))
}

#[tensor_op(tests = false)]
fn formula_10079(#[default(true)] flag: bool, x: Tensor![k, m, n]) -> Tensor![k, m, n] {
    let v0 = select(flag, x, x);
    atan((hypot(v0, v0)))
}

#[tensor_op(tests = false)]
fn formula_10080(x: Tensor![.., m, n, k, j]) -> (BoolTensor![.., j, k, m, n], Tensor![.., j, k, m, n], Tensor![j, m]) {
    let v0 = sqrt(abs(x) + 0.1);
    let v1 = relu(v0);
    let v2 = std((pow(abs(v1) + 0.3, v0)), (.., n, k));
    let v3 = (exp(0.5 * (pow(abs(v1) + 0.3, v0))) / sum(exp(0.5 * (pow(abs(v1) + 0.3, v0))), (.., m, n)));
    let v4 = cast(len(n), float);
    let v5 = erfc(v2);
    (cast(stop_grad(v0), bool), v3, (v4 + v5))
}

#[tensor_op(tests = false)]
fn formula_10081(y: IntTensor, other: Axis, x: Tensor, axis: Axis) -> (IntTensor, Tensor, Tensor) {
    let v0 = log_softmax(sin(((x * x))), (axis, other));
    let v1 = (clamp(v0, v0, 1.5));
    let v2 = (minimum(((v1 / (abs(((x * x))) + 0.5))), ((v1 / (abs(((x * x))) + 0.5)))));
    (y, at(sin(((x * x))), other = len(other) - 1 - iota(other)), ((hypot(v0, x)) + sum(v2, other)))
}

#[tensor_op(tests = false)]
fn formula_10082(y: IntTensor, other: Axis, axis: Axis, x: Tensor) -> Tensor {
    let v0 = (y - y);
    let v1 = ((x - x));
    let v2 = ((x / x));
    let v3 = (pow(v1, 2.0) * v2);
    let v4 = (hypot(v3, v3));
    (select((y == y), 1.0, 0.25) + (cast(v0, float) + (v4 + (cast(x, float) + (cast(len(axis), float) + cast(len(other), float))))))
}

#[tensor_op(tests = false)]
fn formula_10083(x: Tensor![.., (g = 2, c), m], y: Tensor![.., m], z: Tensor![.., m]) -> (Tensor![], Tensor![.., m, (g = 2, c)]) {
    let v0 = sum(y, (.., m));
    let v1 = tan(0.4 * tanh(v0));
    let v2 = sin(x);
    let v3 = ((z * v2));
    (ln(v0), (v1 + v3))
}

#[tensor_op(tests = false)]
fn formula_10084(x: Tensor![.., n, (g = 2, c), m]) -> Tensor![.., m, n, (g = 2, c)] {
    let v0 = sinh(0.3 * floor(stop_grad(((x * x)))));
    cosh(0.3 * v0)
}

#[tensor_op(tests = false)]
fn formula_10085(x: Tensor![m, n]) -> (IntTensor![m], Tensor![m, n], Tensor![m, n]) {
    let v0 = iota(m);
    let v1 = (atan2(x, x));
    let v2 = (select(softmax((pow(v1, 2.0) * x), m) < softmax((pow(v1, 2.0) * x), m), 0.5, 2.0));
    let v3 = (pow(softmax((pow(v1, 2.0) * x), m), 2.0) * (pow(v1, 2.0) * x));
    (v0, v2, v3)
}

#[tensor_op(tests = false)]
fn formula_10086(x: Tensor, axis: Axis, other: Axis, y: Tensor, s: f64) -> (Tensor![], Tensor, Tensor) {
    let v0 = is_finite(cos(x));
    let v1 = sum(y, axis);
    let v2 = sum(y, other);
    (s, sum(v1, other), (select(at(v0, other = iota(axis) % len(other)), 1.0, 0.25) + v2))
}

#[tensor_op(tests = false)]
fn formula_10087(#[default(0.5)] s: f64, y: BoolTensor![m], #[default(2)] i: i64, x: Tensor![(g, c), m], g: usize) -> (BoolTensor![m], Tensor![m, (g, c)]) {
    let v0 = (minimum(s, s));
    let v1 = at(x, c = len(c) - 1 - iota(c));
    (y, (cast(i, float) + (v1 + (cast(iota(g), float) + (cast(iota(m), float) + gelu(cosh(0.3 * v0)))))))
}

#[tensor_op(tests = false)]
#[recompute]
fn formula_10088(x: Tensor![.., m, n], #[default(2)] i: i64) -> (IntTensor![], Tensor![..]) {
    let v0 = (1 + iota(n) % 2);
    let v1 = max(x, (m, n));
    let v2 = softmax(v1, ..);
    let v3 = (logaddexp(v2, v2));
    (minimum(abs(i), i), (v3 + cast(prod(v0, n), float)))
}

#[tensor_op(tests = false)]
fn formula_10089(y: BoolTensor![m, n], z: IntTensor![.., k, m], x: Tensor![.., n, k, m]) -> Tensor![.., k, m, n] {
    let v0 = (select(x < x, 0.5, 2.0));
    let v1 = any(y, m);
    let v2 = exp(0.3 * v0);
    let v3 = max(z, (.., k));
    (select(v1, 1.0, 0.25) + (cast(v3, float) + ((v2 + v2))))
}

#[tensor_op(tests = false)]
fn formula_10090(x: Tensor![n, m, k], y: Tensor![k], z: IntTensor![n, k], #[default(2)] i: i64) -> (IntTensor![], Tensor![k, m, n]) {
    let v0 = sum(z, k);
    (i, (stop_grad(erf(x)) + (cast(v0, float) + expm1(0.5 * (clamp(y, y, 1.5))))))
}

#[tensor_op(tests = false)]
fn formula_10091(x: Tensor![n, m, k]) -> Tensor![k, m, n] {
    let v0 = abs(x);
    ((v0 / (abs(v0) + 0.5)))
}

#[tensor_op(tests = false)]
#[recompute]
fn formula_10092(x: Tensor![m]) -> (BoolTensor![m], Tensor![m]) {
    let v0 = log1p(abs(x));
    let v1 = ((((pow(abs(v0) + 0.3, x)) + (pow(abs(v0) + 0.3, x)))) < (pow(abs(v0) + 0.3, x)));
    ((norm(x, m) > v0), (select(v1, 1.0, 0.25) + gelu(erfc(x))))
}

#[tensor_op(tests = false)]
fn formula_10093(y: IntTensor![.., m, (g, c)], #[no_grad] z: Tensor![.., m], g: usize, x: Tensor![.., m, (g, c)]) -> (BoolTensor![.., m, (g, c)], Tensor![.., m, (g, c)], Tensor![.., m, (g, c)]) {
    let v0 = (clamp(recip(abs(x) + 0.7), x, 1.5));
    let v1 = (((x + (maximum(v0, z)))) / (norm(((x + (maximum(v0, z)))), (.., m)) + 0.5));
    ((y < 1), at((maximum(v0, z)), c = len(c) - 1 - iota(c)), (v1 + cast(len(c), float)))
}

#[tensor_op(tests = false)]
#[recompute]
fn formula_10094(y: Tensor, x: Tensor) -> (Tensor, Tensor) {
    let v0 = recip(abs(log2(square(y) + 0.25)) + 0.7);
    let v1 = (maximum(softplus(x), v0));
    let v2 = ((v1 / y));
    let v3 = silu(v2);
    let v4 = mish(softplus(x));
    let v5 = sqrt(abs(v4) + 0.1);
    (v3.exp().log1p(), v5)
}

#[tensor_op(tests = false)]
fn formula_10095(g: usize, x: Tensor![.., n, (g, c), k, m]) -> (BoolTensor![.., k, m, n, (g, c)], Tensor![.., k, m, n, (g, c)]) {
    ((((x * x)) <= ((x * x))), ((((x * x)) % 1.5 - ((x * x)))))
}

#[tensor_op(tests = false)]
fn formula_10096(#[no_grad] z: Tensor, x: Tensor, y: Tensor) -> (Tensor, Tensor) {
    let v0 = gelu(y);
    let v1 = abs(v0);
    let v2 = relu(z);
    let v3 = rsqrt(square(v2) + 0.5);
    (x, (v1 + v3))
}

#[tensor_op(tests = false)]
fn formula_10097(z: Tensor![.., n, m], y: Tensor![.., n], x: Tensor![.., n, m]) -> (Tensor![.., m, n], Tensor![.., m, n]) {
    ((select(y < z, 0.5, 2.0)), (x / (norm(x, ..) + 0.5)))
}

#[tensor_op(tests = false)]
fn formula_10098(y: IntTensor![m, n], x: Tensor![n, m]) -> Tensor![m, n] {
    let v0 = (((x / (abs(x) + 0.5))) > 0.25);
    (cast(y, float) + select(v0, 1.0, 0.25))
}

#[tensor_op(tests = false)]
fn formula_10099(x: Tensor![.., m, (g = 2, c)], y: Tensor![..]) -> Tensor![.., (g = 2, c)] {
    let v0 = (minimum(y, y));
    let v1 = ((x / (abs(x) + 0.5)));
    let v2 = norm(v1, (.., m));
    (logaddexp(v2, v0))
}

#[tensor_op(tests = false)]
fn formula_10100(#[default(true)] flag: bool, x: Tensor![.., m, k, n, j]) -> BoolTensor![.., j, k, m, n] {
    let v0 = ((((x - x)) * ((x - x))));
    cast(stop_grad(select(flag, v0, v0)), bool)
}

#[tensor_op(tests = false)]
fn formula_10101(s: f64, x: Tensor, y: BoolTensor, z: IntTensor) -> (IntTensor, Tensor) {
    let v0 = (-s);
    let v1 = (select(x < s, 0.5, 2.0));
    let v2 = ((select(y, x, x) - select(y, x, x)));
    let v3 = gelu(v1);
    let v4 = abs(v2);
    (z, (v4 + (select((v3 < v0), 1.0, 0.25) + exp2(-abs(x)))))
}

#[tensor_op(tests = false)]
fn formula_10102(z: Tensor![.., m], y: Tensor![.., n, m], x: Tensor![.., m, n]) -> (Tensor![.., m, n], BoolTensor![.., n]) {
    let v0 = relu(z);
    let v1 = sqrt(ln(v0));
    let v2 = sinh(0.3 * y);
    let v3 = erf(((v2 % 1.5 - v1)));
    let v4 = any(is_finite(expm1(0.5 * x)), m);
    (v3, v4)
}

#[tensor_op(tests = false)]
fn formula_10103(y: IntTensor![.., n], x: Tensor![.., m, n], #[default(0.5)] s: f64) -> (Tensor![.., m, n], Tensor![], Tensor![.., m, n]) {
    let v0 = ceil(stop_grad(s));
    let v1 = (pow(x, 2.0) * s);
    let v2 = maximum(y, y);
    let v3 = argmax(y, ..);
    let v4 = ln(abs(x) + 0.5);
    let v5 = (v2 * v3);
    (((s + x)), v0, (v1 + (std(x, m) + (v4 + cast(v5, float)))))
}

#[tensor_op(tests = false)]
#[recompute]
fn formula_10104(x: Tensor![j, (g, c), k, n, m], g: usize, y: Tensor![]) -> (Tensor![], Tensor![j, k, m, n, (g, c)]) {
    (y, recip(abs(sin(x)) + 0.7))
}

#[tensor_op(tests = false)]
fn formula_10105(axis: Axis, x: Tensor, other: Axis) -> (Tensor, Tensor) {
    let v0 = (((maximum(x, x)) % 1.5 - (maximum(x, x))));
    let v1 = cube(v0);
    let v2 = tanh(v1);
    (v2, (v1 * rsqrt(mean(square(v1), (axis, other)) + 0.1)))
}

#[tensor_op(tests = false)]
fn formula_10106(i: i64, x: Tensor![m, n, (g = 2, c), j, k]) -> (BoolTensor![], Tensor![g, j, k, m]) {
    let v0 = (0.25 * cast(iota(j), float));
    (cast(i, bool), (cast((i + i), float) + (sum(((x % 1.5 - x)), (n, c)) + at(v0, j = len(j) - 1 - iota(j)))))
}

#[tensor_op(tests = false)]
fn formula_10107(x: Tensor) -> Tensor {
    let v0 = relu(x);
    let v1 = ((v0 * v0));
    v1
}

#[tensor_op(tests = false)]
fn formula_10108(x: Tensor![n, m], y: BoolTensor![n, m]) -> (BoolTensor![m], Tensor![m, n]) {
    let v0 = recip(abs((0.25 * cast(iota(m), float))) + 0.7);
    (any(y, n), (select((x != x), 1.0, 0.25) + floor(stop_grad(v0))))
}

#[tensor_op(tests = false)]
fn formula_10109(y: BoolTensor![..], x: Tensor![.., n, m]) -> (BoolTensor![], Tensor![.., m, n], Tensor![.., m, n]) {
    let v0 = any(y, ..);
    let v1 = (at(x, m = len(m) - 1 - iota(m)) / (norm(at(x, m = len(m) - 1 - iota(m)), m) + 0.5));
    let v2 = at(at(x, m = len(m) - 1 - iota(m)), n = iota(n) % len(n));
    (v0, v1, (v2 + (pow(abs(x) + 0.3, x))))
}

#[tensor_op(tests = false)]
fn formula_10110(x: Tensor![.., n, k, m, (g = 2, c)], y: Tensor![.., n, m, k], z: Tensor![n, m, k]) -> (Tensor![k, m, n], Tensor![.., k, m, n, (g = 2, c)]) {
    let v0 = ((y / (abs(x) + 0.5)));
    let v1 = (v0 * rsqrt(mean(square(v0), (.., n, k, g, c)) + 0.1));
    (z, v1)
}

#[tensor_op(tests = false)]
fn formula_10111(#[default(true)] flag: bool, y: IntTensor![m, n], x: Tensor![.., m, n]) -> (Tensor![.., m, n], Tensor![.., m, n]) {
    let v0 = ceil(stop_grad(gelu(at(x, m = y))));
    let v1 = (minimum(((x % 1.5 - sum(v0, n))), at(x, m = y)));
    let v2 = select(flag, v1, v1);
    (v2, (cast(iota(n), float) + select(cast(stop_grad(((x % 1.5 - sum(v0, n)))), bool), 1.0, 0.25)))
}

#[tensor_op(tests = false)]
fn formula_10112(#[default(true)] flag: bool, i: i64, x: Tensor) -> (IntTensor![], BoolTensor![], Tensor) {
    (i, flag, sign(stop_grad(log2(square(x) + 0.25).exp().log1p())))
}

#[tensor_op(tests = false)]
fn formula_10113(x: Tensor![k, m, n]) -> Tensor![k, m, n] {
    let v0 = acos(0.9 * sin(x));
    (v0 + atan(x))
}

#[tensor_op(tests = false)]
fn formula_10114(x: Tensor, other: Axis, axis: Axis, #[no_grad] y: Tensor, #[default(0.5)] s: f64) -> (BoolTensor, Tensor, Tensor) {
    let v0 = logsumexp(y, axis);
    let v1 = ((s % 1.5 - v0));
    let v2 = expm1(0.5 * v1);
    let v3 = (((pow(abs(exp2(-abs(v0))) + 0.3, v2)) * (pow(abs(exp2(-abs(v0))) + 0.3, v2))));
    let v4 = cast(stop_grad(v2), bool);
    (is_finite(x), v3, (select(v4, 1.0, 0.25) + cast(len(other), float)))
}

#[tensor_op(tests = false)]
fn formula_10115(y: IntTensor, other: Axis, x: Tensor, axis: Axis, z: Tensor) -> (IntTensor, BoolTensor, Tensor) {
    let v0 = (x > x);
    let v1 = (z * cast((1 + iota(axis) % 2), float));
    (y, v0, (v1 + cast(len(other), float)))
}

#[tensor_op(tests = false)]
fn formula_10116(i: i64, other: Axis, z: BoolTensor, y: IntTensor, axis: Axis, x: Tensor) -> Tensor {
    let v0 = ((at(x, other = iota(axis) % len(other)) + at(x, other = iota(axis) % len(other))));
    let v1 = ((at(x, other = iota(axis) % len(other)) % 1.5 - v0));
    (cast(y, float) + (select(z, 1.0, 0.25) + (select((i == i), 1.0, 0.25) + (v1 * rsqrt(mean(square(v1), axis) + 0.1)))))
}

#[tensor_op(tests = false)]
fn formula_10117(s: f64, y: Tensor![], x: Tensor![m, (g = 2, c), n, k]) -> Tensor![k, m, (g = 2, c)] {
    let v0 = ((x * s));
    let v1 = log_softmax(at(v0, n = iota(m) % len(n)), (g, c));
    (y + v1)
}

#[tensor_op(tests = false)]
fn formula_10118(z: Tensor![m], x: Tensor![n, m], y: Tensor![m]) -> (Tensor![m], Tensor![m, n]) {
    (y, (z + (stop_grad(x) + relu(abs(rsqrt(square(x) + 0.5))))))
}

#[tensor_op(tests = false)]
fn formula_10119(#[default(-1)] axis: Axis, other: Axis, x: Tensor, y: Tensor) -> Tensor {
    let v0 = ((((x * x)) - 2.0 * ((x * x))));
    (cast((argmax(stop_grad(y), axis) * argmax(stop_grad(y), axis)), float) + (cast(max(argmax(stop_grad(y), axis), other), float) + (pow(v0, 2.0) * y)))
}

#[tensor_op(tests = false)]
fn formula_10120(z: IntTensor![k], x: Tensor![n, m, k], y: IntTensor![n, k], s: f64) -> (IntTensor![k, n], Tensor![k, m, n]) {
    let v0 = (x * rsqrt(mean(square(x), k) + 0.1));
    (y, (cast(z, float) + (v0 + ((clamp(s, s, 1.5)) + cube(((s / s)))))))
}

#[tensor_op(tests = false)]
fn formula_10121(y: BoolTensor![], x: Tensor![m]) -> (Tensor![], Tensor![]) {
    let v0 = max(x, m);
    let v1 = argmax(stop_grad(((v0 % 1.5 - x))), m);
    let v2 = (((v0 % 1.5 - x)) * rsqrt(mean(square(((v0 % 1.5 - x))), m) + 0.1));
    let v3 = (minimum(v2, v0));
    let v4 = at(x, m = abs(v1 % len(m)));
    let v5 = at(v3, m = 0);
    (v4, (prod(v2, m) + (v5 + cast(cast(y, int), float))))
}

#[tensor_op(tests = false)]
fn formula_10122(other: Axis, #[default(-1)] axis: Axis, x: Tensor) -> Tensor {
    let v0 = at(x, axis = iota(axis) % len(axis));
    let v1 = (min(v0, axis) * rsqrt(mean(square(min(v0, axis)), other) + 0.1));
    (acos(0.9 * sin((1.0 / min(v0, axis)))) + ((x / (norm(x, other) + 0.5)) + v1))
}

#[tensor_op(tests = false)]
fn formula_10123(y: IntTensor![.., j], x: Tensor![.., m, n, k, j]) -> (IntTensor![.., j], Tensor![.., j, k, m, n]) {
    let v0 = (0.25 * cast(iota(n), float));
    let v1 = acos(0.9 * sin(v0));
    let v2 = (x * rsqrt(mean(square(x), j) + 0.1));
    (y, (v1 + v2))
}

#[tensor_op(tests = false)]
fn formula_10124(x: Tensor![m, n], z: IntTensor![n], y: Tensor![n, m]) -> (IntTensor![], Tensor![], Tensor![m, n]) {
    let v0 = argmax(z, n);
    let v1 = cosh(0.3 * at(y, n = iota(n) % len(n)));
    let v2 = ((y * x));
    let v3 = (pow(v2, 2.0) * v2);
    (v0, min(v1, (m, n)), relu(v3))
}

#[tensor_op(tests = false)]
fn formula_10125(y: Tensor![m], x: Tensor![m, n], flag: bool) -> (Tensor![], Tensor![n]) {
    let v0 = norm(y, m);
    let v1 = iota(n);
    (v0, (cast(cast(flag, int), float) + (cast(v1, float) + cast(argmax(stop_grad(select(flag, x, x)), m), float))))
}

#[tensor_op(tests = false)]
fn formula_10126(z: Tensor![m], x: Tensor![m, n], #[no_grad] y: Tensor![m], #[default(true)] flag: bool) -> (Tensor![m, n], Tensor![m], Tensor![m]) {
    let v0 = sqrt(y);
    (x, z, (select(flag, 1.0, 0.25) + softplus(v0)))
}

#[tensor_op(tests = false)]
fn formula_10127(other: Axis, x: Tensor, #[default(-1)] axis: Axis) -> (Tensor, Tensor![]) {
    let v0 = exp2(-abs(x));
    ((exp(0.5 * v0) / sum(exp(0.5 * v0), axis)), cast(len(other), float))
}

#[tensor_op(tests = false)]
fn formula_10128(y: Tensor![m], x: Tensor![m], #[default(true)] flag: bool) -> (Tensor![], BoolTensor![], Tensor![]) {
    let v0 = std(x, m);
    let v1 = (flag | !flag);
    let v2 = asin(0.9 * tanh(min(y, m)));
    (v0, v1, log1p(abs(v2)))
}

#[tensor_op(tests = false)]
fn formula_10129(x: Tensor![.., j, k, m, n], y: BoolTensor![n, j, k, m], s: f64) -> (Tensor![j, k, n], Tensor![.., j, k, m, n], BoolTensor![j, m, n]) {
    let v0 = sqrt(abs((select(x < x, 0.5, 2.0))) + 0.1);
    let v1 = (1.0 / v0);
    let v2 = select((y | !y), s, v1);
    let v3 = all((y | !y), k);
    (sum(v1, (.., m)), v2, v3)
}

#[tensor_op(tests = false)]
fn formula_10130(x: Tensor![m, n, j, k]) -> (Tensor![j, k, m, n], Tensor![k, m], Tensor![j, m]) {
    let v0 = ((x * x));
    let v1 = sum(x, (n, k));
    let v2 = ((v1 + logsumexp(x, (m, n, k, j))));
    (v0, max(x, (n, j)), (exp2(-abs(logsumexp(x, (m, n, k, j)))) + (tan(0.4 * tanh(v2)) + var(v2, j))))
}

#[tensor_op(tests = false)]
fn formula_10131(x: Tensor, y: IntTensor, #[default(true)] flag: bool) -> (IntTensor, BoolTensor, Tensor) {
    let v0 = (flag & flag);
    let v1 = (maximum(expm1(0.5 * x), expm1(0.5 * x)));
    let v2 = acos(0.9 * sin(v1));
    (y, is_finite(x), (v2 + cast(cast((flag != v0), int), float)))
}

#[tensor_op(tests = false)]
fn formula_10132(x: Tensor![.., n, m], y: IntTensor![m]) -> (IntTensor![m], Tensor![..]) {
    let v0 = sum(x, m);
    let v1 = mean(v0, n);
    (y, ((log1p(abs(v1)) % 1.5 - log1p(abs(v1)))))
}

#[tensor_op(tests = false)]
fn formula_10133(z: Tensor![.., m, n, k, j], x: Tensor![.., n, j, m, k], y: Tensor![j, k]) -> Tensor![.., j, k, m, n] {
    let v0 = prod(x, ..);
    let v1 = tan(0.4 * tanh(z));
    let v2 = acos(0.9 * sin(x));
    let v3 = acosh(abs(v2) + 1.25);
    let v4 = at(v3, k = iota(k) % len(k));
    (sqrt(abs(x) + 0.1) + (relu(y) + (v0 + (v1 + v4))))
}

#[tensor_op(tests = false)]
fn formula_10134(x: Tensor![(g = 2, c), n, m]) -> Tensor![m, n, (g = 2, c)] {
    ceil(stop_grad(sin(rsqrt(square(x) + 0.5))))
}

#[tensor_op(tests = false)]
fn formula_10135(x: Tensor![n, k, m], i: i64) -> (IntTensor![], Tensor![]) {
    (i, prod((min(x, (n, k)) / (norm(min(x, (n, k)), m) + 0.5)), m))
}

#[tensor_op(tests = false)]
fn formula_10136(x: Tensor![.., (g, c), m], g: usize, y: IntTensor![.., m]) -> (IntTensor![.., m], Tensor![g], Tensor![g]) {
    let v0 = (0.25 * cast(iota(g), float));
    let v1 = ((v0 + exp2(-abs(min(x, (.., m, g, c))))));
    let v2 = asinh(v1);
    let v3 = cosh(0.3 * erfc(v0));
    (y, v2, v3)
}

#[tensor_op(tests = false)]
fn formula_10137(#[default(true)] flag: bool, other: Axis, #[default(0.5)] s: f64, x: Tensor, axis: Axis) -> (BoolTensor![], Tensor![], Tensor) {
    let v0 = ((x - x));
    let v1 = rsqrt(square(v0) + 0.5);
    (flag, exp(0.3 * s), (v1 + (cast(len(axis), float) + cast(len(other), float))))
}

#[tensor_op(tests = false)]
fn formula_10138(x: Tensor![.., k, m, n], z: IntTensor![.., n, m, k], y: BoolTensor![.., m]) -> (Tensor![.., k, m, n], Tensor![.., k, m, n]) {
    let v0 = at(x, n = len(n) - 1 - iota(n));
    let v1 = ((v0 * v0));
    let v2 = at(y, m = iota(n) % len(m));
    let v3 = at((cast(z, int) / cast(z, int)), n = iota(n) % len(n));
    (v1, (select(v2, 1.0, 0.25) + cast(v3, float)))
}

#[tensor_op(tests = false)]
fn formula_10139(z: IntTensor![m, j], x: Tensor![n, k, m, j], y: Tensor![j, k, n]) -> (IntTensor![j], Tensor![j, k, m, n]) {
    let v0 = (z + z);
    let v1 = ((x * y));
    let v2 = square(v1);
    let v3 = at(v0, m = 0);
    let v4 = cast(v2, float);
    (v3, (pow(v4, 2.0) * v2))
}

#[tensor_op(tests = false)]
fn formula_10140(x: Tensor![.., n, m]) -> (Tensor![.., m, n], Tensor![]) {
    let v0 = silu(logsumexp(x, (.., m, n)));
    ((minimum(silu(x), silu(x))), v0)
}

#[tensor_op(tests = false)]
fn formula_10141(y: BoolTensor, z: Tensor, #[default(2)] i: i64, x: Tensor) -> (Tensor, IntTensor![], Tensor) {
    let v0 = select(y, x, x);
    let v1 = asinh(v0);
    (z, i, v1)
}

#[tensor_op(tests = false)]
fn formula_10142(y: Tensor![m], x: Tensor![m]) -> (BoolTensor![m], Tensor![m]) {
    let v0 = is_finite(x);
    let v1 = is_finite((((clamp(y, y, 1.5)) - (clamp(y, y, 1.5)))));
    (v0, (select(v1, 1.0, 0.25) + clamp(x, -1.0, 0.75)))
}

#[tensor_op(tests = false)]
fn formula_10143(x: Tensor![n, m, k], #[default(true)] flag: bool) -> (BoolTensor![], Tensor![k, m, n]) {
    let v0 = (cast(flag, float) < 0.25);
    ((flag == flag), (select(v0, 1.0, 0.25) + asinh(x)))
}

#[tensor_op(tests = false)]
fn formula_10144(x: Tensor, z: Tensor, y: Tensor) -> (Tensor, Tensor) {
    let v0 = asinh(y);
    let v1 = gelu_tanh(x);
    let v2 = cast(stop_grad(y), bool);
    (v1, (select(v2, 1.0, 0.25) + ((maximum(v0, z)) + (((logaddexp(x, x)) - 2.0 * abs(atanh(0.8 * tanh(x))))))))
}

#[tensor_op(tests = false)]
fn formula_10145(x: Tensor![m]) -> (Tensor![], Tensor![]) {
    let v0 = mean(x, m);
    let v1 = recip(abs(v0) + 0.7);
    let v2 = softmax(log_softmax(x, m), m);
    let v3 = ((acosh(abs(v0) + 1.25) - cast(len(m), float)));
    (v1, (norm(x, m) + (v3 + sum(v2, m))))
}

#[tensor_op(tests = false)]
fn formula_10146(x: Tensor![.., m]) -> Tensor![] {
    let v0 = prod(x, m);
    let v1 = prod(sinh(0.3 * (hypot(v0, v0))), ..);
    v1
}

#[tensor_op(tests = false)]
fn formula_10147(z: BoolTensor![.., k, j, m], x: Tensor![.., m, n, j, k], y: BoolTensor![m]) -> (BoolTensor![.., j, k, m], Tensor![.., j, k, m, n]) {
    let v0 = (z != y);
    (v0, ln(x))
}

#[tensor_op(tests = false)]
fn formula_10148(flag: bool, x: Tensor![.., n, m]) -> (BoolTensor![], Tensor![.., m, n]) {
    let v0 = tan(0.4 * tanh(((x + x))));
    let v1 = ((v0 * v0));
    ((flag & flag), v1)
}

#[tensor_op(tests = false)]
fn formula_10149(z: IntTensor![.., m], flag: bool, x: Tensor![.., m], y: BoolTensor![m]) -> (IntTensor![.., m], Tensor![.., m]) {
    let v0 = ((x - x));
    let v1 = (maximum(x, v0));
    let v2 = ln((select((maximum(v1, x)) < (maximum(v1, x)), 0.5, 2.0)));
    (z, (select(flag, 1.0, 0.25) + (select(at(y, m = len(m) - 1 - iota(m)), 1.0, 0.25) + (select(all(y, m), 1.0, 0.25) + (logaddexp(v2, v2))))))
}

#[tensor_op(tests = false)]
#[recompute]
fn formula_10150(#[default(true)] flag: bool, x: Tensor![(g = 2, c), m], y: BoolTensor![]) -> (BoolTensor![], BoolTensor![], Tensor![g, m]) {
    let v0 = (x / (norm(x, (m, g, c)) + 0.5));
    let v1 = ((v0 + v0));
    let v2 = sum(v1, c);
    (y, flag, v2)
}

#[tensor_op(tests = false)]
fn formula_10151(#[default(-1)] axis: Axis, other: Axis, x: Tensor) -> (BoolTensor, Tensor) {
    let v0 = is_finite(log_softmax(ln(x), axis));
    let v1 = (v0 | !v0);
    let v2 = ((ln(x) / ln(x)));
    ((v1 & v0), (select(all(v0, axis), 1.0, 0.25) + (v2 + cast(len(other), float))))
}

#[tensor_op(tests = false)]
#[recompute]
fn formula_10152(i: i64, x: Tensor![.., m, n]) -> (IntTensor![], Tensor![.., m, n]) {
    let v0 = argmin(stop_grad((pow(abs(tan(0.4 * tanh(x))) + 0.3, tan(0.4 * tanh(x))))), (.., m));
    let v1 = sin((pow(abs(tan(0.4 * tanh(x))) + 0.3, tan(0.4 * tanh(x)))));
    (i, (cast(v0, float) + v1))
}

#[tensor_op(tests = false)]
fn formula_10153(x: Tensor, i: i64, axis: Axis, other: Axis) -> (IntTensor![], Tensor) {
    let v0 = atanh(0.8 * tanh(((x * x))));
    (i, (v0 + (cast(len(axis), float) + cast(len(other), float))))
}

#[tensor_op(tests = false)]
#[recompute]
fn formula_10154(y: IntTensor![m], x: Tensor![k, m, n]) -> (IntTensor![m], Tensor![k, m, n]) {
    let v0 = (logaddexp(x, x));
    let v1 = (maximum(v0, v0));
    (y, v1)
}

#[tensor_op(tests = false)]
fn formula_10155(x: Tensor![n, m], y: Tensor![], z: BoolTensor![m]) -> (BoolTensor![], Tensor![m]) {
    let v0 = any(z, m);
    let v1 = norm((0.25 * cast(iota(m), float)), m);
    let v2 = ((x % 1.5 - v1));
    let v3 = all((v2 == v2), (m, n));
    (v0, (select(v3, 1.0, 0.25) + (((y - (0.25 * cast(iota(m), float)))) + ((v1 * v1)))))
}

#[tensor_op(tests = false)]
fn formula_10156(x: Tensor![.., k, m, n]) -> Tensor![.., k, m, n] {
    let v0 = silu(x);
    let v1 = (maximum(v0, v0));
    let v2 = ((v1 / (abs(v1) + 0.5)));
    let v3 = (argmax(stop_grad(x), (m, k)) > argmax(stop_grad(x), (m, k)));
    (v2 + select(v3, 1.0, 0.25))
}

#[tensor_op(tests = false)]
fn formula_10157(s: f64, x: Tensor, z: Tensor, y: Tensor, i: i64) -> (Tensor, IntTensor![], Tensor) {
    let v0 = recip(abs(y) + 0.7);
    let v1 = acosh(abs(y) + 1.25);
    let v2 = (v0 > 0.25);
    let v3 = cube(v0);
    let v4 = rsqrt(square(x) + 0.5);
    let v5 = asin(0.9 * tanh(v1));
    (z, i, (sinh(0.3 * recip(abs(s) + 0.7)) + (select(v2, 1.0, 0.25) + (v3 + (v4 + v5)))))
}

#[tensor_op(tests = false)]
fn formula_10158(x: Tensor, #[default(-1)] axis: Axis) -> Tensor {
    let v0 = var(x, axis);
    let v1 = (pow(abs(at(x, axis = 0)) + 0.3, v0));
    let v2 = asin(0.9 * tanh(v0));
    let v3 = (minimum(v1, v0));
    (v2 + tanh(ln(sinh(0.3 * v3))))
}

#[tensor_op(tests = false)]
#[recompute]
fn formula_10159(x: Tensor![.., n, m, (g, c)], g: usize, y: Tensor![.., m, (g, c)], #[default(0.5)] s: f64, flag: bool) -> (Tensor![], Tensor![.., m, n, (g, c)]) {
    let v0 = (maximum(y, x));
    (s, (select(flag, y, y) + sum(v0, g)))
}

pub(super) const OPS: &[&dyn Op] = &[
    &Formula10000,
    &Formula10001,
    &Formula10002,
    &Formula10003,
    &Formula10004,
    &Formula10005,
    &Formula10006,
    &Formula10007,
    &Formula10008,
    &Formula10009,
    &Formula10010,
    &Formula10011,
    &Formula10012,
    &Formula10013,
    &Formula10014,
    &Formula10015,
    &Formula10016,
    &Formula10017,
    &Formula10018,
    &Formula10019,
    &Formula10020,
    &Formula10021,
    &Formula10022,
    &Formula10023,
    &Formula10024,
    &Formula10025,
    &Formula10026,
    &Formula10027,
    &Formula10028,
    &Formula10029,
    &Formula10030,
    &Formula10031,
    &Formula10032,
    &Formula10033,
    &Formula10034,
    &Formula10035,
    &Formula10036,
    &Formula10037,
    &Formula10038,
    &Formula10039,
    &Formula10040,
    &Formula10041,
    &Formula10042,
    &Formula10043,
    &Formula10044,
    &Formula10045,
    &Formula10046,
    &Formula10047,
    &Formula10048,
    &Formula10049,
    &Formula10050,
    &Formula10051,
    &Formula10052,
    &Formula10053,
    &Formula10054,
    &Formula10055,
    &Formula10056,
    &Formula10057,
    &Formula10058,
    &Formula10059,
    &Formula10060,
    &Formula10061,
    &Formula10062,
    &Formula10063,
    &Formula10064,
    &Formula10065,
    &Formula10066,
    &Formula10067,
    &Formula10068,
    &Formula10069,
    &Formula10070,
    &Formula10071,
    &Formula10072,
    &Formula10073,
    &Formula10074,
    &Formula10075,
    &Formula10076,
    &Formula10077,
    &Formula10078,
    &Formula10079,
    &Formula10080,
    &Formula10081,
    &Formula10082,
    &Formula10083,
    &Formula10084,
    &Formula10085,
    &Formula10086,
    &Formula10087,
    &Formula10088,
    &Formula10089,
    &Formula10090,
    &Formula10091,
    &Formula10092,
    &Formula10093,
    &Formula10094,
    &Formula10095,
    &Formula10096,
    &Formula10097,
    &Formula10098,
    &Formula10099,
    &Formula10100,
    &Formula10101,
    &Formula10102,
    &Formula10103,
    &Formula10104,
    &Formula10105,
    &Formula10106,
    &Formula10107,
    &Formula10108,
    &Formula10109,
    &Formula10110,
    &Formula10111,
    &Formula10112,
    &Formula10113,
    &Formula10114,
    &Formula10115,
    &Formula10116,
    &Formula10117,
    &Formula10118,
    &Formula10119,
    &Formula10120,
    &Formula10121,
    &Formula10122,
    &Formula10123,
    &Formula10124,
    &Formula10125,
    &Formula10126,
    &Formula10127,
    &Formula10128,
    &Formula10129,
    &Formula10130,
    &Formula10131,
    &Formula10132,
    &Formula10133,
    &Formula10134,
    &Formula10135,
    &Formula10136,
    &Formula10137,
    &Formula10138,
    &Formula10139,
    &Formula10140,
    &Formula10141,
    &Formula10142,
    &Formula10143,
    &Formula10144,
    &Formula10145,
    &Formula10146,
    &Formula10147,
    &Formula10148,
    &Formula10149,
    &Formula10150,
    &Formula10151,
    &Formula10152,
    &Formula10153,
    &Formula10154,
    &Formula10155,
    &Formula10156,
    &Formula10157,
    &Formula10158,
    &Formula10159,
];
