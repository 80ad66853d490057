//! What a node is computed from.

use super::{GivenRule, Node, NodeId, Op};

impl Node {
    /// Ids of the operands, in order.
    pub fn operands(&self) -> Vec<NodeId> {
        match &self.op {
            Op::Input(_) | Op::Literal(_) | Op::Len(_) | Op::Iota(_) | Op::Seed(_) => vec![],
            Op::Apply(_, args) | Op::Scan { operands: args, .. } | Op::Order { operands: args, .. } => {
                args.clone()
            }
            Op::Cast(x) | Op::Reduce(_, _, x) | Op::StopGrad(x) | Op::Window { source: x, .. } => vec![*x],
            Op::At { source, index, .. } | Op::Scatter { source, index, .. } => vec![*source, *index],
            Op::Given { value, rules } => {
                let mut ids = vec![*value];
                for rule in rules {
                    ids.extend([rule.input, rule.rule, rule.seed]);
                }
                ids
            }
        }
    }

    /// The same node with each operand replaced.
    pub fn map_operands(&self, mut f: impl FnMut(NodeId) -> NodeId) -> Node {
        let op = match &self.op {
            Op::Input(_) | Op::Literal(_) | Op::Len(_) | Op::Iota(_) | Op::Seed(_) => self.op.clone(),
            Op::Apply(prim, args) => Op::Apply(*prim, args.iter().map(|a| f(*a)).collect()),
            Op::Cast(x) => Op::Cast(f(*x)),
            Op::Reduce(fold, dims, x) => Op::Reduce(*fold, *dims, f(*x)),
            Op::Scan { scan, dim, reverse, operands } => Op::Scan {
                scan: *scan,
                dim: *dim,
                reverse: *reverse,
                operands: operands.iter().map(|x| f(*x)).collect(),
            },
            Op::Order { order, dim, operands } => {
                Op::Order { order: *order, dim: *dim, operands: operands.iter().map(|x| f(*x)).collect() }
            }
            Op::StopGrad(x) => Op::StopGrad(f(*x)),
            Op::At { source, dim, index } => Op::At { source: f(*source), dim: *dim, index: f(*index) },
            Op::Window { source, dim, position } => {
                Op::Window { source: f(*source), dim: *dim, position: position.clone() }
            }
            Op::Scatter { fold, source, dim, index, once } => {
                Op::Scatter { fold: *fold, source: f(*source), dim: *dim, index: f(*index), once: *once }
            }
            Op::Given { value, rules } => Op::Given {
                value: f(*value),
                rules: rules
                    .iter()
                    .map(|r| GivenRule { input: f(r.input), rule: f(r.rule), seed: f(r.seed) })
                    .collect(),
            },
        };
        Node { op, ..self.clone() }
    }
}
