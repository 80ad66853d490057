//! Memory that may not be there: an error instead of an abort.

use crate::{Error, ErrorKind, Result};

/// An empty list with room for so many elements.
pub fn reserved<T>(len: usize) -> Result<Vec<T>> {
    let mut elements = Vec::new();
    elements.try_reserve_exact(len).map_err(|_| exhausted::<T>(len))?;
    Ok(elements)
}

/// So many elements of one value.
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

/// Says that there is no room for so many elements.
pub fn exhausted<T>(len: usize) -> Error {
    let bytes = len as u128 * size_of::<T>() as u128;
    Error::new(ErrorKind::Overflow, format!("needs {bytes} bytes, more than can be allocated"))
}
