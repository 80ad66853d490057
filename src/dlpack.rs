//! Exchange of tensors with other libraries in one process, by DLPack:
//! <https://dmlc.github.io/dlpack/latest/>.
//!
//! The CPU's memory is shared, not copied. This is version 1 of the format, with the versioned struct. A
//! Python capsule of it is named `dltensor_versioned`, and comes from `x.__dlpack__(max_version=(1, 0))`;
//! without the argument PyTorch gives the older struct, `dltensor`, which must not be passed here. Gradients
//! do not cross the border.
//!
//! With the feature `cuda`, memory of the backend `cuda` is shared too: an export waits until the device has
//! computed the tensor, so that another library may read it on any stream, and the deleter waits until the
//! device is idle. CubeCL takes no memory of others: what comes in is copied on the device, after all work
//! that was enqueued there, by whichever library. Each of these waits stops the host. For a tensor on another
//! GPU, move it to the CPU first.
//!
//! Memory that other tensors share is exported with the flag that it must not be written. PyTorch 2.15 does
//! not look at this flag: `clone` what `torch.from_dlpack` returns before you change it in place.
//!
//! ```
//! use tensor_op::dlpack::DlPack;
//! use tensor_op::prelude::*;
//!
//! # fn main() -> Result<()> {
//! let x = Tensor::from([[1.0, 2.0], [3.0, 4.0]]);
//! let raw = DlPack::try_from(x)?.into_raw();
//! // Another library takes the pointer, or the other way round:
//! // SAFETY: the pointer is from `into_raw`, and is taken once.
//! let pack = unsafe { DlPack::from_raw(raw) }?;
//! assert_eq!(Tensor::try_from(pack)?.to_vec::<f64>()?, [1.0, 2.0, 3.0, 4.0]);
//! # Ok(())
//! # }
//! ```

#[cfg(feature = "cuda")]
mod cuda;
mod export;
mod import;

use crate::{DType, Error, ErrorKind, Result};
use std::ffi::c_void;
use std::ptr::NonNull;

/// The version that is written. Others with the same major number are read.
const VERSION: Version = Version { major: 1, minor: 0 };
/// The device type of the CPU.
const CPU: i32 = 1;
/// That of CUDA's memory on a device.
const CUDA: i32 = 2;
/// The flag of memory that must not be written.
const READ_ONLY: u64 = 1;

/// `DLPackVersion`.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Version {
    /// Structs of another major version have other fields behind `flags`.
    pub major: u32,
    /// Grows with each addition.
    pub minor: u32,
}

/// `DLDevice`.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RawDevice {
    /// The CPU is 1, and CUDA 2.
    pub device_type: i32,
    /// Its number.
    pub device_id: i32,
}

/// `DLDataType`.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RawDType {
    /// Kind: 0 for ints, 1 for those without a sign, 2 for floats, 4 for bf16, 6 for bools.
    pub code: u8,
    /// Bits of an element.
    pub bits: u8,
    /// Numbers in an element; 1.
    pub lanes: u16,
}

/// `DLTensor`.
#[repr(C)]
#[derive(Debug)]
pub struct RawTensor {
    /// The memory.
    pub data: *mut c_void,
    /// Where it is.
    pub device: RawDevice,
    /// Number of axes.
    pub ndim: i32,
    /// Type of the elements.
    pub dtype: RawDType,
    /// A size for each axis.
    pub shape: *mut i64,
    /// A stride for each axis, in elements. Null stands for row-major order.
    pub strides: *mut i64,
    /// Bytes from `data` to the first element.
    pub byte_offset: u64,
}

/// `DLManagedTensorVersioned`.
#[repr(C)]
#[derive(Debug)]
pub struct Managed {
    /// Version of the struct.
    pub version: Version,
    /// What the deleter knows the owner by.
    pub manager_ctx: *mut c_void,
    /// Gives everything back. It is called once, by whoever has the struct.
    pub deleter: Option<unsafe extern "C" fn(*mut Managed)>,
    /// Bit 0: the memory must not be written.
    pub flags: u64,
    /// The tensor.
    pub tensor: RawTensor,
}

/// A tensor for another library, or from one. It calls the deleter when it is dropped, unless
/// [`into_raw`](DlPack::into_raw) has given it away or a tensor has taken it over.
#[derive(Debug)]
pub struct DlPack(NonNull<Managed>);

// SAFETY: `from_raw` asks that the memory can be read, and the deleter called, on any thread.
unsafe impl Send for DlPack {}
// SAFETY: a shared reference reads only fields that nobody changes.
unsafe impl Sync for DlPack {}

impl DlPack {
    /// Takes over a struct from another library.
    ///
    /// # Errors
    /// The pointer is null.
    ///
    /// # Safety
    /// The pointer is null, or points to a `DLManagedTensorVersioned` of major version 1: it is the caller's
    /// to give, and stays in its place until its deleter is called. Until then memory on the CPU or on CUDA
    /// is initialised and can be read, from its lowest element to its highest and also between them, and
    /// nobody writes to it; on CUDA, what writes it was enqueued before. It can be read, and the deleter can
    /// be called, on any thread.
    pub unsafe fn from_raw(managed: *mut Managed) -> Result<DlPack> {
        let managed = NonNull::new(managed);
        managed.map(DlPack).ok_or_else(|| wrong(ErrorKind::Backend, "the pointer is null"))
    }

    /// Gives the struct to another library, which calls the deleter.
    pub fn into_raw(self) -> *mut Managed {
        std::mem::ManuallyDrop::new(self).0.as_ptr()
    }

    /// The struct.
    pub fn managed(&self) -> &Managed {
        // SAFETY: by the contract of `from_raw`, or because our own export made it, it is there until the
        // deleter is called, and nobody changes it.
        unsafe { self.0.as_ref() }
    }
}

impl Drop for DlPack {
    fn drop(&mut self) {
        // SAFETY: by the contract of `from_raw` the struct is there. This field has its place in structs of
        // all versions.
        let deleter = unsafe { (*self.0.as_ptr()).deleter };
        if let Some(deleter) = deleter {
            // SAFETY: the struct is ours, and is not used after this.
            unsafe { deleter(self.0.as_ptr()) };
        }
    }
}

fn raw_dtype(dtype: DType) -> RawDType {
    let (code, bits) = match dtype {
        DType::I64 => (0, 64),
        DType::I32 => (0, 32),
        DType::U32 => (1, 32),
        DType::U8 => (1, 8),
        DType::F64 => (2, 64),
        DType::F32 => (2, 32),
        DType::F16 => (2, 16),
        DType::BF16 => (4, 16),
        DType::Bool => (6, 8),
    };
    RawDType { code, bits, lanes: 1 }
}

fn wrong(kind: ErrorKind, message: impl Into<String>) -> Error {
    Error::new(kind, message).with_op("dlpack")
}
