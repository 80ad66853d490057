//! Copies runs of elements between memory and the types that bodies compute with: f32 or f64, i64 and bool.

use crate::block::convert;
use tensor_op_core::{DType, Element};

/// A type that bodies compute with.
pub(crate) trait Lanes: Element {
    /// The dtype that needs no conversion.
    const NATIVE: DType;

    /// Reads a run of as many elements as `to` has.
    ///
    /// # Safety
    /// `from` and the positions at each multiple of `stride` elements after it hold elements of this dtype.
    unsafe fn read(dtype: DType, from: *const u8, stride: isize, to: &mut [Self]);

    /// Writes a run.
    ///
    /// # Safety
    /// `to` and the positions at each multiple of `stride` elements after it may be written with elements of
    /// this dtype.
    unsafe fn write(dtype: DType, to: *mut u8, stride: isize, from: &[Self]);
}

impl Lanes for f32 {
    const NATIVE: DType = DType::F32;

    unsafe fn read(dtype: DType, from: *const u8, stride: isize, to: &mut [f32]) {
        // SAFETY: the caller guarantees that the run is valid; each arm reads it as its dtype.
        unsafe {
            match dtype {
                DType::F32 => read_same(from.cast(), stride, to),
                DType::F16 => read_as(from.cast(), stride, to, convert::f16_to_f32),
                DType::BF16 => read_as(from.cast(), stride, to, convert::bf16_to_f32),
                DType::F64 | DType::I64 | DType::I32 | DType::U32 | DType::U8 | DType::Bool => {
                    read_any(dtype, from, stride, to);
                }
            }
        }
    }

    unsafe fn write(dtype: DType, to: *mut u8, stride: isize, from: &[f32]) {
        // SAFETY: the caller guarantees that the run is valid; each arm writes it as its dtype.
        unsafe {
            match dtype {
                DType::F32 => write_same(to.cast(), stride, from),
                DType::F16 => write_as(to.cast(), stride, from, convert::f32_to_f16),
                DType::BF16 => write_as(to.cast(), stride, from, convert::f32_to_bf16),
                DType::F64 | DType::I64 | DType::I32 | DType::U32 | DType::U8 | DType::Bool => {
                    write_any(dtype, to, stride, from);
                }
            }
        }
    }
}

impl Lanes for i64 {
    const NATIVE: DType = DType::I64;

    unsafe fn read(dtype: DType, from: *const u8, stride: isize, to: &mut [i64]) {
        // SAFETY: the caller guarantees that the run is valid; each arm reads it as its dtype.
        unsafe {
            match dtype {
                DType::I64 => read_same(from.cast(), stride, to),
                DType::I32 => read_as(from.cast(), stride, to, convert::i32_to_i64),
                DType::U32 => read_as(from.cast(), stride, to, convert::u32_to_i64),
                DType::U8 => read_as(from.cast(), stride, to, convert::u8_to_i64),
                DType::F64 | DType::F32 | DType::F16 | DType::BF16 | DType::Bool => {
                    read_any(dtype, from, stride, to);
                }
            }
        }
    }

    unsafe fn write(dtype: DType, to: *mut u8, stride: isize, from: &[i64]) {
        // SAFETY: the caller guarantees that the run is valid; each arm writes it as its dtype.
        unsafe {
            match dtype {
                DType::I64 => write_same(to.cast(), stride, from),
                DType::I32 => write_as(to.cast(), stride, from, convert::i64_to_i32),
                DType::U32 => write_as(to.cast(), stride, from, convert::i64_to_u32),
                DType::U8 => write_as(to.cast(), stride, from, convert::i64_to_u8),
                DType::F64 | DType::F32 | DType::F16 | DType::BF16 | DType::Bool => {
                    write_any(dtype, to, stride, from);
                }
            }
        }
    }
}

macro_rules! plain {
    ($ty:ty, $native:ident) => {
        impl Lanes for $ty {
            const NATIVE: DType = DType::$native;

            unsafe fn read(dtype: DType, from: *const u8, stride: isize, to: &mut [$ty]) {
                // SAFETY: the caller guarantees that the run is valid, and it is read as its dtype.
                unsafe {
                    if dtype == DType::$native {
                        read_same(from.cast(), stride, to);
                    } else {
                        read_any(dtype, from, stride, to);
                    }
                }
            }

            unsafe fn write(dtype: DType, to: *mut u8, stride: isize, from: &[$ty]) {
                // SAFETY: the caller guarantees that the run is valid, and it is written as its dtype.
                unsafe {
                    if dtype == DType::$native {
                        write_same(to.cast(), stride, from);
                    } else {
                        write_any(dtype, to, stride, from);
                    }
                }
            }
        }
    };
}
plain!(f64, F64);
plain!(bool, Bool);

/// Number of elements that a strided run collects before it converts them together.
pub(super) const GATHER: usize = 64;

unsafe fn read_same<T: Copy>(from: *const T, stride: isize, to: &mut [T]) {
    // SAFETY: the caller guarantees that each position can be read.
    unsafe {
        match stride {
            1 => from.copy_to_nonoverlapping(to.as_mut_ptr(), to.len()),
            0 => to.fill(*from),
            // Loops with known steps become vector code.
            2 => read_each(from, 2, to),
            3 => read_each(from, 3, to),
            4 => read_each(from, 4, to),
            stride => read_each(from, stride, to),
        }
    }
}

#[inline(always)]
unsafe fn read_each<T: Copy>(from: *const T, stride: isize, to: &mut [T]) {
    // SAFETY: the caller guarantees that each position can be read.
    (0..).zip(to).for_each(|(i, to)| *to = unsafe { *from.offset(i * stride) });
}

unsafe fn write_same<T: Copy>(to: *mut T, stride: isize, from: &[T]) {
    // SAFETY: the caller guarantees that each position can be written.
    unsafe {
        match stride {
            1 => to.copy_from_nonoverlapping(from.as_ptr(), from.len()),
            stride => (0..).zip(from).for_each(|(i, from)| *to.offset(i * stride) = *from),
        }
    }
}

unsafe fn read_as<S: Element, T: Element>(
    from: *const S,
    stride: isize,
    to: &mut [T],
    convert: impl Fn(&[S], &mut [T]),
) {
    // SAFETY: the caller guarantees that each position can be read.
    unsafe {
        match stride {
            1 => convert(std::slice::from_raw_parts(from, to.len()), to),
            0 => {
                let mut value = [T::default()];
                convert(&[*from], &mut value);
                to.fill(value[0]);
            }
            stride => {
                for (chunk, to) in (0..).zip(to.chunks_mut(GATHER)) {
                    let mut gathered = [S::default(); GATHER];
                    read_same(
                        from.offset(chunk * GATHER as isize * stride),
                        stride,
                        &mut gathered[..to.len()],
                    );
                    convert(&gathered[..to.len()], to);
                }
            }
        }
    }
}

unsafe fn write_as<S: Element, T: Element>(
    to: *mut T,
    stride: isize,
    from: &[S],
    convert: impl Fn(&[S], &mut [T]),
) {
    // SAFETY: the caller guarantees that each position can be written. All of them hold elements already.
    unsafe {
        if stride == 1 {
            convert(from, std::slice::from_raw_parts_mut(to, from.len()));
            return;
        }
        for (chunk, from) in (0..).zip(from.chunks(GATHER)) {
            let mut converted = [T::default(); GATHER];
            convert(from, &mut converted[..from.len()]);
            write_same(to.offset(chunk * GATHER as isize * stride), stride, &converted[..from.len()]);
        }
    }
}

unsafe fn read_any<T: Element>(dtype: DType, from: *const u8, stride: isize, to: &mut [T]) {
    tensor_op_core::match_dtype!(dtype, S => {
        // SAFETY: the caller guarantees that the run is valid and holds elements of this dtype.
        unsafe { read_as(from.cast::<S>(), stride, to, cast) }
    });
}

unsafe fn write_any<S: Element>(dtype: DType, to: *mut u8, stride: isize, from: &[S]) {
    tensor_op_core::match_dtype!(dtype, T => {
        // SAFETY: the caller guarantees that the run is valid and holds elements of this dtype.
        unsafe { write_as(to.cast::<T>(), stride, from, cast) }
    });
}

/// Converts by the rules of a cast.
pub(crate) fn cast<S: Element, T: Element>(from: &[S], to: &mut [T]) {
    from.iter().zip(to).for_each(|(from, to)| *to = T::cast_from(*from));
}

/// Reads one element.
///
/// # Safety
/// `from` holds an element of this dtype.
pub(crate) unsafe fn read_one<T: Lanes>(dtype: DType, from: *const u8) -> T {
    let mut value = [T::default()];
    // SAFETY: this is a run of one element, and the caller guarantees that it is valid.
    unsafe { T::read(dtype, from, 1, &mut value) };
    value[0]
}

#[cfg(test)]
mod tests {
    use super::*;
    use tensor_op_core::f16;

    #[test]
    fn runs_of_each_dtype_and_stride_come_back() {
        let values: Vec<i64> = (0..300).map(|i| i % 100).collect();
        for dtype in DType::ALL {
            for stride in [1isize, 3] {
                let mut memory = vec![0u64; 1000];
                let place = memory.as_mut_ptr().cast::<u8>();
                let mut back = vec![0i64; values.len()];
                // SAFETY: 300 elements three apart and of at most 8 bytes fit into 1000 of 8 bytes.
                unsafe {
                    i64::write(dtype, place, stride, &values);
                    i64::read(dtype, place, stride, &mut back);
                }
                let expected: Vec<i64> = values
                    .iter()
                    .map(|v| if dtype == DType::Bool { i64::from(*v != 0) } else { *v })
                    .collect();
                assert_eq!(back, expected, "{dtype} {stride}");
            }
        }
    }

    #[test]
    fn halves_become_floats_at_any_stride() {
        let halves: Vec<f16> = (0..200).map(|i| f16::from_f64(f64::from(i) / 8.0)).collect();
        for (stride, count) in [(1, 200), (2, 100), (0, 5), (-1, 200)] {
            let mut floats = vec![0.0f32; count];
            let start = if stride < 0 { count - 1 } else { 0 };
            // SAFETY: count elements from the start at this stride are inside of the vector.
            unsafe { f32::read(DType::F16, halves.as_ptr().add(start).cast(), stride, &mut floats) };
            for (i, value) in floats.iter().enumerate() {
                let at = start as isize + i as isize * stride;
                assert_eq!(*value, at as f32 / 8.0);
            }
        }
    }
}
