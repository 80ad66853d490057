//! Arrays in the files of NumPy: one in a `.npy`, and several by name in a `.npz`.
//!
//! ```
//! use tensor_op::npy;
//! use tensor_op::prelude::*;
//!
//! # fn main() -> Result<()> {
//! let x = Tensor::from([[1.0, 2.0], [3.0, 4.0]]);
//! let bytes = npy::to_bytes(&x)?;
//! let y = npy::from_bytes(&bytes, &Device::default())?;
//! assert_eq!(y.to_data()?, x.to_data()?);
//! # Ok(())
//! # }
//! ```
//!
//! The dtypes are `float64`, `float32`, `float16`, `int64`, `int32`, `uint32`, `uint8` and `bool`; an array
//! of another one is an error, and so is a tensor of bf16, which NumPy lacks. Least significant bytes may
//! come first or last, and elements row by row or column by column (Fortran's order). What is written has
//! least significant bytes first, row by row.

mod header;
mod npz;

pub use npz::Npz;

use crate::{Backend, Device, Error, ErrorKind, Result, Tensor, TensorData};
use header::Header;
use std::path::Path;
use tensor_op_core::memory;

/// Reads a `.npy` file, and moves its array to the device.
///
/// # Errors
/// The file can't be read or is not in this format, or the device has no tensors of its dtype.
pub fn load(path: impl AsRef<Path>, device: &Device) -> Result<Tensor> {
    let path = path.as_ref();
    let bytes = std::fs::read(path).map_err(|error| of_file("load", path, &error))?;
    read(&bytes, device).map_err(|error| named("load", path, &error))
}

/// Writes a tensor to a `.npy` file.
///
/// # Errors
/// The file can't be written, the tensor is bf16, or a device fails.
pub fn save(path: impl AsRef<Path>, tensor: &Tensor) -> Result<()> {
    let path = path.as_ref();
    let bytes = written(tensor).map_err(|error| named("save", path, &error))?;
    std::fs::write(path, bytes).map_err(|error| of_file("save", path, &error))
}

/// Reads the bytes of a `.npy` file.
///
/// # Errors
/// They are not in this format, or the device has no tensors of the dtype.
pub fn from_bytes(bytes: &[u8], device: &Device) -> Result<Tensor> {
    read(bytes, device).map_err(|error| error.with_op("from_bytes"))
}

/// The bytes of a `.npy` file.
///
/// # Errors
/// The tensor is bf16, a device fails, or there is not enough memory.
pub fn to_bytes(tensor: &Tensor) -> Result<Vec<u8>> {
    written(tensor).map_err(|error| error.with_op("to_bytes"))
}

fn read(bytes: &[u8], device: &Device) -> Result<Tensor> {
    let (header, elements) = Header::parse(bytes)?;
    let Header { dtype, is_big_endian, is_fortran, mut shape } = header;
    let wanted = shape.elements()?.checked_mul(dtype.size());
    if wanted != Some(elements.len()) {
        let found = elements.len();
        return Err(malformed(format!("shape {shape} of {dtype} does not have {found} bytes")));
    }
    let swapped: Vec<u8>;
    let elements = if is_big_endian && dtype.size() > 1 {
        let mut copy = memory::copied(elements)?;
        copy.chunks_exact_mut(dtype.size()).for_each(<[u8]>::reverse);
        swapped = copy;
        &swapped[..]
    } else {
        elements
    };
    if !is_fortran {
        return Tensor::from_data(TensorData::from_le_bytes(elements, dtype, shape)?, device);
    }
    // Column by column is row by row with the axes in the opposite order.
    shape.reverse();
    let axes: Vec<usize> = (0..shape.rank()).rev().collect();
    let reversed = Tensor::from_data(TensorData::from_le_bytes(elements, dtype, shape)?, device)?;
    let turned = crate::__private::Default::permute(reversed.into_primitive(), &axes)?;
    Ok(Tensor::from_primitive(turned))
}

fn written(tensor: &Tensor) -> Result<Vec<u8>> {
    let data = tensor.to_data()?;
    let head = header::written(data.dtype(), data.shape())?;
    let elements = data.to_le_bytes()?;
    let mut bytes = memory::reserved(head.len() + elements.len())?;
    bytes.extend_from_slice(&head);
    bytes.extend_from_slice(&elements);
    Ok(bytes)
}

fn malformed(message: impl std::fmt::Display) -> Error {
    Error::new(ErrorKind::File, format!("no npy: {message}"))
}

/// What happened with a file.
fn of_file(op: &str, path: &Path, error: &dyn std::error::Error) -> Error {
    Error::new(ErrorKind::File, format!("{}: {error}", path.display())).with_op(op)
}

/// The same error with the file in which it was found.
fn named(op: &str, path: &Path, error: &Error) -> Error {
    Error::new(error.kind(), format!("{}: {}", path.display(), error.message())).with_op(op)
}
