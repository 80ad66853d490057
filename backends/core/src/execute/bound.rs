//! What the executor gives to a kernel: operands with sizes and memory.

use crate::{AxisId, BoundAxis, Cut, DType, Positions, Precision};
use tensor_op_spec::ir::{DimId, Scalar};
use tensor_op_spec::prim::{Fold, Scan};
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
    /// A window of memory that reaches outside of it.
    Window(Window<T>),
    /// Memory that is read by an index along one of its axes.
    Gathered(Gathered<T>),
    /// What an earlier pass has kept as [`Dest::Kept`], last at this place, of the same element of the row.
    Kept(usize),
}

/// What a gather gives, without a copy of it: `source[along = index]`. [`defers`](super::Kernels::defers) has
/// checked the index.
#[derive(Clone, Debug)]
pub struct Gathered<T> {
    /// The memory.
    pub source: Labeled<T>,
    /// The index: ints.
    pub index: Labeled<T>,
    /// The indexed axis of the source. Where the loop has this axis, it is the index's.
    pub along: AxisId,
}

/// Memory that is read where a point of the loop is inside of it. Elsewhere the value is another one.
///
/// A point reads the element at `start`, moved by the steps of its axes and by the quotients of the guards
/// that have a divisor above 1.
#[derive(Clone, Debug)]
pub struct Window<T> {
    /// The memory. It has elements.
    pub source: T,
    /// The index along each axis of the source at the first point. It may be outside.
    pub start: Vec<isize>,
    /// The axes along which it varies, each with how far one step moves along each axis of the source.
    pub axes: Vec<(BoundAxis, Vec<isize>)>,
    /// A point is inside if all of these hold.
    pub guards: Vec<Guard>,
    /// The value outside.
    pub outside: Scalar,
}

/// A test at each point: whether an affine function of the place is a multiple of a divisor, and the quotient
/// an index of an axis.
#[derive(Clone, Debug)]
pub struct Guard {
    /// The axis of the source.
    pub at: usize,
    /// The value at the first point.
    pub first: i64,
    /// How far it grows with each step along a dim.
    pub steps: Vec<(DimId, i64)>,
    /// The divisor. If it is 1, the window moves along the axis by its steps.
    pub divisor: i64,
    /// The size of the axis.
    pub size: usize,
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
    /// Kept at each element of the row for later passes, which read it at this place: a number from 0 on. It
    /// is a float of [`BoundLoop::float`]. A pass may keep another value there after the last read.
    Kept(usize),
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

/// A scan: each element of the result follows from the one before it and from the operands.
#[derive(Clone, Debug)]
pub struct BoundScan<T> {
    /// How.
    pub scan: Scan,
    /// Whether it goes from the last element to the first.
    pub reverse: bool,
    /// What it takes. Operands may lack axes of the result.
    pub operands: Vec<Labeled<T>>,
    /// The axis of the scan.
    pub along: BoundAxis,
    /// Axes of the result, in its memory order.
    pub out: Vec<BoundAxis>,
    /// The dtype of the result.
    pub dtype: DType,
    /// The dtype that it is computed in.
    pub computed: DType,
}

/// Sorts along an axis.
#[derive(Clone, Debug)]
pub struct BoundSort<T> {
    /// The elements: floats, ints or bools.
    pub source: Labeled<T>,
    /// The sorted axis.
    pub along: BoundAxis,
    /// The axis of the result that has the first positions.
    pub kept: BoundAxis,
    /// Whether the largest element comes first.
    pub descending: bool,
    /// Axes of the result, in its memory order. They are those of the source, with `kept` in place of
    /// `along`.
    pub out: Vec<BoundAxis>,
}

/// Looks values up in what is sorted along an axis.
#[derive(Clone, Debug)]
pub struct BoundSearch<T> {
    /// The sorted elements.
    pub sorted: Labeled<T>,
    /// What is looked up, of the same kind.
    pub values: Labeled<T>,
    /// The sorted axis.
    pub along: BoundAxis,
    /// Whether equal elements count as smaller.
    pub right: bool,
    /// Axes of the result, in its memory order.
    pub out: Vec<BoundAxis>,
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
    /// Whether no place of a scatter gets more than one element, if the index is right: it is a sum then. A
    /// wrong index may give any numbers, but no race.
    pub once: bool,
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

impl<T> Read<T> {
    /// The place of what an earlier pass has kept, if it is that.
    pub fn kept(&self) -> Option<usize> {
        match self {
            Read::Kept(place) => Some(*place),
            Read::Memory(_) | Read::Written(_) | Read::Index(_) | Read::Window(_) | Read::Gathered(_) => None,
        }
    }
}

impl BoundPass<'_> {
    /// Whether somebody wants a result of it.
    pub(super) fn has_results(&self) -> bool {
        self.dests.iter().any(|dest| *dest != Dest::Nowhere)
    }
}

impl<T> Labeled<T> {
    /// The place of an axis among its own, if it varies along it.
    pub fn place(&self, axis: AxisId) -> Option<usize> {
        self.axes.iter().position(|own| own.axis == axis && own.size != 1)
    }
}

impl<T> Window<T> {
    /// For a source with these strides: where the first point is, counted from its first element, and the
    /// step of each axis. The quotients of guards are not counted.
    pub fn within(&self, strides: &[isize]) -> (isize, Vec<(AxisId, isize)>) {
        // What is outside may be too far away to be counted. Nobody goes there.
        let dot = |steps: &[isize]| {
            let places = steps.iter().zip(strides).map(|(step, stride)| step.wrapping_mul(*stride));
            places.fold(0_isize, isize::wrapping_add)
        };
        let axes = self.axes.iter().filter(|(bound, _)| bound.size != 1);
        (dot(&self.start), axes.map(|(bound, steps)| (bound.axis, dot(steps))).collect())
    }

    /// This window of a part of the loop.
    pub(super) fn cut(&mut self, cuts: &[Cut]) {
        for cut in cuts {
            let Some((bound, steps)) = self.axes.iter_mut().find(|(own, _)| own.axis == cut.axis) else {
                continue;
            };
            bound.size = cut.len;
            self.start.iter_mut().zip(steps).for_each(|(at, step)| *at += cut.start as isize * *step);
            for guard in &mut self.guards {
                let steps = guard.steps.iter().filter(|(dim, _)| *dim == cut.axis.dim);
                guard.first += steps.map(|(_, step)| step * cut.start as i64).sum::<i64>();
            }
        }
    }
}

impl Guard {
    /// How far the value grows with each step along an axis.
    pub fn step(&self, axis: AxisId) -> i64 {
        self.steps.iter().filter(|(dim, _)| *dim == axis.dim).map(|(_, step)| step).sum()
    }
}

impl<T> BoundLoop<'_, T> {
    /// Whether a fold gives a position along a row, which is counted over the axes of a row in their order.
    pub fn finds_positions(&self) -> bool {
        let mut dests = self.passes.iter().flat_map(|pass| &pass.dests);
        dests.any(|dest| matches!(dest, Dest::Fold(fold) if fold.finds_position()))
    }
}
