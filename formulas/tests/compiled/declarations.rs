//! Written by `UPDATE=1 cargo test -p tensor-op-formulas --test compiled declarations_are_current`.

use tensor_op::Op;
use tensor_op::prelude::*;

#[tensor_op(tests = false)]
fn formula_10000(s: f64, x: Tensor![.., k, m, (g, c), n], g: usize, y: BoolTensor![k, n, m]) -> (Tensor![], Tensor![g], BoolTensor![.., k, m, n, (g, c)]) {
    let v0 = (0.25 * cast(iota(g), float));
    ((pow(s, 2.0) * s), v0, ((x != 0.25) | !y))
}

#[tensor_op(tests = false)]
fn formula_10001(z: IntTensor![n], x: Tensor![m, k, n], y: BoolTensor![n]) -> (IntTensor![n], Tensor![k, m, n], Tensor![k, m, n]) {
    let v0 = rsqrt(square(x) + 0.5);
    let v1 = round(stop_grad(3.0 * x));
    let v2 = var(v1, (m, k));
    ((z * z), v0, (logcumsumexp(x, m) + (cast(argmax(z, n), float) + (select(all(y, n), 1.0, 0.25) + (minimum(v2, x))))))
}

#[tensor_op(tests = false)]
fn formula_10002(y: Tensor![n, m], x: Tensor![n, m], z: Tensor![n, m]) -> Tensor![m, n] {
    let v0 = prod(sqrt(abs(z) + 0.1), n);
    (x + (y + v0))
}

#[tensor_op(tests = false)]
fn formula_10003(x: Tensor![n, m, j, .., k], y: Tensor![.., m, j, n]) -> (Tensor![.., j, m, n], Tensor![], Tensor![.., j, m, n]) {
    let v0 = norm(x, (n, j));
    let v1 = tan(0.4 * tanh((clamp(y, y, 1.5))));
    let v2 = sigmoid(v1);
    let v3 = sinh(0.3 * v2);
    (log2(square(v3) + 0.25), sum(v0, (.., m, k)), stop_grad((v2 - mean(v2, (m, n)))))
}

#[tensor_op(tests = false)]
#[recompute]
fn formula_10004(x: Tensor![k, n, m, ..], z: Tensor![m, .., n, k], #[default(0.5)] s: f64, y: BoolTensor![m, .., n]) -> (BoolTensor![.., m, n], Tensor![], Tensor![.., k, m, n]) {
    let v0 = asinh(s);
    let v1 = std(gelu(x), (m, n));
    let v2 = log1p(abs(z));
    let v3 = stop_grad(v2);
    (y, v0, (v1 + v3))
}

#[tensor_op(tests = false)]
fn formula_10005(x: Tensor![.., m], y: Tensor![m, ..]) -> Tensor![.., m] {
    let v0 = mean(y, (.., m));
    let v1 = (pow((1.0 / clamp(v0, -1.0, 0.75)), 2.0) * (1.0 / clamp(v0, -1.0, 0.75)));
    (cast(v1, float) + (((((y % 1.5 - x)) - mean(((y % 1.5 - x)), ..)) * x)))
}

#[tensor_op(tests = false)]
fn formula_10006(y: BoolTensor![], x: Tensor![.., m, n], z: Tensor![n]) -> (BoolTensor![], Tensor![.., m, n]) {
    let v0 = abs((minimum((logaddexp(x, z)), x)));
    (y, (cast((1 + iota(m) % 2), float) + (softmax((logaddexp(x, z)), (m, n)) + ((softmax(v0, ..) * sin(v0))))))
}

#[tensor_op(tests = false)]
fn formula_10007(x: Tensor, z: Tensor, rest: Axes, y: Tensor) -> (Tensor, Tensor) {
    let v0 = abs(x);
    let v1 = asin(0.9 * tanh(y));
    let v2 = (clamp(z, z, 1.5));
    let v3 = sqrt(abs(y) + 0.1);
    let v4 = relu(min(v1, rest));
    (v0, (v2 + (v3 + v4)))
}

#[tensor_op(tests = false)]
fn formula_10008(#[default(true)] flag: bool, x: Tensor![.., m, n]) -> (BoolTensor![.., m, n], Tensor![.., m, n]) {
    let v0 = select(flag, x, x);
    let v1 = at(cube(at(v0, n = iota(n) % len(n))), m = argsort(stop_grad(cube(at(v0, n = iota(n) % len(n)))), m, descending = true));
    let v2 = cast(stop_grad(v1), bool);
    let v3 = (atan2(ln(v1), ln(v1)));
    ((v0 <= v0), (select(v2, 1.0, 0.25) + v3))
}

#[tensor_op(tests = false)]
fn formula_10009(x: Tensor, flag: bool) -> Tensor {
    let v0 = tan(0.4 * tanh(clamp(erf(rsqrt(square(x) + 0.5)), -1.0, 0.75)));
    (select(flag, 1.0, 0.25) + v0)
}

#[tensor_op(tests = false)]
fn formula_10010(#[default(true)] flag: bool, y: Tensor![k, n, ..], z: Tensor![j, .., n], x: Tensor![m, .., k]) -> (BoolTensor![], Tensor![.., n], Tensor![.., k, n]) {
    let v0 = sum(softmax(select(iota(n) < 2 || iota(n) == iota(m), sum(x * y, k), -INFINITY), n) * z, n);
    let v1 = sum(softmax(sum(sum(tanh(sum(z * v0, j)) * x, m) * sum(tanh(sum(v0 * x, m)) * v0, j), k), m) * sum(tanh(sum(v0 * x, m)) * v0, j), m);
    let v2 = sum(softmax(select(iota(k) <= iota(j), sum(sum(tanh(sum(z * v0, j)) * x, m) * z, n), -INFINITY), k) * v1, k);
    let v3 = ((flag != flag) != (flag != flag));
    let v4 = sum(v2, j);
    let v5 = sum(tanh(sum(sum(tanh(sum(v0 * x, m)) * v0, j) * v0, m)) * v2, j);
    (v3, v4, v5)
}

#[tensor_op(tests = false)]
fn formula_10011(#[default(2)] i: i64, y: Tensor![n, k], z: Tensor![j, n], x: Tensor![k, m]) -> (IntTensor![], Tensor![j], Tensor![k, n]) {
    let v0 = ((prod(x, m) % 1.5 - sum((sum(x * y, k) - mean(sum(x * y, k), n)) * y, n)));
    let v1 = mean(z, n);
    let v2 = sum(softmax(select(iota(j) <= iota(k), sum(sum(tanh(sum(z * y, n)) * v0, k) * v0, m), -INFINITY), j) * sum(tanh(sum(z * y, n)) * v0, k), j);
    let v3 = sqrt(v2);
    let v4 = sum(softmax(sum(log_softmax(v3, m) * y, k), m) * log_softmax(v3, m), m);
    (i, v1, v4)
}

#[tensor_op(tests = false)]
fn formula_10012(y: Tensor![.., n, k], z: Tensor![.., n, j], x: Tensor![m, .., k]) -> (Tensor![.., j, n], IntTensor![.., m]) {
    let v0 = sum(softmax(select(iota(n) <= iota(m), sum(x * y, k), -INFINITY), n) * y, n);
    (z, argmax(stop_grad(v0), k))
}

#[tensor_op(tests = false)]
fn formula_10013(x: Tensor![m], y: Tensor![]) -> (Tensor![], Tensor![m]) {
    let v0 = sum(x, m);
    let v1 = tan(0.4 * tanh(v0));
    let v2 = acosh(abs(x) + 1.25);
    ((pow(abs(y) + 0.3, y)), (v1 + (sum(x, m) + v2)))
}

#[tensor_op(tests = false)]
fn formula_10014(x: Tensor![m, k, n], z: Tensor![m, n], y: BoolTensor![], flag: bool) -> Tensor![k, m, n] {
    let v0 = (z - mean(z, m));
    let v1 = (v0 * rsqrt(mean(square(v0), m) + 0.1));
    let v2 = ln(abs(x) + 0.5);
    (select(y, 1.0, 0.25) + (select(flag, 1.0, 0.25) + (linear_recurrence(sigmoid(z), z, n, init = 0.5) + (((v1 * z)) + erfc(v2)))))
}

#[tensor_op(tests = false)]
fn formula_10015(i: i64, x: Tensor![m, n, .., k, (g = 2, c)]) -> (IntTensor![..], Tensor![.., k, m, n, (g = 2, c)]) {
    let v0 = argmax(stop_grad(sum(((x * x)), (m, n, g, c))), k);
    let v1 = cast(i, float);
    (v0, (mish(x) + ((sum(((x * x)), (m, n, g, c)) % 1.5 - v1))))
}

#[tensor_op(tests = false)]
fn formula_10016(rest: Axes, x: Tensor, axis: Axis, y: Tensor) -> (BoolTensor, Tensor) {
    let v0 = log2(square(sinh(0.3 * x)) + 0.25);
    let v1 = any(is_finite(round(stop_grad(3.0 * y))), axis);
    let v2 = mish(v0);
    let v3 = ln(abs(v2) + 0.5);
    (v1, ((minimum(sinh(0.3 * x), v3)) + cast(len(rest), float)))
}

#[tensor_op(tests = false)]
#[recompute]
fn formula_10017(x: Tensor![(g = 2, c), m], z: Tensor![m], #[default(2)] i: i64, y: Tensor![]) -> Tensor![g, m] {
    let v0 = (minimum(sum(x, (g, c)), x));
    let v1 = prod(v0, c);
    (cast(i, float) + (cast(searchsorted(sort(stop_grad(z), m), stop_grad(y), m), float) + select((expm1(0.5 * z) != sqrt(z)), expm1(0.5 * z), v1)))
}

#[tensor_op(tests = false)]
fn formula_10018(y: IntTensor![m, ..], x: Tensor![.., m]) -> Tensor![.., m] {
    let v0 = any((x == 0.25), (.., m));
    let v1 = sum(y, (.., m));
    let v2 = (v0 | !v0);
    let v3 = sum(select(iota(m2 = m) <= iota(m), at(x, m = iota(m2 = m)), 0.0), m2);
    let v4 = ((v3 + v3));
    let v5 = sum(select(iota(m2 = m) > iota(m), at(stop_grad(v4), m = iota(m2 = m)), 0.0), m2);
    (cast(v1, float) + (select(v2, 1.0, 0.25) + (v5 + var(x, m))))
}

#[tensor_op(tests = false)]
fn formula_10019(y: Tensor![j, n], z: Tensor![j, m], x: Tensor![k, j, n, m, ..]) -> (Tensor![j, m], Tensor![.., j, k, m]) {
    let v0 = (clamp(x, y, 1.5));
    let v1 = min(v0, (n, k, j));
    (z, (cast(iota(k), float) + (v1 + sum(x, n))))
}

#[tensor_op(tests = false)]
fn formula_10020(y: Tensor![n], z: IntTensor![n], x: Tensor![m, n]) -> (IntTensor![n], BoolTensor![m, n], Tensor![n]) {
    let v0 = is_finite(x);
    (z, (v0 & v0), stop_grad(cube(y)))
}

#[tensor_op(tests = false)]
fn formula_10021(x: Tensor![n, .., m], z: Tensor![n, .., m], y: BoolTensor![.., n, m]) -> (BoolTensor![.., m, n], Tensor![.., m, n], Tensor![.., m, n]) {
    let v0 = round(stop_grad(3.0 * x));
    (y, z, (cast((1 + iota(m) % 2), float) + v0))
}

#[tensor_op(tests = false)]
fn formula_10022(i: i64, x: Tensor![k, n, m, ..]) -> (IntTensor![], Tensor![.., k, m, n]) {
    let v0 = (atan2(x, x));
    let v1 = cast(stop_grad(x), int);
    let v2 = prod(v1, (.., m, n));
    let v3 = ((atanh(0.8 * tanh(square(v0))) / atanh(0.8 * tanh(square(v0)))));
    let v4 = sin(v3);
    (i, (cast(v2, float) + v4))
}

#[tensor_op(tests = false)]
fn formula_10023(z: Tensor![n, j], x: Tensor![m, k], y: Tensor![n, k], s: f64) -> (Tensor![], IntTensor![j, m]) {
    let v0 = sum(softmax(select(iota(n) < 2 || iota(n) == iota(m), sum(x * y, k), -INFINITY), n) * z, n);
    let v1 = asinh(v0);
    let v2 = argsort(stop_grad(v1), j);
    (s, v2)
}

#[tensor_op(tests = false)]
fn formula_10024(x: Tensor![n, .., (g = 2, c), k, j, m], s: f64) -> Tensor![.., j, k, m, n, (g = 2, c)] {
    let v0 = sqrt(s);
    let v1 = softmax(x, (m, n, j, g, c));
    let v2 = iota(m);
    let v3 = (maximum(relu(((s / (abs(s) + 0.5)))), relu(((s / (abs(s) + 0.5))))));
    (select((x != 0.25), 1.0, 0.25) + (v1 + (cast(v2, float) + (floor(stop_grad(v0)) + v3))))
}

#[tensor_op(tests = false)]
fn formula_10025(z: BoolTensor![m], x: Tensor![m, n, ..], y: IntTensor![.., m]) -> (IntTensor![.., m], Tensor![.., m, n], BoolTensor![]) {
    let v0 = (1.0 / ((x * x)));
    (y, v0, (all(z, m) != all(z, m)))
}

#[tensor_op(tests = false)]
fn formula_10026(x: Tensor![j, n, k, m, ..], #[default(0.5)] s: f64) -> Tensor![.., j, k, m] {
    let v0 = ((s % 1.5 - s));
    let v1 = (maximum(v0, linear_recurrence(tanh(x), x, m, reverse = true)));
    recip(abs(at(v1, n = iota(m) % len(n))) + 0.7)
}

#[tensor_op(tests = false)]
fn formula_10027(x: Tensor![k, m, j, n], y: Tensor![m, k], z: BoolTensor![j, n, k]) -> (BoolTensor![j, k, n], Tensor![j, k, m, n]) {
    let v0 = softmax(x, (k, j));
    let v1 = atan(((sin(sum(x, (m, k, j))) * v0)));
    let v2 = sign(stop_grad(square(y)));
    let v3 = sort(v1, n, descending = true);
    (z, (v2 + v3))
}

#[tensor_op(tests = false)]
fn formula_10028(z: Tensor, x: Tensor, y: Tensor) -> (BoolTensor, Tensor) {
    let v0 = erf(x);
    let v1 = ((((v0 / (abs(round(stop_grad(3.0 * y))) + 0.5))) - 2.0 * z.exp().log1p()));
    ((v1 == 0.25), (-cosh(0.3 * relu(y))))
}

#[tensor_op(tests = false)]
fn formula_10029(#[default(-1)] axis: Axis, other: Axis, x: Tensor, rest: Axes, z: Tensor, y: IntTensor) -> (IntTensor, BoolTensor, Tensor) {
    let v0 = is_finite(z);
    let v1 = (logaddexp(x, x));
    let v2 = (v1 <= v1);
    let v3 = stop_grad(asinh(x));
    (y, v0, (select(v2, 1.0, 0.25) + (v3 + (cast(len(axis), float) + (cast(len(other), float) + cast(len(rest), float))))))
}

#[tensor_op(tests = false)]
fn formula_10030(y: IntTensor![k, m], x: Tensor![n, k, (g = 2, c), .., m], #[default(2)] i: i64) -> Tensor![.., k, m, n, (g = 2, c)] {
    let v0 = (i >= i);
    let v1 = select(v0, x, ((x * x)));
    let v2 = (v1 - mean(v1, (.., m, n, g)));
    let v3 = (x / (norm(x, (.., m, k, g, c)) + 0.5));
    let v4 = min(v3, (k, c));
    let v5 = select((v1 <= v1), ((x * x)), v4);
    (cast(y, float) + (((((x * x)) + v2)) + v5))
}

#[tensor_op(tests = false)]
fn formula_10031(y: Tensor![j, n, m], i: i64, x: Tensor![m, j, k, (g = 2, c), n]) -> Tensor![g, j, k, m, n] {
    let v0 = (logaddexp(y, y));
    let v1 = (i < i);
    let v2 = cast(len(g), float);
    let v3 = ((y + (pow(abs(v2) + 0.3, v2))));
    let v4 = log2(square(v3) + 0.25);
    (select(v1, 1.0, 0.25) + (cast(argmax(stop_grad(x), (k, j, c)), float) + (v4 + select(all((v0 == x), (m, g, c)), 1.0, 0.25))))
}

#[tensor_op(tests = false)]
fn formula_10032(x: Tensor![m, k, n], z: BoolTensor![n, m], y: Tensor![k]) -> (BoolTensor![k], Tensor![k, m, n]) {
    let v0 = (maximum(x, y));
    let v1 = (pow(abs(y) + 0.3, v0));
    let v2 = ln(v1);
    let v3 = cast(stop_grad(y), int);
    let v4 = any(z, m);
    (cast(v3, bool), (select(v4, 1.0, 0.25) + (clamp(sum(sum(v2, k), n), y, 1.5))))
}

#[tensor_op(tests = false)]
fn formula_10033(z: Tensor![j, n], x: Tensor![k, m], y: Tensor![k, n]) -> Tensor![j, k, n] {
    let v0 = sum(softmax(select(iota(m) < 2 || iota(m) == iota(k), sum(z * ((x * y)), n), -INFINITY), m) * ((x * y)), m);
    v0
}

#[tensor_op(tests = false)]
fn formula_10034(#[default(true)] flag: bool, rest: Axes, #[default(-1)] axis: Axis, other: Axis, y: IntTensor, x: Tensor) -> (BoolTensor![], Tensor, Tensor) {
    let v0 = argmax(y, (other, rest));
    let v1 = cast(v0, float);
    (flag, cummax(v1, axis), (recip(abs(x) + 0.7) + cast(argsort(y, axis), float)))
}

#[tensor_op(tests = false)]
fn formula_10035(#[default(0.5)] s: f64, x: Tensor![m, .., k], z: Tensor![j, .., n], y: Tensor![n, k], flag: bool) -> Tensor![.., k, m, n] {
    let v0 = sum(tanh(sum(sum((sum(x * y, k) - mean(sum(x * y, k), n)) * z, n) * x, m)) * sum((sum(x * y, k) - mean(sum(x * y, k), n)) * z, n), j);
    let v1 = tanh(y);
    (v0 + (select(flag, s, s) + v1))
}

#[tensor_op(tests = false)]
fn formula_10036(x: Tensor) -> (BoolTensor, Tensor) {
    let v0 = asinh(x);
    let v1 = exp2(-abs(v0));
    let v2 = atanh(0.8 * tanh(v1));
    let v3 = (v2 >= v1);
    let v4 = sigmoid(x);
    (v3, (((square(tanh(v1)) - 2.0 * v0)) + v4))
}

#[tensor_op(tests = false)]
fn formula_10037(x: Tensor![m, n], y: IntTensor![m, n]) -> Tensor![m, n] {
    let v0 = select((y > y), ((x / x)), ((x / x)));
    v0
}

#[tensor_op(tests = false)]
fn formula_10038(y: BoolTensor, axis: Axis, rest: Axes, x: Tensor) -> Tensor {
    let v0 = log_softmax(x, (axis, rest));
    let v1 = ((remainder(x, 1.5) - ((v0 - (clamp(v0, v0, 1.5))))));
    let v2 = (minimum(x, x));
    let v3 = square(v2);
    (select(y, 1.0, 0.25) + (select((v1 >= v1), 1.0, 0.25) + ((v3 * v3))))
}

#[tensor_op(tests = false)]
#[recompute]
fn formula_10039(i: i64, x: Tensor![m, n, .., k]) -> (IntTensor![], Tensor![.., k, m, n]) {
    let v0 = ((x / x));
    let v1 = (v0 / (norm(v0, (.., n)) + 0.5));
    let v2 = (atan2(v1, v0));
    ((sign(i) + i), (v2 + prod(min(((v0 * v0)), k), m)))
}

#[tensor_op(tests = false)]
fn formula_10040(i: i64, x: Tensor, y: BoolTensor) -> (BoolTensor, Tensor) {
    let v0 = (popcount(i) + i);
    let v1 = (pow(x, 2.0) * x);
    let v2 = exp(0.3 * x);
    let v3 = stop_grad(v2);
    let v4 = floor_div(v0, v0);
    let v5 = (-v1);
    let v6 = ((v5 * v3));
    (y, (cast(minimum(abs(v4), v4), float) + expm1(0.5 * v6)))
}

#[tensor_op(tests = false)]
fn formula_10041(y: Tensor![.., k, n], x: Tensor![.., m, k], #[default(0.5)] s: f64, z: Tensor![j, n]) -> (Tensor![.., k, n], Tensor![j, n], BoolTensor![.., k, m]) {
    let v0 = (x <= s);
    (y, acosh(abs(z) + 1.25), v0)
}

#[tensor_op(tests = false)]
fn formula_10042(g: usize, y: IntTensor![], x: Tensor![m, (g, c)]) -> (IntTensor![], Tensor![m, (g, c)]) {
    let v0 = (select(x < x, 0.5, 2.0));
    let v1 = floor_div(y, y);
    let v2 = mean(select(iota(m2 = m) < iota(m), at(v0, m = iota(m2 = m)), 0.0), m2);
    let v3 = std((pow(v2, 2.0) * x), (g, c));
    let v4 = mish(x);
    (v1, (v3 + v4))
}

#[tensor_op(tests = false)]
fn formula_10043(#[default(2)] i: i64, #[default(0.5)] s: f64, y: Tensor![.., n, k], x: Tensor![k, .., m], z: Tensor![n, j, ..]) -> (Tensor![], Tensor![.., j, k, n]) {
    let v0 = min(y, n);
    let v1 = prod(z, n);
    let v2 = sum(softmax(sum(x * y, k), n) * y, n);
    let v3 = all((x == acosh(abs(v0) + 1.25)), (m, k));
    (s, (cast(i, float) + (sum(exp(-abs(sum(v2 * y, k))) * v2, m) + (select(v3, 1.0, 0.25) + gelu_tanh(v1)))))
}

#[tensor_op(tests = false)]
fn formula_10044(z: IntTensor, y: BoolTensor, x: Tensor, rest: Axes) -> (IntTensor, BoolTensor, Tensor) {
    let v0 = (maximum(x, x));
    let v1 = atan(v0);
    (z, (y | !y), (v1 + cast(len(rest), float)))
}

#[tensor_op(tests = false)]
fn formula_10045(z: Tensor, other: Axis, #[default(-1)] axis: Axis, s: f64, x: Tensor, y: Tensor) -> (Tensor, Tensor![], Tensor) {
    let v0 = (hypot(acos(0.9 * sin(z)), acos(0.9 * sin(z))));
    let v1 = logsumexp(y, axis);
    let v2 = (erf(x) * (0.25 * cast(iota(axis), float)));
    (v0, sin(s), (v1 + (v2 + cast(len(other), float))))
}

#[tensor_op(tests = false)]
fn formula_10046(flag: bool, x: Tensor, axis: Axis) -> (BoolTensor![], Tensor) {
    let v0 = sum(select(iota(axis2 = axis) > iota(axis), at(asin(0.9 * tanh(x)), axis = iota(axis2 = axis)), 0.0), axis2);
    (flag, v0)
}

#[tensor_op(tests = false)]
fn formula_10047(x: Tensor, z: Tensor, other: Axis, rest: Axes, #[default(-1)] axis: Axis, #[no_grad] y: Tensor) -> (Tensor, Tensor) {
    let v0 = (clamp(x, relu(y), 1.5));
    let v1 = (select(v0 < v0, 0.5, 2.0));
    let v2 = mean(v1, axis);
    let v3 = sum(clamp(z, -1.0, 0.75), (axis, rest));
    (v2, (v3 + cast(len(other), float)))
}

#[tensor_op(tests = false)]
fn formula_10048(g: usize, y: BoolTensor![m, n], x: Tensor![(g, c), m, .., n]) -> (BoolTensor![.., m, n, (g, c)], Tensor![.., m, n, (g, c)]) {
    (is_finite(x), select(y, cos(x), cos(x)))
}

#[tensor_op(tests = false)]
#[recompute]
fn formula_10049(x: Tensor, #[default(-1)] axis: Axis) -> Tensor {
    let v0 = at(mish(x), axis = iota(axis) % len(axis));
    v0
}

#[tensor_op(tests = false)]
#[recompute]
fn formula_10050(z: Tensor, y: Tensor, x: Tensor) -> Tensor {
    let v0 = ((x + x));
    let v1 = square(x);
    let v2 = ln(abs(sqrt(abs(v1) + 0.1)) + 0.5);
    (y + (z + (v0 + v2)))
}

#[tensor_op(tests = false)]
fn formula_10051(x: Tensor![k, n, m], s: f64) -> (IntTensor![k, m, n], Tensor![k, m, n]) {
    let v0 = cast(stop_grad(x), int);
    let v1 = cast(((x / x)), float);
    let v2 = tan(0.4 * tanh(v1));
    let v3 = cast(s, float);
    let v4 = stop_grad(v3);
    (v0, (v2 + v4))
}

#[tensor_op(tests = false)]
fn formula_10052(#[default(true)] flag: bool, y: Tensor![..], x: Tensor![.., m], z: Tensor![m]) -> (BoolTensor![.., m], Tensor![.., m]) {
    let v0 = select(flag, z, y);
    let v1 = select(is_finite(x), x, v0);
    let v2 = is_finite(v1);
    (v2, (pow(abs(y) + 0.3, x)))
}

#[tensor_op(tests = false)]
fn formula_10053(#[default(-1)] axis: Axis, x: Tensor, y: Tensor) -> (Tensor, BoolTensor) {
    let v0 = expm1(0.5 * y);
    let v1 = (any(cast(stop_grad(v0), bool), axis) & any(cast(stop_grad(v0), bool), axis));
    (((x + x)), v1)
}

#[tensor_op(tests = false)]
fn formula_10054(y: BoolTensor![n, m, ..], x: Tensor![j, m, k, .., n]) -> Tensor![.., m] {
    let v0 = square(x);
    let v1 = logsumexp(sum(erfc(v0), (.., m, k)), n);
    let v2 = (logaddexp(v1, v1));
    let v3 = min(v2, j);
    (select(any(y, n), 1.0, 0.25) + v3)
}

#[tensor_op(tests = false)]
fn formula_10055(x: Tensor, rest: Axes, axis: Axis) -> (Tensor, BoolTensor) {
    let v0 = cast(stop_grad(x), bool);
    let v1 = (x / (norm(x, axis) + 0.5));
    (v1, all(v0, rest))
}

#[tensor_op(tests = false)]
fn formula_10056(flag: bool, y: IntTensor![m], x: Tensor![m, ..]) -> (BoolTensor![], Tensor![.., m]) {
    let v0 = ((y >> (y & 3)) | !y);
    let v1 = ((remainder(cast(y, float), 1.5) - x));
    let v2 = (v1 * rsqrt(mean(square(v1), m) + 0.1));
    (flag, (cast(v0, float) + softmax((exp(0.5 * v2) / sum(exp(0.5 * v2), m)), m)))
}

#[tensor_op(tests = false)]
fn formula_10057(other: Axis, z: Tensor, y: Tensor, axis: Axis, x: Tensor) -> (Tensor, IntTensor, Tensor) {
    let v0 = argmin(stop_grad(y), other);
    let v1 = norm(y, other);
    let v2 = (minimum(sqrt(abs(softplus(atanh(0.8 * tanh(y)))) + 0.1), atanh(0.8 * tanh(y))));
    (x, v0, (v1 + (silu(atanh(0.8 * tanh(y))) + (ln(z) + (sort(v2, other) + cast(len(axis), float))))))
}

#[tensor_op(tests = false)]
fn formula_10058(x: Tensor![m], y: IntTensor![m]) -> (IntTensor![m], Tensor![m]) {
    let v0 = (pow(abs(x) + 0.3, x));
    let v1 = (pow(abs(v0) + 0.3, v0));
    let v2 = sqrt(abs(prod(x, m)) + 0.1);
    (y, (v1 + (atanh(0.8 * tanh(v2)) + select(at((x <= 0.25), m = iota(m) % len(m)), 1.0, 0.25))))
}

#[tensor_op(tests = false)]
fn formula_10059(y: BoolTensor![m, n], x: Tensor![(g, c), n, m], g: usize) -> (BoolTensor![n], Tensor![m, n, (g, c)]) {
    let v0 = tanh(x);
    (all(y, m), sin(v0))
}

#[tensor_op(tests = false)]
fn formula_10060(x: Tensor, rest: Axes, y: IntTensor) -> Tensor {
    (cast(y, float) + (cast(argmin(stop_grad(recip(abs(x) + 0.7)), rest), float) + (((prod(x, rest) - prod(x, rest))) + (exp(0.3 * prod(x, rest)) + square(x)))))
}

#[tensor_op(tests = false)]
fn formula_10061(x: Tensor![.., m]) -> (Tensor![..], Tensor![m]) {
    let v0 = (-x);
    let v1 = prod(v0, m);
    let v2 = asinh(cumsum(x, m, exclusive = true));
    let v3 = min(v2, (.., m));
    (v1, (sum(v0, ..) + (cast(prod(argmin(stop_grad(v0), ..), m), float) + v3)))
}

#[tensor_op(tests = false)]
fn formula_10062(g: usize, y: IntTensor![(g, c)], x: Tensor![m, (g, c), k, n]) -> (IntTensor![(g, c)], IntTensor![c], Tensor![k, m, n, (g, c)]) {
    let v0 = cummin(recip(abs(acos(0.9 * sin(x))) + 0.7), g, reverse = true);
    (y, iota(c), (v0 / (norm(v0, n) + 0.5)))
}

#[tensor_op(tests = false)]
fn formula_10063(x: Tensor![m, k, n], i: i64) -> (IntTensor![], Tensor![k, m, n]) {
    let v0 = (x > (pow(x, 2.0) * (maximum(x, x))));
    let v1 = (select((pow(x, 2.0) * (maximum(x, x))) < x, 0.5, 2.0));
    let v2 = (1.0 / (maximum(x, x)));
    let v3 = erf(v2);
    let v4 = ((v3 * v3));
    (i, (select(v0, 1.0, 0.25) + (v1 + v4)))
}

#[tensor_op(tests = false)]
fn formula_10064(y: BoolTensor, other: Axis, x: Tensor, #[default(-1)] axis: Axis, rest: Axes) -> Tensor {
    let v0 = asin(0.9 * tanh(x));
    let v1 = (select(v0 < v0, 0.5, 2.0));
    let v2 = ((x / (abs(v1) + 0.5)));
    let v3 = select(y, v2, v2);
    (cast(argmin(stop_grad(v3), axis), float) + (sin(v3) + (cast(len(other), float) + cast(len(rest), float))))
}

#[tensor_op(tests = false)]
fn formula_10065(z: Tensor, x: Tensor, #[default(true)] flag: bool, y: IntTensor, #[default(-1)] axis: Axis) -> (BoolTensor![], Tensor) {
    let v0 = linear_recurrence(sigmoid(atan(z)), atan(z), axis, init = 0.5);
    let v1 = ((cast(len(axis), float) * x));
    let v2 = cummin(v0, axis, reverse = true);
    (flag, (cast(minimum(abs(y), y), float) + (((logsumexp(ln(v1), axis) / (abs(v0) + 0.5))) + v2)))
}

#[tensor_op(tests = false)]
fn formula_10066(y: BoolTensor![m], x: Tensor![.., n, m]) -> (BoolTensor![m], Tensor![.., m, n]) {
    let v0 = (round(stop_grad(3.0 * x)) / (norm(round(stop_grad(3.0 * x)), ..) + 0.5));
    let v1 = (select(v0 < v0, 0.5, 2.0));
    (y, v1)
}

#[tensor_op(tests = false)]
fn formula_10067(#[default(true)] flag: bool, x: Tensor![.., n, (g, c), m], g: usize) -> (Tensor![g, n], BoolTensor![]) {
    let v0 = max(x, (.., m, c));
    (v0, (flag | !flag))
}

#[tensor_op(tests = false)]
fn formula_10068(x: Tensor![n, (g = 2, c), m, ..], y: Tensor![m, ..], #[default(0.5)] s: f64) -> (Tensor![g, m, n], Tensor![.., m]) {
    let v0 = (exp(0.5 * y) / sum(exp(0.5 * y), (.., m)));
    let v1 = (logaddexp(s, linear_recurrence(sigmoid(v0), v0, m, init = 0.5)));
    (norm(x, (.., c)), relu(v1))
}

#[tensor_op(tests = false)]
fn formula_10069(x: Tensor![n, m, k], y: BoolTensor![m, k]) -> Tensor![k, m, n] {
    let v0 = floor(stop_grad((pow(x, 2.0) * x)));
    let v1 = recip(abs(v0) + 0.7);
    let v2 = log_softmax(v1, (m, n, k));
    (select(y, 1.0, 0.25) + v2)
}

#[tensor_op(tests = false)]
fn formula_10070(x: Tensor![.., k, n, m]) -> Tensor![.., k, m, n] {
    let v0 = asinh(x);
    sign(stop_grad(v0))
}

#[tensor_op(tests = false)]
fn formula_10071(y: Tensor![m], x: Tensor![n, m], i: i64) -> (IntTensor![], Tensor![m, n]) {
    let v0 = sum(x, n);
    let v1 = floor(stop_grad((clamp((v0 / (norm(v0, m) + 0.5)), x, 1.5))));
    (i, (((sum(y, m) / (abs(sum(y, m)) + 0.5))) + v1))
}

#[tensor_op(tests = false)]
fn formula_10072(x: Tensor![m, n, .., k], flag: bool, y: BoolTensor![..]) -> Tensor![.., k, m, n] {
    (select(y, 1.0, 0.25) + (select(flag, 1.0, 0.25) + ((erf(x) * erf(x)))))
}

#[tensor_op(tests = false)]
fn formula_10073(x: Tensor![m, n, j, k]) -> Tensor![j, k, n] {
    let v0 = sum(x, (m, k));
    let v1 = (minimum(v0, v0));
    let v2 = (1 + iota(j) % 2);
    (((v1 / v1)) + (cast(v2, float) + cast(iota(k), float)))
}

#[tensor_op(tests = false)]
fn formula_10074(x: Tensor![k, m], y: Tensor![k, n], z: Tensor![j, n]) -> Tensor![j, k, m] {
    let v0 = sum(select(iota(m) - iota(k) < 2, sum(sum(tanh(sum(y * cast(z, float), n)) * (hypot(x, y)), k) * y, n), 0.0) * sum(tanh(sum(y * cast(z, float), n)) * (hypot(x, y)), k), m);
    let v1 = log_softmax(sum(tanh(sum(y * cast(z, float), n)) * (hypot(x, y)), k), n);
    let v2 = sum(select(iota(n) - iota(j) < 2, sum((hypot(x, y)) * sum(tanh(sum(v1 * v0, j)) * v0, n), k), 0.0) * y, n);
    v2
}

#[tensor_op(tests = false)]
fn formula_10075(#[default(true)] flag: bool, x: Tensor![m, ..], y: BoolTensor![m, ..]) -> (BoolTensor![.., m], Tensor![.., m]) {
    let v0 = tanh(x);
    let v1 = cos(x);
    let v2 = (v1 / (norm(v1, ..) + 0.5));
    let v3 = cast(flag, int);
    (y, (v0 + (cast(cast(stop_grad(x), int), float) + (v2 + cast(v3, float)))))
}

#[tensor_op(tests = false)]
fn formula_10076(s: f64, y: Tensor![n, k], z: Tensor![n, j], x: Tensor![m, k]) -> (Tensor![k, n], Tensor![m, n]) {
    let v0 = sum(z, j);
    let v1 = v0.exp().log1p();
    let v2 = tanh(at(x, k = 0));
    (y, (s + (cast(argmin(stop_grad(at(x, k = 0)), m), float) + (v1 + v2))))
}

#[tensor_op(tests = false)]
fn formula_10077(z: Tensor, y: Tensor, x: Tensor) -> Tensor {
    let v0 = log1p(abs(x));
    let v1 = recip(abs(x) + 0.7);
    let v2 = cast(stop_grad(z), bool);
    let v3 = log1p(abs(erf(v1)));
    let v4 = erf(x);
    let v5 = asin(0.9 * tanh(y));
    (v0.exp().log1p() + (select(v2, 1.0, 0.25) + (v3 + ((v4 - v5)))))
}

#[tensor_op(tests = false)]
fn formula_10078(x: Tensor, rest: Axes, axis: Axis) -> Tensor {
    let v0 = logsumexp(x, axis);
    let v1 = cube(v0);
    let v2 = erf(v1);
    let v3 = (x * (0.25 * cast(iota(axis), float)));
    let v4 = sign(stop_grad(norm(v2, rest)));
    (v3 + v4)
}

#[tensor_op(tests = false)]
fn formula_10079(z: Tensor![n], y: BoolTensor![..], x: Tensor![n, .., m, k]) -> (Tensor![.., k, m, n], Tensor![.., n]) {
    (x, (ln(abs(z) + 0.5) + select((y & y), 1.0, 0.25)))
}

#[tensor_op(tests = false)]
fn formula_10080(y: Tensor![.., m, k], #[default(0.5)] s: f64, x: Tensor![m, .., k, n]) -> (Tensor![.., m], Tensor![m]) {
    let v0 = asinh(y);
    let v1 = rsqrt(square(silu(((sum(x, ..) * s)))) + 0.5);
    let v2 = min(v1, (n, k));
    (max(v0, k), v2)
}

#[tensor_op(tests = false)]
fn formula_10081(y: IntTensor, other: Axis, axis: Axis, x: Tensor) -> (IntTensor, BoolTensor![], Tensor) {
    let v0 = cast(len(other), float);
    let v1 = cumsum(x, other, reverse = true);
    let v2 = prod(x, other);
    let v3 = (maximum(v2, v2));
    let v4 = ((v3 - v1));
    (y, (v0 > 0.25), ((x / (norm(x, axis) + 0.5)) + v4))
}

#[tensor_op(tests = false)]
#[recompute]
fn formula_10082(x: Tensor, other: Axis, axis: Axis, rest: Axes) -> Tensor {
    let v0 = (x == 0.25);
    let v1 = any(v0, axis);
    let v2 = acos(0.9 * sin(x));
    let v3 = prod(v2, (axis, rest));
    let v4 = ((v3 * v3));
    let v5 = ((v4 % 1.5 - v4));
    (select(v1, 1.0, 0.25) + (v5 + (cast(v4, float) + cast(len(other), float))))
}

#[tensor_op(tests = false)]
fn formula_10083(x: Tensor![m, ..], y: Tensor![m, ..], z: IntTensor![.., m]) -> (Tensor![.., m], Tensor![..]) {
    let v0 = norm(x, m);
    let v1 = (atan2(v0, v0));
    let v2 = sum((z ^ z), (.., m));
    (y, (v1 + cast(v2, float)))
}

#[tensor_op(tests = false)]
fn formula_10084(x: Tensor![.., m]) -> (Tensor![], Tensor![..]) {
    let v0 = sinh(0.3 * floor(stop_grad(prod(x, (.., m)))));
    let v1 = sqrt(floor(stop_grad(prod(x, (.., m)))));
    let v2 = mean(x, m);
    (cosh(0.3 * v0), (v1 + v2))
}

#[tensor_op(tests = false)]
fn formula_10085(y: BoolTensor![m, ..], z: Tensor![m, ..], x: Tensor![m, ..]) -> (BoolTensor![..], Tensor![..], Tensor![.., m]) {
    let v0 = (select(softmax(z, ..) < x, 0.5, 2.0));
    let v1 = log1p(abs(x));
    let v2 = sum(v0, m);
    let v3 = ((v1 % 1.5 - v1));
    let v4 = round(stop_grad(3.0 * v3));
    (at(y, m = 0), v2, v4)
}

#[tensor_op(tests = false)]
fn formula_10086(i: i64, other: Axis, rest: Axes, x: Tensor, axis: Axis) -> (IntTensor![], Tensor) {
    let v0 = ((remainder(sum(sign(stop_grad(x)), (axis, other, rest)), 1.5) - sum(sign(stop_grad(x)), (axis, other, rest))));
    let v1 = (minimum(v0, sum(sign(stop_grad(x)), (axis, other, rest))));
    (i, v1)
}

#[tensor_op(tests = false)]
#[recompute]
fn formula_10087(y: IntTensor![m], x: Tensor![m]) -> (Tensor![m], Tensor![m]) {
    let v0 = (maximum(x, x));
    let v1 = cast(y, bool);
    let v2 = cast(v1, float);
    let v3 = atan(v2);
    (log2(square(x) + 0.25), (silu(v0) + v3))
}

#[tensor_op(tests = false)]
fn formula_10088(x: Tensor![n, m], y: Tensor![m]) -> (Tensor![m, n], Tensor![m, n]) {
    let v0 = silu(x);
    let v1 = at(v0, n = iota(m) % len(n));
    (((y * v0)), (pow(v1, 2.0) * x))
}

#[tensor_op(tests = false)]
fn formula_10089(x: Tensor![n, m, ..], y: Tensor![m, ..]) -> (Tensor![.., m], Tensor![.., m, n]) {
    (y, (sum(x, m) + (at(x, n = len(n) - 1 - iota(n)) + (pow(abs(x) + 0.3, x)))))
}

#[tensor_op(tests = false)]
fn formula_10090(flag: bool, x: Tensor![n, .., m]) -> (Tensor![.., m, n], Tensor![.., m, n]) {
    let v0 = mish(x);
    let v1 = (hypot(v0, v0));
    let v2 = acos(0.9 * sin(v1));
    let v3 = (1.0 / stop_grad(x));
    let v4 = select(flag, (v1 * rsqrt(mean(square(v1), (.., m)) + 0.1)), v2);
    (v3, v4)
}

#[tensor_op(tests = false)]
fn formula_10091(x: Tensor![j, k, m, n]) -> Tensor![j, k, m, n] {
    let v0 = (hypot(min(min(x, (m, k, j)), n), min(min(x, (m, k, j)), n)));
    let v1 = v0.exp().log1p();
    let v2 = ceil(stop_grad(v1));
    let v3 = cast(x, float);
    (v2 + cos(v3))
}

#[tensor_op(tests = false)]
fn formula_10092(x: Tensor![.., n, k, j, m]) -> Tensor![.., j, k, m, n] {
    let v0 = max(x, (m, n, k));
    let v1 = at((atan2(x, x)), k = iota(k) % len(k));
    (((atan(v0) % 1.5 - (atan2(x, x)))) + v1)
}

#[tensor_op(tests = false)]
fn formula_10093(z: IntTensor![k], x: Tensor![m, k, n], y: Tensor![n, k, m]) -> (Tensor![k, m, n], Tensor![k, m, n]) {
    let v0 = (exp(0.5 * x) / sum(exp(0.5 * x), (m, n)));
    let v1 = ceil(stop_grad(v0));
    (y, (cast(z, float) + (v1 + norm(x, (n, k)))))
}

#[tensor_op(tests = false)]
fn formula_10094(y: BoolTensor, x: Tensor) -> (BoolTensor, Tensor) {
    let v0 = recip(abs(log2(square(softplus(x)) + 0.25)) + 0.7);
    let v1 = ((v0 - softplus(x)));
    let v2 = ((v1 - 2.0 * softplus(x)));
    let v3 = silu(v2);
    let v4 = mish(v2);
    let v5 = sqrt(abs(v4) + 0.1);
    (y, (v3.exp().log1p() + v5))
}

#[tensor_op(tests = false)]
fn formula_10095(x: Tensor![n, .., m]) -> (Tensor![n], Tensor![m, n], Tensor![]) {
    let v0 = (clamp(x, x, 1.5));
    let v1 = norm(v0, (.., m));
    let v2 = ((remainder(cast(len(n), float), 1.5) - cast(len(n), float)));
    let v3 = ((remainder(v2, 1.5) - v2));
    (v1, norm(v0.exp().log1p(), ..), v3)
}

#[tensor_op(tests = false)]
fn formula_10096(rest: Axes, x: Tensor, #[default(true)] flag: bool) -> Tensor {
    let v0 = (flag == flag);
    let v1 = sum(x, rest);
    (select(v0, 1.0, 0.25) + v1)
}

#[tensor_op(tests = false)]
fn formula_10097(x: Tensor![m, n, .., (g, c)], y: Tensor![(g, c), n, m, ..], g: usize, z: IntTensor![.., n]) -> Tensor![.., m, n, (g, c)] {
    let v0 = minimum(abs(z), z);
    let v1 = asinh(cube(x));
    (cast(v0, float) + (sqrt(cube(x)) + (cast(iota(g), float) + (v1 + (-y)))))
}

#[tensor_op(tests = false)]
fn formula_10098(y: BoolTensor![m], x: Tensor![n, m]) -> Tensor![m, n] {
    let v0 = ((clamp(x, x, 1.5)) > 0.25);
    (select(y, 1.0, 0.25) + select(v0, 1.0, 0.25))
}

#[tensor_op(tests = false)]
fn formula_10099(y: Tensor![n, k], x: Tensor![.., m, k, n]) -> Tensor![.., k, m, n] {
    let v0 = cube(y);
    let v1 = (logaddexp(v0, v0));
    let v2 = (logaddexp(linear_recurrence(tanh(x), x, n, reverse = true), ln(abs(v1) + 0.5)));
    let v3 = expm1(0.5 * v2);
    let v4 = expm1(0.5 * v3);
    v4
}

#[tensor_op(tests = false)]
fn formula_10100(z: Tensor![n, j], x: Tensor![k, m, ..], y: Tensor![n, .., k]) -> (IntTensor![.., k, m], IntTensor![k], Tensor![.., k, m, n]) {
    let v0 = round(stop_grad(3.0 * x));
    let v1 = mean(select(iota(m2 = m) != iota(m), at(v0, m = iota(m2 = m)), 0.0), m2);
    let v2 = sum(y, ..);
    let v3 = cast(stop_grad(v1), int);
    let v4 = sum(select(iota(k) - iota(j) < 2, sum(v2 * z, n), 0.0) * v0, k);
    let v5 = argmax(stop_grad(y), (.., n));
    let v6 = sum(select(iota(j) - iota(j) < 2, sum(((z % 1.5 - v4)) * y, n), 0.0) * ((z % 1.5 - v4)), j);
    (v3, v5, v6)
}

#[tensor_op(tests = false)]
fn formula_10101(s: f64, rest: Axes, x: Tensor, y: IntTensor) -> (IntTensor, Tensor) {
    let v0 = ln(abs(x) + 0.5);
    let v1 = var(v0, rest);
    let v2 = softmax(x, rest);
    (y, (sum((logaddexp(((v0 - 2.0 * v0)), v2)), rest) + gelu(((s / (abs(v1) + 0.5))))))
}

#[tensor_op(tests = false)]
fn formula_10102(x: Tensor![m, n], z: Tensor![m, n], y: BoolTensor![m, n]) -> Tensor![m, n] {
    let v0 = exp2(-abs(x));
    let v1 = ((v0 - 2.0 * (pow(z, 2.0) * z)));
    let v2 = (x / (norm(x, (m, n)) + 0.5));
    (select(y, 1.0, 0.25) + (v1 + select(is_finite(v2), 1.0, 0.25)))
}

#[tensor_op(tests = false)]
fn formula_10103(x: Tensor![n, .., m], #[default(2)] i: i64, y: IntTensor![.., m, n], z: Tensor![m, n, ..]) -> (IntTensor![], IntTensor![.., m, n], Tensor![m, n]) {
    let v0 = ((x * z));
    let v1 = maximum(y, y);
    let v2 = tan(0.4 * tanh((minimum(std(x, m), v0))));
    (i, v1, (cast(argmax(y, ..), float) + min(exp(0.3 * sum(v2, (.., m))), n)))
}

#[tensor_op(tests = false)]
fn formula_10104(y: BoolTensor![n, m], x: Tensor![m, n]) -> (BoolTensor![m, n], Tensor![m, n], Tensor![m, n]) {
    let v0 = (x <= x);
    let v1 = x.exp().log1p();
    let v2 = select(v0, v1, v1);
    (y, ln(log_softmax(v2, m)), exp(0.3 * sqrt(log_softmax(v2, m))))
}

#[tensor_op(tests = false)]
fn formula_10105(other: Axis, axis: Axis, x: Tensor, y: IntTensor, z: IntTensor, s: f64) -> (IntTensor, Tensor) {
    let v0 = ((x / x));
    let v1 = cube(s);
    let v2 = (popcount(z) + z);
    (y, (v0 + (v1 + (cast(v2, float) + (cast(len(axis), float) + cast(len(other), float))))))
}

#[tensor_op(tests = false)]
fn formula_10106(x: Tensor![n, (g = 2, c), m, ..], #[default(true)] flag: bool, y: BoolTensor![.., m, n]) -> Tensor![.., m, n, (g = 2, c)] {
    let v0 = select(y, cast(x, float), cast(x, float));
    let v1 = ((select(flag, v0, cast(x, float)) * select(flag, v0, cast(x, float))));
    v1
}

#[tensor_op(tests = false)]
fn formula_10107(y: Tensor, rest: Axes, x: Tensor) -> Tensor {
    (y + (cube(x) + (sqrt(abs(x) + 0.1) + cast(len(rest), float))))
}

#[tensor_op(tests = false)]
fn formula_10108(x: Tensor![m], y: BoolTensor![m]) -> (BoolTensor![], BoolTensor![m]) {
    let v0 = all(y, m);
    let v1 = (x < x);
    (v0, v1)
}

#[tensor_op(tests = false)]
fn formula_10109(z: Tensor![n, j], y: Tensor![n, k], x: Tensor![m, k]) -> (Tensor![], IntTensor![k], Tensor![k, m]) {
    let v0 = sum(tanh(sum(y * sum(exp(-abs(sum(y * z, n))) * y, k), n)) * y, k);
    let v1 = sum(exp(-abs(sum(((y / (abs(y) + 0.5))) * v0, n))) * x, k);
    let v2 = min(((x / z)), (m, n, k, j));
    let v3 = sinh(0.3 * v2);
    let v4 = sum(select(iota(j) - iota(j) < 2, sum(((y / (abs(y) + 0.5))) * z, n), 0.0) * v1, j);
    (v3, argmin(stop_grad(x), m), v4)
}

#[tensor_op(tests = false)]
fn formula_10110(z: Tensor![n, j], y: Tensor![n, k], x: Tensor![k, m]) -> (Tensor![j, k, n], Tensor![k]) {
    let v0 = sum(select(iota(m) - iota(m) < 2, sum(x * y, k), 0.0) * x, m);
    let v1 = (maximum(v0, z));
    (v1, var(x, m))
}

#[tensor_op(tests = false)]
fn formula_10111(y: Tensor![m, n], #[default(true)] flag: bool, x: Tensor![n, k, m]) -> (BoolTensor![], Tensor![k]) {
    let v0 = norm(y, m);
    let v1 = (flag & flag);
    let v2 = cast(stop_grad(norm(((floor(stop_grad(x)) - 2.0 * v0)), (m, n))), bool);
    (v1, (select(is_finite(norm(v0, n)), 1.0, 0.25) + select(v2, 1.0, 0.25)))
}

#[tensor_op(tests = false)]
fn formula_10112(x: Tensor, #[default(0.5)] s: f64, y: BoolTensor) -> Tensor {
    let v0 = (1.0 / x);
    let v1 = cast(x, float);
    let v2 = ((((remainder((maximum(v0, s)), 1.5) - asinh(v1))) % 1.5 - ((remainder((maximum(v0, s)), 1.5) - asinh(v1)))));
    let v3 = cast(stop_grad(cube(v2).exp().log1p()), int);
    (select(y, 1.0, 0.25) + cast(v3, float))
}

#[tensor_op(tests = false)]
fn formula_10113(x: Tensor![k, .., m, n], z: IntTensor![n, k, ..], y: Tensor![m, ..]) -> (Tensor![.., k, m, n], IntTensor![.., k]) {
    let v0 = sum((z % ((z << 2) - z)), n);
    ((logaddexp(x, relu(y))), v0)
}

#[tensor_op(tests = false)]
fn formula_10114(other: Axis, x: Tensor, axis: Axis, s: f64, #[default(2)] i: i64, rest: Axes) -> Tensor {
    let v0 = logsumexp(x, rest);
    (s + (cast(i, float) + (atanh(0.8 * tanh(x)) + (v0 + (cast(len(axis), float) + cast(len(other), float))))))
}

#[tensor_op(tests = false)]
fn formula_10115(flag: bool, y: Tensor, z: BoolTensor, x: Tensor, axis: Axis, other: Axis, rest: Axes) -> Tensor {
    let v0 = argmin(stop_grad(x), axis);
    let v1 = min(y, (axis, rest));
    let v2 = (maximum(expm1(0.5 * y), y));
    (select(z, 1.0, 0.25) + (select(flag, 1.0, 0.25) + (cast(v0, float) + (v1 + (v2 + cast(len(other), float))))))
}

#[tensor_op(tests = false)]
fn formula_10116(x: Tensor, other: Axis, y: BoolTensor, z: IntTensor, s: f64, axis: Axis) -> Tensor {
    let v0 = ((at(x, axis = iota(other) % len(axis)) - ((s * x))));
    (select(y, 1.0, 0.25) + (cast(z, float) + (sqrt(x) + ((v0 + v0)))))
}

#[tensor_op(tests = false)]
fn formula_10117(x: Tensor![.., k, (g, c), m, n], y: Tensor![], g: usize, z: IntTensor![k, (g, c), n, m]) -> (IntTensor![k, m, n, (g, c)], Tensor![.., k, m, n, (g, c)]) {
    let v0 = (y > x);
    (z, (((remainder(x, 1.5) - x)) + (select(v0, 1.0, 0.25) + (((x / (abs(acos(0.9 * sin(y))) + 0.5))) + (square(acos(0.9 * sin(y))) + square(log_softmax(x, (k, g))))))))
}

#[tensor_op(tests = false)]
fn formula_10118(x: Tensor![m, n], y: Tensor![]) -> (Tensor![], BoolTensor![], Tensor![n]) {
    let v0 = sum(x, m);
    let v1 = sinh(0.3 * y);
    let v2 = max(v0, n);
    let v3 = sum(v0, n);
    let v4 = (1 + iota(n) % 2);
    let v5 = remainder(v4, v4);
    (v1, (v2 > 0.25), (select(is_finite(v3), 1.0, 0.25) + cast(v5, float)))
}

#[tensor_op(tests = false)]
fn formula_10119(x: Tensor, other: Axis, #[default(-1)] axis: Axis) -> (BoolTensor, IntTensor, Tensor) {
    let v0 = ln(abs(x) + 0.5);
    let v1 = sigmoid(logsumexp(v0, axis));
    let v2 = is_finite(prod(v0, (axis, other)));
    let v3 = argsort(stop_grad((minimum(asinh(v1), v0))), other, descending = true);
    let v4 = (atan2((minimum(asinh(v1), v0)), (minimum(asinh(v1), v0))));
    (v2, v3, v4)
}

#[tensor_op(tests = false)]
fn formula_10120(x: Tensor![n, .., m]) -> (IntTensor![.., m, n], Tensor![.., m, n]) {
    let v0 = (maximum(x, x));
    let v1 = cast(stop_grad(v0), int);
    let v2 = (pow(abs(v0) + 0.3, v0));
    (v1, ((v2 - v2)))
}

#[tensor_op(tests = false)]
#[recompute]
fn formula_10121(y: BoolTensor![.., m, k, n], z: IntTensor![m, .., n, k], x: Tensor![k, m, .., n]) -> (BoolTensor![.., k, m, n], Tensor![.., k, m, n]) {
    let v0 = ((x / (abs(acos(0.9 * sin(x))) + 0.5)));
    let v1 = linear_recurrence(0.9, v0, k);
    let v2 = stop_grad(sum(v0, (m, n, k)));
    (y, (cast(z, float) + ((clamp(sum(v0, (m, n, k)), sum(v0, (m, n, k)), 1.5)) + (v1 + v2))))
}

#[tensor_op(tests = false)]
fn formula_10122(x: Tensor, #[default(-1)] axis: Axis, other: Axis) -> (Tensor, Tensor, Tensor) {
    let v0 = softplus(x);
    let v1 = ceil(stop_grad(v0));
    let v2 = sign(stop_grad(v1));
    let v3 = sqrt(x);
    let v4 = (asinh(v0) * (0.25 * cast(iota(axis), float)));
    (abs(v2), v3, (logsumexp(v4, axis) + cast(len(other), float)))
}

#[tensor_op(tests = false)]
fn formula_10123(x: Tensor![m, k], z: Tensor![n, j], y: Tensor![k, n], #[default(true)] flag: bool) -> (BoolTensor![], Tensor![j, k, n]) {
    let v0 = norm(x, m);
    let v1 = sum(select(iota(k) - iota(j) < 2, sum(z * recip(abs(y) + 0.7), n), 0.0) * recip(abs(y) + 0.7), k);
    (flag, (v1 + (logaddexp(v0, v0))))
}

#[tensor_op(tests = false)]
#[recompute]
fn formula_10124(y: IntTensor![k, n, ..], x: Tensor![m, j, n, k, ..]) -> Tensor![.., j, k, m, n] {
    let v0 = cumsum(cast((hypot(x, x)), float), n);
    let v1 = (atan2((hypot(x, x)), silu(v0)));
    let v2 = ((v1 + v1));
    let v3 = sum(select(iota(m2 = m) >= iota(m), at(relu(v2), m = iota(m2 = m)), 0.0), m2);
    (cast(argmax(y, ..), float) + v3)
}

#[tensor_op(tests = false)]
fn formula_10125(y: Tensor![m, j], x: Tensor![n, j, k, .., m]) -> (Tensor![j, m], Tensor![j, m]) {
    let v0 = ((y - sum(x, n)));
    let v1 = (logaddexp(min(v0, (.., k)), min(v0, (.., k))));
    let v2 = cast((stop_grad(y) > 0.25), float);
    let v3 = ((stop_grad(y) > 0.25) | !(stop_grad(y) > 0.25));
    (v1, (v2 + select(v3, 1.0, 0.25)))
}

#[tensor_op(tests = false)]
fn formula_10126(x: Tensor![k, n, m, (g, c), ..], g: usize, y: BoolTensor![(g, c)]) -> (Tensor![..], BoolTensor![(g, c)]) {
    let v0 = atanh(0.8 * tanh(var((x - mean(x, (.., m, n, k, c))), (m, n, k, g, c))));
    (v0, ((y & y) & (y & y)))
}

#[tensor_op(tests = false)]
fn formula_10127(flag: bool, x: Tensor, other: Axis, #[default(-1)] axis: Axis, rest: Axes) -> Tensor {
    let v0 = mean(ln((atan2(x, x))), (axis, rest));
    (select(flag, 1.0, 0.25) + (sum(v0, other) + (gelu_tanh(cummin(x, axis, reverse = true)) + sign(stop_grad(cummin(x, axis, reverse = true))))))
}

#[tensor_op(tests = false)]
fn formula_10128(x: Tensor![.., (g, c), m], g: usize, #[no_grad] y: Tensor![..], z: BoolTensor![(g, c), ..]) -> (BoolTensor![.., (g, c)], Tensor![..], Tensor![.., m, (g, c)]) {
    let v0 = at(x, g = len(g) - 1 - iota(g));
    (z, (minimum(y, y)), log1p(abs(v0)))
}

#[tensor_op(tests = false)]
fn formula_10129(z: Tensor![(g, c), .., m], y: Tensor![n, .., m], x: Tensor![.., n, (g, c), m], g: usize) -> (Tensor![..], Tensor![.., m, n, (g, c)]) {
    let v0 = logsumexp(z, (m, g, c));
    let v1 = sign(stop_grad(v0));
    let v2 = ceil(stop_grad(y));
    let v3 = min((clamp(sqrt(abs(v2) + 0.1), x, 1.5)), (.., m));
    (v1, (cast(iota(g), float) + (v3 + relu(sqrt(abs(v2) + 0.1)))))
}

#[tensor_op(tests = false)]
fn formula_10130(y: IntTensor![n, ..], x: Tensor![n, m, ..]) -> (IntTensor![..], Tensor![.., m, n]) {
    let v0 = (select(((remainder(x, 1.5) - x)) < ((remainder(x, 1.5) - x)), 0.5, 2.0));
    let v1 = sum(y, n);
    let v2 = cube(x);
    (v1, (log1p(abs(cast(v0, float))) + v2))
}

#[tensor_op(tests = false)]
fn formula_10131(x: Tensor, #[default(2)] i: i64, y: IntTensor) -> Tensor {
    let v0 = gelu_tanh(((x * x)));
    let v1 = sign(stop_grad(v0));
    (cast(y, float) + (acos(0.9 * sin(abs((atan2(((x * x)), ((x * x))))))) + (cast((i / i), float) + v1)))
}

#[tensor_op(tests = false)]
fn formula_10132(x: Tensor![m, .., n, (g = 2, c)]) -> (Tensor![.., n], Tensor![.., c, m]) {
    let v0 = (hypot(x, x));
    let v1 = ((remainder(mean(v0, (m, g, c)), 1.5) - mean(v0, (m, g, c))));
    let v2 = at(mean(v0, (m, g, c)), n = iota(m) % len(n));
    ((pow(abs(sinh(0.3 * v1)) + 0.3, sinh(0.3 * v1))), (cast(sum(argmax(cast(stop_grad(x), int), (m, n)), (.., g)), float) + v2))
}

#[tensor_op(tests = false)]
fn formula_10133(y: IntTensor![k, j], x: Tensor![j, m, n, k]) -> Tensor![j, k, m, n] {
    let v0 = argmax(y, (k, j));
    let v1 = logsumexp(x, m);
    let v2 = asin(0.9 * tanh(relu(sqrt(abs(sigmoid(x)) + 0.1))));
    let v3 = ((x * v2));
    (cast(v0, float) + (v1 + v3))
}

#[tensor_op(tests = false)]
fn formula_10134(g: usize, x: Tensor![m, (g, c)]) -> (IntTensor![c, m], Tensor![m, (g, c)]) {
    let v0 = at(x, g = iota(m) % len(g));
    let v1 = (exp(0.5 * ((remainder(x, 1.5) - x))) / sum(exp(0.5 * ((remainder(x, 1.5) - x))), (m, g, c)));
    let v2 = asinh(v0);
    let v3 = expm1(0.5 * v1);
    let v4 = cumprod(1.0 + 0.3 * tanh(v3), g);
    let v5 = atanh(0.8 * tanh(v2));
    (cast(stop_grad(v0), int), (ln(abs(v4) + 0.5) + v5))
}

#[tensor_op(tests = false)]
fn formula_10135(x: Tensor![n, .., m], y: BoolTensor![m]) -> (BoolTensor![m], Tensor![.., m, n]) {
    let v0 = log_softmax(silu(x), n);
    (y, (v0 + cast((1 + iota(n) % 2), float)))
}

#[tensor_op(tests = false)]
#[recompute]
fn formula_10136(x: Tensor![m, ..], y: IntTensor![.., m]) -> (IntTensor![.., m], Tensor![.., m]) {
    let v0 = sum(x, m);
    let v1 = (exp2(-abs(x)) - mean(exp2(-abs(x)), m));
    let v2 = ((v1 * v0));
    let v3 = asinh(v2);
    (y, v3)
}

#[tensor_op(tests = false)]
fn formula_10137(axis: Axis, other: Axis, #[default(2)] i: i64, x: Tensor) -> (IntTensor![], Tensor) {
    let v0 = (x - mean(x, axis));
    let v1 = (pow(abs(v0) + 0.3, v0));
    let v2 = abs(v1);
    (i, (v2 + cast(len(other), float)))
}

#[tensor_op(tests = false)]
fn formula_10138(y: Tensor![k, n, m, j], z: IntTensor![k, n, m, ..], x: Tensor![k, j, n, m, ..]) -> (Tensor![j, k, m, n], Tensor![.., j, k, m, n]) {
    let v0 = mean(select(iota(j2 = j) == iota(j), at((-x), j = iota(j2 = j)), 0.0), j2);
    (y, (cast(z, float) + v0))
}

#[tensor_op(tests = false)]
fn formula_10139(x: Tensor![m, ..], y: BoolTensor![..]) -> Tensor![.., m] {
    let v0 = (maximum(x, x));
    (select(y, 1.0, 0.25) + (v0 + floor(stop_grad(x))))
}

#[tensor_op(tests = false)]
#[recompute]
fn formula_10140(x: Tensor![n, m], y: Tensor![n], z: Tensor![m]) -> (Tensor![m, n], Tensor![m, n], Tensor![]) {
    let v0 = gelu(y);
    let v1 = silu(x);
    let v2 = (logaddexp(z, z));
    let v3 = exp(0.3 * x);
    let v4 = sin(v1);
    let v5 = any((v2 == 0.25), m);
    (v3, v4, (select(v5, 1.0, 0.25) + sum(asinh(v0), n)))
}

#[tensor_op(tests = false)]
fn formula_10141(x: Tensor, s: f64, z: BoolTensor, rest: Axes, y: Tensor) -> (Tensor, Tensor![], Tensor) {
    (x, s, (select((z ^ z), 1.0, 0.25) + ((1.0 / y) + cast(len(rest), float))))
}

#[tensor_op(tests = false)]
fn formula_10142(y: IntTensor![m], x: Tensor![m]) -> (IntTensor![m], BoolTensor![m], Tensor![m]) {
    let v0 = is_finite(x);
    let v1 = is_finite((clamp(x, (hypot(x, x)), 1.5)));
    (y, v0, (select(v1, 1.0, 0.25) + clamp((hypot(x, x)), -1.0, 0.75)))
}

#[tensor_op(tests = false)]
fn formula_10143(#[default(2)] i: i64, x: Tensor![m, k, n]) -> (IntTensor![], Tensor![k, m, n]) {
    let v0 = (x < 0.25);
    (i, (select(v0, 1.0, 0.25) + asinh(max(x, k))))
}

#[tensor_op(tests = false)]
fn formula_10144(x: Tensor, y: Tensor) -> Tensor {
    let v0 = (hypot(relu(x), relu(x)));
    let v1 = (1.0 / ((x * v0)));
    (maximum((hypot(abs(v1), atanh(0.8 * tanh(x)))), y))
}

#[tensor_op(tests = false)]
fn formula_10145(y: IntTensor![m, n], z: Tensor![m], x: Tensor![m, n], #[default(0.5)] s: f64) -> (Tensor![m], Tensor![m, n]) {
    let v0 = (hypot(z, z));
    let v1 = ((x * cast(len(n), float)));
    (v0, (square(s) + (cast((y * y), float) + v1)))
}

#[tensor_op(tests = false)]
fn formula_10146(y: Tensor![n, k], z: Tensor![n, j], x: Tensor![k, m]) -> (IntTensor![], Tensor![j, k, m]) {
    let v0 = sum(softmax(select(iota(j) <= iota(j), sum(y * z, n), -INFINITY), j) * z, j);
    let v1 = sum((sum(v0 * x, k) - mean(sum(v0 * x, k), m)) * x, m);
    let v2 = prod((1 + iota(m) % 2), m);
    (floor_div(v2, v2), (sum(tanh(sum(v1 * z, n)) * x, k) + gelu_tanh(x)))
}

#[tensor_op(tests = false)]
fn formula_10147(x: Tensor![n, m, k]) -> Tensor![k, m, n] {
    let v0 = (sinh(0.3 * x) / (norm(sinh(0.3 * x), m) + 0.5));
    let v1 = ((v0 - v0));
    ((v1 / (abs(v1) + 0.5)))
}

#[tensor_op(tests = false)]
fn formula_10148(y: Tensor![k, n], flag: bool, x: Tensor![k, m], z: Tensor![n, j]) -> Tensor![k, m, n] {
    let v0 = sum(softmax(sum(x * y, k), n) * z, n);
    let v1 = sum(softmax(select(iota(k) <= iota(j), sum(y * z, n), -INFINITY), k) * x, k);
    let v2 = ((sum(softmax(sum(v1 * x, m), j) * v1, j) - sum(softmax(sum(v1 * x, m), j) * v1, j)));
    let v3 = max(argsort(stop_grad(v0), m, descending = true), j);
    let v4 = sum(z, j);
    let v5 = cast(flag, float);
    (v2 + (cast(v3, float) + (linear_recurrence(sigmoid(y), y, k, init = 0.5) + (v4 + v5))))
}

#[tensor_op(tests = false)]
fn formula_10149(x: Tensor![k, .., n, j, m], y: Tensor![k, n, j], z: BoolTensor![j, k]) -> (Tensor![.., j, k, m, n], Tensor![.., j, k, n]) {
    let v0 = (pow(abs(x) + 0.3, x));
    let v1 = ln((((atan2(y, x)) / (abs(v0) + 0.5))));
    let v2 = any(z, k);
    let v3 = searchsorted(sort(stop_grad(x), m), stop_grad(y), m, right = true);
    (v1, (select(v2, 1.0, 0.25) + cast(v3, float)))
}

#[tensor_op(tests = false)]
fn formula_10150(i: i64, x: Tensor![.., n, k, (g, c), m, j], g: usize) -> Tensor![.., g, j, k, m, n] {
    let v0 = remainder(i, i);
    let v1 = (select(x < x, 0.5, 2.0));
    let v2 = sum(v1, c);
    let v3 = (minimum(v2, v2));
    let v4 = mean(v3, g);
    let v5 = erf(mean(v4, (.., n)));
    (cast(v0, float) + (log1p(abs(v3)) + v5))
}

#[tensor_op(tests = false)]
fn formula_10151(rest: Axes, #[default(-1)] axis: Axis, other: Axis, x: Tensor) -> (IntTensor, Tensor![], Tensor![]) {
    let v0 = ((remainder(cummin(x, axis, reverse = true), 1.5) - cummin(x, axis, reverse = true)));
    let v1 = argmax(stop_grad(v0), axis);
    (v1, cast(len(other), float), cast(len(rest), float))
}

#[tensor_op(tests = false)]
fn formula_10152(y: Tensor![n, k], z: Tensor![j, n], i: i64, x: Tensor![k, m]) -> (IntTensor![], Tensor![j, n]) {
    let v0 = sum(select(iota(k) - iota(j) < 2, sum(z * y, n), 0.0) * y, k);
    let v1 = sum(select(iota(n) - iota(m) < 2, sum(x * y, k), 0.0) * v0, n);
    (i, sum((sum(x * y, k) - mean(sum(x * y, k), m)) * v1, m))
}

#[tensor_op(tests = false)]
fn formula_10153(other: Axis, axis: Axis, x: Tensor, y: BoolTensor) -> (BoolTensor, Tensor) {
    let v0 = (minimum(x, x));
    (all(y, (axis, other)), ((v0 - 2.0 * v0)))
}

#[tensor_op(tests = false)]
fn formula_10154(y: IntTensor![m], x: Tensor![m, n], z: IntTensor![n]) -> (BoolTensor![m], Tensor![m, n]) {
    let v0 = gelu_tanh(x);
    let v1 = (y < 1);
    let v2 = sin(x);
    let v3 = argmax(stop_grad(v0), (m, n));
    (v1, (v2 + (cast(min(y, m), float) + cast((v3 - z), float))))
}

#[tensor_op(tests = false)]
#[recompute]
fn formula_10155(i: i64, y: BoolTensor![k], x: Tensor![k, n, m], z: Tensor![n]) -> Tensor![k, m, n] {
    let v0 = all(y, k);
    (cast(i, float) + (((remainder(x, 1.5) - z)) + select(v0, 1.0, 0.25)))
}

#[tensor_op(tests = false)]
fn formula_10156(y: BoolTensor![k, .., j, n], #[default(true)] flag: bool, z: IntTensor![j, m], x: Tensor![k, n, .., j, m]) -> (Tensor![.., j, k, m, n], Tensor![j, m]) {
    let v0 = all(y, (.., n, k));
    (x, (select(flag, 1.0, 0.25) + (cast((z >> (z & 3)), float) + select(v0, 1.0, 0.25))))
}

#[tensor_op(tests = false)]
fn formula_10157(#[default(2)] i: i64, flag: bool, rest: Axes, y: Tensor, x: Tensor) -> (IntTensor![], Tensor, Tensor) {
    let v0 = (y / (norm(y, rest) + 0.5));
    (i, v0, (select((flag != (x != x)), 1.0, 0.25) + sigmoid(x)))
}

#[tensor_op(tests = false)]
fn formula_10158(x: Tensor, #[default(-1)] axis: Axis, y: Tensor) -> (Tensor, Tensor) {
    let v0 = log1p(abs(atan(y)));
    (x, (v0 + cast(len(axis), float)))
}

#[tensor_op(tests = false)]
fn formula_10159(i: i64, y: Tensor![k, .., n], x: Tensor![k, .., n, m]) -> (IntTensor![], Tensor![.., k, m], Tensor![..]) {
    let v0 = sum(y, (n, k));
    let v1 = logsumexp(y, (.., n, k));
    (i, sum(x, n), (pow(v1, 2.0) * log_softmax(v0, ..)))
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
