//! How the rows of a batch are cut.

use super::plan::HEIGHT;
use tensor_op_core::BoundAxis;

/// Teams of a cube.
pub(super) const TEAMS: usize = 4;

/// The tiles of a batch.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Tiles {
    /// Axes of the rows of a batch.
    pub(super) axes: Vec<BoundAxis>,
    /// How many times 16 rows a team has.
    pub(super) heights: usize,
    /// Columns of a block.
    pub(super) block: usize,
}

impl Tiles {
    /// Rows of a tile.
    pub(super) fn rows(&self) -> usize {
        TEAMS * self.heights * HEIGHT
    }

    /// Rows of a batch.
    pub(super) fn all(&self) -> usize {
        self.axes.iter().map(|bound| bound.size).product()
    }

    pub(super) fn count(&self) -> usize {
        self.all().div_ceil(self.rows())
    }
}
