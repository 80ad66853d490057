//! Fake quantization: floats stay floats, rounded as a quantized tensor would have them.

use super::layout::Layout;
use super::params::{check, found, with};
use super::scheme::QuantScheme;
use crate::catalogue::quantize::fake_quantize;
use crate::{IntoOptionalTensor, IntoTensor, Result, Tensor};

impl Tensor {
    /// The tensor as it comes back from [`quantize`](Tensor::quantize) and
    /// [`dequantize`](crate::quantized::QTensor::dequantize), for training that shall know of the rounding.
    /// The gradient passes straight through, except where rounding leads out of the range of the ints: in an
    /// affine scheme this may be the largest or the smallest element. Scales are found from the elements,
    /// without a gradient.
    ///
    /// ```
    /// use tensor_op::prelude::*;
    /// use tensor_op::quantized::QuantScheme;
    ///
    /// # fn main() -> Result<()> {
    /// let x = Tensor::from([7.0, 0.3, -2.6]).require_grad();
    /// let y = x.fake_quantize(&QuantScheme::int4())?;
    /// assert_eq!(y.to_vec::<f64>()?, [7.0, 0.0, -3.0]);
    /// assert_eq!(y.sum(..)?.backward()?[&x].to_vec::<f64>()?, [1.0, 1.0, 1.0]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// Those of [`quantize`](Tensor::quantize).
    pub fn fake_quantize(&self, scheme: &QuantScheme) -> Result<Tensor> {
        with("fake_quantize", || {
            let layout = Layout::new(&self.shape(), scheme.level, 1)?;
            let (scale, zero_point) = found(&self.detach(), scheme, &layout)?;
            faked(self, scheme, &layout, &scale, &zero_point)
        })
    }

    /// Does the same with given scales and zero points, as [`quantize_with`](Tensor::quantize_with) takes
    /// them. The gradient is 0 where an element is outside of the range of the ints. NaN stays.
    /// `torch.fake_quantize_per_tensor_affine`, `torch.fake_quantize_per_channel_affine`.
    ///
    /// # Errors
    ///
    /// Those of [`quantize_with`](Tensor::quantize_with).
    pub fn fake_quantize_with(
        &self,
        scheme: &QuantScheme,
        scale: impl IntoTensor,
        zero_point: impl IntoOptionalTensor,
    ) -> Result<Tensor> {
        let (scale, zero_point) = (scale.into_tensor()?, zero_point.into_optional_tensor()?);
        with("fake_quantize_with", || {
            let layout = Layout::new(&self.shape(), scheme.level, 1)?;
            check(scheme, &layout, self.dtype(), &scale, &zero_point)?;
            faked(self, scheme, &layout, &scale, &zero_point)
        })
    }
}

fn faked(
    x: &Tensor,
    scheme: &QuantScheme,
    layout: &Layout,
    scale: &Tensor,
    zero_point: &Option<Tensor>,
) -> Result<Tensor> {
    let (low, high) = scheme.range();
    let zeros = zero_point.as_ref().map(|zero_point| layout.spread(zero_point)).transpose()?;
    layout.join(&fake_quantize(layout.split(x)?, layout.spread(scale)?, zeros, low, high)?)
}
