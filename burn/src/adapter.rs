//! A Burn backend as a backend of tensor-op. Its structural primitives are Burn's operations, and the
//! interpreter of graphs composes any op of them.
//!
//! Burn has no tensors without axes, so a scalar is kept as a tensor of one element and is marked.

mod elementwise;
mod gamma;
mod kinds;
mod reduce;

use crate::backend::OpBackend;
use crate::dtype::{float, from_burn, int, scalar};
use crate::results;
use crate::tensor::{OpTensor, burn_shape, declared_shape, scalars};
use burn::backend::{BackendTypes, BoolDType, DeviceOps, TensorMetadata};
use kinds::map_tensor;
use std::marker::PhantomData;
use tensor_op_core::{
    Backend, Binding, DType, DTypeUsage, Error, ErrorKind, Op, Result, Shape, TensorData, Value, composed,
};
use tensor_op_spec::ir::{Kind, Output, Scalar};
use tensor_op_spec::prim::{Fold, Prim};

/// A Burn backend as a backend of tensor-op, which can be registered like any other. The structural
/// primitives are Burn's operations. Ops run as they do in Burn, with kernels if there are some.
#[derive(Clone, Copy, Debug)]
pub struct Adapter<B>(PhantomData<B>);

/// A tensor of a Burn backend, or a scalar.
#[derive(Clone, Debug)]
pub struct AdapterTensor<B: BackendTypes> {
    tensor: OpTensor<B>,
    /// Whether the tensor stands for a scalar, which does not have the tensor's one axis of size 1.
    is_scalar: bool,
}

/// Runs an op as a composition.
pub(crate) fn run<B: OpBackend>(
    op: &dyn Op,
    args: Vec<Value<OpTensor<B>>>,
    wanted: &[bool],
) -> Result<Vec<Option<OpTensor<B>>>> {
    let graph = op.spec().graph();
    let scalars = scalars(graph, &args);
    let take = |(arg, is_scalar): (Value<OpTensor<B>>, bool)| match arg {
        Value::Tensor(tensor) => Value::Tensor(AdapterTensor { tensor, is_scalar }),
        Value::Scalar(scalar) => Value::Scalar(scalar),
        Value::Shape(shape) => Value::Shape(declared_shape(is_scalar, shape)),
    };
    let args: Vec<_> = args.into_iter().zip(scalars).map(take).collect();
    check_dtypes(op, &args)?;
    let results = composed::run::<Adapter<B>>(op, args, wanted)?;
    Ok(results.into_iter().map(|result| result.map(|result| result.tensor)).collect())
}

fn check_dtypes<B: burn::backend::Backend>(op: &dyn Op, args: &[Value<AdapterTensor<B>>]) -> Result<()> {
    let graph = op.spec().graph();
    for (at, arg) in args.iter().enumerate() {
        if let Value::Tensor(tensor) = arg {
            tensor.tensor.dtype().map_err(|error| error.of_arg(graph, at))?;
        }
    }
    Ok(())
}

/// The shapes of the wanted results.
fn shapes<B: OpBackend>(
    op: &dyn Op,
    args: &[Value<AdapterTensor<B>>],
    wanted: &[bool],
) -> Result<Vec<Shape>> {
    let graph = op.spec().graph();
    let binding = Binding::from_args(graph, args, Adapter::<B>::shape)?;
    let shape = |(output, wanted): (&Output, &bool)| {
        if *wanted { results::shape(graph, output, &binding) } else { Ok(Shape::scalar()) }
    };
    graph.outputs.iter().zip(wanted).map(shape).collect()
}

/// A tensor of zeros.
pub(crate) fn zeros<B: OpBackend>(shape: &Shape, dtype: DType, device: &B::Device) -> Result<OpTensor<B>> {
    let zero = Scalar::Bool(false).cast(dtype.kind());
    Ok(<Adapter<B> as Backend>::full(shape.clone(), zero, dtype, device)?.tensor)
}

impl<B: burn::backend::Backend> AdapterTensor<B> {
    fn new(tensor: OpTensor<B>) -> AdapterTensor<B> {
        AdapterTensor { tensor, is_scalar: false }
    }

    /// The same tensor or scalar with other elements, in a tensor of the same shape.
    fn with(&self, tensor: OpTensor<B>) -> AdapterTensor<B> {
        AdapterTensor { tensor, is_scalar: self.is_scalar }
    }
}

/// The dtype in which the device stores bools.
fn bools<B: burn::backend::Backend>(device: &B::Device) -> BoolDType {
    device.defaults().bool_dtype
}

impl<B: OpBackend> Backend for Adapter<B> {
    type Device = B::Device;
    type Tensor = AdapterTensor<B>;

    fn name(device: &B::Device) -> String {
        B::name(device)
    }
    fn device_count() -> usize {
        1
    }
    fn dtype_usage(device: &B::Device, dtype: DType) -> DTypeUsage {
        let usage = B::dtype_usage(device, crate::dtype::to_burn(dtype, bools::<B>(device)));
        DTypeUsage {
            storage: usage.contains(burn::backend::DTypeUsage::Storage),
            arithmetic: usage.contains(burn::backend::DTypeUsage::Arithmetic),
            accelerated: usage.contains(burn::backend::DTypeUsage::Accelerated),
        }
    }
    fn sync(device: &B::Device) -> Result<()> {
        B::sync(device).map_err(|error| Error::new(ErrorKind::Backend, error.to_string()))
    }
    fn memory_cleanup(device: &B::Device) {
        B::memory_cleanup(device);
    }

    fn from_data(data: TensorData, device: &B::Device) -> Result<AdapterTensor<B>> {
        kinds::from_data(data, device)
    }
    fn into_data(tensor: AdapterTensor<B>) -> Result<TensorData> {
        kinds::into_data(tensor)
    }
    fn shape(tensor: &AdapterTensor<B>) -> Shape {
        if tensor.is_scalar { Shape::scalar() } else { tensor.tensor.shape() }
    }
    fn dtype(tensor: &AdapterTensor<B>) -> DType {
        from_burn(tensor.tensor.burn_dtype()).expect("dtypes are checked before a tensor comes here")
    }
    fn device(tensor: &AdapterTensor<B>) -> B::Device {
        tensor.tensor.device()
    }

    fn run(
        op: &dyn Op,
        args: Vec<Value<AdapterTensor<B>>>,
        wanted: &[bool],
    ) -> Result<Vec<Option<AdapterTensor<B>>>> {
        let shapes = shapes(op, &args, wanted)?;
        let args = args.into_iter().map(|arg| arg.map(|tensor| tensor.tensor)).collect();
        let results = B::run_op(op, args, wanted)?.into_iter().zip(shapes);
        let fit = |(result, shape): (Option<OpTensor<B>>, Shape)| match result {
            Some(tensor) if shape.rank() > 0 && tensor.shape() == shape => {
                Ok(Some(AdapterTensor::new(tensor)))
            }
            Some(tensor) => Self::reshape(AdapterTensor::new(tensor), shape).map(Some),
            None => Ok(None),
        };
        results.map(fit).collect()
    }

    fn apply(prim: Prim, args: Vec<AdapterTensor<B>>) -> Result<AdapterTensor<B>> {
        elementwise::apply(prim, args)
    }
    fn reduce(fold: Fold, tensor: AdapterTensor<B>, axes: &[usize]) -> Result<AdapterTensor<B>> {
        reduce::reduce(fold, tensor, axes)
    }
    fn matmul(lhs: AdapterTensor<B>, rhs: AdapterTensor<B>) -> Result<AdapterTensor<B>> {
        let (left, right) = (lhs.tensor.shape(), rhs.tensor.shape());
        let (&[b, m, k], &[_, _, n]) = (&left[..], &right[..]) else {
            return Err(Error::new(ErrorKind::Rank, "a matrix product takes two tensors of three axes"));
        };
        if b * m * k * n == 0 {
            let dtype = Self::dtype(&lhs);
            return Self::full(Shape::new(&[b, m, n]), Scalar::Float(0.0), dtype, &Self::device(&lhs));
        }
        let product = B::float_matmul(lhs.tensor.float()?, rhs.tensor.float()?);
        Ok(AdapterTensor::new(OpTensor::Float(product)))
    }
    fn gather(tensor: AdapterTensor<B>, axis: usize, index: AdapterTensor<B>) -> Result<AdapterTensor<B>> {
        kinds::gather(tensor, axis, index)
    }
    fn scatter_add(
        source: AdapterTensor<B>,
        axis: usize,
        index: AdapterTensor<B>,
        size: usize,
    ) -> Result<AdapterTensor<B>> {
        kinds::scatter_add(source, axis, index, size)
    }
    fn cast(tensor: AdapterTensor<B>, dtype: DType) -> Result<AdapterTensor<B>> {
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
    fn reshape(tensor: AdapterTensor<B>, shape: Shape) -> Result<AdapterTensor<B>> {
        let is_scalar = shape.rank() == 0;
        let shape = burn_shape(&shape);
        let tensor = map_tensor!(tensor.tensor, float_reshape, int_reshape, bool_reshape, shape);
        Ok(AdapterTensor { tensor, is_scalar })
    }
    fn permute(tensor: AdapterTensor<B>, axes: &[usize]) -> Result<AdapterTensor<B>> {
        if tensor.is_scalar {
            return Ok(tensor);
        }
        Ok(AdapterTensor::new(map_tensor!(tensor.tensor, float_permute, int_permute, bool_permute, axes)))
    }
    fn expand(tensor: AdapterTensor<B>, shape: Shape) -> Result<AdapterTensor<B>> {
        if tensor.is_scalar || tensor.tensor.shape() == shape {
            return Ok(tensor);
        }
        let shape = burn_shape(&shape);
        Ok(AdapterTensor::new(map_tensor!(tensor.tensor, float_expand, int_expand, bool_expand, shape)))
    }
    fn slice(tensor: AdapterTensor<B>, ranges: &[(usize, usize, usize)]) -> Result<AdapterTensor<B>> {
        kinds::slice(tensor, ranges)
    }
    fn slice_assign(
        into: AdapterTensor<B>,
        ranges: &[(usize, usize, usize)],
        source: AdapterTensor<B>,
    ) -> Result<AdapterTensor<B>> {
        kinds::slice_assign(into, ranges, source)
    }
    fn cat(tensors: Vec<AdapterTensor<B>>, axis: usize) -> Result<AdapterTensor<B>> {
        kinds::cat(tensors, axis)
    }
    fn full(shape: Shape, value: Scalar, dtype: DType, device: &B::Device) -> Result<AdapterTensor<B>> {
        kinds::full(shape, value, dtype, device)
    }
}
