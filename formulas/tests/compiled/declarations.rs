//! Written by `UPDATE=1 cargo test -p tensor-op-formulas --test compiled declarations_are_current`.

use tensor_op::Op;
use tensor_op::prelude::*;

#[tensor_op(tests = false)]
fn formula_10000(x: Tensor![.., k, m, (g, c), n], g: usize, list @ [u, v]: [i64; 2], y: BoolTensor![k, n, m], s: f64) -> (BoolTensor![k, m, n], IntTensor![], Tensor![.., k, m, n, (g, c)]) {
    let v0 = ((tanh(x) + s));
    (y, u, (cast(v, float) + v0))
}

#[tensor_op(tests = false)]
fn formula_10001(z: IntTensor![n], x: Tensor![m, k, n], y: BoolTensor![n]) -> (BoolTensor![n], Tensor![k, m, n]) {
    let v0 = any((x == x), (m, n, k));
    let v1 = ((cumsum(x, k, exclusive = true) * cumsum(x, k, exclusive = true)));
    let v2 = erfc(x);
    let v3 = (clamp(v2, v2, 1.5));
    let v4 = max(v3, (m, n, k));
    (y, (select(v0, 1.0, 0.25) + (select((z != 1), 1.0, 0.25) + (select(is_finite(v1), 1.0, 0.25) + v4))))
}

#[tensor_op(tests = false)]
fn formula_10002(y: Tensor![n, m], x: Tensor![n, m], z: Tensor![n, m]) -> (Tensor![m, n], Tensor![m, n]) {
    let v0 = sum(x, m);
    let v1 = ((v0 * v0));
    let v2 = argmax(stop_grad(y), n);
    (sinh(0.3 * y), ((select(v0 < z, 0.5, 2.0)) + (cast(v2, float) + ((ceil(stop_grad(v1)) * x)))))
}

#[tensor_op(tests = false)]
fn formula_10003(x: Tensor![n, m, j, .., k], y: Tensor![.., m, j, n]) -> (Tensor![.., j, m, n], BoolTensor![.., j, k, m, n]) {
    let v0 = cube(y);
    let v1 = cast(stop_grad(x), bool);
    let v2 = tan(0.4 * tanh((clamp(v0, y, 1.5))));
    let v3 = (v1 != v1);
    (v2, v3)
}

#[tensor_op(tests = false)]
fn formula_10004(z: Tensor![m, .., n, k], y: BoolTensor![m, .., n], #[default(0.5)] s: f64, x: Tensor![k, n, m, ..]) -> (Tensor![], IntTensor![.., k, m, n], Tensor![.., k, m, n]) {
    let v0 = cast(stop_grad(x), int);
    let v1 = (y ^ y);
    let v2 = log1p(abs(z));
    let v3 = stop_grad(v2);
    (s, v0, (((z / (abs(x) + 0.5))) + (select(v1, 1.0, 0.25) + v3)))
}

#[tensor_op(tests = false)]
#[recompute]
fn formula_10005(y: Tensor![m, ..], x: Tensor![.., m]) -> (Tensor![.., m], Tensor![.., m]) {
    let v0 = tan(0.4 * tanh(y));
    let v1 = ln(abs(x) + 0.5);
    (v0, v1)
}

#[tensor_op(tests = false)]
fn formula_10006(y: BoolTensor![], x: Tensor![.., m, n], z: Tensor![n]) -> Tensor![.., m, n] {
    let v0 = ((pow(abs(x) + 0.3, z)) - mean((pow(abs(x) + 0.3, z)), (.., m)));
    let v1 = argsort(stop_grad(stop_grad(v0)), m);
    (select(y, 1.0, 0.25) + cast(v1, float))
}

#[tensor_op(tests = false)]
fn formula_10007(z: Tensor, x: Tensor, list @ [u, v]: [i64; 2], rest: Axes, y: Tensor) -> (IntTensor![], Tensor) {
    let v0 = sin(x);
    let v1 = sqrt(abs(abs(x)) + 0.1);
    let v2 = prod(z, rest);
    let v3 = log1p(abs(z));
    let v4 = tan(0.4 * tanh(x));
    (u, (cast(v, float) + (v0 + (v1 + (v2 + (v3 + (y.exp().log1p() + sinh(0.3 * v4))))))))
}

#[tensor_op(tests = false)]
#[recompute]
fn formula_10008(#[default(true)] flag: bool, x: Tensor![.., m, n]) -> Tensor![.., m, n] {
    let v0 = (flag & flag);
    let v1 = softplus(x);
    let v2 = sinh(0.3 * v1);
    let v3 = min(cos(v2), (.., m, n));
    (select(v0, 1.0, 0.25) + (select(at((x <= x), n = iota(n) % len(n)), 1.0, 0.25) + (select(cast(stop_grad(v3), bool), 1.0, 0.25) + (-v3))))
}

#[tensor_op(tests = false)]
fn formula_10009(flag: bool, x: Tensor) -> (BoolTensor![], Tensor) {
    let v0 = ln(abs(sign(stop_grad(x))) + 0.5);
    let v1 = (x == v0);
    let v2 = log1p(abs(sign(stop_grad(v0))));
    let v3 = sign(stop_grad(v2));
    let v4 = sign(stop_grad(v3));
    (flag, (select(v1, 1.0, 0.25) + (acos(0.9 * sin(sign(stop_grad(x)))) + (clamp(x, -1.0, 0.75) + v4))))
}

#[tensor_op(tests = false)]
fn formula_10010(z: Tensor![j, .., n], #[default(true)] flag: bool, x: Tensor![m, .., k], y: Tensor![k, n, ..]) -> (BoolTensor![], Tensor![.., j, k, m]) {
    let v0 = sum((sum(x * ((y - 2.0 * z)), k) - mean(sum(x * ((y - 2.0 * z)), k), m)) * x, m);
    let v1 = sum(softmax(select(iota(k) < 2 || iota(k) == iota(k), sum(sum(exp(-abs(sum(v0 * x, k))) * v0, n) * z, j), -INFINITY), k) * sum(exp(-abs(sum(v0 * x, k))) * v0, n), k);
    let v2 = sum(tanh(sum(v1 * sum(exp(-abs(sum(v0 * x, k))) * v0, n), m)) * v1, j);
    let v3 = sum(softmax(select(iota(m) <= iota(j), sum(x * v0, k), -INFINITY), m) * x, m);
    let v4 = ceil(stop_grad(v2));
    let v5 = sum(exp(-abs(sum(v3 * v4, k))) * v3, n);
    (flag, v5)
}

#[tensor_op(tests = false)]
fn formula_10011(x: Tensor![k, m], y: Tensor![n, k], z: Tensor![j, n], #[default(2)] i: i64) -> (IntTensor![], Tensor![j, k, n]) {
    let v0 = sum((sum(sum(softmax(sum(z * y, n), k) * x, k) * x, m) - mean(sum(sum(softmax(sum(z * y, n), k) * x, k) * x, m), j)) * sum(softmax(sum(z * y, n), k) * x, k), j);
    (i, (sum(softmax(sum(v0 * y, k), m) * v0, m) + ((y % 1.5 - z))))
}

#[tensor_op(tests = false)]
fn formula_10012(z: Tensor![.., n, j], x: Tensor![m, .., k], y: Tensor![.., n, k]) -> Tensor![.., j, k, m] {
    let v0 = sum(softmax(select(iota(k) < 2 || iota(k) == iota(j), sum(erf(z) * y, n), -INFINITY), k) * sum(exp(-abs(sum(x * y, k))) * y, n), k);
    let v1 = sum((sum((maximum(v0, sum(exp(-abs(sum(x * y, k))) * y, n))) * y, k) - mean(sum((maximum(v0, sum(exp(-abs(sum(x * y, k))) * y, n))) * y, k), m)) * (maximum(v0, sum(exp(-abs(sum(x * y, k))) * y, n))), m);
    (cast(argmin(stop_grad(x), ..), float) + sum(exp(-abs(sum(x * v1, k))) * v1, n))
}

#[tensor_op(tests = false)]
fn formula_10013(x: Tensor![m], y: Tensor![]) -> (Tensor![], Tensor![m]) {
    let v0 = sum(linear_recurrence(0.9, x, m), m);
    let v1 = tan(0.4 * tanh(v0));
    let v2 = acosh(abs(x) + 1.25);
    (y, (v1 + (sum(linear_recurrence(0.9, x, m), m) + v2)))
}

#[tensor_op(tests = false)]
#[recompute]
fn formula_10014(y: BoolTensor![], z: Tensor![m, n], flag: bool, x: Tensor![m, k, n]) -> Tensor![k, n] {
    let v0 = scatter_mul(z, m, k = 0);
    let v1 = select(flag, select(y, v0, ((z % 1.5 - x))), select(y, v0, ((z % 1.5 - x))));
    let v2 = recip(abs(exp2(-abs(v1))) + 0.7);
    let v3 = var(v2, m);
    cos(v3)
}

#[tensor_op(tests = false)]
fn formula_10015(i: i64, x: Tensor![m, n, .., k, (g = 2, c)]) -> (IntTensor![], BoolTensor![c, k, n], Tensor![.., g, n]) {
    let v0 = min(x, (.., m));
    let v1 = cast(stop_grad(v0), bool);
    let v2 = remainder(i, i);
    let v3 = all(v1, g);
    let v4 = (maximum(x, x));
    let v5 = silu(v4);
    let v6 = prod(v5, (m, k, c));
    (v2, v3, exp(0.3 * v6))
}

#[tensor_op(tests = false)]
fn formula_10016(rest: Axes, x: Tensor, axis: Axis, y: Tensor) -> Tensor {
    (y + (cast(logsumexp(x, axis), float) + min(logsumexp(x, axis), rest)))
}

#[tensor_op(tests = false)]
fn formula_10017(#[default(2)] i: i64, x: Tensor![(g = 2, c), m], z: Tensor![m], y: Tensor![]) -> (Tensor![m, (g = 2, c)], Tensor![m]) {
    let v0 = cast(stop_grad(y), bool);
    (x, (cast(i, float) + (select(v0, 1.0, 0.25) + cast(cast(stop_grad((z - mean(z, m))), int), float))))
}

#[tensor_op(tests = false)]
fn formula_10018(x: Tensor![.., m], y: IntTensor![m, ..]) -> (Tensor![.., m], BoolTensor![m], Tensor![.., m]) {
    let v0 = (y < y);
    let v1 = (((0.25 * cast(iota(m), float)) + (0.25 * cast(iota(m), float))));
    (stop_grad(((x * x))), any(v0, ..), (v1 + (select((0.25 * cast(iota(m), float)) < x, 0.5, 2.0))))
}

#[tensor_op(tests = false)]
fn formula_10019(y: Tensor![j, n], z: Tensor![j, m], x: Tensor![k, j, n, m, ..]) -> (BoolTensor![j, m], Tensor![.., j, k, m, n], Tensor![.., j, k, m, n]) {
    let v0 = recip(abs(z) + 0.7);
    let v1 = max(y, (n, j));
    let v2 = std(y, n);
    let v3 = logcumsumexp(x, j);
    let v4 = (maximum(logsumexp(v2, j), v1));
    let v5 = (x > 0.25);
    ((v0 >= 0.25), v3, (v4 + select(v5, 1.0, 0.25)))
}

#[tensor_op(tests = false)]
fn formula_10020(y: Tensor![n], z: IntTensor![n], x: Tensor![m, n]) -> Tensor![m, n] {
    let v0 = log2(square(x) + 0.25);
    (cast(z, float) + (v0 + ln(abs(y) + 0.5)))
}

#[tensor_op(tests = false)]
fn formula_10021(y: BoolTensor![.., n, m], x: Tensor![n, .., m], z: Tensor![n, .., m]) -> (Tensor![.., m, n], Tensor![]) {
    let v0 = any(y, m);
    let v1 = sqrt(x);
    let v2 = (pow((((pow(abs(z) + 0.3, cast(x, float))) % 1.5 - z)), 2.0) * (((pow(abs(z) + 0.3, cast(x, float))) % 1.5 - z)));
    (v1, (select(all(v0, (.., n)), 1.0, 0.25) + sum(sum(v2, (m, n)), ..)))
}

#[tensor_op(tests = false)]
#[recompute]
fn formula_10022(x: Tensor![k, n, m, ..], i: i64) -> (BoolTensor![], Tensor![.., k, m, n]) {
    let v0 = acos(0.9 * sin(x));
    let v1 = (maximum(v0, x));
    let v2 = at(v1, m = len(m) - 1 - iota(m));
    let v3 = softplus(v2);
    let v4 = (i >= i);
    let v5 = ((v0 * v3));
    (v4, softplus(v5))
}

#[tensor_op(tests = false)]
fn formula_10023(s: f64, #[default(2)] list @ [u, v]: [i64; 2], x: Tensor![m, k], y: Tensor![n, k], z: Tensor![n, j]) -> Tensor![j, k, m, n] {
    let v0 = clamp(y, -1.0, 0.75);
    let v1 = var(x, m);
    let v2 = sum((sum(z * v0, n) - mean(sum(z * v0, n), j)) * z, j);
    let v3 = var(v0, k);
    let v4 = sum(softmax(select(iota(n) <= iota(n), sum(x * y, k), -INFINITY), n) * v2, n);
    let v5 = sum(tanh(sum(v4 * y, k)) * x, m);
    let v6 = round(stop_grad(3.0 * s));
    let v7 = tan(0.4 * tanh(z));
    let v8 = sin(v4);
    (cast(u, float) + (cast(v, float) + (v1 + (v3 + (v5 + (v6 + (v7 + v8)))))))
}

#[tensor_op(tests = false)]
fn formula_10024(s: f64, x: Tensor![n, .., (g = 2, c), k, j, m]) -> (Tensor![], Tensor![.., j, k, m, n, (g = 2, c)]) {
    let v0 = at(x, g = argsort(stop_grad(abs(cast(x, float))), g, descending = true));
    ((hypot(s, s)), v0)
}

#[tensor_op(tests = false)]
#[recompute]
fn formula_10025(y: IntTensor![.., m], x: Tensor![m, n, ..], z: BoolTensor![m]) -> (IntTensor![.., m], IntTensor![n], Tensor![.., m, n]) {
    let v0 = (z != z);
    let v1 = (1 + iota(n) % 2);
    let v2 = iota(n);
    (y, v1, (select((all(v0, m) != all(v0, m)), 1.0, 0.25) + (cast(v2, float) + ln(abs((maximum(x, x))) + 0.5))))
}

#[tensor_op(tests = false)]
fn formula_10026(x: Tensor![j, n, k, m, ..], #[default(0.5)] s: f64) -> Tensor![.., j, k, m, n] {
    let v0 = (((maximum(cube(x), ((s % 1.5 - cube(x))))) / s));
    let v1 = norm(v0, (m, n, k));
    let v2 = ((cube(x) % 1.5 - sign(stop_grad(v1))));
    v2
}

#[tensor_op(tests = false)]
#[recompute]
fn formula_10027(y: Tensor![m, k], x: Tensor![k, m, j, n], z: BoolTensor![j, n, k]) -> Tensor![j, k, m, n] {
    let v0 = silu((pow(abs(y) + 0.3, x)));
    let v1 = ((y * ((v0 * x))));
    (select(z, 1.0, 0.25) + (v1 + sum((pow(abs(y) + 0.3, x)), (n, j))))
}

#[tensor_op(tests = false)]
fn formula_10028(x: Tensor, y: Tensor, z: Tensor) -> (Tensor, Tensor) {
    let v0 = cosh(0.3 * y);
    let v1 = log2(square(x) + 0.25);
    (relu(z), (v0 + (recip(abs(stop_grad(z)) + 0.7) + (v1 + relu(y)))))
}

#[tensor_op(tests = false)]
fn formula_10029(y: IntTensor, other: Axis, #[default(-1)] axis: Axis, rest: Axes, z: Tensor, x: Tensor) -> (Tensor, IntTensor, BoolTensor) {
    let v0 = z.exp().log1p();
    let v1 = (logaddexp(x, x));
    let v2 = (v0 <= v0);
    let v3 = exp(0.3 * v1);
    let v4 = (y ^ y);
    (v3, v4, any(v2, (axis, other, rest)))
}

#[tensor_op(tests = false)]
fn formula_10030(x: Tensor![n, k, (g = 2, c), .., m], #[default(2)] i: i64, y: IntTensor![k, m]) -> (IntTensor![k, m], IntTensor![], Tensor![.., k, m, n, (g = 2, c)]) {
    (y, i, abs((select(stop_grad(x) < stop_grad(x), 0.5, 2.0))))
}

#[tensor_op(tests = false)]
fn formula_10031(x: Tensor![m, j, k, (g = 2, c), n], i: i64, y: Tensor![j, n, m], #[default([2, -1])] list @ [u, v]: [i64; 2]) -> (IntTensor![], Tensor![c, j, m, n]) {
    let v0 = (1 + iota(n) % 2);
    let v1 = (x < x);
    let v2 = cast(len(g), float);
    let v3 = prod(v0, n);
    let v4 = select(v1, y, y);
    let v5 = ((y + v2));
    (i, (cast(u, float) + (cast(v, float) + (cast(v3, float) + (min(v4, (m, k, g)) + v5)))))
}

#[tensor_op(tests = false)]
fn formula_10032(y: Tensor![k], x: Tensor![m, k, n], z: BoolTensor![n, m], #[default(2)] list @ [u, v]: [i64; 2]) -> (Tensor![k], Tensor![m, n]) {
    let v0 = (maximum((maximum(var(x, (m, n, k)), atan(var(x, (m, n, k))))), (maximum(var(x, (m, n, k)), atan(var(x, (m, n, k)))))));
    (y, (select(z, 1.0, 0.25) + (cast(u, float) + (cast(v, float) + v0))))
}

#[tensor_op(tests = false)]
fn formula_10033(y: Tensor![k, n], x: Tensor![k, m], z: Tensor![j, n]) -> (Tensor![j, n], Tensor![j]) {
    let v0 = sum(select(iota(m) - iota(n) < 2, sum(sum(softmax(sum(z * y, n), k) * x, k) * z, j), 0.0) * sum(softmax(sum(z * y, n), k) * x, k), m);
    let v1 = prod(sum(y, n), k);
    let v2 = at(sum(softmax(sum(z * y, n), k) * x, k), m = iota(j) % len(m));
    (v0, (square(sum(sum(y, n), k)) + (v1 + v2)))
}

#[tensor_op(tests = false)]
fn formula_10034(#[default(true)] flag: bool, y: IntTensor, #[default(-1)] axis: Axis, other: Axis, x: Tensor, rest: Axes) -> (IntTensor, IntTensor, Tensor) {
    let v0 = prod(argsort(y, axis), axis);
    let v1 = erf(recip(abs(sigmoid(x)) + 0.7));
    (min(y, (axis, other, rest)), v0, select(flag, v1, v1))
}

#[tensor_op(tests = false)]
#[recompute]
fn formula_10035(z: Tensor![j, .., n], #[default(0.5)] s: f64, y: Tensor![n, k], x: Tensor![m, .., k], flag: bool) -> Tensor![.., j, m] {
    let v0 = log_softmax(expm1(0.5 * x), (.., m, k));
    let v1 = sum(softmax(select(iota(k) <= iota(k), sum(z * y, n), -INFINITY), k) * v0, k);
    let v2 = (s != v1);
    (select(flag, 1.0, 0.25) + select(v2, 1.0, 0.25))
}

#[tensor_op(tests = false)]
fn formula_10036(x: Tensor) -> Tensor {
    let v0 = cosh(0.3 * ln(acosh(abs(clamp(x, -1.0, 0.75)) + 1.25)));
    let v1 = (select(v0 < v0, 0.5, 2.0));
    let v2 = erf(v1);
    v2
}

#[tensor_op(tests = false)]
fn formula_10037(x: Tensor![m, n], y: IntTensor![m, n]) -> (IntTensor![m, n], Tensor![m]) {
    let v0 = ((at(x, n = iota(m) % len(n)) / at(x, n = iota(m) % len(n))));
    (y, v0)
}

#[tensor_op(tests = false)]
fn formula_10038(rest: Axes, x: Tensor, y: BoolTensor, axis: Axis) -> (BoolTensor, BoolTensor, Tensor) {
    let v0 = atanh(0.8 * tanh(x));
    let v1 = ((remainder(x, 1.5) - ((v0 - std(x, rest)))));
    let v2 = (minimum(x, x));
    let v3 = square(v2);
    let v4 = (v1 == ((v3 * v3)));
    (y, (v1 >= v1), (select(v4, 1.0, 0.25) + cast(len(axis), float)))
}

#[tensor_op(tests = false)]
#[recompute]
fn formula_10039(x: Tensor![m, n, .., k], i: i64) -> (IntTensor![], Tensor![..]) {
    let v0 = (logaddexp(x, x));
    let v1 = cumsum(cosh(0.3 * v0), m, exclusive = true);
    let v2 = silu(v1);
    let v3 = sum(v2, (m, n, k));
    (i, v3)
}

#[tensor_op(tests = false)]
fn formula_10040(i: i64, y: BoolTensor, x: Tensor) -> (IntTensor![], Tensor, Tensor) {
    let v0 = (pow(x, 2.0) * x);
    let v1 = erf(v0);
    let v2 = select(y, x, mish(v1));
    let v3 = erf(v2);
    let v4 = log1p(abs(v2));
    let v5 = (-x);
    let v6 = ((v5 * v3));
    (i, v4, v6)
}

#[tensor_op(tests = false)]
fn formula_10041(z: Tensor![j, n], #[default(0.5)] s: f64, y: Tensor![.., k, n], x: Tensor![.., m, k]) -> (IntTensor![k], Tensor![.., k, n]) {
    let v0 = sum(softmax(select(iota(m) < 2 || iota(m) == iota(m), sum(x * y, k), -INFINITY), m) * x, m);
    let v1 = (1 + iota(k) % 2);
    let v2 = sum(softmax(select(iota(j) < 2 || iota(j) == iota(j), sum(z * v0, n), -INFINITY), j) * z, j);
    let v3 = sigmoid(s);
    (v1, (v2 + v3))
}

#[tensor_op(tests = false)]
fn formula_10042(x: Tensor![m, (g, c)], y: IntTensor![], g: usize) -> Tensor![m, (g, c)] {
    let v0 = sqrt(abs(softmax(x, c)) + 0.1);
    let v1 = mean(select(iota(m2 = m) < iota(m), at(v0, m = iota(m2 = m)), 0.0), m2);
    let v2 = std((pow(softmax(x, c), 2.0) * softmax(x, c)), (g, c));
    let v3 = mish((pow(softmax(x, c), 2.0) * softmax(x, c)));
    let v4 = norm(abs(v1), (g, c));
    (cast(y, float) + (v2 + (v3 + (v4 * rsqrt(mean(square(v4), m) + 0.1)))))
}

#[tensor_op(tests = false)]
fn formula_10043(z: Tensor![n, j, ..], #[default(0.5)] s: f64, #[default(2)] i: i64, x: Tensor![k, .., m], y: Tensor![.., n, k]) -> (Tensor![], Tensor![.., j, k, m, n]) {
    let v0 = sum((sum(z * y, n) - mean(sum(z * y, n), k)) * y, k);
    let v1 = logsumexp(x, ..);
    let v2 = (clamp(v1, v0, 1.5));
    let v3 = stop_grad(cumsum(z, j, reverse = true));
    (s, (cast(i, float) + (v2 + v3)))
}

#[tensor_op(tests = false)]
fn formula_10044(rest: Axes, y: BoolTensor, z: IntTensor, x: Tensor) -> (IntTensor, BoolTensor, Tensor) {
    let v0 = is_finite(x);
    let v1 = atan(x);
    (z, v0, (select((y | !y), 1.0, 0.25) + (v1 + cast(len(rest), float))))
}

#[tensor_op(tests = false)]
fn formula_10045(y: Tensor, #[default(-1)] axis: Axis, z: Tensor, x: Tensor, other: Axis, s: f64) -> (IntTensor, Tensor![], Tensor) {
    let v0 = argmax(stop_grad(z), other);
    let v1 = sum(x, (axis, other));
    let v2 = logsumexp(y, axis);
    let v3 = (v1 * (0.25 * cast(iota(axis), float)));
    (v0, sin(s), (v2 + v3))
}

#[tensor_op(tests = false)]
fn formula_10046(x: Tensor, flag: bool, axis: Axis) -> Tensor {
    let v0 = cube(x).exp().log1p();
    let v1 = (x - mean(x, axis));
    let v2 = exp2(-abs(v1));
    let v3 = select(flag, v2, v0);
    v3
}

#[tensor_op(tests = false)]
fn formula_10047(other: Axis, z: Tensor, rest: Axes, x: Tensor, #[default(-1)] axis: Axis, #[no_grad] y: Tensor) -> Tensor {
    let v0 = max(x, other);
    let v1 = recip(abs(v0) + 0.7);
    let v2 = sum(v0, axis);
    let v3 = sum(v2, rest);
    let v4 = cumsum(v1, axis, exclusive = true);
    let v5 = norm(y, rest);
    (z + (v3 + ((clamp(asin(0.9 * tanh(v2)), asin(0.9 * tanh(v2)), 1.5)) + (v4 + v5))))
}

#[tensor_op(tests = false)]
fn formula_10048(y: BoolTensor![m, n], g: usize, list @ [u, v]: [i64; 2], x: Tensor![(g, c), m, .., n]) -> (IntTensor![], Tensor![.., m, n, (g, c)]) {
    (u, (cast((v * v), float) + select(y, x, x)))
}

#[tensor_op(tests = false)]
fn formula_10049(x: Tensor, #[default(-1)] axis: Axis) -> Tensor {
    (var(x, axis) * (0.25 * cast(iota(axis), float)))
}

#[tensor_op(tests = false)]
#[recompute]
fn formula_10050(z: Tensor, x: Tensor, y: Tensor) -> (Tensor, Tensor) {
    let v0 = softplus(y);
    let v1 = sinh(0.3 * cosh(0.3 * x));
    let v2 = silu(x);
    (z, (v0 + (v1 + expm1(0.5 * v2))))
}

#[tensor_op(tests = false)]
fn formula_10051(s: f64, x: Tensor![k, n, m]) -> Tensor![m] {
    let v0 = var(x, (m, n, k));
    let v1 = mean(x, (n, k));
    (s + (v0 + cast(cast(stop_grad(v1), int), float)))
}

#[tensor_op(tests = false)]
fn formula_10052(x: Tensor![.., m], #[default(true)] flag: bool, y: Tensor![..], z: Tensor![m]) -> (BoolTensor![], Tensor![.., m]) {
    let v0 = (pow(abs(x) + 0.3, z));
    let v1 = sum((clamp(y, z, 1.5)), m);
    let v2 = ((v1 / (abs(max(v0, ..)) + 0.5)));
    (flag, (v2 + max(v1, ..)))
}

#[tensor_op(tests = false)]
fn formula_10053(y: Tensor, x: Tensor, #[default(-1)] axis: Axis) -> (Tensor, BoolTensor) {
    let v0 = (cast(stop_grad((x - mean(x, axis))), bool) & cast(stop_grad((x - mean(x, axis))), bool));
    let v1 = any(v0, axis);
    (sigmoid((minimum(y, y))), v1)
}

#[tensor_op(tests = false)]
fn formula_10054(#[default(2)] list @ [u, v]: [i64; 2], y: BoolTensor![n, m, ..], x: Tensor![j, m, k, .., n]) -> (BoolTensor![.., m, n], Tensor![.., j, k, m, n]) {
    let v0 = ((((remainder(x, 1.5) - x)) % 1.5 - x));
    (y, (sum(gelu(x), (.., k, j)) + (select((u != v), 1.0, 0.25) + v0)))
}

#[tensor_op(tests = false)]
fn formula_10055(axis: Axis, x: Tensor, rest: Axes) -> (Tensor, Tensor![], Tensor![]) {
    let v0 = cast(sinh(0.3 * x), float);
    (log2(square(v0) + 0.25), cast(len(axis), float), cast(len(rest), float))
}

#[tensor_op(tests = false)]
fn formula_10056(x: Tensor![m, ..], flag: bool, y: IntTensor![m]) -> (BoolTensor![], Tensor![.., m], IntTensor![]) {
    let v0 = ((((x * x)) * ((x * x))));
    let v1 = (max(y, m) * max(y, m));
    (flag, log2(square(v0) + 0.25), v1)
}

#[tensor_op(tests = false)]
fn formula_10057(axis: Axis, x: Tensor, other: Axis, y: Tensor, z: Tensor) -> (BoolTensor, Tensor) {
    let v0 = asin(0.9 * tanh(x));
    let v1 = ((expm1(0.5 * y) <= (clamp(v0, z, 1.5))) & all((expm1(0.5 * y) <= (clamp(v0, z, 1.5))), (axis, other)));
    let v2 = ((remainder(v0, 1.5) - z));
    (v1, v2)
}

#[tensor_op(tests = false)]
#[recompute]
fn formula_10058(x: Tensor![m], y: IntTensor![m]) -> (IntTensor![m], Tensor![m]) {
    let v0 = sqrt(x);
    let v1 = cos(sign(stop_grad(v0)));
    let v2 = asinh(max(v1, m));
    let v3 = cast(x, float);
    (y, (v2 + v3))
}

#[tensor_op(tests = false)]
fn formula_10059(y: BoolTensor![m, n], #[default([2, -1])] list @ [u, v]: [i64; 2], g: usize, x: Tensor![(g, c), n, m]) -> (IntTensor![], BoolTensor![m, n, (g, c)], Tensor![m, n, (g, c)]) {
    let v0 = is_finite(x);
    let v1 = (y | !y);
    let v2 = ((x * x));
    let v3 = any(v1, m);
    (v, v0, (linear_recurrence(tanh(x), x, m, reverse = true) + (v2 + (select((u != 1), 1.0, 0.25) + select(v3, 1.0, 0.25)))))
}

#[tensor_op(tests = false)]
fn formula_10060(x: Tensor, y: IntTensor, rest: Axes) -> (BoolTensor, Tensor) {
    let v0 = sqrt(abs(x) + 0.1);
    let v1 = cast(y, bool);
    let v2 = (pow(v0, 2.0) * v0);
    let v3 = softmax(asinh(v2), rest);
    (v1, (cast(remainder(y, y), float) + (log_softmax(v0, rest) + (v3 + select(is_finite(asinh(v2)), 1.0, 0.25)))))
}

#[tensor_op(tests = false)]
fn formula_10061(x: Tensor![.., m]) -> (BoolTensor![.., m], Tensor![.., m]) {
    let v0 = ((x - 2.0 * x));
    ((v0 > 0.25), cumsum(x, m, exclusive = true))
}

#[tensor_op(tests = false)]
fn formula_10062(g: usize, y: IntTensor![(g, c)], x: Tensor![m, (g, c), k, n]) -> (IntTensor![(g, c)], Tensor![k, n, (g, c)]) {
    let v0 = ((remainder(norm(cummin(recip(abs(x) + 0.7), g, reverse = true), m), 1.5) - norm(cummin(recip(abs(x) + 0.7), g, reverse = true), m)));
    let v1 = argsort(stop_grad(norm(cummin(recip(abs(x) + 0.7), g, reverse = true), m)), k);
    (y, (cast(iota(c), float) + (cast(min(iota(n), n), float) + ((-v0) + cast(v1, float)))))
}

#[tensor_op(tests = false)]
fn formula_10063(x: Tensor![m, k, n], i: i64) -> (IntTensor![], Tensor![k, m, n]) {
    let v0 = (select(min(x, n) < min(x, n), 0.5, 2.0));
    let v1 = (pow(v0, 2.0) * v0);
    (i, (cast(cast(stop_grad(x), int), float) + v1))
}

#[tensor_op(tests = false)]
fn formula_10064(rest: Axes, #[default(-1)] axis: Axis, x: Tensor, y: BoolTensor, other: Axis) -> (BoolTensor, IntTensor, Tensor![]) {
    let v0 = (select(x < x, 0.5, 2.0));
    let v1 = ((v0 / (abs(v0) + 0.5)));
    let v2 = select(y, v1, v0);
    (is_finite(x), argmin(stop_grad(v2), axis), (cast(len(other), float) + cast(len(rest), float)))
}

#[tensor_op(tests = false)]
fn formula_10065(#[default(-1)] axis: Axis, x: Tensor, y: IntTensor, z: Tensor, #[default(true)] flag: bool) -> Tensor {
    let v0 = argmax(y, axis);
    let v1 = logsumexp(x, axis);
    let v2 = sum(select(flag, v1, ln(z)), axis);
    (at(x, axis = abs(v0 % len(axis))) + v2)
}

#[tensor_op(tests = false)]
fn formula_10066(x: Tensor![.., n, m], y: BoolTensor![m]) -> (Tensor![.., m, n], Tensor![.., m, n], Tensor![.., m, n]) {
    let v0 = select(y, x, x);
    let v1 = cumsum(v0, m, reverse = true);
    let v2 = cosh(0.3 * log_softmax(v1, (.., m)));
    let v3 = cumsum(v1, m, reverse = true);
    let v4 = any(y, m);
    (((x % 1.5 - v2)), v3, ((pow(abs(v1) + 0.3, v1)) + select(v4, 1.0, 0.25)))
}

#[tensor_op(tests = false)]
fn formula_10067(x: Tensor![.., n, (g, c), m], g: usize, #[default(true)] flag: bool) -> (BoolTensor![], Tensor![.., m, n, (g, c)]) {
    let v0 = (gelu(x) * rsqrt(mean(square(gelu(x)), (.., m)) + 0.1));
    let v1 = ((max(v0, (.., g)) - 2.0 * gelu(x)));
    (flag, v1)
}

#[tensor_op(tests = false)]
fn formula_10068(x: Tensor![n, (g = 2, c), m, ..], #[default(0.5)] s: f64, y: Tensor![m, ..]) -> Tensor![.., m, n, (g = 2, c)] {
    let v0 = ((x * x));
    let v1 = erf(exp2(-abs(v0)));
    let v2 = (logaddexp(y, linear_recurrence(sigmoid(v1), v1, c, init = 0.5)));
    let v3 = (relu(v2) * rsqrt(mean(square(relu(v2)), (.., m, n, g)) + 0.1));
    (s + v3)
}

#[tensor_op(tests = false)]
fn formula_10069(y: BoolTensor![m, k], x: Tensor![n, m, k]) -> Tensor![k, m, n] {
    let v0 = any(y, k);
    let v1 = select(v0, x, x);
    let v2 = ((v1 * v1));
    ((x * rsqrt(mean(square(x), k) + 0.1)) + select((v2 < 0.25), 1.0, 0.25))
}

#[tensor_op(tests = false)]
fn formula_10070(x: Tensor![.., k, n, m]) -> Tensor![k, m] {
    let v0 = ((x - 2.0 * x));
    let v1 = ((v0 % 1.5 - v0));
    let v2 = recip(abs(v1) + 0.7);
    (max(v2, (.., m, n)) + (0.25 * cast(iota(m), float)))
}

#[tensor_op(tests = false)]
fn formula_10071(y: Tensor![m], i: i64, x: Tensor![n, m]) -> (IntTensor![], Tensor![m, n]) {
    let v0 = (minimum(x, y));
    let v1 = ((sum((clamp((v0 / (norm(v0, n) + 0.5)), x, 1.5)), n) / (abs(sum((clamp((v0 / (norm(v0, n) + 0.5)), x, 1.5)), n)) + 0.5)));
    let v2 = logsumexp((v0 / (norm(v0, n) + 0.5)), m);
    (i, (v1 + v2))
}

#[tensor_op(tests = false)]
fn formula_10072(flag: bool, x: Tensor![m, n, .., k], y: BoolTensor![..]) -> (BoolTensor![], BoolTensor![], Tensor![.., k, m, n]) {
    let v0 = any(y, ..);
    let v1 = acos(0.9 * sin(mean(x, k)));
    let v2 = ((v1 - x));
    let v3 = ((v2 * v2));
    let v4 = ((((mean(x, k) * ((remainder(v3, 1.5) - v3)))) / (abs(((mean(x, k) * ((remainder(v3, 1.5) - v3))))) + 0.5)));
    let v5 = (pow(abs(v4) + 0.3, v4));
    (flag, v0, v5)
}

#[tensor_op(tests = false)]
fn formula_10073(x: Tensor![m, n, j, k]) -> Tensor![j, k, m, n] {
    let v0 = all(is_finite(x), m);
    (select(v0, 1.0, 0.25) + softmax(ln(abs(x) + 0.5), m))
}

#[tensor_op(tests = false)]
#[recompute]
fn formula_10074(z: Tensor![j, n], y: Tensor![k, n], x: Tensor![k, m]) -> (IntTensor![j], Tensor![j, k, n]) {
    let v0 = sum(softmax(select(iota(n) < 2 || iota(n) == iota(m), sum(x * y, k), -INFINITY), n) * sum((sum(y * z, n) - mean(sum(y * z, n), k)) * y, k), n);
    let v1 = iota(j);
    let v2 = clamp(mean(softmax((pow(abs(y) + 0.3, v0)), j), k), -1.0, 0.75);
    let v3 = sum(softmax(select(iota(m) < 2 || iota(m) == iota(m), sum(v2 * y, n), -INFINITY), m) * v2, m);
    (v1, v3)
}

#[tensor_op(tests = false)]
fn formula_10075(x: Tensor![m, ..], #[default(true)] flag: bool, y: BoolTensor![m, ..]) -> (BoolTensor![], Tensor![.., m]) {
    let v0 = (((pow(sigmoid(x), 2.0) * sigmoid(x)) * (pow(sigmoid(x), 2.0) * sigmoid(x))));
    let v1 = (any(y, ..) != any(y, ..));
    let v2 = asin(0.9 * tanh(((v0 * sigmoid(x)))));
    let v3 = cube(v2);
    let v4 = cosh(0.3 * sigmoid(x));
    (flag, (select(v1, 1.0, 0.25) + (v3 + v4)))
}

#[tensor_op(tests = false)]
fn formula_10076(x: Tensor![m, k], z: Tensor![n, j], s: f64, y: Tensor![n, k]) -> Tensor![k, m] {
    let v0 = ln(y);
    let v1 = max(v0, (n, k));
    let v2 = sum(tanh(sum(x * v0, k)) * z, n);
    let v3 = sum(softmax(select(iota(j) <= iota(k), sum(v2 * x, m), -INFINITY), j) * v2, j);
    let v4 = v3.exp().log1p();
    (s + sum(tanh(sum(((v1 * v4)) * v0, k)) * y, n))
}

#[tensor_op(tests = false)]
fn formula_10077(z: Tensor, y: Tensor, x: Tensor) -> (BoolTensor, Tensor) {
    let v0 = cast(stop_grad(erf((1.0 / y))), bool);
    let v1 = log1p(abs((pow(abs(x) + 0.3, z))));
    let v2 = erf(z);
    let v3 = asin(0.9 * tanh(v1));
    (v0, ((v2 - v3)))
}

#[tensor_op(tests = false)]
fn formula_10078(rest: Axes, axis: Axis, x: Tensor) -> (Tensor, Tensor) {
    let v0 = (exp(0.5 * sigmoid(x)) / sum(exp(0.5 * sigmoid(x)), axis));
    let v1 = erf(v0);
    let v2 = (x * (0.25 * cast(iota(axis), float)));
    (v2, prod(v1, (axis, rest)))
}

#[tensor_op(tests = false)]
fn formula_10079(z: Tensor![n], x: Tensor![n, .., m, k], y: BoolTensor![..]) -> Tensor![.., k, m, n] {
    let v0 = sqrt(abs(z) + 0.1);
    (select(y, 1.0, 0.25) + (prod(x, (.., k)) + ((atan2(x, z)) + v0)))
}

#[tensor_op(tests = false)]
fn formula_10080(x: Tensor![m, .., k, n], #[default(0.5)] s: f64, y: Tensor![.., m, k]) -> (IntTensor![k], BoolTensor![k], Tensor![.., k, m, n]) {
    let v0 = sign(stop_grad(x));
    let v1 = argmin(stop_grad(cos(y)), (.., m));
    let v2 = (y - mean(y, k));
    let v3 = round(stop_grad(3.0 * x));
    let v4 = (maximum(v3, v2));
    (v1, any((v0 == s), (.., m, n)), (sum(v2, (m, k)) + v4))
}

#[tensor_op(tests = false)]
#[recompute]
fn formula_10081(x: Tensor, other: Axis, axis: Axis, y: IntTensor) -> (IntTensor, Tensor) {
    let v0 = tanh(log_softmax(x, axis));
    let v1 = ((((v0 / (abs(cast(len(axis), float)) + 0.5))) / ((v0 / (abs(cast(len(axis), float)) + 0.5)))));
    (y, (select((cast(len(axis), float) <= x), 1.0, 0.25) + (v1 + cast(len(other), float))))
}

#[tensor_op(tests = false)]
fn formula_10082(axis: Axis, other: Axis, x: Tensor, rest: Axes) -> (Tensor, Tensor![], Tensor) {
    let v0 = min(x, (axis, other));
    let v1 = (pow(abs(tan(0.4 * tanh(v0))) + 0.3, tan(0.4 * tanh(v0))));
    let v2 = atanh(0.8 * tanh(x));
    (v1, cast(len(other), float), (v2 + cast(len(rest), float)))
}

#[tensor_op(tests = false)]
fn formula_10083(y: Tensor![m, ..], x: Tensor![m, ..], z: IntTensor![.., m]) -> (Tensor![.., m], Tensor![.., m]) {
    let v0 = ((y % 1.5 - y));
    let v1 = (atan2(v0, v0));
    let v2 = sum((z ^ z), (.., m));
    let v3 = cast(len(m), float);
    (v1, (cast(v2, float) + (softplus(x) + (v3 + exp(0.3 * x)))))
}

#[tensor_op(tests = false)]
fn formula_10084(x: Tensor![.., m]) -> Tensor![.., m] {
    let v0 = sinh(0.3 * floor(stop_grad(((x / x)))));
    cosh(0.3 * v0)
}

#[tensor_op(tests = false)]
fn formula_10085(x: Tensor![m, ..], y: BoolTensor![m, ..], z: Tensor![m, ..]) -> (BoolTensor![.., m], Tensor![.., m]) {
    let v0 = (select(z < z, 0.5, 2.0));
    let v1 = log1p(abs(x));
    (y, (cast(cast(stop_grad(norm(x, ..)), int), float) + (v0 + v1)))
}

#[tensor_op(tests = false)]
#[recompute]
fn formula_10086(rest: Axes, axis: Axis, other: Axis, x: Tensor, i: i64) -> (IntTensor![], BoolTensor, Tensor) {
    let v0 = is_finite(cos(x));
    let v1 = any(v0, rest);
    let v2 = select(scatter_add(cast(stop_grad(cos(x)) == stop_grad(cos(x)), int), (axis, other), axis = 0) > 0, scatter_min(cos(x), (axis, other), axis = 0), 0.5);
    (i, all(v1, (axis, other)), var(v2, rest))
}

#[tensor_op(tests = false)]
#[recompute]
fn formula_10087(y: IntTensor![m], x: Tensor![m]) -> (IntTensor![], Tensor![m]) {
    let v0 = ceil(stop_grad(x));
    let v1 = max(y, m);
    let v2 = ((v0 + v0));
    (v1, (cast(iota(m), float) + gelu(cosh(0.3 * exp2(-abs(v2))))))
}

#[tensor_op(tests = false)]
fn formula_10088(y: Tensor![m], x: Tensor![n, m]) -> (Tensor![m], Tensor![m, n]) {
    let v0 = sum(x, n);
    let v1 = atanh(0.8 * tanh((y * rsqrt(mean(square(y), m) + 0.1))));
    let v2 = softmax(sign(stop_grad(cumsum(v1, m))), m);
    let v3 = prod(v2, m);
    (v0, (square(x) + v3))
}

#[tensor_op(tests = false)]
#[recompute]
fn formula_10089(#[default(2)] list @ [u, v]: [i64; 2], x: Tensor![n, m, ..], y: Tensor![m, ..]) -> (IntTensor![], Tensor![m], Tensor![.., m, n]) {
    let v0 = mean(y, ..);
    let v1 = v0.exp().log1p();
    let v2 = gelu(x);
    let v3 = cast(u, bool);
    (v, v1, (v2 + select(v3, 1.0, 0.25)))
}

#[tensor_op(tests = false)]
fn formula_10090(x: Tensor![n, .., m], flag: bool) -> (Tensor![], Tensor![.., m, n]) {
    let v0 = select(flag, var(x, m), x);
    (sum(x, (.., m, n)), v0)
}

#[tensor_op(tests = false)]
fn formula_10091(x: Tensor![j, k, m, n], #[default([2, -1])] list @ [u, v]: [i64; 2]) -> (IntTensor![], Tensor![j, k, m, n]) {
    let v0 = mean((select(x < x, 0.5, 2.0)), m);
    let v1 = ((v << 2) - u);
    let v2 = (select((select(x < x, 0.5, 2.0)) < (select(x < x, 0.5, 2.0)), 0.5, 2.0));
    let v3 = (pow(abs(((remainder((select(x < x, 0.5, 2.0)), 1.5) - v0))) + 0.3, (select(x < x, 0.5, 2.0))));
    let v4 = cummax(((remainder((select(x < x, 0.5, 2.0)), 1.5) - v0)), k);
    let v5 = ln(abs(sinh(0.3 * v0)) + 0.5);
    (v1, (v2 + (v3 + (v4 + v5))))
}

#[tensor_op(tests = false)]
fn formula_10092(x: Tensor![.., n, k, j, m], list @ [u, v]: [i64; 2]) -> (IntTensor![], Tensor![.., j, k, m, n]) {
    (u, (cast(v, float) + (select(((1.0 / x) > (1.0 / x)), 1.0, 0.25) + (((logaddexp((1.0 / x), x)) * (logaddexp((1.0 / x), x)))))))
}

#[tensor_op(tests = false)]
fn formula_10093(z: IntTensor![k], y: Tensor![n, k, m], x: Tensor![m, k, n]) -> (IntTensor![k], Tensor![k, m, n], Tensor![k, m, n]) {
    let v0 = (logaddexp(recip(abs(x) + 0.7), x));
    let v1 = (((x * ((v0 % 1.5 - v0)))) * rsqrt(mean(square(((x * ((v0 % 1.5 - v0))))), (m, n)) + 0.1));
    let v2 = select(is_finite(y), at(((v0 % 1.5 - v0)), k = len(k) - 1 - iota(k)), recip(abs(x) + 0.7));
    (z, v1, v2)
}

#[tensor_op(tests = false)]
fn formula_10094(x: Tensor, y: BoolTensor) -> (BoolTensor, Tensor) {
    let v0 = (1.0 / x);
    let v1 = ((ceil(stop_grad(((remainder(x, 1.5) - v0)))) + ceil(stop_grad(((remainder(x, 1.5) - v0))))));
    (y, (cast(cast(stop_grad(silu(x)), int), float) + v1))
}

#[tensor_op(tests = false)]
fn formula_10095(x: Tensor![n, .., m]) -> BoolTensor![.., m, n] {
    let v0 = recip(abs(x) + 0.7);
    let v1 = (select(v0 < v0, 0.5, 2.0));
    let v2 = cast(stop_grad(v1), bool);
    v2
}

#[tensor_op(tests = false)]
fn formula_10096(x: Tensor, #[default(true)] flag: bool, rest: Axes) -> Tensor {
    let v0 = (-x);
    let v1 = v0.exp().log1p();
    (select(flag, 1.0, 0.25) + (v1 + cast(len(rest), float)))
}

#[tensor_op(tests = false)]
fn formula_10097(x: Tensor![m, n, .., (g, c)], y: Tensor![(g, c), n, m, ..], z: IntTensor![.., n], g: usize) -> (Tensor![.., m, n, (g, c)], Tensor![.., g, m, n]) {
    let v0 = asinh(sum(x, (n, g, c)));
    (y, (cast(z, float) + (sqrt(sum(x, (n, g, c))) + (cast(iota(g), float) + v0))))
}

#[tensor_op(tests = false)]
fn formula_10098(y: BoolTensor![m], x: Tensor![n, m]) -> Tensor![m, n] {
    let v0 = abs(x);
    let v1 = (minimum(select(y, x, v0), select(y, x, v0)));
    let v2 = silu(v1);
    v2
}

#[tensor_op(tests = false)]
fn formula_10099(x: Tensor![.., m, k, n], y: Tensor![n, k]) -> Tensor![.., k, m, n] {
    let v0 = square(y);
    ((logaddexp(cast(y, float), ln(abs(((x * v0))) + 0.5))) + linear_recurrence(0.9, ln(abs(((x * v0))) + 0.5), n))
}

#[tensor_op(tests = false)]
fn formula_10100(y: Tensor![n, .., k], x: Tensor![k, m, ..], z: Tensor![n, j]) -> Tensor![.., j, m, n] {
    let v0 = sum(softmax(sum(x * y, k), n) * z, n);
    let v1 = sum(softmax(select(iota(j) < 2 || iota(j) == iota(k), sum(v0 * x, m), -INFINITY), j) * v0, j);
    let v2 = sum(softmax(select(iota(k) <= iota(k), sum(v1 * v0, m), -INFINITY), k) * v1, k);
    let v3 = (maximum(v2, v2));
    let v4 = sum(select(iota(k) - iota(j) < 2, sum(v2 * x, m), 0.0) * v1, k);
    let v5 = mean(z, (n, j));
    let v6 = (sum(tanh(sum(y * v1, k)) * v4, m) - mean(sum(tanh(sum(y * v1, k)) * v4, m), n));
    (v5 + (sign(stop_grad(v3)) + v6))
}

#[tensor_op(tests = false)]
fn formula_10101(y: IntTensor, rest: Axes, s: f64, x: Tensor) -> Tensor {
    let v0 = prod(y, rest);
    let v1 = (s <= x);
    (cast(v0, float) + select(v1, 1.0, 0.25))
}

#[tensor_op(tests = false)]
fn formula_10102(z: Tensor![m, n], y: BoolTensor![m, n], x: Tensor![m, n]) -> (BoolTensor![m], Tensor![m, n]) {
    let v0 = relu(z);
    let v1 = atan(select(y, v0, v0));
    let v2 = (x / (norm(x, (m, n)) + 0.5));
    let v3 = erf((hypot(v1, v1)));
    let v4 = all(is_finite(v2), n);
    (v4, ((remainder(v3, 1.5) - v1)))
}

#[tensor_op(tests = false)]
#[recompute]
fn formula_10103(x: Tensor![n, .., m], #[default(2)] i: i64, z: Tensor![m, n, ..], y: IntTensor![.., m, n]) -> (IntTensor![], Tensor![.., m, n], Tensor![.., m, n]) {
    let v0 = mean(select(iota(m2 = m) == iota(m), at((pow(abs(x) + 0.3, x)), m = iota(m2 = m)), 0.0), m2);
    (i, log_softmax(relu(z), (m, n)), (v0 + cast(min(y, (.., n)), float)))
}

#[tensor_op(tests = false)]
fn formula_10104(x: Tensor![m, n], y: BoolTensor![n, m]) -> (BoolTensor![m, n], Tensor![m, n]) {
    let v0 = is_finite(x);
    let v1 = mish(x);
    (y, (select(v0, 1.0, 0.25) + v1))
}

#[tensor_op(tests = false)]
fn formula_10105(y: IntTensor, z: IntTensor, x: Tensor, axis: Axis, s: f64, other: Axis) -> (Tensor, Tensor) {
    let v0 = (y > z);
    let v1 = select(v0, s, s);
    let v2 = acosh(abs((x * rsqrt(mean(square(x), (axis, other)) + 0.1))) + 1.25);
    let v3 = silu((x * rsqrt(mean(square(x), (axis, other)) + 0.1)));
    (v1, (v2 + v3))
}

#[tensor_op(tests = false)]
fn formula_10106(#[default(true)] flag: bool, x: Tensor![n, (g = 2, c), m, ..], y: BoolTensor![.., m, n]) -> (BoolTensor![.., m, n], Tensor![.., m, n, (g = 2, c)]) {
    let v0 = prod(((x / (abs(x) + 0.5))), m);
    let v1 = sort(v0, n);
    let v2 = recip(abs(x) + 0.7);
    (y, (select(flag, 1.0, 0.25) + (logsumexp(v1, (.., n)) + recip(abs((maximum(erfc(v2), erfc(v2)))) + 0.7))))
}

#[tensor_op(tests = false)]
fn formula_10107(x: Tensor, rest: Axes, y: Tensor) -> (BoolTensor, Tensor) {
    let v0 = (logaddexp(((y / (abs(x) + 0.5))), ((y / (abs(x) + 0.5)))));
    let v1 = ceil(stop_grad(v0));
    let v2 = is_finite(v1);
    let v3 = erf(v0);
    (v2, (ln(abs(v3.exp().log1p()) + 0.5) + cast(len(rest), float)))
}

#[tensor_op(tests = false)]
fn formula_10108(y: BoolTensor![m], x: Tensor![m]) -> Tensor![m] {
    let v0 = (std(x, m) < std(x, m));
    (select(y, 1.0, 0.25) + (select(v0, 1.0, 0.25) + softmax(x, m)))
}

#[tensor_op(tests = false)]
#[recompute]
fn formula_10109(z: Tensor![n, j], y: Tensor![n, k], x: Tensor![m, k]) -> Tensor![k, m] {
    let v0 = sum(exp(-abs(sum(z * ceil(stop_grad(y)), n))) * ceil(stop_grad(y)), k);
    let v1 = sum(softmax(select(iota(j) <= iota(j), sum(v0 * y, n), -INFINITY), j) * v0, j);
    let v2 = sum(softmax(sum(v0 * ceil(stop_grad(y)), n), k) * sum(softmax(sum(x * ceil(stop_grad(y)), k), n) * v1, n), k);
    let v3 = sum(softmax(select(iota(j) < 2 || iota(j) == iota(k), sum(sum(exp(-abs(sum(x * v2, m))) * y, k) * v1, n), -INFINITY), j) * sum(exp(-abs(sum(x * v2, m))) * y, k), j);
    let v4 = exp2(-abs(v3));
    let v5 = sum(softmax(select(iota(n) <= iota(n), sum(v4 * sum(softmax(sum(x * ceil(stop_grad(y)), k), n) * v1, n), k), -INFINITY), n) * v4, n);
    v5
}

#[tensor_op(tests = false)]
fn formula_10110(z: Tensor![n, j], list @ [u, v]: [i64; 2], x: Tensor![k, m], y: Tensor![n, k]) -> (IntTensor![], IntTensor![], Tensor![j]) {
    let v0 = sum((sum(asin(0.9 * tanh(x)) * y, k) - mean(sum(asin(0.9 * tanh(x)) * y, k), n)) * z, n);
    let v1 = sum(softmax(select(iota(m) < 2 || iota(m) == iota(m), sum(z * v0, j), -INFINITY), m) * v0, m);
    let v2 = exp(0.3 * v1);
    let v3 = sum((sum(v2 * v0, j) - mean(sum(v2 * v0, j), n)) * v2, n);
    let v4 = min(v3, m);
    (u, v, v4)
}

#[tensor_op(tests = false)]
fn formula_10111(#[default(true)] flag: bool, x: Tensor![n, k, m], y: Tensor![m, n]) -> Tensor![k, m, n] {
    let v0 = expm1(0.5 * x);
    let v1 = ceil(stop_grad(v0));
    (y + (select(flag, 1.0, 0.25) + v1))
}

#[tensor_op(tests = false)]
fn formula_10112(#[default(0.5)] s: f64, y: BoolTensor, x: Tensor) -> (Tensor![], Tensor) {
    let v0 = select(y, x, s);
    ((pow(cast(s, float), 2.0) * s), v0)
}

#[tensor_op(tests = false)]
fn formula_10113(x: Tensor![k, .., m, n], z: IntTensor![n, k, ..], y: Tensor![m, ..]) -> (Tensor![.., k, m, n], IntTensor![.., k, n], Tensor![.., m]) {
    let v0 = ((y / (abs(y) + 0.5)));
    (x, z, asin(0.9 * tanh(v0)))
}

#[tensor_op(tests = false)]
fn formula_10114(rest: Axes, s: f64, x: Tensor, other: Axis, axis: Axis, #[default(2)] i: i64) -> (IntTensor![], IntTensor, Tensor) {
    let v0 = ((s / (abs(s) + 0.5)));
    let v1 = silu(v0);
    let v2 = ((s - v0));
    let v3 = (x - mean(x, (axis, other)));
    let v4 = ln(abs(v2) + 0.5);
    (i, argmin(stop_grad(x), (other, rest)), (v1 + (v3 + v4)))
}

#[tensor_op(tests = false)]
fn formula_10115(x: Tensor, y: Tensor, z: BoolTensor, other: Axis, rest: Axes, flag: bool, axis: Axis) -> (BoolTensor, Tensor, Tensor) {
    let v0 = select(flag, x, y);
    let v1 = min(y, (axis, rest));
    let v2 = (maximum(v0, x));
    (z, expm1(0.5 * v0), (v1 + (v2 + cast(len(other), float))))
}

#[tensor_op(tests = false)]
fn formula_10116(axis: Axis, x: Tensor, y: BoolTensor, z: IntTensor, other: Axis, s: f64) -> (IntTensor, Tensor, Tensor) {
    let v0 = select(y, s, s);
    let v1 = sin(var(v0, axis));
    let v2 = cast(x, float);
    (z, v1, ((pow(v0, 2.0) * x) + (asin(0.9 * tanh(s)) + (v2 + cast(len(other), float)))))
}

#[tensor_op(tests = false)]
fn formula_10117(g: usize, x: Tensor![.., k, (g, c), m, n], z: IntTensor![k, (g, c), n, m], y: Tensor![]) -> (Tensor![.., k, m, n, (g, c)], Tensor![.., k, m, n, (g, c)]) {
    let v0 = softmax(x, (n, k, c));
    let v1 = ((y * x));
    let v2 = max(z, (k, c));
    let v3 = minimum(abs(v2), v2);
    (v0, (logcumsumexp(x, c) + ((v1 / (norm(v1, (.., m, n, k, c)) + 0.5)) + cast(v3, float))))
}

#[tensor_op(tests = false)]
fn formula_10118(y: Tensor![], x: Tensor![m, n]) -> Tensor![m] {
    let v0 = cube(y);
    let v1 = argmin(stop_grad(relu(x)), n);
    (v0 + cast(v1, float))
}

#[tensor_op(tests = false)]
fn formula_10119(#[default(-1)] axis: Axis, x: Tensor, other: Axis) -> (BoolTensor, Tensor) {
    ((x <= 0.25), (atanh(0.8 * tanh(sqrt(abs(x) + 0.1))) + (cast(len(axis), float) + cast(len(other), float))))
}

#[tensor_op(tests = false)]
fn formula_10120(x: Tensor![n, .., m]) -> (Tensor![n], IntTensor![n], Tensor![.., m, n]) {
    let v0 = (maximum(sqrt(x), sqrt(x)));
    let v1 = (1 + iota(n) % 2);
    let v2 = relu(x);
    let v3 = (1 + iota(m) % 2);
    (sum(v0, (.., m)), v1, (exp2(-abs(v2)) + (cube(v0) + cast(v3, float))))
}

#[tensor_op(tests = false)]
fn formula_10121(y: BoolTensor![.., m, k, n], z: IntTensor![m, .., n, k], x: Tensor![k, m, .., n]) -> Tensor![.., k, m, n] {
    let v0 = log2(square(x) + 0.25);
    let v1 = ((cube(ceil(stop_grad(v0))) / (abs(cube(ceil(stop_grad(v0)))) + 0.5)));
    let v2 = cumsum((clamp(v1, v1, 1.5)), k, exclusive = true);
    (select(y, 1.0, 0.25) + (cast(z, float) + v2))
}

#[tensor_op(tests = false)]
fn formula_10122(x: Tensor, #[default(-1)] axis: Axis, other: Axis) -> Tensor {
    let v0 = floor(stop_grad(x));
    let v1 = (min(v0, axis) * rsqrt(mean(square(min(v0, axis)), other) + 0.1));
    (acos(0.9 * sin((1.0 / min(v0, axis)))) + ((x / (norm(x, other) + 0.5)) + v1))
}

#[tensor_op(tests = false)]
fn formula_10123(y: Tensor![k, n], #[default(true)] flag: bool, x: Tensor![m, k], z: Tensor![n, j]) -> (BoolTensor![], Tensor![k, m]) {
    let v0 = sum((sum(sum((sum(z * y, n) - mean(sum(z * y, n), k)) * x, k) * x, m) - mean(sum(sum((sum(z * y, n) - mean(sum(z * y, n), k)) * x, k) * x, m), j)) * sum((sum(z * y, n) - mean(sum(z * y, n), k)) * x, k), j);
    let v1 = sum(select(iota(m2 = m) > iota(m), at(sign(stop_grad(at(x, k = 0))), m = iota(m2 = m)), 0.0), m2);
    (flag, (logsumexp(x, k) + (max(at(x, k = 0), m) + ((v0 * rsqrt(mean(square(v0), k) + 0.1)) + v1))))
}

#[tensor_op(tests = false)]
#[recompute]
fn formula_10124(x: Tensor![m, j, n, k, ..], y: IntTensor![k, n, ..]) -> Tensor![.., j, k, m, n] {
    let v0 = sum(x, (m, n, k, j));
    let v1 = prod(prod(x, k), (n, j));
    let v2 = log2(square(v1) + 0.25);
    (cast(y, float) + (exp(0.3 * v0) + (atanh(0.8 * tanh(x)) + (cosh(0.3 * x) + v2))))
}

#[tensor_op(tests = false)]
fn formula_10125(y: Tensor![m, j], x: Tensor![n, j, k, .., m]) -> Tensor![.., j, k, m, n] {
    let v0 = asinh(y);
    let v1 = is_finite(v0);
    let v2 = log1p(abs(x)).exp().log1p();
    let v3 = (logaddexp(v2, v2));
    let v4 = cast(v3, float);
    let v5 = (v1 | !(sum(log1p(abs(x)), (m, j)) > 0.25));
    (v4 + select(v5, 1.0, 0.25))
}

#[tensor_op(tests = false)]
fn formula_10126(g: usize, y: BoolTensor![(g, c)], x: Tensor![k, n, m, (g, c), ..]) -> (Tensor![.., k, m, n, (g, c)], BoolTensor![], Tensor![m, n, (g, c)]) {
    let v0 = (any(y, (g, c)) & any(y, (g, c)));
    (relu(x), v0, min(x, (.., k)))
}

#[tensor_op(tests = false)]
fn formula_10127(#[default(-1)] axis: Axis, x: Tensor, rest: Axes, other: Axis, flag: bool) -> (Tensor, Tensor![]) {
    let v0 = at((x * rsqrt(mean(square(x), rest) + 0.1)), other = len(other) - 1 - iota(other));
    let v1 = select(flag, (logaddexp(v0, x)), (x * rsqrt(mean(square(x), rest) + 0.1)));
    let v2 = cumsum(v1, other);
    (v2, cast(len(axis), float))
}

#[tensor_op(tests = false)]
#[recompute]
fn formula_10128(#[no_grad] y: Tensor![..], x: Tensor![.., (g, c), m], g: usize, z: BoolTensor![(g, c), ..]) -> (IntTensor![c], Tensor![.., c]) {
    let v0 = select(z, ((remainder(y, 1.5) - y)), ((remainder(y, 1.5) - y)));
    let v1 = max(argmax(stop_grad(x), ..), (m, g));
    let v2 = (-y);
    let v3 = (pow(abs(cast(v2, float)) + 0.3, v0));
    let v4 = argmax(stop_grad(v3), g);
    (v1, (cast(v4, float) + (cast(v2, float) - mean(cast(v2, float), ..))))
}

#[tensor_op(tests = false)]
fn formula_10129(x: Tensor![.., n, (g, c), m], g: usize, y: Tensor![n, .., m], z: Tensor![(g, c), .., m]) -> (Tensor![.., m, n, (g, c)], Tensor![n], Tensor![.., m, (g, c)]) {
    let v0 = (1.0 / z);
    let v1 = prod(y, (.., m));
    let v2 = ceil(stop_grad(v0));
    (x, v1, (v2 + cast(iota(g), float)))
}

#[tensor_op(tests = false)]
fn formula_10130(y: IntTensor![n, ..], x: Tensor![n, m, ..], list @ [u, v]: [i64; 2]) -> (IntTensor![], Tensor![.., m, n]) {
    let v0 = (y == y);
    let v1 = var(x, m);
    let v2 = select(v0, x, v1);
    let v3 = (v0 == v0);
    let v4 = (cast(v0, float) * rsqrt(mean(square(cast(v0, float)), n) + 0.1));
    let v5 = clamp(v4, -1.0, 0.75);
    (u, (cast(v, float) + (v2 + (select(v3, 1.0, 0.25) + (tan(0.4 * tanh(v4)) + (var(cast(v0, float), n) + v5))))))
}

#[tensor_op(tests = false)]
fn formula_10131(x: Tensor, y: IntTensor, #[default(2)] i: i64) -> Tensor {
    let v0 = (logaddexp(x, x));
    let v1 = cast(sinh(0.3 * v0), float);
    let v2 = select(cast(i, bool), atanh(0.8 * tanh(softplus(v0))), v1);
    (cast(y, float) + v2)
}

#[tensor_op(tests = false)]
fn formula_10132(x: Tensor![m, .., n, (g = 2, c)]) -> Tensor![..] {
    let v0 = sinh(0.3 * prod(((max(x, (m, g, c)) + max(x, (m, g, c)))), n));
    v0
}

#[tensor_op(tests = false)]
fn formula_10133(x: Tensor![j, m, n, k], y: IntTensor![k, j]) -> Tensor![j, k, m, n] {
    let v0 = mish(x);
    let v1 = (hypot(x, x));
    (cast(y, float) + (v0 + v1))
}

#[tensor_op(tests = false)]
fn formula_10134(g: usize, x: Tensor![m, (g, c)]) -> (BoolTensor![m, (g, c)], Tensor![m, (g, c)]) {
    let v0 = (x == 0.25);
    let v1 = cast(stop_grad(x), int);
    let v2 = (x - mean(x, (m, g, c)));
    (v0, (cast(v1, float) + (select((x == 0.25), 1.0, 0.25) + v2)))
}

#[tensor_op(tests = false)]
#[recompute]
fn formula_10135(x: Tensor![n, .., m], y: BoolTensor![m]) -> (Tensor![.., m, n], Tensor![.., n]) {
    let v0 = mean(select(iota(m2 = m) != iota(m), at(((((x * x)) - 2.0 * x)), m = iota(m2 = m)), 0.0), m2);
    let v1 = abs(norm(select(y, ((x * x)), ((x * x))), m));
    (v0, v1)
}

#[tensor_op(tests = false)]
fn formula_10136(x: Tensor![m, ..], y: IntTensor![.., m]) -> (IntTensor![], Tensor![.., m]) {
    let v0 = min(y, (.., m));
    let v1 = (exp2(-abs(x)) - mean(exp2(-abs(x)), m));
    let v2 = ((exp2(-abs(x)) * v1));
    let v3 = asinh(v2);
    let v4 = cosh(0.3 * erfc(v1));
    (v0, (v3 + sum(v4, m)))
}

#[tensor_op(tests = false)]
fn formula_10137(axis: Axis, other: Axis, #[default(2)] i: i64, x: Tensor) -> (IntTensor![], Tensor) {
    let v0 = ((x - 2.0 * exp(0.3 * x)));
    let v1 = rsqrt(square(v0) + 0.5);
    (i, (v1 + (cast(len(axis), float) + cast(len(other), float))))
}

#[tensor_op(tests = false)]
fn formula_10138(y: Tensor![k, n, m, j], x: Tensor![k, j, n, m, ..], z: IntTensor![k, n, m, ..]) -> (Tensor![.., j, k, m, n], IntTensor![.., k, m, n]) {
    let v0 = ((x + y));
    let v1 = at(((z << 2) - z), m = iota(m) % len(m));
    (v0, v1)
}

#[tensor_op(tests = false)]
fn formula_10139(y: BoolTensor![..], x: Tensor![m, ..]) -> (BoolTensor![..], Tensor![.., m]) {
    let v0 = at(x, m = 0);
    let v1 = sum(select(iota(m2 = m) >= iota(m), at(floor(stop_grad(x)), m = iota(m2 = m)), 0.0), m2);
    let v2 = stop_grad(floor(stop_grad(x)));
    (y, (select((floor(stop_grad(x)) < asinh(v0)), 1.0, 0.25) + (v1 + (v2 + cast(iota(m), float)))))
}

#[tensor_op(tests = false)]
fn formula_10140(z: Tensor![m], y: Tensor![n], x: Tensor![n, m]) -> (Tensor![], Tensor![m, n]) {
    let v0 = mean(select(iota(n2 = n) <= iota(n), at(y, n = iota(n2 = n)), 0.0), n2);
    let v1 = (logaddexp(z, z));
    (norm(x, (m, n)), (v0 + v1))
}

#[tensor_op(tests = false)]
#[recompute]
fn formula_10141(y: Tensor, z: BoolTensor, x: Tensor, s: f64, rest: Axes) -> (Tensor, Tensor) {
    let v0 = floor(stop_grad(x));
    let v1 = asinh(v0);
    let v2 = (v1 * rsqrt(mean(square(v1), rest) + 0.1));
    (y, (select(z, 1.0, 0.25) + (s + select((v2 <= 0.25), 1.0, 0.25))))
}

#[tensor_op(tests = false)]
fn formula_10142(x: Tensor![m], y: IntTensor![m]) -> (Tensor![m], IntTensor![m]) {
    let v0 = ((((x * x)) - x));
    (cumsum(v0, m, reverse = true), at(y, m = y))
}

#[tensor_op(tests = false)]
fn formula_10143(x: Tensor![m, k, n], #[default(2)] i: i64) -> Tensor![k, m, n] {
    let v0 = (1.0 / x);
    let v1 = (minimum(x, v0));
    let v2 = prod(v0, n);
    let v3 = tanh(v0);
    let v4 = acosh(abs((minimum(v2, v2))) + 1.25);
    (cast(i, float) + ((v1 * rsqrt(mean(square(v1), (m, n, k)) + 0.1)) + (v4 + cast(cast(stop_grad(v3), int), float))))
}

#[tensor_op(tests = false)]
fn formula_10144(y: Tensor, x: Tensor) -> (BoolTensor, Tensor) {
    let v0 = gelu_tanh(y);
    let v1 = (clamp(x, v0, 1.5));
    let v2 = acosh(abs(v1) + 1.25);
    let v3 = (1.0 / v2);
    let v4 = abs(v3);
    let v5 = exp2(-abs(v0));
    ((v2 != v0), ((v3 * (maximum(v5, v4)))))
}

#[tensor_op(tests = false)]
fn formula_10145(y: IntTensor![m, n], #[default(0.5)] s: f64, z: Tensor![m], x: Tensor![m, n]) -> (Tensor![m, n], IntTensor![m, n], Tensor![m]) {
    let v0 = (clamp(z, s, 1.5));
    (x, y, abs(v0))
}

#[tensor_op(tests = false)]
#[recompute]
fn formula_10146(z: Tensor![n, j], y: Tensor![n, k], x: Tensor![k, m]) -> (Tensor![m], Tensor![j, n]) {
    let v0 = sum(softmax(select(iota(n) <= iota(n), sum(x * y, k), -INFINITY), n) * z, n);
    let v1 = sum(v0, j);
    let v2 = erfc(sum((sum(z * v0, j) - mean(sum(z * v0, j), m)) * v0, m));
    (v1, silu(v2))
}

#[tensor_op(tests = false)]
#[recompute]
fn formula_10147(x: Tensor![n, m, k]) -> (Tensor![k, m, n], Tensor![k]) {
    let v0 = max(cos(cast(x, float)), m);
    let v1 = mean(select(iota(k2 = k) == iota(k), at((select(v0 < x, 0.5, 2.0)), k = iota(k2 = k)), 0.0), k2);
    let v2 = at(v1, m = len(m) - 1 - iota(m));
    let v3 = ((sum(cast((select(v0 < x, 0.5, 2.0)), float), (m, n)) % 1.5 - sum(cast((select(v0 < x, 0.5, 2.0)), float), (m, n))));
    (v2, v3)
}

#[tensor_op(tests = false)]
fn formula_10148(x: Tensor![k, m], flag: bool, y: Tensor![k, n], z: Tensor![n, j]) -> (BoolTensor![], Tensor![k, m]) {
    let v0 = exp2(-abs(z));
    let v1 = sum(softmax(select(iota(k) < 2 || iota(k) == iota(j), sum(log1p(abs(v0)) * y, n), -INFINITY), k) * softplus(x), k);
    let v2 = max(v1, j);
    let v3 = sum(tanh(sum(min((atan2(z, y)), j) * softplus(x), k)) * y, n);
    (flag, (v2 + v3))
}

#[tensor_op(tests = false)]
fn formula_10149(z: BoolTensor![j, k], x: Tensor![k, .., n, j, m], y: Tensor![k, n, j]) -> (BoolTensor![j, k], Tensor![.., j, k, m, n], Tensor![k, n]) {
    let v0 = ((y * x));
    let v1 = norm((y - mean(y, (n, k))), j);
    let v2 = exp2(-abs(v1));
    (z, v0, v2)
}

#[tensor_op(tests = false)]
fn formula_10150(i: i64, g: usize, x: Tensor![.., n, k, (g, c), m, j]) -> Tensor![.., c, k] {
    let v0 = asin(0.9 * tanh(x));
    let v1 = sum(v0, (m, n, k, j, g, c));
    let v2 = ((logsumexp(x, (.., n, j, g)) - 2.0 * v1));
    let v3 = erf(mean(v2, m));
    (select((i == i), 1.0, 0.25) + (cast(((i << 2) - i), float) + v3))
}

#[tensor_op(tests = false)]
fn formula_10151(rest: Axes, x: Tensor, #[default(-1)] axis: Axis, other: Axis) -> (BoolTensor, Tensor, Tensor) {
    let v0 = (is_finite((atan2(x, x))) != is_finite((atan2(x, x))));
    let v1 = mean(select(iota(axis2 = axis) <= iota(axis), at(x, axis = iota(axis2 = axis)), 0.0), axis2);
    let v2 = (pow(v1, 2.0) * mish((atan2(x, x))));
    let v3 = (hypot((atan2(x, x)), v2));
    let v4 = argmin(stop_grad(clamp((atan2(x, x)), -1.0, 0.75)), rest);
    (v0, v3, (cast(v4, float) + cast(len(other), float)))
}

#[tensor_op(tests = false)]
#[recompute]
fn formula_10152(x: Tensor![k, m], i: i64, y: Tensor![n, k], z: Tensor![j, n]) -> (IntTensor![], Tensor![k, n]) {
    let v0 = sum(select(iota(n) - iota(m) < 2, sum(x * y, k), 0.0) * z, n);
    let v1 = gelu(sum(x, m));
    let v2 = (v1 != sum(x, m));
    let v3 = sum(softmax(select(iota(j) < 2 || iota(j) == iota(j), sum(sum((sum(x * y, k) - mean(sum(x * y, k), m)) * v0, m) * y, n), -INFINITY), j) * sum((sum(x * y, k) - mean(sum(x * y, k), m)) * v0, m), j);
    (i, (select(v2, 1.0, 0.25) + v3))
}

#[tensor_op(tests = false)]
fn formula_10153(x: Tensor, other: Axis, axis: Axis, y: BoolTensor) -> Tensor {
    let v0 = at(y, axis = iota(axis) % len(axis));
    let v1 = any(v0, axis);
    let v2 = cube((x * cast((1 + iota(other) % 2), float)));
    let v3 = (v2 * rsqrt(mean(square(v2), (axis, other)) + 0.1));
    let v4 = (atan2(v3, v3));
    let v5 = round(stop_grad(3.0 * v4));
    let v6 = mean(select(iota(other2 = other) < iota(other), at(v5, other = iota(other2 = other)), 0.0), other2);
    (select(v1, 1.0, 0.25) + v6)
}

#[tensor_op(tests = false)]
fn formula_10154(z: IntTensor![n], x: Tensor![m, n], y: IntTensor![m]) -> (IntTensor![n], Tensor![m, n], IntTensor![]) {
    let v0 = argmax(y, m);
    (z, tan(0.4 * tanh(x)), v0)
}

#[tensor_op(tests = false)]
fn formula_10155(y: BoolTensor![k], x: Tensor![k, n, m], i: i64, z: Tensor![n]) -> (BoolTensor![k], Tensor![k]) {
    let v0 = norm(x, (m, n));
    let v1 = (i >= i);
    (y, (select((sum(z, n) != v0), 1.0, 0.25) + select(v1, 1.0, 0.25)))
}

#[tensor_op(tests = false)]
fn formula_10156(y: BoolTensor![k, .., j, n], z: IntTensor![j, m], x: Tensor![k, n, .., j, m], #[default(true)] flag: bool) -> Tensor![.., j, k, m, n] {
    let v0 = prod(z, m);
    let v1 = ((x % 1.5 - x));
    let v2 = (logaddexp(v1, x));
    let v3 = iota(j);
    (select(y, 1.0, 0.25) + (select(flag, 1.0, 0.25) + (cast(v0, float) + (v2 + cast(v3, float)))))
}

#[tensor_op(tests = false)]
#[recompute]
fn formula_10157(#[default(2)] i: i64, rest: Axes, y: Tensor, x: Tensor, flag: bool) -> (Tensor, Tensor) {
    let v0 = (hypot(y, ln(y)));
    let v1 = (((flag != flag) != (flag != flag)) ^ ((flag != flag) != (flag != flag)));
    (x, (cast(i, float) + (sum(y, rest) + (v0 + (select(v1, 1.0, 0.25) + std(sigmoid(ln(y)), rest))))))
}

#[tensor_op(tests = false)]
fn formula_10158(y: Tensor, #[default(-1)] axis: Axis, x: Tensor) -> Tensor {
    let v0 = cast(stop_grad(x), int);
    let v1 = prod(v0, axis);
    let v2 = argmax(v0, axis);
    let v3 = (v1 >= v2);
    let v4 = atan(mish(((y - 2.0 * round(stop_grad(3.0 * norm(x, axis)))))));
    (select(v3, 1.0, 0.25) + v4)
}

#[tensor_op(tests = false)]
#[recompute]
fn formula_10159(x: Tensor![k, .., n, m], y: Tensor![k, .., n], i: i64) -> (IntTensor![], Tensor![.., k, m, n]) {
    let v0 = rsqrt(square(x) + 0.5);
    let v1 = ((y / v0));
    let v2 = x.exp().log1p();
    (i, (v1 + (v2 + max(y, k))))
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
