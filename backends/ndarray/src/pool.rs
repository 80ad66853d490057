//! Buffers that outlive their tensor: the last owner returns its `Vec` to the pool, and the next output of
//! that size reuses it.
//!
//! A fresh 32 MB allocation costs more in page faults than the arithmetic that fills it. Buffers are kept by
//! size class, and all pools together hold at most [`LIMIT`] bytes. All elements of a buffer are always
//! initialised: they are zero, or what an earlier tensor left there.

use std::alloc::{Layout, alloc_zeroed};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard, PoisonError};
use tensor_op_core::{DType, Element, Result, bf16, f16, memory};

/// Recycled buffers of one element type.
#[derive(Debug)]
pub struct Pool<T> {
    classes: Mutex<Vec<Vec<Vec<T>>>>,
}

/// The most bytes that all pools together hold.
const LIMIT: usize = 1 << 30;
/// Smaller buffers are left to the allocator, which keeps them per thread.
const SMALLEST: usize = 1 << 14;

/// Bytes held by all pools.
static HELD: AtomicUsize = AtomicUsize::new(0);

/// An element type with a pool of its own.
pub trait Pooled: Element {
    /// The pool that keeps unused buffers of this type.
    #[doc(hidden)]
    fn pool() -> &'static Pool<Self>;
}

macro_rules! pooled {
    ($($ty:ty),*) => {$(
        impl Pooled for $ty {
            fn pool() -> &'static Pool<$ty> {
                static POOL: Pool<$ty> = Pool::new();
                &POOL
            }
        }
    )*};
}
pooled!(f64, f32, f16, bf16, i64, i32, u32, u8, bool);

impl<T: Pooled> Pool<T> {
    /// A pool that holds nothing.
    pub(crate) const fn new() -> Pool<T> {
        Pool { classes: Mutex::new(Vec::new()) }
    }

    /// A buffer of at least `len` elements with arbitrary values. An `Err` if there is not enough memory.
    pub(crate) fn take(&self, len: usize) -> Result<Vec<T>> {
        if bytes::<T>(len) < SMALLEST {
            return Ok(vec![T::default(); len]);
        }
        let class = class_above(len);
        let recycled = self.lock().get_mut(class).and_then(Vec::pop);
        match recycled {
            Some(buffer) => {
                HELD.fetch_sub(bytes::<T>(buffer.capacity()), Relaxed);
                Ok(buffer)
            }
            None => zeroed(class_len(class)),
        }
    }

    /// Takes a buffer that is no longer used.
    pub(crate) fn give(&self, buffer: Vec<T>) {
        let size = bytes::<T>(buffer.capacity());
        if bytes::<T>(buffer.len()) < SMALLEST || size > LIMIT {
            return;
        }
        if HELD.fetch_add(size, Relaxed) + size > LIMIT {
            // The pools are full of sizes that nobody asks for, so they start again empty.
            clear_all();
            if HELD.load(Relaxed) > LIMIT {
                HELD.fetch_sub(size, Relaxed);
                return;
            }
        }
        let class = class_below(buffer.len());
        let mut classes = self.lock();
        if classes.len() <= class {
            classes.resize_with(class + 1, Vec::new);
        }
        classes[class].push(buffer);
    }

    /// Frees all buffers of this pool.
    pub(crate) fn clear(&self) {
        let classes = std::mem::take(&mut *self.lock());
        let size: usize = classes.iter().flatten().map(|buffer| bytes::<T>(buffer.capacity())).sum();
        HELD.fetch_sub(size, Relaxed);
    }

    /// A panic elsewhere can't leave the lists in a half changed state, so a poisoned lock can still be used.
    fn lock(&self) -> MutexGuard<'_, Vec<Vec<Vec<T>>>> {
        self.classes.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Bytes that all pools hold for later.
pub(crate) fn held() -> usize {
    HELD.load(Relaxed)
}

/// Frees all buffers of all pools.
pub(crate) fn clear_all() {
    for dtype in DType::ALL {
        match dtype {
            DType::F64 => f64::pool().clear(),
            DType::F32 => f32::pool().clear(),
            DType::F16 => f16::pool().clear(),
            DType::BF16 => bf16::pool().clear(),
            DType::I64 => i64::pool().clear(),
            DType::I32 => i32::pool().clear(),
            DType::U32 => u32::pool().clear(),
            DType::U8 => u8::pool().clear(),
            DType::Bool => bool::pool().clear(),
        }
    }
}

/// Elements that are all 0, in pages that the system provides when they are first accessed.
fn zeroed<T: Pooled>(len: usize) -> Result<Vec<T>> {
    let layout = Layout::array::<T>(len).map_err(|_| memory::exhausted::<T>(len))?;
    if layout.size() == 0 {
        return Ok(Vec::new());
    }
    // SAFETY: the layout is not empty.
    let start = unsafe { alloc_zeroed(layout) };
    if start.is_null() {
        return Err(memory::exhausted::<T>(len));
    }
    // SAFETY: the global allocator returned this memory for `len` elements. All bits 0 are a 0 or `false`,
    // which is valid in each stored type.
    Ok(unsafe { Vec::from_raw_parts(start.cast(), len, len) })
}

fn bytes<T>(len: usize) -> usize {
    len.saturating_mul(size_of::<T>())
}

/// Sizes are 4, 5, 6 and 7 times each power of two.
fn class_len(class: usize) -> usize {
    (4 + class % 4) << (class / 4)
}

/// The largest class whose size is at most `len`, which is at least 4.
fn class_below(len: usize) -> usize {
    let power = len.ilog2() as usize - 2;
    4 * power + (len >> power) - 4
}

/// The smallest class whose size is at least `len`, which is at least 5.
fn class_above(len: usize) -> usize {
    class_below(len - 1) + 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_bound_their_lengths() {
        for len in 5..5000 {
            let (below, above) = (class_below(len), class_above(len));
            assert!(class_len(below) <= len && len < class_len(below + 1), "{len}");
            assert!(class_len(above) >= len && len > class_len(above - 1), "{len}");
        }
    }

    #[test]
    fn a_buffer_comes_back_for_a_length_of_its_class() {
        static POOL: Pool<f32> = Pool::new();
        let buffer = POOL.take(10_000).unwrap();
        assert!(buffer.len() >= 10_000);
        let address = buffer.as_ptr();
        POOL.give(buffer);
        let again = POOL.take(9_900).unwrap();
        assert_eq!(again.as_ptr(), address);
        POOL.give(vec![0.0; 9_000]);
        // The pool counts the memory of its buffers; their elements may be only a small part of it.
        let held: usize = POOL.lock().iter().map(Vec::len).sum();
        let mut large = Vec::with_capacity(LIMIT / size_of::<f32>() + 1);
        large.resize(9_000, 0.0);
        POOL.give(large);
        assert_eq!(POOL.lock().iter().map(Vec::len).sum::<usize>(), held);
        POOL.clear();
        assert!(POOL.lock().iter().all(Vec::is_empty));
    }

    #[test]
    fn all_pools_are_cleared() {
        fn forgets<T: Pooled>() {
            // No other test asks for so many elements.
            let buffer = T::pool().take(3_456_789).unwrap();
            let class = class_below(buffer.len());
            T::pool().give(buffer);
            clear_all();
            assert!(T::pool().lock().get(class).is_none_or(Vec::is_empty), "{}", std::any::type_name::<T>());
        }
        forgets::<f64>();
        forgets::<f32>();
        forgets::<f16>();
        forgets::<bf16>();
        forgets::<i64>();
        forgets::<i32>();
        forgets::<u32>();
        forgets::<u8>();
        forgets::<bool>();
    }
}
