//! Runs `at` and scatters through the backend's gather and scatter-add. These index the last axis of
//! `[others.., dim]` by `[others.., positions]`. No structural primitive combines elements in another way
//! than by their sum, so the host does that.

use super::align::{Aligned, reshape, sizes};
use crate::bind::{Binding, BoundAxis};
use crate::memory::filled;
use crate::{Backend, DType, Error, ErrorKind, Result, TensorData};
use tensor_op_spec::ir::{DimId, DimSet};
use tensor_op_spec::prim::Fold;

/// `at(source, dim = index)`.
pub(super) struct At<'b> {
    pub(super) binding: &'b Binding,
    pub(super) dim: DimId,
    pub(super) source_dims: DimSet,
    pub(super) index_dims: DimSet,
}

/// A scatter. `index` and `source` have the dims `over`; the result has the dims `result`, which include
/// `dim`.
pub(super) struct Scatter<'b> {
    pub(super) binding: &'b Binding,
    pub(super) fold: Fold,
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

impl Scatter<'_> {
    /// Dims that the result lacks are merged into the positions, which are reduced.
    pub(super) fn run<B: Backend>(&self, source: Aligned<B>, index: Aligned<B>) -> Result<Aligned<B>> {
        let others = self.result.difference(DimSet::one(self.dim));
        let positions = self.binding.axes(self.over.difference(others));
        let others = self.binding.axes(others);
        let source = with_positions::<B>(source, &others, &positions)?;
        let index = with_positions::<B>(index, &others, &positions)?;
        let size = self.binding.size(self.dim);
        let result = if self.fold == Fold::Sum {
            B::scatter_add(source, others.len(), index, size)?
        } else {
            self.on_host::<B>(source, index, size)?
        };
        let indexed = self.binding.axes(DimSet::one(self.dim));
        Ok(Aligned::new(result, [others, indexed].concat()))
    }

    /// Both operands have the positions on their last axis.
    fn on_host<B: Backend>(&self, source: B::Tensor, index: B::Tensor, size: usize) -> Result<B::Tensor> {
        let (dtype, device) = (B::dtype(&source), B::device(&source));
        let mut shape = B::shape(&source);
        let last = shape.rank() - 1;
        let count = std::mem::replace(&mut shape[last], size);
        let elements = B::into_data(source)?.to_scalars();
        let indices = B::into_data(index)?.cast(DType::I64).into_vec::<i64>()?;
        let mut results = filled(self.fold.of_nothing(dtype.kind()), shape.elements()?)?;
        for (at, (element, index)) in elements.into_iter().zip(indices).enumerate() {
            let place = usize::try_from(index).ok().filter(|place| *place < size);
            let place = place.ok_or_else(|| {
                Error::new(ErrorKind::Index, format!("index {index} is out of range for size {size}"))
            })?;
            let result = &mut results[at / count * size + place];
            let combined = self.fold.row().combine.eval(&[*result, element]);
            *result = combined.unwrap_or(*result);
        }
        B::from_data(TensorData::from_scalars(results, dtype.kind(), shape)?.cast(dtype), &device)
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
