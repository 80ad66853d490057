//! Hidden results: values of the forward op that are not declared results, but that the gradient takes as
//! arguments instead of computing them again.
//!
//! A candidate is a value that the forward op computes anyway and that has no more dims than an argument, a
//! result or a layer ([`is_layer`]). It is worth keeping if writing and reading it costs less than the work
//! that it saves in the gradient. Row statistics nearly always are. A value as large as the inputs is, if it
//! saves a matrix product or replaces as many reads.

use super::common::Common;
use super::exchange::{exchanged, exchanges, fits};
use super::given::inside_open_rules;
use super::saved::{Compared, Costs, size};
use crate::ir::{
    Arg, ArgType, Axis, DimId, DimKind, DimSet, Graph, IntSource, Kind, Node, NodeId, Op, Output, Role,
};
use crate::schedule::{contraction_operands, regroup};
use crate::simplify::{simplify, without_dead_nodes};

/// The most values that are kept. More are never needed, because a few statistics are enough for a whole op.
const MAX_HIDDEN: usize = 6;

/// The graph with these values as hidden results.
pub(super) fn with_hidden(graph: &Graph, values: &[NodeId]) -> Graph {
    let mut graph = graph.clone();
    for value in values {
        let name = fresh_name(&graph, *value, &graph.args);
        if let Some(output) = hidden_output(&graph, *value, name) {
            graph.outputs.push(output);
        }
    }
    graph
}

/// The forward graph with hidden results, and the gradient that takes them.
pub(super) fn choose(forward: Graph, gradient: Graph) -> (Graph, Graph) {
    let simple = simplify(forward.clone());
    let mut changed = simple.clone();
    let mut gradient = gradient;
    while changed.outputs.len() < simple.outputs.len() + MAX_HIDDEN {
        let better = with_exchange(&changed, &gradient).or_else(|| with_taken(&changed, &gradient));
        let Some((output, better)) = better else { break };
        gradient = better;
        changed.outputs.push(output);
    }
    if changed.outputs.len() == simple.outputs.len() { (forward, gradient) } else { (changed, gradient) }
}

/// A value that is kept because sums of the gradient can be exchanged for sums with it: the hidden result,
/// and the gradient that takes it. The value may be a result, too. Then the two are one tensor, except in
/// halves.
fn with_exchange(forward: &Graph, gradient: &Graph) -> Option<(Output, Graph)> {
    let is_hidden = |value| forward.outputs.iter().any(|output| output.hidden && output.node == value);
    exchanges(forward, gradient, &spaces(forward)).into_iter().find_map(|(value, exchanges)| {
        let Node { dims, kind, .. } = *forward.node(value);
        let name = fresh_name(forward, value, &gradient.args);
        let output = hidden_output(forward, value, name).filter(|_| !is_hidden(value))?;
        let (graph, arg) = with_argument(gradient.clone(), &output, kind, forward.outputs.len());
        Some((output, simplify(exchanged(&graph, &exchanges, arg, dims))))
    })
}

/// The value of the gradient that is most worth keeping: as a hidden result, and the gradient that takes it.
fn with_taken(forward: &Graph, gradient: &Graph) -> Option<(Output, Graph)> {
    let costs = Costs::new(gradient);
    let gain = |(id, in_forward): (NodeId, NodeId)| {
        let gain = costs.spared(id) - 2.0 * size(gradient, gradient.node(id).dims);
        (gain > 0.0).then_some((gain, id, in_forward))
    };
    let gains = candidates(forward, gradient).into_iter().filter_map(gain);
    let best = gains.reduce(|best, other| if other.0 >= best.0 { other } else { best })?;
    let (_, in_gradient, in_forward) = best;
    let output = hidden_output(forward, in_forward, fresh_name(forward, in_forward, &gradient.args))?;
    let better = simplify(take(gradient.clone(), in_gradient, &output, forward.outputs.len()));
    Some((output, better))
}

/// Values of the gradient that the forward graph has too.
fn candidates(forward: &Graph, gradient: &Graph) -> Vec<(NodeId, NodeId)> {
    let common = Common::new(forward, gradient);
    let (spaces, inside, compared) =
        (spaces(forward), inside_open_rules(gradient, None), Compared::new(gradient));
    let can_be_kept = |id: NodeId| {
        let node = gradient.node(id);
        !node.operands().is_empty()
            && !inside[id.0 as usize]
            && !compared.contains(id)
            && fits(&spaces, node.dims)
            && declared_axes(gradient, node.dims).is_some()
    };
    let pairs = gradient.ids().filter_map(|id| Some((id, common.in_forward(id)?)));
    pairs.filter(|(id, same)| can_be_kept(*id) && forward.outputs.iter().all(|o| o.node != *same)).collect()
}

/// The dims of each float argument, result and layer.
fn spaces(graph: &Graph) -> Vec<DimSet> {
    let args = graph.args.iter().filter_map(|arg| match &arg.ty {
        ArgType::Tensor { axes, .. } | ArgType::Shape { axes } => Some(graph.axes_dims(axes)),
        ArgType::Scalar { .. } | ArgType::Axis { .. } => None,
    });
    let results = graph.outputs.iter().map(|output| graph.output_dims(output));
    let regrouped = regroup(graph.clone());
    let layers = regrouped.ids().filter(|id| is_layer(&regrouped, *id)).map(|id| regrouped.node(id).dims);
    args.chain(results).chain(layers).collect()
}

/// Whether a value is a product of matrices from which only pointwise values and other products are computed,
/// as in a network of several layers. The scores of attention are none, because statistics of their rows are
/// computed: there may be far more scores than inputs, and the statistics suffice to compute them again.
fn is_layer(graph: &Graph, value: NodeId) -> bool {
    if contraction_operands(graph, value).is_none() {
        return false;
    }
    let mut from_value = vec![false; graph.nodes.len()];
    from_value[value.0 as usize] = true;
    graph.ids().skip(value.0 as usize + 1).all(|id| {
        let is_user = graph.node(id).operands().iter().any(|operand| from_value[operand.0 as usize]);
        match &graph.node(id).op {
            _ if !is_user => true,
            Op::Reduce(..) => contraction_operands(graph, id).is_some(),
            Op::Scan { .. } | Op::Order { .. } | Op::At { .. } | Op::Window { .. } => false,
            Op::Scatter { .. } => false,
            Op::Apply(..) | Op::Cast(_) | Op::StopGrad(_) | Op::Given { .. } => {
                from_value[id.0 as usize] = true;
                true
            }
            Op::Input(_) | Op::Literal(_) | Op::Len(_) | Op::Iota(_) | Op::Seed(_) => true,
        }
    })
}

/// Replaces a value in the gradient by an argument: result `index` of the op.
fn take(gradient: Graph, value: NodeId, output: &Output, index: usize) -> Graph {
    let Node { dims, kind, .. } = *gradient.node(value);
    let (mut graph, at) = with_argument(gradient, output, kind, index);
    graph.nodes[value.0 as usize] = Node { op: Op::Input(at), dims, kind, name: None };
    without_dead_nodes(graph)
}

/// The gradient with an argument for result `index` of the op, and the place of that argument.
fn with_argument(gradient: Graph, output: &Output, kind: Kind, index: usize) -> (Graph, usize) {
    let mut graph = gradient;
    let is_before = |arg: &Arg| matches!(arg.role, Role::Forward(_) | Role::Output(_));
    let at = graph.args.iter().filter(|arg| is_before(arg)).count();
    for node in &mut graph.nodes {
        if let Op::Input(arg) = &mut node.op
            && *arg >= at
        {
            *arg += 1;
        }
    }
    let ty = ArgType::Tensor { kind, axes: output.axes.clone(), no_grad: kind != Kind::Float };
    graph
        .args
        .insert(at, Arg { name: output.name.clone(), list: None, like: None, ty, role: Role::Output(index) });
    (graph, at)
}

fn hidden_output(graph: &Graph, node: NodeId, name: String) -> Option<Output> {
    let axes = declared_axes(graph, graph.node(node).dims)?;
    Some(Output { name, node, axes, like: None, hidden: true, ints: IntSource::default() })
}

/// Axes in order of declaration that span these dims. `None` if the dims hold only a part of the group.
fn declared_axes(graph: &Graph, dims: DimSet) -> Option<Vec<Axis>> {
    let is_axis = |d: &DimId| matches!(graph.dim(*d).kind, DimKind::Axis(_));
    let axes: Vec<Axis> = dims.iter().filter(|d| !is_axis(d)).map(Axis::Dim).collect();
    dims.is_subset(graph.axes_dims(&axes)).then_some(axes)
}

/// The name of the result or of the `let`, or `saved`. A number follows if that name is taken.
fn fresh_name(graph: &Graph, node: NodeId, args: &[Arg]) -> String {
    let result = graph.outputs.iter().find(|output| output.node == node);
    let stem = result.map(|output| &output.name).or(graph.node(node).name.as_ref());
    let stem = stem.map_or("saved", String::as_str);
    let is_free = |name: &String| {
        args.iter().chain(&graph.args).all(|arg| arg.name != *name)
            && graph.outputs.iter().all(|output| output.name != *name)
    };
    let mut names =
        std::iter::once(stem.to_string()).chain((1usize..).map(|number| format!("{stem}{number}")));
    names.find(is_free).unwrap_or_default()
}
