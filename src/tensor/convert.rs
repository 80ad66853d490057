//! Conversion from and to ndarray. A tensor on the CPU takes over the buffer of an array, and returns it if
//! nobody else holds it.

use super::device::register_own;
use super::{Runtime, Tensor, error};
use crate::{Backend, Device, Error, ErrorKind, NdArray, Result};
use ndarray::{Array, ArrayD, Dimension, IxDyn};
use tensor_op_autodiff::AutodiffTensor;
use tensor_op_core::DynTensor;
use tensor_op_ndarray::{NdArrayTensor, Stored};

impl Tensor {
    /// A tensor from an array, on a device. On the CPU there is no copy.
    pub fn from_array<T: Stored, D: Dimension>(array: Array<T, D>, device: &Device) -> Result<Tensor> {
        Tensor::try_from(array)?.to(device)
    }

    /// A tensor of the CPU's backend.
    pub(crate) fn of_cpu(tensor: NdArrayTensor) -> Result<Tensor> {
        register_own();
        let tensor = DynTensor::from_primitive::<NdArray>(tensor)?;
        Ok(Tensor(AutodiffTensor::from_inner(tensor)))
    }

    /// The elements as an array; an `Err` if they have another type. There is no copy if they are on the CPU
    /// and nobody else holds them.
    pub fn into_array<T: Stored>(self) -> Result<ArrayD<T>> {
        let inner = self.0.into_inner();
        if let Ok(tensor) = inner.clone().try_into_primitive::<NdArray>() {
            // The clone above shares the buffer. The buffer is given away only if no other owner is left, so
            // the original is dropped first.
            drop(inner);
            return tensor.into_ndarray();
        }
        let data = Runtime::into_data(AutodiffTensor::from_inner(inner))?;
        let shape = IxDyn(data.shape());
        let array = ArrayD::from_shape_vec(shape, data.into_vec()?);
        array.map_err(|wrong| error("into_array", ErrorKind::Backend, wrong.to_string()))
    }
}

impl<T: Stored, D: Dimension> TryFrom<Array<T, D>> for Tensor {
    type Error = Error;

    /// A tensor on the CPU, without a copy.
    fn try_from(array: Array<T, D>) -> Result<Tensor> {
        Tensor::of_cpu(NdArrayTensor::from(array.into_dyn()))
    }
}

impl<T: Stored> TryFrom<Tensor> for ArrayD<T> {
    type Error = Error;

    /// See [`Tensor::into_array`].
    fn try_from(tensor: Tensor) -> Result<ArrayD<T>> {
        tensor.into_array()
    }
}

impl<T: Stored> TryFrom<&Tensor> for ArrayD<T> {
    type Error = Error;

    /// A copy of the elements.
    fn try_from(tensor: &Tensor) -> Result<ArrayD<T>> {
        tensor.clone().into_array()
    }
}
