//! Finds the backend for the tensors that users hold.
//!
//! It works like Burn's own dispatch. The first float tensor decides the backend. The autodiff settings of
//! all tensors are merged; a tensor without autodiff is a constant next to tensors with autodiff. If this
//! crate was not built for the backend, the op runs composed.

use crate::adapter;
use crate::autodiff::constant;
use crate::backend::OpBackend;
use crate::tensor::OpTensor;
use burn::backend::autodiff::Autodiff;
use burn::backend::autodiff::checkpoint::strategy::{
    BalancedCheckpointing, CheckpointStrategy, NoCheckpointing,
};
use burn::backend::{
    BackendTensor, Dispatch, DispatchAutodiffContext, DispatchKindConversion, DispatchTensor,
    DispatchTensorKind, Flex, GradientCheckpointingStrategy,
};
use tensor_op_core::{Error, ErrorKind, Op, Result, Value};

impl OpBackend for Dispatch {
    fn run_op(
        op: &dyn Op,
        args: Vec<Value<OpTensor<Dispatch>>>,
        wanted: &[bool],
    ) -> Result<Vec<Option<OpTensor<Dispatch>>>> {
        if crate::function::is_composed() {
            return adapter::run::<Dispatch>(op, args, wanted);
        }
        let tensors = || args.iter().filter_map(Value::tensor);
        let is_float = |tensor: &&OpTensor<Dispatch>| matches!(tensor, OpTensor::Float(_));
        let Some(first) = tensors().find(is_float).or_else(|| tensors().next()) else {
            return adapter::run::<Dispatch>(op, args, wanted);
        };
        let contexts = tensors().map(|tensor| dispatched(tensor).autodiff);
        let context = contexts.fold(DispatchAutodiffContext::Disabled, DispatchAutodiffContext::merge);
        match backend(&dispatched(first).kind) {
            OnBackend::Flex => on::<Flex>(op, args, wanted, context),
            #[cfg(feature = "cube")]
            OnBackend::Cube => on::<burn::backend::Cube>(op, args, wanted, context),
            #[cfg(feature = "ndarray")]
            #[allow(deprecated, reason = "Burn keeps it for now")]
            OnBackend::NdArray => on::<burn::backend::NdArray>(op, args, wanted, context),
            OnBackend::Other => match context {
                DispatchAutodiffContext::Disabled => adapter::run::<Dispatch>(op, args, wanted),
                DispatchAutodiffContext::Enabled(_) => {
                    let message = "has no gradient on this backend: enable its feature of tensor-op, such as `burn-wgpu` or `burn-ndarray`";
                    Err(Error::new(ErrorKind::Unsupported, message).with_op(op.spec().name()))
                }
            },
        }
    }
}

/// The backends for which this crate was built.
enum OnBackend {
    Flex,
    #[cfg(feature = "cube")]
    Cube,
    #[cfg(feature = "ndarray")]
    NdArray,
    Other,
}

fn backend(kind: &DispatchTensorKind) -> OnBackend {
    match kind {
        DispatchTensorKind::Flex(_) => OnBackend::Flex,
        #[cfg(feature = "cube")]
        DispatchTensorKind::Cube(_) => OnBackend::Cube,
        #[cfg(feature = "ndarray")]
        DispatchTensorKind::NdArray(_) => OnBackend::NdArray,
        DispatchTensorKind::Autodiff(inner) => backend(inner),
        #[allow(unreachable_patterns, reason = "the user's crate may enable more of Burn's backends")]
        _ => OnBackend::Other,
    }
}

/// Runs an op on a backend, through its autodiff if that is on.
fn on<B: OpBackend>(
    op: &dyn Op,
    args: Vec<Value<OpTensor<Dispatch>>>,
    wanted: &[bool],
    context: DispatchAutodiffContext,
) -> Result<Vec<Option<OpTensor<Dispatch>>>>
where
    DispatchTensor: DispatchKindConversion<B>
        + DispatchKindConversion<Autodiff<B, NoCheckpointing>>
        + DispatchKindConversion<Autodiff<B, BalancedCheckpointing>>,
{
    match context {
        DispatchAutodiffContext::Disabled => through::<B>(op, args, wanted, unwrap::<B>),
        DispatchAutodiffContext::Enabled(GradientCheckpointingStrategy::Disabled) => {
            through(op, args, wanted, |tensor| lift::<B, NoCheckpointing>(tensor, context))
        }
        DispatchAutodiffContext::Enabled(GradientCheckpointingStrategy::Balanced) => {
            through(op, args, wanted, |tensor| lift::<B, BalancedCheckpointing>(tensor, context))
        }
    }
}

fn through<B: OpBackend>(
    op: &dyn Op,
    args: Vec<Value<OpTensor<Dispatch>>>,
    wanted: &[bool],
    unwrap: impl Fn(OpTensor<Dispatch>) -> Result<OpTensor<B>>,
) -> Result<Vec<Option<OpTensor<Dispatch>>>>
where
    DispatchTensor: DispatchKindConversion<B>,
{
    let graph = op.spec().graph();
    let unwrapped = args
        .into_iter()
        .enumerate()
        .map(|(at, arg)| arg.try_map(&unwrap).map_err(|error| error.of_arg(graph, at)));
    let results = B::run_op(op, unwrapped.collect::<Result<_>>()?, wanted)?;
    Ok(results.into_iter().map(|result| result.map(wrap::<B>)).collect())
}

/// The tensor on a backend without autodiff.
fn unwrap<B: OpBackend>(tensor: OpTensor<Dispatch>) -> Result<OpTensor<B>>
where
    DispatchTensor: DispatchKindConversion<B>,
{
    let (OpTensor::Float(tensor) | OpTensor::Int(tensor) | OpTensor::Bool(tensor)) = tensor;
    match <DispatchTensor as DispatchKindConversion<B>>::try_into_backend(tensor) {
        Ok(BackendTensor::Float(tensor)) => Ok(OpTensor::Float(tensor)),
        Ok(BackendTensor::Int(tensor)) => Ok(OpTensor::Int(tensor)),
        Ok(BackendTensor::Bool(tensor)) => Ok(OpTensor::Bool(tensor)),
        Ok(BackendTensor::Quantized(_)) => {
            Err(Error::new(ErrorKind::DType, "is quantized; call `dequantize` first"))
        }
        Ok(BackendTensor::Autodiff(_)) => {
            Err(Error::new(ErrorKind::Device, "has a gradient outside of autodiff"))
        }
        Err(reason) => Err(Error::new(ErrorKind::Device, format!("is on another backend: {reason}"))),
    }
}

/// The tensor on a backend with autodiff. It is a constant if it has no autodiff itself.
fn lift<B: OpBackend, C: CheckpointStrategy>(
    tensor: OpTensor<Dispatch>,
    context: DispatchAutodiffContext,
) -> Result<OpTensor<Autodiff<B, C>>>
where
    DispatchTensor: DispatchKindConversion<B> + DispatchKindConversion<Autodiff<B, C>>,
{
    if dispatched(&tensor).autodiff == context {
        return unwrap::<Autodiff<B, C>>(tensor);
    }
    unwrap::<B>(tensor).map(constant)
}

fn wrap<B: OpBackend>(tensor: OpTensor<B>) -> OpTensor<Dispatch>
where
    DispatchTensor: DispatchKindConversion<B>,
{
    let wrap = <DispatchTensor as DispatchKindConversion<B>>::from_backend;
    match tensor {
        OpTensor::Float(tensor) => OpTensor::Float(wrap(BackendTensor::Float(tensor))),
        OpTensor::Int(tensor) => OpTensor::Int(wrap(BackendTensor::Int(tensor))),
        OpTensor::Bool(tensor) => OpTensor::Bool(wrap(BackendTensor::Bool(tensor))),
    }
}

fn dispatched(tensor: &OpTensor<Dispatch>) -> &DispatchTensor {
    match tensor {
        OpTensor::Float(tensor) | OpTensor::Int(tensor) | OpTensor::Bool(tensor) => tensor,
    }
}
