//! Layer norm and root-mean-square norm over the last axes.

use crate::{DType, Error, ErrorKind, IntoFloat, IntoOptionalTensor, IntoTensor, Result, Tensor, tensor_op};

/// Normalizes over the last axes, whose sizes are `normalized_shape`, and which `weight` and `bias` have too.
/// `torch.nn.functional.layer_norm`.
///
/// ```
/// use tensor_op::catalogue::norm::layer_norm;
/// use tensor_op::prelude::*;
///
/// # fn main() -> Result<()> {
/// let x = Tensor::from([[[1.0, 3.0], [3.0, 1.0]]]);
/// assert_eq!(layer_norm(&x, [2, 2], None, None, 0.0)?.to_vec::<f64>()?, [-1.0, 1.0, 1.0, -1.0]);
/// # Ok(())
/// # }
/// ```
///
/// # Errors
///
/// The tensor, `weight` or `bias` has other sizes there.
pub fn layer_norm(
    input: impl IntoTensor,
    normalized_shape: impl AsRef<[usize]>,
    weight: impl IntoOptionalTensor,
    bias: impl IntoOptionalTensor,
    eps: impl IntoFloat<Option<f64>>,
) -> Result<Tensor> {
    let found = native_layer_norm(input, normalized_shape, weight, bias, eps);
    found.map(|(y, ..)| y).map_err(|error| error.renamed("layer_norm"))
}

/// [`layer_norm`], the means, and one over the standard deviations, `1 / sqrt(var + eps)`. The statistics
/// have size 1 along the last axes, and no gradient. `torch.native_layer_norm`.
///
/// # Errors
///
/// Those of [`layer_norm`].
pub fn native_layer_norm(
    input: impl IntoTensor,
    normalized_shape: impl AsRef<[usize]>,
    weight: impl IntoOptionalTensor,
    bias: impl IntoOptionalTensor,
    eps: impl IntoFloat<Option<f64>>,
) -> Result<(Tensor, Tensor, Tensor)> {
    let (input, weight) = (input.into_tensor()?, weight.into_optional_tensor()?);
    let (bias, eps) = (bias.into_optional_tensor()?, eps.into_float());
    let run = || {
        let last = Last::new(&input, normalized_shape.as_ref())?;
        let (weight, bias) = (last.row("weight", weight)?, last.row("bias", bias)?);
        let (y, mean, scale) = layer_norm_of_rows(last.rows(&input)?, weight, bias, eps)?;
        let kept = [&input.shape()[..last.outer], &vec![1; last.sizes.len()]].concat();
        Ok((y.reshape(input.shape())?, mean.reshape(kept.clone())?, scale.reshape(kept)?))
    };
    run().map_err(|error: Error| error.renamed("native_layer_norm"))
}

/// Divides by the root of the mean square over the last axes, whose sizes are `normalized_shape`, and which
/// `weight` has too. The mean square is made larger by `eps`, by default the distance from 1 to the next
/// number of the dtype; for halves that of f32, in which they are computed. `torch.nn.functional.rms_norm`.
///
/// ```
/// use tensor_op::catalogue::norm::rms_norm;
/// use tensor_op::prelude::*;
///
/// # fn main() -> Result<()> {
/// let x = Tensor::from([[[2.0, 2.0], [2.0, -2.0]]]);
/// assert_eq!(rms_norm(&x, [2, 2], None, 0.0)?.to_vec::<f64>()?, [1.0, 1.0, 1.0, -1.0]);
/// # Ok(())
/// # }
/// ```
///
/// # Errors
///
/// The tensor or `weight` has other sizes there.
pub fn rms_norm(
    input: impl IntoTensor,
    normalized_shape: impl AsRef<[usize]>,
    weight: impl IntoOptionalTensor,
    eps: impl IntoFloat<Option<f64>>,
) -> Result<Tensor> {
    let (input, weight, eps) = (input.into_tensor()?, weight.into_optional_tensor()?, eps.into_float());
    let run = || {
        let last = Last::new(&input, normalized_shape.as_ref())?;
        let smallest = if input.dtype() == DType::F64 { f64::EPSILON } else { f64::from(f32::EPSILON) };
        let weight = last.row("weight", weight)?;
        rms_norm_of_rows(last.rows(&input)?, weight, eps.unwrap_or(smallest))?.reshape(input.shape())
    };
    run().map_err(|error| error.renamed("rms_norm"))
}

/// The last axes of a tensor, which count as one.
struct Last {
    sizes: Vec<usize>,
    /// How many axes there are before.
    outer: usize,
}

impl Last {
    fn new(input: &Tensor, sizes: &[usize]) -> Result<Last> {
        let shape = input.shape();
        let outer = shape.rank().checked_sub(sizes.len()).filter(|outer| shape[*outer..] == *sizes);
        let Some(outer) = outer.filter(|_| !sizes.is_empty()) else {
            let message =
                format!("is {sizes:?}, and `input` has shape {shape}: name the sizes of its last axes");
            return Err(Error::new(ErrorKind::Shape, message).with_arg("normalized_shape"));
        };
        Ok(Last { sizes: sizes.to_vec(), outer })
    }

    fn rows(&self, input: &Tensor) -> Result<Tensor> {
        if self.sizes.len() == 1 { Ok(input.clone()) } else { input.flatten(self.outer as i64, -1) }
    }

    fn row(&self, name: &str, tensor: Option<Tensor>) -> Result<Option<Tensor>> {
        let Some(tensor) = tensor else { return Ok(None) };
        if tensor.shape().to_vec() != self.sizes {
            let message = format!("has shape {}, and `normalized_shape` is {:?}", tensor.shape(), self.sizes);
            return Err(Error::new(ErrorKind::Shape, message).with_arg(name));
        }
        if self.sizes.len() == 1 { Ok(Some(tensor)) } else { tensor.flatten(0, -1).map(Some) }
    }
}

/// [`native_layer_norm`] over the last axis.
#[tensor_op]
pub fn layer_norm_of_rows(
    input: Tensor![.., n],
    weight: Option<Tensor![n]>,
    bias: Option<Tensor![n]>,
    #[default(1e-5)] eps: f64,
) -> (Tensor![.., n], Tensor![..], Tensor![..]) {
    let mu = mean(input, n);
    let centered = input - mu;
    let scale = rsqrt(mean(square(centered), n) + eps);
    (centered * scale * weight.unwrap_or(1.0) + bias.unwrap_or(0.0), stop_grad(mu), stop_grad(scale))
}

/// [`rms_norm`] over the last axis.
#[tensor_op]
pub fn rms_norm_of_rows(input: Tensor![.., n], weight: Option<Tensor![n]>, eps: f64) -> Tensor![.., n] {
    input * rsqrt(mean(square(input), n) + eps) * weight.unwrap_or(1.0)
}
