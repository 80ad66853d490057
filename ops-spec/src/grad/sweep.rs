//! The loop of reverse mode: goes through the nodes in reverse and passes the adjoint of each to its
//! operands.

use super::active::{Active, cuts_of};
use super::rules::Scattered;
use super::scan::Scanned;
use super::{given, rules, window};
use crate::ir::{Builder, DimSet, GivenRule, Graph, Kind, NodeId, Op, Value};
use crate::prim::Fold;
use crate::simplify::reduce_over;
use std::collections::{BTreeMap, BTreeSet};

/// The adjoint of each argument that gets one. `seeds` are the adjoints of nodes to start from, over the
/// given dims. No derivative may be missing in the graph; [`none_missing`](super::missing::none_missing) has
/// found that, and which nodes are active.
pub(super) fn sweep(
    builder: &Builder,
    graph: &Graph,
    active: &Active,
    seeds: Vec<(NodeId, DimSet, Value<'_>)>,
) -> BTreeMap<usize, NodeId> {
    let mut sweep = Sweep { builder, graph, inputs: BTreeMap::new() };
    let start = seeds.into_iter().map(|(to, dims, grad)| Piece { to, dims, grad }).collect();
    sweep.run(start, active, &BTreeSet::new());
    sweep.inputs.into_iter().map(|(arg, value)| (arg, value.id)).collect()
}

/// The gradient that flows to a node from one of its users.
pub(super) struct Piece<'b> {
    pub(super) to: NodeId,
    /// Dims of the user. Those that the node lacks are summed.
    pub(super) dims: DimSet,
    /// The gradient. It may lack some of the dims; it is constant along those.
    pub(super) grad: Value<'b>,
}

struct Sweep<'b, 'g> {
    builder: &'b Builder,
    graph: &'g Graph,
    inputs: BTreeMap<usize, Value<'b>>,
}

impl<'b> Sweep<'b, '_> {
    fn run(&mut self, start: Vec<Piece<'b>>, active: &Active, cuts: &BTreeSet<NodeId>) {
        let mut adjoints = BTreeMap::new();
        self.add_pieces(&mut adjoints, active, start);
        while let Some((id, grad)) = adjoints.pop_last() {
            let pieces = self.step(id, grad, active, cuts);
            self.add_pieces(&mut adjoints, active, pieces);
        }
    }

    /// Adds up the pieces that go to the same node before it adds them to the adjoint: they are often alike.
    fn add_pieces(
        &self,
        adjoints: &mut BTreeMap<NodeId, Value<'b>>,
        active: &Active,
        pieces: Vec<Piece<'b>>,
    ) {
        let mut sums: BTreeMap<NodeId, Value<'b>> = BTreeMap::new();
        for piece in pieces.into_iter().filter(|piece| active.carries(piece.to)) {
            let grad = unbroadcast(piece.grad, piece.dims, self.graph.node(piece.to).dims);
            accumulate(&mut sums, piece.to, grad);
        }
        sums.into_iter().for_each(|(to, grad)| accumulate(adjoints, to, grad));
    }

    fn step(
        &mut self,
        id: NodeId,
        grad: Value<'b>,
        active: &Active,
        cuts: &BTreeSet<NodeId>,
    ) -> Vec<Piece<'b>> {
        let node = self.graph.node(id);
        match &node.op {
            Op::Input(arg) => {
                accumulate(&mut self.inputs, *arg, grad);
                vec![]
            }
            Op::Literal(_) | Op::Len(_) | Op::Iota(_) | Op::Seed(_) | Op::StopGrad(_) => vec![],
            Op::Order { .. } => vec![],
            Op::Apply(prim, args) => match prim.row().rule {
                Ok(rule) => {
                    let values: Vec<Value<'b>> = args.iter().map(|a| self.builder.value(*a)).collect();
                    let grads = rule(&values, self.builder.value(id), grad);
                    let pieces = args.iter().zip(grads);
                    pieces
                        .filter_map(|(to, grad)| Some(Piece { to: *to, dims: node.dims, grad: grad? }))
                        .collect()
                }
                Err(_) => vec![],
            },
            Op::Cast(x) => match self.graph.node(*x).kind {
                Kind::Float => vec![Piece { to: *x, dims: node.dims, grad }],
                Kind::Int | Kind::Bool => vec![],
            },
            Op::Reduce(fold, dims, x) => {
                let grad = rules::reduce(*fold, *dims, self.builder.value(*x), id, grad);
                grad.map(|grad| Piece { to: *x, dims: self.graph.node(*x).dims, grad }).into_iter().collect()
            }
            Op::Scan { .. } => {
                let scanned = Scanned::new(self.builder, &node.op, id);
                scanned.map_or(vec![], |scanned| scanned.adjoint(grad))
            }
            Op::At { source, dim, index } => {
                let (index, source_dims) = (self.builder.value(*index), self.graph.node(*source).dims);
                let (dims, grad) = rules::at(source_dims, *dim, index, node.dims, grad);
                vec![Piece { to: *source, dims, grad }]
            }
            Op::Window { source, dim, position } => {
                let source_dims = self.graph.node(*source).dims;
                let (dims, grad) = window::adjoint(self.graph, source_dims, *dim, position, grad);
                vec![Piece { to: *source, dims, grad }]
            }
            Op::Scatter { fold, source: to, dim, index, .. } => {
                let [source, index, result] = [*to, *index, id].map(|id| self.builder.value(id));
                let scattered = Scattered { fold: *fold, source, dim: *dim, index, result };
                let adjoint = scattered.adjoint(grad);
                adjoint.map(|(dims, grad)| Piece { to: *to, dims, grad }).into_iter().collect()
            }
            Op::Given { value, rules } => self.given(id, *value, rules, grad, active, cuts),
        }
    }

    /// Applies the rules for the inputs that they name, and differentiates the value for the other inputs.
    fn given(
        &mut self,
        id: NodeId,
        value: NodeId,
        rules: &[GivenRule],
        grad: Value<'b>,
        active: &Active,
        cuts: &BTreeSet<NodeId>,
    ) -> Vec<Piece<'b>> {
        let inside = cuts_of(cuts, rules);
        let others = Active::within(self.graph, value, &inside);
        if others.carries(value) {
            self.run(vec![Piece { to: value, dims: self.graph.node(value).dims, grad }], &others, &inside);
        }
        let named = rules.iter().filter(|rule| active.carries(rule.input));
        let pieces = named.map(|rule| Piece {
            to: rule.input,
            dims: self.graph.node(rule.rule).dims,
            grad: given::apply(self.builder, id, rule, grad),
        });
        pieces.collect()
    }
}

pub(super) fn accumulate<'b, K: Ord>(sums: &mut BTreeMap<K, Value<'b>>, to: K, grad: Value<'b>) {
    let sum = sums.remove(&to).map_or(grad, |sum| sum + grad);
    sums.insert(to, sum);
}

/// Sums a gradient over the dims of `from` that `to` lacks. If it is constant along such a dim, it is
/// multiplied by the size of the dim.
pub(super) fn unbroadcast(grad: Value<'_>, from: DimSet, to: DimSet) -> Value<'_> {
    reduce_over(Fold::Sum, from.difference(to), grad)
}
