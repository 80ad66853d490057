//! Nodes for the results of an op that has several. Each hands its gradient to the one node of the op, which
//! is older and therefore comes later in the backward pass. Also the node of an op without a gradient: it
//! reports this when a gradient arrives.

use super::backward::Slots;
use super::{Results, attach, inner};
use crate::backend::OpBackend;
use crate::tensor::OpTensor;
use burn::backend::autodiff::Autodiff;
use burn::backend::autodiff::checkpoint::base::Checkpointer;
use burn::backend::autodiff::checkpoint::strategy::CheckpointStrategy;
use burn::backend::autodiff::grads::Gradients;
use burn::backend::autodiff::ops::{Backward, Ops, OpsKind};
use burn::backend::tensor::FloatTensor;
use std::fmt;
use std::sync::PoisonError;
use tensor_op_core::{Op, Result, Value};

/// The backward step of one result.
#[derive(Debug)]
struct Link;

/// Where a result puts its gradient.
#[derive(Clone)]
struct Slot<B: OpBackend> {
    slots: Slots<B>,
    slot: usize,
}

impl<B: OpBackend> fmt::Debug for Slot<B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Slot({})", self.slot)
    }
}

impl<B: OpBackend> Backward<B, 1> for Link {
    type State = Slot<B>;

    fn backward(self, ops: Ops<Slot<B>, 1>, grads: &mut Gradients, _: &mut Checkpointer) {
        let Slot { slots, slot } = ops.state;
        let gradient = grads.consume::<B>(&ops.node);
        slots.lock().unwrap_or_else(PoisonError::into_inner)[slot] = Some(gradient);
    }
}

/// Makes a node for the result with this slot. Its parent is the node of the op.
pub(super) fn link<B: OpBackend, C: CheckpointStrategy>(
    joint: &FloatTensor<Autodiff<B, C>>,
    slot: usize,
    slots: &Slots<B>,
    result: FloatTensor<B>,
) -> FloatTensor<Autodiff<B, C>> {
    match Link.prepare::<C>([joint.node()]).compute_bound().stateful() {
        OpsKind::Tracked(prep) => prep.finish(Slot { slots: slots.clone(), slot }, result),
        OpsKind::UnTracked(prep) => prep.finish(result),
    }
}

/// The backward step of an op without a gradient.
#[derive(Debug)]
struct Refuse;

impl<B: OpBackend> Backward<B, 1> for Refuse {
    type State = String;

    fn backward(self, ops: Ops<String, 1>, _: &mut Gradients, _: &mut Checkpointer) {
        panic!("{}", ops.state);
    }
}

/// Runs an op whose results have no gradient, and keeps the reason for the error.
pub(super) fn refuse<B: OpBackend, C: CheckpointStrategy>(
    op: &dyn Op,
    args: Vec<Value<OpTensor<Autodiff<B, C>>>>,
    wanted: &[bool],
    reason: String,
) -> Result<Results<Autodiff<B, C>>> {
    let parent = super::floats(&args).find(|tensor| tensor.is_tracked()).cloned();
    let results = B::run_op(op, args.into_iter().map(inner).collect(), wanted)?;
    let message = format!("{}: {reason}", op.spec().name());
    Ok(attach(results, wanted, |_, result| {
        let Some(parent) = &parent else { return super::constant_float::<B, C>(result) };
        match Refuse.prepare::<C>([parent.node()]).compute_bound().stateful() {
            OpsKind::Tracked(prep) => prep.finish(message.clone(), result),
            OpsKind::UnTracked(prep) => prep.finish(result),
        }
    }))
}
