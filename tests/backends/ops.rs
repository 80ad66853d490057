//! Forms of declarations that the catalogue does not use: an axis that is reduced, composite dims, int and
//! bool results.

use tensor_op::tensor_op;

#[tensor_op]
pub(crate) fn axis_total(x: Tensor, y: Tensor, axis: Axis) -> Tensor {
    sum(x * y, axis)
}

#[tensor_op]
pub(crate) fn axis_length(x: Tensor, axis: Axis) -> (Tensor, Tensor) {
    let length = norm(x, axis);
    (x / length, length)
}

#[tensor_op]
pub(crate) fn axis_extremes(x: Tensor, axis: Axis) -> (Tensor, Tensor, IntTensor) {
    (max(x, axis), prod(x, axis), argmin(stop_grad(x), axis))
}

/// One pass takes a float, an int and a bool of its row.
#[tensor_op]
pub(crate) fn of_all_kinds(
    x: Tensor![.., n],
    limit: Tensor![..],
    scale: f64,
) -> (Tensor![.., n], Tensor![..]) {
    let top = max(x, n);
    let away = cast(iota(n) - argmax(stop_grad(x), n), float);
    (select(any(stop_grad(x) > 1.0, n), x * scale + top, limit - x) * exp(0.01 * away), top)
}

#[tensor_op]
pub(crate) fn group_norm(
    x: Tensor![b, (g = 2, c), h],
    gamma: Tensor![(g, c)],
    #[default(1e-5)] eps: f64,
) -> Tensor![b, (g, c), h] {
    (x - mean(x, (c, h))) * rsqrt(var(x, (c, h)) + eps) * gamma
}

#[tensor_op]
pub(crate) fn rotary(
    x: Tensor![.., t, (half = 2, d)],
    cos: Tensor![t, d],
    sin: Tensor![t, d],
) -> Tensor![.., t, (half, d)] {
    let other = at(x, half = 1 - iota(half));
    x * cos + select(iota(half) == 0, -other, other) * sin
}

#[tensor_op]
pub(crate) fn counts(ids: IntTensor![.., n]) -> (IntTensor, BoolTensor, IntTensor![.., n]) {
    (sum(cast(ids < 3, int), n), all(ids % 2 == 0, n), ids / 2 + iota(n))
}
