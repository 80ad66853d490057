//! Fourier transforms along the last axis, by cubek.

use crate::fault::Doubts;
use crate::kernel::whole;
use crate::tensor::CubeTensor;
use cubecl::client::Client;
use cubecl::ir::ElemType;
use cubecl::prelude::{LaunchError, TensorBinding};
use cubecl::zspace::{Shape as CubeShape, Strides};
use cubek::fft::{CfftBindings, FftMode, cfft_launch_any_size, irfft_launch, rfft_launch};
use tensor_op_core::{DType, Error, ErrorKind, Result};

/// The longest transform. The library numbers the elements of a row in f32 for its longest ones.
const LONGEST: usize = 1 << 20;
/// Bytes that the units of a cube share, with which the library has transforms of the longest length.
const SHARED: usize = 1 << 13;

/// A transform that the library has. Complex numbers are two tensors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Transform {
    /// From complex numbers to as many.
    Forward,
    /// The adjoint of `Forward`, not divided by the length.
    Inverse,
    /// From real numbers to the first half of their transform.
    Half,
    /// From the first half of a transform to real numbers, divided by the length.
    Whole,
}

/// Whether the library transforms rows of this length that have the dtype of the tensor. It takes powers of
/// two, and its sines have the digits of f32.
pub fn has_transform(tensor: &CubeTensor, length: usize) -> bool {
    let shared = tensor.device.properties().hardware.max_shared_memory_size;
    let is_known = length.is_power_of_two() && (2..=LONGEST).contains(&length) && shared >= SHARED;
    is_known && tensor.dtype == DType::F32
}

/// Transforms rows of this length: a tensor of real numbers or the two of complex ones, to one or two.
///
/// # Errors
/// The device fails, or has no memory for the results.
pub fn transform(parts: Vec<CubeTensor>, transform: Transform, length: usize) -> Result<Vec<CubeTensor>> {
    let doubts = Doubts::all(parts.iter().map(|part| &part.doubts))?;
    let parts: Vec<CubeTensor> = parts.into_iter().map(whole::contiguous).collect::<Result<_>>()?;
    let Some(first) = parts.first() else { return Ok(parts) };
    let mut shape = first.shape().clone();
    let Some(dim) = shape.rank().checked_sub(1) else { return Ok(parts) };
    let (size, count) = match transform {
        Transform::Forward | Transform::Inverse => (length, 2),
        Transform::Half => (length / 2 + 1, 2),
        Transform::Whole => (length, 1),
    };
    shape[dim] = size;
    let new = || CubeTensor::empty(&shape, first.dtype, first.device);
    let results: Vec<CubeTensor> = (0..count).map(|_| new()).collect::<Result<_>>()?;
    let (client, elem) = (first.device.client(), first.elem());
    let bound: Vec<TensorBinding> = parts.iter().chain(&results).map(binding).collect();
    let launched = match (transform, &*bound) {
        (Transform::Forward, [re, im, y_re, y_im]) => {
            complex([re, im, y_re, y_im], FftMode::Forward, client, dim, elem)
        }
        (Transform::Inverse, [re, im, y_re, y_im]) => {
            complex([re, im, y_re, y_im], FftMode::Inverse, client, dim, elem)
        }
        (Transform::Half, [x, re, im]) => rfft_launch(client, x.clone(), re.clone(), im.clone(), dim, elem),
        (Transform::Whole, [re, im, y]) => irfft_launch(client, re.clone(), im.clone(), y.clone(), dim, elem),
        (Transform::Forward | Transform::Inverse | Transform::Half | Transform::Whole, _) => {
            let message = format!("{transform:?} was asked for {} tensors", parts.len());
            return Err(Error::new(ErrorKind::Backend, message));
        }
    };
    launched.map_err(|error| {
        Error::new(ErrorKind::Backend, format!("the transform could not be launched: {error}"))
    })?;
    results.into_iter().map(|result| result.doubted(&doubts)).collect()
}

fn complex(
    [re, im, y_re, y_im]: [&TensorBinding; 4],
    mode: FftMode,
    client: &Client,
    dim: usize,
    elem: ElemType,
) -> std::result::Result<(), LaunchError> {
    let bindings = CfftBindings {
        input_re: re.clone(),
        input_im: im.clone(),
        output_re: y_re.clone(),
        output_im: y_im.clone(),
    };
    cfft_launch_any_size(client, bindings, dim, elem, mode)
}

/// A row-major tensor as the library takes it.
fn binding(tensor: &CubeTensor) -> TensorBinding {
    let shape: CubeShape = tensor.shape().to_vec().into();
    let strides: Strides = tensor.layout.strides.to_vec().into();
    // SAFETY: the tensor lies in its memory, from the start on, with these strides.
    unsafe { TensorBinding::from_raw_parts(tensor.handle.clone(), strides, shape) }
}
