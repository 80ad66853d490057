//! Reverse-mode differentiation: the graph of an op in, the graph of its gradient out.
//!
//! One loop goes through the nodes in reverse, takes each one's rule and adds up what reaches an operand, summed over the dims that the
//! operand lacks. The result is simplified, uses results of the forward op where that is cheaper, and keeps only the arguments it needs.
//! It is an ordinary graph, so that it can be differentiated again.

mod active;
mod args;
mod given;
mod rules;
mod saved;
mod sweep;

use crate::ir::{Arg, ArgType, Axis, Builder, DimSet, Graph, Kind, NodeId, Output, Role};
use crate::simplify::simplify;

/// Why there is no gradient.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoGradient {
    /// The node of the forward graph at fault.
    pub node: NodeId,
    /// What it is and what to write instead.
    pub reason: String,
}

/// Whether the op has a float result and a float tensor argument that allows a gradient.
pub fn is_differentiable(graph: &Graph) -> bool {
    !wanted(graph).is_empty() && graph.outputs.iter().any(|o| graph.node(o.node).kind == Kind::Float)
}

/// The gradient of an op as an op, named `<name>_backward`.
///
/// Its arguments are, of the forward arguments, those that it needs (tensors as their shape only, where that is enough); then the
/// forward results that it needs; then the gradient of each float result. Its results are `grad_x` for each float tensor `x` that
/// isn't `no_grad`, over the axes of `x`; zero where no result depends on `x`.
pub fn backward(graph: &Graph) -> Result<Graph, Vec<NoGradient>> {
    let (extended, ports) = extend(graph);
    let wanted = wanted(graph);
    let builder = Builder::new(extended);
    let seeds = ports.iter().filter_map(|port| {
        let grad = builder.input(port.grad?, port.dims, Kind::Float);
        Some((port.node, port.dims, grad))
    });
    let mut adjoints = sweep::sweep(&builder, graph, seeds.collect())?;
    let outputs = wanted.iter().map(|arg| {
        let node = adjoints.remove(arg).unwrap_or_else(|| builder.float(0.0).id);
        let Arg { name, ty, .. } = &graph.args[*arg];
        let axes = axes(ty).unwrap_or_default().to_vec();
        Output { name: format!("grad_{name}"), node, axes, like: Some(*arg) }
    });
    let gradients: Vec<Output> = outputs.collect();
    // The forward results go through simplification too, so that they are recognised in what comes out.
    let results =
        ports.iter().map(|port| Output { name: String::new(), node: port.node, axes: vec![], like: None });
    let all = gradients.into_iter().chain(results).collect();
    builder.declare(|g| g.outputs = all);
    let simple = simplify(builder.finish());
    let chosen = saved::use_results(simple, &ports);
    Ok(args::keep_needed(chosen, graph.args.len()))
}

/// A result of the forward op: where it and its gradient are arguments of the gradient.
pub(crate) struct Port {
    /// Index of the saved result among the arguments.
    result: usize,
    /// Index of its gradient, if it is a float.
    grad: Option<usize>,
    node: NodeId,
    /// Declared dims: the node's or more.
    dims: DimSet,
}

/// Float tensors that allow a gradient.
fn wanted(graph: &Graph) -> Vec<usize> {
    let allows = |arg: &Arg| matches!(arg.ty, ArgType::Tensor { kind: Kind::Float, no_grad: false, .. });
    (0..graph.args.len()).filter(|i| allows(&graph.args[*i])).collect()
}

fn axes(ty: &ArgType) -> Option<&[Axis]> {
    match ty {
        ArgType::Tensor { axes, .. } | ArgType::Shape { axes } => Some(axes),
        ArgType::Scalar { .. } | ArgType::Axis { .. } => None,
    }
}

/// The forward graph with all arguments that a gradient may have.
fn extend(graph: &Graph) -> (Graph, Vec<Port>) {
    let mut extended = Graph { name: format!("{}_backward", graph.name), ..graph.clone() };
    for (index, arg) in extended.args.iter_mut().enumerate() {
        arg.role = Role::Forward(index);
    }
    let mut push = |name: String, kind, axes: &[Axis], role| {
        let mut name = name;
        while extended.args.iter().any(|arg| arg.name == name) {
            name.push('_');
        }
        let ty = ArgType::Tensor { kind, axes: axes.to_vec(), no_grad: kind != Kind::Float };
        extended.args.push(Arg { name, ty, role });
        extended.args.len() - 1
    };
    let kind = |output: &Output| graph.node(output.node).kind;
    let results: Vec<usize> = (graph.outputs.iter().enumerate())
        .map(|(k, output)| push(output.name.clone(), kind(output), &output.axes, Role::Output(k)))
        .collect();
    let ports = (graph.outputs.iter().zip(results).enumerate()).map(|(k, (output, result))| Port {
        result,
        grad: (kind(output) == Kind::Float)
            .then(|| push(format!("grad_{}", output.name), Kind::Float, &output.axes, Role::Grad(k))),
        node: output.node,
        dims: graph.axes_dims(&output.axes),
    });
    let ports = ports.collect();
    (extended, ports)
}

#[cfg(test)]
mod tests;
