//! Runs `at` and its adjoint through the backend's gather and scatter-add. These index the last axis of
//! `[others.., dim]` by `[others.., positions]`.

use super::align::{Aligned, reshape, sizes};
use crate::bind::{Binding, BoundAxis};
use crate::{Backend, Result};
use tensor_op_spec::ir::{DimId, DimSet};

/// `at(source, dim = index)`.
pub(super) struct At<'b> {
    pub(super) binding: &'b Binding,
    pub(super) dim: DimId,
    pub(super) source_dims: DimSet,
    pub(super) index_dims: DimSet,
}

/// The adjoint of `at`. `index` and `source` have the dims `over`; the result has the dims `result`, which
/// include `dim`.
pub(super) struct ScatterAdd<'b> {
    pub(super) binding: &'b Binding,
    pub(super) dim: DimId,
    pub(super) over: DimSet,
    pub(super) result: DimSet,
}

impl At<'_> {
    /// Dims that only the index has are merged into the positions, so that the source is never repeated.
    pub(super) fn run<B: Backend>(&self, source: Aligned<B>, index: Aligned<B>) -> Result<Aligned<B>> {
        let others = self.source_dims.difference(DimSet::one(self.dim));
        let positions = self.binding.axes(self.index_dims.difference(others));
        let others = self.binding.axes(others);
        let indexed = self.binding.axes(DimSet::one(self.dim));
        let source = source.align(&[others.as_slice(), &indexed].concat())?;
        let is_unread = sizes(&others).any(|size| size == 0);
        let index = if is_unread { index.map(|index| self.looked_at::<B>(index))? } else { index };
        let index = with_positions::<B>(index, &others, &positions)?;
        let axes = [others.as_slice(), &positions].concat();
        let result = B::gather(source, others.len(), index)?;
        Ok(Aligned::new(reshape::<B>(result, sizes(&axes))?, axes))
    }

    /// Lets the backend check each element of the index, and returns the same index. This is for a result
    /// without elements, which would not read any.
    fn looked_at<B: Backend>(&self, index: B::Tensor) -> Result<B::Tensor> {
        let shape = B::shape(&index);
        let count = shape.elements()?;
        if count == 0 {
            return Ok(index);
        }
        let all = super::iota::<B>(self.binding.size(self.dim), &B::device(&index))?;
        let found = B::gather(all, 0, reshape::<B>(index, [count])?)?;
        reshape::<B>(found, shape.iter().copied())
    }
}

impl ScatterAdd<'_> {
    /// Dims that the result lacks are merged into the positions, over which scattering sums.
    pub(super) fn run<B: Backend>(&self, source: Aligned<B>, index: Aligned<B>) -> Result<Aligned<B>> {
        let others = self.result.difference(DimSet::one(self.dim));
        let positions = self.binding.axes(self.over.difference(others));
        let others = self.binding.axes(others);
        let source = with_positions::<B>(source, &others, &positions)?;
        let index = with_positions::<B>(index, &others, &positions)?;
        let result = B::scatter_add(source, others.len(), index, self.binding.size(self.dim))?;
        let indexed = self.binding.axes(DimSet::one(self.dim));
        Ok(Aligned::new(result, [others, indexed].concat()))
    }
}

/// The tensor as `[others.., positions]`, with all positions in one axis.
fn with_positions<B: Backend>(
    value: Aligned<B>,
    others: &[BoundAxis],
    positions: &[BoundAxis],
) -> Result<B::Tensor> {
    let tensor = value.align(&[others, positions].concat())?;
    let merged = sizes(positions).collect::<crate::Shape>().elements()?;
    reshape::<B>(tensor, sizes(others).chain([merged]))
}
