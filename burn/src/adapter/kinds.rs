//! Operations that Burn has three times: for floats, ints and bools.

use super::{AdapterTensor, bools};
use crate::dtype::{float, int, scalar};
use crate::tensor::{OpTensor, burn_shape, with_tensor};
use burn::backend::tensor::IndexingUpdateOp;
use burn::backend::{Backend, Slice, TensorData as BurnData, TensorMetadata, try_read_sync};
use tensor_op_core::{DType, Error, ErrorKind, Result, Shape, Storage, TensorData};
use tensor_op_spec::ir::{Kind, Scalar};

/// Calls one of three operations, by the kind of its first tensor.
macro_rules! map_tensor {
    ($tensor:expr, $float:ident, $int:ident, $bool:ident $(, $rest:expr)*) => {
        match $tensor {
            $crate::OpTensor::Float(tensor) => $crate::OpTensor::Float(B::$float(tensor $(, $rest)*)),
            $crate::OpTensor::Int(tensor) => $crate::OpTensor::Int(B::$int(tensor $(, $rest)*)),
            $crate::OpTensor::Bool(tensor) => $crate::OpTensor::Bool(B::$bool(tensor $(, $rest)*)),
        }
    };
}
pub(super) use map_tensor;

pub(super) fn from_data<B: Backend>(data: TensorData, device: &B::Device) -> Result<AdapterTensor<B>> {
    let (shape, storage) = data.into_parts();
    let sizes = burn_shape(&shape);
    let tensor = match storage {
        Storage::F64(x) => OpTensor::Float(B::float_from_data(BurnData::new(x, sizes), device)),
        Storage::F32(x) => OpTensor::Float(B::float_from_data(BurnData::new(x, sizes), device)),
        Storage::F16(x) => OpTensor::Float(B::float_from_data(BurnData::new(x, sizes), device)),
        Storage::BF16(x) => OpTensor::Float(B::float_from_data(BurnData::new(x, sizes), device)),
        Storage::I64(x) => OpTensor::Int(B::int_from_data(BurnData::new(x, sizes), device)),
        Storage::I32(x) => OpTensor::Int(B::int_from_data(BurnData::new(x, sizes), device)),
        Storage::U32(x) => OpTensor::Int(B::int_from_data(BurnData::new(x, sizes), device)),
        Storage::U8(x) => OpTensor::Int(B::int_from_data(BurnData::new(x, sizes), device)),
        Storage::Bool(x) => {
            let data = BurnData::new(x, sizes).convert_dtype(bools::<B>(device).into());
            OpTensor::Bool(B::bool_from_data(data, device))
        }
    };
    Ok(AdapterTensor { tensor, is_scalar: shape.rank() == 0 })
}

pub(super) fn into_data<B: Backend>(tensor: AdapterTensor<B>) -> Result<TensorData> {
    let shape = if tensor.is_scalar { Shape::scalar() } else { tensor.tensor.shape() };
    let dtype = tensor.tensor.dtype()?;
    let read = match tensor.tensor {
        OpTensor::Float(x) => try_read_sync(B::float_into_data(x)),
        OpTensor::Int(x) => try_read_sync(B::int_into_data(x)),
        OpTensor::Bool(x) => try_read_sync(B::bool_into_data(x)),
    };
    let failed = |why: String| Error::new(ErrorKind::Backend, why);
    let data = read.ok_or_else(|| failed("the device can't be waited for here".into()))?;
    let data = data.map_err(|error| failed(error.to_string()))?;
    match dtype.kind() {
        Kind::Float => Ok(TensorData::new(data.iter::<f64>().collect(), shape)?.cast(dtype)),
        Kind::Int => Ok(TensorData::new(data.iter::<i64>().collect(), shape)?.cast(dtype)),
        Kind::Bool => TensorData::new(data.iter::<bool>().collect(), shape),
    }
}

pub(super) fn full<B: Backend>(
    shape: Shape,
    value: Scalar,
    dtype: DType,
    device: &B::Device,
) -> Result<AdapterTensor<B>> {
    let sizes = burn_shape(&shape);
    let tensor = match (dtype.kind(), value.cast(dtype.kind())) {
        (Kind::Bool, Scalar::Bool(true)) => OpTensor::Bool(B::bool_ones(sizes, device, bools::<B>(device))),
        (Kind::Bool, _) => OpTensor::Bool(B::bool_zeros(sizes, device, bools::<B>(device))),
        (Kind::Int, _) => OpTensor::Int(B::int_full(sizes, whole(value, dtype)?, device, int(dtype))),
        (Kind::Float, value) => OpTensor::Float(B::float_full(sizes, scalar(value), device, float(dtype))),
    };
    Ok(AdapterTensor { tensor, is_scalar: shape.rank() == 0 })
}

/// A value as an element of an int dtype. Burn would wrap a negative float in an unsigned dtype.
fn whole(value: Scalar, dtype: DType) -> Result<burn::backend::Scalar> {
    let elements = TensorData::full(Shape::scalar(), value, dtype)?.cast(DType::I64).into_vec::<i64>()?;
    Ok(scalar(Scalar::Int(elements[0])))
}

pub(super) fn gather<B: Backend>(
    tensor: AdapterTensor<B>,
    axis: usize,
    index: AdapterTensor<B>,
) -> Result<AdapterTensor<B>> {
    let index = index.tensor.int()?;
    Ok(AdapterTensor::new(match tensor.tensor {
        OpTensor::Float(x) => OpTensor::Float(B::float_gather(axis, x, index)),
        OpTensor::Int(x) => OpTensor::Int(B::int_gather(axis, x, index)),
        // `bool_gather` of Flex returns bytes, so ints are gathered instead.
        OpTensor::Bool(x) => {
            let (ints, bools) = (int(DType::U8), bools::<B>(&x.device()));
            let found = B::int_gather(axis, B::bool_into_int(x, ints), index);
            OpTensor::Bool(B::int_not_equal_elem(found, scalar(Scalar::Int(0)), bools))
        }
    }))
}

pub(super) fn scatter_add<B: Backend>(
    source: AdapterTensor<B>,
    axis: usize,
    index: AdapterTensor<B>,
    size: usize,
) -> Result<AdapterTensor<B>> {
    let mut shape = source.tensor.shape();
    let is_empty = shape.contains(&0);
    shape[axis] = size;
    let (dtype, device) = (source.tensor.dtype()?, source.tensor.device());
    let zeros = full::<B>(shape, Scalar::Int(0), dtype, &device)?;
    if is_empty {
        return Ok(zeros);
    }
    let (index, add) = (index.tensor.int()?, IndexingUpdateOp::Add);
    Ok(AdapterTensor::new(match (zeros.tensor, source.tensor) {
        (OpTensor::Float(zeros), OpTensor::Float(x)) => {
            OpTensor::Float(B::float_scatter(axis, zeros, index, x, add))
        }
        (OpTensor::Int(zeros), OpTensor::Int(x)) => OpTensor::Int(B::int_scatter(axis, zeros, index, x, add)),
        (OpTensor::Float(_) | OpTensor::Int(_) | OpTensor::Bool(_), _) => {
            return Err(Error::new(ErrorKind::DType, "bools are not added up"));
        }
    }))
}

fn slices(ranges: &[(usize, usize, usize)]) -> Vec<Slice> {
    let slice = |&(start, end, step): &(usize, usize, usize)| {
        // Burn's steps are signed, so a large step may not fit. A step that is longer than the range takes
        // only the first element, and so does a step of the range's length.
        let step = step.min(end.saturating_sub(start).max(1));
        Slice::new(start as isize, Some(end as isize), step as isize)
    };
    ranges.iter().map(slice).collect()
}

pub(super) fn slice<B: Backend>(
    tensor: AdapterTensor<B>,
    ranges: &[(usize, usize, usize)],
) -> Result<AdapterTensor<B>> {
    if ranges.is_empty() {
        return Ok(tensor);
    }
    let slices = slices(ranges);
    Ok(AdapterTensor::new(map_tensor!(tensor.tensor, float_slice, int_slice, bool_slice, &slices)))
}

pub(super) fn slice_assign<B: Backend>(
    into: AdapterTensor<B>,
    ranges: &[(usize, usize, usize)],
    source: AdapterTensor<B>,
) -> Result<AdapterTensor<B>> {
    if ranges.is_empty() {
        return Ok(source);
    }
    let slices = slices(ranges);
    Ok(AdapterTensor::new(match into.tensor {
        OpTensor::Float(x) => OpTensor::Float(B::float_slice_assign(x, &slices, source.tensor.float()?)),
        OpTensor::Int(x) => OpTensor::Int(B::int_slice_assign(x, &slices, source.tensor.int()?)),
        OpTensor::Bool(x) => OpTensor::Bool(B::bool_slice_assign(x, &slices, source.tensor.bool()?)),
    }))
}

pub(super) fn cat<B: Backend>(tensors: Vec<AdapterTensor<B>>, axis: usize) -> Result<AdapterTensor<B>> {
    let kind = tensors.first().map(|tensor| tensor.tensor.dtype()).transpose()?.map(DType::kind);
    let tensors = tensors.into_iter().map(|tensor| tensor.tensor);
    Ok(AdapterTensor::new(match kind {
        Some(Kind::Float) => {
            OpTensor::Float(B::float_cat(tensors.map(OpTensor::float).collect::<Result<_>>()?, axis))
        }
        Some(Kind::Int) => {
            OpTensor::Int(B::int_cat(tensors.map(OpTensor::int).collect::<Result<_>>()?, axis))
        }
        Some(Kind::Bool) => {
            OpTensor::Bool(B::bool_cat(tensors.map(OpTensor::bool).collect::<Result<_>>()?, axis))
        }
        None => return Err(Error::new(ErrorKind::Length, "there is nothing to join")),
    }))
}

/// Whether a tensor has no elements.
pub(super) fn is_empty<B: Backend>(tensor: &OpTensor<B>) -> bool {
    with_tensor!(tensor, tensor => tensor.shape().num_elements() == 0)
}
