//! What a stream kernel is compiled for, and the numbers that it gets besides those of [`Space`].

use super::weights::{Weight, Weights};
use crate::kernel::fold::cells_before;
use crate::kernel::fold::merge::Team;
use crate::kernel::pass::{Element, Output, PassPlan};
use crate::kernel::space::Space;
use tensor_op_spec::ir::Kind;

/// Units of a team.
pub(super) const TEAM: usize = 32;
/// Rows of the left factor and the result of a matrix instruction.
pub(super) const HEIGHT: usize = 16;
/// How many products a matrix instruction adds up.
pub(super) const DEPTH: usize = 16;
/// Columns of the result of a matrix instruction.
pub(super) const WIDTH: usize = 8;

/// A stream in which only numbers are left open.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct StreamPlan {
    pub(super) space: Space,
    pub(super) passes: Vec<PassPlan>,
    /// The passes that fold statistics, each in a walk of its own over the columns, before the last walk.
    pub(super) walks: Vec<usize>,
    /// What the last walk adds up. `None` if the statistics are all.
    pub(super) weights: Option<Weights>,
    pub(super) scores: Vec<ScorePlan>,
    pub(super) sums: Vec<SumPlan>,
    /// The operands that are the same for all rows of a batch: a unit reads them once for all of its rows.
    pub(super) shared: Vec<usize>,
    /// The factors that go through shared memory.
    pub(super) parts: Vec<Part>,
    /// Columns of a block.
    pub(super) block: usize,
    /// Teams of a cube.
    pub(super) teams: usize,
    /// How many times [`HEIGHT`] rows a team has.
    pub(super) heights: usize,
    /// The input that has the first column and the end of the columns of each tile of rows.
    pub(super) bounds: Option<usize>,
    /// Whether there are matrix instructions.
    pub(super) has_matrices: bool,
    /// Number of units that exchange values without shared memory; 1 if the device can't do that.
    pub(super) plane: usize,
}

/// A product that gives scores.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct ScorePlan {
    /// What the passes load.
    pub(super) value: Element,
    /// The factor that has the rows: its number among the parts.
    pub(super) rows: usize,
    /// The factor that has the columns: its number among the parts.
    pub(super) columns: usize,
}

/// A product of weights.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct SumPlan {
    pub(super) weight: Weight,
    /// The factor that has the columns: its number among the parts.
    pub(super) columns: usize,
    pub(super) out: Output,
    /// The place of the step of the result, among the numbers.
    pub(super) step: usize,
}

/// A factor of a product.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Part {
    pub(super) side: Side,
    pub(super) buffer: usize,
    pub(super) operand: usize,
    /// Its size at each row or column, as a multiple of [`DEPTH`]: the rest is zero.
    pub(super) size: usize,
    /// The place of the true size among the numbers, and after it the step.
    pub(super) numbers: usize,
    /// Whether the true size is this one.
    pub(super) is_full: bool,
    /// Whether vectors of it lie in memory as they are needed.
    pub(super) is_wide: bool,
    /// Where it starts in shared memory, in vectors.
    pub(super) stage: usize,
}

/// What a factor has beside the dims of its product.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Side {
    /// Rows. It is in shared memory all the time.
    Rows,
    /// Columns. A block of it is in shared memory, from before the scores are computed.
    Scores,
    /// Columns. A block of it is in shared memory, from before the weights are multiplied.
    Weights,
}

impl Part {
    /// Vectors of a row or column.
    pub(super) fn vectors(&self, width: usize) -> usize {
        self.size / width
    }

    /// The distance between neighbouring rows or columns in shared memory, in vectors. It is odd, so that
    /// several of them can be read at once.
    pub(super) fn stride(&self, width: usize) -> usize {
        self.vectors(width) | 1
    }
}

impl StreamPlan {
    /// Units of a cube.
    pub(super) fn units(&self) -> usize {
        self.teams * TEAM
    }

    /// Rows of a tile.
    pub(super) fn rows(&self) -> usize {
        self.teams * self.heights * HEIGHT
    }

    /// Rows that a unit has scores of.
    pub(super) fn unit_rows(&self) -> usize {
        self.heights * 2
    }

    /// Scores that a unit has of one of its rows.
    pub(super) fn own(&self) -> usize {
        self.block / 4
    }

    /// What the passes load and the products give.
    pub(super) fn values(&self) -> Vec<(Element, Kind)> {
        self.scores.iter().map(|score| (score.value, Kind::Float)).collect()
    }

    /// The pass that is evaluated at each score in the last walk.
    pub(super) fn last_pass(&self) -> usize {
        self.weights.as_ref().map_or(0, Weights::pass)
    }

    /// The passes that run once for each row.
    pub(super) fn per_row(&self) -> Vec<PassPlan> {
        self.passes.iter().filter(|pass| pass.per_row).cloned().collect()
    }

    /// The factors of a kind.
    pub(super) fn parts_of(&self, side: Side) -> Vec<Part> {
        self.parts.iter().copied().filter(|part| part.side == side).collect()
    }

    /// Rows, or columns of a block, that a factor has in shared memory.
    pub(super) fn len(&self, part: Part) -> usize {
        match part.side {
            Side::Rows => self.rows(),
            Side::Scores | Side::Weights => self.block,
        }
    }

    /// Whether the weights are multiplied by what is in shared memory before scores are computed.
    pub(super) fn shares_columns(&self) -> bool {
        self.sums.iter().any(|sum| self.parts[sum.columns].side == Side::Scores)
    }

    /// The units that share a row.
    pub(super) fn team(&self) -> Team {
        Team { lanes: 4, distance: 1, units: self.units(), plane: self.plane }
    }

    /// Places in shared memory for the floats and ints of folds.
    pub(super) fn folded(&self) -> [usize; 2] {
        let places = self.team().places();
        let cells = self.walks.iter().map(|at| {
            let folds = self.passes[*at].folds();
            cells_before(&folds, folds.len())
        });
        // The last walk may fold one float.
        let most = cells.fold([1, 0], |most, own| [most[0].max(own[0]), most[1].max(own[1])]);
        most.map(|cells| (cells * places).max(1))
    }

    /// Vectors of shared memory for factors.
    pub(super) fn staged(&self, width: usize) -> usize {
        let weights = if self.has_matrices { 0 } else { self.rows() * self.block };
        self.weights_stage(width) + weights
    }

    /// Where weights start in shared memory on their way between the units of a team without matrix
    /// instructions.
    pub(super) fn weights_stage(&self, width: usize) -> usize {
        let end = |part: &Part| part.stage + part.stride(width) * self.len(*part);
        self.parts.iter().map(end).max().unwrap_or(0)
    }

    /// The place, among the numbers, of the number of rows of a batch.
    pub(super) fn rows_of_batch(&self) -> usize {
        self.space.end()
    }
}
