//! The values that a node keeps for the backward op: exactly those of the plan.
//!
//! Float arguments are left to Burn's checkpointing, which keeps them or computes them again. Results, ints,
//! bools and scalars are kept here.

use crate::adapter::zeros;
use crate::backend::OpBackend;
use crate::results;
use crate::tensor::OpTensor;
use burn::backend::autodiff::checkpoint::base::Checkpointer;
use burn::backend::autodiff::checkpoint::strategy::CheckpointStrategy;
use burn::backend::autodiff::{Autodiff, NodeId};
use burn::backend::tensor::FloatTensor;
use tensor_op_autodiff::plan::{BackwardPlan, Part, Take};
use tensor_op_core::{DType, Error, ErrorKind, Result, Shape, Value};
use tensor_op_spec::ir::{Graph, Scalar};

/// An argument of a backward op, before it runs.
#[derive(Clone, Debug)]
pub(super) enum Kept<B: OpBackend> {
    /// A float argument, given by its node.
    Checkpoint(NodeId),
    Tensor(OpTensor<B>),
    Scalar(Scalar),
    Shape(Shape),
    /// A tensor whose elements may have any value, because no wanted gradient depends on them.
    Blank(Like<B>),
    /// The gradient of the float result with this slot.
    Gradient(usize),
    /// A result that does not exist yet.
    Later,
}

/// Shape, dtype and device of a tensor, without its elements.
#[derive(Clone, Debug)]
pub(super) struct Like<B: OpBackend> {
    pub(super) shape: Shape,
    pub(super) dtype: DType,
    pub(super) device: B::Device,
}

impl<B: OpBackend> Like<B> {
    pub(super) fn of(tensor: &OpTensor<B>) -> Result<Like<B>> {
        Ok(Like { shape: tensor.shape(), dtype: tensor.dtype()?, device: tensor.device() })
    }
}

impl<B: OpBackend> Kept<B> {
    /// The value of the argument, when the backward op is about to run.
    pub(super) fn resolve(
        self,
        checkpointer: &mut Checkpointer,
        gradient: impl FnOnce(usize) -> Result<OpTensor<B>>,
    ) -> Result<Value<OpTensor<B>>> {
        Ok(match self {
            Kept::Checkpoint(node) => {
                Value::Tensor(OpTensor::Float(checkpointer.retrieve_node_output::<FloatTensor<B>>(node)))
            }
            Kept::Tensor(tensor) => Value::Tensor(tensor),
            Kept::Scalar(scalar) => Value::Scalar(scalar),
            Kept::Shape(shape) => Value::Shape(shape),
            Kept::Blank(Like { shape, dtype, device }) => Value::Tensor(zeros::<B>(&shape, dtype, &device)?),
            Kept::Gradient(slot) => Value::Tensor(gradient(slot)?),
            Kept::Later => {
                return Err(Error::new(ErrorKind::Gradient, "nothing was saved for the backward op"));
            }
        })
    }
}

/// The values that a plan keeps of the arguments, before the op runs.
pub(super) fn args<B: OpBackend, C: CheckpointStrategy>(
    plan: &BackwardPlan,
    forward: &Graph,
    args: &[Value<OpTensor<Autodiff<B, C>>>],
    mut checkpoint: impl FnMut(&FloatTensor<Autodiff<B, C>>) -> NodeId,
) -> Result<Vec<Kept<B>>> {
    let keep = |take: &Take| match *take {
        Take::Arg { index, part, .. } => match (&args[index], part) {
            (Value::Scalar(scalar), _) => Ok(Kept::Scalar(*scalar)),
            (Value::Shape(shape), _) => Ok(Kept::Shape(shape.clone())),
            (Value::Tensor(tensor), Part::Shape) => Ok(Kept::Shape(tensor.shape())),
            (Value::Tensor(tensor), Part::Nothing) => {
                let (shape, dtype) = (tensor.shape(), tensor.dtype()?);
                Ok(Kept::Blank(Like { shape, dtype, device: tensor.device() }))
            }
            (Value::Tensor(OpTensor::Float(tensor)), Part::Elements) => {
                Ok(Kept::Checkpoint(checkpoint(tensor)))
            }
            (Value::Tensor(OpTensor::Int(tensor)), Part::Elements) => {
                Ok(Kept::Tensor(OpTensor::Int(tensor.clone())))
            }
            (Value::Tensor(OpTensor::Bool(tensor)), Part::Elements) => {
                Ok(Kept::Tensor(OpTensor::Bool(tensor.clone())))
            }
        },
        Take::Absent { output } => result_like(forward, output, args).map(Kept::Blank),
        Take::Gradient { slot } => Ok(Kept::Gradient(slot)),
        Take::Result { .. } => Ok(Kept::Later),
    };
    plan.args.iter().map(keep).collect()
}

/// Adds the values that a plan keeps of the computed results.
pub(super) fn results<B: OpBackend>(
    plan: &BackwardPlan,
    kept: &mut [Kept<B>],
    computed: &[&OpTensor<B>],
) -> Result<()> {
    for (take, kept) in plan.args.iter().zip(kept) {
        if let Take::Result { index, part, .. } = *take {
            let result = computed[index];
            *kept = match part {
                Part::Elements => Kept::Tensor(result.clone()),
                Part::Shape => Kept::Shape(result.shape()),
                Part::Nothing => Kept::Blank(Like::of(result)?),
            };
        }
    }
    Ok(())
}

/// Shape, dtype and device that a result of an op would have for these arguments.
fn result_like<B: OpBackend, C: CheckpointStrategy>(
    forward: &Graph,
    output: usize,
    args: &[Value<OpTensor<Autodiff<B, C>>>],
) -> Result<Like<B>> {
    let (shape, dtype) = results::shape_and_dtype(forward, output, args)?;
    let device = args.iter().find_map(Value::tensor).map(OpTensor::device).unwrap_or_default();
    Ok(Like { shape, dtype, device })
}
