//! Row, column and mixed kernels: rows of vectors, each shared by some units of a cube.
//!
//! Elements stay in registers from pass to pass if `kept` vectors a unit hold the row; else each pass reads it again. A kernel with
//! columns keeps going from row to row, since a unit that sees one place in all rows holds its columns in registers; what the cubes
//! have in the end are partial columns, which a second kernel folds.

use super::fold::{
    FoldPlan, Running, cells_before, column_value, finish, merge_lanes, merge_units, start, take,
};
use super::operand::Buffer;
use super::pass::{
    Dest, Element, PassPlan, evaluate, load_all, pick, row_offsets, store_elements, store_row, uniform_values,
};
use super::program::Values;
use super::space::{Space, row_coordinates, vector_coordinates};
use cubecl::prelude::*;
use std::sync::Arc;
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
    /// Whether the cubes along x share a row: only without folds along it.
    pub(crate) chunked: bool,
}

impl RowPlan {
    /// All loads of all passes.
    fn loads(&self) -> Vec<(Element, Kind)> {
        let mut loads = Vec::new();
        for load in self.passes.iter().flat_map(PassPlan::loads) {
            if !loads.contains(&load) {
                loads.push(load);
            }
        }
        loads
    }

    fn units(&self) -> usize {
        self.lanes * self.rows
    }

    fn distance(&self) -> usize {
        if self.adjacent { 1 } else { self.rows }
    }

    /// Elements of shared memory for floats and ints; at least one, since no memory has none.
    fn shared(&self) -> [usize; 2] {
        let cells =
            self.passes.iter().map(|pass| pass.folds()).map(|folds| cells_before(&folds, folds.len()));
        let most = cells.fold([0, 0], |most, cells| [most[0].max(cells[0]), most[1].max(cells[1])]);
        let units = if self.lanes == 1 { 0 } else { self.units() };
        most.map(|cells| (cells * units).max(1))
    }
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

/// A unit's place in its cube.
#[derive(CubeType)]
struct Place {
    unit: usize,
    /// Number among the units of its row.
    lane: usize,
    /// Number of the row among those of the cube.
    row: usize,
}

/// The running columns of a unit: for each column, one of each vector that it keeps.
#[derive(CubeType)]
struct Columns<A: Float, I: Int, N: Size> {
    running: Sequence<Running<A, I, N>>,
}

/// All passes over all rows.
#[cube(launch_unchecked, address_type = "dynamic")]
pub(crate) fn row_kernel<A: Float, I: Int, N: Size>(
    inputs: &Sequence<Buffer>,
    outputs: &mut Sequence<Buffer>,
    scalars: &Sequence<InputScalar>,
    numbers: &Sequence<usize>,
    #[comptime] plan: Arc<RowPlan>,
    #[define(A, I)] _types: [ElemType; 2],
) {
    let place = find_place(comptime!(plan.clone()));
    let shared = comptime!(plan.shared());
    let mut floats = Shared::<[A]>::new_slice(comptime!(shared[0]));
    let mut ints = Shared::<[I]>::new_slice(comptime!(shared[1]));
    let columns = start_columns::<A, I, N>(comptime!(plan.clone()));
    let rows_at_once = comptime!(plan.rows);
    if comptime!(plan.columns.is_empty()) {
        let first = if comptime!(plan.chunked) { CUBE_POS_Y as usize } else { CUBE_POS };
        one_row::<A, I, N>(
            first * rows_at_once,
            inputs,
            outputs,
            scalars,
            numbers,
            &columns,
            &mut floats,
            &mut ints,
            &place,
            plan,
        );
    } else {
        let mut first = CUBE_POS_Y as usize * rows_at_once;
        let step = CUBE_COUNT_Y as usize * rows_at_once;
        while first < numbers[Space::ROWS] {
            one_row::<A, I, N>(
                first,
                inputs,
                outputs,
                scalars,
                numbers,
                &columns,
                &mut floats,
                &mut ints,
                &place,
                comptime!(plan.clone()),
            );
            first += step;
        }
        store_columns::<A, I, N>(outputs, &columns, numbers, &place, plan);
    }
}

#[cube]
fn find_place(#[comptime] plan: Arc<RowPlan>) -> Place {
    let unit = UNIT_POS as usize;
    let lanes = comptime!(plan.lanes);
    let rows = comptime!(plan.rows);
    if comptime!(plan.adjacent) {
        Place { unit, lane: unit % lanes, row: unit / lanes }
    } else {
        Place { unit, lane: unit / rows, row: unit % rows }
    }
}

/// The passes over the row of each unit; all units of a cube come along, so that they can wait for each other.
#[cube]
fn one_row<A: Float, I: Int, N: Size>(
    first: usize,
    inputs: &Sequence<Buffer>,
    outputs: &mut Sequence<Buffer>,
    scalars: &Sequence<InputScalar>,
    numbers: &Sequence<usize>,
    columns: &Columns<A, I, N>,
    floats: &mut Shared<[A]>,
    ints: &mut Shared<[I]>,
    place: &Place,
    #[comptime] plan: Arc<RowPlan>,
) {
    let space = comptime!(plan.space);
    let rows = numbers[Space::ROWS];
    let is_row = first + place.row < rows;
    // Units without a row do the last one, and keep what they find to themselves.
    let row = select(is_row, first + place.row, rows - 1usize);
    let coordinates = row_coordinates(row, numbers, space);
    let offsets = row_offsets(&coordinates, numbers, space);
    let mut statistics = Values::<A, I, Const<1>>::empty();
    let loads = comptime!(plan.loads());
    let mut kept = Sequence::<Values<A, I, N>>::new();
    #[unroll]
    for j in 0..comptime!(plan.kept) {
        let at = kept_vector(place, j, comptime!(plan.clone()));
        let vector = vector_coordinates(clamped(at, numbers), numbers, space);
        kept.push(load_all::<A, I, N>(inputs, &offsets, &vector, numbers, space, comptime!(loads.clone())));
    }
    #[unroll]
    for p in 0..comptime!(plan.passes.len()) {
        let pass = comptime!(plan.passes[p].clone());
        let uniforms =
            uniform_values::<A, I>(inputs, scalars, &offsets, &statistics, comptime!(pass.clone()));
        if comptime!(pass.per_row) {
            if is_row && place.lane == 0usize {
                store_row::<A, I>(outputs, &uniforms, &offsets, comptime!(pass.clone()));
            }
        } else {
            let folds = comptime!(pass.folds());
            let running = start::<A, I, N>(comptime!(folds.clone()));
            #[unroll]
            for j in 0..comptime!(plan.kept) {
                let at = kept_vector(place, j, comptime!(plan.clone()));
                let counts = at < numbers[Space::VECTORS];
                let loaded =
                    pick::<A, I, N>(kept.index(j), comptime!(pass.clone()), comptime!(loads.clone()));
                visit::<A, I, N>(
                    clamped(at, numbers),
                    counts,
                    is_row,
                    outputs,
                    numbers,
                    &uniforms,
                    &loaded,
                    &offsets,
                    &running,
                    columns,
                    j,
                    comptime!(pass.clone()),
                    comptime!(plan.clone()),
                );
            }
            if comptime!(plan.kept == 0) {
                let mut at = place.lane;
                while at < numbers[Space::VECTORS] {
                    let vector = vector_coordinates(at, numbers, space);
                    let loaded = load_all::<A, I, N>(
                        inputs,
                        &offsets,
                        &vector,
                        numbers,
                        space,
                        comptime!(pass.loads()),
                    );
                    visit::<A, I, N>(
                        at,
                        true,
                        is_row,
                        outputs,
                        numbers,
                        &uniforms,
                        &loaded,
                        &offsets,
                        &running,
                        columns,
                        0usize,
                        comptime!(pass.clone()),
                        comptime!(plan.clone()),
                    );
                    at += comptime!(plan.lanes);
                }
            }
            if comptime!(!folds.is_empty()) {
                let merged = merge_lanes::<A, I, N>(&running, comptime!(folds.clone()));
                if comptime!(plan.lanes > 1) {
                    merge_units::<A, I>(
                        &merged,
                        floats,
                        ints,
                        place.unit,
                        place.lane,
                        comptime!(plan.lanes),
                        comptime!(plan.distance()),
                        comptime!(plan.units()),
                        comptime!(folds.clone()),
                    );
                }
                finish::<A, I>(&merged, &mut statistics, folds);
            }
        }
    }
}

/// The vector that a unit keeps as its `j`th; it may lie beyond the row.
#[cube]
fn kept_vector(place: &Place, #[comptime] j: usize, #[comptime] plan: Arc<RowPlan>) -> usize {
    let at = place.lane + comptime!(j * plan.lanes);
    if comptime!(plan.chunked) { at + CUBE_POS_X as usize * comptime!(plan.lanes * plan.kept) } else { at }
}

#[cube]
fn clamped(at: usize, numbers: &Sequence<usize>) -> usize {
    let vectors = numbers[Space::VECTORS];
    select(at < vectors, at, vectors - 1usize)
}

/// A pass at a vector: stores, folds and columns.
#[cube]
fn visit<A: Float, I: Int, N: Size>(
    at: usize,
    counts: bool,
    is_row: bool,
    outputs: &mut Sequence<Buffer>,
    numbers: &Sequence<usize>,
    uniforms: &Values<A, I, Const<1>>,
    loaded: &Values<A, I, N>,
    offsets: &Sequence<usize>,
    running: &Running<A, I, N>,
    columns: &Columns<A, I, N>,
    #[comptime] j: usize,
    #[comptime] pass: PassPlan,
    #[comptime] plan: Arc<RowPlan>,
) {
    let space = comptime!(plan.space);
    let values = evaluate::<A, I, N>(uniforms, loaded, comptime!(pass.clone()));
    if counts && is_row {
        let vector = vector_coordinates(at, numbers, space);
        store_elements::<A, I, N>(
            outputs,
            &values,
            offsets,
            &vector,
            numbers,
            space,
            comptime!(pass.clone()),
        );
    }
    take::<A, I, N>(running, &values, at, counts, comptime!(pass.folds()), comptime!(pass.fold_slots()));
    #[unroll]
    for i in 0..comptime!(pass.results.len()) {
        if comptime!(pass.column_of(i).is_some()) {
            let column = comptime!(pass.column_of(i).unwrap_or_default());
            let cell = columns.running.index(comptime!(column * plan.kept + j));
            let fold = comptime!(vec![plan.columns[column].0]);
            take::<A, I, N>(
                cell,
                &values,
                0usize.runtime(),
                is_row,
                fold,
                comptime!(vec![pass.result_slot(i)]),
            );
        }
    }
}

#[cube]
fn start_columns<A: Float, I: Int, N: Size>(#[comptime] plan: Arc<RowPlan>) -> Columns<A, I, N> {
    let mut running = Sequence::<Running<A, I, N>>::new();
    #[unroll]
    for i in 0..comptime!(plan.columns.len() * plan.kept) {
        running.push(start::<A, I, N>(comptime!(vec![plan.columns[i / plan.kept].0])));
    }
    Columns::<A, I, N> { running }
}

/// Writes the partial columns of a cube's rows: row-major over cubes along y, rows of the cube, vectors.
#[cube]
fn store_columns<A: Float, I: Int, N: Size>(
    outputs: &mut Sequence<Buffer>,
    columns: &Columns<A, I, N>,
    numbers: &Sequence<usize>,
    place: &Place,
    #[comptime] plan: Arc<RowPlan>,
) {
    let vectors = numbers[Space::VECTORS];
    let partial = CUBE_POS_Y as usize * comptime!(plan.rows) + place.row;
    #[unroll]
    for i in 0..comptime!(plan.columns.len() * plan.kept) {
        let column = comptime!(i / plan.kept);
        let fold = comptime!(plan.columns[column].0);
        let output = comptime!(plan.columns[column].1);
        let at = kept_vector(place, comptime!(i % plan.kept), comptime!(plan.clone()));
        let mut values = Values::<A, I, N>::empty();
        column_value::<A, I, N>(columns.running.index(i), &mut values, fold);
        if at < vectors {
            let to = partial * vectors + at;
            let step = 0usize.runtime();
            match comptime!(fold.kind) {
                Kind::Float => outputs.index_mut(output).store::<A, N>(to, step, values.floats[0]),
                Kind::Int => outputs.index_mut(output).store::<I, N>(to, step, values.ints[0]),
                Kind::Bool => outputs.index_mut(output).store::<bool, N>(to, step, values.bools[0]),
            }
        }
    }
}
