//! Copies of CUDA's memory.

use super::import::View;
use super::wrong;
use crate::{DType, ErrorKind, Result, Tensor};
use tensor_op_autodiff::AutodiffTensor;
use tensor_op_core::DynTensor;
use tensor_op_cube::{Cube, Cuda, CudaView};

/// A tensor with a copy of the elements, on their device.
pub(super) fn copied(view: &View, device: i32) -> Result<Tensor> {
    let device = usize::try_from(device)
        .map_err(|_| wrong(ErrorKind::Device, format!("there is no device {device} of CUDA")))?;
    let strides = view.strides.iter().map(|stride| usize::try_from(*stride));
    let strides = strides.collect::<std::result::Result<Vec<usize>, _>>().map_err(|_| {
        wrong(
            ErrorKind::Unsupported,
            "memory of CUDA has a negative stride; copy it in row-major order first",
        )
    })?;
    // A byte of another library may be neither 0 nor 1.
    let is_bool = view.dtype == DType::Bool;
    let foreign = CudaView {
        device,
        address: view.start.addr() as u64,
        len: view.len,
        dtype: if is_bool { DType::U8 } else { view.dtype },
        shape: view.shape.iter().copied().collect(),
        strides: strides.into_iter().collect(),
        offset: view.offset,
    };
    // SAFETY: the view was checked: all its elements lie in the memory, which by the contract of
    // `DlPack::from_raw` is initialised and is there until the pack is dropped.
    let tensor = unsafe { tensor_op_cube::copied(foreign) }.map_err(|error| error.with_op("dlpack"))?;
    let tensor = DynTensor::from_primitive::<Cube<Cuda>>(tensor)?;
    let tensor = Tensor::from_primitive(AutodiffTensor::from_inner(tensor));
    if is_bool { tensor.ne(0) } else { Ok(tensor) }
}
