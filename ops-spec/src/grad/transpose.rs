//! The transpose of a given rule: a rule takes the gradient of a value to that of an input, its transpose the tangent of that input to
//! the tangent of the value. It exists because a rule is linear in the gradient; where it isn't, forward mode has no meaning.

use super::rules;
use super::sweep::{Piece, accumulate, unbroadcast};
use crate::ir::{Builder, DimSet, GivenRule, Graph, Kind, NodeId, Op, Scalar, Value};
use crate::prim::{Fold, Prim};
use std::collections::BTreeMap;

/// The tangent that the rule's input with this tangent gives to the value; `None` if the rule isn't linear in its seed.
pub(super) fn apply<'b>(
    builder: &'b Builder,
    graph: &Graph,
    rule: &GivenRule,
    tangent: Value<'b>,
) -> Option<Value<'b>> {
    let transpose = Transpose { builder, graph, depends: depends(graph, rule) };
    let dims = |id: NodeId| graph.node(id).dims;
    let zero = builder.float(0.0);
    if !transpose.depends(rule.rule) {
        return transpose.is_zero(rule.rule).then_some(zero);
    }
    let start = unbroadcast(tangent, dims(rule.input).union(dims(rule.rule)), dims(rule.rule));
    let mut adjoints = BTreeMap::from([(rule.rule, start)]);
    while let Some((id, grad)) = adjoints.pop_last() {
        if id == rule.seed {
            return Some(grad);
        }
        for piece in transpose.step(id, grad)? {
            accumulate(&mut adjoints, piece.to, unbroadcast(piece.grad, piece.dims, dims(piece.to)));
        }
    }
    Some(zero)
}

struct Transpose<'b, 'g> {
    builder: &'b Builder,
    graph: &'g Graph,
    depends: Vec<bool>,
}

/// Which nodes depend on the seed of a rule, up to the rule.
fn depends(graph: &Graph, rule: &GivenRule) -> Vec<bool> {
    let mut depends = vec![false; graph.nodes.len()];
    depends[rule.seed.0 as usize] = true;
    for id in graph.ids().filter(|id| *id > rule.seed && *id <= rule.rule) {
        depends[id.0 as usize] = graph.node(id).operands().iter().any(|x| depends[x.0 as usize]);
    }
    depends
}

impl<'b> Transpose<'b, '_> {
    fn depends(&self, id: NodeId) -> bool {
        self.depends[id.0 as usize]
    }

    /// What flows from a node that depends on the seed to its operands that do; `None` if the node isn't linear in them.
    fn step(&self, id: NodeId, grad: Value<'b>) -> Option<Vec<Piece<'b>>> {
        let node = self.graph.node(id);
        let dims_of = |id: NodeId| self.graph.node(id).dims;
        let one = |to: NodeId, dims: DimSet, grad: Value<'b>| Some(vec![Piece { to, dims, grad }]);
        match &node.op {
            Op::Apply(prim, args) => self.apply(id, *prim, args, grad),
            Op::Cast(x) if self.graph.node(*x).kind == Kind::Float => one(*x, node.dims, grad),
            // Markers tell how to differentiate; the value is what it is.
            Op::StopGrad(x) | Op::Given { value: x, .. } => one(*x, node.dims, grad),
            Op::Reduce(Fold::Sum, _, x) => one(*x, dims_of(*x), grad),
            Op::At { source, dim, index } if !self.depends(*index) => {
                let source_value = self.builder.value(*source);
                one(
                    *source,
                    dims_of(*source),
                    rules::at(source_value, *dim, self.builder.value(*index), grad),
                )
            }
            Op::ScatterAdd { source, dim, index } if !self.depends(*index) => {
                let (dims, grad) =
                    rules::scatter_add(dims_of(*source), *dim, self.builder.value(*index), node.dims, grad);
                one(*source, dims, grad)
            }
            Op::Input(_) | Op::Literal(_) | Op::Len(_) | Op::Iota(_) | Op::Seed(_) => Some(vec![]),
            Op::Cast(_) | Op::Reduce(..) | Op::At { .. } | Op::ScatterAdd { .. } => None,
        }
    }

    fn apply(&self, id: NodeId, prim: Prim, args: &[NodeId], grad: Value<'b>) -> Option<Vec<Piece<'b>>> {
        let depends: Vec<bool> = args.iter().map(|arg| self.depends(*arg)).collect();
        let keeps_zero = |i: usize| depends[i] || self.is_zero(args[i]);
        let is_linear = match prim {
            Prim::Neg => true,
            Prim::Add | Prim::Sub => keeps_zero(0) && keeps_zero(1),
            Prim::Mul => depends[0] != depends[1],
            Prim::Div => !depends[1],
            Prim::Select => !depends[0] && keeps_zero(1) && keeps_zero(2),
            _ => false,
        };
        let rule = prim.row().rule.ok().filter(|_| is_linear)?;
        let values: Vec<Value<'b>> = args.iter().map(|arg| self.builder.value(*arg)).collect();
        let grads = rule(&values, self.builder.value(id), grad);
        let dims = self.graph.node(id).dims;
        let pieces = args.iter().zip(grads).filter(|(arg, _)| self.depends(**arg));
        Some(pieces.filter_map(|(to, grad)| Some(Piece { to: *to, dims, grad: grad? })).collect())
    }

    fn is_zero(&self, id: NodeId) -> bool {
        matches!(self.graph.node(id).op, Op::Literal(Scalar::Float(0.0)))
    }
}
