//! Splits a loop into several: first its rows and then its columns, or one loop per pass.
//!
//! The first split is for rows so long that a cube can't hold their columns. The second one is for loops with
//! so few rows that most of the device would be idle. If a later loop uses folds along the rows, an earlier
//! loop stores them.

use super::fold::FoldPlan;
use super::geometry::{Cut, STREAM};
use super::launch::{self, UNITS};
use super::nest::Nest;
use super::partial;
use super::pass::{Dest, Element, Output, PassPlan, Uniform};
use super::plan::{LoopPlan, Memory, Read, Write};
use super::simple;
use crate::tensor::CubeTensor;
use tensor_op_core::{Result, Shape};
use tensor_op_spec::ir::Kind;

/// Runs the rows and the columns as separate loops.
pub(super) fn run(plan: LoopPlan) -> Result<()> {
    let statistics = used_by_columns(&plan);
    let shape = Shape::new(&[plan.outer.len()]);
    let dtype = |kind| partial::computed(&plan, kind);
    let temps = statistics.iter().map(|(kind, _)| CubeTensor::empty(&shape, dtype(*kind), plan.device));
    let temps: Vec<Memory> = temps.map(|temp| temp.map(|temp| Memory::of(&temp))).collect::<Result<_>>()?;
    if plan.writes.iter().all(|write| write.over.is_none()) {
        launch::run(rows(&plan, &statistics, &temps))?;
        return launch::run(columns(&plan, &statistics, &temps));
    }
    // The rows overwrite memory that the columns read, so the rows come last.
    if !statistics.is_empty() {
        let mut folds = plan.clone();
        for dest in folds.passes.iter_mut().flat_map(|pass| &mut pass.results) {
            if matches!(dest, Dest::Element(_) | Dest::Row(_)) {
                *dest = Dest::Nowhere;
            }
        }
        launch::run(rows(&folds, &statistics, &temps))?;
    }
    launch::run(columns(&plan, &statistics, &temps))?;
    launch::run(rows(&plan, &[], &[]))
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
pub(super) fn rows(plan: &LoopPlan, statistics: &[(Kind, usize)], temps: &[Memory]) -> LoopPlan {
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
fn columns(plan: &LoopPlan, statistics: &[(Kind, usize)], temps: &[Memory]) -> LoopPlan {
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

/// The same loop, but it reads the folds of earlier loops from memory, one value per row. `targets` are the
/// operands that are not read.
fn with_stored(
    plan: LoopPlan,
    statistics: &[(Kind, usize)],
    temps: &[Memory],
    targets: &[usize],
) -> LoopPlan {
    let first = plan.reads.len();
    let buffers = plan.reads.iter().filter(|read| read.memory().is_some()).count();
    let reads = plan.reads.iter().cloned().chain(temps.iter().cloned().map(Read::Memory)).collect();
    let mut passes = plan.passes;
    for pass in &mut passes {
        for at in 0..pass.uniforms.len() {
            if let Uniform::Statistic(place) = pass.uniforms[at] {
                let kind = pass.program.uniforms()[at];
                let temp = statistics.iter().position(|own| *own == (kind, place));
                let temp = temp.expect("a pass reads what an earlier one has folded");
                pass.uniforms[at] =
                    Uniform::Row(Element::Input { buffer: buffers + temp, operand: first + temp });
            }
        }
        for dest in &mut pass.results {
            if let Dest::Element(output) | Dest::Row(output) = dest {
                output.operand += temps.len();
            }
        }
    }
    let old: Vec<usize> = (0..first).collect();
    let mut outer = plan.outer.of_operands(&old);
    let mut inner = plan.inner.of_operands(&old);
    for _ in temps {
        outer = outer.with_row_major();
        inner.axes.iter_mut().for_each(|axis| axis.steps.push(0));
    }
    for (nest, whole) in [(&mut outer, &plan.outer), (&mut inner, &plan.inner)] {
        for (axis, own) in nest.axes.iter_mut().zip(&whole.of_operands(targets).axes) {
            axis.steps.extend(&own.steps);
        }
    }
    LoopPlan { reads, outer, inner, passes, ..plan }
}

/// The number of cubes that should share each row. `None` if it is as good to have one cube for a row or for
/// several rows.
pub(super) fn chunks(plan: &LoopPlan, cut: &Cut, width: usize) -> Option<usize> {
    const FEW: usize = 16;
    let cores = plan.device.client.properties().hardware.num_streaming_multiprocessors;
    let cores = cores.map_or(FEW, |cores| cores as usize);
    // A cube should read several times as much as its units read at once.
    let most = plan.inner.len() / width / (plan.device.units(UNITS) * STREAM);
    // A pass over one chunk must not have more turns than the driver makes.
    let least = most / plan.device.most_turns + 1;
    let chunks = most.min((2 * cores / cut.groups.max(1)).max(least));
    let is_better = cut.groups * 2 <= cores || least > 1;
    (plan.columns.is_empty() && cut.adjacent && is_better && chunks > 1).then_some(chunks)
}

/// Runs the passes as separate loops. This many cubes share each row.
pub(super) fn few_rows(plan: &LoopPlan, chunks: usize) -> Result<()> {
    let rows = plan.outer.len();
    let targets: Vec<usize> = (plan.reads.len()..plan.operands()).collect();
    let room = |kind: Kind, count: usize| -> Result<Memory> {
        Ok(Memory::of(&CubeTensor::empty(&Shape::new(&[count]), partial::computed(plan, kind), plan.device)?))
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
            launch::run(LoopPlan { inner: Nest::default(), ..own })?;
        } else {
            launch::run_chunks(&own, chunks)?;
        }
        for (fold, partials) in folds.iter().zip(partials) {
            let kind = fold.result_kind();
            let at = statistics.iter().filter(|(own, _)| *own == kind).count();
            statistics.push((kind, at));
            let to = room(kind, rows)?;
            temps.push(to.clone());
            partial::fold_chunks(plan, *fold, partials, to, [rows, chunks])?;
        }
    }
    Ok(())
}
