//! Generated tests of ops whose sums and products the compilers of shaders rearrange.
#![cfg(feature = "wgpu")]

use tensor_op::prelude::*;

#[tensor_op]
fn two_products(a: Tensor, b: Tensor, c: Tensor, d: Tensor, e: Tensor) -> Tensor {
    a * b + c * d + e
}

#[tensor_op]
fn leaky(x: Tensor![.., n], w: f64, bias: Tensor![n]) -> Tensor![.., n] {
    let y = x * w + mean(x, n) * (1.0 - w) + bias;
    maximum(y, 0.1 * y)
}

#[tensor_op]
fn windows(x: Tensor![t, c], w: Tensor![k, c], pos: Tensor![c]) -> Tensor![t, c] {
    sum(at(x, t = maximum(iota(t) - iota(k), 0)) * w, k) + pos
}

#[tensor_op]
fn common_factor(a: Tensor, b: Tensor, c: Tensor) -> Tensor {
    a * b + a * c
}

#[tensor_op]
fn common_factor_of_three(a: Tensor, b: Tensor, c: Tensor, d: Tensor) -> Tensor {
    a * b - a * c + a * d
}

#[tensor_op]
fn there_and_back(x: Tensor, y: Tensor) -> Tensor {
    (x + y) - x
}

#[tensor_op]
fn three_factors(x: Tensor, y: Tensor, z: Tensor) -> Tensor {
    x * 0.3 * y * 0.7 * z
}

#[tensor_op]
fn sums(x: Tensor![.., n]) -> Tensor![.., n] {
    cumsum(x, n)
}

#[tensor_op]
fn smallest(x: IntTensor![n, d]) -> IntTensor![n, d] {
    cummin(x, n, reverse = true)
}

#[tensor_op]
fn largest(x: Tensor![b, n]) -> Tensor![b, n] {
    cummax(x, n)
}

#[tensor_op]
fn recurrence(a: Tensor![n], x: Tensor![b, n], h: Tensor![b]) -> Tensor![b, n] {
    linear_recurrence(a, x, n, init = h)
}
