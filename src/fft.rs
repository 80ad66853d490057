//! Fourier transforms along one axis, by [rustfft](https://docs.rs/rustfft). Names and arguments are PyTorch's.
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

use crate::catalogue::movement::roll;
use crate::host::{check_float, on_host};
use crate::{Arrived, DType, Device, Error, ErrorKind, Function, IntoTensor, Result, Tensor, apply};
use rustfft::FftPlanner;
use rustfft::num_complex::Complex;

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
/// `x` is `[.., m, ..]`, and `dim` is the axis of size `m`. `x` is cut to `n` or gets zeros at the end; `None`
/// is `m`. The result has `n / 2 + 1` in place of `m`, and the axis of the pairs at the end.
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

/// The frequencies of [`fft`] of `n` numbers at distances of `d`: first those from 0 up, then the negative
/// ones. `torch.fft.fftfreq`.
///
/// ```
/// use tensor_op::fft::fftfreq;
/// use tensor_op::prelude::*;
///
/// # fn main() -> Result<()> {
/// let found = fftfreq(4, 0.5, DType::F64, &Device::default())?;
/// assert_eq!(found.to_vec::<f64>()?, [0.0, 0.5, -1.0, -0.5]);
/// # Ok(())
/// # }
/// ```
///
/// # Errors
///
/// A dtype that is no float, or one that the device does not have.
pub fn fftfreq(n: usize, d: f64, dtype: DType, device: &Device) -> Result<Tensor> {
    let place = |i: usize| if i < n.div_ceil(2) { i as f64 } else { i as f64 - n as f64 };
    frequencies("fftfreq", (0..n).map(place), n, d, dtype, device)
}

/// The frequencies of [`rfft`] of `n` numbers at distances of `d`. `torch.fft.rfftfreq`.
///
/// ```
/// use tensor_op::fft::rfftfreq;
/// use tensor_op::prelude::*;
///
/// # fn main() -> Result<()> {
/// assert_eq!(rfftfreq(4, 0.5, DType::F64, &Device::default())?.to_vec::<f64>()?, [0.0, 0.5, 1.0]);
/// # Ok(())
/// # }
/// ```
///
/// # Errors
///
/// A dtype that is no float, or one that the device does not have.
pub fn rfftfreq(n: usize, d: f64, dtype: DType, device: &Device) -> Result<Tensor> {
    frequencies("rfftfreq", (0..n / 2 + 1).map(|i| i as f64), n, d, dtype, device)
}

fn frequencies(
    op: &str,
    places: impl Iterator<Item = f64>,
    n: usize,
    d: f64,
    dtype: DType,
    device: &Device,
) -> Result<Tensor> {
    check_float("dtype", &Tensor::zeros([0], dtype, &Device::default())?)
        .map_err(|error| error.with_op(op))?;
    let found: Vec<f64> = places.map(|place| place / (n as f64 * d)).collect();
    let count = found.len();
    Tensor::from_vec(found, [count], &Device::default())?.cast(dtype)?.to(device)
}

/// Moves frequency 0 to the middle of an axis. `torch.fft.fftshift`. A complex tensor's axis of pairs counts
/// here.
///
/// ```
/// use tensor_op::fft::{fftshift, ifftshift};
/// use tensor_op::prelude::*;
///
/// # fn main() -> Result<()> {
/// let shifted = fftshift(Tensor::from([0.0, 1.0, -1.0]), -1)?;
/// assert_eq!(shifted.to_vec::<f64>()?, [-1.0, 0.0, 1.0]);
/// assert_eq!(ifftshift(shifted, -1)?.to_vec::<f64>()?, [0.0, 1.0, -1.0]);
/// # Ok(())
/// # }
/// ```
///
/// # Errors
///
/// An axis out of range.
pub fn fftshift(x: impl IntoTensor, dim: i64) -> Result<Tensor> {
    let x = x.into_tensor()?;
    let size = x.shape()[x.shape().axis(dim).map_err(|error| error.with_op("fftshift"))?];
    roll(x, (size / 2) as i64, dim)
}

/// The inverse of [`fftshift`], which has an example. `torch.fft.ifftshift`.
///
/// # Errors
///
/// An axis out of range.
pub fn ifftshift(x: impl IntoTensor, dim: i64) -> Result<Tensor> {
    let x = x.into_tensor()?;
    let size = x.shape()[x.shape().axis(dim).map_err(|error| error.with_op("ifftshift"))?];
    roll(x, -((size / 2) as i64), dim)
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

fn one(function: impl Function<Tensor>, x: Tensor) -> Result<Tensor> {
    Ok(apply(function, &[x])?.remove(0))
}

/// Transforms each row of complex numbers, of which there are `count` in a row of the result.
fn rows(
    shape: Vec<usize>,
    like: &Tensor,
    mut numbers: Vec<Complex<f64>>,
    length: usize,
    is_inverse: bool,
    element: impl Fn(&[Complex<f64>], &mut Vec<f64>),
) -> Result<Tensor> {
    let mut planner = FftPlanner::new();
    let plan = if is_inverse { planner.plan_fft_inverse(length) } else { planner.plan_fft_forward(length) };
    plan.process(&mut numbers);
    let mut found = Vec::with_capacity(shape.iter().product());
    numbers.chunks(length).for_each(|row| element(row, &mut found));
    Tensor::from_vec(found, shape, &like.device())?.cast(like.dtype())
}

fn pairs(x: &Tensor) -> Result<Vec<Complex<f64>>> {
    Ok(x.to_vec::<f64>()?.chunks(2).map(|pair| Complex::new(pair[0], pair[1])).collect())
}

/// From complex numbers to complex numbers, along the axis before the pairs.
#[derive(Clone, Copy)]
struct Complete {
    is_inverse: bool,
    scale: f64,
}

impl Function<Tensor> for Complete {
    fn name(&self) -> &str {
        if self.is_inverse { "ifft" } else { "fft" }
    }

    fn forward(&self, inputs: &[Tensor]) -> Result<Vec<Tensor>> {
        let (x, shape) = (&inputs[0], inputs[0].shape().to_vec());
        let length = shape[shape.len() - 2];
        let y = rows(shape, x, pairs(x)?, length, self.is_inverse, |row, found| {
            found.extend(row.iter().flat_map(|y| [y.re * self.scale, y.im * self.scale]));
        })?;
        Ok(vec![y])
    }

    fn backward(&self, call: &Arrived<'_, Tensor>) -> Result<Vec<Option<Tensor>>> {
        let adjoint = Complete { is_inverse: !self.is_inverse, ..*self };
        Ok(vec![call.gradients[0].clone().map(|gradient| one(adjoint, gradient)).transpose()?])
    }
}

/// From real numbers, along the last axis, to the first half of their transform.
struct Half {
    scale: f64,
}

impl Function<Tensor> for Half {
    fn name(&self) -> &str {
        "rfft"
    }

    fn forward(&self, inputs: &[Tensor]) -> Result<Vec<Tensor>> {
        let (x, mut shape) = (&inputs[0], inputs[0].shape().to_vec());
        let Some(last) = shape.last_mut() else { unreachable!("the tensor has the axis of the transform") };
        let length = std::mem::replace(last, *last / 2 + 1);
        shape.push(2);
        let numbers = x.to_vec::<f64>()?.into_iter().map(Complex::from).collect();
        let y = rows(shape, x, numbers, length, false, |row, found| {
            let half = row[..length / 2 + 1].iter();
            found.extend(half.flat_map(|y| [y.re * self.scale, y.im * self.scale]));
        })?;
        Ok(vec![y])
    }

    fn backward(&self, call: &Arrived<'_, Tensor>) -> Result<Vec<Option<Tensor>>> {
        let Some(gradient) = &call.gradients[0] else { return Ok(vec![None]) };
        let shape = call.inputs[0].shape();
        let length = shape[shape.rank() - 1];
        let shared = (gradient / weights(length, gradient)?)?;
        Ok(vec![Some(one(Whole { scale: self.scale, length }, shared)?)])
    }
}

/// From the first half of a transform, along the axis before the pairs, to real numbers.
struct Whole {
    scale: f64,
    length: usize,
}

impl Function<Tensor> for Whole {
    fn name(&self) -> &str {
        "irfft"
    }

    fn forward(&self, inputs: &[Tensor]) -> Result<Vec<Tensor>> {
        let (x, length) = (&inputs[0], self.length);
        let half = pairs(x)?;
        let mut numbers = Vec::new();
        for row in half.chunks(length / 2 + 1) {
            let number = |i: usize| match i {
                0 => Complex::from(row[0].re),
                _ if 2 * i == length => Complex::from(row[i].re),
                _ if 2 * i < length => row[i],
                _ => row[length - i].conj(),
            };
            numbers.extend((0..length).map(number));
        }
        let shape = x.shape();
        let shape = [&shape[..shape.rank() - 2], &[length]].concat();
        let y = rows(shape, x, numbers, length, true, |row, found| {
            found.extend(row.iter().map(|y| y.re * self.scale));
        })?;
        Ok(vec![y])
    }

    fn backward(&self, call: &Arrived<'_, Tensor>) -> Result<Vec<Option<Tensor>>> {
        let Some(gradient) = &call.gradients[0] else { return Ok(vec![None]) };
        let half = one(Half { scale: self.scale }, gradient.clone())?;
        Ok(vec![Some((&half * weights(self.length, &half)?)?)])
    }
}

/// How often each number of the first half counts in the whole: `[n / 2 + 1, 1]`.
fn weights(length: usize, like: &Tensor) -> Result<Tensor> {
    let count = length / 2 + 1;
    let weight = |i: usize| if i == 0 || 2 * i == length { 1.0 } else { 2.0 };
    let weights: Vec<f64> = (0..count).map(weight).collect();
    Tensor::from_vec(weights, [count, 1], &like.device())?.cast(like.dtype())
}
