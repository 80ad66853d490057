//! Prints the elements of a tensor as ndarray does.

use super::Tensor;
use crate::{Element, Result};
use ndarray::{ArrayD, IxDyn};
use std::fmt;

impl fmt::Display for Tensor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        tensor_op_core::match_dtype!(self.dtype(), T => match array::<T>(self) {
            Ok(array) => fmt::Display::fmt(&array, f),
            Err(error) => write!(f, "<{error}>"),
        })
    }
}

impl fmt::Debug for Tensor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let tracked = if self.is_tracked() { ", tracked" } else { "" };
        write!(f, "Tensor({}{}, {}{tracked})", self.dtype(), self.shape(), self.device())
    }
}

fn array<T: Element>(tensor: &Tensor) -> Result<ArrayD<T>> {
    let elements = tensor.to_vec()?;
    ArrayD::from_shape_vec(IxDyn(&tensor.shape()), elements)
        .map_err(|error| super::error("display", crate::ErrorKind::Backend, error.to_string()))
}
