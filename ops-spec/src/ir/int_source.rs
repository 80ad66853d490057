//! The dtype of an int result: it follows from where its values come from, as in PyTorch.
//!
//! The graph does not know dtypes, so this only records what decides the dtype. A backend finds the dtype
//! when it knows those of the arguments. The record is made from the graph as it was written, and is kept in
//! the [`Output`](super::Output), because simplification may drop the values that decided the dtype.

use super::{ArgType, Graph, Kind, NodeId, Op};
use crate::prim::{Fold, Scan};

/// What decides the dtype of an int value. Literals and scalar arguments decide nothing: they take the dtype
/// of the values that they are combined with.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct IntSource {
    /// Indices of the int tensor arguments that the value is computed from. The widest of their dtypes
    /// counts.
    pub args: Vec<usize>,
    /// Whether ints were summed or multiplied along dims on the way. The dtype is then i64.
    pub sums: bool,
    /// Whether the value is, or is computed from, a position, an index, a size, or a float or bool that was
    /// cast to int. The dtype is then i64.
    pub counts: bool,
}

impl IntSource {
    fn arg(arg: usize) -> IntSource {
        IntSource { args: vec![arg], ..IntSource::default() }
    }

    fn counted() -> IntSource {
        IntSource { counts: true, ..IntSource::default() }
    }

    /// What decides the dtype of a value that is computed from both.
    fn and(mut self, other: &IntSource) -> IntSource {
        self.args.extend(&other.args);
        self.args.sort_unstable();
        self.args.dedup();
        self.sums |= other.sums;
        self.counts |= other.counts;
        self
    }
}

impl Graph {
    /// Finds what decides the dtype of each int result. The graph must be the one that was written.
    pub fn with_int_sources(mut self) -> Graph {
        let is_int = |output: &super::Output| self.node(output.node).kind == Kind::Int;
        if self.outputs.iter().any(is_int) {
            let sources = int_sources(&self);
            for output in &mut self.outputs {
                output.ints = sources[output.node.0 as usize].clone();
            }
        }
        self
    }
}

/// What decides the dtype of each node. For a node that is not an int, nothing does.
fn int_sources(graph: &Graph) -> Vec<IntSource> {
    let mut sources: Vec<IntSource> = Vec::with_capacity(graph.nodes.len());
    for node in &graph.nodes {
        let of = |id: &NodeId| sources[id.0 as usize].clone();
        let is_int = node.kind == Kind::Int;
        sources.push(match &node.op {
            _ if !is_int => IntSource::default(),
            Op::Input(arg) => match graph.args[*arg].ty {
                ArgType::Tensor { .. } => IntSource::arg(*arg),
                ArgType::Shape { .. } | ArgType::Scalar { .. } | ArgType::Axis { .. } => IntSource::default(),
            },
            Op::Literal(_) | Op::Seed(_) => IntSource::default(),
            Op::Len(_) | Op::Iota(_) => IntSource::counted(),
            Op::Apply(prim, args) => {
                prim.values(args).iter().fold(IntSource::default(), |all, arg| all.and(&of(arg)))
            }
            Op::Cast(x) if graph.node(*x).kind == Kind::Int => of(x),
            Op::Cast(_) => IntSource::counted(),
            Op::Reduce(fold, _, x) | Op::Scatter { fold, source: x, .. } => match fold {
                Fold::Sum | Fold::Prod => IntSource { sums: true, ..of(x) },
                Fold::Max | Fold::Min => of(x),
                Fold::ArgMax | Fold::ArgMin | Fold::Any | Fold::All => IntSource::counted(),
            },
            Op::Scan { scan: Scan::Max | Scan::Min, operands, .. } => of(&operands[0]),
            Op::Scan { scan: Scan::Sum | Scan::Prod | Scan::Linear, operands, .. } => {
                let all = operands.iter().fold(IntSource::default(), |all, operand| all.and(&of(operand)));
                IntSource { sums: true, ..all }
            }
            Op::Order { .. } => IntSource::counted(),
            Op::At { source, .. } | Op::Window { source, .. } => of(source),
            Op::StopGrad(x) | Op::Given { value: x, .. } => of(x),
        });
    }
    sources
}
