//! A tensor for another library.

use super::{CPU, DlPack, Managed, READ_ONLY, RawDevice, RawTensor, VERSION, raw_dtype, wrong};
use crate::{DType, Device, Error, ErrorKind, NdArray, Tensor};
use std::ffi::c_void;
use std::num::TryFromIntError;
use std::ptr::{NonNull, null_mut};
use tensor_op_ndarray::NdArrayTensor;

/// The struct, and what it points to. It frees itself by the deleter.
struct Exported {
    managed: Managed,
    shape: Vec<i64>,
    strides: Vec<i64>,
    /// Keeps the memory.
    _owner: Box<dyn Send>,
}

impl TryFrom<Tensor> for DlPack {
    type Error = Error;

    /// Shares the memory of a tensor on the CPU, or on `cuda`, with its strides. If other tensors share it
    /// too, it is marked as one that must not be written.
    ///
    /// # Errors
    /// The tensor is on another device, or its device fails.
    fn try_from(tensor: Tensor) -> crate::Result<DlPack> {
        let device = tensor.device();
        let inner = tensor.into_primitive().into_inner();
        // What is left of it is the only owner if no other tensor shares the memory.
        if let Ok(own) = inner.clone().try_into_primitive::<NdArray>() {
            drop(inner);
            return of_cpu(own);
        }
        #[cfg(feature = "cuda")]
        if let Ok(own) = inner.clone().try_into_primitive::<tensor_op_cube::Cube<tensor_op_cube::Cuda>>() {
            drop(inner);
            return of_cuda(own);
        }
        Err(on_another(&device))
    }
}

impl TryFrom<&Tensor> for DlPack {
    type Error = Error;

    /// Shares the memory, which must not be written.
    fn try_from(tensor: &Tensor) -> crate::Result<DlPack> {
        DlPack::try_from(tensor.clone())
    }
}

fn on_another(device: &Device) -> Error {
    let message = format!(
        "the tensor is on {device}, and only memory of the CPU and of `cuda` is shared; move it with `to`"
    );
    wrong(ErrorKind::Unsupported, message)
}

fn of_cpu(mut tensor: NdArrayTensor) -> crate::Result<DlPack> {
    let (data, flags) = match tensor.as_mut_ptr() {
        Some(data) => (data, 0),
        None => (tensor.as_ptr().cast_mut(), READ_ONLY),
    };
    let device = RawDevice { device_type: CPU, device_id: 0 };
    let form = (tensor.dtype(), tensor.shape().to_vec(), tensor.strides().to_vec());
    exported(data.cast(), device, flags, form, Box::new(tensor))
}

#[cfg(feature = "cuda")]
fn of_cuda(tensor: tensor_op_cube::CubeTensor) -> crate::Result<DlPack> {
    let memory = tensor_op_cube::CudaMemory::of(tensor).map_err(|error| error.with_op("dlpack"))?;
    let flags = if memory.is_unique() { 0 } else { READ_ONLY };
    let device = RawDevice { device_type: super::CUDA, device_id: memory.device() as i32 };
    let strides = memory.strides().iter().map(|stride| *stride as isize).collect();
    let form = (memory.dtype(), memory.shape().to_vec(), strides);
    exported(memory.address() as *mut c_void, device, flags, form, Box::new(memory))
}

fn exported(
    data: *mut c_void,
    device: RawDevice,
    flags: u64,
    (dtype, shape, strides): (DType, Vec<usize>, Vec<isize>),
    owner: Box<dyn Send>,
) -> crate::Result<DlPack> {
    let too_large = |_: TryFromIntError| wrong(ErrorKind::Overflow, "a size is too large");
    let is_empty = shape.contains(&0);
    let shape = shape.into_iter().map(i64::try_from);
    let shape: Vec<i64> = shape.collect::<Result<_, _>>().map_err(too_large)?;
    let strides: Vec<i64> = strides.into_iter().map(|stride| stride as i64).collect();
    let raw = RawTensor {
        data: if is_empty { null_mut() } else { data },
        device,
        ndim: i32::try_from(shape.len()).map_err(too_large)?,
        dtype: raw_dtype(dtype),
        shape: null_mut(),
        strides: null_mut(),
        byte_offset: 0,
    };
    let managed =
        Managed { version: VERSION, manager_ctx: null_mut(), deleter: Some(deleter), flags, tensor: raw };
    let exported = Box::into_raw(Box::new(Exported { managed, shape, strides, _owner: owner }));
    // SAFETY: the box was made just now, and nobody else has it.
    let this = unsafe { &mut *exported };
    this.managed.manager_ctx = exported.cast();
    this.managed.tensor.shape = this.shape.as_mut_ptr();
    this.managed.tensor.strides = this.strides.as_mut_ptr();
    Ok(DlPack(NonNull::from(&mut this.managed)))
}

unsafe extern "C" fn deleter(managed: *mut Managed) {
    // SAFETY: only structs that `exported` made have this deleter, and it is called once for each. The
    // context is the box in which the struct lies.
    drop(unsafe { Box::from_raw((*managed).manager_ctx.cast::<Exported>()) });
}
