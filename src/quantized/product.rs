//! Products of floats with quantized weights.

use super::params::{error, with};
use super::tensor::QTensor;
use crate::catalogue::quantize::{linear_packed, linear_row_packed};
use crate::{ErrorKind, IntoOptionalTensor, IntoTensor, Result, Tensor};

/// Elements of a weight that are floats at a time.
const TILE: usize = 1 << 22;

/// A linear layer whose weight, `[out, in]`, is quantized: the rows of `x`, times the transposed weight, plus
/// the bias. `torch.nn.functional.linear`. A matrix `[in, out]` is transposed before it is quantized.
///
/// The gradient flows to `x` and to the bias. The weight has none.
///
/// The words are turned into floats inside of the op, forward and backward, and nothing but the words, scales
/// and zero points is kept for the gradient. If `x` is one row, no float of the weight is stored: the kernel
/// reads the words. If it has more rows, a product of matrices reads floats in the dtype of the arithmetic: a
/// part of the weight of 4 million elements is stored as floats at a time.
///
/// ```
/// use tensor_op::prelude::*;
/// use tensor_op::quantized::{self, QuantScheme};
///
/// # fn main() -> Result<()> {
/// let weight = Tensor::from([[1.0, -0.5], [0.25, 2.0], [0.0, 1.0]]);
/// let packed = weight.quantize(&QuantScheme::int8().per_channel(0))?;
/// let x = Tensor::from([[1.0, 2.0], [3.0, -1.0]]).require_grad();
/// let y = quantized::linear(&x, &packed, None)?;
/// let error = (&y - x.linear(&weight, None)?)?.abs()?.amax(..)?.item::<f64>()?;
/// assert!(error < 0.02);
/// assert_eq!(y.sum(..)?.backward()?[&x].shape(), x.shape());
/// # Ok(())
/// # }
/// ```
///
/// # Errors
///
/// The weight has not two axes, or the shapes, dtypes or devices don't fit.
pub fn linear(x: impl IntoTensor, weight: &QTensor, bias: impl IntoOptionalTensor) -> Result<Tensor> {
    let (x, bias) = (x.into_tensor()?, bias.into_optional_tensor()?);
    with("linear", || {
        let [rows, columns] = sizes(weight)?;
        check_x(&x, weight, columns)?;
        let mut shape = x.shape();
        shape[x.rank() - 1] = rows;
        let y = product(&x, weight, [rows, columns])?.reshape(shape)?;
        let Some(bias) = bias else { return Ok(y) };
        if bias.shape()[..] != [rows] {
            let message = format!("has shape {}, and the weight has {rows} rows", bias.shape());
            return Err(error(ErrorKind::Shape, message).with_arg("bias"));
        }
        y + bias
    })
}

fn sizes(weight: &QTensor) -> Result<[usize; 2]> {
    let shape = weight.shape();
    <[usize; 2]>::try_from(&shape[..]).map_err(|_| {
        let message = format!("has shape {shape}, and a layer takes two axes, [out, in]");
        error(ErrorKind::Rank, message).with_arg("weight")
    })
}

fn check_x(x: &Tensor, weight: &QTensor, columns: usize) -> Result<()> {
    let (kind, message) = if x.shape().last() != Some(&columns) {
        let message = format!("has shape {}, and the rows of the weight have {columns} elements", x.shape());
        (ErrorKind::Shape, message)
    } else if x.dtype() != weight.dtype() {
        let message =
            format!("is {}, and the weight goes back to {}; cast one of them", x.dtype(), weight.dtype());
        (ErrorKind::DType, message)
    } else {
        return Ok(());
    };
    Err(error(kind, message).with_arg("x"))
}

fn product(x: &Tensor, weight: &QTensor, [rows, columns]: [usize; 2]) -> Result<Tensor> {
    let layout = weight.layout()?;
    let words = weight.values().reshape(layout.words())?;
    let (scale, zero_point) = weight.spread(&layout)?;
    if x.shape()[..x.rank() - 1].iter().product::<usize>() == 1 {
        return linear_row_packed(layout.split(&x.flatten(0, -1)?)?, words, scale, zero_point);
    }
    let (x, tile) = (layout.split(x)?, (TILE / columns.max(1)).max(1));
    if rows <= tile {
        return linear_packed(x, words, scale, zero_point);
    }
    let part = |start: usize| {
        let of = |tensor: &Tensor| tensor.slice(0, start as i64..rows.min(start + tile) as i64);
        linear_packed(&x, of(&words), of(&scale), zero_point.as_ref().map(of).transpose()?)
    };
    let parts: Vec<Tensor> = (0..rows).step_by(tile).map(part).collect::<Result<_>>()?;
    Tensor::cat(&parts, -1)
}
