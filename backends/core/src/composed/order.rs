//! Sorting and looking up, which the host does: no structural primitive of a backend orders elements.

use super::align::{Aligned, sizes};
use crate::bind::{Binding, BoundAxis};
use crate::interpret::{is_before, lower_bound, sorted};
use crate::memory::reserved;
use crate::{Backend, Result, Shape, TensorData};
use tensor_op_spec::ir::{DimId, DimSet, Node, Scalar};

/// Rows of elements that are aligned to the axes of a result.
pub(super) struct Ordered<'b, B: Backend> {
    pub(super) binding: &'b Binding,
    pub(super) device: &'b B::Device,
    /// The dims of what is sorted.
    pub(super) sorted: DimSet,
    /// The dim along which it is sorted.
    pub(super) dim: DimId,
    /// The node of the result.
    pub(super) node: &'b Node,
}

impl<B: Backend> Ordered<'_, B> {
    /// The positions of the first elements along `to`.
    pub(super) fn sort(&self, x: Aligned<B>, to: DimId, descending: bool) -> Result<Aligned<B>> {
        let rows = self.binding.axes(self.sorted.difference(DimSet::one(self.dim)));
        let len = self.binding.size(self.dim);
        let elements = self.host(x, &[rows.clone(), self.along()].concat())?;
        let axes = [rows, self.binding.axes(DimSet::one(to))].concat();
        let kept = self.binding.size(to);
        let mut places = reserved::<i64>(sizes(&axes).product())?;
        for row in elements.chunks(len.max(1)) {
            places.extend(sorted(row, descending).into_iter().take(kept).map(|place| place as i64));
        }
        self.device(places, axes)
    }

    /// For each value, how many of the sorted elements come before it.
    pub(super) fn search(&self, sorted: Aligned<B>, x: Aligned<B>, right: bool) -> Result<Aligned<B>> {
        let len = self.binding.size(self.dim);
        // The values may vary along the dim as well, which is then another position.
        let of_rows = self.sorted.difference(DimSet::one(self.dim));
        let rows = self.binding.axes(of_rows);
        let own = self.binding.axes(self.node.dims.difference(of_rows));
        let elements = self.host(sorted, &[rows.clone(), self.along()].concat())?;
        let axes = [rows, own.clone()].concat();
        let values = self.host(x, &axes)?;
        let of_row = sizes(&own).product::<usize>();
        let mut counts = reserved::<i64>(values.len())?;
        for (at, value) in values.into_iter().enumerate() {
            let row = &elements[at / of_row * len..][..len];
            counts.push(lower_bound(len, |at| is_before(row[at], value, right)) as i64);
        }
        self.device(counts, axes)
    }

    fn along(&self) -> Vec<BoundAxis> {
        self.binding.axes(DimSet::one(self.dim))
    }

    /// The elements over these axes, row-major.
    fn host(&self, x: Aligned<B>, axes: &[BoundAxis]) -> Result<Vec<Scalar>> {
        Ok(B::into_data(x.align(axes)?)?.to_scalars())
    }

    fn device(&self, places: Vec<i64>, axes: Vec<BoundAxis>) -> Result<Aligned<B>> {
        let shape: Shape = sizes(&axes).collect();
        Ok(Aligned::new(B::from_data(TensorData::new(places, shape)?, self.device)?, axes))
    }
}
