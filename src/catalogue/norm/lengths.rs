//! Tensors divided by their lengths.

use crate::catalogue::{math, reduce};
use crate::{Axes, Error, ErrorKind, IntoFloat, IntoTensor, Result, Tensor, tensor_op};

/// Divides by the norm of the order `p` along an axis, at least by `eps`. The order is 2 by default, and the
/// axis 1. `torch.nn.functional.normalize`.
///
/// ```
/// use tensor_op::catalogue::norm::normalize;
/// use tensor_op::prelude::*;
///
/// # fn main() -> Result<()> {
/// let x = Tensor::from([[1.0, -3.0]]);
/// assert_eq!(normalize(&x, 1, None, None)?.to_vec::<f64>()?, [0.25, -0.75]);
/// # Ok(())
/// # }
/// ```
///
/// # Errors
///
/// There is no such axis, or the tensor is not of floats.
pub fn normalize(
    input: impl IntoTensor,
    p: impl IntoFloat<Option<f64>>,
    dim: impl Into<Option<i64>>,
    eps: impl IntoFloat<Option<f64>>,
) -> Result<Tensor> {
    let (p, dim) = (p.into_float().unwrap_or(2.0), dim.into().unwrap_or(1));
    let (input, eps) = (input.into_tensor()?, eps.into_float().unwrap_or(1e-12));
    let run = || {
        if p == 2.0 {
            return normalize_l2(input, dim, eps);
        }
        let axis = input.shape().axis(dim)? as i64;
        let length = of_order(&input, p, Axes::of(&[axis]))?.unsqueeze(axis)?;
        input / math::clamp_min(length, eps)
    };
    run().map_err(|error| error.renamed("normalize"))
}

impl Tensor {
    /// [`catalogue::norm::normalize`](normalize) as a method.
    pub fn normalize(
        &self,
        p: impl IntoFloat<Option<f64>>,
        dim: impl Into<Option<i64>>,
        eps: impl IntoFloat<Option<f64>>,
    ) -> Result<Tensor> {
        self::normalize(self, p, dim, eps)
    }
}

/// The norm of vectors of any order: of order 0 it is the number of elements that are not 0.
pub(crate) fn of_order(x: &Tensor, p: f64, axes: Axes) -> Result<Tensor> {
    match p {
        0.0 => reduce::count_nonzero(x, axes)?.cast(x.dtype()),
        1.0 => reduce::sum(math::abs(x), axes),
        2.0 => reduce::norm(x, axes),
        f64::NEG_INFINITY => reduce::amin(math::abs(x), axes),
        p if p.is_nan() => {
            Err(Error::new(ErrorKind::Unsupported, "`p`: is NaN, which is no order of a norm"))
        }
        p => reduce::p_norm(x, p, axes),
    }
}

/// Divides by the Euclidean norm along an axis, at least by `eps`: [`normalize`] of order 2.
#[tensor_op]
pub fn normalize_l2(input: Tensor, #[default(1)] dim: Axis, #[default(1e-12)] eps: f64) -> Tensor {
    input / maximum(norm(input, dim), eps)
}

/// A weight as a direction `v` and lengths `g`: `v` by its norm over all axes but `dim`, times `g`, which has
/// size 1 along the others. The axis is 0 by default. `torch._weight_norm`, which
/// `torch.nn.utils.parametrizations.weight_norm` calls.
///
/// ```
/// use tensor_op::catalogue::norm::weight_norm;
/// use tensor_op::prelude::*;
///
/// # fn main() -> Result<()> {
/// let (v, g) = (Tensor::from([[3.0, 4.0], [0.0, 2.0]]), Tensor::from([[10.0], [1.0]]));
/// assert_eq!(weight_norm(&v, &g, None)?.to_vec::<f64>()?, [6.0, 8.0, 0.0, 1.0]);
/// # Ok(())
/// # }
/// ```
///
/// Source: Salimans and Kingma, Weight Normalization, 2016.
///
/// # Errors
///
/// There is no such axis, or `g` has another shape.
pub fn weight_norm(v: impl IntoTensor, g: impl IntoTensor, dim: impl Into<Option<i64>>) -> Result<Tensor> {
    let (v, g, dim) = (v.into_tensor()?, g.into_tensor()?, dim.into().unwrap_or(0));
    let run = || {
        let (shape, axis) = (v.shape(), v.shape().axis(dim)?);
        let lengths: Vec<usize> =
            (0..shape.rank()).map(|other| if other == axis { shape[other] } else { 1 }).collect();
        if g.shape().to_vec() != lengths {
            let message = format!("has shape {}, and one of {lengths:?} is wanted", g.shape());
            return Err(Error::new(ErrorKind::Shape, message).with_arg("g"));
        }
        let outer: usize = shape[..axis].iter().product();
        let sizes = [outer, shape[axis], shape[axis + 1..].iter().product()];
        weight_norm_between(v.reshape(sizes)?, g.reshape([shape[axis]])?)?.reshape(shape)
    };
    run().map_err(|error| error.renamed("weight_norm"))
}

/// [`weight_norm`] of the axis between two others.
#[tensor_op]
pub fn weight_norm_between(v: Tensor![a, o, i], g: Tensor![o]) -> Tensor![a, o, i] {
    v * (g / norm(v, (a, i)))
}
