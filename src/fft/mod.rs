//! Fourier transforms along one axis, by [rustfft](https://docs.rs/rustfft). Names and arguments are
//! PyTorch's.
//!
//! A complex tensor is a tensor of floats with one more axis: the last one has the real and the imaginary
//! part, as `torch.view_as_real` gives it. That axis does not count for `dim`: -1 is the axis before it. Any
//! length works, in f32 and f64. All is computed in f64 on one thread, and rounded to the dtype at the end.
//! The gradients are the adjoint transforms, so they can be differentiated again.
//!
//! These functions run on the CPU. Tensors of other devices are an error that says so; inside of
//! [`through_host`](crate::through_host) they go to the CPU, and the results come back. The Fourier transform
//! of CubeCL is not used.
//!
//! ```
//! use tensor_op::fft;
//! use tensor_op::prelude::*;
//!
//! # fn main() -> Result<()> {
//! let x = Tensor::from([1.0, 2.0, 3.0]);
//! let spectrum = fft::rfft(&x, None, -1, fft::Norm::Backward)?;
//! assert_eq!(spectrum.shape().to_vec(), [2, 2]);
//! let same = fft::irfft(spectrum, Some(3), -1, fft::Norm::Backward)?.to_vec::<f64>()?;
//! assert!(same.iter().zip([1.0, 2.0, 3.0]).all(|(found, x)| (found - x).abs() < 1e-12));
//! # Ok(())
//! # }
//! ```

mod frequencies;
mod transform;

pub use frequencies::{fftfreq, fftshift, ifftshift, rfftfreq};

use crate::host::{check_float, on_host};
use crate::{Error, ErrorKind, IntoTensor, Result, Tensor};
use transform::{Complete, Half, Whole, one};

/// By what a transform of length `n` divides.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Norm {
    /// An inverse transform divides by `n`: `"backward"`, the default of PyTorch.
    #[default]
    Backward,
    /// Each transform divides by the square root of `n`: `"ortho"`.
    Ortho,
    /// A transform that is no inverse divides by `n`: `"forward"`.
    Forward,
}

impl Norm {
    /// The factor of a transform of this length.
    fn scale(self, is_inverse: bool, length: usize) -> f64 {
        match (self, is_inverse) {
            (Norm::Ortho, _) => 1.0 / (length as f64).sqrt(),
            (Norm::Backward, true) | (Norm::Forward, false) => 1.0 / length as f64,
            (Norm::Backward, false) | (Norm::Forward, true) => 1.0,
        }
    }
}

/// The Fourier transform of complex numbers. `torch.fft.fft`.
///
/// `x` is `[.., m, .., 2]`, and `dim` is the axis of size `m`. The result has `n` there; `x` is cut to `n` or
/// gets zeros at the end. `None` is `m`. For real numbers there is [`rfft`].
///
/// ```
/// use tensor_op::fft::{Norm, fft};
/// use tensor_op::prelude::*;
///
/// # fn main() -> Result<()> {
/// let y = fft(Tensor::from([[1.0, 0.0], [0.0, 1.0]]), None, -1, Norm::Backward)?;
/// assert_eq!(y.to_vec::<f64>()?, [1.0, 1.0, 1.0, -1.0]);
/// # Ok(())
/// # }
/// ```
///
/// # Errors
///
/// A length of 0, a last axis of another size than 2, an axis out of range, or a dtype other than f32 and
/// f64.
pub fn fft(x: impl IntoTensor, n: Option<usize>, dim: i64, norm: Norm) -> Result<Tensor> {
    complex("fft", x.into_tensor()?, n, dim, norm, false)
}

/// The inverse of [`fft`]. `torch.fft.ifft`.
///
/// ```
/// use tensor_op::fft::{Norm, ifft};
/// use tensor_op::prelude::*;
///
/// # fn main() -> Result<()> {
/// let y = ifft(Tensor::from([[1.0, 1.0], [1.0, -1.0]]), None, -1, Norm::Backward)?;
/// assert_eq!(y.to_vec::<f64>()?, [1.0, 0.0, 0.0, 1.0]);
/// # Ok(())
/// # }
/// ```
///
/// # Errors
///
/// Those of [`fft`].
pub fn ifft(x: impl IntoTensor, n: Option<usize>, dim: i64, norm: Norm) -> Result<Tensor> {
    complex("ifft", x.into_tensor()?, n, dim, norm, true)
}

/// The first half of the Fourier transform of real numbers; the other half is its conjugate.
/// `torch.fft.rfft`.
///
/// `x` is `[.., m, ..]`, and `dim` is the axis of size `m`. `x` is cut to `n` or gets zeros at the end;
/// `None` is `m`. The result has `n / 2 + 1` in place of `m`, and the axis of the pairs at the end.
///
/// ```
/// use tensor_op::fft::{Norm, rfft};
/// use tensor_op::prelude::*;
///
/// # fn main() -> Result<()> {
/// let y = rfft(Tensor::from([1.0, 2.0]), None, -1, Norm::Backward)?;
/// assert_eq!(y.to_vec::<f64>()?, [3.0, 0.0, -1.0, 0.0]);
/// # Ok(())
/// # }
/// ```
///
/// # Errors
///
/// A length of 0, an axis out of range, or a dtype other than f32 and f64.
pub fn rfft(x: impl IntoTensor, n: Option<usize>, dim: i64, norm: Norm) -> Result<Tensor> {
    let [y] = on_host("rfft", [x.into_tensor()?], |[x]| {
        check_float("x", x)?;
        let axis = x.shape().axis(dim).map_err(|error| error.with_arg("dim"))?;
        let length = length(n.unwrap_or(x.shape()[axis]))?;
        let rows = fitted(x, axis, length)?.transpose(axis as i64, -1)?;
        let y = one(Half { scale: norm.scale(false, length) }, rows)?;
        Ok([y.transpose(axis as i64, -2)?])
    })?;
    Ok(y)
}

/// The inverse of [`rfft`]: real numbers from the first half of their transform. `torch.fft.irfft`.
///
/// `x` is `[.., m, .., 2]`, and `dim` is the axis of size `m`. The result has `n` there and no axis of pairs;
/// `None` is `2 (m - 1)`. `x` is cut to `n / 2 + 1` or gets zeros at the end. The imaginary part of the first
/// number, and of the one at `n / 2` if `n` is even, does not count.
///
/// ```
/// use tensor_op::fft::{Norm, irfft};
/// use tensor_op::prelude::*;
///
/// # fn main() -> Result<()> {
/// let y = irfft(Tensor::from([[3.0, 0.0], [-1.0, 0.0]]), None, -1, Norm::Backward)?;
/// assert_eq!(y.to_vec::<f64>()?, [1.0, 2.0]);
/// # Ok(())
/// # }
/// ```
///
/// # Errors
///
/// Those of [`fft`].
pub fn irfft(x: impl IntoTensor, n: Option<usize>, dim: i64, norm: Norm) -> Result<Tensor> {
    let [y] = on_host("irfft", [x.into_tensor()?], |[x]| {
        let axis = pairs_axis(x, dim)?;
        let length = length(n.unwrap_or((2 * x.shape()[axis]).saturating_sub(2)))?;
        let rows = fitted(x, axis, length / 2 + 1)?.transpose(axis as i64, -2)?;
        let y = one(Whole { scale: norm.scale(true, length), length }, rows)?;
        Ok([y.transpose(axis as i64, -1)?])
    })?;
    Ok(y)
}

fn complex(op: &str, x: Tensor, n: Option<usize>, dim: i64, norm: Norm, is_inverse: bool) -> Result<Tensor> {
    let [y] = on_host(op, [x], |[x]| {
        let axis = pairs_axis(x, dim)?;
        let length = length(n.unwrap_or(x.shape()[axis]))?;
        let rows = fitted(x, axis, length)?.transpose(axis as i64, -2)?;
        let y = one(Complete { is_inverse, scale: norm.scale(is_inverse, length) }, rows)?;
        Ok([y.transpose(axis as i64, -2)?])
    })?;
    Ok(y)
}

/// The axis of a complex tensor.
fn pairs_axis(x: &Tensor, dim: i64) -> Result<usize> {
    check_float("x", x)?;
    let shape = x.shape();
    let Some((2, axes)) = shape.split_last().map(|(last, axes)| (*last, axes)) else {
        let message = format!(
            "has shape {shape}, and the last axis of complex numbers has size 2: the real and the imaginary part; `rfft` takes real numbers"
        );
        return Err(Error::new(ErrorKind::Shape, message).with_arg("x"));
    };
    axes.iter().copied().collect::<crate::Shape>().axis(dim).map_err(|error| error.with_arg("dim"))
}

fn length(n: usize) -> Result<usize> {
    if n > 0 {
        return Ok(n);
    }
    let message = "a transform of length 0 has no value; the axis needs an element, or `n` must be 1 or more";
    Err(Error::new(ErrorKind::Empty, message).with_arg("n"))
}

/// The tensor with this size of an axis: cut, or with zeros at the end.
fn fitted(x: &Tensor, axis: usize, size: usize) -> Result<Tensor> {
    let mut shape = x.shape();
    let own = shape[axis];
    if size <= own {
        return x.slice(axis as i64, ..size as i64);
    }
    shape[axis] = size - own;
    shape.elements()?;
    Tensor::cat(&[x, &Tensor::zeros(shape, x.dtype(), &x.device())?], axis as i64)
}
