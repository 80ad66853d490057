//! Differentiation: takes the graph of an op and gives the graph of its derivative.
//!
//! Reverse mode is one loop that goes through the nodes in reverse order. It applies the rule of each node
//! and adds up the gradients that reach each operand, summed over the dims that the operand lacks. Forward
//! mode applies the same rules in forward order. The resulting graph is simplified, uses results of the
//! forward op where that is cheaper, and keeps only the arguments that it needs. It is an ordinary graph, so
//! it can be differentiated again.

mod active;
mod args;
mod common;
mod exchange;
mod forward;
mod given;
mod hidden;
mod missing;
mod rules;
mod saved;
mod scan;
mod sweep;
mod transpose;
mod window;

pub use given::without_given;
#[cfg(feature = "syntax")]
pub(crate) use transpose::nonlinear;

use crate::ir::{Arg, ArgType, Axis, Builder, DimSet, Graph, IntSource, Kind, NodeId, Output, Role};
use crate::simplify::{along, simplify, without_dead_nodes};

/// Why there is no gradient.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoGradient {
    /// The node of the forward graph at fault.
    pub node: NodeId,
    /// What the node is, and what to write instead.
    pub reason: String,
}

/// Whether the op has a float result and a float tensor argument that allows a gradient.
pub fn is_differentiable(graph: &Graph) -> bool {
    !wanted(graph).is_empty() && graph.outputs.iter().any(|output| is_visible_float(graph, output))
}

/// What a backward op may take from the forward op, in addition to its arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Keep {
    /// Nothing.
    Inputs,
    /// Results, where that is cheaper than computing them again.
    Results,
    /// Results, and other values that the op computes anyway: row statistics, and values that save a matrix
    /// product.
    Cheapest,
    /// Results, and the values of these nodes of the graph.
    Values(Vec<NodeId>),
}

/// An op that keeps values for its gradient as hidden results, together with that gradient.
#[derive(Clone, Debug, PartialEq)]
pub struct Pair {
    /// The op.
    pub forward: Graph,
    /// Its gradient, as [`backward`] gives it. It takes hidden results as [`Role::Output`].
    pub backward: Graph,
}

/// For each node whether a gradient can flow from it to an argument.
#[cfg(feature = "syntax")]
pub(crate) fn carries(graph: &Graph) -> Vec<bool> {
    let active = active::Active::new(graph);
    graph.ids().map(|id| active.carries(id)).collect()
}

/// The gradient of an op as an op, named `<name>_backward`.
///
/// The arguments come in this order: the forward arguments that it needs (a tensor is passed as its shape
/// only, where the shape is enough), the forward results that it needs, and the gradient of each float
/// result. The results are `grad_x` for each float tensor `x` that isn't `no_grad`, over the axes of `x`.
/// `grad_x` is zero where no result depends on `x`.
pub fn backward(graph: &Graph) -> Result<Graph, Vec<NoGradient>> {
    let derivative = reverse(graph)?;
    let chosen = saved::use_results(derivative.graph, &derivative.ports, true);
    Ok(args::keep_needed(chosen, graph))
}

/// An op and its gradient. The gradient may take values of the op that are not results.
pub fn pair(graph: &Graph, keep: &Keep) -> Result<Pair, Vec<NoGradient>> {
    let forward = match keep {
        Keep::Values(values) => hidden::with_hidden(graph, values),
        Keep::Inputs | Keep::Results | Keep::Cheapest => graph.clone(),
    };
    let derivative = reverse(&forward)?;
    let chosen = saved::use_results(derivative.graph, &derivative.ports, *keep != Keep::Inputs);
    let (forward, gradient) = match keep {
        Keep::Cheapest => hidden::choose(forward, chosen),
        Keep::Inputs | Keep::Results | Keep::Values(_) => (forward, chosen),
    };
    let backward = args::keep_needed(gradient, &forward);
    Ok(Pair { forward, backward })
}

/// A simplified derivative with all arguments that it could need. The last outputs are the forward results,
/// in the order of `ports`.
struct Derivative {
    graph: Graph,
    ports: Vec<Port>,
}

/// The gradient of an op as the chain rule gives it, before it is simplified. Tests compare [`backward`] with
/// it. It has all the arguments that [`backward`] chooses from.
///
/// # Errors
///
/// The same errors as [`backward`].
pub fn chain_rule(graph: &Graph) -> Result<Graph, Vec<NoGradient>> {
    let Adjoints { builder, outputs, .. } = adjoints(graph)?;
    builder.declare(|g| g.outputs = outputs);
    Ok(without_dead_nodes(builder.finish()))
}

fn reverse(graph: &Graph) -> Result<Derivative, Vec<NoGradient>> {
    let Adjoints { builder, outputs, ports } = adjoints(graph)?;
    Ok(Derivative { graph: simplified(builder, outputs, &ports), ports })
}

/// A derivative under construction.
struct Adjoints {
    builder: Builder,
    outputs: Vec<Output>,
    ports: Vec<Port>,
}

fn adjoints(graph: &Graph) -> Result<Adjoints, Vec<NoGradient>> {
    let active = missing::none_missing(graph)?;
    let mut extended = Extended::new(graph, "backward");
    let mut ports = extended.results();
    for (k, (output, port)) in graph.outputs.iter().zip(&mut ports).enumerate() {
        if is_visible_float(graph, output) {
            let grad = extended.push("grad", &output.name, Kind::Float, &output.axes, Role::Grad(k));
            port.grad = Some(grad);
        }
    }
    let builder = Builder::new(extended.graph);
    let seeds = ports.iter().filter_map(|port| {
        let grad = builder.input(port.grad?, port.dims, Kind::Float);
        Some((port.node, port.dims, grad))
    });
    let mut adjoints = sweep::sweep(&builder, graph, &active, seeds.collect());
    let outputs = wanted(graph).into_iter().map(|arg| {
        let node = adjoints.remove(&arg).unwrap_or_else(|| builder.float(0.0).id);
        let Arg { name, ty, .. } = &graph.args[arg];
        let axes = axes(ty).unwrap_or_default().to_vec();
        let ints = IntSource::default();
        Output { name: format!("grad_{name}"), node, axes, like: Some(arg), hidden: false, ints }
    });
    let outputs = outputs.collect();
    Ok(Adjoints { builder, outputs, ports })
}

/// The directional derivative of an op: forward mode.
#[derive(Clone, Debug, PartialEq)]
pub struct Jvp {
    /// The derivative as an op, named `<name>_jvp`.
    pub graph: Graph,
    /// For each result of the derivative, the index of the op's result whose tangent it is. The op's other
    /// results don't depend on any argument that carries a tangent.
    pub of: Vec<usize>,
}

/// The directional derivative of an op along the arguments that carry a tangent. An argument that is int,
/// bool or `no_grad` has no tangent.
///
/// Like those of [`backward`], the derivative's arguments are first the forward arguments and results that it
/// needs; then come the tangents. Arguments without a tangent are treated as constants. A zero tangent would
/// not do in their place, because `0 * inf` would be NaN.
///
/// ```
/// # use tensor_op_spec::{grad::jvp, ir::{Graph, formula}};
/// let product = Graph::parse("op product\ndim n named\narg x: float[n], forward 0\narg y: float[n], forward 1\n\
///     %0 = input x : float[n]\n%1 = input y : float[n]\n%2 = mul(%0, %1) : float[n]\nout out = %2 [n]").unwrap();
/// assert_eq!(formula(&jvp(&product, &[true, true]).unwrap().graph), "tangent_out = tangent_x * y + tangent_y * x");
/// assert_eq!(formula(&jvp(&product, &[false, true]).unwrap().graph), "tangent_out = tangent_y * x");
/// ```
pub fn jvp(graph: &Graph, carries: &[bool]) -> Result<Jvp, Vec<NoGradient>> {
    let mut extended = Extended::new(graph, "jvp");
    let ports = extended.results();
    let seen = with_constants(graph, carries);
    let active = missing::none_missing(&seen)?;
    let tangents: Vec<(usize, usize)> = wanted(&seen)
        .into_iter()
        .map(|arg| {
            let Arg { name, ty, .. } = &graph.args[arg];
            let axes = axes(ty).unwrap_or_default();
            (arg, extended.push("tangent", name, Kind::Float, axes, Role::Tangent(arg)))
        })
        .collect();
    let builder = Builder::new(extended.graph);
    let inputs = tangents
        .into_iter()
        .map(|(arg, tangent)| (arg, builder.input(tangent, graph.arg_dims(arg), Kind::Float)));
    let tangents = forward::tangents(&builder, &seen, &active, inputs.collect())?;
    let found = graph.outputs.iter().enumerate().filter(|(_, output)| is_visible_float(graph, output));
    let found = found.filter_map(|(k, output)| Some((k, output, *tangents.get(&output.node)?)));
    let (of, outputs) = found
        .map(|(k, output, tangent)| {
            let kept = graph.axis_dims().intersection(graph.node(output.node).dims);
            let node = along(tangent, kept).id;
            (k, Output { name: format!("tangent_{}", output.name), node, ..output.clone() })
        })
        .unzip();
    let chosen = saved::use_results(simplified(builder, outputs, &ports), &ports, true);
    Ok(Jvp { graph: args::keep_needed(chosen, graph), of })
}

/// The graph in which, of the arguments that have a gradient, only those that carry a tangent keep it.
fn with_constants(graph: &Graph, carries: &[bool]) -> Graph {
    let mut graph = graph.clone();
    for (index, arg) in graph.args.iter_mut().enumerate() {
        if let ArgType::Tensor { no_grad, .. } = &mut arg.ty {
            *no_grad |= carries.get(index) != Some(&true);
        }
    }
    graph
}

/// A result of the forward op, and the arguments of the derivative that stand for it and for its gradient.
struct Port {
    /// Index of the saved result among the arguments.
    result: usize,
    /// Index of its gradient among the arguments, if the gradient is an argument.
    grad: Option<usize>,
    node: NodeId,
    /// Declared dims: those of the node, or more.
    dims: DimSet,
    /// Whether it is a result only because a gradient needs it saved.
    hidden: bool,
    /// Whether its value may differ from the node's: it is summed where an argument was broadcast, or it is
    /// an int that is stored in a dtype that may hold fewer numbers.
    differs: bool,
}

/// Simplifies a derivative. The forward results are simplified together with it, so that they are still
/// recognised in the simplified graph.
fn simplified(builder: Builder, outputs: Vec<Output>, ports: &[Port]) -> Graph {
    let results = ports.iter().map(|port| Output {
        name: String::new(),
        node: port.node,
        axes: vec![],
        like: None,
        hidden: false,
        ints: IntSource::default(),
    });
    let all = outputs.into_iter().chain(results).collect();
    builder.declare(|g| g.outputs = all);
    simplify(builder.finish())
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

fn is_visible_float(graph: &Graph, output: &Output) -> bool {
    graph.node(output.node).kind == Kind::Float && !output.hidden
}

fn dims_have_group(graph: &Graph, dims: DimSet) -> bool {
    graph.group().is_some_and(|group| dims.contains(group))
        || !dims.intersection(graph.axis_dims()).is_empty()
}

/// The forward graph with all arguments that a derivative could need.
struct Extended {
    graph: Graph,
}

impl Extended {
    fn new(graph: &Graph, suffix: &str) -> Extended {
        let mut graph = Graph { name: format!("{}_{suffix}", graph.name), ..graph.clone() };
        for (index, arg) in graph.args.iter_mut().enumerate() {
            arg.role = Role::Forward(index);
        }
        Extended { graph }
    }

    /// Adds an argument for each result.
    fn results(&mut self) -> Vec<Port> {
        let outputs = self.graph.outputs.clone();
        let port = |(k, output): (usize, Output)| {
            let kind = self.graph.node(output.node).kind;
            let dims = self.graph.output_dims(&output);
            let result = self.push("", &output.name, kind, &output.axes, Role::Output(k));
            let is_summed = output.like.is_some() && dims_have_group(&self.graph, dims);
            let differs = is_summed || !output.ints.args.is_empty();
            Port { result, grad: None, node: output.node, dims, hidden: output.hidden, differs }
        };
        outputs.into_iter().enumerate().map(port).collect()
    }

    fn push(&mut self, prefix: &str, name: &str, kind: Kind, axes: &[Axis], role: Role) -> usize {
        let mut name = if prefix.is_empty() { name.to_string() } else { format!("{prefix}_{name}") };
        while self.graph.args.iter().any(|arg| arg.name == name) {
            name.push('_');
        }
        let ty = ArgType::Tensor { kind, axes: axes.to_vec(), no_grad: kind != Kind::Float };
        self.graph.args.push(Arg { name, list: None, like: None, ty, role });
        self.graph.args.len() - 1
    }
}

#[cfg(all(test, feature = "syntax"))]
mod exchange_tests;
#[cfg(all(test, feature = "syntax"))]
mod formula_tests;
#[cfg(all(test, feature = "syntax"))]
mod hidden_tests;
#[cfg(all(test, feature = "syntax"))]
mod order_tests;
#[cfg(all(test, feature = "syntax"))]
mod scatter_tests;
#[cfg(test)]
mod tests;
#[cfg(all(test, feature = "syntax"))]
mod textbook_tests;
