//! The properties of a node that the rest of the crate relies on.

use super::Parser;
use crate::ir::text::cursor::Parsed;
use crate::ir::{DimId, Kind, Node, NodeId, Op};
use crate::prim::{Fold, Order};

impl Parser<'_> {
    /// Checks the properties of a node that the rest of the crate relies on.
    pub(super) fn check(&self, node: &Node) -> Parsed<()> {
        let fits = match &node.op {
            Op::Apply(prim, args) => {
                let kinds: Vec<Kind> = args.iter().map(|a| self.graph.node(*a).kind).collect();
                prim.result_kind(&kinds) == Some(node.kind)
            }
            Op::Reduce(fold, dims, x) => {
                let operand = self.graph.node(*x);
                fold.accepts(operand.kind)
                    && fold.result_kind(operand.kind) == node.kind
                    && dims.is_subset(operand.dims)
            }
            Op::Scan { scan, operands, dim, .. } => {
                let is_right = |x: &NodeId| self.graph.node(*x).kind == node.kind;
                operands.len() == scan.arity()
                    && operands.iter().all(is_right)
                    && scan.accepts(node.kind)
                    && node.dims.contains(*dim)
            }
            Op::Order { order, dim, operands } => {
                let kinds: Vec<Kind> = operands.iter().map(|x| self.graph.node(*x).kind).collect();
                let is_one = |dim: DimId| self.graph.has_one_size(dim);
                let to = match order {
                    Order::Sort { to, .. } => *to,
                    Order::Search { .. } => *dim,
                };
                operands.len() == order.operands().len()
                    && kinds.iter().all(|kind| *kind == kinds[0])
                    && node.kind == Kind::Int
                    && self.graph.node(operands[0]).dims.contains(*dim)
                    && [*dim, to].into_iter().all(is_one)
            }
            Op::At { index, .. } => self.graph.node(*index).kind == Kind::Int,
            Op::Scatter { fold, source, dim, index, once } => {
                self.graph.node(*index).kind == Kind::Int
                    && (!once || *fold == Fold::Sum)
                    && fold.accepts(node.kind)
                    && self.graph.node(*source).kind == node.kind
                    && node.dims.contains(*dim)
            }
            Op::Window { source, dim, position } => {
                let all = position.all_dims();
                let is_one = |dim: DimId| self.graph.has_one_size(dim);
                let is_somewhere = position.outside.is_some() || self.graph.node(*source).dims.contains(*dim);
                is_somewhere && all.iter().chain([*dim]).all(is_one)
            }
            Op::Input(_) | Op::Literal(_) | Op::Len(_) | Op::Iota(_) | Op::Seed(_) => true,
            Op::Cast(_) | Op::StopGrad(_) | Op::Given { .. } => true,
        };
        if fits { Ok(()) } else { Err("operands of these kinds or dims don't fit the operation".to_string()) }
    }
}
