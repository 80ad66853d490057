//! Gather and scatter-add of tensors along an axis.

use crate::cast;
use crate::kernel::index::{self, Indexed};
use crate::nest::Nest;
use crate::tensor::NdArrayTensor;
use tensor_op_core::{Error, Result, check};
use tensor_op_spec::prim::Fold;

/// `out[p.., j, s..] = tensor[p.., index[p.., j, s..], s..]`.
pub(crate) fn gather(tensor: &NdArrayTensor, axis: usize, index: &NdArrayTensor) -> Result<NdArrayTensor> {
    let shape = check::gather(tensor.shape(), axis, (index.shape(), index.dtype()))?;
    let mut out = NdArrayTensor::recycled(&shape, tensor.dtype())?;
    let (source, size) = (tensor.layout(), tensor.shape()[axis]);
    let mut strides = source.strides.clone();
    strides[axis] = 0;
    let nest = Nest::over(index.shape(), &[&out.layout().strides, &strides, &index.layout().strides]);
    let indexed = Indexed { nest, stride: source.strides[axis], size };
    index::gather(&indexed, &mut out, tensor, index).map_err(|error| at_axis(error, axis))?;
    Ok(out)
}

/// Starts with zeros and adds each element of `source` at its index, along an axis of this size.
pub(crate) fn scatter_add(
    source: NdArrayTensor,
    axis: usize,
    index: &NdArrayTensor,
    size: usize,
) -> Result<NdArrayTensor> {
    let shape = check::scatter_add(source.shape(), axis, (index.shape(), index.dtype()), size)?;
    let dtype = source.dtype();
    let source = cast::cast(source, dtype.compute())?;
    let mut out = NdArrayTensor::zeros(&shape, source.dtype())?;
    let mut strides = out.layout().strides.clone();
    let stride = std::mem::replace(&mut strides[axis], 0);
    let nest = Nest::over(source.shape(), &[&strides, &source.layout().strides, &index.layout().strides]);
    index::scatter(Fold::Sum, &Indexed { nest, stride, size }, &mut out, &source, index)
        .map_err(|error| at_axis(error, axis))?;
    cast::cast(out, dtype)
}

fn at_axis(error: Error, axis: usize) -> Error {
    error.with_dim(&axis.to_string())
}

impl NdArrayTensor {
    /// A tensor in which all elements are 0.
    pub(crate) fn zeros(shape: &[usize], dtype: tensor_op_core::DType) -> Result<NdArrayTensor> {
        use crate::array::Array;
        use crate::tensor::Stored;
        Ok(tensor_op_core::match_dtype!(dtype, T => T::into_tensor(Array::full(shape, T::default())?)))
    }
}
