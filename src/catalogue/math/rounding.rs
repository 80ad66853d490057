//! Rounding.

use crate::{IntoTensor, Result, Tensor, tensor_op};

/// The next whole number that is not larger. Its gradient is 0. `torch.floor`.
#[tensor_op(method(inherent))]
pub fn floor(input: Tensor) -> Tensor {
    floor(stop_grad(input))
}

/// The next whole number that is not smaller. Its gradient is 0. `torch.ceil`.
#[tensor_op(method(inherent))]
pub fn ceil(input: Tensor) -> Tensor {
    ceil(stop_grad(input))
}

/// The nearest whole number; of two the even one. Its gradient is 0. `torch.round`.
#[tensor_op(method(inherent))]
pub fn round(input: Tensor) -> Tensor {
    round(stop_grad(input))
}

/// Rounds to so many digits behind the point, or with a negative number to tens, hundreds and so on. A half
/// goes to the even digit, as in [`round`]. `torch.round(decimals=..)`; the gradient is 0.
///
/// ```
/// use tensor_op::catalogue::math::round_decimals;
/// use tensor_op::prelude::*;
///
/// # fn main() -> Result<()> {
/// let x = Tensor::from([1.2345, 150.0]);
/// assert_eq!(round_decimals(&x, 2)?.to_vec::<f64>()?, [1.23, 150.0]);
/// assert_eq!(round_decimals(&x, -2)?.to_vec::<f64>()?, [0.0, 200.0]);
/// # Ok(())
/// # }
/// ```
///
/// # Errors
///
/// The tensor is not of floats.
pub fn round_decimals(input: impl IntoTensor, decimals: i32) -> Result<Tensor> {
    round_by(input, 10.0_f64.powi(decimals.saturating_abs()), decimals < 0)
        .map_err(|error| error.renamed("round_decimals"))
}

impl Tensor {
    /// [`catalogue::math::round_decimals`](round_decimals) as a method.
    pub fn round_decimals(&self, decimals: i32) -> Result<Tensor> {
        self::round_decimals(self, decimals)
    }
}

/// Rounds to multiples of `1 / scale`, or of `scale` if they are `coarse`.
#[tensor_op]
pub fn round_by(input: Tensor, scale: f64, coarse: bool) -> Tensor {
    let fixed = stop_grad(input);
    if coarse { round(fixed / scale) * scale } else { round(fixed * scale) / scale }
}

/// The whole number next to it towards 0. Its gradient is 0. `torch.trunc`.
#[tensor_op(method(inherent))]
pub fn trunc(input: Tensor) -> Tensor {
    trunc(stop_grad(input))
}

/// What remains after the whole number towards 0. `torch.frac`.
#[tensor_op(method(inherent))]
pub fn frac(input: Tensor) -> Tensor {
    input - stop_grad(trunc(input))
}
