//! A graph as mathematics, for documentation: one line per result, shared values in lets before them.

use super::{DimSet, Graph, NodeId, Op, Scalar};
use crate::prim::Prim;
use std::collections::{BTreeMap, BTreeSet};

/// How tightly the outermost operator of a text binds.
#[derive(Clone, Copy, PartialEq, PartialOrd)]
enum Binding {
    Or,
    And,
    Compare,
    Sum,
    Product,
    Prefix,
    Whole,
}

/// The results of a graph as formulas: `let e = exp(x - stop_grad(max(x, n)));` and `out = e / sum(e, n)`.
pub fn formula(graph: &Graph) -> String {
    let mut writer = Writer { graph, texts: BTreeMap::new(), taken: BTreeSet::new(), lines: vec![] };
    writer.taken.extend(graph.args.iter().map(|arg| arg.name.clone()));
    writer.taken.extend(graph.outputs.iter().map(|output| output.name.clone()));
    let uses = uses(graph);
    for id in graph.ids().filter(|id| uses[id.0 as usize] > 0) {
        let text = writer.text(id);
        let node = graph.node(id);
        let is_marker = matches!(node.op, Op::StopGrad(_) | Op::Given { .. });
        let is_shared = uses[id.0 as usize] > 1 && !is_marker;
        let text = if !node.operands().is_empty() && (is_shared || node.name.is_some()) {
            let name = writer.fresh(node.name.as_deref());
            writer.lines.push(format!("let {name} = {};", text.0));
            (name, Binding::Whole)
        } else {
            text
        };
        writer.texts.insert(id, text);
    }
    for output in &graph.outputs {
        let text = writer.texts.get(&output.node).map_or("", |text| &text.0);
        writer.lines.push(format!("{} = {text}", output.name));
    }
    writer.lines.join("\n")
}

/// How often each node is used, by values that a reader sees: a given rule shows as its value.
fn uses(graph: &Graph) -> Vec<usize> {
    let mut uses = vec![0; graph.nodes.len()];
    graph.outputs.iter().for_each(|output| uses[output.node.0 as usize] += 1);
    for id in graph.ids().rev() {
        if uses[id.0 as usize] > 0 {
            if let Op::Given { value, .. } = &graph.node(id).op {
                uses[value.0 as usize] += uses[id.0 as usize];
            } else {
                graph.node(id).operands().iter().for_each(|x| uses[x.0 as usize] += 1);
            }
        }
    }
    uses
}

struct Writer<'g> {
    graph: &'g Graph,
    texts: BTreeMap<NodeId, (String, Binding)>,
    taken: BTreeSet<String>,
    lines: Vec<String>,
}

impl Writer<'_> {
    fn text(&self, id: NodeId) -> (String, Binding) {
        let whole = |text: String| (text, Binding::Whole);
        let graph = self.graph;
        let node = graph.node(id);
        match &node.op {
            Op::Input(arg) => whole(graph.args[*arg].name.clone()),
            Op::Literal(value @ (Scalar::Float(_) | Scalar::Int(_))) if value.as_f64() < 0.0 => {
                (value.to_string(), Binding::Prefix)
            }
            Op::Literal(value) => whole(value.to_string()),
            Op::Len(dims) => whole(format!("len({})", self.dims(*dims))),
            Op::Iota(dim) => whole(format!("iota({})", graph.dim(*dim).name)),
            Op::Apply(prim, args) => self.apply(*prim, args),
            Op::Cast(x) => whole(format!("{}({})", node.kind, self.inner(*x))),
            Op::Reduce(fold, dims, x) => {
                whole(format!("{}({}, {})", fold.name(), self.inner(*x), self.dims(*dims)))
            }
            Op::At { source, dim, index } => whole(format!(
                "at({}, {} = {})",
                self.inner(*source),
                graph.dim(*dim).name,
                self.inner(*index)
            )),
            Op::ScatterAdd { source, dim, index } => {
                let (source, index) = (self.inner(*source), self.inner(*index));
                whole(format!("scatter_add({source}, {} = {index})", graph.dim(*dim).name))
            }
            Op::StopGrad(x) => whole(format!("stop_grad({})", self.inner(*x))),
            Op::Given { value, .. } => self.texts[value].clone(),
            Op::Seed(_) => whole("grad".to_string()),
        }
    }

    fn apply(&self, prim: Prim, args: &[NodeId]) -> (String, Binding) {
        match (operator(prim), args) {
            (Some((sign, binding)), [x]) => (format!("{sign}{}", self.at_least(*x, binding)), binding),
            (Some((sign, binding)), [a, b]) => {
                // Operators of one level group to the left, as in Rust; comparisons don't group.
                let left = if binding == Binding::Compare { Binding::Sum } else { binding };
                let text = format!("{} {sign} {}", self.at_least(*a, left), self.tighter(*b, binding));
                (text, binding)
            }
            (None | Some(_), _) => {
                let args: Vec<&str> = args.iter().map(|a| self.inner(*a)).collect();
                (format!("{}({})", prim.name(), args.join(", ")), Binding::Whole)
            }
        }
    }

    fn inner(&self, id: NodeId) -> &str {
        &self.texts[&id].0
    }

    fn at_least(&self, id: NodeId, binding: Binding) -> String {
        let (text, found) = &self.texts[&id];
        if *found >= binding { text.clone() } else { format!("({text})") }
    }

    fn tighter(&self, id: NodeId, binding: Binding) -> String {
        let (text, found) = &self.texts[&id];
        if *found > binding { text.clone() } else { format!("({text})") }
    }

    fn dims(&self, dims: DimSet) -> String {
        let names: Vec<&str> = dims.iter().map(|d| self.graph.dim(d).name.as_str()).collect();
        if names.len() == 1 { names.concat() } else { format!("({})", names.join(", ")) }
    }

    /// The name of the `let`, or `t0`, `t1` ..; not one that is taken.
    fn fresh(&mut self, name: Option<&str>) -> String {
        let stem = name.unwrap_or("t");
        let mut candidate = if name.is_some() { stem.to_string() } else { format!("{stem}0") };
        let mut count = 0;
        while !self.taken.insert(candidate.clone()) {
            count += 1;
            candidate = format!("{stem}{count}");
        }
        candidate
    }
}

fn operator(prim: Prim) -> Option<(&'static str, Binding)> {
    match prim {
        Prim::Neg => Some(("-", Binding::Prefix)),
        Prim::Not => Some(("!", Binding::Prefix)),
        Prim::Mul => Some(("*", Binding::Product)),
        Prim::Div => Some(("/", Binding::Product)),
        Prim::Rem => Some(("%", Binding::Product)),
        Prim::Add => Some(("+", Binding::Sum)),
        Prim::Sub => Some(("-", Binding::Sum)),
        Prim::Lt => Some(("<", Binding::Compare)),
        Prim::Le => Some(("<=", Binding::Compare)),
        Prim::Gt => Some((">", Binding::Compare)),
        Prim::Ge => Some((">=", Binding::Compare)),
        Prim::Eq => Some(("==", Binding::Compare)),
        Prim::Ne => Some(("!=", Binding::Compare)),
        Prim::And => Some(("&", Binding::And)),
        Prim::Or => Some(("|", Binding::Or)),
        _ => None,
    }
}
