//! Loops with columns, which are folds over the rows. Each cube goes from row to row and stores its partial
//! columns, and a second loop folds these.
//!
//! The columns of long rows do not fit into registers. Then one loop computes the rows, and another one the
//! columns. If the columns need folds along the rows, an earlier loop stores them.

use super::fold::FoldPlan;
use super::geometry::{Cut, cut_columns};
use super::nest::{Axis, Nest};
use super::partial::{computed, loop_of, read, with_stored};
use super::pass::{Dest, Output, PassPlan, Uniform};
use super::plan::{Column, LoopPlan, Memory, Read, Write};
use super::vectors::{Direction, width};
use super::{row, rows, simple};
use crate::tensor::CubeTensor;
use tensor_op_core::{Result, Shape};
use tensor_op_spec::ir::Kind;

/// Runs a loop with columns.
pub(super) fn run(plan: &LoopPlan) -> Result<()> {
    if plan.outer.len() * plan.inner.len() == 0 {
        fill_identities(plan)?;
        return rows::run(&only_rows(plan, &[], &[]));
    }
    let width = width(plan, Direction::Along);
    let Some(cut) = cut_columns(plan, width) else { return split(plan) };
    if cut.groups == 1 {
        return row::launch::launch(plan, width, cut, None);
    }
    let partials = allocate(plan, &cut)?;
    row::launch::launch(plan, width, cut, Some(&partials))?;
    fold_partials(plan, &cut, &partials)
}

/// Allocates the partial columns: row-major over groups of cubes and the elements of a row.
fn allocate(plan: &LoopPlan, cut: &Cut) -> Result<Vec<Memory>> {
    let shape = Shape::new(&[cut.groups, plan.inner.len()]);
    let memory = |column: &Column| {
        let dtype = computed(plan, column.fold.kind);
        Ok(Memory::of(&CubeTensor::empty(&shape, dtype, plan.device)?))
    };
    plan.columns.iter().map(memory).collect()
}

/// Folds the partial columns into the columns.
fn fold_partials(plan: &LoopPlan, cut: &Cut, partials: &[Memory]) -> Result<()> {
    for (at, (column, partial)) in plan.columns.iter().zip(partials).enumerate() {
        let operand = plan.reads.len() + plan.writes.len() + at;
        let places = plan.inner.of_operands(&[operand]).with_row_major();
        let swapped = |axis: &Axis| Axis { size: axis.size, steps: vec![axis.steps[1], axis.steps[0]] };
        let mut outer = Nest { axes: places.axes.iter().map(swapped).collect() };
        outer.merge();
        let rows = Axis { size: cut.groups, steps: vec![plan.inner.len(), 0] };
        let nests = [outer, Nest { axes: vec![rows] }];
        rows::run(&fold_loop(plan, column, partial.clone(), nests))?;
    }
    Ok(())
}

/// Fills columns over no rows with the values of empty folds.
fn fill_identities(plan: &LoopPlan) -> Result<()> {
    for (at, column) in plan.columns.iter().enumerate() {
        let operand = plan.reads.len() + plan.writes.len() + at;
        let places = plan.inner.of_operands(&[operand]);
        let axis = |axis: &Axis| Axis { size: axis.size, steps: vec![0, axis.steps[0]] };
        let outer = Nest { axes: places.axes.iter().map(axis).collect() };
        let rows = Axis { size: 0, steps: vec![0, 0] };
        let nests = [outer, Nest { axes: vec![rows] }];
        rows::run(&fold_loop(plan, column, column.memory.clone(), nests))?;
    }
    Ok(())
}

/// A loop that fills a column with the folds of values along the inner axes.
fn fold_loop(plan: &LoopPlan, column: &Column, from: Memory, nests: [Nest; 2]) -> LoopPlan {
    let FoldPlan { fold, kind } = column.fold;
    let passes = simple::fold_passes(fold, kind, read(0), Output { output: 0, operand: 1 });
    loop_of(plan, vec![Read::Memory(from)], column.memory.clone(), nests, passes)
}

/// Runs the rows and the columns as separate loops.
fn split(plan: &LoopPlan) -> Result<()> {
    let statistics = used_by_columns(plan);
    let shape = Shape::new(&[plan.outer.len()]);
    let dtype = |kind| computed(plan, kind);
    let temps = statistics.iter().map(|(kind, _)| CubeTensor::empty(&shape, dtype(*kind), plan.device));
    let temps: Vec<Memory> = temps.map(|temp| temp.map(|temp| Memory::of(&temp))).collect::<Result<_>>()?;
    if plan.writes.iter().all(|write| write.over.is_none()) {
        rows::run(&only_rows(plan, &statistics, &temps))?;
        return run(&only_columns(plan, &statistics, &temps));
    }
    // The rows overwrite memory that the columns read, so the rows come last.
    if !statistics.is_empty() {
        let mut folds = plan.clone();
        for dest in folds.passes.iter_mut().flat_map(|pass| &mut pass.results) {
            if matches!(dest, Dest::Element(_) | Dest::Row(_)) {
                *dest = Dest::Nowhere;
            }
        }
        rows::run(&only_rows(&folds, &statistics, &temps))?;
    }
    run(&only_columns(plan, &statistics, &temps))?;
    rows::run(&only_rows(plan, &[], &[]))
}

/// Kind and index of the folds that passes with columns read.
fn used_by_columns(plan: &LoopPlan) -> Vec<(Kind, usize)> {
    let mut used = Vec::new();
    for pass in plan.passes.iter().filter(|pass| has_columns(pass)) {
        for (uniform, kind) in pass.uniforms.iter().zip(pass.program.uniforms()) {
            if let Uniform::Statistic(at) = uniform
                && !used.contains(&(*kind, *at))
            {
                used.push((*kind, *at));
            }
        }
    }
    used
}

fn has_columns(pass: &PassPlan) -> bool {
    pass.results.iter().any(|dest| matches!(dest, Dest::Column(_)))
}

/// The loop without the columns. It also stores the folds that the columns use.
fn only_rows(plan: &LoopPlan, statistics: &[(Kind, usize)], temps: &[Memory]) -> LoopPlan {
    let reads = plan.reads.len();
    let mut writes = plan.writes.clone();
    let mut passes: Vec<PassPlan> = plan.passes.clone();
    for pass in &mut passes {
        for dest in pass.results.iter_mut().filter(|dest| matches!(dest, Dest::Column(_))) {
            *dest = Dest::Nowhere;
        }
    }
    for ((kind, at), memory) in statistics.iter().zip(temps) {
        let output = Output { output: writes.len(), operand: reads + writes.len() };
        writes.push(Write { memory: memory.clone(), over: None });
        passes.push(simple::store_uniform(*kind, Uniform::Statistic(*at), Dest::Row(output)));
    }
    passes.retain(|pass| pass.results.iter().any(|dest| *dest != Dest::Nowhere));
    let kept: Vec<usize> = (0..reads + plan.writes.len()).collect();
    let mut outer = plan.outer.of_operands(&kept);
    let mut inner = plan.inner.of_operands(&kept);
    for _ in temps {
        outer = outer.with_row_major();
        inner.axes.iter_mut().for_each(|axis| axis.steps.push(0));
    }
    LoopPlan { writes, columns: Vec::new(), outer, inner, passes, ..plan.clone() }
}

/// The loop with only the columns.
fn only_columns(plan: &LoopPlan, statistics: &[(Kind, usize)], temps: &[Memory]) -> LoopPlan {
    let mut passes: Vec<PassPlan> = plan.passes.iter().filter(|pass| has_columns(pass)).cloned().collect();
    for dest in passes.iter_mut().flat_map(|pass| &mut pass.results) {
        if !matches!(dest, Dest::Column(_)) {
            *dest = Dest::Nowhere;
        }
    }
    let first = plan.reads.len() + plan.writes.len();
    let targets: Vec<usize> = (first..plan.operands()).collect();
    let plan = LoopPlan { writes: Vec::new(), passes, ..plan.clone() };
    with_stored(plan, statistics, temps, &targets)
}
