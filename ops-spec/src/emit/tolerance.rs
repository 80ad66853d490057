//! How exact the results of an op are, in a sentence: the rounding on the longest way from an argument to a
//! result.

use super::Scheduled;
use crate::ir::{DimSet, Graph, Kind, Node, NodeId, Op, Precision, Role};
use crate::prim::{Fold, Prim, Scan};
use crate::schedule::{Contraction, Kernel, Source};

/// How exact an op is, in sentences.
pub(crate) fn rounding(op: &Scheduled) -> Vec<String> {
    std::iter::once(format!("{}.", tolerance(&op.graph))).chain(factors(op)).collect()
}

/// `` up to 5 roundings of together 9.5 ulp (f64 2.1e-15, ..), and sums over `n` ``; `exact` if nothing
/// rounds.
fn tolerance(graph: &Graph) -> String {
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
        let own = ulps(node);
        Way { roundings: longest.roundings + usize::from(own > 0.0), ulps: longest.ulps + own }
    }

    fn longer(self, other: &Way) -> Way {
        if other.ulps > self.ulps { *other } else { self }
    }
}

fn ulps(node: &Node) -> f64 {
    match &node.op {
        Op::Apply(prim, _) if node.kind == Kind::Float => Prim::ulps(*prim),
        Op::Apply(..) | Op::Input(_) | Op::Literal(_) | Op::Len(_) | Op::Iota(_) | Op::Cast(_) => 0.0,
        Op::Reduce(..)
        | Op::Scan { .. }
        | Op::Order { .. }
        | Op::At { .. }
        | Op::Window { .. }
        | Op::Scatter { .. }
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
    for node in graph.nodes.iter().filter(|node| node.kind == Kind::Float) {
        if let Op::Scan { scan: Scan::Sum | Scan::Prod | Scan::Linear, dim, .. } = node.op
            && !found.contains(&DimSet::one(dim))
        {
            found.push(DimSet::one(dim));
        }
    }
    let mut names: Vec<String> = found.iter().map(|dims| named(graph, *dims)).collect();
    let scatters = |id: NodeId| matches!(graph.node(id).op, Op::Scatter { .. }) && is_float(graph, id);
    if graph.ids().any(scatters) {
        names.push("equal indices".to_string());
    }
    if names.is_empty() { String::new() } else { format!("over {}", names.join(" and ")) }
}

/// `` `n` `` or `` `(m, k)` ``.
fn named(graph: &Graph, dims: DimSet) -> String {
    let names: Vec<&str> = dims.iter().map(|dim| graph.dim(dim).name.as_str()).collect();
    if names.len() == 1 { format!("`{}`", names[0]) } else { format!("`({})`", names.join(", ")) }
}

/// What a GPU rounds before it multiplies matrices, as a sentence.
fn factors(op: &Scheduled) -> Option<String> {
    let graph = &op.graph;
    let products = |is_rounded: fn(&Graph, &Contraction) -> bool| {
        let mut dims: Vec<String> = Vec::new();
        for kernel in &op.schedule.kernels {
            if let Kernel::Contraction(product) = kernel
                && is_rounded(graph, product)
                && !dims.contains(&named(graph, product.k))
            {
                dims.push(named(graph, product.k));
            }
        }
        (!dims.is_empty()).then(|| format!("the products of matrices over {}", dims.join(" and ")))
    };
    let all = products(|_, _| true)?;
    let to_tf32 = match graph.precision {
        Some(Precision::Highest) => return Some(format!("The factors of {all} keep all digits.")),
        Some(Precision::High) => format!("In f32 a GPU rounds the factors of {all} to TF32."),
        None => {
            let when = "if the precision is `high`, which is the default on Burn's GPU backends";
            format!("In f32 a GPU rounds the factors of {all} to TF32 {when}.")
        }
    };
    let to_half = products(|graph, product| {
        [product.lhs, product.rhs].into_iter().any(|factor| is_computed(graph, factor))
    });
    let to_half = to_half.map(|products| {
        format!("In f16 and bf16 a GPU rounds the computed factors of {products} to the half. ")
    });
    Some(to_half.unwrap_or_default() + &to_tf32)
}

/// Whether a factor is computed in this op, or was saved for it as computed.
fn is_computed(graph: &Graph, factor: Source) -> bool {
    match factor {
        Source::Arg(arg) => matches!(graph.args[arg].role, Role::Output(_)),
        Source::Buffer(_) => true,
        Source::Len(_) | Source::Iota(_) | Source::Statistic(_) | Source::Kept(_) => false,
    }
}

fn is_float(graph: &Graph, id: NodeId) -> bool {
    graph.node(id).kind == Kind::Float
}
