//! Loops without columns: all folds go along the rows.
//!
//! If there are so few rows that most of the device would be idle, each row is cut into chunks, with one cube
//! for each chunk. Then each pass is a loop of its own. Another loop folds its partial folds, and later
//! passes read the results.
//!
//! If neighbouring rows lie side by side, so that their elements are far apart, the lanes of a vector are a
//! band of rows.

use super::fold::FoldPlan;
use super::geometry::{Cut, chunks, cut_bands, cut_rows};
use super::nest::{Axis, Nest};
use super::partial::{computed, loop_of, read, with_stored};
use super::pass::{Dest, Element, Output, PassPlan};
use super::plan::{LoopPlan, Memory, Read};
use super::vectors::{Direction, width};
use super::{pointwise, row, simple};
use crate::tensor::CubeTensor;
use tensor_op_core::{Result, Shape};
use tensor_op_spec::ir::Kind;

/// Runs a loop without columns.
pub(super) fn run(plan: &LoopPlan) -> Result<()> {
    if plan.outer.len() == 0 {
        return Ok(());
    }
    let is_flat = |pass: &PassPlan| {
        !pass.per_row && pass.results.iter().all(|dest| matches!(dest, Dest::Element(_) | Dest::Nowhere))
    };
    match &plan.passes[..] {
        [] => Ok(()),
        [pass] if is_flat(pass) && plan.outer.axes.is_empty() => pointwise::launch(plan),
        passes if passes.iter().all(is_flat) && plan.inner.len() == 0 => Ok(()),
        _ => {
            let (width, cut) = cut_bands(plan).unwrap_or_else(|| {
                let width = width(plan, Direction::Along);
                (width, cut_rows(plan, width))
            });
            match chunks(plan, &cut, width) {
                Some(chunks) => in_chunks(plan, &cut, chunks),
                None => row::launch::launch(plan, width, cut, None),
            }
        }
    }
}

/// Runs the passes as separate loops. This many cubes share each row.
fn in_chunks(plan: &LoopPlan, cut: &Cut, chunks: usize) -> Result<()> {
    let rows = plan.outer.len();
    let targets: Vec<usize> = (plan.reads.len()..plan.operands()).collect();
    let room = |kind: Kind, count: usize| -> Result<Memory> {
        Ok(Memory::of(&CubeTensor::empty(&Shape::new(&[count]), computed(plan, kind), plan.device)?))
    };
    let mut statistics: Vec<(Kind, usize)> = Vec::new();
    let mut temps: Vec<Memory> = Vec::new();
    for pass in &plan.passes {
        let folds: Vec<FoldPlan> = if pass.per_row { Vec::new() } else { pass.folds() };
        let partials_of = |fold: &FoldPlan| -> Result<Vec<Memory>> {
            fold.partial_kinds().into_iter().map(|kind| room(kind, rows * chunks)).collect()
        };
        let partials = folds.iter().map(partials_of).collect::<Result<Vec<_>>>()?;
        let own = LoopPlan { passes: vec![pass.clone()], partials: partials.concat(), ..plan.clone() };
        let own = with_stored(own, &statistics, &temps, &targets);
        if pass.per_row {
            run(&LoopPlan { inner: Nest::default(), ..own })?;
        } else {
            let width = width(&own, cut.direction);
            let cut = cut.in_chunks(&own, width, chunks);
            row::launch::launch(&own, width, cut, None)?;
        }
        for (fold, partials) in folds.iter().zip(partials) {
            let kind = fold.result_kind();
            let at = statistics.iter().filter(|(own, _)| *own == kind).count();
            statistics.push((kind, at));
            let to = room(kind, rows)?;
            temps.push(to.clone());
            fold_chunks(plan, *fold, partials, to, [rows, chunks])?;
        }
    }
    Ok(())
}

/// Folds the partial results of the cubes that share a row. For the index of an extremum, these are extrema
/// and their positions.
fn fold_chunks(
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
            reads.push(Read::Index(0));
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
    run(&loop_of(plan, reads, to, [outer, inner], passes))
}
