//! Shape, dtype and device: what a gradient must share with its tensor. And tensors that are made of these
//! alone.

use crate::error::no_gradient;
use std::fmt;
use tensor_op_core::{Backend, DType, Error, Result, Shape};
use tensor_op_spec::ir::{Kind, Scalar};

/// Shape, dtype and device of a tensor, such as a gradient.
#[derive(Clone)]
pub(crate) struct Like<D> {
    pub(crate) shape: Shape,
    pub(crate) dtype: DType,
    pub(crate) device: D,
}

impl<D> Like<D> {
    pub(crate) fn of<B: Backend<Device = D>>(tensor: &B::Tensor) -> Like<D> {
        Like { shape: B::shape(tensor), dtype: B::dtype(tensor), device: B::device(tensor) }
    }

    /// Returns an `Err` if a tensor differs in shape, dtype or device.
    pub(crate) fn check<B: Backend<Device = D>>(&self, op: &str, what: &str, tensor: &B::Tensor) -> Result<()>
    where
        D: PartialEq,
    {
        let given = Like::of::<B>(tensor);
        if given.shape != self.shape {
            return Err(differs(op, what, "shape", given.shape, &self.shape));
        }
        if given.dtype != self.dtype {
            return Err(differs(op, what, "dtype", given.dtype, self.dtype));
        }
        if given.device != self.device {
            return Err(differs(op, what, "device", B::name(&given.device), B::name(&self.device)));
        }
        Ok(())
    }

    /// The size of such a tensor's elements in bytes.
    pub(crate) fn bytes(&self) -> usize {
        self.shape.iter().product::<usize>() * self.dtype.size()
    }
}

fn differs(
    op: &str,
    what: &str,
    property: &str,
    given: impl fmt::Display,
    wanted: impl fmt::Display,
) -> Error {
    let reason = format!("the {what} has {property} {given}, the tensor has {wanted}; they must agree");
    no_gradient(op, &reason)
}

pub(crate) fn is_float<B: Backend>(tensor: &B::Tensor) -> bool {
    B::dtype(tensor).kind() == Kind::Float
}

/// Ones like a tensor: the gradient of the sum of its elements.
pub(crate) fn ones<B: Backend>(tensor: &B::Tensor) -> Result<B::Tensor> {
    B::full(B::shape(tensor), Scalar::Float(1.0), B::dtype(tensor), &B::device(tensor))
}

/// Zeros of this shape and dtype, on this device.
pub(crate) fn zeros<B: Backend>(like: &Like<B::Device>) -> Result<B::Tensor> {
    B::full(like.shape.clone(), Scalar::Float(0.0), like.dtype, &like.device)
}

/// A tensor of one element, repeated without storage.
pub(crate) fn blank<B: Backend>(like: &Like<B::Device>) -> Result<B::Tensor> {
    let ones = like.shape.iter().map(|_| 1).collect();
    B::expand(B::full(ones, Scalar::Bool(false), like.dtype, &like.device)?, like.shape.clone())
}
