//! Products of matrices, and quantized numbers.

use super::Entry;
use crate::node::{Node, Outcome, Stop};
use tensor_op::catalogue::nn::matmul;
use tensor_op::catalogue::product::addmm;
use tensor_op::prelude::*;

/// Rounded to the even of two, and inside of the dtype's range.
#[tensor_op(tests = false)]
#[no_grad]
fn quantize(x: Tensor, scale: Tensor, zero: IntTensor) -> IntTensor {
    cast(clamp(round(x / scale) + cast(zero, float), 0.0, 255.0), int)
}

#[tensor_op(tests = false)]
fn dequantize(x: IntTensor, scale: Tensor, zero: IntTensor) -> Tensor {
    cast(x - zero, float) * scale
}

/// Vectors are matrices of one row or column, which the result loses.
fn product(a: &Tensor, b: &Tensor) -> Result<Tensor> {
    let (is_row, is_column) = (a.rank() == 1, b.rank() == 1);
    let a = if is_row { a.unsqueeze(0)? } else { a.clone() };
    let b = if is_column { b.unsqueeze(1)? } else { b.clone() };
    let y = matmul(a, b)?;
    let y = if is_column { y.squeeze(-1)? } else { y };
    if is_row { y.squeeze(if is_column { -1 } else { -2 }) } else { Ok(y) }
}

fn gemm(node: &Node) -> Outcome {
    let turned = |place: usize, name: &str| -> Outcome<Tensor> {
        let x = node.x(place)?;
        Ok(if node.flag(name, false)? { x.transpose(0, 1)? } else { x })
    };
    let (a, b) = (turned(0, "transA")?, turned(1, "transB")?);
    let (alpha, beta) = (node.real("alpha", 1.0)?, node.real("beta", 1.0)?);
    Ok(vec![match node.optional(2) {
        Some(c) => addmm(c.broadcast_to([a.shape()[0], b.shape()[1]]), a, b, beta, alpha)?,
        None => (matmul(a, b)? * alpha)?,
    }])
}

/// A scale for each place along an axis, or for blocks along it, as one that broadcasts.
fn along(node: &Node, x: &Tensor, scale: Tensor) -> Outcome<Tensor> {
    let axis = x.shape().axis(node.int("axis", 1)?.min(x.rank() as i64 - 1))?;
    let block = node.int("block_size", 0)? as usize;
    if scale.elements() == 1 {
        return Ok(scale);
    }
    if block > 0 {
        let (mut apart, mut whole) = (scale.shape().to_vec(), scale.shape().to_vec());
        apart.insert(axis + 1, block);
        whole[axis] *= block;
        return Ok(scale.unsqueeze(axis as i64 + 1)?.broadcast_to(apart)?.reshape(whole)?);
    }
    let mut shape = vec![1; x.rank()];
    shape[axis] = scale.elements();
    Ok(scale.reshape(shape)?)
}

fn quantized(node: &Node) -> Outcome {
    let (x, scale, zero) = (node.x(0)?, node.x(1)?, node.x(2)?);
    if zero.dtype() != DType::U8 {
        return Err(Stop::Skip("quantized numbers that are not bytes"));
    }
    let (scale, zero) = (along(node, &x, scale)?, along(node, &x, zero)?);
    Ok(vec![quantize(x, scale, zero)?.cast(DType::U8)?])
}

fn dequantized(node: &Node) -> Outcome {
    let (x, scale, zero) = (node.x(0)?, node.x(1)?, node.x(2)?);
    let (scale, zero) = (along(node, &x, scale)?, along(node, &x, zero)?);
    Ok(vec![dequantize(x, scale, zero)?])
}

/// In the dtype of the scales, and through f32.
fn quantized_product(node: &Node) -> Outcome {
    let wide = |place: usize| Outcome::Ok(node.x(place)?.cast(DType::F32)?);
    let a = dequantize(node.x(0)?, wide(1)?, node.x(2)?)?;
    let b = dequantize(node.x(3)?, wide(4)?, node.x(5)?)?;
    Ok(vec![quantize(matmul(a, b)?, wide(6)?, node.x(7)?)?.cast(DType::U8)?])
}

/// The scale maps the range of the input, widened so that it contains 0, to that of bytes.
#[tensor_op(tests = false)]
#[no_grad]
fn byte_scale(x: Tensor![n]) -> (Tensor![], IntTensor![]) {
    let low = minimum(min(x, n), 0.0);
    let scale = (maximum(max(x, n), 0.0) - low) / 255.0;
    (scale, cast(clamp(round(-low / scale), 0.0, 255.0), int))
}

fn dynamic(node: &Node) -> Outcome {
    let x = node.x(0)?;
    let (scale, zero) = byte_scale(x.reshape([-1])?)?;
    let y = quantize(&x, &scale, &zero)?.cast(DType::U8)?;
    Ok(vec![y, scale, zero.cast(DType::U8)?])
}

fn einsum(node: &Node) -> Outcome {
    Ok(vec![tensor_op::einsum(node.text("equation", "")?, &node.all()?)?])
}

pub(super) fn table() -> Vec<Entry> {
    vec![
        ("DequantizeLinear", dequantized),
        ("Det", |node| Ok(vec![tensor_op::linalg::det(node.x(0)?)?])),
        ("DynamicQuantizeLinear", dynamic),
        ("Einsum", einsum),
        ("Gemm", gemm),
        ("MatMul", |node| Ok(vec![product(&node.x(0)?, &node.x(1)?)?])),
        ("QLinearMatMul", quantized_product),
        ("QuantizeLinear", quantized),
    ]
}
