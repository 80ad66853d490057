//! The places that an index names along an axis, for ops that write along the last axis.

use crate::catalogue::along::{axis, cut, with_axis};
use crate::{Place, Result, Tensor};

/// An index with as many axes as the tensor that is written to.
pub(super) struct Places {
    index: Tensor,
    axis: usize,
}

impl Places {
    pub(super) fn new(input: &Tensor, dim: i64, index: &Tensor) -> Result<Places> {
        let axis = axis(&with_axis(input)?, dim)?;
        Ok(Places { index: with_axis(index)?, axis })
    }

    /// The elements that are written, with the axis behind the others. What lies beyond the index is left
    /// out.
    pub(super) fn sources(&self, src: &Tensor) -> Result<Tensor> {
        self.last(&cut(with_axis(src)?, "src", &self.index, None)?)
    }

    /// Runs an op of the tensor and the index, both with the axis behind the others. Of the tensor it gets
    /// the part that the index reaches; the rest stays.
    pub(super) fn write(
        &self,
        input: &Tensor,
        op: impl FnOnce(Tensor, Tensor) -> Result<Tensor>,
    ) -> Result<Tensor> {
        if self.index.elements() == 0 {
            return Ok(input.clone());
        }
        let whole = with_axis(input)?;
        let part = cut(whole.clone(), "input", &self.index, Some(self.axis))?;
        let written = self.last(&op(self.last(&part)?, self.last(&self.index)?)?)?.cast(input.dtype())?;
        if part.shape() != whole.shape() {
            let places: Vec<Place> = part.shape().iter().map(|size| Place::from(..*size)).collect();
            return whole.slice_assign(&places[..], written);
        }
        if input.rank() == 0 { written.reshape(input.shape()) } else { Ok(written) }
    }

    /// Swaps the axis and the last one.
    fn last(&self, x: &Tensor) -> Result<Tensor> {
        x.transpose(self.axis as i64, -1)
    }
}
