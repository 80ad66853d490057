//! Loops that compute many rows at once: what a pass takes as one value per row is an element there.
//!
//! [`programs`] makes two programs of such a pass, [`loops`] two loops of a loop, one over rows and one over
//! elements, and [`worker`] runs them. How rows lie in a block is up to [`short`](super::short) and
//! [`bands`](super::bands).

mod loops;
mod programs;
mod worker;

pub(super) use loops::{SplitLoop, SplitPass, Splits};
pub(super) use worker::{Lists, SplitWorker};
