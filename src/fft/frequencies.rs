//! Where the frequencies of a transform are.

use crate::catalogue::movement::roll;
use crate::host::check_float;
use crate::{DType, Device, IntoTensor, Result, Tensor};
use tensor_op_core::memory;

/// The frequencies of [`fft`](super::fft()) of `n` numbers at distances of `d`: first those from 0 up, then
/// the negative ones. `torch.fft.fftfreq`.
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
/// A dtype other than f32 and f64, more elements than there is memory, or a failure of the device.
pub fn fftfreq(n: usize, d: f64, dtype: DType, device: &Device) -> Result<Tensor> {
    let place = |i: usize| if i < n.div_ceil(2) { i as f64 } else { i as f64 - n as f64 };
    frequencies("fftfreq", (0..n).map(place), [n, n], d, dtype, device)
}

/// The frequencies of [`rfft`](super::rfft) of `n` numbers at distances of `d`. `torch.fft.rfftfreq`.
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
/// A dtype other than f32 and f64, more elements than there is memory, or a failure of the device.
pub fn rfftfreq(n: usize, d: f64, dtype: DType, device: &Device) -> Result<Tensor> {
    let count = n / 2 + 1;
    frequencies("rfftfreq", (0..count).map(|i| i as f64), [count, n], d, dtype, device)
}

fn frequencies(
    op: &str,
    places: impl Iterator<Item = f64>,
    [count, n]: [usize; 2],
    d: f64,
    dtype: DType,
    device: &Device,
) -> Result<Tensor> {
    check_float("dtype", &Tensor::zeros([0], dtype, &Device::default())?)
        .map_err(|error| error.with_op(op))?;
    let mut found = memory::reserved(count).map_err(|error| error.with_op(op))?;
    found.extend(places.map(|place| place / (n as f64 * d)));
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
