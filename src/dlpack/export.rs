//! A tensor for another library.

use super::{CPU, DlPack, Managed, READ_ONLY, RawDevice, RawTensor, VERSION, raw_dtype, wrong};
use crate::{Device, Error, ErrorKind, NdArray, Tensor};
use std::num::TryFromIntError;
use std::ptr::{NonNull, null_mut};
use tensor_op_ndarray::NdArrayTensor;

/// The struct, and what it points to. It frees itself by the deleter.
struct Exported {
    managed: Managed,
    shape: Vec<i64>,
    strides: Vec<i64>,
    /// Keeps the memory.
    _tensor: NdArrayTensor,
}

impl TryFrom<Tensor> for DlPack {
    type Error = Error;

    /// Shares the memory of a tensor on the CPU, with its strides. If other tensors share it too, it is
    /// marked as one that must not be written.
    ///
    /// # Errors
    /// The tensor is on another device.
    fn try_from(tensor: Tensor) -> crate::Result<DlPack> {
        let device = tensor.device();
        let inner = tensor.into_primitive().into_inner();
        let Ok(own) = inner.clone().try_into_primitive::<NdArray>() else {
            return Err(on_another(&device));
        };
        // What is left is the only owner if no other tensor shares the memory.
        drop(inner);
        exported(own)
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
    let message =
        format!("the tensor is on {device}, and only the CPU's memory is shared; move it with `to`");
    wrong(ErrorKind::Unsupported, message)
}

fn exported(mut tensor: NdArrayTensor) -> crate::Result<DlPack> {
    let too_large = |_: TryFromIntError| wrong(ErrorKind::Overflow, "a size is too large");
    let shape = tensor.shape().iter().map(|size| i64::try_from(*size));
    let shape: Vec<i64> = shape.collect::<Result<_, _>>().map_err(too_large)?;
    let strides: Vec<i64> = tensor.strides().iter().map(|stride| *stride as i64).collect();
    let ndim = i32::try_from(shape.len()).map_err(too_large)?;
    let (data, flags) = match tensor.as_mut_ptr() {
        Some(data) => (data, 0),
        None => (tensor.as_ptr().cast_mut(), READ_ONLY),
    };
    let dtype = raw_dtype(tensor.dtype());
    let raw = RawTensor {
        data: if tensor.elements() == 0 { null_mut() } else { data.cast() },
        device: RawDevice { device_type: CPU, device_id: 0 },
        ndim,
        dtype,
        shape: null_mut(),
        strides: null_mut(),
        byte_offset: 0,
    };
    let managed =
        Managed { version: VERSION, manager_ctx: null_mut(), deleter: Some(deleter), flags, tensor: raw };
    let exported = Box::into_raw(Box::new(Exported { managed, shape, strides, _tensor: tensor }));
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
