//! A sum of products with a value of the op, in place of a sum over more dims.
//!
//! The gradient of attention, `o = sum(w * b, s)` with weights `w` that sum to 1, needs
//! `sum(sum(a * b, e) * w, s)` for each row, where `a` is the gradient of `o`. Either sum may come first, and
//! with the other order it is `sum(a * o, e)`: no loop over `s`. Source: Dao et al., "FlashAttention", 2022,
//! arXiv 2205.14135, appendix B.
//!
//! This is done if `w` has more dims than any argument or result, so that there may be far more products than
//! elements of `o`. The gradient subtracts such a sum from its terms, which may be close to it. So it takes
//! `o` as it was computed, as a hidden result, even if a rounded `o` is a result too.

use super::common::Common;
use super::given::inside_open_rules;
use crate::ir::{Builder, DimSet, Graph, Kind, NodeId, Op};
use crate::prim::{Fold, Prim};
use crate::simplify::{bounded, derived, reduce_over};
use std::collections::BTreeMap;

/// A product with more factors is not taken apart: repeated squares would have factors without end.
const MAX_FACTORS: usize = 16;

/// The same sum with a value of the op: `sum(inside * value, inner) * outside`.
pub(super) struct Exchange {
    inner: DimSet,
    inside: Vec<NodeId>,
    outside: Vec<NodeId>,
}

/// Sums of a gradient that can be exchanged, for each value of the op that they would be computed from. Such
/// a value has no more dims than one of the `spaces`. The products that are summed have more.
pub(super) fn exchanges(
    forward: &Graph,
    gradient: &Graph,
    spaces: &[DimSet],
) -> BTreeMap<NodeId, BTreeMap<NodeId, Exchange>> {
    let search = Search {
        forward,
        gradient,
        common: Common::new(forward, gradient),
        spaces,
        values: values(forward, spaces),
        is_bounded: bounded(forward),
    };
    let (derived, inside) = (derived(gradient), inside_open_rules(gradient, None));
    let is_open =
        |id: &NodeId| derived[id.0 as usize] && !inside[id.0 as usize] && !search.common.is_rule(*id);
    let mut found: BTreeMap<NodeId, BTreeMap<NodeId, Exchange>> = BTreeMap::new();
    for id in gradient.ids().filter(is_open) {
        if let Some((value, exchange)) = search.exchange(id) {
            found.entry(value).or_default().insert(id, exchange);
        }
    }
    found
}

/// The gradient with these sums exchanged. The value that they are computed from is argument `arg`.
pub(super) fn exchanged(
    gradient: &Graph,
    exchanges: &BTreeMap<NodeId, Exchange>,
    arg: usize,
    dims: DimSet,
) -> Graph {
    let builder = Builder::new(Graph { nodes: vec![], outputs: vec![], ..gradient.clone() });
    let mut new_ids: Vec<NodeId> = vec![];
    for id in gradient.ids() {
        let new = |id: &NodeId| builder.value(new_ids[id.0 as usize]);
        let value = match exchanges.get(&id) {
            None => builder.push(gradient.node(id).map_operands(|operand| new_ids[operand.0 as usize])),
            Some(Exchange { inner, inside, outside }) => {
                let inside = inside.iter().map(new).reduce(|a, b| a * b);
                let value = builder.input(arg, dims, Kind::Float);
                let product = inside.map_or(value, |inside| inside * value);
                outside.iter().map(new).fold(reduce_over(Fold::Sum, *inner, product), |a, b| a * b)
            }
        };
        new_ids.push(value.id);
    }
    let mut outputs = gradient.outputs.clone();
    outputs.iter_mut().for_each(|output| output.node = new_ids[output.node.0 as usize]);
    Graph { outputs, ..builder.finish() }
}

/// A sum of products that an op computes.
struct Sum {
    value: NodeId,
    dims: DimSet,
    factors: Vec<NodeId>,
}

/// The sums of an op that have no more dims than a space, and don't lie inside of a given rule.
fn values(forward: &Graph, spaces: &[DimSet]) -> Vec<Sum> {
    let inside = inside_open_rules(forward, None);
    let may_be_kept = |id: &NodeId| !inside[id.0 as usize] && fits(spaces, forward.node(*id).dims);
    let sums = forward.ids().filter(may_be_kept).filter_map(|value| {
        let (dims, product) = sum(forward, value)?;
        Some(Sum { value, dims, factors: factors_of(forward, product) })
    });
    sums.collect()
}

/// Whether a value with these dims has no more dims than one of the spaces.
pub(super) fn fits(spaces: &[DimSet], dims: DimSet) -> bool {
    spaces.iter().any(|space| dims.is_subset(*space))
}

struct Search<'g> {
    forward: &'g Graph,
    gradient: &'g Graph,
    common: Common,
    spaces: &'g [DimSet],
    values: Vec<Sum>,
    /// Which values of the op can't make a product with them much larger.
    is_bounded: Vec<bool>,
}

impl Search<'_> {
    /// The value of the op that the sum `sum(sum(inside * b, inner) * w * outside, dims)` can be computed
    /// from: `sum(w * b, dims)`.
    fn exchange(&self, id: NodeId) -> Option<(NodeId, Exchange)> {
        let (dims, product) = sum(self.gradient, id)?;
        if fits(self.spaces, self.gradient.node(product).dims) {
            return None;
        }
        let outer = factors_of(self.gradient, product);
        outer.iter().enumerate().find_map(|(at, p)| {
            let (inner, product) = sum(self.gradient, *p)?;
            let weights = [&outer[..at], &outer[at + 1..]].concat();
            if !weights.iter().all(|id| self.is_apart(*id, inner)) {
                return None;
            }
            let factors = factors_of(self.gradient, product);
            let mut values = self.values.iter().filter(|value| value.dims == dims);
            values.find_map(|value| Some((value.value, self.with_value(value, inner, &weights, &factors)?)))
        })
    }

    /// Takes the factors of a value of the op from `weights` and `factors`.
    fn with_value(
        &self,
        value: &Sum,
        inner: DimSet,
        weights: &[NodeId],
        factors: &[NodeId],
    ) -> Option<Exchange> {
        let mut wanted = value.factors.clone();
        let (outside, used) = self.without(weights, &mut wanted);
        let (inside, _) = self.without(factors, &mut wanted);
        let are_apart = outside.iter().chain(&inside).all(|id| self.is_apart(*id, value.dims));
        // The gradient computes the products of the other factors anyway.
        let are_bounded = used.iter().all(|id| self.is_bounded[id.0 as usize]);
        (wanted.is_empty() && are_apart && are_bounded).then_some(Exchange { inner, inside, outside })
    }

    fn is_apart(&self, id: NodeId, dims: DimSet) -> bool {
        self.gradient.node(id).dims.intersection(dims).is_empty()
    }

    /// Removes factors from `wanted`. Returns those that are not in it, and those that were, as values of the
    /// op.
    fn without(&self, factors: &[NodeId], wanted: &mut Vec<NodeId>) -> (Vec<NodeId>, Vec<NodeId>) {
        let (mut left, mut used) = (vec![], vec![]);
        for factor in factors {
            let same = self.common.in_forward(*factor);
            match same.filter(|same| remove(&factors_of(self.forward, *same), wanted)) {
                Some(same) => used.push(same),
                None => left.push(*factor),
            }
        }
        (left, used)
    }
}

/// Removes all of these values, or none. Returns whether it did.
fn remove(values: &[NodeId], from: &mut Vec<NodeId>) -> bool {
    let mut left = from.clone();
    let are_all = values.iter().all(|value| {
        let place = left.iter().position(|other| other == value);
        place.map(|at| left.remove(at)).is_some()
    });
    if are_all {
        *from = left;
    }
    are_all
}

/// The dims and the operand of a sum of floats.
fn sum(graph: &Graph, id: NodeId) -> Option<(DimSet, NodeId)> {
    let (fold, dims, operand) = graph.reduction(id)?;
    (fold == Fold::Sum && graph.node(operand).kind == Kind::Float).then_some((dims, operand))
}

/// The factors of a product, in order.
fn factors_of(graph: &Graph, id: NodeId) -> Vec<NodeId> {
    let mut factors = vec![];
    let mut open = vec![id];
    while let Some(id) = open.pop() {
        match &graph.node(id).op {
            Op::Apply(Prim::Mul, args) if factors.len() + open.len() < MAX_FACTORS => {
                open.extend(args.iter().rev());
            }
            _ => factors.push(id),
        }
    }
    factors
}
