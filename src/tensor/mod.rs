//! The tensor that users hold. Its type names no backend and no dtype, and every misuse is an `Err`.
//!
//! It is a tensor of `Autodiff<Dynamic>`: the backend that holds the elements is a value. Gradients are
//! recorded for tensors that were computed from a tensor that requires one.

mod arith;
mod bits;
mod compare;
mod convert;
mod create;
mod defaults;
mod device;
mod display;
mod grad;
mod index;
mod literal;
mod operand;
mod random;
mod shape_ops;
mod split;

pub use arith::Arithmetic;
pub use device::{Device, register_backend, registered_backends};
pub use grad::Gradients;
pub use index::{IntoPlaces, Place};
pub use literal::Nested;
pub use operand::{IntoOperand, Number, Operand};
pub use random::Generator;
pub(crate) use random::next_seed;
pub use shape_ops::Sizes;

use crate::{Backend, DType, Element, Error, ErrorKind, Result, Shape, TensorData};
use std::borrow::Borrow;
use tensor_op_autodiff::AutodiffTensor;
use tensor_op_core::Dynamic;

/// A tensor on a device. Cloning is cheap and shares the elements.
#[derive(Clone)]
pub struct Tensor(AutodiffTensor<Dynamic>);

/// The backend of [`Tensor`].
type Runtime = crate::__private::Default;

impl Tensor {
    /// The backend's tensor inside of this one, for generated code and typed layers.
    pub fn into_primitive(self) -> AutodiffTensor<Dynamic> {
        self.0
    }

    /// The backend's tensor inside of this one.
    pub fn primitive(&self) -> &AutodiffTensor<Dynamic> {
        &self.0
    }

    /// Makes a tensor of a tensor of the backend.
    pub fn from_primitive(tensor: AutodiffTensor<Dynamic>) -> Tensor {
        Tensor(tensor)
    }

    /// Sizes of the axes.
    pub fn shape(&self) -> Shape {
        Runtime::shape(&self.0)
    }

    /// Number of axes.
    pub fn rank(&self) -> usize {
        self.shape().rank()
    }

    /// Number of elements.
    pub fn elements(&self) -> usize {
        self.shape().iter().product()
    }

    /// Type of the elements.
    pub fn dtype(&self) -> DType {
        Runtime::dtype(&self.0)
    }

    /// The device that holds the elements.
    pub fn device(&self) -> Device {
        Device::from_core(Runtime::device(&self.0))
    }

    /// The elements on the host, row-major.
    pub fn to_data(&self) -> Result<TensorData> {
        Runtime::into_data(self.0.clone())
    }

    /// Does the same as [`to_data`](Tensor::to_data), without blocking: the future waits for the device, with
    /// any executor. It reads the tensor as it is now, whatever is computed meanwhile. The tensor may be
    /// dropped before the future is ready.
    ///
    /// ```
    /// # use tensor_op::{Tensor, TensorData, Result};
    /// async fn mean(losses: &[Tensor]) -> Result<f32> {
    ///     let mut sum = 0.0;
    ///     for loss in losses {
    ///         sum += loss.to_data_async().await?.into_vec::<f32>()?[0];
    ///     }
    ///     Ok(sum / losses.len() as f32)
    /// }
    /// ```
    pub fn to_data_async(&self) -> impl Future<Output = Result<TensorData>> + Send + use<> {
        Runtime::into_data_async(self.0.clone())
    }

    /// The elements of several tensors on the host, in few transactions. They may lie on several devices.
    ///
    /// ```
    /// # use tensor_op::prelude::*;
    /// let (loss, right) = (Tensor::from([0.5]), Tensor::from([3, 1]));
    /// let read = Tensor::to_data_all(&[&loss, &right])?;
    /// assert_eq!((read[0].to_vec::<f64>()?, read[1].to_vec::<i64>()?), (vec![0.5], vec![3, 1]));
    /// # Ok::<(), tensor_op::Error>(())
    /// ```
    pub fn to_data_all<T: Borrow<Tensor>>(tensors: &[T]) -> Result<Vec<TensorData>> {
        Runtime::into_data_all(tensors.iter().map(|tensor| tensor.borrow().0.clone()).collect())
    }

    /// Does the same as [`to_data_all`](Tensor::to_data_all), without blocking, as
    /// [`to_data_async`](Tensor::to_data_async) does.
    pub fn to_data_all_async<T: Borrow<Tensor>>(
        tensors: &[T],
    ) -> impl Future<Output = Result<Vec<TensorData>>> + Send + use<T> {
        Runtime::into_data_all_async(tensors.iter().map(|tensor| tensor.borrow().0.clone()).collect())
    }

    /// The elements, row-major. Floats can be read as any float type, and ints as any type that can hold
    /// them; other conversions need a [`cast`](Tensor::cast).
    pub fn to_vec<T: Element>(&self) -> Result<Vec<T>> {
        let data = self.to_data()?;
        if data.dtype() == T::DTYPE { data.into_vec() } else { data.to_vec() }
    }

    /// The element of a tensor that has only one.
    pub fn item<T: Element>(&self) -> Result<T> {
        match self.elements() {
            1 => self
                .to_vec()?
                .first()
                .copied()
                .ok_or_else(|| error("item", ErrorKind::Backend, "no element came back")),
            count => {
                let message = format!("shape {} has {count} elements; one is wanted", self.shape());
                Err(error("item", ErrorKind::Length, message))
            }
        }
    }

    /// Moves the tensor to another device. Gradients flow back to this one.
    pub fn to(&self, device: &Device) -> Result<Tensor> {
        check_dtype("to", self.dtype(), device)?;
        Runtime::to_device(self.0.clone(), device.core()).map(Tensor).map_err(|error| error.with_op("to"))
    }
}

impl From<&Tensor> for Tensor {
    fn from(tensor: &Tensor) -> Tensor {
        tensor.clone()
    }
}

fn error(op: &str, kind: ErrorKind, message: impl Into<String>) -> Error {
    Error::new(kind, message).with_op(op)
}

fn check_dtype(op: &str, dtype: DType, device: &Device) -> Result<()> {
    if device.supports_dtype(dtype) {
        return Ok(());
    }
    Err(error(op, ErrorKind::DType, format!("{device} has no tensors of {dtype}")))
}
