//! What a call on another thread takes with it.

use super::erased::{Erased, ErasedTensor};
use crate::{TensorData, Value};

/// What a call gets from its caller.
pub(super) trait Held: Send + 'static {
    /// Drops it without calling a backend, which could block. What nobody else owns is leaked.
    fn leak(self);
}

impl Held for Erased {
    fn leak(self) {
        ErasedTensor::leak(self);
    }
}

impl Held for Value<Erased> {
    fn leak(self) {
        match self {
            Value::Tensor(tensor) => tensor.leak(),
            Value::Scalar(_) | Value::Shape(_) => {}
        }
    }
}

impl<T: Held> Held for Vec<T> {
    fn leak(self) {
        self.into_iter().for_each(T::leak);
    }
}

impl<A: Held, B: Held> Held for (A, B) {
    fn leak(self) {
        self.0.leak();
        self.1.leak();
    }
}

/// A backend frees only what is staged.
impl Held for TensorData {
    fn leak(self) {
        self.leak_staged();
    }
}

impl Held for () {
    fn leak(self) {}
}
