//! Forward mode: goes through the nodes in order and computes the tangent of each from the tangents of its
//! operands.
//!
//! The rules are those of reverse mode. An elementwise rule multiplies the gradient by a factor, and the
//! tangent is multiplied by the same factor. Where the gradient of a reduction is spread over dims, its
//! tangent is summed over them. A given rule is linear in its gradient, so it can be transposed.

use super::active::{Active, cuts_of};
use super::rules::Scattered;
use super::scan::Scanned;
use super::sweep::unbroadcast;
use super::{NoGradient, is_visible_float, rules, transpose, window};
use crate::ir::{Builder, DimSet, GivenRule, Graph, Kind, NodeId, Op, Value};
use crate::prim::{Fold, Prim};
use crate::simplify::reduce_over;
use std::collections::{BTreeMap, BTreeSet};

/// The tangents of the nodes that the results of a graph need, computed from the tangents of its arguments.
/// No derivative may be missing in the graph; [`none_missing`](super::missing::none_missing) has found that,
/// and which nodes are active. But a given rule may have no forward mode.
pub(super) fn tangents<'b>(
    builder: &'b Builder,
    graph: &Graph,
    active: &Active,
    inputs: BTreeMap<usize, Value<'b>>,
) -> Result<BTreeMap<NodeId, Value<'b>>, Vec<NoGradient>> {
    let mut forward = Forward { builder, graph, inputs, errors: vec![] };
    let results = graph.outputs.iter().filter(|output| is_visible_float(graph, output));
    let roots: Vec<NodeId> = results.map(|output| output.node).collect();
    let tangents = forward.run(&roots, active, &BTreeSet::new());
    forward.errors.sort_by_key(|error| error.node);
    forward.errors.dedup();
    if forward.errors.is_empty() { Ok(tangents) } else { Err(forward.errors) }
}

type Tangents<'b> = BTreeMap<NodeId, Value<'b>>;

struct Forward<'b, 'g> {
    builder: &'b Builder,
    graph: &'g Graph,
    inputs: BTreeMap<usize, Value<'b>>,
    errors: Vec<NoGradient>,
}

impl<'b> Forward<'b, '_> {
    fn run(&mut self, roots: &[NodeId], active: &Active, cuts: &BTreeSet<NodeId>) -> Tangents<'b> {
        let mut tangents = Tangents::new();
        for id in self.needed(roots, active) {
            if let Some(tangent) = self.step(id, &tangents, active, cuts) {
                tangents.insert(id, tangent);
            }
        }
        tangents
    }

    /// The nodes whose tangents are needed for `roots`, in order. The value inside a node with given rules is
    /// not followed: [`Self::given`] does that.
    fn needed(&self, roots: &[NodeId], active: &Active) -> BTreeSet<NodeId> {
        let mut found = BTreeSet::new();
        let mut stack = roots.to_vec();
        while let Some(id) = stack.pop() {
            if !active.carries(id) || !found.insert(id) {
                continue;
            }
            match &self.graph.node(id).op {
                Op::Given { rules, .. } => stack.extend(rules.iter().map(|rule| rule.input)),
                Op::Input(_) | Op::Literal(_) | Op::Len(_) | Op::Iota(_) | Op::Seed(_) | Op::StopGrad(_) => {}
                Op::Order { .. } => {}
                Op::Apply(..)
                | Op::Cast(_)
                | Op::Reduce(..)
                | Op::Scan { .. }
                | Op::At { .. }
                | Op::Window { .. }
                | Op::Scatter { .. } => {
                    stack.extend(self.graph.node(id).operands());
                }
            }
        }
        found
    }

    fn step(
        &mut self,
        id: NodeId,
        tangents: &Tangents<'b>,
        active: &Active,
        cuts: &BTreeSet<NodeId>,
    ) -> Option<Value<'b>> {
        let node = self.graph.node(id);
        let value = |id: NodeId| self.builder.value(id);
        match &node.op {
            Op::Input(arg) => self.inputs.get(arg).copied(),
            Op::Literal(_) | Op::Len(_) | Op::Iota(_) | Op::Seed(_) | Op::StopGrad(_) => None,
            Op::Order { .. } => None,
            Op::Apply(prim, args) => self.apply(id, *prim, args, tangents),
            Op::Cast(x) => match self.graph.node(*x).kind {
                Kind::Float => tangents.get(x).copied(),
                Kind::Int | Kind::Bool => None,
            },
            Op::Reduce(fold, dims, x) => {
                let tangent = *tangents.get(x)?;
                let product = rules::reduce(*fold, *dims, value(*x), id, tangent)?;
                Some(reduce_over(Fold::Sum, *dims, product))
            }
            Op::Scan { .. } => {
                Scanned::new(self.builder, &node.op, id)?.tangent(|operand| tangents.get(&operand).copied())
            }
            Op::Window { source, dim, position } => {
                let tangent = *tangents.get(source)?;
                Some(window::tangent(*dim, position, tangent))
            }
            Op::At { source, dim, index } => {
                let tangent = *tangents.get(source)?;
                let varies = tangent.dims().contains(*dim);
                Some(if varies { tangent.at(*dim, value(*index)) } else { tangent })
            }
            Op::Scatter { fold, source, dim, index, .. } => {
                let (tangent, index) = (*tangents.get(source)?, value(*index));
                let (of, result) = (value(*source), value(id));
                let scattered = Scattered { fold: *fold, source: of, dim: *dim, index, result };
                let tangent = scattered.of_elements(tangent)?;
                let walked = node.dims.difference(DimSet::one(*dim)).union(index.dims());
                let constant = self.graph.node(*source).dims.difference(walked).difference(tangent.dims());
                let tangent = unbroadcast(tangent, constant, DimSet::EMPTY);
                Some(tangent.scatter(Fold::Sum, *dim, index, node.dims))
            }
            Op::Given { value, rules } => self.given(id, *value, rules, tangents, active, cuts),
        }
    }

    fn apply(
        &mut self,
        id: NodeId,
        prim: Prim,
        args: &[NodeId],
        tangents: &Tangents<'b>,
    ) -> Option<Value<'b>> {
        let values: Vec<Value<'b>> = args.iter().map(|arg| self.builder.value(*arg)).collect();
        if let (Prim::Select, &[cond, yes, no]) = (prim, &args) {
            let zero = || self.builder.float(0.0);
            let tangent = |id| tangents.get(id).copied();
            let (yes, no) = (tangent(yes), tangent(no));
            yes.or(no)?;
            let (yes, no) = (yes.unwrap_or_else(zero), no.unwrap_or_else(zero));
            return Some(self.builder.select(self.builder.value(*cond), yes, no));
        }
        let rule = prim.row().rule.ok()?;
        let parts = args.iter().enumerate().filter_map(|(i, arg)| {
            let of_all = rule(&values, self.builder.value(id), *tangents.get(arg)?);
            of_all.into_iter().nth(i)?
        });
        parts.reduce(|sum, part| sum + part)
    }

    /// The tangent that the rules give for the inputs that they name, plus the tangent that differentiation
    /// of the value gives for the other inputs.
    fn given(
        &mut self,
        id: NodeId,
        value: NodeId,
        rules: &[GivenRule],
        tangents: &Tangents<'b>,
        active: &Active,
        cuts: &BTreeSet<NodeId>,
    ) -> Option<Value<'b>> {
        let inside = cuts_of(cuts, rules);
        let others = Active::within(self.graph, value, &inside);
        let mut sum = self.run(&[value], &others, &inside).remove(&value);
        for rule in rules.iter().filter(|rule| active.carries(rule.input)) {
            let Some(tangent) = tangents.get(&rule.input) else { continue };
            match transpose::apply(self.builder, self.graph, rule, *tangent) {
                Some(part) => sum = Some(sum.map_or(part, |sum| sum + part)),
                None => {
                    let reason = "has a given gradient that isn't linear in `grad`: derive it".to_string();
                    self.errors.push(NoGradient { node: id, reason });
                    return None;
                }
            }
        }
        sum
    }
}
