//! Ops composed of Burn's own operations: a Burn backend as a backend of tensor-op, whose interpreter of graphs then runs on it.
//!
//! Burn has no tensors without axes, so that a scalar is kept as one element and marked.

mod elementwise;
mod kinds;
mod reduce;

use crate::backend::OpBackend;
use crate::dtype::{float, from_burn, int, scalar};
use crate::tensor::{OpTensor, burn_shape, declared_shape};
use burn::backend::{BackendTypes, BoolDType, DeviceOps, TensorMetadata};
use kinds::map_tensor;
use std::marker::PhantomData;
use tensor_op_core::{
    Backend, DType, Distribution, Error, ErrorKind, Op, Result, Shape, TensorData, Value, composed,
};
use tensor_op_spec::ir::{Kind, Scalar};
use tensor_op_spec::prim::{Fold, Prim};

/// A Burn backend as a backend of tensor-op: the structural primitives are Burn's operations.
#[derive(Clone, Copy, Debug)]
pub struct Composed<B>(PhantomData<B>);

/// A tensor of a Burn backend, or a scalar.
#[derive(Clone, Debug)]
pub struct ComposedTensor<B: BackendTypes> {
    tensor: OpTensor<B>,
    /// Whether its one axis, of size 1, isn't there.
    is_scalar: bool,
}

/// Runs an op composed.
pub(crate) fn run<B: burn::backend::Backend>(
    op: &dyn Op,
    args: Vec<Value<OpTensor<B>>>,
    wanted: &[bool],
) -> Result<Vec<Option<OpTensor<B>>>> {
    let graph = op.spec().graph();
    let take = |(at, arg): (usize, Value<OpTensor<B>>)| match arg {
        Value::Tensor(tensor) => {
            let is_scalar = declared_shape(graph, at, tensor.shape()).rank() == 0;
            Value::Tensor(ComposedTensor { tensor, is_scalar })
        }
        Value::Scalar(scalar) => Value::Scalar(scalar),
        Value::Shape(shape) => Value::Shape(declared_shape(graph, at, shape)),
    };
    let args: Vec<_> = args.into_iter().enumerate().map(take).collect();
    check_dtypes(op, &args)?;
    let results = composed::run::<Composed<B>>(op, args, wanted)?;
    Ok(results.into_iter().map(|result| result.map(|result| result.tensor)).collect())
}

fn check_dtypes<B: burn::backend::Backend>(op: &dyn Op, args: &[Value<ComposedTensor<B>>]) -> Result<()> {
    let graph = op.spec().graph();
    for (declared, arg) in graph.args.iter().zip(args) {
        if let Value::Tensor(tensor) = arg {
            tensor.tensor.dtype().map_err(|error| error.with_arg(&declared.name).with_op(&graph.name))?;
        }
    }
    Ok(())
}

/// One element, repeated: what has to be there although nothing depends on it.
pub(crate) fn blank<B: OpBackend>(shape: &Shape, dtype: DType, device: &B::Device) -> Result<OpTensor<B>> {
    full::<B>(shape, dtype, device)
}

/// Zeros.
pub(crate) fn full<B: OpBackend>(shape: &Shape, dtype: DType, device: &B::Device) -> Result<OpTensor<B>> {
    let zero = Scalar::Bool(false).cast(dtype.kind());
    Ok(<Composed<B> as Backend>::full(shape.clone(), zero, dtype, device)?.tensor)
}

impl<B: burn::backend::Backend> ComposedTensor<B> {
    fn new(tensor: OpTensor<B>) -> ComposedTensor<B> {
        ComposedTensor { tensor, is_scalar: false }
    }

    /// With another tensor in it, of the same shape.
    fn with(&self, tensor: OpTensor<B>) -> ComposedTensor<B> {
        ComposedTensor { tensor, is_scalar: self.is_scalar }
    }
}

/// How the device stores bools.
fn bools<B: burn::backend::Backend>(device: &B::Device) -> BoolDType {
    device.defaults().bool_dtype
}

impl<B: burn::backend::Backend> Backend for Composed<B> {
    type Device = B::Device;
    type Tensor = ComposedTensor<B>;

    fn name(device: &B::Device) -> String {
        B::name(device)
    }
    fn device_count() -> usize {
        1
    }
    fn supports_dtype(device: &B::Device, dtype: DType) -> bool {
        B::supports_dtype(device, crate::dtype::to_burn(dtype, bools::<B>(device)))
    }
    fn seed(device: &B::Device, seed: u64) {
        B::seed(device, seed);
    }
    fn sync(device: &B::Device) -> Result<()> {
        B::sync(device).map_err(|error| Error::new(ErrorKind::Backend, error.to_string()))
    }
    fn memory_cleanup(device: &B::Device) {
        B::memory_cleanup(device);
    }

    fn from_data(data: TensorData, device: &B::Device) -> Result<ComposedTensor<B>> {
        kinds::from_data(data, device)
    }
    fn into_data(tensor: ComposedTensor<B>) -> Result<TensorData> {
        kinds::into_data(tensor)
    }
    fn shape(tensor: &ComposedTensor<B>) -> Shape {
        if tensor.is_scalar { Shape::scalar() } else { tensor.tensor.shape() }
    }
    fn dtype(tensor: &ComposedTensor<B>) -> DType {
        from_burn(tensor.tensor.burn_dtype()).expect("dtypes are checked before a tensor comes here")
    }
    fn device(tensor: &ComposedTensor<B>) -> B::Device {
        tensor.tensor.device()
    }

    fn apply(prim: Prim, args: Vec<ComposedTensor<B>>) -> Result<ComposedTensor<B>> {
        elementwise::apply(prim, args)
    }
    fn reduce(fold: Fold, tensor: ComposedTensor<B>, axes: &[usize]) -> Result<ComposedTensor<B>> {
        reduce::reduce(fold, tensor, axes)
    }
    fn matmul(lhs: ComposedTensor<B>, rhs: ComposedTensor<B>) -> Result<ComposedTensor<B>> {
        let (left, right) = (lhs.tensor.shape(), rhs.tensor.shape());
        let (&[b, m, k], &[_, _, n]) = (&left[..], &right[..]) else {
            return Err(Error::new(ErrorKind::Rank, "a matrix product takes two tensors of three axes"));
        };
        if b * m * k * n == 0 {
            let dtype = Self::dtype(&lhs);
            return Self::full(Shape::new(&[b, m, n]), Scalar::Float(0.0), dtype, &Self::device(&lhs));
        }
        let product = B::float_matmul(lhs.tensor.float()?, rhs.tensor.float()?);
        Ok(ComposedTensor::new(OpTensor::Float(product)))
    }
    fn gather(tensor: ComposedTensor<B>, axis: usize, index: ComposedTensor<B>) -> Result<ComposedTensor<B>> {
        kinds::gather(tensor, axis, index)
    }
    fn scatter_add(
        source: ComposedTensor<B>,
        axis: usize,
        index: ComposedTensor<B>,
        size: usize,
    ) -> Result<ComposedTensor<B>> {
        kinds::scatter_add(source, axis, index, size)
    }
    fn cast(tensor: ComposedTensor<B>, dtype: DType) -> Result<ComposedTensor<B>> {
        let cast = match (tensor.tensor.clone(), dtype.kind()) {
            (OpTensor::Float(x), Kind::Float) => OpTensor::Float(B::float_cast(x, float(dtype))),
            (OpTensor::Float(x), Kind::Int) => OpTensor::Int(B::float_into_int(x, int(dtype))),
            (OpTensor::Float(x), Kind::Bool) => {
                let bools = bools::<B>(&x.device());
                OpTensor::Bool(B::float_not_equal_elem(x, scalar(Scalar::Float(0.0)), bools))
            }
            (OpTensor::Int(x), Kind::Float) => OpTensor::Float(B::int_into_float(x, float(dtype))),
            (OpTensor::Int(x), Kind::Int) => OpTensor::Int(B::int_cast(x, int(dtype))),
            (OpTensor::Int(x), Kind::Bool) => {
                let bools = bools::<B>(&x.device());
                OpTensor::Bool(B::int_not_equal_elem(x, scalar(Scalar::Int(0)), bools))
            }
            (OpTensor::Bool(x), Kind::Float) => OpTensor::Float(B::bool_into_float(x, float(dtype))),
            (OpTensor::Bool(x), Kind::Int) => OpTensor::Int(B::bool_into_int(x, int(dtype))),
            (OpTensor::Bool(x), Kind::Bool) => OpTensor::Bool(x),
        };
        Ok(tensor.with(cast))
    }
    fn reshape(tensor: ComposedTensor<B>, shape: Shape) -> Result<ComposedTensor<B>> {
        let is_scalar = shape.rank() == 0;
        let shape = burn_shape(&shape);
        let tensor = map_tensor!(tensor.tensor, float_reshape, int_reshape, bool_reshape, shape);
        Ok(ComposedTensor { tensor, is_scalar })
    }
    fn permute(tensor: ComposedTensor<B>, axes: &[usize]) -> Result<ComposedTensor<B>> {
        if tensor.is_scalar {
            return Ok(tensor);
        }
        Ok(ComposedTensor::new(map_tensor!(tensor.tensor, float_permute, int_permute, bool_permute, axes)))
    }
    fn expand(tensor: ComposedTensor<B>, shape: Shape) -> Result<ComposedTensor<B>> {
        if tensor.is_scalar || tensor.tensor.shape() == shape {
            return Ok(tensor);
        }
        let shape = burn_shape(&shape);
        Ok(ComposedTensor::new(map_tensor!(tensor.tensor, float_expand, int_expand, bool_expand, shape)))
    }
    fn slice(tensor: ComposedTensor<B>, ranges: &[(usize, usize, usize)]) -> Result<ComposedTensor<B>> {
        kinds::slice(tensor, ranges)
    }
    fn slice_assign(
        into: ComposedTensor<B>,
        ranges: &[(usize, usize, usize)],
        source: ComposedTensor<B>,
    ) -> Result<ComposedTensor<B>> {
        kinds::slice_assign(into, ranges, source)
    }
    fn cat(tensors: Vec<ComposedTensor<B>>, axis: usize) -> Result<ComposedTensor<B>> {
        kinds::cat(tensors, axis)
    }
    fn full(shape: Shape, value: Scalar, dtype: DType, device: &B::Device) -> Result<ComposedTensor<B>> {
        kinds::full(shape, value, dtype, device)
    }
    fn random(
        shape: Shape,
        distribution: Distribution,
        dtype: DType,
        device: &B::Device,
    ) -> Result<ComposedTensor<B>> {
        let distribution = match distribution {
            Distribution::Uniform { low, high } => burn::backend::Distribution::Uniform(low, high),
            Distribution::Normal { mean, std } => burn::backend::Distribution::Normal(mean, std),
        };
        let tensor = B::float_random(burn_shape(&shape), distribution, device, float(dtype));
        Ok(ComposedTensor { tensor: OpTensor::Float(tensor), is_scalar: shape.rank() == 0 })
    }
}
