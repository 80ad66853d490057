//! Padding in all modes of `torch.nn.functional.pad`, of floats, ints and bools. The constant is a whole
//! number beside ints, and 0 or 1 beside bools.
//!
//! The numbers of elements have PyTorch's order: before and behind the last axis, then before and behind the
//! axis before it. A negative number cuts elements off; there are none in mode
//! `circular`.
#![cfg_attr(doc, doc = include_str!("functions_first.html"))]

use crate::tensor_op;

/// A constant before and behind the last axis. `torch.nn.functional.pad` in mode `constant`.
#[tensor_op(method(inherent), burn = pad_burn)]
pub fn pad(
    input: AnyTensor![.., n],
    left: i64,
    right: i64,
    #[default(0)] value: Number,
) -> AnyTensor![.., l = n + left + right] {
    at(input, n = l - left, or = value)
}

/// A constant around the last two axes. `torch.nn.functional.pad` in mode `constant`.
#[tensor_op(burn = constant_pad2d_burn)]
pub fn constant_pad2d(
    input: AnyTensor![.., h, w],
    left: i64,
    right: i64,
    top: i64,
    bottom: i64,
    #[default(0)] value: Number,
) -> AnyTensor![.., oh = h + top + bottom, ow = w + left + right] {
    at(input, h = oh - top, w = ow - left, or = value)
}

/// A constant around the last three axes. `torch.nn.functional.pad` in mode `constant`.
#[tensor_op(burn = constant_pad3d_burn)]
pub fn constant_pad3d(
    input: AnyTensor![.., d, h, w],
    left: i64,
    right: i64,
    top: i64,
    bottom: i64,
    front: i64,
    back: i64,
    #[default(0)] value: Number,
) -> AnyTensor![.., od = d + front + back, oh = h + top + bottom, ow = w + left + right] {
    at(input, d = od - front, h = oh - top, w = ow - left, or = value)
}

/// The last axis, mirrored at the ends, which are not repeated.
/// `torch.nn.functional.pad` in mode `reflect`. PyTorch refuses a padding that is
/// as large as the axis; here it is mirrored again.
///
/// ```
/// use tensor_op::catalogue::padding::reflection_pad1d;
/// use tensor_op::prelude::*;
///
/// # fn main() -> Result<()> {
/// let x = Tensor::from_vec(vec![1.0, 2.0, 3.0], [3], &Device::default())?;
/// assert_eq!(reflection_pad1d(&x, 2, 1)?.to_vec::<f64>()?, [3.0, 2.0, 1.0, 2.0, 3.0, 2.0]);
/// # Ok(())
/// # }
/// ```
#[tensor_op(burn = reflection_pad1d_burn)]
pub fn reflection_pad1d(
    input: AnyTensor![.., n],
    left: i64,
    right: i64,
) -> AnyTensor![.., l = n + left + right] {
    at(input, n = reflect(l - left))
}

/// The last two axes, mirrored at the ends, which are not repeated.
/// `torch.nn.functional.pad` in mode `reflect`. PyTorch refuses a padding that is
/// as large as the axis; here it is mirrored again.
#[tensor_op(burn = reflection_pad2d_burn)]
pub fn reflection_pad2d(
    input: AnyTensor![.., h, w],
    left: i64,
    right: i64,
    top: i64,
    bottom: i64,
) -> AnyTensor![.., oh = h + top + bottom, ow = w + left + right] {
    at(input, h = reflect(oh - top), w = reflect(ow - left))
}

/// The last three axes, mirrored at the ends, which are not repeated.
/// `torch.nn.functional.pad` in mode `reflect`. PyTorch refuses a padding that is
/// as large as the axis; here it is mirrored again.
#[tensor_op(burn = reflection_pad3d_burn)]
pub fn reflection_pad3d(
    input: AnyTensor![.., d, h, w],
    left: i64,
    right: i64,
    top: i64,
    bottom: i64,
    front: i64,
    back: i64,
) -> AnyTensor![.., od = d + front + back, oh = h + top + bottom, ow = w + left + right] {
    at(input, d = reflect(od - front), h = reflect(oh - top), w = reflect(ow - left))
}

/// The ends of the last axis, repeated. `torch.nn.functional.pad` in mode `replicate`.
///
/// ```
/// use tensor_op::catalogue::padding::replication_pad1d;
/// use tensor_op::prelude::*;
///
/// # fn main() -> Result<()> {
/// let x = Tensor::from_vec(vec![1.0, 2.0], [2], &Device::default())?;
/// assert_eq!(replication_pad1d(&x, 2, 1)?.to_vec::<f64>()?, [1.0, 1.0, 1.0, 2.0, 2.0]);
/// # Ok(())
/// # }
/// ```
#[tensor_op(burn = replication_pad1d_burn)]
pub fn replication_pad1d(
    input: AnyTensor![.., n],
    left: i64,
    right: i64,
) -> AnyTensor![.., l = n + left + right] {
    at(input, n = clamp(l - left))
}

/// The ends of the last two axes, repeated. `torch.nn.functional.pad` in mode `replicate`.
#[tensor_op(burn = replication_pad2d_burn)]
pub fn replication_pad2d(
    input: AnyTensor![.., h, w],
    left: i64,
    right: i64,
    top: i64,
    bottom: i64,
) -> AnyTensor![.., oh = h + top + bottom, ow = w + left + right] {
    at(input, h = clamp(oh - top), w = clamp(ow - left))
}

/// The ends of the last three axes, repeated. `torch.nn.functional.pad` in mode `replicate`.
#[tensor_op(burn = replication_pad3d_burn)]
pub fn replication_pad3d(
    input: AnyTensor![.., d, h, w],
    left: i64,
    right: i64,
    top: i64,
    bottom: i64,
    front: i64,
    back: i64,
) -> AnyTensor![.., od = d + front + back, oh = h + top + bottom, ow = w + left + right] {
    at(input, d = clamp(od - front), h = clamp(oh - top), w = clamp(ow - left))
}

/// The last axis, continued around. `torch.nn.functional.pad` in mode `circular`. PyTorch
/// refuses a padding that is larger than the axis; here it goes around again.
///
/// ```
/// use tensor_op::catalogue::padding::circular_pad1d;
/// use tensor_op::prelude::*;
///
/// # fn main() -> Result<()> {
/// let x = Tensor::from_vec(vec![1.0, 2.0], [2], &Device::default())?;
/// assert_eq!(circular_pad1d(&x, 1, 2)?.to_vec::<f64>()?, [2.0, 1.0, 2.0, 1.0, 2.0]);
/// # Ok(())
/// # }
/// ```
#[tensor_op(burn = circular_pad1d_burn)]
pub fn circular_pad1d(
    input: AnyTensor![.., n],
    left: usize,
    right: usize,
) -> AnyTensor![.., l = n + left + right] {
    at(input, n = wrap(l - left))
}

/// The last two axes, continued around. `torch.nn.functional.pad` in mode `circular`. PyTorch
/// refuses a padding that is larger than the axis; here it goes around again.
#[tensor_op(burn = circular_pad2d_burn)]
pub fn circular_pad2d(
    input: AnyTensor![.., h, w],
    left: usize,
    right: usize,
    top: usize,
    bottom: usize,
) -> AnyTensor![.., oh = h + top + bottom, ow = w + left + right] {
    at(input, h = wrap(oh - top), w = wrap(ow - left))
}

/// The last three axes, continued around. `torch.nn.functional.pad` in mode `circular`. PyTorch
/// refuses a padding that is larger than the axis; here it goes around again.
#[tensor_op(burn = circular_pad3d_burn)]
pub fn circular_pad3d(
    input: AnyTensor![.., d, h, w],
    left: usize,
    right: usize,
    top: usize,
    bottom: usize,
    front: usize,
    back: usize,
) -> AnyTensor![.., od = d + front + back, oh = h + top + bottom, ow = w + left + right] {
    at(input, d = wrap(od - front), h = wrap(oh - top), w = wrap(ow - left))
}
