//! Row, column and mixed kernels: rows of vectors, each shared by some units of a cube.
//!
//! Elements stay in registers from pass to pass if `kept` vectors a unit hold the row; else each pass reads
//! it again, a few vectors at a time, and a maximum with the exponentials below it takes one pass
//! ([`online`]). A kernel with columns keeps going from row to row, since a unit that sees one place in all
//! rows holds its columns in registers; what the cubes have in the end are partial columns, which a second
//! kernel folds.

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
    /// Folds over the rows, and the output that takes the partial ones of each.
    pub(crate) columns: Vec<(FoldPlan, usize)>,
    /// Units that share a row: a power of two.
    pub(crate) lanes: usize,
    /// Rows that a cube does at once.
    pub(crate) rows: usize,
    /// Whether the units of a row, rather than those of neighbouring rows, are next to each other.
    pub(crate) adjacent: bool,
    /// Vectors of a row that a unit keeps in registers; 0 if passes read them again.
    pub(crate) kept: usize,
    /// Whether the cubes along x share a row.
    pub(crate) chunked: bool,
    /// The first output that takes what such a cube has folded along the row.
    pub(crate) partials: Option<usize>,
    /// Whether each vector that a unit looks at is one of the row.
    pub(crate) full: bool,
    /// Whether each unit has a row.
    pub(crate) whole: bool,
    /// Vectors that a unit reads at once where it keeps none.
    pub(crate) stream: usize,
    /// Passes that are done as one.
    pub(crate) online: Option<Online>,
    /// Units that exchange values without shared memory; 1 if the device has no such planes.
    pub(crate) plane: usize,
}

impl RowPlan {
    /// What is kept from pass to pass: loads of more than one of them.
    fn kept_loads(&self) -> Vec<(Element, Kind)> {
        kept_loads(&self.passes)
    }

    fn team(&self) -> Team {
        let (distance, plane) = if self.adjacent { (1, self.plane) } else { (self.rows, 1) };
        Team { lanes: self.lanes, distance, units: self.lanes * self.rows, plane }
    }

    /// Elements of shared memory for floats and ints; at least one, since no memory has none.
    fn shared(&self, width: usize) -> [usize; 2] {
        let cells =
            self.passes.iter().map(|pass| pass.folds()).map(|folds| cells_before(&folds, folds.len()));
        let most = cells.fold([0, 0], |most, cells| [most[0].max(cells[0]), most[1].max(cells[1])]);
        let merged = most.map(|cells| cells * self.team().places());
        let columns = self.column_cells(width);
        [0, 1].map(|at| merged[at].max(columns[at]).max(1))
    }

    /// Elements of shared memory in which a cube combines the columns of its rows, one after the other.
    fn column_cells(&self, width: usize) -> [usize; 2] {
        let cells = if self.rows == 1 { 0 } else { self.lanes * self.rows * width };
        let of = |is_float: bool| {
            let mut columns = self.columns.iter();
            if columns.any(|(fold, _)| (fold.kind == Kind::Float) == is_float) { cells } else { 0 }
        };
        [of(true), of(false)]
    }
}

/// Loads of more than one pass, which need not be repeated if they are kept.
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

    /// Where what they fold is among the values of its kind.
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
