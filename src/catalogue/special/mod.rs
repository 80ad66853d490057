//! Special functions. Names and arguments are those of `torch.special`.
//!
//! ```
//! use tensor_op::prelude::*;
//!
//! # fn main() -> Result<()> {
//! let x = Tensor::from_vec(vec![0.0, 5.0], [2], &Device::default())?;
//! assert_eq!(x.erf()?.to_vec::<f64>()?[0], 0.0);
//! // The logarithm of 4!.
//! assert!((x.lgamma()?.to_vec::<f64>()?[1] - 24.0_f64.ln()).abs() < 1e-12);
//! # Ok(())
//! # }
//! ```
#![cfg_attr(doc, doc = include_str!("functions_first.html"))]

mod bessel;
mod gamma;
mod normal;

pub use bessel::*;
pub use gamma::*;
pub use normal::*;

use crate::tensor_op;

/// The error function. `torch.erf`.
#[tensor_op(method(inherent))]
pub fn erf(input: Tensor) -> Tensor {
    erf(input)
}

/// One minus the error function, exact for large numbers. `torch.erfc`.
#[tensor_op(method(inherent))]
pub fn erfc(input: Tensor) -> Tensor {
    erfc(input)
}

/// `sin(pi x) / (pi x)`, and 1 at 0. `torch.sinc`.
#[tensor_op(method(inherent))]
pub fn sinc(input: Tensor) -> Tensor {
    sinc(input)
}

/// The log-odds of a probability, which is first brought between `eps` and `1 - eps`. Without `eps`, or
/// with a negative one, it stays as it is, and what is no probability gives NaN. `torch.logit`.
///
/// ```
/// use tensor_op::prelude::*;
///
/// # fn main() -> Result<()> {
/// let x = Tensor::from_vec(vec![0.5, 2.0, -1.0], [3], &Device::default())?;
/// let odds = x.logit(None)?.to_vec::<f64>()?;
/// assert!(odds[0].abs() < 1e-15 && odds[1].is_nan() && odds[2].is_nan());
/// assert!((x.logit(0.25)?.to_vec::<f64>()?[1] - 3.0_f64.ln()).abs() < 1e-12);
/// # Ok(())
/// # }
/// ```
#[tensor_op(method(inherent))]
pub fn logit(input: Tensor, #[default(-1.0)] eps: f64) -> Tensor {
    let p = select(input < eps, eps, select(input > 1.0 - eps, 1.0 - eps, input));
    ln(p) - log1p(-p)
}

/// `x log(y)`, and 0 where `x` is 0. `torch.xlogy`.
#[tensor_op(method(inherent))]
pub fn xlogy(input: Tensor, other: Tensor) -> Tensor {
    let zero = (input == 0.0) & ((other <= 0.0) | (other == INFINITY));
    select(zero, 0.0, input * ln(select(zero, 1.0, other)))
}

/// `x log(1 + y)`, and 0 where `x` is 0. `torch.special.xlog1py`.
#[tensor_op(method(inherent))]
pub fn xlog1py(input: Tensor, other: Tensor) -> Tensor {
    let zero = (input == 0.0) & ((other <= -1.0) | (other == INFINITY));
    select(zero, 0.0, input * log1p(select(zero, 0.0, other)))
}

/// `-x log(x)`, the share of a probability in an entropy; minus infinity for negative numbers.
/// `torch.special.entr`.
#[tensor_op(method(inherent))]
#[grad(input = -grad * (1.0 + ln(input)))]
pub fn entr(input: Tensor) -> Tensor {
    let positive = input > 0.0;
    select(positive, -input * ln(input), select(input == 0.0, 0.0, select(is_nan(input), input, -INFINITY)))
}
