//! An op that is computed again in the backward pass. Balanced checkpointing does this with memory-bound ops.

use crate::backend::OpBackend;
use crate::tensor::OpTensor;
use burn::backend::autodiff::checkpoint::retro_forward::RetroForward;
use burn::backend::autodiff::checkpoint::state::BackwardStates;
use burn::backend::autodiff::checkpoint::strategy::CheckpointStrategy;
use burn::backend::autodiff::{Autodiff, NodeId};
use burn::backend::tensor::FloatTensor;
use std::fmt;
use std::sync::Arc;
use tensor_op_core::{Error, ErrorKind, Op, Result, Value};

/// An op with one result, and its arguments. Float arguments are given by their nodes.
pub(super) struct Recipe<B: OpBackend> {
    op: Arc<dyn Op>,
    args: Vec<Source<B>>,
}

enum Source<B: OpBackend> {
    Node(NodeId),
    Other(Value<OpTensor<B>>),
}

impl<B: OpBackend> Recipe<B> {
    pub(super) fn new<C: CheckpointStrategy>(op: &dyn Op, args: &[Value<OpTensor<Autodiff<B, C>>>]) -> Self {
        let source = |arg: &Value<OpTensor<Autodiff<B, C>>>| match arg {
            Value::Tensor(OpTensor::Float(tensor)) => Source::Node(tensor.id()),
            Value::Tensor(OpTensor::Int(tensor)) => {
                Source::Other(Value::Tensor(OpTensor::Int(tensor.clone())))
            }
            Value::Tensor(OpTensor::Bool(tensor)) => {
                Source::Other(Value::Tensor(OpTensor::Bool(tensor.clone())))
            }
            Value::Scalar(scalar) => Source::Other(Value::Scalar(*scalar)),
            Value::Shape(shape) => Source::Other(Value::Shape(shape.clone())),
        };
        Recipe { op: op.shared(), args: args.iter().map(source).collect() }
    }

    fn run(&self, states: &mut BackwardStates) -> Result<FloatTensor<B>> {
        let arg = |source: &Source<B>| match source {
            Source::Node(node) => Value::Tensor(OpTensor::Float(states.get_state::<FloatTensor<B>>(node))),
            Source::Other(value) => value.clone(),
        };
        let args = self.args.iter().map(arg).collect();
        let wanted = self.op.spec().graph().visible();
        let result = B::run_op(&*self.op, args, &wanted)?.into_iter().flatten().next();
        result.ok_or_else(|| Error::new(ErrorKind::Backend, "the op gave no result"))?.float()
    }
}

impl<B: OpBackend> RetroForward for Recipe<B> {
    fn forward(&self, states: &mut BackwardStates, out_node: NodeId) {
        match self.run(states) {
            Ok(result) => states.save(out_node, result),
            Err(error) => panic!("{}: computed again: {error}", self.op.spec().name()),
        }
    }
}

impl<B: OpBackend> fmt::Debug for Recipe<B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Recipe({})", self.op.spec().name())
    }
}
