//! Allocations that return an error instead of aborting when there is not enough memory.

use crate::{Error, ErrorKind, Result};

/// An empty list with capacity for `len` elements.
pub fn reserved<T>(len: usize) -> Result<Vec<T>> {
    let mut elements = Vec::new();
    elements.try_reserve_exact(len).map_err(|_| exhausted::<T>(len))?;
    Ok(elements)
}

/// A list of `len` equal elements.
pub fn filled<T: Clone>(value: T, len: usize) -> Result<Vec<T>> {
    let mut elements = reserved(len)?;
    elements.resize(len, value);
    Ok(elements)
}

/// A copy of elements.
pub fn copied<T: Copy>(elements: &[T]) -> Result<Vec<T>> {
    let mut copy = reserved(elements.len())?;
    copy.extend_from_slice(elements);
    Ok(copy)
}

/// The error that `len` elements can't be allocated.
pub fn exhausted<T>(len: usize) -> Error {
    let bytes = len as u128 * size_of::<T>() as u128;
    Error::new(ErrorKind::Overflow, format!("needs {bytes} bytes, more than can be allocated"))
}
