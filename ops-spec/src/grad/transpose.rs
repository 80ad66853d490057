//! Given rules as linear maps. A rule maps the gradient of a value to the gradient of an input; its transpose
//! maps the tangent of that input to the tangent of the value. The transpose exists because a rule is linear
//! in the gradient. If a rule isn't linear, forward mode has no meaning for it.

use super::rules::Scattered;
use super::scan::{Scanned, is_linear};
use super::sweep::{Piece, accumulate, unbroadcast};
use super::{rules, window};
use crate::ir::{Builder, GivenRule, Graph, Kind, NodeId, Op, Scalar, Value};
use crate::prim::{Fold, Prim};
use std::collections::BTreeMap;

/// The node that prevents a rule from being linear in all its seeds together, if there is one. If the rule
/// doesn't depend on its seeds and is not a literal zero, that is the rule itself: a product with a literal
/// zero is not recognised as zero.
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

/// The part of the value's tangent that comes from the rule's input, whose tangent is `tangent`. `None` if
/// the rule isn't linear in its seed.
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
    /// Looks at the nodes up to the rule.
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

    /// Whether a node that depends on the seeds is linear in those operands that depend on them too.
    fn is_linear(&self, id: NodeId) -> bool {
        match &self.graph.node(id).op {
            Op::Apply(prim, args) => self.applies_linearly(*prim, args),
            Op::Cast(x) => self.graph.node(*x).kind == Kind::Float,
            Op::Reduce(fold, ..) => *fold == Fold::Sum,
            Op::Scan { scan, operands, .. } => {
                let depends: Vec<bool> = operands.iter().map(|x| self.depends(*x)).collect();
                is_linear(*scan, &depends)
            }
            Op::At { index, .. } => !self.depends(*index),
            Op::Scatter { fold, index, .. } => *fold == Fold::Sum && !self.depends(*index),
            Op::Window { position, .. } => position.outside.is_none_or(|value| value.as_f64() == 0.0),
            Op::Order { .. } => false,
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

    /// The operands in which a node is linear. `Given` only says how to differentiate, so here the node is
    /// its value.
    fn operands(&self, id: NodeId) -> Vec<NodeId> {
        match &self.graph.node(id).op {
            Op::Given { value, .. } => vec![*value],
            _ => self.graph.node(id).operands(),
        }
    }

    /// The gradients that flow from a linear node to its operands.
    fn step<'b>(&self, builder: &'b Builder, id: NodeId, grad: Value<'b>) -> Vec<Piece<'b>> {
        let node = self.graph.node(id);
        let dims_of = |id: NodeId| self.graph.node(id).dims;
        match &node.op {
            Op::Apply(prim, args) => {
                // All linear primitives have gradient rules.
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
            Op::Scan { .. } => {
                let scanned = Scanned::new(builder, &node.op, id);
                scanned.map_or(vec![], |scanned| scanned.adjoint(grad))
            }
            Op::At { source, dim, index } => {
                let index = builder.value(*index);
                let (dims, grad) = rules::at(dims_of(*source), *dim, index, node.dims, grad);
                vec![Piece { to: *source, dims, grad }]
            }
            Op::Window { source, dim, position } => {
                let (dims, grad) = window::adjoint(self.graph, dims_of(*source), *dim, position, grad);
                vec![Piece { to: *source, dims, grad }]
            }
            Op::Scatter { fold, source: to, dim, index, .. } => {
                let [source, index, result] = [*to, *index, id].map(|id| builder.value(id));
                let adjoint = Scattered { fold: *fold, source, dim: *dim, index, result }.adjoint(grad);
                adjoint.map(|(dims, grad)| Piece { to: *to, dims, grad }).into_iter().collect()
            }
            Op::Input(_) | Op::Literal(_) | Op::Len(_) | Op::Iota(_) | Op::Seed(_) => vec![],
            Op::Order { .. } => vec![],
        }
    }
}

fn is_zero(graph: &Graph, id: NodeId) -> bool {
    matches!(graph.node(id).op, Op::Literal(Scalar::Float(0.0)))
}
