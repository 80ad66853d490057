//! What the executor gives to a kernel: operands with sizes and memory.

use crate::{AxisId, BoundAxis, DType, Positions, Precision};
use tensor_op_spec::ir::Scalar;
use tensor_op_spec::prim::Fold;
use tensor_op_spec::schedule::Pass;

/// A tensor and its axes: one for each axis of its shape, in the same order.
#[derive(Clone, Debug)]
pub struct Labeled<T> {
    /// The tensor.
    pub tensor: T,
    /// Its axes. An axis of size 1 may stand for one that the other operands have in full.
    pub axes: Vec<BoundAxis>,
}

/// A loop: for each point of `outer`, each pass over all of `inner`.
#[derive(Debug)]
pub struct BoundLoop<'s, T> {
    /// Type of float arithmetic: f64 or f32.
    pub float: DType,
    /// Axes that give a row each.
    pub outer: Vec<BoundAxis>,
    /// Axes of a row. A position along several axes is counted in this order.
    pub inner: Vec<BoundAxis>,
    /// What is read.
    pub reads: Vec<Read<T>>,
    /// What is written.
    pub writes: Vec<Write<T>>,
    /// The passes whose results somebody wants. At least one.
    pub passes: Vec<BoundPass<'s>>,
}

/// An operand that is read.
#[derive(Clone, Debug)]
pub enum Read<T> {
    /// Memory.
    Memory(Labeled<T>),
    /// The memory of the write with this index, before it is written. It is read at the points where it is
    /// written.
    Written(usize),
    /// The index along a dim.
    Index(Positions),
}

/// An operand that is written.
#[derive(Clone, Debug)]
pub struct Write<T> {
    /// The memory. Nobody else holds the tensor.
    pub value: Labeled<T>,
    /// The read that has the same memory.
    pub over: Option<usize>,
}

/// A pass with its operands.
#[derive(Clone, Debug)]
pub struct BoundPass<'s> {
    /// Number of the pass, counted through all kernels of the schedule: generated bodies have the same order.
    pub number: usize,
    /// What is computed.
    pub pass: &'s Pass,
    /// Where each uniform comes from.
    pub uniforms: Vec<Uniform>,
    /// The read that each element comes from.
    pub elements: Vec<usize>,
    /// What becomes of each result.
    pub dests: Vec<Dest>,
}

/// Where a value comes from that is one per row.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Uniform {
    /// The same for all rows.
    Scalar(Scalar),
    /// The read with this index. It has none of the axes of a row.
    Read(usize),
    /// The [`Dest::Fold`] with this index, counted through the earlier passes.
    Statistic(usize),
}

/// What becomes of a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dest {
    /// Folded along the row.
    Fold(Fold),
    /// Written at each point.
    Element(usize),
    /// Written once per row.
    Row(usize),
    /// Folded over the rows at each point of a row, then written.
    Column(Fold, usize),
    /// Nobody wants it.
    Nowhere,
}

/// `out[batch, m, n] = sum over k of lhs[batch, m, k] * rhs[batch, k, n]`.
#[derive(Clone, Debug)]
pub struct BoundProduct<T> {
    /// Left factor.
    pub lhs: Labeled<T>,
    /// Right factor.
    pub rhs: Labeled<T>,
    /// Axes of both factors and the result.
    pub batch: Vec<BoundAxis>,
    /// Axes of the left factor and the result.
    pub m: Vec<BoundAxis>,
    /// Axes of the right factor and the result.
    pub n: Vec<BoundAxis>,
    /// Axes that are summed.
    pub k: Vec<BoundAxis>,
    /// Axes of the result, in its memory order.
    pub out: Vec<BoundAxis>,
    /// Dtype of the result.
    pub dtype: DType,
    /// How exactly factors of f32 are multiplied.
    pub precision: Precision,
}

/// A gather or a scatter.
#[derive(Clone, Debug)]
pub struct BoundIndex<'s, T> {
    /// The indexed value, or what is added.
    pub source: Labeled<T>,
    /// The index: ints.
    pub index: Labeled<T>,
    /// The indexed axis, of the source (gather) or of the result (scatter), with its size there.
    pub along: BoundAxis,
    /// Axes of the result, in its memory order.
    pub out: Vec<BoundAxis>,
    /// Axes of the result other than the indexed one.
    pub free: Vec<BoundAxis>,
    /// Axes of the source and the index that are not free: a scatter sums over them.
    pub summed: Vec<BoundAxis>,
    /// The free and the summed axes in canonical order.
    pub walked: Vec<BoundAxis>,
    /// The dtype that sums are computed in.
    pub computed: DType,
    /// What an error names.
    pub site: Site<'s>,
}

/// Where an index may be out of range.
#[derive(Clone, Copy, Debug)]
pub struct Site<'s> {
    /// The op.
    pub op: &'s str,
    /// The index, if it is an argument.
    pub arg: Option<&'s str>,
    /// The indexed dim.
    pub dim: &'s str,
}

impl<T> Labeled<T> {
    /// The place of an axis among its own, if it varies along it.
    pub fn place(&self, axis: AxisId) -> Option<usize> {
        self.axes.iter().position(|own| own.axis == axis && own.size != 1)
    }
}

impl<T> BoundLoop<'_, T> {
    /// Whether a fold gives a position along a row, which is counted over the axes of a row in their order.
    pub fn finds_positions(&self) -> bool {
        let mut dests = self.passes.iter().flat_map(|pass| &pass.dests);
        dests.any(|dest| matches!(dest, Dest::Fold(fold) if fold.finds_position()))
    }
}
