//! The plan of a row kernel, and what follows from it when the kernel is compiled.

use super::online::{Form, Online};
use crate::kernel::fold::merge::Team;
use crate::kernel::fold::{FoldPlan, cells_before};
use crate::kernel::pass::{Element, PassPlan, kept_loads};
use crate::kernel::space::Space;
use tensor_op_spec::ir::Kind;

/// What a row kernel is compiled for.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct RowPlan {
    pub(crate) space: Space,
    pub(crate) passes: Vec<PassPlan>,
    /// Folds over the rows, each with the output that takes its columns.
    pub(crate) columns: Vec<(FoldPlan, usize)>,
    /// Whether there are several groups of cubes, so that columns are partial. They are then row-major over
    /// groups and vectors. Otherwise they are the last operands.
    pub(crate) has_partials: bool,
    /// Units that share a row: a power of two.
    pub(crate) lanes: usize,
    /// Rows that a cube handles at the same time.
    pub(crate) rows: usize,
    /// Whether the lanes of a vector are a band of neighbouring rows, and not neighbouring elements of a row.
    pub(crate) across: bool,
    /// Whether the units of a row are next to each other. Otherwise the units of neighbouring rows are.
    pub(crate) adjacent: bool,
    /// Vectors of a row that a unit keeps in registers; 0 if each pass reads the row again.
    pub(crate) kept: usize,
    /// Whether the cubes along x share a row.
    pub(crate) chunked: bool,
    /// The first output that takes the partial folds of a cube that shares its row.
    pub(crate) partials: Option<usize>,
    /// Whether every vector that a unit visits exists in the row.
    pub(crate) full: bool,
    /// Whether each unit has a row.
    pub(crate) whole: bool,
    /// Vectors that a unit reads at once if it keeps none in registers.
    pub(crate) stream: usize,
    /// Two passes that run as one.
    pub(crate) online: Option<Online>,
    /// Number of units that exchange values without shared memory; 1 if the device can't do that.
    pub(crate) plane: usize,
}

impl RowPlan {
    /// The operand that a column is, if columns are not partial.
    pub(super) fn column_operand(&self, column: usize) -> usize {
        self.space.operands - self.columns.len() + column
    }

    /// The loads that are kept from pass to pass: those of more than one pass.
    pub(super) fn kept_loads(&self) -> Vec<(Element, Kind)> {
        kept_loads(&self.passes)
    }

    pub(super) fn team(&self) -> Team {
        let (distance, plane) = if self.adjacent { (1, self.plane) } else { (self.rows, 1) };
        Team { lanes: self.lanes, distance, units: self.lanes * self.rows, plane }
    }

    /// The units of a column: one of each row of the cube.
    pub(super) fn column_team(&self) -> Team {
        Team { lanes: self.rows, distance: self.lanes, units: self.lanes * self.rows, plane: 1 }
    }

    /// Whether this pass and the next one run as one.
    pub(super) fn starts_online(&self, pass: usize) -> bool {
        self.online.is_some_and(|online| online.pass == pass)
    }

    /// The passes that run one after the other: all but the one that runs together with its predecessor.
    pub(super) fn turns(&self) -> Vec<usize> {
        let is_done = |pass: &usize| self.online.is_some_and(|online| online.pass + 1 == *pass);
        (0..self.passes.len()).filter(|pass| !is_done(pass)).collect()
    }

    /// What the second of the two passes that run as one folds.
    pub(super) fn online_form(&self) -> Option<Form> {
        self.online.map(|online| online.form)
    }

    /// The place, among the uniform floats of that pass, of the value that it subtracts.
    pub(super) fn online_shift(&self) -> usize {
        self.online.map_or(0, |online| online.shift)
    }

    /// Elements of shared memory for floats and ints. At least one of each, because a shared array can't be
    /// empty.
    pub(super) fn shared(&self, width: usize) -> [usize; 2] {
        let cells =
            self.passes.iter().map(|pass| pass.folds()).map(|folds| cells_before(&folds, folds.len()));
        let most = cells.fold([0, 0], |most, cells| [most[0].max(cells[0]), most[1].max(cells[1])]);
        let lanes = if self.across { width } else { 1 };
        let merged = most.map(|cells| cells * self.team().places() * lanes);
        let columns = self.column_cells(width);
        [0, 1].map(|at| merged[at].max(columns[at]).max(1))
    }

    /// Elements of shared memory in which a cube combines the columns of its rows, one column after the
    /// other.
    fn column_cells(&self, width: usize) -> [usize; 2] {
        let cells = if self.rows == 1 { 0 } else { self.lanes * self.rows * width };
        let of = |is_float: bool| {
            let mut columns = self.columns.iter();
            if columns.any(|(fold, _)| (fold.kind == Kind::Float) == is_float) { cells } else { 0 }
        };
        [of(true), of(false)]
    }
}
