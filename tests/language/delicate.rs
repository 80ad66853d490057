//! Ops whose results depend on rounding. Their generated tests are the tests.

use tensor_op::prelude::*;

/// The next kernel reads the result again, in f32 and not as the half that is stored.
#[tensor_op]
fn cosine_and_dot(x: Tensor![i, n], y: Tensor![j, n]) -> (Tensor![i, j], Tensor![i, j]) {
    let dot = sum(x * y, n);
    (dot / (norm(x, n) * norm(y, n)), dot)
}

/// The activation is computed in the epilogue of the product, and the sum by a reduction.
#[tensor_op]
fn product_and_activated(x: Tensor![m, k], y: Tensor![k, n]) -> (Tensor![m, n], Tensor![m, n], Tensor![m]) {
    let product = sum(x * y, k);
    (product, tanh(product), sum(product, n))
}

/// Ints are computed in 64 bits: a kernel that reads the rows again gets numbers that a byte can't hold.
#[tensor_op]
fn total_of_rows(x: IntTensor![m, n]) -> (IntTensor![m], Tensor![]) {
    let rows = sum(100 * x, n);
    (rows, cast(sum(rows, m), float))
}

/// The rounding error of the product is many periods.
#[tensor_op]
fn fast_waves(#[no_grad] x: Tensor) -> (Tensor, Tensor, Tensor) {
    let phase = 1e9 * x / 3.0;
    (sin(phase), cos(phase), tan(phase))
}

/// Rounding decides on which side of a jump a remainder is.
#[tensor_op]
fn remainders(#[no_grad] x: Tensor, #[no_grad] y: Tensor) -> (Tensor, Tensor) {
    let step = abs(y) / 3.0 + 0.1;
    (x % (1.0 / 3.0), (step * stop_grad(round(8.0 * x))) % step)
}

/// Rounding decides whether these are equal.
#[tensor_op]
fn equal_by_rounding(#[no_grad] x: Tensor, #[no_grad] y: Tensor) -> (BoolTensor, BoolTensor, Tensor) {
    let there_and_back = x / 3.0 * 3.0;
    (there_and_back == x, (x + y) - y != x, select(x * y / 5.0 == y / 5.0 * x, x, -x))
}

/// Rounding decides on which step these are.
#[tensor_op]
fn steps(#[no_grad] x: Tensor) -> (Tensor, Tensor, Tensor, IntTensor) {
    let scaled = round(8.0 * x) / 3.0 * 3.0;
    (floor(scaled), ceil(scaled), round(scaled + 0.5), cast(scaled, int))
}
