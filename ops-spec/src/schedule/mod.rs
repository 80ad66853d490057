//! The kernels of a graph: what is computed in which pass over which dims, and what is stored in between.
//!
//! A schedule is made from a checked, simplified graph, and is closed: each pass owns the [`Program`] that it
//! computes, and nothing after the scheduler walks the graph. The macro prints programs as Rust, the CPU
//! backend gives their values registers, a GPU backend unrolls them into kernels. The macro and the runtime
//! make the same schedule from the same text.

mod barrier;
mod class;
mod contraction;
mod cost_model;
mod fused;
mod invariant;
mod kept;
mod launch;
mod needs;
mod ones;
mod pass;
mod plan;
mod program;
mod reads;
mod reduction;
mod streams;
mod sweeps;
mod text;
mod traffic;
mod uses;
mod waits;

#[cfg(test)]
mod fused_tests;
#[cfg(test)]
mod growth_tests;
#[cfg(test)]
mod kept_tests;
#[cfg(test)]
mod ones_tests;
#[cfg(test)]
mod tests;
#[cfg(all(test, feature = "syntax"))]
mod traffic_tests;

pub use contraction::{contraction_operands, regroup};
pub use cost_model::{Cost, CostModel, Sweeps};
pub use fused::{Fused, with_fused};
pub use launch::Launch;
pub use ones::{products_of_windows, removable, without};
pub use plan::schedule;
pub use program::{Compute, Origin, Program, Step, ValueId};
pub use streams::Stream;
pub use sweeps::{Carry, StepSum, Sweep, Swept};
pub use traffic::{Access, StepTraffic, Traffic};

use crate::ir::{ArgType, DimId, DimSet, Graph, Kind, NodeId, Position};
use crate::prim::{Fold, Order, Scan};
use std::sync::Arc;

/// The kernels of one op, in an order that respects their data.
#[derive(Clone, Debug, PartialEq)]
pub struct Schedule {
    /// Run one after the other.
    pub kernels: Vec<Kernel>,
    /// What kernels store: results and intermediates.
    pub buffers: Vec<Buffer>,
    /// Kernels that can run on a few rows at a time, in order.
    pub streams: Vec<Stream>,
    /// Kernels that can run as one, step by step, in order. The CPU has none. No kernel is in a stream and in
    /// a sweep.
    pub sweeps: Vec<Sweep>,
}

/// A stored value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Buffer {
    /// The value.
    pub node: NodeId,
    /// Kind of its elements.
    pub kind: Kind,
    /// Its dims: the node's, and for an output that broadcasts, the declared ones.
    pub dims: DimSet,
    /// The results that it is; empty for an intermediate. Their declared axes give the layout.
    pub outputs: Vec<usize>,
    /// If it is a copy of windows, the dims of each position. The longest of them is an inner axis in memory,
    /// so that elements that are neighbours in the source are neighbours in the copy.
    pub windows: Vec<DimSet>,
}

/// Index of a buffer in [`Schedule::buffers`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct BufferId(pub u32);

/// One kernel.
#[derive(Clone, Debug, PartialEq)]
pub enum Kernel {
    /// Passes over a nest of loops.
    Loop(Loop),
    /// A sum of products with free dims on both sides.
    Contraction(Contraction),
    /// Windows of a value. Nothing is computed: what it fills is a view.
    View(View),
    /// A scan along a dim.
    Scan(Recurrence),
    /// Positions in what is sorted.
    Order(Ordering),
    /// Indexing by an integer value.
    Gather(Index),
    /// Combines elements that have one index: the target starts at the identity.
    Scatter(Fold, Index),
}

/// For each point of `outer`: the passes in order, each over all of `inner`.
#[derive(Clone, Debug, PartialEq)]
pub struct Loop {
    /// Dims that give a row each.
    pub outer: DimSet,
    /// Dims of a row.
    pub inner: DimSet,
    /// A pass sees the statistics of the passes before it. At least one.
    pub passes: Vec<Pass>,
}

/// One traversal of a row, or, if all targets are [`Target::Row`], one evaluation per row.
#[derive(Clone, Debug, PartialEq)]
pub struct Pass {
    /// What is computed. It names no node or argument, so that equal programs of different ops share what was
    /// compiled for one of them.
    pub program: Arc<Program>,
    /// Where the uniforms of the program come from: scalars, sizes, stored values without inner dims,
    /// statistics of this row.
    pub uniforms: Vec<Source>,
    /// Where the elements of the program come from. They vary along the row.
    pub elements: Vec<Source>,
    /// What becomes of each result of the program. All are [`Target::Row`], or none is.
    pub targets: Vec<Target>,
    /// The node that each value of the program is, in the order of [`ValueId`]. Only readers need it:
    /// generated code and [`Schedule::explain`] use the names of nodes.
    pub nodes: Vec<NodeId>,
}

/// Where an input of a kernel is found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Source {
    /// The argument with this index: a tensor or a scalar.
    Arg(usize),
    /// A stored value.
    Buffer(BufferId),
    /// A product of sizes.
    Len(DimSet),
    /// The index along a dim.
    Iota(DimId),
    /// The [`Target::Fold`] with this index, counted through the earlier passes of the same loop.
    Statistic(usize),
    /// The same [`Target::Kept`] of an earlier pass of the same loop.
    Kept(Kept),
}

/// A value that a pass keeps at each element of the row for later passes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Kept {
    /// The value.
    pub node: NodeId,
    /// Its place, among those of the values that are kept at the same time.
    pub place: usize,
}

/// What becomes of a result of a pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// Folded along the row. Later passes read it as a statistic.
    Fold {
        /// How.
        fold: Fold,
        /// The reduction that this computes, for readers.
        node: NodeId,
    },
    /// Kept at each element of the row for later passes. It is a float, as it is computed.
    Kept(Kept),
    /// Stored at each point of outer and inner.
    Element(BufferId),
    /// Stored once per row.
    Row(BufferId),
    /// Folded over all rows at each inner point, then stored.
    Column {
        /// How.
        fold: Fold,
        /// A buffer over the inner dims.
        buffer: BufferId,
    },
}

/// `out[batch, m, n] = sum over k of lhs[batch, m, k] * rhs[batch, k, n]`, each a set of dims in any memory
/// order.
#[derive(Clone, Debug, PartialEq)]
pub struct Contraction {
    /// Left factor; float.
    pub lhs: Source,
    /// Right factor; float.
    pub rhs: Source,
    /// Dims of both factors and the result.
    pub batch: DimSet,
    /// Dims of the left factor and the result.
    pub m: DimSet,
    /// Dims of the right factor and the result.
    pub n: DimSet,
    /// Dims that are summed.
    pub k: DimSet,
    /// The sum.
    pub out: BufferId,
    /// A pointwise loop that reads `out` and may write in its place.
    pub epilogue: Option<Loop>,
}

/// A gather: `out = source[dim = index]`; or a scatter: `out[dim = index] += source`.
#[derive(Clone, Debug, PartialEq)]
pub struct Index {
    /// The indexed value, or what is added.
    pub source: Source,
    /// Int value.
    pub index: Source,
    /// The indexed dim, of the source (gather) or the result (scatter).
    pub dim: DimId,
    /// The dims of the source and of the index.
    pub read: DimSet,
    /// Whether no place of a scatter gets more than one element. Of a gather nothing is known.
    pub once: bool,
    /// The result.
    pub out: BufferId,
}

/// A scan: each element of `out` along `dim` follows from the one before it and from the operands.
#[derive(Clone, Debug, PartialEq)]
pub struct Recurrence {
    /// How.
    pub scan: Scan,
    /// Along which dim.
    pub dim: DimId,
    /// Whether it goes from the last element to the first.
    pub reverse: bool,
    /// The operands. They may lack dims of the result.
    pub operands: Vec<Source>,
    /// The result.
    pub out: BufferId,
}

/// Positions in what is sorted along a dim.
#[derive(Clone, Debug, PartialEq)]
pub struct Ordering {
    /// What is asked for.
    pub order: Order,
    /// Along which dim of the first operand.
    pub dim: DimId,
    /// The operands.
    pub operands: Vec<Source>,
    /// The result; int.
    pub out: BufferId,
}

/// A value at positions that are known without reading anything: `out = source[dim = position, ..]`.
#[derive(Clone, Debug, PartialEq)]
pub struct View {
    /// The value that is read.
    pub source: Source,
    /// The dims of the source that are replaced, each with its position. All positions use indices of the
    /// view.
    pub positions: Vec<(DimId, Position)>,
    /// The view. It has the dtype of the source.
    pub out: BufferId,
}

/// What is listed by kind: generated bodies take inputs and give results in this order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ByKind<T> {
    /// Of kind float.
    pub floats: Vec<T>,
    /// Of kind int.
    pub ints: Vec<T>,
    /// Of kind bool.
    pub bools: Vec<T>,
}

/// The schedule of a graph for GPUs.
pub fn schedule_for_gpu(graph: &Graph) -> Schedule {
    with_fused(graph, schedule(graph, CostModel::GPU))
}

impl Schedule {
    /// All passes of all kernels in order: the order of the generated bodies.
    pub fn passes(&self) -> impl Iterator<Item = &Pass> {
        self.kernels.iter().flat_map(Kernel::passes)
    }

    /// The buffer with this id.
    pub fn buffer(&self, id: BufferId) -> &Buffer {
        &self.buffers[id.0 as usize]
    }
}

impl Kernel {
    /// The passes of its loop, if it has one.
    pub fn passes(&self) -> &[Pass] {
        self.nest().map_or(&[], |nest| &nest.passes)
    }
}

impl Contraction {
    /// The factors that kernels have stored.
    fn factors(&self) -> impl Iterator<Item = BufferId> {
        [self.lhs, self.rhs].into_iter().filter_map(Source::buffer)
    }
}

impl Source {
    /// The stored value, if it is one.
    pub fn buffer(self) -> Option<BufferId> {
        match self {
            Source::Buffer(id) => Some(id),
            Source::Arg(_) | Source::Len(_) | Source::Iota(_) => None,
            Source::Statistic(_) | Source::Kept(_) => None,
        }
    }
}

impl Buffer {
    /// Whether it has all of a value, and nothing else.
    fn is_value(&self, graph: &Graph, id: NodeId) -> bool {
        self.node == id && self.dims == graph.node(id).dims
    }
}

impl Target {
    /// The reduction that a fold computes.
    fn folded(&self) -> Option<NodeId> {
        match *self {
            Target::Fold { node, .. } => Some(node),
            Target::Kept(_) | Target::Row(_) | Target::Element(_) | Target::Column { .. } => None,
        }
    }
}

impl Pass {
    /// The results of its program, each with what becomes of it.
    fn results(&self) -> impl Iterator<Item = (NodeId, Target)> {
        let values = self.program.results().iter().map(|result| self.nodes[result.0 as usize]);
        values.zip(self.targets.iter().copied())
    }

    /// The buffers that it fills.
    pub fn written(&self) -> impl Iterator<Item = BufferId> {
        self.targets.iter().filter_map(|target| match *target {
            Target::Element(buffer) | Target::Row(buffer) | Target::Column { buffer, .. } => Some(buffer),
            Target::Fold { .. } | Target::Kept(_) => None,
        })
    }

    /// The values of its program that change from row to row and are read at each element; none if the pass
    /// is evaluated once per row.
    pub fn of_row(&self, graph: &Graph) -> Vec<ValueId> {
        let changes = |source: &Source| match *source {
            Source::Arg(arg) => match graph.args[arg].ty {
                ArgType::Tensor { .. } => true,
                ArgType::Shape { .. } | ArgType::Scalar { .. } | ArgType::Axis { .. } => false,
            },
            Source::Buffer(_) | Source::Iota(_) | Source::Statistic(_) | Source::Kept(_) => true,
            Source::Len(_) => false,
        };
        let changes: Vec<bool> = self.uniforms.iter().map(changes).collect();
        if self.is_per_row() { vec![] } else { self.program.of_row(&changes) }
    }

    /// Whether it is evaluated once per row.
    pub fn is_per_row(&self) -> bool {
        self.targets.iter().all(|target| matches!(target, Target::Row(_)))
    }
}

impl<T> ByKind<T> {
    /// Splits items by their kinds.
    pub fn split(items: impl IntoIterator<Item = (Kind, T)>) -> ByKind<T> {
        let mut split = ByKind { floats: Vec::new(), ints: Vec::new(), bools: Vec::new() };
        for (kind, item) in items {
            match kind {
                Kind::Float => split.floats.push(item),
                Kind::Int => split.ints.push(item),
                Kind::Bool => split.bools.push(item),
            }
        }
        split
    }
}
