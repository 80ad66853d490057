//! Errors about differentiation.

use tensor_op_core::{Error, ErrorKind};

/// An error about differentiation that names the op.
pub(crate) fn no_gradient(op: &str, reason: &str) -> Error {
    Error::new(ErrorKind::Gradient, reason).with_op(op)
}
