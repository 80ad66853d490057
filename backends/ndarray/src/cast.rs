//! Conversion between element types.

use crate::kernel::stream::{self, Lanes};
use crate::parallel::{self, Shared};
use crate::tensor::NdArrayTensor;
use tensor_op_core::{DType, Element, Result, match_dtype};

/// Elements per task.
const TASK: usize = 1 << 14;

/// Converts a tensor to another element type. Float to int truncates and saturates, and NaN gives 0; the
/// conversion to bool is `!= 0`.
pub(crate) fn cast(tensor: NdArrayTensor, dtype: DType) -> Result<NdArrayTensor> {
    let from = tensor.dtype();
    if from == dtype {
        return Ok(tensor);
    }
    let tensor = tensor.into_contiguous()?;
    let len = tensor.elements();
    let mut result = NdArrayTensor::recycled(tensor.shape(), dtype)?;
    let source = Shared(tensor.as_ptr().cast_mut());
    let target = Shared(result.as_mut_ptr().expect("a new buffer has one owner"));
    parallel::for_each(len.div_ceil(TASK), len, |task| {
        let range = parallel::piece(task, TASK, len);
        let source = source.at((range.start * from.size()) as isize);
        let target = target.at((range.start * dtype.size()) as isize);
        // SAFETY: both tensors are contiguous and have `len` elements, and each task has its own range.
        unsafe { convert(from, source, dtype, target, range.len()) };
    });
    Ok(result)
}

/// # Safety
/// `source` holds `len` elements of dtype `from`, and `target` has room for as many of dtype `to`.
unsafe fn convert(from: DType, source: *const u8, to: DType, target: *mut u8, len: usize) {
    // SAFETY: the caller guarantees it; each arm uses both pointers as their dtypes say.
    unsafe {
        match to {
            DType::F64 => f64::read(from, source, 1, std::slice::from_raw_parts_mut(target.cast(), len)),
            DType::F32 => f32::read(from, source, 1, std::slice::from_raw_parts_mut(target.cast(), len)),
            DType::I64 => i64::read(from, source, 1, std::slice::from_raw_parts_mut(target.cast(), len)),
            DType::Bool => bool::read(from, source, 1, std::slice::from_raw_parts_mut(target.cast(), len)),
            DType::F16 | DType::BF16 | DType::I32 | DType::U32 | DType::U8 => {
                write(from, source, to, target, len)
            }
        }
    }
}

/// # Safety
/// As for `convert`.
unsafe fn write(from: DType, source: *const u8, to: DType, target: *mut u8, len: usize) {
    // SAFETY: the caller guarantees it; each arm uses both pointers as their dtypes say.
    unsafe {
        match from {
            DType::F64 => f64::write(to, target, 1, std::slice::from_raw_parts(source.cast(), len)),
            DType::F32 => f32::write(to, target, 1, std::slice::from_raw_parts(source.cast(), len)),
            DType::I64 => i64::write(to, target, 1, std::slice::from_raw_parts(source.cast(), len)),
            DType::Bool => bool::write(to, target, 1, std::slice::from_raw_parts(source.cast(), len)),
            DType::F16 | DType::BF16 | DType::I32 | DType::U32 | DType::U8 => {
                match_dtype!(from, S => match_dtype!(to, T => narrow::<S, T>(source, target, len)));
            }
        }
    }
}

/// # Safety
/// `source` holds `len` elements, and `target` has room for as many.
unsafe fn narrow<S: Element, T: Element>(source: *const u8, target: *mut u8, len: usize) {
    // SAFETY: the caller guarantees it; the target's elements are initialised, as those of all buffers are.
    let (source, target) = unsafe {
        (
            std::slice::from_raw_parts(source.cast::<S>(), len),
            std::slice::from_raw_parts_mut(target.cast::<T>(), len),
        )
    };
    stream::cast(source, target);
}
