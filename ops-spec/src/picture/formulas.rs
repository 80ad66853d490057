//! What kernels compute, as formulas of the language: `total = sum(x * x, n)`.

use super::names::Names;
use super::plan::Plan;
use crate::ir::{
    Arg, ArgType, Axis, DimId, DimSet, Graph, IntSource, Kind, Node, NodeId, Op, Output, Role, Size, lines,
    word,
};
use crate::prim::{Fold, Order};
use crate::schedule::{
    BufferId, Carry, Compute, Contraction, Index, Loop, Ordering, Origin, Pass, Recurrence, Source, StepSum,
    Sweep, Swept, Target, ValueId, View,
};

/// A part of a kernel: what it is, and what it computes.
#[derive(Clone, Debug)]
pub struct Part {
    /// `pass 1`; empty if the kernel has one part.
    pub title: String,
    /// What it computes, as formulas.
    pub lines: Vec<String>,
}

/// The passes of a loop.
pub(crate) fn passes(op: Plan<'_>, names: &mut Names<'_>, nest: &Loop, title: &str) -> Vec<Part> {
    let (statistics, kept) = (names.statistics(nest), names.kept(nest));
    let mut folded = 0;
    let mut parts = Vec::new();
    for (at, pass) in nest.passes.iter().enumerate() {
        let lines = Writer { op, names, statistics: &statistics, kept: &kept, nest }.pass(pass, &mut folded);
        let once = if pass.is_per_row() { ", once per row" } else { "" };
        let title = match (title.is_empty(), nest.passes.len()) {
            (true, 1) => once.trim_start_matches(", ").to_string(),
            (false, 1) => format!("{title}{once}"),
            (true, _) => format!("pass {}{once}", at + 1),
            (false, _) => format!("{title}, pass {}{once}", at + 1),
        };
        parts.push(Part { title, lines });
    }
    parts
}

/// Makes a graph of a pass, which the printer of graphs prints.
struct Writer<'w, 'p> {
    op: Plan<'p>,
    names: &'w Names<'p>,
    statistics: &'w [(String, NodeId)],
    kept: &'w [(String, NodeId)],
    nest: &'w Loop,
}

impl Writer<'_, '_> {
    /// `folded` counts the statistics of earlier passes.
    fn pass(&self, pass: &Pass, folded: &mut usize) -> Vec<String> {
        let mut graph = self.leaves(pass);
        let kept = |value: ValueId| {
            let kept =
                pass.program.results().iter().zip(&pass.targets).find_map(|(own, target)| match target {
                    Target::Kept(kept) if *own == value => Some(kept.node),
                    Target::Kept(_) | Target::Fold { .. } | Target::Element(_) => None,
                    Target::Row(_) | Target::Column { .. } => None,
                });
            kept.map(|node| self.kept[self.number_kept(node)].0.clone())
        };
        for value in 0..pass.program.value_count() {
            let value = ValueId(value as u32);
            let node = match pass.program.origin(value) {
                Origin::Uniform(at) => self.source(pass.uniforms[at], pass.program.kind(value)),
                Origin::Element(at) => self.source(pass.elements[at], pass.program.kind(value)),
                Origin::Step(at) => {
                    let name = self.op.graph.node(pass.nodes[value.0 as usize]).name.clone();
                    let name = kept(value).or(name);
                    let step = &pass.program.steps()[at];
                    Node { name, ..computed(&graph, &step.compute, step.kind) }
                }
            };
            graph.nodes.push(node);
        }
        for (value, target) in pass.program.results().iter().zip(&pass.targets) {
            let id = NodeId(value.0);
            let (name, node) = match *target {
                Target::Fold { fold, node } => {
                    *folded += 1;
                    (
                        self.statistics[*folded - 1].0.clone(),
                        self.fold(&mut graph, fold, self.nest.inner, id, node),
                    )
                }
                // The `let` of the value has the name.
                Target::Kept(_) => continue,
                Target::Element(buffer) | Target::Row(buffer) => (self.names.buffer(buffer).to_string(), id),
                Target::Column { fold, buffer } => {
                    let node = self.op.schedule.buffer(buffer).node;
                    (
                        self.names.buffer(buffer).to_string(),
                        self.fold(&mut graph, fold, self.nest.outer, id, node),
                    )
                }
            };
            let ints = IntSource::default();
            graph.outputs.push(Output { name, node, axes: vec![], like: None, hidden: false, ints });
        }
        let (mut text, results) = lines(&graph);
        let named = graph.outputs.iter().zip(results);
        text.extend(named.map(|(output, result)| format!("{} = {result}", word(&output.name))));
        text
    }

    /// A graph whose arguments are all that a pass may read. What it keeps itself is none of them.
    fn leaves(&self, pass: &Pass) -> Graph {
        let graph = self.op.graph;
        let mut args = graph.args.clone();
        let leaf = |name: String, kind: Kind, axes: Vec<Axis>| {
            let ty = ArgType::Tensor { kind, axes, no_grad: true };
            Arg { name, list: None, like: None, ty, role: Role::Forward(0) }
        };
        let buffers = self.op.schedule.buffers.iter().enumerate();
        args.extend(buffers.map(|(at, buffer)| {
            let id = BufferId(at as u32);
            leaf(self.names.buffer(id).to_string(), buffer.kind, vec![])
        }));
        let statistics = self.statistics.iter();
        args.extend(statistics.map(|(name, node)| leaf(name.clone(), graph.node(*node).kind, vec![])));
        args.extend(self.kept.iter().map(|(name, node)| {
            let reads = |source: &Source| matches!(source, Source::Kept(kept) if kept.node == *node);
            let name = if pass.elements.iter().any(reads) { name.clone() } else { String::new() };
            leaf(name, Kind::Float, vec![])
        }));
        // A dim that no argument has would be printed with its size, as one that the formula makes.
        let all = (0..graph.dims.len()).map(|dim| Axis::Dim(DimId::new(dim))).collect();
        args.push(leaf(String::new(), Kind::Float, all));
        Graph::new(graph.name.clone(), graph.dims.clone(), args)
    }

    fn source(&self, source: Source, kind: Kind) -> Node {
        let graph = self.op.graph;
        let buffers = self.op.schedule.buffers.len();
        let (op, dims) = match source {
            Source::Arg(at) => (Op::Input(at), graph.arg_dims(at)),
            Source::Buffer(id) => {
                (Op::Input(graph.args.len() + id.0 as usize), self.op.schedule.buffer(id).dims)
            }
            Source::Statistic(at) => (Op::Input(graph.args.len() + buffers + at), self.nest.outer),
            Source::Kept(kept) => {
                let before = graph.args.len() + buffers + self.statistics.len();
                (Op::Input(before + self.number_kept(kept.node)), graph.node(kept.node).dims)
            }
            Source::Len(dims) => (Op::Len(dims), DimSet::EMPTY),
            Source::Iota(dim) => (Op::Iota(dim), DimSet::one(dim)),
        };
        Node { op, dims, kind, name: None }
    }

    fn number_kept(&self, node: NodeId) -> usize {
        let number = self.kept.iter().position(|(_, own)| *own == node);
        number.expect("a pass reads what an earlier one keeps")
    }

    fn fold(&self, graph: &mut Graph, fold: Fold, dims: DimSet, value: NodeId, node: NodeId) -> NodeId {
        let kind = self.op.graph.node(node).kind;
        graph.nodes.push(Node { op: Op::Reduce(fold, dims, value), dims: DimSet::EMPTY, kind, name: None });
        NodeId(graph.nodes.len() as u32 - 1)
    }
}

fn computed(graph: &Graph, compute: &Compute, kind: Kind) -> Node {
    let ids = |values: &[ValueId]| values.iter().map(|value| NodeId(value.0)).collect::<Vec<_>>();
    let op = match compute {
        Compute::Literal(value) => Op::Literal(*value),
        Compute::Apply(prim, operands) => Op::Apply(*prim, ids(operands)),
        Compute::Cast(value) => Op::Cast(NodeId(value.0)),
    };
    let dims = compute.operands().iter().map(|value| graph.node(NodeId(value.0)).dims);
    Node { op, dims: dims.fold(DimSet::EMPTY, DimSet::union), kind, name: None }
}

/// `n`, or `(m, n)`.
fn dims(graph: &Graph, dims: DimSet) -> String {
    let names: Vec<String> = dims.iter().map(|dim| word(&graph.dim(dim).name)).collect();
    if names.len() == 1 { names.concat() } else { format!("({})", names.join(", ")) }
}

/// `scores = sum(q * k, d)`.
pub(crate) fn product(op: Plan<'_>, names: &Names<'_>, product: &Contraction) -> String {
    let [lhs, rhs] = [product.lhs, product.rhs].map(|factor| word(&names.source(factor)));
    format!("{} = sum({lhs} * {rhs}, {})", word(names.buffer(product.out)), dims(op.graph, product.k))
}

/// `rows = at(weight, v = ids)`.
pub(crate) fn gather(op: Plan<'_>, names: &Names<'_>, index: &Index) -> String {
    let [source, by] = [index.source, index.index].map(|source| word(&names.source(source)));
    let dim = word(&op.graph.dim(index.dim).name);
    format!("{} = at({source}, {dim} = {by})", word(names.buffer(index.out)))
}

/// `grad_weight = scatter_add(grad, v = ids)`.
pub(crate) fn scatter(op: Plan<'_>, names: &Names<'_>, fold: Fold, index: &Index) -> String {
    let [source, by] = [index.source, index.index].map(|source| word(&names.source(source)));
    let dim = word(&op.graph.dim(index.dim).name);
    format!("{} = {}({source}, {dim} = {by})", word(names.buffer(index.out)), fold.scatter_name())
}

pub(crate) fn scan(op: Plan<'_>, names: &Names<'_>, scan: &Recurrence) -> String {
    let operands: Vec<String> = scan.operands.iter().map(|source| word(&names.source(*source))).collect();
    let reverse = if scan.reverse { ", reverse = true" } else { "" };
    let (operands, dim) = (operands.join(", "), word(&op.graph.dim(scan.dim).name));
    format!("{} = {}({operands}, {dim}{reverse})", word(names.buffer(scan.out)), scan.scan.name())
}

/// The passes of a step, and behind each pass what the next states are made of.
pub(crate) fn sweep(op: Plan<'_>, names: &mut Names<'_>, sweep: &Sweep) -> Vec<Part> {
    let mut parts = passes(op, names, &sweep.nest, "step");
    let dim = word(&op.graph.dim(sweep.dim).name);
    let one = |id: &BufferId| word(names.buffer(*id));
    let carried = sweep.carried.iter().map(|Swept { how, operands, out }| match how {
        Carry::Scan(scan) => {
            let reverse = if sweep.reverse { ", reverse = true" } else { "" };
            let operands = operands.iter().map(one).collect::<Vec<_>>().join(", ");
            format!("{} = {}({operands}, {dim}{reverse})", one(out), scan.name())
        }
        Carry::Delay(outside) => {
            let step = if sweep.reverse { "+" } else { "-" };
            let of = operands.iter().map(one).collect::<Vec<_>>().join(", ");
            format!("{} = at({of}, {dim} = iota({dim}) {step} 1, or = {outside})", one(out))
        }
    });
    let all = sweep.nest.outer.union(sweep.nest.inner);
    let sums = sweep.sums.iter().map(|StepSum { operand, out }| {
        let dims = all.difference(op.schedule.buffer(*out).dims);
        let dims: Vec<String> = dims.iter().map(|dim| word(&op.graph.dim(dim).name)).collect();
        let dims = if let [dim] = &dims[..] { dim.clone() } else { format!("({})", dims.join(", ")) };
        format!("{} = sum({}, {dims})", one(out), one(operand))
    });
    let lines = carried.chain(sums).collect();
    parts.push(Part { title: "from step to step".to_string(), lines });
    parts
}

pub(crate) fn order(op: Plan<'_>, names: &Names<'_>, order: &Ordering) -> String {
    let operands: Vec<String> = order.operands.iter().map(|source| word(&names.source(*source))).collect();
    let name = |dim: DimId| word(&op.graph.dim(dim).name);
    let mut settings = String::new();
    match order.order {
        Order::Sort { to, descending } => {
            if to != order.dim {
                settings += &format!(", first = {}", name(to));
            }
            settings += if descending { ", descending = true" } else { "" };
        }
        Order::Search { right } => settings += if right { ", right = true" } else { "" },
    }
    let (out, operands) = (word(names.buffer(order.out)), operands.join(", "));
    format!("{out} = {}({operands}, {}{settings})", order.order.name(), name(order.dim))
}

/// `windows = at(x, n = l * stride + k - pad, or = 0.0)`.
pub(crate) fn view(op: Plan<'_>, names: &Names<'_>, view: &View) -> String {
    let position = |(dim, position): &(DimId, crate::ir::Position)| {
        let index = position.index.text(op.graph);
        let index = match &position.divisor {
            Size::Literal(1) => index.to_string(),
            divisor => format!("div_exact({index}, {})", divisor.formula(op.graph)),
        };
        format!("{} = {index}", word(&op.graph.dim(*dim).name))
    };
    let outside = view.positions.iter().find_map(|(_, position)| position.outside);
    let outside = outside.map(|value| format!("or = {value}"));
    let positions: Vec<String> = view.positions.iter().map(position).chain(outside).collect();
    format!(
        "{} = at({}, {})",
        word(names.buffer(view.out)),
        word(&names.source(view.source)),
        positions.join(", ")
    )
}
