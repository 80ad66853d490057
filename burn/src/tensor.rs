//! A tensor of a Burn backend, of any kind.

use crate::dtype::from_burn;
use burn::backend::{BackendTypes, DType as BurnDType, TensorMetadata};
use tensor_op_core::{DType, Error, ErrorKind, Result, Shape, Value, without_axes};
use tensor_op_spec::ir::Graph;

/// A float, int or bool tensor of a Burn backend.
#[derive(Clone, Debug)]
pub enum OpTensor<B: BackendTypes> {
    /// A tensor of floats.
    Float(B::FloatTensorPrimitive),
    /// A tensor of ints.
    Int(B::IntTensorPrimitive),
    /// A tensor of bools.
    Bool(B::BoolTensorPrimitive),
}

/// Evaluates an expression with the inner tensor, whatever its kind is.
macro_rules! with_tensor {
    ($tensor:expr, $inner:ident => $body:expr) => {
        match $tensor {
            $crate::OpTensor::Float($inner) => $body,
            $crate::OpTensor::Int($inner) => $body,
            $crate::OpTensor::Bool($inner) => $body,
        }
    };
}
pub(crate) use with_tensor;

impl<B: BackendTypes> OpTensor<B> {
    /// The dtype in which Burn stores the elements.
    pub fn burn_dtype(&self) -> BurnDType {
        with_tensor!(self, tensor => tensor.dtype())
    }

    /// The type of the elements.
    ///
    /// # Errors
    /// A dtype that ops don't take, such as i16.
    pub fn dtype(&self) -> Result<DType> {
        from_burn(self.burn_dtype())
    }

    /// The sizes.
    pub fn shape(&self) -> Shape {
        with_tensor!(self, tensor => Shape::new(&tensor.shape()))
    }

    /// The device of the tensor.
    pub fn device(&self) -> B::Device {
        with_tensor!(self, tensor => tensor.device())
    }

    /// The float tensor.
    ///
    /// # Errors
    /// A tensor of another kind.
    pub fn float(self) -> Result<B::FloatTensorPrimitive> {
        match self {
            OpTensor::Float(tensor) => Ok(tensor),
            OpTensor::Int(_) | OpTensor::Bool(_) => Err(wrong_kind("a float")),
        }
    }

    /// The int tensor.
    ///
    /// # Errors
    /// A tensor of another kind.
    pub fn int(self) -> Result<B::IntTensorPrimitive> {
        match self {
            OpTensor::Int(tensor) => Ok(tensor),
            OpTensor::Float(_) | OpTensor::Bool(_) => Err(wrong_kind("an int")),
        }
    }

    /// The bool tensor.
    ///
    /// # Errors
    /// A tensor of another kind.
    pub fn bool(self) -> Result<B::BoolTensorPrimitive> {
        match self {
            OpTensor::Bool(tensor) => Ok(tensor),
            OpTensor::Float(_) | OpTensor::Int(_) => Err(wrong_kind("a bool")),
        }
    }
}

fn wrong_kind(wanted: &str) -> Error {
    Error::new(ErrorKind::DType, format!("{wanted} tensor is wanted here"))
}

/// Refuses an argument that is on another device than the first one.
#[cfg(feature = "cube")]
pub(crate) fn same_device<D: PartialEq + std::fmt::Debug>(own: &D, first: &D) -> Result<()> {
    if own == first {
        return Ok(());
    }
    let message = format!("is on {own:?}, another argument on {first:?}; move one of them");
    Err(Error::new(ErrorKind::Device, message))
}

/// Which arguments have no axes. They have one axis of size 1 in Burn.
pub(crate) fn scalars<B: BackendTypes>(graph: &Graph, args: &[Value<OpTensor<B>>]) -> Vec<bool> {
    without_axes(graph, args, OpTensor::shape)
}

/// The shape that an op sees.
pub(crate) fn declared_shape(is_scalar: bool, shape: Shape) -> Shape {
    if is_scalar { Shape::scalar() } else { shape }
}

/// The shape that a result has in Burn.
pub(crate) fn burn_shape(shape: &[usize]) -> burn::backend::Shape {
    if shape.is_empty() { [1].into() } else { shape.to_vec().into() }
}
