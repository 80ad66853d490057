//! Ops on Burn's autodiff: an op runs on the wrapped backend, and a tracked call leaves a node in Burn's
//! graph.
//!
//! The plan is the same that tensor-op's own autodiff follows: which gradients exist, which op computes them,
//! and which arguments it takes. Burn keeps the graph, the gradients and the checkpoints.
//! `Autodiff<Autodiff<B>>` records the backward ops too, since they are ops.

mod backward;
mod chain;
mod retro;
mod saved;

use crate::backend::OpBackend;
use crate::tensor::OpTensor;
use backward::{Arrival, Differentiate, State};
use burn::backend::AutodiffBackend;
use burn::backend::autodiff::Autodiff;
use burn::backend::autodiff::checkpoint::strategy::CheckpointStrategy;
use burn::backend::autodiff::ops::{Backward, NodeGuard, OpsKind};
use burn::backend::tensor::FloatTensor;
use retro::Recipe;
use saved::Like;
use std::sync::{Arc, Mutex};
use tensor_op_autodiff::plan::{BackwardPlan, plan};
use tensor_op_core::{Error, ErrorKind, Op, Result, Value};
use tensor_op_spec::ir::Kind;

/// The results of an op; only the wanted ones are `Some`.
type Results<B> = Vec<Option<OpTensor<B>>>;

impl<B: OpBackend, C: CheckpointStrategy> OpBackend for Autodiff<B, C> {
    fn run_op(op: &dyn Op, args: Vec<Value<OpTensor<Self>>>, wanted: &[bool]) -> Result<Results<Self>> {
        let tracked: Vec<bool> = args.iter().map(is_tracked).collect();
        if !tracked.contains(&true) || !gives_float(op, wanted) {
            let results = B::run_op(op, args.into_iter().map(inner).collect(), wanted)?;
            return Ok(results.into_iter().map(|result| result.map(constant)).collect());
        }
        match plan(op, tracked.iter().copied(), wanted) {
            Ok(plan) => by_count::<B, C>(plan.parents.len(), op, args, wanted, &plan),
            Err(reason) => chain::refuse::<B, C>(op, args, wanted, reason),
        }
    }
}

/// Calls `record` with the number of parents as a constant, because Burn's nodes need it at compile time.
fn by_count<B: OpBackend, C: CheckpointStrategy>(
    parents: usize,
    op: &dyn Op,
    args: Vec<Value<OpTensor<Autodiff<B, C>>>>,
    wanted: &[bool],
    plan: &Arc<BackwardPlan>,
) -> Result<Results<Autodiff<B, C>>> {
    macro_rules! counts {
        ($($count:literal)*) => {
            match parents {
                $($count => record::<B, C, $count>(op, args, wanted, plan),)*
                _ => {
                    let message = format!("has {parents} tracked arguments; Burn's nodes take up to 16 here");
                    Err(Error::new(ErrorKind::Unsupported, message).with_op(op.spec().name()))
                }
            }
        };
    }
    counts!(1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16)
}

/// Runs an op and leaves a node for it. If there are several results, each has its own node, whose parent is
/// the node of the op.
fn record<B: OpBackend, C: CheckpointStrategy, const N: usize>(
    op: &dyn Op,
    args: Vec<Value<OpTensor<Autodiff<B, C>>>>,
    wanted: &[bool],
    plan: &Arc<BackwardPlan>,
) -> Result<Results<Autodiff<B, C>>> {
    let guards: Vec<NodeGuard> = plan.parents.iter().filter_map(|arg| guard(&args[*arg])).collect();
    let guards: [NodeGuard; N] = guards.try_into().map_err(|_| {
        Error::new(ErrorKind::Gradient, "a tracked argument is no float tensor").with_op(&plan.name)
    })?;
    let prep = Differentiate.prepare::<C>(guards);
    let prep = if plan.memory_bound && gives_one(op, wanted) {
        prep.memory_bound().retro_forward(Recipe::<B>::new(op, &args)).parents(floats(&args))
    } else {
        prep.compute_bound()
    };
    let mut prep = match prep.stateful() {
        OpsKind::Tracked(prep) => prep,
        OpsKind::UnTracked(_) => {
            return Err(Error::new(ErrorKind::Gradient, "Burn lost track of an argument").with_op(&plan.name));
        }
    };
    let mut kept = saved::args(plan, op.spec().graph(), &args, |tensor| prep.checkpoint(tensor))?;
    let results = B::run_op(op, args.into_iter().map(inner).collect(), &plan.run)?;
    let computed: Vec<&OpTensor<B>> = results.iter().flatten().collect();
    saved::results(plan, &mut kept, &computed)?;
    let outputs = computed.iter().filter(|tensor| matches!(tensor, OpTensor::Float(_)));
    let outputs: Vec<Like<B>> = outputs.map(|tensor| Like::of(tensor)).collect::<Result<_>>()?;
    let visible = wanted_floats(&results, wanted);
    let state = |arrival| State { plan: plan.clone(), kept, outputs, arrival };
    if let [only] = visible[..] {
        let mut state = Some((prep, state(Arrival::Own { slot: only })));
        return Ok(attach(results, wanted, |_, tensor| match state.take() {
            Some((prep, state)) => prep.finish(state, tensor),
            None => constant_float::<B, C>(tensor),
        }));
    }
    let slots = Arc::new(Mutex::new(vec![None; visible.len()]));
    let Some(OpTensor::Float(any)) = computed.iter().find(|tensor| matches!(tensor, OpTensor::Float(_)))
    else {
        return Err(Error::new(ErrorKind::Gradient, "no result is a float").with_op(&plan.name));
    };
    let joint = prep.finish(state(Arrival::Chained(slots.clone())), (*any).clone());
    Ok(attach(results, wanted, |slot, tensor| chain::link::<B, C>(&joint, slot, &slots, tensor)))
}

/// Whether the only declared result is wanted, and nothing else. Only such a call can be computed again.
fn gives_one(op: &dyn Op, wanted: &[bool]) -> bool {
    let visible = op.spec().graph().visible();
    visible == wanted && visible.iter().filter(|is_visible| **is_visible).count() == 1
}

/// The slots of the float results that the caller gets. Hidden results come after them.
fn wanted_floats<B: OpBackend>(results: &Results<B>, wanted: &[bool]) -> Vec<usize> {
    let floats = results.iter().zip(wanted).filter(|(result, _)| matches!(result, Some(OpTensor::Float(_))));
    floats.enumerate().filter(|(_, (_, wanted))| **wanted).map(|(slot, _)| slot).collect()
}

/// The wanted results. A float result gets a node, by its slot.
fn attach<B: OpBackend, C: CheckpointStrategy>(
    results: Results<B>,
    wanted: &[bool],
    mut node: impl FnMut(usize, FloatTensor<B>) -> FloatTensor<Autodiff<B, C>>,
) -> Results<Autodiff<B, C>> {
    let mut slots = 0..;
    let attached = results.into_iter().zip(wanted).map(|(result, wanted)| match (result, wanted) {
        (Some(OpTensor::Float(tensor)), true) => slots.next().map(|slot| OpTensor::Float(node(slot, tensor))),
        (Some(OpTensor::Int(tensor)), true) => Some(OpTensor::Int(tensor)),
        (Some(OpTensor::Bool(tensor)), true) => Some(OpTensor::Bool(tensor)),
        (Some(_), false) | (None, _) => None,
    });
    attached.collect()
}

fn is_tracked<B: OpBackend, C: CheckpointStrategy>(arg: &Value<OpTensor<Autodiff<B, C>>>) -> bool {
    match arg {
        Value::Tensor(OpTensor::Float(tensor)) => tensor.is_tracked(),
        Value::Tensor(OpTensor::Int(_) | OpTensor::Bool(_)) | Value::Scalar(_) | Value::Shape(_) => false,
    }
}

fn guard<B: OpBackend, C: CheckpointStrategy>(arg: &Value<OpTensor<Autodiff<B, C>>>) -> Option<NodeGuard> {
    match arg {
        Value::Tensor(OpTensor::Float(tensor)) => Some(tensor.node()),
        Value::Tensor(OpTensor::Int(_) | OpTensor::Bool(_)) | Value::Scalar(_) | Value::Shape(_) => None,
    }
}

fn floats<B: OpBackend, C: CheckpointStrategy>(
    args: &[Value<OpTensor<Autodiff<B, C>>>],
) -> impl Iterator<Item = &FloatTensor<Autodiff<B, C>>> {
    args.iter().filter_map(|arg| match arg {
        Value::Tensor(OpTensor::Float(tensor)) => Some(tensor),
        Value::Tensor(OpTensor::Int(_) | OpTensor::Bool(_)) | Value::Scalar(_) | Value::Shape(_) => None,
    })
}

/// The argument on the wrapped backend.
fn inner<B: OpBackend, C: CheckpointStrategy>(arg: Value<OpTensor<Autodiff<B, C>>>) -> Value<OpTensor<B>> {
    arg.map(|tensor| match tensor {
        OpTensor::Float(tensor) => OpTensor::Float(tensor.into_primitive()),
        OpTensor::Int(tensor) => OpTensor::Int(tensor),
        OpTensor::Bool(tensor) => OpTensor::Bool(tensor),
    })
}

fn constant_float<B: OpBackend, C: CheckpointStrategy>(
    tensor: FloatTensor<B>,
) -> FloatTensor<Autodiff<B, C>> {
    <Autodiff<B, C> as AutodiffBackend>::from_inner(tensor)
}

/// A tensor without a gradient.
pub(crate) fn constant<B: OpBackend, C: CheckpointStrategy>(tensor: OpTensor<B>) -> OpTensor<Autodiff<B, C>> {
    match tensor {
        OpTensor::Float(tensor) => OpTensor::Float(constant_float::<B, C>(tensor)),
        OpTensor::Int(tensor) => OpTensor::Int(tensor),
        OpTensor::Bool(tensor) => OpTensor::Bool(tensor),
    }
}

fn gives_float(op: &dyn Op, wanted: &[bool]) -> bool {
    let graph = op.spec().graph();
    let outputs = graph.outputs.iter().zip(wanted).filter(|(_, wanted)| **wanted);
    outputs.into_iter().any(|(output, _)| graph.node(output.node).kind == Kind::Float)
}
