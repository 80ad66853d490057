//! Buffers of one thread that are kept between tasks, so that a task neither allocates nor clears what it
//! works in.

use crate::kernel::stream::Lanes;
use std::cell::RefCell;
use std::ops::{Deref, DerefMut};
use std::thread::LocalKey;

/// Buffers that a thread keeps of one type.
const KEPT: usize = 16;
/// Longer ones are freed.
const LONGEST: usize = 1 << 17;

/// A type whose buffers are kept.
pub(crate) trait Recycled: Lanes {
    /// Those of this thread.
    fn spare() -> &'static LocalKey<RefCell<Vec<Vec<Self>>>>;

    /// Whether two values can't be told apart: not so zeros of different sign.
    fn is_same(self, other: Self) -> bool;
}

macro_rules! recycled {
    ($($ty:ty: |$x:ident| $bits:expr),*) => {$(
        impl Recycled for $ty {
            fn spare() -> &'static LocalKey<RefCell<Vec<Vec<$ty>>>> {
                thread_local! {
                    static SPARE: RefCell<Vec<Vec<$ty>>> = const { RefCell::new(Vec::new()) };
                }
                &SPARE
            }
            fn is_same(self, other: $ty) -> bool {
                let bits = |$x: $ty| $bits;
                bits(self) == bits(other)
            }
        }
    )*};
}
recycled!(f32: |x| x.to_bits(), f64: |x| x.to_bits(), i64: |x| x, bool: |x| x);

/// Elements of any value.
#[derive(Debug)]
pub(crate) struct Buffer<T: Recycled> {
    elements: Vec<T>,
    len: usize,
}

impl<T: Recycled> Buffer<T> {
    /// Elements of any value. It stays where it is in memory when the buffer moves.
    pub(crate) fn new(len: usize) -> Buffer<T> {
        if len == 0 {
            return Buffer { elements: Vec::new(), len };
        }
        let kept = T::spare().try_with(|spare| spare.borrow_mut().pop());
        let mut elements = kept.ok().flatten().unwrap_or_default();
        if elements.len() < len {
            elements.resize(len, T::default());
        }
        Buffer { elements, len }
    }
}

impl<T: Recycled> Drop for Buffer<T> {
    fn drop(&mut self) {
        let elements = std::mem::take(&mut self.elements);
        if elements.is_empty() || elements.len() > LONGEST {
            return;
        }
        // At the end of a thread its buffers are gone, and so is the place for this one.
        let _ = T::spare().try_with(|spare| {
            let mut spare = spare.borrow_mut();
            if spare.len() < KEPT {
                spare.push(elements);
            }
        });
    }
}

impl<T: Recycled> Deref for Buffer<T> {
    type Target = [T];
    fn deref(&self) -> &[T] {
        &self.elements[..self.len]
    }
}

impl<T: Recycled> DerefMut for Buffer<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        &mut self.elements[..self.len]
    }
}
