//! Ops whose results hang on rounding: their generated tests are the tests.

use tensor_op::prelude::*;

/// A result that the next kernel reads again: in f32, not as the half that is stored.
#[tensor_op]
fn cosine_and_dot(x: Tensor![i, n], y: Tensor![j, n]) -> (Tensor![i, j], Tensor![i, j]) {
    let dot = sum(x * y, n);
    (dot / (norm(x, n) * norm(y, n)), dot)
}

/// By the epilogue of the product, and by a reduction.
#[tensor_op]
fn product_and_activated(x: Tensor![m, k], y: Tensor![k, n]) -> (Tensor![m, n], Tensor![m, n], Tensor![m]) {
    let product = sum(x * y, k);
    (product, tanh(product), sum(product, n))
}

/// Ints are computed in 64 bits: what a byte can't hold is not lost to a kernel that reads the rows again.
#[tensor_op]
fn total_of_rows(x: IntTensor![m, n]) -> (IntTensor![m], Tensor![]) {
    let rows = sum(100 * x, n);
    (rows, cast(sum(rows, m), float))
}
