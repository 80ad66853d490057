//! Which columns of a stream some rows need, for kernels that go over the columns themselves.

use super::trim::Trim;
use crate::{Binding, BoundAxis, Cut, Value};
use std::ops::Range;
use tensor_op_spec::ir::{DimId, DimSet, Graph};
use tensor_op_spec::schedule::{Schedule, Stream};

/// The columns that rows of a stream need. The others add nothing, since a mask of positions hides them.
pub struct KeptColumns<'a, T> {
    pub(super) graph: &'a Graph,
    pub(super) schedule: &'a Schedule,
    pub(super) stream: &'a Stream,
    pub(super) args: &'a [Value<T>],
    pub(super) needed: &'a [bool],
    pub(super) binding: &'a Binding,
    /// The axis of the columns, if some may be left out.
    pub(super) axis: Option<BoundAxis>,
}

impl<T> KeptColumns<'_, T> {
    /// Whether there may be rows that don't need all columns.
    pub fn may_leave_out(&self) -> bool {
        self.axis.is_some()
    }

    /// The columns that these rows need, in blocks of this many; at least one block. A dim of rows without a
    /// cut is whole.
    pub fn of_rows(&self, rows: &[Cut], block: usize) -> Range<usize> {
        let KeptColumns { schedule, stream, args, needed, binding, .. } = *self;
        let Some(axis) = self.axis else { return 0..usize::MAX };
        let kept = Trim { schedule, stream, args, needed, axis, block }.kept(binding, rows);
        kept.start..kept.start + kept.len
    }

    /// All that the columns follow from in a call of the same op: equal keys have equal columns.
    pub fn key(&self) -> Vec<u64> {
        let dims = (0..self.graph.dims.len()).map(|at| DimSet::one(DimId::new(at)));
        let sizes = dims.flat_map(|dim| {
            let axes = self.binding.axes(dim);
            let sizes: Vec<u64> = axes.iter().map(|bound| bound.size as u64).collect();
            [sizes.len() as u64].into_iter().chain(sizes)
        });
        let scalars = self.args.iter().map(|arg| match arg {
            Value::Scalar(value) => value.as_f64().to_bits(),
            Value::Tensor(_) | Value::Shape(_) => 0,
        });
        let needed = self.needed.iter().map(|needed| u64::from(*needed));
        let along = self.axis.map(|bound| bound.axis.dim.index() as u64);
        let stream = self.stream.kernels.start as u64;
        [stream].into_iter().chain(along).chain(needed).chain(scalars).chain(sizes).collect()
    }
}
