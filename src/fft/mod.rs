//! Fourier transforms along one axis, by [rustfft](https://docs.rs/rustfft). Names and arguments are
//! PyTorch's.
//!
//! A complex tensor is a tensor of floats with one more axis: the last one has the real and the imaginary
//! part, as `torch.view_as_real` gives it. That axis does not count for `dim`: -1 is the axis before it. Any
//! length works, in f32 and f64. All is computed in f64 on one thread, and rounded to the dtype at the end.
//! The gradients are the adjoint transforms, so they can be differentiated again.
//!
//! On GPUs, rows of f32 whose length is a power of two up to 2^20 are transformed there, by
//! [cubek](https://docs.rs/cubek-fft). It computes in f32, with the sines of the device. These functions run
//! on the CPU otherwise. Other lengths and dtypes on a GPU are an error that says so; inside of
//! [`through_host`](crate::through_host) they go to the CPU, and the results come back.
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
#[cfg(feature = "gpu")]
mod gpu;
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
    let plan = |x: &Tensor| {
        check_float("x", x)?;
        let axis = x.shape().axis(dim).map_err(|error| error.with_arg("dim"))?;
        Ok((axis, length(n.unwrap_or(x.shape()[axis]))?))
    };
    run("rfft", x.into_tensor()?, plan, |x, axis, length| {
        let rows = fitted(x, axis, length)?.transpose(axis as i64, -1)?;
        one(Half { scale: norm.scale(false, length) }, rows)?.transpose(axis as i64, -2)
    })
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
    let plan = |x: &Tensor| {
        let axis = pairs_axis(x, dim)?;
        Ok((axis, length(n.unwrap_or((2 * x.shape()[axis]).saturating_sub(2)))?))
    };
    run("irfft", x.into_tensor()?, plan, |x, axis, length| {
        let rows = fitted(x, axis, length / 2 + 1)?.transpose(axis as i64, -2)?;
        one(Whole { scale: norm.scale(true, length), length }, rows)?.transpose(axis as i64, -1)
    })
}

fn complex(op: &str, x: Tensor, n: Option<usize>, dim: i64, norm: Norm, is_inverse: bool) -> Result<Tensor> {
    let plan = |x: &Tensor| {
        let axis = pairs_axis(x, dim)?;
        Ok((axis, length(n.unwrap_or(x.shape()[axis]))?))
    };
    run(op, x, plan, |x, axis, length| {
        let rows = fitted(x, axis, length)?.transpose(axis as i64, -2)?;
        one(Complete { is_inverse, scale: norm.scale(is_inverse, length) }, rows)?.transpose(axis as i64, -2)
    })
}

/// Runs a transform along the axis and with the length that `plan` finds: where the tensor is, if its device
/// has it, or else on the CPU.
fn run(
    op: &str,
    x: Tensor,
    plan: impl FnOnce(&Tensor) -> Result<(usize, usize)>,
    transform: impl FnOnce(&Tensor, usize, usize) -> Result<Tensor>,
) -> Result<Tensor> {
    let (axis, length) = plan(&x).map_err(|error| error.with_op(op))?;
    #[cfg(feature = "gpu")]
    if gpu::serves(&x, length) {
        return transform(&x, axis, length).map_err(|error| error.with_op(op));
    }
    let [y] = on_host(op, [x], |[x]| Ok([transform(x, axis, length)?]))?;
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
