//! Ops under Burn's fusion: an op is one custom operation in the queue. The shapes and dtypes of its results
//! are known before it runs. Wrong shapes, dtypes and devices of the arguments are reported on the caller's
//! thread. Errors that only a kernel finds, such as a function that the device lacks in f64, are reported
//! when a result is read.

use crate::backend::OpBackend;
use crate::results;
use crate::tensor::{OpTensor, burn_shape, same_device};
use burn::backend::ExecutionError;
use burn_fusion::custom::{
    CustomOpIr, HandleContainer, OperationFn, OperationIr, ScalarIr, StreamId, TensorIr,
};
use burn_fusion::{Fusion, FusionBackend, FusionRuntime, FusionTensor};
use tensor_op_core::{DType, Error, ErrorKind, Op, Result, Shape, Value};
use tensor_op_spec::ir::{Kind, Scalar};

/// The container of a backend's tensors in the queue.
type Handles<B> = HandleContainer<<<B as FusionBackend>::FusionRuntime as FusionRuntime>::FusionHandle>;

/// An argument that waits until the op runs.
enum Queued {
    Tensor(Kind, TensorIr),
    Scalar(Scalar),
    Shape(Shape),
}

impl<B: FusionBackend + OpBackend> OpBackend for Fusion<B> {
    fn run_op(
        op: &dyn Op,
        args: Vec<Value<OpTensor<Self>>>,
        wanted: &[bool],
    ) -> Result<Vec<Option<OpTensor<Self>>>> {
        let graph = op.spec().graph();
        let named = |error: Error| error.with_op(&graph.name);
        let client = args.iter().find_map(Value::tensor).map(|tensor| fused::<B>(tensor).client.clone());
        let client =
            client.ok_or_else(|| named(Error::new(ErrorKind::Length, "there is no tensor argument")))?;
        let device = client.device().clone();
        for (at, arg) in args.iter().enumerate() {
            check_place(arg, &device).map_err(|error| error.of_arg(graph, at))?;
        }
        let outputs: Vec<(Kind, TensorIr)> = (0..graph.outputs.len())
            .filter(|output| wanted.get(*output) == Some(&true))
            .map(|output| {
                let (shape, dtype): (Shape, DType) =
                    results::shape_and_dtype(graph, output, &args).map_err(named)?;
                let (id, stored) = (client.create_empty_handle(), B::stored(dtype, &device).map_err(named)?);
                Ok((dtype.kind(), TensorIr::uninit(id, burn_shape(&shape), stored)))
            })
            .collect::<Result<_>>()?;
        let args: Vec<Queued> = args.into_iter().map(queued::<B>).collect();
        let ir = custom_ir(format!("tensor_op::{} {wanted:?}", graph.name), &args, &outputs);
        let (op, mask, made) = (op.shared(), wanted.to_vec(), outputs.clone());
        let run = OperationFn(move |handles: &mut Handles<B>| {
            let args = args.iter().map(|arg| resolve::<B>(arg, handles)).collect();
            let results = B::run_op(&*op, args, &mask).map_err(|error| ExecutionError::WithContext {
                reason: error.with_op(op.spec().name()).to_string(),
            })?;
            for (result, (_, ir)) in results.into_iter().flatten().zip(&made) {
                match result {
                    OpTensor::Float(tensor) => handles.register_float_tensor::<B>(&ir.id, tensor),
                    OpTensor::Int(tensor) => handles.register_int_tensor::<B>(&ir.id, tensor),
                    OpTensor::Bool(tensor) => handles.register_bool_tensor::<B>(&ir.id, tensor),
                }
            }
            Ok(())
        });
        let results = client.register(StreamId::current(), OperationIr::Custom(ir), run);
        let mut results = results.into_iter().zip(outputs).map(|(tensor, (kind, _))| match kind {
            Kind::Float => OpTensor::Float(tensor),
            Kind::Int => OpTensor::Int(tensor),
            Kind::Bool => OpTensor::Bool(tensor),
        });
        Ok(wanted.iter().map(|wanted| if *wanted { results.next() } else { None }).collect())
    }
}

/// The op as Burn's fusion server sees it.
fn custom_ir(id: String, args: &[Queued], outputs: &[(Kind, TensorIr)]) -> CustomOpIr {
    let inputs = args.iter().filter_map(|arg| match arg {
        Queued::Tensor(_, ir) => Some(ir.clone()),
        Queued::Scalar(_) | Queued::Shape(_) => None,
    });
    let scalars = args.iter().filter_map(|arg| match arg {
        Queued::Scalar(Scalar::Float(x)) => Some(ScalarIr::Float(*x)),
        Queued::Scalar(Scalar::Int(x)) => Some(ScalarIr::Int(*x)),
        Queued::Scalar(Scalar::Bool(x)) => Some(ScalarIr::Bool(*x)),
        Queued::Tensor(..) | Queued::Shape(_) => None,
    });
    CustomOpIr {
        id,
        inputs: inputs.collect(),
        outputs: outputs.iter().map(|(_, ir)| ir.clone()).collect(),
        scalars: scalars.collect(),
    }
}

/// Refuses an argument on another device, or of a dtype that this one lacks.
fn check_place<B: FusionBackend + OpBackend>(
    arg: &Value<OpTensor<Fusion<B>>>,
    device: &B::Device,
) -> Result<()> {
    let Value::Tensor(tensor) = arg else { return Ok(()) };
    same_device(fused::<B>(tensor).client.device(), device)?;
    B::stored(tensor.dtype()?, device).map(drop)
}

fn fused<B: FusionBackend>(tensor: &OpTensor<Fusion<B>>) -> &FusionTensor<B::FusionRuntime> {
    match tensor {
        OpTensor::Float(tensor) | OpTensor::Int(tensor) | OpTensor::Bool(tensor) => tensor,
    }
}

fn queued<B: FusionBackend>(arg: Value<OpTensor<Fusion<B>>>) -> Queued {
    match arg {
        Value::Tensor(OpTensor::Float(tensor)) => Queued::Tensor(Kind::Float, tensor.into_ir()),
        Value::Tensor(OpTensor::Int(tensor)) => Queued::Tensor(Kind::Int, tensor.into_ir()),
        Value::Tensor(OpTensor::Bool(tensor)) => Queued::Tensor(Kind::Bool, tensor.into_ir()),
        Value::Scalar(scalar) => Queued::Scalar(scalar),
        Value::Shape(shape) => Queued::Shape(shape),
    }
}

fn resolve<B: FusionBackend>(arg: &Queued, handles: &mut Handles<B>) -> Value<OpTensor<B>> {
    match arg {
        Queued::Tensor(Kind::Float, ir) => Value::Tensor(OpTensor::Float(handles.get_float_tensor::<B>(ir))),
        Queued::Tensor(Kind::Int, ir) => Value::Tensor(OpTensor::Int(handles.get_int_tensor::<B>(ir))),
        Queued::Tensor(Kind::Bool, ir) => Value::Tensor(OpTensor::Bool(handles.get_bool_tensor::<B>(ir))),
        Queued::Scalar(scalar) => Value::Scalar(*scalar),
        Queued::Shape(shape) => Value::Shape(shape.clone()),
    }
}
