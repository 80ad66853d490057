//! Sorting and looking up, which the host does: no structural primitive of a backend orders elements.

use super::align::{Aligned, sizes};
use crate::bind::{Binding, BoundAxis};
use crate::interpret::{is_before, lower_bound, sorted};
use crate::memory::reserved;
use crate::{Backend, DType, Result, Shape, TensorData};
use tensor_op_spec::ir::{DimId, DimSet, Kind, Node, Scalar};

/// Rows of elements that are aligned to the axes of a result.
pub(super) struct Ordered<'b, B: Backend> {
    pub(super) binding: &'b Binding,
    pub(super) device: &'b B::Device,
    /// The dim of what is sorted.
    pub(super) dim: DimId,
    /// The node of the result.
    pub(super) node: &'b Node,
}

impl<B: Backend> Ordered<'_, B> {
    /// The positions of the first elements along `to`.
    pub(super) fn sort(&self, x: Aligned<B>, to: DimId, descending: bool) -> Result<Aligned<B>> {
        let rows = self.binding.axes(self.node.dims.difference(DimSet::one(to)));
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
        let axes = self.binding.axes(self.node.dims);
        let (len, dim) = (self.binding.size(self.dim), self.dim);
        // The values may vary along the dim as well, which is then another position.
        let is_row = |bound: &&BoundAxis| bound.axis.dim != dim;
        let rows: Vec<BoundAxis> = axes.iter().filter(is_row).copied().collect();
        let own: Vec<BoundAxis> = axes.iter().filter(|bound| !is_row(bound)).copied().collect();
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
        let data = B::into_data(x.align(axes)?)?;
        Ok(match data.dtype().kind() {
            Kind::Float => data.cast(DType::F64).into_vec::<f64>()?.into_iter().map(Scalar::Float).collect(),
            Kind::Int | Kind::Bool => {
                data.cast(DType::I64).into_vec::<i64>()?.into_iter().map(Scalar::Int).collect()
            }
        })
    }

    fn device(&self, places: Vec<i64>, axes: Vec<BoundAxis>) -> Result<Aligned<B>> {
        let shape: Shape = sizes(&axes).collect();
        Ok(Aligned::new(B::from_data(TensorData::new(places, shape)?, self.device)?, axes))
    }
}
