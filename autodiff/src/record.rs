//! Recording of an op: it runs on the wrapped backend, and a tracked call leaves one node for all of its outputs.
//!
//! The node holds what the backward op needs for the tracked inputs; see [`saved`](crate::saved).

use crate::AutodiffTensor;
use crate::node::{Edge, Like, Node};
use crate::saved::{Kept, Saved};
use std::sync::Arc;
use tensor_op_core::{Backend, Error, ErrorKind, Op, Spec, Value};
use tensor_op_spec::ir::{Graph, Kind, Output, Role};

/// Runs an op on `B` through `forward`, and records it if gradients may flow through it.
pub(crate) fn record<B: Backend>(
    op: &dyn Op,
    args: Vec<Value<AutodiffTensor<B>>>,
    wanted: &[bool],
    forward: impl FnOnce(Vec<Value<B::Tensor>>) -> Result<Vec<Option<B::Tensor>>, Error>,
) -> Result<Vec<Option<AutodiffTensor<B>>>, Error> {
    let (args, edges): (Vec<_>, Vec<_>) = args.into_iter().map(split).unzip();
    let differentiable = edges.iter().any(Option::is_some) && gives_float(op.spec().graph(), wanted);
    if !differentiable {
        return Ok(forward(args)?.into_iter().map(|t| t.map(AutodiffTensor::from_inner)).collect());
    }
    let plan = Backward::plan(op, &args, edges, wanted);
    let outputs = forward(args)?;
    let node = node(op.spec().name(), plan, &outputs);
    Ok(attach(&node, outputs))
}

/// An error of differentiation that names the op.
pub(crate) fn no_gradient(op: &str, reason: &str) -> Error {
    Error::new(ErrorKind::Gradient, reason).with_op(op)
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

fn gives_float(graph: &Graph, wanted: &[bool]) -> bool {
    let mut outputs = graph.outputs.iter().zip(wanted);
    outputs.any(|(output, wanted)| *wanted && graph.node(output.node).kind == Kind::Float)
}

/// A backward op, the part of its results that is needed, and its arguments.
struct Backward<B: Backend> {
    op: Arc<dyn Op>,
    wanted: Vec<bool>,
    args: Vec<Saved<B>>,
    parents: Vec<Edge<B>>,
}

impl<B: Backend> Backward<B> {
    /// How the gradients of the tracked inputs will be computed; `Err` says why they can't be.
    fn plan(
        op: &dyn Op,
        args: &[Value<B::Tensor>],
        edges: Vec<Option<Edge<B>>>,
        wanted: &[bool],
    ) -> Result<Backward<B>, String> {
        let backward = backward_op(op, wanted)?;
        let graph = backward.spec().graph();
        let inputs: Vec<Option<usize>> = graph.outputs.iter().map(|output| input_of(graph, output)).collect();
        let forgotten = (0..edges.len()).find(|i| edges[*i].is_some() && !inputs.contains(&Some(*i)));
        if let Some(arg) = forgotten.and_then(|i| op.spec().graph().args.get(i)) {
            return Err(format!("no gradient exists for `{}`; detach it if it is a constant here", arg.name));
        }
        let edge_of = |input: &Option<usize>| input.and_then(|i| edges.get(i)?.clone());
        let parents: Vec<Option<Edge<B>>> = inputs.iter().map(edge_of).collect();
        let wanted: Vec<bool> = parents.iter().map(Option::is_some).collect();
        let args = Saved::of_args(graph, &wanted, args)?;
        Ok(Backward { op: backward, wanted, args, parents: parents.into_iter().flatten().collect() })
    }

    /// The node of the op, once its results are there.
    fn node(self, name: &str, outputs: &[&B::Tensor]) -> Result<Arc<Node<B>>, String> {
        let Backward { op, wanted, args, parents } = self;
        let args: Vec<Kept<B>> = args.into_iter().map(|arg| arg.keep(outputs)).collect::<Result<_, _>>()?;
        let count = parents.len();
        let adjoint = move |gradients: Vec<B::Tensor>| {
            let mut gradients: Vec<Option<B::Tensor>> = gradients.into_iter().map(Some).collect();
            let args = args.into_iter().map(|arg| arg.give(&mut gradients)).collect::<Result<_, _>>()?;
            let found: Vec<B::Tensor> = B::run(&*op, args, &wanted)?.into_iter().flatten().collect();
            if found.len() == count {
                return Ok(found);
            }
            let reason = format!("{count} gradients were asked for, {} were given", found.len());
            Err(no_gradient(op.spec().name(), &reason))
        };
        Ok(Node::once(name, parents, floats::<B>(outputs), Box::new(adjoint)))
    }
}

/// The op's argument whose gradient a result of its backward op is.
fn input_of(backward: &Graph, output: &Output) -> Option<usize> {
    match backward.args.get(output.like?)?.role {
        Role::Forward(i) => Some(i),
        Role::Output(_) | Role::Grad(_) | Role::Tangent(_) => None,
    }
}

/// The op that differentiates the wanted results. It is the op's own only if all are wanted: nobody knows the shape that the
/// gradient of a missing result has, so that for some of them it is derived.
fn backward_op(op: &dyn Op, wanted: &[bool]) -> Result<Arc<dyn Op>, String> {
    if wanted.contains(&false) {
        return derived(op.spec().restricted(wanted).spec());
    }
    op.backward().map_or_else(|| derived(op.spec()), Ok)
}

fn derived(spec: &Spec) -> Result<Arc<dyn Op>, String> {
    match spec.derived_backward() {
        Ok(op) => Ok(op.clone()),
        Err(reason) => Err(reason.to_string()),
    }
}

/// The node that a plan makes; where there is none, a node that says why when a gradient arrives.
fn node<B: Backend>(
    name: &str,
    plan: Result<Backward<B>, String>,
    outputs: &[Option<B::Tensor>],
) -> Arc<Node<B>> {
    let given: Vec<&B::Tensor> = outputs.iter().flatten().collect();
    let node = plan.and_then(|plan| plan.node(name, &given));
    node.unwrap_or_else(|reason| Node::refuse(name, floats::<B>(&given), reason))
}

fn floats<B: Backend>(outputs: &[&B::Tensor]) -> Vec<Like<B>> {
    outputs.iter().copied().filter(|tensor| is_float::<B>(tensor)).map(Like::of).collect()
}

pub(crate) fn is_float<B: Backend>(tensor: &B::Tensor) -> bool {
    B::dtype(tensor).kind() == Kind::Float
}

/// The results as tensors of the graph; those that are no floats are constants.
fn attach<B: Backend>(
    node: &Arc<Node<B>>,
    outputs: Vec<Option<B::Tensor>>,
) -> Vec<Option<AutodiffTensor<B>>> {
    let mut slots = 0..;
    let attached = outputs.into_iter().map(|output| {
        output.map(|tensor| match is_float::<B>(&tensor).then(|| slots.next()).flatten() {
            Some(slot) => AutodiffTensor::tracked(tensor, Edge { node: node.clone(), output: slot }),
            None => AutodiffTensor::from_inner(tensor),
        })
    });
    attached.collect()
}
