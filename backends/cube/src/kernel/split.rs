//! A loop in two: its rows, then its columns.
//!
//! For rows so long that a cube can't hold their columns. The folds along the rows that columns use are stored by the first loop and read
//! by the second.

use super::launch;
use super::pass::{Dest, Element, Output, PassPlan, Uniform};
use super::plan::{LoopPlan, Memory, Read, Write};
use super::simple;
use crate::tensor::CubeTensor;
use tensor_op_core::{Result, Shape};
use tensor_op_spec::ir::Kind;

/// Runs both.
pub(super) fn run(plan: LoopPlan) -> Result<()> {
    let statistics = used_by_columns(&plan);
    let shape = Shape::new(&[plan.outer.len()]);
    let dtype = |kind| super::partial::computed(&plan, kind);
    let temps = statistics.iter().map(|(kind, _)| CubeTensor::empty(&shape, dtype(*kind), plan.device));
    let temps: Vec<Memory> = temps.map(|temp| temp.map(|temp| Memory::of(&temp))).collect::<Result<_>>()?;
    if plan.writes.iter().all(|write| write.over.is_none()) {
        launch::run(rows(&plan, &statistics, &temps))?;
        return launch::run(columns(&plan, &statistics, &temps));
    }
    // The rows write over what the columns read: those come last.
    if !statistics.is_empty() {
        let mut folds = copy(&plan);
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

/// Kind and place of the folds that passes with columns read.
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

/// All but the columns, and the folds that these use.
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
    LoopPlan { writes, columns: Vec::new(), outer, inner, passes, ..copy(plan) }
}

/// The columns only.
fn columns(plan: &LoopPlan, statistics: &[(Kind, usize)], temps: &[Memory]) -> LoopPlan {
    let first = plan.reads.len();
    let buffers = plan.reads.iter().filter(|read| read.memory().is_some()).count();
    let reads = plan.reads.iter().cloned().chain(temps.iter().cloned().map(Read::Memory)).collect();
    let mut passes: Vec<PassPlan> = plan.passes.iter().filter(|pass| has_columns(pass)).cloned().collect();
    for pass in &mut passes {
        for at in 0..pass.uniforms.len() {
            if let Uniform::Statistic(place) = pass.uniforms[at] {
                let kind = pass.program.uniforms()[at];
                let temp = statistics.iter().position(|own| *own == (kind, place)).unwrap_or_default();
                pass.uniforms[at] =
                    Uniform::Row(Element::Input { buffer: buffers + temp, operand: first + temp });
            }
        }
        for dest in pass.results.iter_mut().filter(|dest| !matches!(dest, Dest::Column(_))) {
            *dest = Dest::Nowhere;
        }
    }
    let old: Vec<usize> = (0..first).collect();
    let targets: Vec<usize> = (first + plan.writes.len()..plan.operands()).collect();
    let mut outer = plan.outer.of_operands(&old);
    let mut inner = plan.inner.of_operands(&old);
    for _ in temps {
        outer = outer.with_row_major();
        inner.axes.iter_mut().for_each(|axis| axis.steps.push(0));
    }
    for (nest, whole) in [(&mut outer, &plan.outer), (&mut inner, &plan.inner)] {
        for (axis, own) in nest.axes.iter_mut().zip(&whole.of_operands(&targets).axes) {
            axis.steps.extend(&own.steps);
        }
    }
    LoopPlan { reads, writes: Vec::new(), outer, inner, passes, ..copy(plan) }
}

fn copy(plan: &LoopPlan) -> LoopPlan {
    LoopPlan {
        device: plan.device,
        reads: plan.reads.clone(),
        writes: plan.writes.clone(),
        columns: plan.columns.clone(),
        outer: plan.outer.clone(),
        inner: plan.inner.clone(),
        passes: plan.passes.clone(),
        scalars: plan.scalars.clone(),
        float: plan.float,
    }
}
