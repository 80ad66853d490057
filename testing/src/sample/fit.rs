//! Finds sizes for which all computed indices are in range, as in `at(x, n = ids + 1)` and
//! `at(x, n = iota(m) * stride + iota(k))`.

use super::attempt::Attempt;
use super::domain::{Asks, Ranges, indexed};
use super::plan::SamplePlan;
use super::preimage::Interval;
use super::scalars::{candidates, is_in_a_size, kept, windows};
use super::{Point, values};
use tensor_op_core::{Binding, ErrorKind, Result, interpret};
use tensor_op_spec::ir::{DimId, DimKind, DimSet, Graph, NodeId, Op, Scalar};

/// No dim is made larger than this.
const MOST: f64 = 4096.0;
/// No plan is made larger than this, in elements of its largest value.
const MOST_ELEMENTS: usize = 1 << 18;
/// Attempts for each plan: with its own scalars, with others that fit, and with their defaults.
const TRIES: u64 = 3;

/// The plan, or a similar one for which indices are in range: dims that are indexed are made larger, or dims
/// that are counted are made smaller.
pub(crate) fn fit(graph: &Graph, plan: &SamplePlan) -> SamplePlan {
    let plan = &binding(graph, plan);
    let is_computed = indexed(graph).any(|(_, index)| !matches!(graph.node(index).op, Op::Input(_)));
    if !is_computed || fits(graph, plan) {
        return plan.clone();
    }
    let counted = counted(graph);
    let with_ones = |wanted: &dyn Fn(usize) -> bool| {
        let mut plan = plan.clone();
        plan.dims.iter_mut().enumerate().filter(|(dim, _)| wanted(*dim)).for_each(|(_, size)| *size = 1);
        plan
    };
    let is_counted = |dim: usize| counted.iter().any(|id| id.index() == dim);
    let smaller = [plan.clone(), with_ones(&is_counted), with_ones(&|_| true)];
    let grown = smaller.into_iter().filter_map(|plan| grown(graph, plan).ok());
    grown.into_iter().find(|plan| fits(graph, plan)).unwrap_or_else(|| plan.clone())
}

/// The plan, or a similar one whose sizes are not negative and whose windows are inside of their sources:
/// numbers in sizes and windows are small, as are the dims of the first positions of a sort, and dims that
/// are read in windows or sorted are large.
fn binding(graph: &Graph, plan: &SamplePlan) -> SamplePlan {
    let is_sized = (0..graph.args.len()).any(|arg| is_in_a_size(graph, arg))
        || windows(graph).next().is_some()
        || kept(graph).next().is_some();
    if !is_sized || plan.check(graph).is_ok() {
        return plan.clone();
    }
    let read: DimSet = windows(graph).map(|(dim, _)| dim).collect();
    let read = graph.computed_sizes().fold(read, |all, size| all.union(size.dims()));
    let walked = windows(graph).fold(DimSet::EMPTY, |all, (_, position)| all.union(position.dims()));
    let read = kept(graph).fold(read, |all, (dim, _)| all.union(DimSet::one(dim)));
    // These are small even if they are read in a window.
    let first: DimSet = kept(graph).map(|(_, to)| to).collect();
    let longest = plan.dims.iter().copied().max().unwrap_or(0);
    let mut tries = vec![];
    for (most, scalars) in
        [None, Some(3), Some(1)].into_iter().flat_map(|most| [None, Some(1), Some(0)].map(|own| (most, own)))
    {
        for size in [None, Some(8), Some(2 * longest + 8), Some(4 * longest + 32)] {
            let mut plan = plan.clone();
            if let Some(most) = most {
                let others = walked.difference(read).union(first).iter();
                others.for_each(|dim| plan.dims[dim.index()] = plan.dims[dim.index()].min(most));
            }
            let large = if most.is_some() { read.difference(first) } else { read };
            if let Some(value) = scalars {
                for arg in (0..graph.args.len()).filter(|arg| is_in_a_size(graph, *arg)) {
                    let choice = candidates(graph, arg).iter().position(|own| *own == Scalar::Int(value));
                    plan.scalars[arg] = choice.unwrap_or(0);
                }
            }
            if let Some(size) = size {
                let small = |dim: &DimId| plan.dims[dim.index()] < size;
                let grown: Vec<DimId> = large.iter().filter(small).collect();
                grown.into_iter().for_each(|dim| plan.dims[dim.index()] = size);
            }
            tries.push(plan);
        }
    }
    let fits = |tried: &SamplePlan| {
        tried.check(graph).is_ok()
            && tried.most_elements(graph) <= plan.most_elements(graph).max(MOST_ELEMENTS)
    };
    tries.into_iter().find(fits).unwrap_or_else(|| plan.clone())
}

/// The dims whose positions are used to compute indices.
fn counted(graph: &Graph) -> DimSet {
    indexed(graph).map(|(_, index)| iotas(graph, index)).fold(DimSet::EMPTY, DimSet::union)
}

fn iotas(graph: &Graph, id: NodeId) -> DimSet {
    let node = graph.node(id);
    let own = if let Op::Iota(dim) = node.op { DimSet::one(dim) } else { DimSet::EMPTY };
    node.operands().into_iter().map(|operand| iotas(graph, operand)).fold(own, DimSet::union)
}

/// Whether some arguments have all indices in range.
fn fits(graph: &Graph, plan: &SamplePlan) -> bool {
    let refused = |number: u64| {
        let attempt = Attempt::of(graph, plan, Point::Ordinary, number, TRIES);
        let outcome = values::values(graph, plan, &attempt).and_then(|args| interpret(graph, &args));
        outcome.is_err_and(|error| error.kind() == ErrorKind::Index)
    };
    !(0..TRIES).all(refused)
}

/// Makes each indexed dim large enough for its index. Scalars are assumed to have their defaults, and tensors
/// to be 0.
fn grown(graph: &Graph, mut plan: SamplePlan) -> Result<SamplePlan> {
    let default = SamplePlan { scalars: vec![0; graph.args.len()], ..plan.clone() };
    let known = (0..graph.args.len()).map(|arg| Interval::point(default.scalar(graph, arg).as_f64()));
    let known: Vec<Interval> = known.collect();
    for (dim, index) in indexed(graph) {
        let binding = Binding::new(graph, &plan.shapes(graph))?;
        let hull = Ranges::new(graph, binding, Asks::Indices, 0).hulls(&known)?[index.0 as usize];
        let is_free = matches!(graph.dim(dim).kind, DimKind::Named | DimKind::Sized(_));
        if is_free && hull.high < MOST && hull.high >= plan.size(graph, dim) as f64 {
            plan.dims[dim.index()] = hull.high as usize + 1;
        }
    }
    Ok(plan)
}
