//! Given rules as linear maps: a rule takes the gradient of a value to that of an input, its transpose the
//! tangent of that input to the tangent of the value. It exists because a rule is linear in the gradient;
//! where it isn't, forward mode has no meaning.

use super::rules;
use super::sweep::{Piece, accumulate, unbroadcast};
use crate::ir::{Builder, GivenRule, Graph, Kind, NodeId, Op, Scalar, Value};
use crate::prim::{Fold, Prim};
use std::collections::BTreeMap;

/// The node that keeps a rule from being linear in its seeds, all at once, if there is one. A product with a
/// literal zero is not seen as zero: the node is then the rule.
pub(crate) fn nonlinear(graph: &Graph, rule: NodeId, seeds: &[NodeId]) -> Option<NodeId> {
    let linear = Linear::new(graph, rule, seeds);
    if !linear.depends(rule) {
        return (!is_zero(graph, rule)).then_some(rule);
    }
    let mut open = vec![rule];
    let mut seen = vec![false; graph.nodes.len()];
    while let Some(id) = open.pop() {
        if !linear.depends(id) || std::mem::replace(&mut seen[id.0 as usize], true) {
            continue;
        }
        if !linear.is_linear(id) {
            return Some(id);
        }
        open.extend(linear.operands(id));
    }
    None
}

/// The tangent that the rule's input with this tangent gives to the value; `None` if the rule isn't linear in
/// its seed.
pub(super) fn apply<'b>(
    builder: &'b Builder,
    graph: &Graph,
    rule: &GivenRule,
    tangent: Value<'b>,
) -> Option<Value<'b>> {
    if nonlinear(graph, rule.rule, &[rule.seed]).is_some() {
        return None;
    }
    let linear = Linear::new(graph, rule.rule, &[rule.seed]);
    let dims = |id: NodeId| graph.node(id).dims;
    let start = unbroadcast(tangent, dims(rule.input).union(dims(rule.rule)), dims(rule.rule));
    let mut adjoints = BTreeMap::from([(rule.rule, start)]);
    while let Some((id, grad)) = adjoints.pop_last() {
        if id == rule.seed {
            return Some(grad);
        }
        for piece in linear.step(builder, id, grad).into_iter().filter(|piece| linear.depends(piece.to)) {
            accumulate(&mut adjoints, piece.to, unbroadcast(piece.grad, piece.dims, dims(piece.to)));
        }
    }
    Some(builder.float(0.0))
}

/// The part of a graph that depends on seeds.
struct Linear<'g> {
    graph: &'g Graph,
    depends: Vec<bool>,
}

impl<'g> Linear<'g> {
    /// Up to the rule.
    fn new(graph: &'g Graph, rule: NodeId, seeds: &[NodeId]) -> Linear<'g> {
        let mut depends = vec![false; graph.nodes.len()];
        for id in graph.ids().filter(|id| *id <= rule) {
            let node = graph.node(id);
            depends[id.0 as usize] =
                seeds.contains(&id) || node.operands().iter().any(|x| depends[x.0 as usize]);
        }
        Linear { graph, depends }
    }

    fn depends(&self, id: NodeId) -> bool {
        self.depends[id.0 as usize]
    }

    /// Whether a node that depends on the seeds is linear in its operands that do.
    fn is_linear(&self, id: NodeId) -> bool {
        match &self.graph.node(id).op {
            Op::Apply(prim, args) => self.applies_linearly(*prim, args),
            Op::Cast(x) => self.graph.node(*x).kind == Kind::Float,
            Op::Reduce(fold, ..) => *fold == Fold::Sum,
            Op::At { index, .. } | Op::ScatterAdd { index, .. } => !self.depends(*index),
            Op::StopGrad(_) | Op::Given { .. } | Op::Seed(_) => true,
            Op::Input(_) | Op::Literal(_) | Op::Len(_) | Op::Iota(_) => true,
        }
    }

    fn applies_linearly(&self, prim: Prim, args: &[NodeId]) -> bool {
        let depends: Vec<bool> = args.iter().map(|arg| self.depends(*arg)).collect();
        let keeps_zero = |i: usize| depends[i] || is_zero(self.graph, args[i]);
        match prim {
            Prim::Neg => true,
            Prim::Add | Prim::Sub => keeps_zero(0) && keeps_zero(1),
            Prim::Mul => depends[0] != depends[1],
            Prim::Div => !depends[1],
            Prim::Select => !depends[0] && keeps_zero(1) && keeps_zero(2),
            _ => false,
        }
    }

    /// What a node is linear in. Markers tell how to differentiate; the value is what it is.
    fn operands(&self, id: NodeId) -> Vec<NodeId> {
        match &self.graph.node(id).op {
            Op::Given { value, .. } => vec![*value],
            _ => self.graph.node(id).operands(),
        }
    }

    /// What flows from a linear node to its operands.
    fn step<'b>(&self, builder: &'b Builder, id: NodeId, grad: Value<'b>) -> Vec<Piece<'b>> {
        let node = self.graph.node(id);
        let dims_of = |id: NodeId| self.graph.node(id).dims;
        match &node.op {
            Op::Apply(prim, args) => {
                // Primitives that are linear have rules.
                let Ok(rule) = prim.row().rule else { return vec![] };
                let values: Vec<Value<'b>> = args.iter().map(|arg| builder.value(*arg)).collect();
                let grads = rule(&values, builder.value(id), grad);
                let pieces = args.iter().zip(grads);
                pieces
                    .filter_map(|(to, grad)| Some(Piece { to: *to, dims: node.dims, grad: grad? }))
                    .collect()
            }
            Op::Cast(x) | Op::StopGrad(x) | Op::Given { value: x, .. } => {
                vec![Piece { to: *x, dims: node.dims, grad }]
            }
            Op::Reduce(_, _, x) => vec![Piece { to: *x, dims: dims_of(*x), grad }],
            Op::At { source, dim, index } => {
                let index = builder.value(*index);
                let (dims, grad) = rules::at(dims_of(*source), *dim, index, node.dims, grad);
                vec![Piece { to: *source, dims, grad }]
            }
            Op::ScatterAdd { source, dim, index } => {
                let index = builder.value(*index);
                let (dims, grad) = rules::scatter_add(dims_of(*source), *dim, index, node.dims, grad);
                vec![Piece { to: *source, dims, grad }]
            }
            Op::Input(_) | Op::Literal(_) | Op::Len(_) | Op::Iota(_) | Op::Seed(_) => vec![],
        }
    }
}

fn is_zero(graph: &Graph, id: NodeId) -> bool {
    matches!(graph.node(id).op, Op::Literal(Scalar::Float(0.0)))
}
