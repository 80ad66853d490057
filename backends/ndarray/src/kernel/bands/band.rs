//! Some rows that lie side by side.

use crate::block::BLOCK_OF_ROWS;
use crate::kernel::plan::LoopPlan;
use crate::kernel::real::Real;
use crate::kernel::split::{SplitLoop, Splits};
use crate::nest::Nest;

/// A loop over some rows that lie side by side. Where they start in memory is said when it runs.
pub(super) struct Band<'s, E> {
    pub(super) split: SplitLoop<'s, E>,
    /// Number of rows, and how many elements a row has.
    pub(super) width: usize,
    pub(super) len: usize,
    /// How many elements of each row are a block.
    pub(super) per_block: usize,
}

impl<'s, E: Real> Band<'s, E> {
    /// A band of so many rows, with the stride of each operand from row to row.
    pub(super) fn new(
        plan: &LoopPlan<E>,
        splits: &'s Splits,
        width: usize,
        strides: &[isize],
    ) -> Band<'s, E> {
        let operands = plan.operands.len();
        let (mut rows, mut elements) = (Nest::new(operands), plan.inner.clone());
        rows.push(width, strides.iter().copied());
        elements.push(width, strides.iter().copied());
        elements.merge();
        let split = SplitLoop::new(plan, splits, rows, elements);
        Band { split, width, len: plan.inner.len(), per_block: (BLOCK_OF_ROWS / width).min(plan.inner.len()) }
    }
}
