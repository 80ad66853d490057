//! The ops that are timed.

use tensor_op::prelude::*;

#[tensor_op(tests = false)]
pub(crate) fn gated(x: Tensor, gate: Tensor) -> Tensor {
    x * sigmoid(gate)
}

#[tensor_op(tests = false)]
pub(crate) fn weights(x: Tensor![.., n]) -> Tensor![.., n] {
    softmax(x, n)
}

#[tensor_op(tests = false)]
fn sum_1(a: Tensor) -> Tensor {
    a + 1.0
}

#[tensor_op(tests = false)]
fn sum_2(a: Tensor, b: Tensor) -> Tensor {
    a + b
}

#[tensor_op(tests = false)]
fn sum_4(a: Tensor, b: Tensor, c: Tensor, d: Tensor) -> Tensor {
    a + b + c + d
}

#[tensor_op(tests = false)]
fn sum_8(a: Tensor, b: Tensor, c: Tensor, d: Tensor, e: Tensor, f: Tensor, g: Tensor, h: Tensor) -> Tensor {
    a + b + c + d + e + f + g + h
}

#[tensor_op(tests = false)]
fn sum_16(
    a: Tensor,
    b: Tensor,
    c: Tensor,
    d: Tensor,
    e: Tensor,
    f: Tensor,
    g: Tensor,
    h: Tensor,
    i: Tensor,
    j: Tensor,
    k: Tensor,
    l: Tensor,
    m: Tensor,
    n: Tensor,
    o: Tensor,
    p: Tensor,
) -> Tensor {
    a + b + c + d + e + f + g + h + i + j + k + l + m + n + o + p
}

/// A call with the first of these tensors.
type Call = fn(&[Tensor]) -> Result<Tensor>;

/// Ops of so many inputs.
pub(crate) const OF_INPUTS: [(usize, Call); 5] = [
    (1, |t| sum_1(&t[0])),
    (2, |t| sum_2(&t[0], &t[1])),
    (4, |t| sum_4(&t[0], &t[1], &t[2], &t[3])),
    (8, |t| sum_8(&t[0], &t[1], &t[2], &t[3], &t[4], &t[5], &t[6], &t[7])),
    (16, |t| {
        sum_16(
            &t[0], &t[1], &t[2], &t[3], &t[4], &t[5], &t[6], &t[7], &t[8], &t[9], &t[10], &t[11], &t[12],
            &t[13], &t[14], &t[15],
        )
    }),
];
