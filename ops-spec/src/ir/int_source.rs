//! Which dtype an int result has: it follows from where its values come from, as in PyTorch.
//!
//! The graph knows no dtypes, so this says what a dtype is to be made of; a backend does so when it knows
//! those of the arguments. It is found in the graph as it was written and kept with the
//! [`Output`](super::Output): simplification may drop what decided it.

use super::{ArgType, Graph, Kind, NodeId, Op};
use crate::prim::{Fold, Prim};

/// What decides the dtype of an int value. Literals and scalar arguments decide nothing: they have the dtype
/// of what they meet.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct IntSource {
    /// Indices of the int tensor arguments that the value is computed of: the widest of their dtypes.
    pub args: Vec<usize>,
    /// Whether ints were summed or multiplied along dims on the way: i64.
    pub sums: bool,
    /// Whether it is, or is computed of, a position, an index, a size, or a float or bool that was made an
    /// int: i64.
    pub counts: bool,
}

impl IntSource {
    fn arg(arg: usize) -> IntSource {
        IntSource { args: vec![arg], ..IntSource::default() }
    }

    fn counted() -> IntSource {
        IntSource { counts: true, ..IntSource::default() }
    }

    /// Of what is computed of both.
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
    /// Finds what decides the dtype of each int result. For a graph as it was written.
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

/// What decides the dtype of each node; of one that is no int, nothing.
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
            Op::Apply(Prim::Select, args) => of(&args[1]).and(&of(&args[2])),
            Op::Apply(_, args) => args.iter().fold(IntSource::default(), |all, arg| all.and(&of(arg))),
            Op::Cast(x) if graph.node(*x).kind == Kind::Int => of(x),
            Op::Cast(_) => IntSource::counted(),
            Op::Reduce(fold, _, x) => match fold {
                Fold::Sum | Fold::Prod => IntSource { sums: true, ..of(x) },
                Fold::Max | Fold::Min => of(x),
                Fold::ArgMax | Fold::ArgMin | Fold::Any | Fold::All => IntSource::counted(),
            },
            Op::At { source, .. } => of(source),
            Op::ScatterAdd { source, .. } => IntSource { sums: true, ..of(source) },
            Op::StopGrad(x) | Op::Given { value: x, .. } => of(x),
        });
    }
    sources
}
