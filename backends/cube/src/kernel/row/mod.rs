//! Row, column and mixed kernels. They work on rows of vectors; several units of a cube share each row.
//!
//! If a row fits into `kept` vectors per unit, its elements stay in registers from pass to pass. Otherwise
//! each pass reads the row again, a few vectors at a time; a maximum and the exponentials below it then take
//! only one pass ([`online`]). A kernel with columns goes on from row to row, because a unit that visits the
//! same vectors in all rows can keep its columns in registers. In the end each cube has partial columns, and
//! a second kernel folds them.

mod columns;
mod kernel;
mod online;
mod place;

pub(super) use kernel::row_kernel;
pub(super) use online::Online;

use super::fold::{FoldPlan, Team, cells_before};
use super::pass::{Dest, Element, PassPlan};
use super::space::Space;
use tensor_op_spec::ir::Kind;

/// What a row kernel is compiled for.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct RowPlan {
    pub(crate) space: Space,
    pub(crate) passes: Vec<PassPlan>,
    /// Folds over the rows, each with the output that takes its partial columns.
    pub(crate) columns: Vec<(FoldPlan, usize)>,
    /// Units that share a row: a power of two.
    pub(crate) lanes: usize,
    /// Rows that a cube handles at the same time.
    pub(crate) rows: usize,
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
    /// The loads that are kept from pass to pass: those of more than one pass.
    fn kept_loads(&self) -> Vec<(Element, Kind)> {
        kept_loads(&self.passes)
    }

    fn team(&self) -> Team {
        let (distance, plane) = if self.adjacent { (1, self.plane) } else { (self.rows, 1) };
        Team { lanes: self.lanes, distance, units: self.lanes * self.rows, plane }
    }

    /// Elements of shared memory for floats and ints. At least one of each, because a shared array can't be
    /// empty.
    fn shared(&self, width: usize) -> [usize; 2] {
        let cells =
            self.passes.iter().map(|pass| pass.folds()).map(|folds| cells_before(&folds, folds.len()));
        let most = cells.fold([0, 0], |most, cells| [most[0].max(cells[0]), most[1].max(cells[1])]);
        let merged = most.map(|cells| cells * self.team().places());
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

/// The loads that more than one pass needs. They need not be repeated if they are kept.
pub(super) fn kept_loads(passes: &[PassPlan]) -> Vec<(Element, Kind)> {
    let all: Vec<(Element, Kind)> = passes.iter().flat_map(PassPlan::loads).collect();
    let is_first = |(at, load): &(usize, &(Element, Kind))| !all[..*at].contains(load);
    let again = |(at, load): &(usize, &(Element, Kind))| all[at + 1..].contains(load);
    all.iter().enumerate().filter(is_first).filter(again).map(|(_, load)| *load).collect()
}

impl PassPlan {
    /// The folds along the row.
    pub(crate) fn folds(&self) -> Vec<FoldPlan> {
        self.fold_results().map(|(at, fold)| FoldPlan { fold, kind: self.result_kind(at) }).collect()
    }

    /// For each of these folds, the index of the folded value among the values of its kind.
    fn fold_slots(&self) -> Vec<usize> {
        self.fold_results().map(|(at, _)| self.result_slot(at)).collect()
    }

    fn fold_results(&self) -> impl Iterator<Item = (usize, tensor_op_spec::prim::Fold)> {
        self.results.iter().enumerate().filter_map(|(at, dest)| match dest {
            Dest::Fold(fold) => Some((at, *fold)),
            Dest::Element(_) | Dest::Row(_) | Dest::Column(_) | Dest::Nowhere => None,
        })
    }

    /// The column that a result goes to.
    fn column_of(&self, at: usize) -> Option<usize> {
        match self.results[at] {
            Dest::Column(column) => Some(column),
            Dest::Fold(_) | Dest::Element(_) | Dest::Row(_) | Dest::Nowhere => None,
        }
    }
}
