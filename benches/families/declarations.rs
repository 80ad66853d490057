//! Written by `cargo run -p tensor-op-formulas --bin families -- 1`.

use crate::case::{Arg, Case, Content};
use tensor_op::prelude::*;

#[tensor_op(tests = false)]
fn cheap_0(x0: Tensor![m, n]) -> Tensor![m, n] {
    let v0 = clamp(x0, -0.5, 0.5);
    let v1 = select(v0 > 0.1, v0, 0.1 * v0);
    v1
}

#[tensor_op(tests = false)]
fn cheap_1(x0: Tensor![m, n], x1: Tensor![m, n]) -> Tensor![m, n] {
    let v0 = x1 * 1.5;
    let v1 = abs(x0);
    let v2 = v1 - v0;
    v2
}

#[tensor_op(tests = false)]
fn cheap_2(x0: Tensor![m, n], x1: Tensor![m, n], x2: Tensor![m, n]) -> Tensor![m, n] {
    let v0 = square(x2);
    let v1 = select(x0 > 0.1, x0, 0.1 * x0);
    let v2 = v1 * (1.0 - v0);
    let v3 = x1 + v2;
    v3
}

#[tensor_op(tests = false)]
fn cheap_3(x0: Tensor![m, n]) -> Tensor![m, n] {
    let v0 = square(x0);
    let v1 = select(v0 > 0.1, v0, 0.1 * v0);
    v1
}

#[tensor_op(tests = false)]
fn cheap_4(x0: Tensor![m, n], x1: Tensor![m, n]) -> Tensor![m, n] {
    let v0 = maximum(x0, x1);
    let v1 = select(v0 > 0.1, v0, 0.1 * v0);
    let v2 = abs(v1);
    let v3 = v2 * 1.5;
    v3
}

#[tensor_op(tests = false)]
fn cheap_5(x0: Tensor![m, n], x1: Tensor![m, n], x2: Tensor![m, n]) -> Tensor![m, n] {
    let v0 = 0.5 - x1;
    let v1 = 0.5 - x0;
    let v2 = square(v1);
    let v3 = v2 / (abs(v0) + 1.0);
    let v4 = v3 * (1.0 - x2);
    v4
}

#[tensor_op(tests = false)]
fn dear_0(x0: Tensor![m, n]) -> Tensor![m, n] {
    let v0 = sqrt(square(x0) + 0.1);
    v0
}

#[tensor_op(tests = false)]
fn dear_1(x0: Tensor![m, n], x1: Tensor![m, n]) -> Tensor![m, n] {
    let v0 = log1p(abs(x1));
    let v1 = ln(square(x0) + 0.5);
    let v2 = atan(v1);
    let v3 = v0 / (abs(v2) + 1.0);
    v3
}

#[tensor_op(tests = false)]
fn dear_2(x0: Tensor![m, n], x1: Tensor![m, n], x2: Tensor![m, n]) -> Tensor![m, n] {
    let v0 = gelu(x0);
    let v1 = log1p(abs(v0));
    let v2 = atan(x2);
    let v3 = v2 * v1;
    let v4 = x1 + v3;
    v4
}

#[tensor_op(tests = false)]
fn dear_3(x0: Tensor![m, n]) -> Tensor![m, n] {
    let v0 = sqrt(square(x0) + 0.1);
    let v1 = exp(v0);
    v1
}

#[tensor_op(tests = false)]
fn dear_4(x0: Tensor![m, n], x1: Tensor![m, n]) -> Tensor![m, n] {
    let v0 = x0 * (1.0 - x1);
    let v1 = atan(v0);
    v1
}

#[tensor_op(tests = false)]
fn dear_5(x0: Tensor![m, n], x1: Tensor![m, n], x2: Tensor![m, n]) -> Tensor![m, n] {
    let v0 = cos(x0);
    let v1 = sqrt(square(x1) + 0.1);
    let v2 = x2 / (abs(v1) + 1.0);
    let v3 = v0 + v2;
    v3
}

#[tensor_op(tests = false)]
fn rows_0(x0: Tensor![m, n]) -> Tensor![m, n] {
    let v0 = select(x0 > 0.1, x0, 0.1 * x0);
    let v1 = mean(v0, n);
    let v2 = v0 - v1;
    let v3 = mean(square(v2), n);
    let v4 = v2 * rsqrt(v3 + 0.00001);
    v4
}

#[tensor_op(tests = false)]
fn rows_1(x0: Tensor![m, n], x1: Tensor![n]) -> Tensor![m, n] {
    let v0 = pow(abs(x0) + 0.5, 1.7);
    let v1 = softmax(v0, n);
    let v2 = v1 * x1;
    v2
}

#[tensor_op(tests = false)]
fn rows_2(x0: Tensor![m, n]) -> Tensor![m] {
    let v0 = square(x0);
    let v1 = mean(abs(v0), n);
    let v2 = v0 - v1;
    let v3 = mean(abs(v2), n);
    v3
}

#[tensor_op(tests = false)]
fn rows_3(x0: Tensor![m, n], x1: Tensor![m, n]) -> Tensor![m, n] {
    let v0 = silu(x0);
    let v1 = x1 * (1.0 - v0);
    let v2 = max(abs(v1), n);
    let v3 = v1 / (v2 + 0.1);
    v3
}

#[tensor_op(tests = false)]
fn rows_4(x0: Tensor![m, n], x1: Tensor![m, n], x2: Tensor![n]) -> Tensor![m, n] {
    let v0 = x1 * 1.5;
    let v1 = v0 + x0;
    let v2 = max(v1, n);
    let v3 = v1 - v2;
    let v4 = x2 + v3;
    v4
}

#[tensor_op(tests = false)]
fn rows_5(x0: Tensor![m, n], x1: Tensor![m, n]) -> Tensor![m] {
    let v0 = softplus(x0);
    let v1 = x1 * v0;
    let v2 = softmax(v1, n);
    let v3 = mean(abs(v2), n);
    v3
}

#[tensor_op(tests = false)]
fn columns_0(x0: Tensor![m, n]) -> Tensor![m, n] {
    let v0 = abs(x0);
    let v1 = max(abs(v0), m);
    let v2 = v0 / (v1 + 0.1);
    v2
}

#[tensor_op(tests = false)]
fn columns_1(x0: Tensor![b, c, h, w], x1: Tensor![c], x2: Tensor![c]) -> Tensor![b, c, h, w] {
    let v0 = tanh(x0);
    let v1 = max(abs(v0), (b, h, w));
    let v2 = v0 / (v1 + 0.1);
    let v3 = x1 * x2;
    let v4 = v3 * v2;
    v4
}

#[tensor_op(tests = false)]
fn columns_2(x0: Tensor![b, c, h, w], x1: Tensor![c], x2: Tensor![c]) -> Tensor![b, c, h, w] {
    let v0 = select(x0 > 0.1, x0, 0.1 * x0);
    let v1 = max(abs(v0), (h, w));
    let v2 = v0 / (v1 + 0.1);
    let v3 = x1 * (1.0 - v2);
    let v4 = minimum(v3, x2);
    v4
}

#[tensor_op(tests = false)]
fn columns_3(x0: Tensor![b, c, h, w]) -> Tensor![b, c, h, w] {
    let v0 = cos(x0);
    let v1 = softmax(v0, c);
    v1
}

#[tensor_op(tests = false)]
fn columns_4(x0: Tensor![b, g, c, h]) -> Tensor![b, g, c, h] {
    let v0 = x0 * 1.5;
    let v1 = mean(v0, (c, h));
    let v2 = v0 - v1;
    v2
}

#[tensor_op(tests = false)]
fn columns_5(x0: Tensor![b, t, d]) -> Tensor![b, t, d] {
    let v0 = silu(x0);
    let v1 = mean(v0, t);
    let v2 = v0 - v1;
    v2
}

#[tensor_op(tests = false)]
fn both_0(x0: Tensor![b, m, n]) -> Tensor![b, m, n] {
    let v0 = 0.5 - x0;
    let v1 = log_softmax(v0, m);
    let v2 = max(abs(v1), n);
    let v3 = v1 / (v2 + 0.1);
    v3
}

#[tensor_op(tests = false)]
fn both_1(x0: Tensor![b, m, n]) -> Tensor![b, n] {
    let v0 = gelu(x0);
    let v1 = max(abs(v0), n);
    let v2 = v0 / (v1 + 0.1);
    let v3 = max(v2, m);
    v3
}

#[tensor_op(tests = false)]
fn both_2(x0: Tensor![b, m, n]) -> Tensor![b, m, n] {
    let v0 = x0 * 1.5;
    let v1 = max(abs(v0), m);
    let v2 = v0 / (v1 + 0.1);
    let v3 = softmax(x0, n);
    let v4 = v3 + v2;
    v4
}

#[tensor_op(tests = false)]
fn both_3(x0: Tensor![b, m, n]) -> Tensor![b, m, n] {
    let v0 = sqrt(square(x0) + 0.1);
    let v1 = softmax(v0, n);
    let v2 = max(abs(v1), m);
    let v3 = v1 / (v2 + 0.1);
    v3
}

#[tensor_op(tests = false)]
fn both_4(x0: Tensor![b, m, n]) -> Tensor![b, m] {
    let v0 = select(x0 > 0.1, x0, 0.1 * x0);
    let v1 = mean(v0, m);
    let v2 = v0 - v1;
    let v3 = mean(square(v2), m);
    let v4 = v2 * rsqrt(v3 + 0.00001);
    let v5 = var(v4, n);
    v5
}

#[tensor_op(tests = false)]
fn both_5(x0: Tensor![b, m, n]) -> Tensor![b, m, n] {
    let v0 = tanh(x0);
    let v1 = log_softmax(v0, n);
    let v2 = mean(x0, m);
    let v3 = x0 - v2;
    let v4 = mean(square(v3), m);
    let v5 = v3 * rsqrt(v4 + 0.00001);
    let v6 = v1 - v5;
    v6
}

#[tensor_op(tests = false)]
fn results_0(x0: Tensor![m, n], x1: Tensor![m, n]) -> (Tensor![m, n], Tensor![m, n]) {
    let v0 = select(x0 > 0.1, x0, 0.1 * x0);
    let v1 = select(x1 > v0, x1, 0.5 * v0);
    let v2 = square(v1);
    let v3 = abs(v1);
    let v4 = x0 * v3;
    (v2, v4)
}

#[tensor_op(tests = false)]
fn results_1(x0: Tensor![m, n], x1: Tensor![m, n]) -> (Tensor![m, n], Tensor![m]) {
    let v0 = x1 * (1.0 - x0);
    let v1 = silu(v0);
    let v2 = tanh(v1);
    let v3 = mean(v1, n);
    (v2, v3)
}

#[tensor_op(tests = false)]
fn results_2(x0: Tensor![m, n], x1: Tensor![m, n]) -> (Tensor![m, n], Tensor![n]) {
    let v0 = maximum(x0, x1);
    let v1 = 0.5 - v0;
    let v2 = clamp(v1, -0.5, 0.5);
    let v3 = mean(abs(v1), m);
    (v2, v3)
}

#[tensor_op(tests = false)]
fn results_3(x0: Tensor![m, n], x1: Tensor![m, n]) -> (Tensor![m, n], Tensor![m, n], Tensor![m, n]) {
    let v0 = x1 * (1.0 - x0);
    let v1 = sqrt(square(v0) + 0.1);
    let v2 = erf(v1);
    let v3 = v1 * 1.5;
    let v4 = x0 * (1.0 - v3);
    let v5 = mean(x1, n);
    let v6 = x1 - v5;
    let v7 = mean(square(v6), n);
    let v8 = v6 * rsqrt(v7 + 0.00001);
    (v2, v4, v8)
}

#[tensor_op(tests = false)]
fn results_4(x0: Tensor![m, n], x1: Tensor![m, n]) -> (Tensor![m, n], Tensor![m], Tensor![m, n]) {
    let v0 = abs(x0);
    let v1 = x1 * (1.0 - v0);
    let v2 = abs(v1);
    let v3 = logsumexp(v1, n);
    let v4 = mean(x1, n);
    let v5 = x1 - v4;
    let v6 = mean(square(v5), n);
    let v7 = v5 * rsqrt(v6 + 0.00001);
    (v2, v3, v7)
}

#[tensor_op(tests = false)]
fn results_5(x0: Tensor![m, n], x1: Tensor![m, n]) -> (Tensor![m, n], Tensor![n], Tensor![m, n]) {
    let v0 = silu(x1);
    let v1 = maximum(v0, x0);
    let v2 = log1p(abs(v1));
    let v3 = var(v1, m);
    let v4 = log_softmax(x1, m);
    (v2, v3, v4)
}

#[tensor_op(tests = false)]
fn broadcasts_0(x0: Tensor![b, c, h], x1: Tensor![h]) -> Tensor![b, c, h] {
    let v0 = select(x1 > x0, x1, 0.5 * x0);
    let v1 = relu(v0);
    v1
}

#[tensor_op(tests = false)]
fn broadcasts_1(x0: Tensor![b, c, h], x1: Tensor![b]) -> Tensor![b, c, h] {
    let v0 = log1p(abs(x0));
    let v1 = x1 + v0;
    v1
}

#[tensor_op(tests = false)]
fn broadcasts_2(x0: Tensor![b, c, h], x1: Tensor![c], x2: Tensor![h]) -> Tensor![b, c, h] {
    let v0 = relu(x0);
    let v1 = x1 + x2;
    let v2 = v1 / (abs(v0) + 1.0);
    v2
}

#[tensor_op(tests = false)]
fn broadcasts_3(x0: Tensor![b, c, h], x1: Tensor![b, c], x2: Tensor![h]) -> Tensor![b, c, h] {
    let v0 = softplus(x2);
    let v1 = x1 * (1.0 - v0);
    let v2 = x0 * v1;
    v2
}

#[tensor_op(tests = false)]
fn broadcasts_4(x0: Tensor![b, c, h], x1: Tensor![b, h]) -> Tensor![b, c, h] {
    let v0 = select(x0 > 0.1, x0, 0.1 * x0);
    let v1 = x1 + v0;
    v1
}

#[tensor_op(tests = false)]
fn broadcasts_5(x0: Tensor![b, c, h], x1: Tensor![b, c], x2: Tensor![c, h]) -> Tensor![b, c, h] {
    let v0 = atan(x1);
    let v1 = maximum(x2, v0);
    let v2 = v1 - x0;
    v2
}

#[tensor_op(tests = false)]
fn small_0(x0: Tensor![m, d]) -> Tensor![m] {
    let v0 = relu(x0);
    let v1 = mean(abs(v0), d);
    v1
}

#[tensor_op(tests = false)]
fn small_1(x0: Tensor![m, d]) -> Tensor![m, d] {
    let v0 = exp(x0);
    let v1 = mean(v0, d);
    let v2 = v0 - v1;
    v2
}

#[tensor_op(tests = false)]
fn small_2(x0: Tensor![m, c, k]) -> Tensor![m, c, k] {
    let v0 = relu(x0);
    let v1 = log_softmax(v0, c);
    v1
}

#[tensor_op(tests = false)]
fn small_3(x0: Tensor![m, d], x1: Tensor![m, d]) -> Tensor![m, d] {
    let v0 = tanh(x0);
    let v1 = x1 + v0;
    let v2 = log_softmax(v1, d);
    v2
}

#[tensor_op(tests = false)]
fn small_4(x0: Tensor![m, d], x1: Tensor![m, d]) -> Tensor![m] {
    let v0 = x1 * 1.5;
    let v1 = x0 * (1.0 - v0);
    let v2 = mean(abs(v1), d);
    v2
}

#[tensor_op(tests = false)]
fn small_5(x0: Tensor![m, c, k], x1: Tensor![m, c, k]) -> Tensor![m, c, k] {
    let v0 = maximum(x1, x0);
    let v1 = erf(v0);
    let v2 = log_softmax(v1, c);
    v2
}

#[tensor_op(tests = false)]
fn kinds_0(x0: Tensor![m, n], x1: BoolTensor![m, n]) -> Tensor![m, n] {
    let v0 = clamp(x0, -0.5, 0.5);
    let v1 = select(x1, v0, -0.25);
    let v2 = ln(square(v1) + 0.5);
    v2
}

#[tensor_op(tests = false)]
fn kinds_1(x0: Tensor![m, n], x1: IntTensor![m, n]) -> Tensor![m, n] {
    let v0 = ln(square(x0) + 0.5);
    let v1 = select((x1 % 3 == 0), v0, -0.25);
    let v2 = softmax(v1, n);
    v2
}

#[tensor_op(tests = false)]
fn kinds_2(x0: Tensor![m, n], x1: IntTensor![m, n], x2: IntTensor![m]) -> Tensor![m] {
    let v0 = square(x0);
    let v1 = select((x1 <= x2), v0, -0.25);
    let v2 = sqrt(mean(square(v1), n) + 0.01);
    v2
}

#[tensor_op(tests = false)]
fn kinds_3(x0: Tensor![m, n], x1: BoolTensor![n]) -> Tensor![m, n] {
    let v0 = log1p(abs(x0));
    let v1 = select(x1, v0, -0.25);
    let v2 = mean(v1, n);
    let v3 = v1 - v2;
    let v4 = mean(square(v3), n);
    let v5 = v3 * rsqrt(v4 + 0.00001);
    v5
}

#[tensor_op(tests = false)]
fn kinds_4(x0: Tensor![m, n], x1: IntTensor![n]) -> Tensor![m] {
    let v0 = select(x0 > 0.1, x0, 0.1 * x0);
    let v1 = select((x1 % 3 == 0), v0, -0.25);
    let v2 = mean(v1, n);
    v2
}

#[tensor_op(tests = false)]
fn kinds_5(x0: Tensor![m, n], x1: IntTensor![n], x2: IntTensor![m]) -> Tensor![m, n] {
    let v0 = gelu(x0);
    let v1 = select((x1 <= x2), v0, -0.25);
    let v2 = erf(v1);
    v2
}

#[tensor_op(tests = false)]
fn gathers_0(x0: IntTensor![m], x1: Tensor![rows_x1, d]) -> Tensor![m, d] {
    let v0 = at(x1, rows_x1 = x0);
    let v1 = square(v0);
    v1
}

#[tensor_op(tests = false)]
fn gathers_1(x0: IntTensor![m], x1: Tensor![rows_x1, d], x2: Tensor![m, d]) -> Tensor![m, d] {
    let v0 = at(x1, rows_x1 = x0);
    let v1 = gelu(v0);
    let v2 = v1 * x2;
    let v3 = max(abs(v2), d);
    let v4 = v2 / (v3 + 0.1);
    v4
}

#[tensor_op(tests = false)]
fn gathers_2(x0: IntTensor![m], x1: Tensor![rows_x1, d]) -> Tensor![m] {
    let v0 = at(x1, rows_x1 = x0);
    let v1 = clamp(v0, -0.5, 0.5);
    let v2 = mean(abs(v1), d);
    v2
}

#[tensor_op(tests = false)]
fn gathers_3(x0: IntTensor![m], x1: Tensor![rows_x1, d], x2: Tensor![m, d]) -> Tensor![m, d] {
    let v0 = at(x1, rows_x1 = x0);
    let v1 = ln(square(v0) + 0.5);
    let v2 = v1 - x2;
    v2
}

#[tensor_op(tests = false)]
fn gathers_4(x0: IntTensor![m], x1: Tensor![rows_x1, d], x2: IntTensor![m], x3: Tensor![rows_x3, d]) -> Tensor![m, d] {
    let v0 = at(x1, rows_x1 = x0);
    let v1 = at(x3, rows_x3 = x2);
    let v2 = clamp(v1, -0.5, 0.5);
    let v3 = v2 * (1.0 - v0);
    let v4 = log_softmax(v3, d);
    v4
}

#[tensor_op(tests = false)]
fn gathers_5(x0: IntTensor![m], x1: Tensor![rows_x1, d], x2: Tensor![m, d], x3: IntTensor![m], x4: Tensor![rows_x4, d]) -> Tensor![m] {
    let v0 = at(x1, rows_x1 = x0);
    let v1 = at(x4, rows_x4 = x3);
    let v2 = sqrt(square(v1) + 0.1);
    let v3 = minimum(x2, v2);
    let v4 = v3 + v0;
    let v5 = var(v4, d);
    v5
}

#[tensor_op(tests = false)]
fn lengths_0(x0: Tensor![m, n]) -> Tensor![m, n] {
    let v0 = relu(x0);
    let v1 = mean(v0, n);
    let v2 = v0 - v1;
    v2
}

#[tensor_op(tests = false)]
fn lengths_1(x0: Tensor![m, n]) -> Tensor![m] {
    let v0 = gelu(x0);
    let v1 = sqrt(mean(square(v0), n) + 0.01);
    v1
}

#[tensor_op(tests = false)]
fn lengths_2(x0: Tensor![m, n]) -> Tensor![m] {
    let v0 = clamp(x0, -0.5, 0.5);
    let v1 = max(v0, n);
    v1
}

#[tensor_op(tests = false)]
fn lengths_3(x0: Tensor![m, n]) -> Tensor![m] {
    let v0 = silu(x0);
    let v1 = var(v0, n);
    v1
}

#[tensor_op(tests = false)]
fn lengths_4(x0: Tensor![m, n]) -> Tensor![m, n] {
    let v0 = 0.5 - x0;
    let v1 = log_softmax(v0, n);
    v1
}

#[tensor_op(tests = false)]
fn lengths_5(x0: Tensor![m, n]) -> Tensor![m, n] {
    let v0 = pow(abs(x0) + 0.5, 1.7);
    let v1 = mean(abs(v0), n);
    let v2 = v0 - v1;
    v2
}

#[tensor_op(tests = false)]
fn arguments_0(x0: Tensor![m, n], x1: Tensor![m, n], x2: Tensor![m, n], x3: Tensor![m, n]) -> Tensor![m, n] {
    let v0 = square(x2);
    let v1 = select(v0 > x3, v0, 0.5 * x3);
    let v2 = x1 + x0;
    let v3 = abs(v2);
    let v4 = v3 * v1;
    v4
}

#[tensor_op(tests = false)]
fn arguments_1(x0: Tensor![m, n], x1: Tensor![m, n], x2: Tensor![m, n], x3: Tensor![m, n], x4: Tensor![m, n], x5: Tensor![n], x6: Tensor![m]) -> Tensor![m, n] {
    let v0 = erf(x4);
    let v1 = minimum(x2, x5);
    let v2 = x3 / (abs(x0) + 1.0);
    let v3 = softplus(x1);
    let v4 = maximum(v1, v3);
    let v5 = v4 + v0;
    let v6 = minimum(v2, v5);
    let v7 = minimum(x6, v6);
    v7
}

#[tensor_op(tests = false)]
fn arguments_2(x0: Tensor![m, n], x1: Tensor![m, n], x2: Tensor![m, n], x3: Tensor![m, n], x4: Tensor![m, n], x5: Tensor![m, n]) -> Tensor![m, n] {
    let v0 = abs(x5);
    let v1 = square(x3);
    let v2 = v0 - x0;
    let v3 = minimum(x1, x4);
    let v4 = v2 - v3;
    let v5 = v1 * (1.0 - x2);
    let v6 = v5 + v4;
    v6
}

#[tensor_op(tests = false)]
fn arguments_3(x0: Tensor![m, n], x1: Tensor![m, n], x2: Tensor![m, n], x3: Tensor![m, n], x4: Tensor![n], x5: Tensor![m]) -> Tensor![m, n] {
    let v0 = select(x3 > x1, x3, 0.5 * x1);
    let v1 = x2 * (1.0 - x5);
    let v2 = v1 / (abs(x4) + 1.0);
    let v3 = sqrt(square(x0) + 0.1);
    let v4 = ln(square(v0) + 0.5);
    let v5 = v2 - v4;
    let v6 = v5 - v3;
    v6
}

#[tensor_op(tests = false)]
fn arguments_4(x0: Tensor![m, n], x1: Tensor![m, n], x2: Tensor![m, n], x3: Tensor![m, n], x4: Tensor![m, n]) -> Tensor![m, n] {
    let v0 = select(x0 > x1, x0, 0.5 * x1);
    let v1 = abs(x2);
    let v2 = relu(x3);
    let v3 = x4 * (1.0 - v1);
    let v4 = v0 + v3;
    let v5 = v2 * v4;
    let v6 = log_softmax(v5, n);
    v6
}

#[tensor_op(tests = false)]
fn arguments_5(x0: Tensor![m, n], x1: Tensor![m, n], x2: Tensor![m, n], x3: Tensor![m, n], x4: Tensor![m, n], x5: Tensor![m, n], x6: Tensor![n], x7: Tensor![m]) -> Tensor![m, n] {
    let v0 = cos(x2);
    let v1 = x5 / (abs(v0) + 1.0);
    let v2 = x7 / (abs(x0) + 1.0);
    let v3 = maximum(x1, x6);
    let v4 = sigmoid(v1);
    let v5 = minimum(v2, v4);
    let v6 = v5 + x3;
    let v7 = v3 - x4;
    let v8 = v6 + v7;
    let v9 = max(v8, n);
    let v10 = v8 - v9;
    v10
}

pub(crate) const CASES: &[Case] = &[
    Case {
        family: "cheap",
        name: "cheap_0",
        args: &[
            Arg { content: Content::Float, rows: None, dims: &[0, 1] },
        ],
        sizes: &[&[0, 1024], &[0, 1000]],
        run: |x| {
            let y0 = cheap_0(&x[0])?;
            Ok(vec![y0])
        },
    },
    Case {
        family: "cheap",
        name: "cheap_1",
        args: &[
            Arg { content: Content::Float, rows: None, dims: &[0, 1] },
            Arg { content: Content::Float, rows: None, dims: &[0, 1] },
        ],
        sizes: &[&[0, 1024], &[0, 1000]],
        run: |x| {
            let y0 = cheap_1(&x[0], &x[1])?;
            Ok(vec![y0])
        },
    },
    Case {
        family: "cheap",
        name: "cheap_2",
        args: &[
            Arg { content: Content::Float, rows: None, dims: &[0, 1] },
            Arg { content: Content::Float, rows: None, dims: &[0, 1] },
            Arg { content: Content::Float, rows: None, dims: &[0, 1] },
        ],
        sizes: &[&[0, 1024], &[0, 1000]],
        run: |x| {
            let y0 = cheap_2(&x[0], &x[1], &x[2])?;
            Ok(vec![y0])
        },
    },
    Case {
        family: "cheap",
        name: "cheap_3",
        args: &[
            Arg { content: Content::Float, rows: None, dims: &[0, 1] },
        ],
        sizes: &[&[0, 1024], &[0, 1000]],
        run: |x| {
            let y0 = cheap_3(&x[0])?;
            Ok(vec![y0])
        },
    },
    Case {
        family: "cheap",
        name: "cheap_4",
        args: &[
            Arg { content: Content::Float, rows: None, dims: &[0, 1] },
            Arg { content: Content::Float, rows: None, dims: &[0, 1] },
        ],
        sizes: &[&[0, 1024], &[0, 1000]],
        run: |x| {
            let y0 = cheap_4(&x[0], &x[1])?;
            Ok(vec![y0])
        },
    },
    Case {
        family: "cheap",
        name: "cheap_5",
        args: &[
            Arg { content: Content::Float, rows: None, dims: &[0, 1] },
            Arg { content: Content::Float, rows: None, dims: &[0, 1] },
            Arg { content: Content::Float, rows: None, dims: &[0, 1] },
        ],
        sizes: &[&[0, 1024], &[0, 1000]],
        run: |x| {
            let y0 = cheap_5(&x[0], &x[1], &x[2])?;
            Ok(vec![y0])
        },
    },
    Case {
        family: "dear",
        name: "dear_0",
        args: &[
            Arg { content: Content::Float, rows: None, dims: &[0, 1] },
        ],
        sizes: &[&[0, 1024], &[0, 1000]],
        run: |x| {
            let y0 = dear_0(&x[0])?;
            Ok(vec![y0])
        },
    },
    Case {
        family: "dear",
        name: "dear_1",
        args: &[
            Arg { content: Content::Float, rows: None, dims: &[0, 1] },
            Arg { content: Content::Float, rows: None, dims: &[0, 1] },
        ],
        sizes: &[&[0, 1024], &[0, 1000]],
        run: |x| {
            let y0 = dear_1(&x[0], &x[1])?;
            Ok(vec![y0])
        },
    },
    Case {
        family: "dear",
        name: "dear_2",
        args: &[
            Arg { content: Content::Float, rows: None, dims: &[0, 1] },
            Arg { content: Content::Float, rows: None, dims: &[0, 1] },
            Arg { content: Content::Float, rows: None, dims: &[0, 1] },
        ],
        sizes: &[&[0, 1024], &[0, 1000]],
        run: |x| {
            let y0 = dear_2(&x[0], &x[1], &x[2])?;
            Ok(vec![y0])
        },
    },
    Case {
        family: "dear",
        name: "dear_3",
        args: &[
            Arg { content: Content::Float, rows: None, dims: &[0, 1] },
        ],
        sizes: &[&[0, 1024], &[0, 1000]],
        run: |x| {
            let y0 = dear_3(&x[0])?;
            Ok(vec![y0])
        },
    },
    Case {
        family: "dear",
        name: "dear_4",
        args: &[
            Arg { content: Content::Float, rows: None, dims: &[0, 1] },
            Arg { content: Content::Float, rows: None, dims: &[0, 1] },
        ],
        sizes: &[&[0, 1024], &[0, 1000]],
        run: |x| {
            let y0 = dear_4(&x[0], &x[1])?;
            Ok(vec![y0])
        },
    },
    Case {
        family: "dear",
        name: "dear_5",
        args: &[
            Arg { content: Content::Float, rows: None, dims: &[0, 1] },
            Arg { content: Content::Float, rows: None, dims: &[0, 1] },
            Arg { content: Content::Float, rows: None, dims: &[0, 1] },
        ],
        sizes: &[&[0, 1024], &[0, 1000]],
        run: |x| {
            let y0 = dear_5(&x[0], &x[1], &x[2])?;
            Ok(vec![y0])
        },
    },
    Case {
        family: "rows",
        name: "rows_0",
        args: &[
            Arg { content: Content::Float, rows: None, dims: &[0, 1] },
        ],
        sizes: &[&[0, 1024], &[0, 4096], &[0, 300]],
        run: |x| {
            let y0 = rows_0(&x[0])?;
            Ok(vec![y0])
        },
    },
    Case {
        family: "rows",
        name: "rows_1",
        args: &[
            Arg { content: Content::Float, rows: None, dims: &[0, 1] },
            Arg { content: Content::Float, rows: None, dims: &[1] },
        ],
        sizes: &[&[0, 1024], &[0, 4096], &[0, 300]],
        run: |x| {
            let y0 = rows_1(&x[0], &x[1])?;
            Ok(vec![y0])
        },
    },
    Case {
        family: "rows",
        name: "rows_2",
        args: &[
            Arg { content: Content::Float, rows: None, dims: &[0, 1] },
        ],
        sizes: &[&[0, 1024], &[0, 4096], &[0, 300]],
        run: |x| {
            let y0 = rows_2(&x[0])?;
            Ok(vec![y0])
        },
    },
    Case {
        family: "rows",
        name: "rows_3",
        args: &[
            Arg { content: Content::Float, rows: None, dims: &[0, 1] },
            Arg { content: Content::Float, rows: None, dims: &[0, 1] },
        ],
        sizes: &[&[0, 1024], &[0, 4096], &[0, 300]],
        run: |x| {
            let y0 = rows_3(&x[0], &x[1])?;
            Ok(vec![y0])
        },
    },
    Case {
        family: "rows",
        name: "rows_4",
        args: &[
            Arg { content: Content::Float, rows: None, dims: &[0, 1] },
            Arg { content: Content::Float, rows: None, dims: &[0, 1] },
            Arg { content: Content::Float, rows: None, dims: &[1] },
        ],
        sizes: &[&[0, 1024], &[0, 4096], &[0, 300]],
        run: |x| {
            let y0 = rows_4(&x[0], &x[1], &x[2])?;
            Ok(vec![y0])
        },
    },
    Case {
        family: "rows",
        name: "rows_5",
        args: &[
            Arg { content: Content::Float, rows: None, dims: &[0, 1] },
            Arg { content: Content::Float, rows: None, dims: &[0, 1] },
        ],
        sizes: &[&[0, 1024], &[0, 4096], &[0, 300]],
        run: |x| {
            let y0 = rows_5(&x[0], &x[1])?;
            Ok(vec![y0])
        },
    },
    Case {
        family: "columns",
        name: "columns_0",
        args: &[
            Arg { content: Content::Float, rows: None, dims: &[0, 1] },
        ],
        sizes: &[&[0, 1024], &[0, 64]],
        run: |x| {
            let y0 = columns_0(&x[0])?;
            Ok(vec![y0])
        },
    },
    Case {
        family: "columns",
        name: "columns_1",
        args: &[
            Arg { content: Content::Float, rows: None, dims: &[0, 1, 2, 3] },
            Arg { content: Content::Float, rows: None, dims: &[1] },
            Arg { content: Content::Float, rows: None, dims: &[1] },
        ],
        sizes: &[&[0, 64, 56, 56], &[0, 256, 14, 14]],
        run: |x| {
            let y0 = columns_1(&x[0], &x[1], &x[2])?;
            Ok(vec![y0])
        },
    },
    Case {
        family: "columns",
        name: "columns_2",
        args: &[
            Arg { content: Content::Float, rows: None, dims: &[0, 1, 2, 3] },
            Arg { content: Content::Float, rows: None, dims: &[1] },
            Arg { content: Content::Float, rows: None, dims: &[1] },
        ],
        sizes: &[&[0, 64, 32, 32], &[0, 256, 14, 14]],
        run: |x| {
            let y0 = columns_2(&x[0], &x[1], &x[2])?;
            Ok(vec![y0])
        },
    },
    Case {
        family: "columns",
        name: "columns_3",
        args: &[
            Arg { content: Content::Float, rows: None, dims: &[0, 1, 2, 3] },
        ],
        sizes: &[&[0, 64, 32, 32], &[0, 10, 64, 64]],
        run: |x| {
            let y0 = columns_3(&x[0])?;
            Ok(vec![y0])
        },
    },
    Case {
        family: "columns",
        name: "columns_4",
        args: &[
            Arg { content: Content::Float, rows: None, dims: &[0, 1, 2, 3] },
        ],
        sizes: &[&[0, 32, 8, 256], &[0, 8, 32, 1024]],
        run: |x| {
            let y0 = columns_4(&x[0])?;
            Ok(vec![y0])
        },
    },
    Case {
        family: "columns",
        name: "columns_5",
        args: &[
            Arg { content: Content::Float, rows: None, dims: &[0, 1, 2] },
        ],
        sizes: &[&[0, 128, 512], &[0, 2048, 64]],
        run: |x| {
            let y0 = columns_5(&x[0])?;
            Ok(vec![y0])
        },
    },
    Case {
        family: "both",
        name: "both_0",
        args: &[
            Arg { content: Content::Float, rows: None, dims: &[0, 1, 2] },
        ],
        sizes: &[&[0, 256, 256], &[0, 32, 1024]],
        run: |x| {
            let y0 = both_0(&x[0])?;
            Ok(vec![y0])
        },
    },
    Case {
        family: "both",
        name: "both_1",
        args: &[
            Arg { content: Content::Float, rows: None, dims: &[0, 1, 2] },
        ],
        sizes: &[&[0, 256, 256], &[0, 32, 1024]],
        run: |x| {
            let y0 = both_1(&x[0])?;
            Ok(vec![y0])
        },
    },
    Case {
        family: "both",
        name: "both_2",
        args: &[
            Arg { content: Content::Float, rows: None, dims: &[0, 1, 2] },
        ],
        sizes: &[&[0, 256, 256], &[0, 32, 1024]],
        run: |x| {
            let y0 = both_2(&x[0])?;
            Ok(vec![y0])
        },
    },
    Case {
        family: "both",
        name: "both_3",
        args: &[
            Arg { content: Content::Float, rows: None, dims: &[0, 1, 2] },
        ],
        sizes: &[&[0, 256, 256], &[0, 32, 1024]],
        run: |x| {
            let y0 = both_3(&x[0])?;
            Ok(vec![y0])
        },
    },
    Case {
        family: "both",
        name: "both_4",
        args: &[
            Arg { content: Content::Float, rows: None, dims: &[0, 1, 2] },
        ],
        sizes: &[&[0, 256, 256], &[0, 32, 1024]],
        run: |x| {
            let y0 = both_4(&x[0])?;
            Ok(vec![y0])
        },
    },
    Case {
        family: "both",
        name: "both_5",
        args: &[
            Arg { content: Content::Float, rows: None, dims: &[0, 1, 2] },
        ],
        sizes: &[&[0, 256, 256], &[0, 32, 1024]],
        run: |x| {
            let y0 = both_5(&x[0])?;
            Ok(vec![y0])
        },
    },
    Case {
        family: "results",
        name: "results_0",
        args: &[
            Arg { content: Content::Float, rows: None, dims: &[0, 1] },
            Arg { content: Content::Float, rows: None, dims: &[0, 1] },
        ],
        sizes: &[&[0, 1024], &[0, 256]],
        run: |x| {
            let (y0, y1) = results_0(&x[0], &x[1])?;
            Ok(vec![y0, y1])
        },
    },
    Case {
        family: "results",
        name: "results_1",
        args: &[
            Arg { content: Content::Float, rows: None, dims: &[0, 1] },
            Arg { content: Content::Float, rows: None, dims: &[0, 1] },
        ],
        sizes: &[&[0, 1024], &[0, 256]],
        run: |x| {
            let (y0, y1) = results_1(&x[0], &x[1])?;
            Ok(vec![y0, y1])
        },
    },
    Case {
        family: "results",
        name: "results_2",
        args: &[
            Arg { content: Content::Float, rows: None, dims: &[0, 1] },
            Arg { content: Content::Float, rows: None, dims: &[0, 1] },
        ],
        sizes: &[&[0, 1024], &[0, 256]],
        run: |x| {
            let (y0, y1) = results_2(&x[0], &x[1])?;
            Ok(vec![y0, y1])
        },
    },
    Case {
        family: "results",
        name: "results_3",
        args: &[
            Arg { content: Content::Float, rows: None, dims: &[0, 1] },
            Arg { content: Content::Float, rows: None, dims: &[0, 1] },
        ],
        sizes: &[&[0, 1024], &[0, 256]],
        run: |x| {
            let (y0, y1, y2) = results_3(&x[0], &x[1])?;
            Ok(vec![y0, y1, y2])
        },
    },
    Case {
        family: "results",
        name: "results_4",
        args: &[
            Arg { content: Content::Float, rows: None, dims: &[0, 1] },
            Arg { content: Content::Float, rows: None, dims: &[0, 1] },
        ],
        sizes: &[&[0, 1024], &[0, 256]],
        run: |x| {
            let (y0, y1, y2) = results_4(&x[0], &x[1])?;
            Ok(vec![y0, y1, y2])
        },
    },
    Case {
        family: "results",
        name: "results_5",
        args: &[
            Arg { content: Content::Float, rows: None, dims: &[0, 1] },
            Arg { content: Content::Float, rows: None, dims: &[0, 1] },
        ],
        sizes: &[&[0, 1024], &[0, 256]],
        run: |x| {
            let (y0, y1, y2) = results_5(&x[0], &x[1])?;
            Ok(vec![y0, y1, y2])
        },
    },
    Case {
        family: "broadcasts",
        name: "broadcasts_0",
        args: &[
            Arg { content: Content::Float, rows: None, dims: &[0, 1, 2] },
            Arg { content: Content::Float, rows: None, dims: &[2] },
        ],
        sizes: &[&[0, 64, 512], &[0, 512, 64]],
        run: |x| {
            let y0 = broadcasts_0(&x[0], &x[1])?;
            Ok(vec![y0])
        },
    },
    Case {
        family: "broadcasts",
        name: "broadcasts_1",
        args: &[
            Arg { content: Content::Float, rows: None, dims: &[0, 1, 2] },
            Arg { content: Content::Float, rows: None, dims: &[0] },
        ],
        sizes: &[&[0, 64, 512], &[0, 512, 64]],
        run: |x| {
            let y0 = broadcasts_1(&x[0], &x[1])?;
            Ok(vec![y0])
        },
    },
    Case {
        family: "broadcasts",
        name: "broadcasts_2",
        args: &[
            Arg { content: Content::Float, rows: None, dims: &[0, 1, 2] },
            Arg { content: Content::Float, rows: None, dims: &[1] },
            Arg { content: Content::Float, rows: None, dims: &[2] },
        ],
        sizes: &[&[0, 64, 512], &[0, 512, 64]],
        run: |x| {
            let y0 = broadcasts_2(&x[0], &x[1], &x[2])?;
            Ok(vec![y0])
        },
    },
    Case {
        family: "broadcasts",
        name: "broadcasts_3",
        args: &[
            Arg { content: Content::Float, rows: None, dims: &[0, 1, 2] },
            Arg { content: Content::Float, rows: None, dims: &[0, 1] },
            Arg { content: Content::Float, rows: None, dims: &[2] },
        ],
        sizes: &[&[0, 64, 512], &[0, 512, 64]],
        run: |x| {
            let y0 = broadcasts_3(&x[0], &x[1], &x[2])?;
            Ok(vec![y0])
        },
    },
    Case {
        family: "broadcasts",
        name: "broadcasts_4",
        args: &[
            Arg { content: Content::Float, rows: None, dims: &[0, 1, 2] },
            Arg { content: Content::Float, rows: None, dims: &[0, 2] },
        ],
        sizes: &[&[0, 64, 512], &[0, 512, 64]],
        run: |x| {
            let y0 = broadcasts_4(&x[0], &x[1])?;
            Ok(vec![y0])
        },
    },
    Case {
        family: "broadcasts",
        name: "broadcasts_5",
        args: &[
            Arg { content: Content::Float, rows: None, dims: &[0, 1, 2] },
            Arg { content: Content::Float, rows: None, dims: &[0, 1] },
            Arg { content: Content::Float, rows: None, dims: &[1, 2] },
        ],
        sizes: &[&[0, 64, 512], &[0, 512, 64]],
        run: |x| {
            let y0 = broadcasts_5(&x[0], &x[1], &x[2])?;
            Ok(vec![y0])
        },
    },
    Case {
        family: "small",
        name: "small_0",
        args: &[
            Arg { content: Content::Float, rows: None, dims: &[0, 1] },
        ],
        sizes: &[&[0, 3], &[0, 4]],
        run: |x| {
            let y0 = small_0(&x[0])?;
            Ok(vec![y0])
        },
    },
    Case {
        family: "small",
        name: "small_1",
        args: &[
            Arg { content: Content::Float, rows: None, dims: &[0, 1] },
        ],
        sizes: &[&[0, 8], &[0, 6]],
        run: |x| {
            let y0 = small_1(&x[0])?;
            Ok(vec![y0])
        },
    },
    Case {
        family: "small",
        name: "small_2",
        args: &[
            Arg { content: Content::Float, rows: None, dims: &[0, 1, 2] },
        ],
        sizes: &[&[0, 16, 4], &[0, 64, 2]],
        run: |x| {
            let y0 = small_2(&x[0])?;
            Ok(vec![y0])
        },
    },
    Case {
        family: "small",
        name: "small_3",
        args: &[
            Arg { content: Content::Float, rows: None, dims: &[0, 1] },
            Arg { content: Content::Float, rows: None, dims: &[0, 1] },
        ],
        sizes: &[&[0, 3], &[0, 4]],
        run: |x| {
            let y0 = small_3(&x[0], &x[1])?;
            Ok(vec![y0])
        },
    },
    Case {
        family: "small",
        name: "small_4",
        args: &[
            Arg { content: Content::Float, rows: None, dims: &[0, 1] },
            Arg { content: Content::Float, rows: None, dims: &[0, 1] },
        ],
        sizes: &[&[0, 8], &[0, 6]],
        run: |x| {
            let y0 = small_4(&x[0], &x[1])?;
            Ok(vec![y0])
        },
    },
    Case {
        family: "small",
        name: "small_5",
        args: &[
            Arg { content: Content::Float, rows: None, dims: &[0, 1, 2] },
            Arg { content: Content::Float, rows: None, dims: &[0, 1, 2] },
        ],
        sizes: &[&[0, 16, 4], &[0, 64, 2]],
        run: |x| {
            let y0 = small_5(&x[0], &x[1])?;
            Ok(vec![y0])
        },
    },
    Case {
        family: "kinds",
        name: "kinds_0",
        args: &[
            Arg { content: Content::Float, rows: None, dims: &[0, 1] },
            Arg { content: Content::Bool, rows: None, dims: &[0, 1] },
        ],
        sizes: &[&[0, 1024], &[0, 200]],
        run: |x| {
            let y0 = kinds_0(&x[0], &x[1])?;
            Ok(vec![y0])
        },
    },
    Case {
        family: "kinds",
        name: "kinds_1",
        args: &[
            Arg { content: Content::Float, rows: None, dims: &[0, 1] },
            Arg { content: Content::Below(7), rows: None, dims: &[0, 1] },
        ],
        sizes: &[&[0, 1024], &[0, 200]],
        run: |x| {
            let y0 = kinds_1(&x[0], &x[1])?;
            Ok(vec![y0])
        },
    },
    Case {
        family: "kinds",
        name: "kinds_2",
        args: &[
            Arg { content: Content::Float, rows: None, dims: &[0, 1] },
            Arg { content: Content::Below(7), rows: None, dims: &[0, 1] },
            Arg { content: Content::Below(7), rows: None, dims: &[0] },
        ],
        sizes: &[&[0, 1024], &[0, 200]],
        run: |x| {
            let y0 = kinds_2(&x[0], &x[1], &x[2])?;
            Ok(vec![y0])
        },
    },
    Case {
        family: "kinds",
        name: "kinds_3",
        args: &[
            Arg { content: Content::Float, rows: None, dims: &[0, 1] },
            Arg { content: Content::Bool, rows: None, dims: &[1] },
        ],
        sizes: &[&[0, 1024], &[0, 200]],
        run: |x| {
            let y0 = kinds_3(&x[0], &x[1])?;
            Ok(vec![y0])
        },
    },
    Case {
        family: "kinds",
        name: "kinds_4",
        args: &[
            Arg { content: Content::Float, rows: None, dims: &[0, 1] },
            Arg { content: Content::Below(7), rows: None, dims: &[1] },
        ],
        sizes: &[&[0, 1024], &[0, 200]],
        run: |x| {
            let y0 = kinds_4(&x[0], &x[1])?;
            Ok(vec![y0])
        },
    },
    Case {
        family: "kinds",
        name: "kinds_5",
        args: &[
            Arg { content: Content::Float, rows: None, dims: &[0, 1] },
            Arg { content: Content::Below(7), rows: None, dims: &[1] },
            Arg { content: Content::Below(7), rows: None, dims: &[0] },
        ],
        sizes: &[&[0, 1024], &[0, 200]],
        run: |x| {
            let y0 = kinds_5(&x[0], &x[1], &x[2])?;
            Ok(vec![y0])
        },
    },
    Case {
        family: "gathers",
        name: "gathers_0",
        args: &[
            Arg { content: Content::Below(50000), rows: None, dims: &[0] },
            Arg { content: Content::Float, rows: Some(50000), dims: &[1] },
        ],
        sizes: &[&[0, 64], &[0, 512]],
        run: |x| {
            let y0 = gathers_0(&x[0], &x[1])?;
            Ok(vec![y0])
        },
    },
    Case {
        family: "gathers",
        name: "gathers_1",
        args: &[
            Arg { content: Content::Below(50000), rows: None, dims: &[0] },
            Arg { content: Content::Float, rows: Some(50000), dims: &[1] },
            Arg { content: Content::Float, rows: None, dims: &[0, 1] },
        ],
        sizes: &[&[0, 64], &[0, 512]],
        run: |x| {
            let y0 = gathers_1(&x[0], &x[1], &x[2])?;
            Ok(vec![y0])
        },
    },
    Case {
        family: "gathers",
        name: "gathers_2",
        args: &[
            Arg { content: Content::Below(1000), rows: None, dims: &[0] },
            Arg { content: Content::Float, rows: Some(1000), dims: &[1] },
        ],
        sizes: &[&[0, 64], &[0, 512]],
        run: |x| {
            let y0 = gathers_2(&x[0], &x[1])?;
            Ok(vec![y0])
        },
    },
    Case {
        family: "gathers",
        name: "gathers_3",
        args: &[
            Arg { content: Content::Below(1000), rows: None, dims: &[0] },
            Arg { content: Content::Float, rows: Some(1000), dims: &[1] },
            Arg { content: Content::Float, rows: None, dims: &[0, 1] },
        ],
        sizes: &[&[0, 64], &[0, 512]],
        run: |x| {
            let y0 = gathers_3(&x[0], &x[1], &x[2])?;
            Ok(vec![y0])
        },
    },
    Case {
        family: "gathers",
        name: "gathers_4",
        args: &[
            Arg { content: Content::Below(1000), rows: None, dims: &[0] },
            Arg { content: Content::Float, rows: Some(1000), dims: &[1] },
            Arg { content: Content::Below(300), rows: None, dims: &[0] },
            Arg { content: Content::Float, rows: Some(300), dims: &[1] },
        ],
        sizes: &[&[0, 64], &[0, 512]],
        run: |x| {
            let y0 = gathers_4(&x[0], &x[1], &x[2], &x[3])?;
            Ok(vec![y0])
        },
    },
    Case {
        family: "gathers",
        name: "gathers_5",
        args: &[
            Arg { content: Content::Below(50000), rows: None, dims: &[0] },
            Arg { content: Content::Float, rows: Some(50000), dims: &[1] },
            Arg { content: Content::Float, rows: None, dims: &[0, 1] },
            Arg { content: Content::Below(300), rows: None, dims: &[0] },
            Arg { content: Content::Float, rows: Some(300), dims: &[1] },
        ],
        sizes: &[&[0, 64], &[0, 512]],
        run: |x| {
            let y0 = gathers_5(&x[0], &x[1], &x[2], &x[3], &x[4])?;
            Ok(vec![y0])
        },
    },
    Case {
        family: "lengths",
        name: "lengths_0",
        args: &[
            Arg { content: Content::Float, rows: None, dims: &[0, 1] },
        ],
        sizes: &[&[0, 16], &[0, 32]],
        run: |x| {
            let y0 = lengths_0(&x[0])?;
            Ok(vec![y0])
        },
    },
    Case {
        family: "lengths",
        name: "lengths_1",
        args: &[
            Arg { content: Content::Float, rows: None, dims: &[0, 1] },
        ],
        sizes: &[&[0, 65536], &[0, 100000]],
        run: |x| {
            let y0 = lengths_1(&x[0])?;
            Ok(vec![y0])
        },
    },
    Case {
        family: "lengths",
        name: "lengths_2",
        args: &[
            Arg { content: Content::Float, rows: None, dims: &[0, 1] },
        ],
        sizes: &[&[1, 0], &[4, 0]],
        run: |x| {
            let y0 = lengths_2(&x[0])?;
            Ok(vec![y0])
        },
    },
    Case {
        family: "lengths",
        name: "lengths_3",
        args: &[
            Arg { content: Content::Float, rows: None, dims: &[0, 1] },
        ],
        sizes: &[&[0, 16], &[0, 32]],
        run: |x| {
            let y0 = lengths_3(&x[0])?;
            Ok(vec![y0])
        },
    },
    Case {
        family: "lengths",
        name: "lengths_4",
        args: &[
            Arg { content: Content::Float, rows: None, dims: &[0, 1] },
        ],
        sizes: &[&[0, 65536], &[0, 100000]],
        run: |x| {
            let y0 = lengths_4(&x[0])?;
            Ok(vec![y0])
        },
    },
    Case {
        family: "lengths",
        name: "lengths_5",
        args: &[
            Arg { content: Content::Float, rows: None, dims: &[0, 1] },
        ],
        sizes: &[&[1, 0], &[4, 0]],
        run: |x| {
            let y0 = lengths_5(&x[0])?;
            Ok(vec![y0])
        },
    },
    Case {
        family: "arguments",
        name: "arguments_0",
        args: &[
            Arg { content: Content::Float, rows: None, dims: &[0, 1] },
            Arg { content: Content::Float, rows: None, dims: &[0, 1] },
            Arg { content: Content::Float, rows: None, dims: &[0, 1] },
            Arg { content: Content::Float, rows: None, dims: &[0, 1] },
        ],
        sizes: &[&[0, 1024], &[0, 128]],
        run: |x| {
            let y0 = arguments_0(&x[0], &x[1], &x[2], &x[3])?;
            Ok(vec![y0])
        },
    },
    Case {
        family: "arguments",
        name: "arguments_1",
        args: &[
            Arg { content: Content::Float, rows: None, dims: &[0, 1] },
            Arg { content: Content::Float, rows: None, dims: &[0, 1] },
            Arg { content: Content::Float, rows: None, dims: &[0, 1] },
            Arg { content: Content::Float, rows: None, dims: &[0, 1] },
            Arg { content: Content::Float, rows: None, dims: &[0, 1] },
            Arg { content: Content::Float, rows: None, dims: &[1] },
            Arg { content: Content::Float, rows: None, dims: &[0] },
        ],
        sizes: &[&[0, 1024], &[0, 128]],
        run: |x| {
            let y0 = arguments_1(&x[0], &x[1], &x[2], &x[3], &x[4], &x[5], &x[6])?;
            Ok(vec![y0])
        },
    },
    Case {
        family: "arguments",
        name: "arguments_2",
        args: &[
            Arg { content: Content::Float, rows: None, dims: &[0, 1] },
            Arg { content: Content::Float, rows: None, dims: &[0, 1] },
            Arg { content: Content::Float, rows: None, dims: &[0, 1] },
            Arg { content: Content::Float, rows: None, dims: &[0, 1] },
            Arg { content: Content::Float, rows: None, dims: &[0, 1] },
            Arg { content: Content::Float, rows: None, dims: &[0, 1] },
        ],
        sizes: &[&[0, 1024], &[0, 128]],
        run: |x| {
            let y0 = arguments_2(&x[0], &x[1], &x[2], &x[3], &x[4], &x[5])?;
            Ok(vec![y0])
        },
    },
    Case {
        family: "arguments",
        name: "arguments_3",
        args: &[
            Arg { content: Content::Float, rows: None, dims: &[0, 1] },
            Arg { content: Content::Float, rows: None, dims: &[0, 1] },
            Arg { content: Content::Float, rows: None, dims: &[0, 1] },
            Arg { content: Content::Float, rows: None, dims: &[0, 1] },
            Arg { content: Content::Float, rows: None, dims: &[1] },
            Arg { content: Content::Float, rows: None, dims: &[0] },
        ],
        sizes: &[&[0, 1024], &[0, 128]],
        run: |x| {
            let y0 = arguments_3(&x[0], &x[1], &x[2], &x[3], &x[4], &x[5])?;
            Ok(vec![y0])
        },
    },
    Case {
        family: "arguments",
        name: "arguments_4",
        args: &[
            Arg { content: Content::Float, rows: None, dims: &[0, 1] },
            Arg { content: Content::Float, rows: None, dims: &[0, 1] },
            Arg { content: Content::Float, rows: None, dims: &[0, 1] },
            Arg { content: Content::Float, rows: None, dims: &[0, 1] },
            Arg { content: Content::Float, rows: None, dims: &[0, 1] },
        ],
        sizes: &[&[0, 1024], &[0, 128]],
        run: |x| {
            let y0 = arguments_4(&x[0], &x[1], &x[2], &x[3], &x[4])?;
            Ok(vec![y0])
        },
    },
    Case {
        family: "arguments",
        name: "arguments_5",
        args: &[
            Arg { content: Content::Float, rows: None, dims: &[0, 1] },
            Arg { content: Content::Float, rows: None, dims: &[0, 1] },
            Arg { content: Content::Float, rows: None, dims: &[0, 1] },
            Arg { content: Content::Float, rows: None, dims: &[0, 1] },
            Arg { content: Content::Float, rows: None, dims: &[0, 1] },
            Arg { content: Content::Float, rows: None, dims: &[0, 1] },
            Arg { content: Content::Float, rows: None, dims: &[1] },
            Arg { content: Content::Float, rows: None, dims: &[0] },
        ],
        sizes: &[&[0, 1024], &[0, 128]],
        run: |x| {
            let y0 = arguments_5(&x[0], &x[1], &x[2], &x[3], &x[4], &x[5], &x[6], &x[7])?;
            Ok(vec![y0])
        },
    },
];
