//! The backward step of an op: runs its backward op for the tracked arguments.

use super::saved::{Kept, Like};
use crate::adapter::zeros;
use crate::backend::OpBackend;
use crate::tensor::OpTensor;
use burn::backend::autodiff::checkpoint::base::Checkpointer;
use burn::backend::autodiff::grads::Gradients;
use burn::backend::autodiff::ops::{Backward, Ops};
use burn::backend::tensor::FloatTensor;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use tensor_op_autodiff::plan::BackwardPlan;
use tensor_op_core::{Error, ErrorKind, Result};

/// The backward step of any op.
#[derive(Debug)]
pub(super) struct Differentiate;

/// The data of the step.
#[derive(Clone)]
pub(super) struct State<B: OpBackend> {
    pub(super) plan: Arc<BackwardPlan>,
    /// The arguments of the backward op.
    pub(super) kept: Vec<Kept<B>>,
    /// Shape, dtype and device of the computed float results. If no gradient arrives for a result, its
    /// gradient is zero.
    pub(super) outputs: Vec<Like<B>>,
    pub(super) arrival: Arrival<B>,
}

/// The gradients of results, by their slots.
pub(super) type Slots<B> = Arc<Mutex<Vec<Option<FloatTensor<B>>>>>;

/// Where the gradients of the results arrive.
#[derive(Clone)]
pub(super) enum Arrival<B: OpBackend> {
    /// At this node, which belongs to the result with this slot.
    Own { slot: usize },
    /// At nodes of the results, which put the gradients here.
    Chained(Slots<B>),
}

impl<B: OpBackend> fmt::Debug for State<B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "State({}, {} kept)", self.plan.name, self.kept.len())
    }
}

impl<B: OpBackend, const N: usize> Backward<B, N> for Differentiate {
    type State = State<B>;

    fn backward(self, ops: Ops<State<B>, N>, grads: &mut Gradients, checkpointer: &mut Checkpointer) {
        let State { plan, kept, outputs, arrival } = ops.state;
        let mut arrived: Vec<Option<FloatTensor<B>>> = vec![None; outputs.len()];
        match arrival {
            Arrival::Own { slot } => arrived[slot] = Some(grads.consume::<B>(&ops.node)),
            Arrival::Chained(slots) => {
                let mut slots = slots.lock().unwrap_or_else(PoisonError::into_inner);
                for (slot, gradient) in slots.iter_mut().enumerate() {
                    arrived[slot] = gradient.take();
                }
            }
        }
        match gradients::<B>(&plan, kept, &outputs, arrived, checkpointer) {
            Ok(found) => {
                for (parent, gradient) in ops.parents.iter().zip(found) {
                    if let Some(parent) = parent {
                        grads.register::<B>(parent.id, gradient);
                    }
                }
            }
            Err(error) => panic!("{}: backward: {error}", plan.name),
        }
    }
}

/// The gradients of the tracked arguments, in the order of the plan.
fn gradients<B: OpBackend>(
    plan: &BackwardPlan,
    kept: Vec<Kept<B>>,
    outputs: &[Like<B>],
    mut arrived: Vec<Option<FloatTensor<B>>>,
    checkpointer: &mut Checkpointer,
) -> Result<Vec<FloatTensor<B>>> {
    let mut gradient = |slot: usize| match arrived[slot].take() {
        Some(gradient) => Ok(OpTensor::Float(gradient)),
        None => zeros::<B>(&outputs[slot].shape, outputs[slot].dtype, &outputs[slot].device),
    };
    let args = kept.into_iter().map(|kept| kept.resolve(checkpointer, &mut gradient));
    let found = B::run_op(&*plan.backward, args.collect::<Result<_>>()?, &plan.wanted)?;
    let found: Vec<FloatTensor<B>> =
        found.into_iter().flatten().map(OpTensor::float).collect::<Result<_>>()?;
    if found.len() != plan.parents.len() {
        let message = format!("{} gradients were asked for, {} were given", plan.parents.len(), found.len());
        return Err(Error::new(ErrorKind::Gradient, message));
    }
    Ok(found)
}
