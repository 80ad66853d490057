//! How exact the results of an op are, in a sentence: the rounding on the longest way from an argument to a
//! result.

use crate::ir::{DimSet, Graph, Kind, Node, NodeId, Op};
use crate::prim::{Fold, Prim};

/// `` up to 5 roundings of together 9.5 ulp (f64 2.1e-15, ..), and sums over `n` ``; `exact` if nothing
/// rounds.
pub(super) fn tolerance(graph: &Graph) -> String {
    let mut ways: Vec<Way> = vec![];
    for id in graph.ids() {
        let way = Way::through(graph.node(id), &ways);
        ways.push(way);
    }
    let results = graph.outputs.iter().filter(|output| !output.hidden);
    let longest =
        results.map(|output| &ways[output.node.0 as usize]).fold(Way::default(), |a, b| a.longer(b));
    let sums = sums(graph);
    let rounded = match longest.roundings {
        0 => String::new(),
        1 => format!("one rounding of {} ulp ({})", longest.ulps, by_dtype(longest.ulps)),
        count => {
            format!("up to {count} roundings of together {} ulp ({})", longest.ulps, by_dtype(longest.ulps))
        }
    };
    match (rounded.is_empty(), sums.is_empty()) {
        (true, true) => "exact".to_string(),
        (false, true) => rounded,
        (true, false) => format!("sums {sums}"),
        (false, false) => format!("{rounded}, and sums {sums}"),
    }
}

/// So many ulps relative to a value, in each dtype: a half is computed in f32 and rounded to nearest when it
/// is stored.
fn by_dtype(ulps: f64) -> String {
    let (f64s, f32s) = (ulps * f64::EPSILON, ulps * f64::from(f32::EPSILON));
    let [f16s, bf16s] = [11, 8].map(|bits| f32s + 2.0_f64.powi(-bits));
    format!("f64 {f64s:.1e}, f32 {f32s:.1e}, f16 {f16s:.1e}, bf16 {bf16s:.1e}")
}

/// The roundings of primitives on a way through the graph.
#[derive(Clone, Copy, Default)]
struct Way {
    roundings: usize,
    ulps: f64,
}

impl Way {
    fn through(node: &Node, ways: &[Way]) -> Way {
        let operands = node.operands();
        let longest = operands.iter().fold(Way::default(), |way, id| way.longer(&ways[id.0 as usize]));
        let own = rounding(node);
        Way { roundings: longest.roundings + usize::from(own > 0.0), ulps: longest.ulps + own }
    }

    fn longer(self, other: &Way) -> Way {
        if other.ulps > self.ulps { *other } else { self }
    }
}

fn rounding(node: &Node) -> f64 {
    match &node.op {
        Op::Apply(prim, _) if node.kind == Kind::Float => Prim::ulps(*prim),
        Op::Apply(..) | Op::Input(_) | Op::Literal(_) | Op::Len(_) | Op::Iota(_) | Op::Cast(_) => 0.0,
        Op::Reduce(..)
        | Op::At { .. }
        | Op::ScatterAdd { .. }
        | Op::StopGrad(_)
        | Op::Given { .. }
        | Op::Seed(_) => 0.0,
    }
}

/// ``over `n` and `(m, k)` ``: the dims of the sums of floats.
fn sums(graph: &Graph) -> String {
    let mut found: Vec<DimSet> = vec![];
    for id in graph.ids() {
        if let Some((Fold::Sum | Fold::Prod, dims, operand)) = graph.reduction(id)
            && is_float(graph, operand)
            && !found.contains(&dims)
        {
            found.push(dims);
        }
    }
    let names = found.iter().map(|dims| {
        let names: Vec<&str> = dims.iter().map(|dim| graph.dim(dim).name.as_str()).collect();
        if names.len() == 1 { format!("`{}`", names[0]) } else { format!("`({})`", names.join(", ")) }
    });
    let mut names: Vec<String> = names.collect();
    let scatters = |id: NodeId| matches!(graph.node(id).op, Op::ScatterAdd { .. }) && is_float(graph, id);
    if graph.ids().any(scatters) {
        names.push("equal indices".to_string());
    }
    if names.is_empty() { String::new() } else { format!("over {}", names.join(" and ")) }
}

fn is_float(graph: &Graph, id: NodeId) -> bool {
    graph.node(id).kind == Kind::Float
}
