//! Loops over many short rows. A block holds many rows, so that the cost of a block is shared by them.
//!
//! What a pass takes as one value per row is an element here, spread over its row ([`split`](super::split)).
//! Folds and spreads are loops over blocks of rows ([`block::rows`](crate::block::rows)); they give the bits
//! that the rows would have one by one.

mod nests;
mod worker;

use super::real::Real;
use crate::parallel;
use tensor_op_core::Result;

pub(super) use nests::{Short, fits};
pub(super) use worker::ShortWorker;

/// Elements per task.
const TASK: usize = 1 << 15;

/// Runs a loop over short rows.
pub(super) fn run<E: Real>(short: &Short<'_, E>) -> Result<()> {
    let span = short.rows.span();
    let per_task = (TASK / span).max(1).next_multiple_of(short.per_block);
    parallel::try_for_each(short.groups.div_ceil(per_task), short.groups * span, |task| {
        ShortWorker::new(short)?.run(parallel::piece(task, per_task, short.groups), None);
        Ok(())
    })
}
