//! The second kernel of columns, and of rows that cubes share: it folds the partial results of the first
//! kernel.

use super::fold::FoldPlan;
use super::geometry::Cut;
use super::launch;
use super::nest::{Axis, Nest};
use super::pass::{Element, Output, PassPlan};
use super::plan::{Column, LoopPlan, Memory, Read, Write};
use super::simple;
use crate::tensor::CubeTensor;
use tensor_op_core::{DType, Result, Shape};
use tensor_op_spec::ir::Kind;

/// Allocates the partial columns: row-major over groups of cubes and the elements of a row.
pub(super) fn allocate(plan: &LoopPlan, cut: &Cut) -> Result<Option<Vec<Memory>>> {
    if plan.columns.is_empty() {
        return Ok(None);
    }
    let shape = Shape::new(&[cut.groups, plan.inner.len()]);
    let memory = |column: &Column| {
        let dtype = computed(plan, column.fold.kind);
        Ok(Memory::of(&CubeTensor::empty(&shape, dtype, plan.device)?))
    };
    plan.columns.iter().map(memory).collect::<Result<_>>().map(Some)
}

/// Folds the partial columns into the columns.
pub(super) fn fold(plan: &LoopPlan, cut: &Cut, partials: &[Memory]) -> Result<()> {
    for (at, (column, partial)) in plan.columns.iter().zip(partials).enumerate() {
        let operand = plan.reads.len() + plan.writes.len() + at;
        let places = plan.inner.of_operands(&[operand]).with_row_major();
        let swapped = |axis: &Axis| Axis { size: axis.size, steps: vec![axis.steps[1], axis.steps[0]] };
        let mut outer = Nest { axes: places.axes.iter().map(swapped).collect() };
        outer.merge();
        let rows = Axis { size: cut.groups, steps: vec![plan.inner.len(), 0] };
        launch::run(fold_plan(plan, column, partial.clone(), outer, Nest { axes: vec![rows] }))?;
    }
    Ok(())
}

/// Fills columns over no rows with the values of empty folds.
pub(super) fn fill_identities(plan: &LoopPlan) -> Result<()> {
    for (at, column) in plan.columns.iter().enumerate() {
        let operand = plan.reads.len() + plan.writes.len() + at;
        let places = plan.inner.of_operands(&[operand]);
        let axis = |axis: &Axis| Axis { size: axis.size, steps: vec![0, axis.steps[0]] };
        let outer = Nest { axes: places.axes.iter().map(axis).collect() };
        let rows = Axis { size: 0, steps: vec![0, 0] };
        launch::run(fold_plan(plan, column, column.memory.clone(), outer, Nest { axes: vec![rows] }))?;
    }
    Ok(())
}

/// Folds the partial results of the cubes that share a row. For the index of an extremum, these are extrema
/// and their positions.
pub(super) fn fold_chunks(
    plan: &LoopPlan,
    fold: FoldPlan,
    partials: Vec<Memory>,
    to: Memory,
    [rows, chunks]: [usize; 2],
) -> Result<()> {
    let mut reads: Vec<Read> = partials.into_iter().map(Read::Memory).collect();
    let [mut from_row, mut along] = [chunks, 1].map(|step| vec![step; reads.len()]);
    let passes = match reads.len() {
        1 => simple::fold_passes(fold.fold, fold.kind, read(0), Output { output: 0, operand: 1 }),
        _ => {
            reads.push(Read::Index);
            from_row.push(0);
            along.push(1);
            let [values, indices] = [0, 1].map(read);
            let to = Output { output: 0, operand: 3 };
            simple::index_passes(fold.fold, (values, fold.kind), indices, Element::Index(2), to)
        }
    };
    from_row.push(1);
    along.push(0);
    let outer = Nest { axes: vec![Axis { size: rows, steps: from_row }] };
    let inner = Nest { axes: vec![Axis { size: chunks, steps: along }] };
    launch::run(loop_plan(plan, reads, to, [outer, inner], passes))
}

fn read(at: usize) -> Element {
    Element::Input { buffer: at, operand: at }
}

/// A loop that folds the values that it reads along its inner axes.
fn fold_plan(plan: &LoopPlan, column: &Column, from: Memory, outer: Nest, inner: Nest) -> LoopPlan {
    let FoldPlan { fold, kind } = column.fold;
    let passes = simple::fold_passes(fold, kind, read(0), Output { output: 0, operand: 1 });
    loop_plan(plan, vec![Read::Memory(from)], column.memory.clone(), [outer, inner], passes)
}

fn loop_plan(
    plan: &LoopPlan,
    reads: Vec<Read>,
    to: Memory,
    [outer, inner]: [Nest; 2],
    passes: Vec<PassPlan>,
) -> LoopPlan {
    LoopPlan {
        device: plan.device,
        reads,
        writes: vec![Write { memory: to, over: None }],
        columns: Vec::new(),
        partials: Vec::new(),
        outer,
        inner,
        passes,
        scalars: Vec::new(),
        float: plan.float,
    }
}

/// The dtype in which values of a kind are computed.
pub(super) fn computed(plan: &LoopPlan, kind: Kind) -> DType {
    match kind {
        Kind::Float => plan.float,
        Kind::Int => DType::I64,
        Kind::Bool => DType::Bool,
    }
}
