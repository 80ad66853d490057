//! The loops of a loop over short rows, and how rows lie in a block.

use crate::block::rows::Rows;
use crate::block::{BLOCK, BLOCK_OF_ROWS};
use crate::kernel::plan::{Base, LoopPlan};
use crate::kernel::real::Real;
use crate::kernel::split::{SplitLoop, Splits};
use crate::nest::Nest;

/// Rows of more elements run one by one.
const LONGEST: usize = 256;
/// Fewer rows are not worth the programs that are made for them.
const FEWEST: usize = 64;

/// Whether a loop has many short rows.
pub(crate) fn fits<E>(plan: &LoopPlan<E>) -> bool {
    (plan.has_rows() || !plan.columns.is_empty())
        && (1..=LONGEST).contains(&plan.inner.len())
        && plan.outer.len() >= FEWEST
}

/// A loop over short rows.
pub(crate) struct Short<'s, E> {
    pub(super) split: SplitLoop<'s, E>,
    /// How rows lie in a block.
    pub(super) rows: Rows,
    /// Number of groups of rows that lie side by side, and how many of them are a block.
    pub(super) groups: usize,
    pub(super) per_block: usize,
}

impl<'s, E: Real> Short<'s, E> {
    /// Rows one after the other.
    pub(crate) fn new(plan: &LoopPlan<E>, splits: &'s Splits) -> Short<'s, E> {
        let mut inner = plan.outer.clone();
        inner.append(&plan.inner);
        Short::over(plan, splits, inner, 1)
    }

    /// Rows that lie side by side in memory, a few at a time, as in a reduction over the middle of three
    /// axes. `None` if rows don't lie so.
    pub(crate) fn side_by_side(plan: &LoopPlan<E>, splits: &'s Splits) -> Option<Short<'s, E>> {
        let (mut inner, sides, side_strides) = plan.outer.split_inner();
        // A longer row has several blocks, whose folds are joined.
        let is_long = plan.inner.len() > BLOCK || plan.inner.len() * sides > BLOCK_OF_ROWS;
        if plan.inner.rank() != 1 || is_long {
            return None;
        }
        let strides = plan.inner.strides(0).iter().zip(&side_strides);
        let mut moving = strides.zip(&plan.operands).filter(|((along, side), operand)| {
            **along != 0 && **side != 0 && !matches!(operand.base, Base::Iota(_))
        });
        let is_outside = |(along, side): (&isize, &isize)| along.unsigned_abs() > side.unsigned_abs();
        let first = moving.next()?;
        if !is_outside(first.0) || !moving.all(|(strides, _)| is_outside(strides)) {
            return None;
        }
        inner.append(&plan.inner);
        inner.push(sides, side_strides.into_iter());
        Some(Short::over(plan, splits, inner, sides))
    }

    fn over(plan: &LoopPlan<E>, splits: &'s Splits, mut inner: Nest, sides: usize) -> Short<'s, E> {
        inner.merge();
        let rows = Rows { len: plan.inner.len(), inner: sides };
        Short {
            split: SplitLoop::new(plan, splits, plan.outer.clone(), inner),
            rows,
            groups: plan.outer.len() / sides,
            per_block: (BLOCK_OF_ROWS / rows.span()).max(1),
        }
    }
}

impl<E> Short<'_, E> {
    /// The most rows of a block.
    pub(super) fn rows_of_block(&self) -> usize {
        self.per_block * self.rows.inner
    }
}
