//! Work that a device records once and starts again as a whole.

use crate::{DType, Error, ErrorKind, Result, Shape};

/// A step from a state and inputs to the next state and outputs.
pub type Step<'f, T> = dyn FnMut(&[T], &[T]) -> Result<(Vec<T>, Vec<T>)> + 'f;

/// A [`Step`] that a backend has recorded, with memory of its own for the state and the inputs.
pub trait Recording<T> {
    /// Does the step on the recorded state and new inputs, which are like the recorded ones. The state is the
    /// next one afterwards. The outputs have memory of their own.
    fn replay(&mut self, inputs: &[T]) -> Result<Vec<T>>;

    /// Copies of the state.
    fn state(&self) -> Result<Vec<T>>;
}

/// Checks that tensors have the shapes and dtypes of those that were recorded.
///
/// # Errors
/// One that says `what` differs.
pub fn check_alike<T>(
    what: &str,
    found: &[T],
    recorded: &[T],
    form: impl Fn(&T) -> (&Shape, DType),
) -> Result<()> {
    if found.len() != recorded.len() {
        let message = format!("{what} are {} tensors, but {} were recorded", found.len(), recorded.len());
        return Err(Error::new(ErrorKind::Length, message));
    }
    for (at, (found, own)) in found.iter().zip(recorded).enumerate() {
        let ((shape, dtype), (wanted, of)) = (form(found), form(own));
        if (shape, dtype) != (wanted, of) {
            let kind = if dtype == of { ErrorKind::Shape } else { ErrorKind::DType };
            let message = format!(
                "{what}: number {at} is {dtype} of shape {shape}, but {of} of shape {wanted} was recorded"
            );
            return Err(Error::new(kind, message));
        }
    }
    Ok(())
}
