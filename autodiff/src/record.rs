//! Recording: an op, a primitive or a movement runs on the wrapped backend, and a tracked call leaves one
//! node for all of its outputs.
//!
//! The node keeps what the backward op needs for the tracked inputs; see [`saved`](crate::saved). A primitive
//! that computes is recorded like an op. The tensors have no tangents here: [`dual`](crate::dual) has split
//! them off.

use crate::checkpoint::Draft;
use crate::like::{Like, is_float};
use crate::movement::{Moved, Movement};
use crate::node::{Again, Edge, Kept, Node, NodeId, Saved, Step};
use crate::plan::{BackwardPlan, Hidden, is_float as gives_float, plan};
use crate::primitive::Primitive;
use crate::saved::{save_args, save_results};
use crate::tensor::AutodiffTensor;
use std::sync::Arc;
use tensor_op_core::{Backend, Error, ErrorKind, Op, Result, Value};

/// Runs an op on the wrapped backend, and records it if gradients may flow through it. With `recompute`, its
/// results may be computed again instead of kept.
pub(crate) fn run_op<B: Backend>(
    op: &dyn Op,
    args: Vec<Value<AutodiffTensor<B>>>,
    wanted: &[bool],
    recompute: bool,
) -> Result<Vec<Option<AutodiffTensor<B>>>> {
    let again = recompute.then_some(|| Again::Op(op.shared(), wanted.to_vec()));
    record(op, args, wanted, again, |args, computed| B::run(op, args, computed))
}

/// Runs a primitive that computes, and records it as the op of its form. The primitive runs first: if that
/// succeeds, its arguments are valid and the form exists.
pub(crate) fn run_primitive<B: Backend>(
    call: Primitive,
    args: Vec<AutodiffTensor<B>>,
    recompute: bool,
) -> Result<AutodiffTensor<B>> {
    if !args.iter().any(AutodiffTensor::is_tracked) {
        let inner = args.into_iter().map(AutodiffTensor::into_inner).collect();
        return call.run::<B>(inner).map(AutodiffTensor::from_inner);
    }
    let output = call.run::<B>(args.iter().map(|tensor| tensor.inner().clone()).collect())?;
    let op = call.op::<B>(&args.iter().map(AutodiffTensor::inner).collect::<Vec<_>>())?;
    let args = call.args(args);
    let again = recompute.then_some(|| Again::Primitive(call));
    let outputs = record(&*op, args, &[true], again, |_, _| Ok(vec![Some(output)]))?;
    outputs
        .into_iter()
        .flatten()
        .next()
        .ok_or_else(|| Error::new(ErrorKind::Backend, "a primitive gave no result"))
}

/// Moves tensors, and records the movement if one of them is tracked.
pub(crate) fn run_movement<B: Backend>(
    movement: Movement<B::Device>,
    tensors: Vec<AutodiffTensor<B>>,
    recompute: bool,
) -> Result<AutodiffTensor<B>> {
    let (tensors, edges): (Vec<_>, Vec<_>) = tensors.into_iter().map(AutodiffTensor::into_parts).unzip();
    if edges.iter().all(Option::is_none) {
        return movement.run::<B>(tensors).map(AutodiffTensor::from_inner);
    }
    let inputs: Vec<Like<B::Device>> = tensors.iter().map(Like::of::<B>).collect();
    let values = || tensors.iter().cloned().map(Value::Tensor).collect::<Vec<_>>();
    let draft = recompute.then(|| Draft::new(Again::Move(movement.clone()), &values(), &edges, |_| false));
    let output = movement.run::<B>(tensors)?;
    if !is_float::<B>(&output) {
        return Ok(AutodiffTensor::from_inner(output));
    }
    let tracked = (0..edges.len()).filter(|i| edges[*i].is_some()).collect();
    let step = Step::Move(Moved { movement, inputs, tracked });
    let (id, outputs) = (NodeId::next(), vec![Like::of::<B>(&output)]);
    let recipe = draft.and_then(|draft| draft.recipe(id, &outputs));
    let node = Node::with_recipe(id, edges.into_iter().flatten().collect(), outputs, step, recipe);
    Ok(AutodiffTensor::tracked(output, Edge { node, output: 0 }))
}

/// Runs an op on `B` through `forward`, and records it if gradients may flow through it. With `again`, which
/// says how to run it another time, its results may be computed again instead of kept.
fn record<B: Backend>(
    op: &dyn Op,
    args: Vec<Value<AutodiffTensor<B>>>,
    wanted: &[bool],
    again: Option<impl FnOnce() -> Again<B::Device>>,
    forward: impl FnOnce(Vec<Value<B::Tensor>>, &[bool]) -> Result<Vec<Option<B::Tensor>>>,
) -> Result<Vec<Option<AutodiffTensor<B>>>> {
    let is_tracked = |arg: &Value<AutodiffTensor<B>>| arg.tensor().is_some_and(AutodiffTensor::is_tracked);
    if !(args.iter().any(is_tracked) && any_float(op, wanted)) {
        let args = args.into_iter().map(|arg| arg.map(AutodiffTensor::into_inner)).collect();
        return Ok(forward(args, wanted)?.into_iter().map(|t| t.map(AutodiffTensor::from_inner)).collect());
    }
    let (args, edges): (Vec<_>, Vec<_>) = args.into_iter().map(split).unzip();
    let draft = match plan(op, edges.iter().map(Option::is_some), wanted) {
        Ok(plan) => Ok(Recording::new(op, plan, &args, edges, again)?),
        Err(reason) => Err(reason),
    };
    let outputs = match &draft {
        Ok(call) => forward(args, &call.plan.run)?,
        Err(_) => forward(args, wanted)?,
    };
    let results: Vec<&B::Tensor> = outputs.iter().flatten().collect();
    let node = match draft {
        Ok(call) => call.node(op, &results)?,
        Err(reason) => refuse(op.spec().name(), reason, &results),
    };
    Ok(attach(&node, outputs, wanted))
}

fn split<B: Backend>(arg: Value<AutodiffTensor<B>>) -> (Value<B::Tensor>, Option<Edge<B>>) {
    match arg {
        Value::Tensor(tensor) => {
            let (inner, edge) = tensor.into_parts();
            (Value::Tensor(inner), edge)
        }
        Value::Scalar(scalar) => (Value::Scalar(scalar), None),
        Value::Shape(shape) => (Value::Shape(shape), None),
    }
}

fn any_float(op: &dyn Op, wanted: &[bool]) -> bool {
    let graph = op.spec().graph();
    graph.outputs.iter().zip(wanted).any(|(output, wanted)| *wanted && gives_float(graph, output))
}

/// The recording of a call that does not have its results yet.
struct Recording<B: Backend> {
    plan: Arc<BackwardPlan>,
    saved: Vec<Kept<B>>,
    parents: Vec<Edge<B>>,
    draft: Option<Draft<B>>,
}

impl<B: Backend> Recording<B> {
    fn new(
        op: &dyn Op,
        plan: Arc<BackwardPlan>,
        args: &[Value<B::Tensor>],
        mut edges: Vec<Option<Edge<B>>>,
        again: Option<impl FnOnce() -> Again<B::Device>>,
    ) -> Result<Recording<B>> {
        let saved = save_args(&plan, op.spec().graph(), args, &edges, again.is_some())?;
        let is_saved = |arg: usize| plan.saved().any(|take| take.is_arg(arg));
        let again = again.filter(|_| plan.memory_bound);
        let draft = again.map(|again| Draft::new(again(), args, &edges, is_saved));
        let parents = plan.parents.iter().filter_map(|arg| edges[*arg].take()).collect();
        Ok(Recording { plan, saved, parents, draft })
    }

    fn node(self, op: &dyn Op, results: &[&B::Tensor]) -> Result<Arc<Node<B>>> {
        let Recording { plan, mut saved, parents, draft } = self;
        if !results.iter().map(|tensor| is_float::<B>(tensor)).eq(plan.floats.iter().copied()) {
            let message = "the backend gave other results than are declared";
            return Err(Error::new(ErrorKind::Backend, message).with_op(op.spec().name()));
        }
        let (id, outputs) = (NodeId::next(), floats::<B>(results));
        let visible = plan.hidden.as_ref().map_or(outputs.len(), Hidden::first);
        let recipe = draft.and_then(|draft| draft.recipe(id, &outputs[..visible]));
        save_results(&plan, &mut saved, results, recipe.as_ref());
        Ok(Node::with_recipe(id, parents, outputs, Step::Op(plan, Saved::new(saved)), recipe))
    }
}

/// A node that returns this reason as an error when a gradient arrives.
fn refuse<B: Backend>(op: &str, reason: String, results: &[&B::Tensor]) -> Arc<Node<B>> {
    Node::new(vec![], floats::<B>(results), Step::Refuse { op: op.to_string(), reason })
}

fn floats<B: Backend>(results: &[&B::Tensor]) -> Vec<Like<B::Device>> {
    results.iter().copied().filter(|tensor| is_float::<B>(tensor)).map(Like::of::<B>).collect()
}

/// The wanted results as tensors of the graph. Results that are not floats are constants.
fn attach<B: Backend>(
    node: &Arc<Node<B>>,
    outputs: Vec<Option<B::Tensor>>,
    wanted: &[bool],
) -> Vec<Option<AutodiffTensor<B>>> {
    let mut slots = 0..;
    let attached = outputs.into_iter().zip(wanted).map(|(output, wanted)| {
        let output = output.map(|tensor| match is_float::<B>(&tensor).then(|| slots.next()).flatten() {
            Some(slot) => AutodiffTensor::tracked(tensor, Edge { node: node.clone(), output: slot }),
            None => AutodiffTensor::from_inner(tensor),
        });
        output.filter(|_| *wanted)
    });
    attached.collect()
}
