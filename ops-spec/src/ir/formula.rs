//! Prints a graph as formulas in the language itself, for documentation. There is one line per result, and
//! shared values are printed as `let`s before the results.
//!
//! A printed formula means the same if it is read again as the body of a declaration; the tests check this.

#[cfg(all(test, feature = "syntax"))]
mod tests;
mod words;

pub use words::word;

use super::{DimId, DimSet, Graph, Kind, Node, NodeId, Op, Position, Scalar, Size};
use crate::prim::{Binding, Fold, Group, Operator, Order, Prim};
use std::collections::{BTreeMap, BTreeSet};

/// The text of a value.
#[derive(Clone)]
struct Text {
    text: String,
    binding: Binding,
    /// Whether its kind depends on the values that it is combined with, as the kind of an int literal does.
    adapts: bool,
    /// How deeply calls and operators are nested in it.
    depth: usize,
}

/// Values that are nested deeper than this get a name. So the text is easy to read, and takes linear time to
/// make.
const DEEPEST: usize = 24;

/// The results of a graph as formulas: `let e = exp(x - stop_grad(max(x, n)));` and `out = e / sum(e, n)`.
pub fn formula(graph: &Graph) -> String {
    let (mut lines, results) = lines(graph);
    let named = graph.outputs.iter().zip(&results);
    lines.extend(named.map(|(output, result)| format!("{} = {result}", word(&output.name))));
    lines.join("\n")
}

/// The `let`s of a graph, one per line, and the expressions of its results.
pub fn lines(graph: &Graph) -> (Vec<String>, Vec<String>) {
    let writer = Writer::of(graph, BTreeSet::new(), &BTreeMap::new());
    let mut results = writer.results();
    let mut lines = writer.with_made(graph, &results);
    graph.make_once(lines.iter_mut().chain(&mut results));
    (lines, results)
}

/// The values that a forward pass keeps for its gradient, each under the name by which the gradient takes it.
/// A reader sees both texts together, so `t0` never means different values in the two.
pub fn kept(forward: &Graph, gradient: &Graph) -> String {
    let copies = copies(forward);
    let mut hidden = forward.with_results(true);
    hidden.outputs.retain(|output| copies.iter().all(|(copy, _)| *copy != output.name));
    let temporaries = Writer::of(gradient, BTreeSet::new(), &BTreeMap::new()).temporaries;
    let results = hidden.outputs.iter().rev().map(|output| (output.node, output.name.as_str())).collect();
    let writer = Writer::of(&hidden, temporaries, &results);
    let named = hidden.outputs.iter().map(|output| word(&output.name)).zip(writer.results());
    let rest =
        named.filter(|(name, result)| name != result).map(|(name, result)| format!("{name} = {result}"));
    let copies = copies.iter().map(|(copy, result)| format!("{} = {}", word(copy), word(result)));
    let rest: Vec<String> = rest.collect();
    let mut lines: Vec<String> = copies.chain(writer.with_made(forward, &rest)).chain(rest).collect();
    forward.make_once(lines.iter_mut());
    lines.join("\n")
}

/// The hidden results that are declared results before these are rounded: their names, and those of the
/// declared ones.
pub fn copies(forward: &Graph) -> Vec<(&str, &str)> {
    let declared = |node: NodeId| forward.outputs.iter().find(|other| other.node == node && !other.hidden);
    let hidden = forward.outputs.iter().filter(|output| output.hidden);
    hidden.filter_map(|output| Some((output.name.as_str(), declared(output.node)?.name.as_str()))).collect()
}

/// How often each node is used by values that are printed. A node with given rules is printed as its value.
fn uses(graph: &Graph) -> Vec<usize> {
    let mut uses = vec![0; graph.nodes.len()];
    graph.outputs.iter().for_each(|output| uses[output.node.0 as usize] += 1);
    for id in graph.ids().rev() {
        if uses[id.0 as usize] > 0 {
            if let Op::Given { value, .. } = graph.node(id).op {
                uses[ruled(graph, value).0 as usize] += uses[id.0 as usize];
            } else {
                graph.node(id).operands().iter().for_each(|x| uses[x.0 as usize] += 1);
            }
        }
    }
    uses
}

/// The value that rules are given for. If the rules cover all of its inputs, the value was put behind
/// `stop_grad` for that reason only, so this looks inside.
fn ruled(graph: &Graph, value: NodeId) -> NodeId {
    match graph.node(value).op {
        Op::StopGrad(inner) => inner,
        _ => value,
    }
}

const INFINITY: &str = "INFINITY";
const NAN: &str = "NAN";

impl Text {
    fn whole(text: String) -> Text {
        Text { text, binding: Binding::Whole, adapts: false, depth: 0 }
    }
}

struct Writer<'g> {
    graph: &'g Graph,
    texts: BTreeMap<NodeId, Text>,
    taken: BTreeSet<String>,
    /// For each name, the last number that was appended to it.
    numbers: BTreeMap<String, usize>,
    /// The names that were invented here.
    temporaries: BTreeSet<String>,
    lines: Vec<String>,
}

impl<'g> Writer<'g> {
    /// Writes the values that the results need, without using the names in `avoided`. A value in `results`
    /// gets a line of its own, under the name given there.
    fn of(graph: &'g Graph, avoided: BTreeSet<String>, results: &BTreeMap<NodeId, &str>) -> Writer<'g> {
        let names = graph.args.iter().map(|arg| &arg.name).chain(graph.dims.iter().map(|dim| &dim.name));
        let names = names.chain(graph.outputs.iter().map(|output| &output.name)).cloned();
        let taken = names.chain([INFINITY.to_string(), NAN.to_string()]).chain(avoided).collect();
        let mut writer = Writer {
            graph,
            texts: BTreeMap::new(),
            taken,
            numbers: BTreeMap::new(),
            temporaries: BTreeSet::new(),
            lines: vec![],
        };
        let uses = uses(graph);
        for id in graph.ids().filter(|id| uses[id.0 as usize] > 0) {
            let mut text = writer.text(id);
            let node = graph.node(id);
            let is_shared = uses[id.0 as usize] > 1 && !matches!(node.op, Op::Given { .. });
            let is_computed = !node.operands().is_empty();
            if let Some(name) = results.get(&id).filter(|_| is_computed) {
                writer.lines.push(format!("{} = {}", word(name), text.text));
                text = Text::whole(word(name));
            } else if is_computed && (is_shared || node.name.is_some() || text.depth > DEEPEST) {
                let name = writer.fresh(node.name.as_deref());
                writer.lines.push(format!("let {name} = {};", text.text));
                text = Text::whole(name);
            }
            writer.texts.insert(id, text);
        }
        writer
    }

    /// The lines, after those that make dims which only scatters name.
    fn with_made(mut self, graph: &Graph, results: &[String]) -> Vec<String> {
        let unmade = graph.named_unmade(self.lines.iter().chain(results));
        let made = unmade.into_iter().map(|made| format!("let {} = {made};", self.fresh(Some("index"))));
        made.collect::<Vec<_>>().into_iter().chain(self.lines).collect()
    }

    /// The expressions of the results.
    fn results(&self) -> Vec<String> {
        let result = |id: NodeId| self.texts.get(&id).map_or(String::new(), |text| text.text.clone());
        self.graph.outputs.iter().map(|output| result(output.node)).collect()
    }

    fn text(&self, id: NodeId) -> Text {
        let graph = self.graph;
        let node = graph.node(id);
        let depth = |ids: &[NodeId]| 1 + ids.iter().map(|id| self.texts[id].depth).max().unwrap_or(0);
        let call = |text: String, operands: &[NodeId]| Text { depth: depth(operands), ..Text::whole(text) };
        match &node.op {
            Op::Input(arg) => Text::whole(word(&graph.args[*arg].name)),
            Op::Literal(value) => literal(*value),
            Op::Len(dims) => self.len(*dims, node.kind),
            Op::Iota(dim) => Text::whole(graph.iota_text(*dim)),
            Op::Apply(prim, args) => Text { depth: depth(args), ..self.apply(*prim, args) },
            Op::Cast(x) => call(format!("cast({}, {})", self.inner(*x), node.kind), &[*x]),
            Op::Reduce(fold, dims, x) => {
                call(format!("{}({}, {})", fold.name(), self.inner(*x), self.dims(*dims)), &[*x])
            }
            Op::Scan { scan, dim, reverse, operands } => {
                let inner: Vec<&str> = operands.iter().map(|x| self.inner(*x)).collect();
                let direction = if *reverse { ", reverse = true" } else { "" };
                let (name, inner, dim) = (scan.name(), inner.join(", "), self.dim(*dim));
                call(format!("{name}({inner}, {dim}{direction})"), operands)
            }
            Op::Order { order, dim, operands } => call(self.order(*order, *dim, operands), operands),
            Op::At { source, dim, index } => {
                let (x, ids) = (self.inner(*source), self.inner(*index));
                call(format!("at({x}, {} = {ids})", self.dim(*dim)), &[*source, *index])
            }
            Op::Window { source, dim, position } => call(self.window(*source, *dim, position), &[*source]),
            Op::Scatter { fold, source, dim, index, .. } => {
                call(self.scatter(node, *fold, *source, *dim, *index), &[*source, *index])
            }
            Op::StopGrad(x) => call(format!("stop_grad({})", self.pinned(*x)), &[*x]),
            Op::Given { value, .. } => self.texts[&ruled(graph, *value)].clone(),
            Op::Seed(_) => Text::whole("grad".to_string()),
        }
    }

    /// The size of a dim that the formula makes may stand before the dim is made, so it is written out.
    fn len(&self, dims: DimSet, kind: Kind) -> Text {
        let made = dims.intersection(self.graph.made_dims());
        let declared = dims.difference(made);
        let len = (!declared.is_empty()).then(|| format!("len({})", self.dims(declared)));
        let sizes = made.iter().map(|dim| {
            let size = self.graph.declared_size(&Size::Len(dim));
            format!("cast({}, {kind})", size.formula(self.graph))
        });
        let factors: Vec<String> = len.into_iter().chain(sizes).collect();
        let binding = if factors.len() == 1 { Binding::Whole } else { Binding::Product };
        Text { adapts: made.is_empty(), binding, ..Text::whole(factors.join(" * ")) }
    }

    fn order(&self, order: Order, dim: DimId, operands: &[NodeId]) -> String {
        let inner: Vec<&str> = operands.iter().map(|x| self.inner(*x)).collect();
        let mut settings = String::new();
        match order {
            Order::Sort { to, descending } => {
                if to != dim {
                    settings += &format!(", first = {}", self.dim(to));
                }
                settings += if descending { ", descending = true" } else { "" };
            }
            Order::Search { right } => settings += if right { ", right = true" } else { "" },
        }
        format!("{}({}, {}{settings})", order.name(), inner.join(", "), self.dim(dim))
    }

    fn window(&self, source: NodeId, dim: DimId, position: &Position) -> String {
        let index = position.index.text(self.graph);
        if !self.graph.node(source).dims.contains(dim) {
            return self.limited(source, dim, position, &index);
        }
        self.at_position(self.inner(source), dim, position)
    }

    fn at_position(&self, x: &str, dim: DimId, position: &Position) -> String {
        let mut index = position.index.text(self.graph);
        if position.divisor != Size::Literal(1) {
            let divisor = self.graph.declared_size(&position.divisor);
            index = format!("div_exact({index}, {})", divisor.formula(self.graph));
        }
        let outside = position.outside.map(|value| format!(", or = {}", literal(value).text));
        format!("at({x}, {} = {index}{})", self.dim(dim), outside.unwrap_or_default())
    }

    /// A product of two windows at one position, with zeros outside, as a window of the product: factors that
    /// do not vary along the dim have no window of their own in the language.
    fn window_of_product(&self, prim: Prim, args: &[NodeId]) -> Option<String> {
        let (Prim::Mul, [a, b]) = (prim, args) else { return None };
        let window = |id: &NodeId| match &self.graph.node(*id).op {
            Op::Window { source, dim, position } => Some((*source, *dim, position)),
            _ => None,
        };
        let ((a, dim, position), (b, other_dim, other)) = (window(a)?, window(b)?);
        let is_zero = position.outside.is_some_and(|value| value.as_f64() == 0.0);
        if (dim, position) != (other_dim, other) || !is_zero {
            return None;
        }
        let product = format!("{} * {}", self.inner(a), self.inner(b));
        Some(self.at_position(&product, dim, position))
    }

    /// A value that does not vary along the dim of a position.
    fn limited(&self, source: NodeId, dim: DimId, position: &Position, index: &str) -> String {
        let len = format!("len({})", self.dim(dim));
        let range = |index: &str| format!("({index} >= 0) & ({index} < {len})");
        let inside = match &position.divisor {
            Size::Literal(1) => range(index),
            divisor => {
                let divisor = format!("({})", divisor.formula(self.graph));
                format!("{} & (({index}) % {divisor} == 0)", range(&format!("({index}) / {divisor}")))
            }
        };
        let outside = position.outside.map_or_else(|| "0.0".to_string(), |value| literal(value).text.clone());
        format!("select({inside}, {}, {outside})", self.inner(source))
    }

    fn apply(&self, prim: Prim, args: &[NodeId]) -> Text {
        if let Some(text) = self.window_of_product(prim, args) {
            return Text::whole(text);
        }
        // If the kind of all operands adapts, the kind of the whole would depend on another value, or on
        // none. So one operand is written with an explicit kind.
        let choice = match prim.group() {
            Group::Unary(_)
            | Group::Arithmetic(_)
            | Group::Comparison(_)
            | Group::Equality(_)
            | Group::Bits(_)
            | Group::Choice(_) => prim.values(args),
            Group::Function(_)
            | Group::Rounding(_)
            | Group::FloatBinary(_)
            | Group::Test(_)
            | Group::Logic(_)
            | Group::Draw(_) => &[],
        };
        let pin = choice.first().filter(|_| choice.iter().all(|id| self.texts[id].adapts));
        let operand = |id: NodeId| {
            let text = self.texts[&id].clone();
            if pin == Some(&id) { Text::whole(self.pinned(id)) } else { text }
        };
        let (text, binding) = match (prim.operator(), args) {
            (Some(Operator { sign, binding }), [x]) => {
                (format!("{sign}{}", at_least(operand(*x), binding)), binding)
            }
            (Some(Operator { sign, binding }), [a, b]) => {
                let (left, right) = binding.operands();
                (format!("{} {sign} {}", at_least(operand(*a), left), at_least(operand(*b), right)), binding)
            }
            (None | Some(_), _) => {
                let args: Vec<String> = args.iter().map(|a| operand(*a).text).collect();
                (format!("{}({})", prim.name(), args.join(", ")), Binding::Whole)
            }
        };
        Text { binding, ..Text::whole(text) }
    }

    /// The adjoint of `at` as a sum over the positions whose index equals the position along `dim`. If these
    /// positions lie along `dim` too, the language has no names to tell the two apart.
    fn scatter(&self, node: &Node, fold: Fold, source: NodeId, dim: DimId, index: NodeId) -> String {
        let (x, ids, n) = (self.pinned(source), self.inner(index), self.dim(dim));
        let walked = self.graph.node(source).dims.union(self.graph.node(index).dims);
        let own = walked.intersection(DimSet::one(dim));
        let reduced = walked.difference(node.dims).union(own);
        if reduced.is_empty() {
            let index = at_least(self.texts[&index].clone(), Binding::Sum);
            let identity = literal(fold.of_nothing(node.kind)).text;
            return format!("select(iota({n}) == {index}, {x}, {identity})");
        }
        format!("{}({x}, {}, {n} = {ids})", fold.scatter_name(), self.dims(reduced))
    }

    fn inner(&self, id: NodeId) -> &str {
        &self.texts[&id].text
    }

    /// A text whose kind does not depend on other values.
    fn pinned(&self, id: NodeId) -> String {
        let text = &self.texts[&id];
        if text.adapts {
            format!("cast({}, {})", text.text, self.graph.node(id).kind)
        } else {
            text.text.clone()
        }
    }

    fn dims(&self, dims: DimSet) -> String {
        let names: Vec<String> = dims.iter().map(|dim| self.dim(dim)).collect();
        if names.len() == 1 { names.concat() } else { format!("({})", names.join(", ")) }
    }

    fn dim(&self, dim: DimId) -> String {
        word(&self.graph.dim(dim).name)
    }

    /// The name of the `let`, or `t0`, `t1` and so on, changed if it is taken already.
    fn fresh(&mut self, name: Option<&str>) -> String {
        let stem = name.unwrap_or("t");
        let mut candidate = if name.is_some() { stem.to_string() } else { format!("{stem}0") };
        while !self.taken.insert(candidate.clone()) {
            let number = self.numbers.entry(stem.to_string()).or_default();
            *number += 1;
            candidate = format!("{stem}{number}");
        }
        if name.is_none() {
            self.temporaries.insert(candidate.clone());
        }
        word(&candidate)
    }
}

fn at_least(text: Text, binding: Binding) -> String {
    if text.binding >= binding { text.text } else { format!("({})", text.text) }
}

fn literal(value: Scalar) -> Text {
    let (text, binding) = match value {
        Scalar::Float(x) if x.is_nan() => (NAN.to_string(), Binding::Whole),
        Scalar::Float(f64::INFINITY) => (INFINITY.to_string(), Binding::Whole),
        Scalar::Float(f64::NEG_INFINITY) => (format!("-{INFINITY}"), Binding::Prefix),
        Scalar::Float(x) if x.is_sign_negative() => (value.to_string(), Binding::Prefix),
        // The absolute value of `i64::MIN` is not an i64.
        Scalar::Int(i64::MIN) => (format!("{} - 1", i64::MIN + 1), Binding::Sum),
        Scalar::Int(x) if x < 0 => (value.to_string(), Binding::Prefix),
        Scalar::Float(_) | Scalar::Int(_) | Scalar::Bool(_) => (value.to_string(), Binding::Whole),
    };
    Text { binding, adapts: matches!(value, Scalar::Int(_)), ..Text::whole(text) }
}
