//! A graph with its kernels, as pictures take it.

use crate::ir::Graph;
use crate::schedule::Schedule;

/// A graph with its kernels.
#[derive(Clone, Copy, Debug)]
pub struct Plan<'p> {
    /// The graph that kernels run.
    pub graph: &'p Graph,
    /// Its kernels.
    pub schedule: &'p Schedule,
}
