//! The kernels of a graph: what is computed in which pass over which dims, and what is stored in between.
//!
//! Comes from a checked, simplified [`Graph`]; the emitters write one body per pass, and a backend's runtime, which makes
//! the same schedule from the same graph, binds the bodies to buffers and loops. Both sides see passes in one order.

mod contraction;
mod exact;
mod invariant;
mod needs;
mod plan;
mod program;
mod reduction;
mod text;
mod waits;

#[cfg(test)]
mod tests;

pub use contraction::regroup;
pub use exact::is_exact;
pub use plan::schedule;
pub use program::{Compute, Origin, Program, Step, ValueId};

use crate::ir::{DimId, DimSet, Graph, Kind, NodeId};
use crate::prim::Fold;

/// The kernels of one op, in an order that respects their data.
#[derive(Clone, Debug, PartialEq)]
pub struct Schedule {
    /// Run one after the other.
    pub kernels: Vec<Kernel>,
    /// What kernels store: results and intermediates.
    pub buffers: Vec<Buffer>,
}

/// A stored value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Buffer {
    /// The value.
    pub node: NodeId,
    /// Its dims: the node's, and for an output that broadcasts, the declared ones.
    pub dims: DimSet,
    /// The results that it is; empty for an intermediate. Their declared axes give the layout.
    pub outputs: Vec<usize>,
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
    /// Indexing by an integer value.
    Gather(Index),
    /// The adjoint of indexing: the target starts at zero.
    Scatter(Index),
}

/// The classes that decide which skeleton runs a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Class {
    /// No reduction.
    Pointwise,
    /// Reductions over the inner dims only.
    Row,
    /// Reductions over the outer dims only.
    Column,
    /// Both in one pass.
    Mixed,
    /// Matrix product.
    Contraction,
    /// Gather or scatter.
    Index,
}

/// For each point of `outer`: the passes in order, each over all of `inner`.
#[derive(Clone, Debug, PartialEq)]
pub struct Loop {
    /// Pointwise, row, column or mixed.
    pub class: Class,
    /// Dims that give a row each.
    pub outer: DimSet,
    /// Dims of a row.
    pub inner: DimSet,
    /// A pass sees the statistics of the passes before it. At least one.
    pub passes: Vec<Pass>,
}

/// One traversal of a row, or, if it has no elements results, one evaluation per row.
#[derive(Clone, Debug, PartialEq)]
pub struct Pass {
    /// Values that are one per row: scalars, sizes, stored values without inner dims, statistics of this row.
    pub uniforms: Vec<Leaf>,
    /// Values that vary along the row.
    pub elements: Vec<Leaf>,
    /// What is computed. All are [`Target::Row`], or none is.
    pub results: Vec<PassResult>,
}

/// An input of a pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Leaf {
    /// The value.
    pub node: NodeId,
    /// Where it is found.
    pub source: Source,
}

/// Where an input of a kernel is found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// The argument with this index: a tensor or a scalar.
    Arg(usize),
    /// A stored value.
    Buffer(BufferId),
    /// A product of sizes.
    Len(DimSet),
    /// The index along a dim.
    Iota(DimId),
    /// A [`Target::Fold`] of an earlier pass of the same loop.
    Statistic,
}

/// A value that a pass computes, and what becomes of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PassResult {
    /// The value, in terms of the pass's leaves.
    pub value: NodeId,
    /// What becomes of it.
    pub target: Target,
}

/// What becomes of a computed value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// Folded along the row; the reduce node `node` is a leaf of later passes.
    Fold {
        /// How.
        fold: Fold,
        /// The reduction that this computes.
        node: NodeId,
    },
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

/// `out[batch, m, n] = sum over k of lhs[batch, m, k] * rhs[batch, k, n]`, each a set of dims in any memory order.
#[derive(Clone, Debug, PartialEq)]
pub struct Contraction {
    /// Left factor; float.
    pub lhs: Leaf,
    /// Right factor; float.
    pub rhs: Leaf,
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
    pub source: Leaf,
    /// Int value.
    pub index: Leaf,
    /// The indexed dim, of the source (gather) or the result (scatter).
    pub dim: DimId,
    /// The result.
    pub out: BufferId,
}

/// The order in which a body takes the leaves of a pass and gives its results: by kind, then as listed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ByKind<T> {
    /// Of kind float.
    pub floats: Vec<T>,
    /// Of kind int.
    pub ints: Vec<T>,
    /// Of kind bool.
    pub bools: Vec<T>,
}

impl Schedule {
    /// All passes of all kernels in order: the order of the generated bodies.
    pub fn passes(&self) -> impl Iterator<Item = (&Loop, &Pass)> {
        let loops = self.kernels.iter().filter_map(|kernel| match kernel {
            Kernel::Loop(nest) => Some(nest),
            Kernel::Contraction(product) => product.epilogue.as_ref(),
            Kernel::Gather(_) | Kernel::Scatter(_) => None,
        });
        loops.flat_map(|nest| nest.passes.iter().map(move |pass| (nest, pass)))
    }

    /// The buffer with this id.
    pub fn buffer(&self, id: BufferId) -> &Buffer {
        &self.buffers[id.0 as usize]
    }
}

impl Kernel {
    /// Which skeleton runs it.
    pub fn class(&self) -> Class {
        match self {
            Kernel::Loop(nest) => nest.class,
            Kernel::Contraction(_) => Class::Contraction,
            Kernel::Gather(_) | Kernel::Scatter(_) => Class::Index,
        }
    }
}

impl Pass {
    /// Whether it is evaluated once per row.
    pub fn is_per_row(&self) -> bool {
        self.results.iter().all(|r| matches!(r.target, Target::Row(_)))
    }

    /// Uniforms in the order that a body takes them.
    pub fn uniforms_by_kind(&self, graph: &Graph) -> ByKind<Leaf> {
        ByKind::split(&self.uniforms, |leaf| graph.node(leaf.node).kind)
    }

    /// Elements in the order that a body takes them.
    pub fn elements_by_kind(&self, graph: &Graph) -> ByKind<Leaf> {
        ByKind::split(&self.elements, |leaf| graph.node(leaf.node).kind)
    }

    /// Results in the order that a body gives them. A fold's kind is its operand's.
    pub fn results_by_kind(&self, graph: &Graph) -> ByKind<PassResult> {
        ByKind::split(&self.results, |result| graph.node(result.value).kind)
    }
}

impl<T: Copy> ByKind<T> {
    fn split(items: &[T], kind: impl Fn(T) -> Kind) -> ByKind<T> {
        let of = |wanted| items.iter().copied().filter(|item| kind(*item) == wanted).collect();
        ByKind { floats: of(Kind::Float), ints: of(Kind::Int), bools: of(Kind::Bool) }
    }
}
