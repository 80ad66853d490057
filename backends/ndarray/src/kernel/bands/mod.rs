//! Loops whose rows lie side by side in memory: for example, a softmax over the first axis, or the norm of
//! each channel of images whose channels come last.
//!
//! A band is up to a block of these rows. Its elements are read in the order of memory, and each fold has
//! accumulators for all of its rows.

mod band;
mod folds;
mod worker;

use super::kept::Kept;
use super::plan::{Base, Dest, LoopPlan};
use super::real::Real;
use super::split::Splits;
use crate::block::BLOCK;
use crate::block::fold::LANES;
use crate::parallel;
use band::Band;
use folds::Folding;
use tensor_op_core::Result;
use worker::{BandWorker, Foldings};

/// Fewer rows that lie side by side run row by row, or in tiles.
const FEWEST: usize = 16;
/// Elements per task.
const TASK: usize = 1 << 15;
/// With fewer bands than this, threads share one that has at least [`LONG`] elements.
const FEW: usize = 8;
const LONG: usize = 1 << 17;
/// The most parts of such a band, and the least length of a part: each has its own accumulators.
const PARTS: usize = 16;
const LEAST: usize = 4 * LANES;

/// Whether the rows of a loop lie side by side, and enough of them.
pub(super) fn fits<E>(plan: &LoopPlan<E>) -> bool {
    side(plan).is_some()
}

/// Runs a loop in bands. Returns whether its rows lie so.
pub(super) fn run<E: Real>(plan: &LoopPlan<E>, splits: Option<&Splits>) -> Result<bool> {
    let (Some(splits), Some(side)) = (splits, side(plan)) else { return Ok(false) };
    let mut outer = plan.outer.clone();
    let order: Vec<usize> = (0..outer.rank()).filter(|axis| *axis != side).chain([side]).collect();
    outer.reorder(&order);
    let (around, sides, strides) = outer.split_inner();
    let width = sides.div_ceil(sides.div_ceil(BLOCK)).next_multiple_of(16).min(sides);
    let (bands, rest) = (sides.div_ceil(width), sides % width);
    let band = |width| Band::new(plan, splits, width, &strides);
    let (full, last) = (band(width), if rest > 0 { Some(band(rest)) } else { None });
    let place = |task: usize| {
        let mut offsets = around.walk(task / bands).offsets;
        let first = (task % bands * width) as isize;
        offsets.iter_mut().zip(&strides).for_each(|(offset, stride)| *offset += first * stride);
        let band = last.as_ref().filter(|_| task % bands + 1 == bands).unwrap_or(&full);
        (band, offsets)
    };
    let (len, count) = (full.len, around.len() * bands);
    if count < FEW && len * width >= LONG {
        (0..count).map(place).try_for_each(|(band, offsets)| run_together(band, &offsets))?;
        return Ok(true);
    }
    let per_task = (TASK / (len * width)).max(1);
    parallel::try_for_each(count.div_ceil(per_task), count * width * len, |task| {
        let kept = Kept::of(&full.split.each, width * len)?;
        let worker = |band| BandWorker::new(band, kept.as_ref());
        let (mut full, mut narrow) = (worker(&full), last.as_ref().map(worker));
        for (band, offsets) in parallel::piece(task, per_task, count).map(place) {
            let narrow = narrow.as_mut().filter(|_| band.width == rest);
            narrow.unwrap_or(&mut full).run(&offsets);
        }
        Ok(())
    })?;
    Ok(true)
}

/// Runs one band on all threads, each of which takes parts of its rows.
fn run_together<E: Real>(band: &Band<'_, E>, offsets: &[isize]) -> Result<()> {
    let kept = Kept::of(&band.split.each, band.width * band.len)?;
    let part = (TASK / band.width).max(band.len.div_ceil(PARTS)).max(LEAST);
    let mut whole = BandWorker::new(band, kept.as_ref());
    whole.move_to(offsets);
    for pass in &band.split.passes {
        if pass.each.is_none() {
            whole.pass(pass, 0..0);
            continue;
        }
        let statistics = whole.statistics();
        let parts = parallel::map(band.len.div_ceil(part), band.len * band.width, |task| {
            let mut worker = BandWorker::new(band, kept.as_ref());
            let own = worker.statistics();
            own.floats.copy_from_slice(&statistics.floats);
            own.ints.copy_from_slice(&statistics.ints);
            own.bools.copy_from_slice(&statistics.bools);
            worker.move_to(offsets);
            worker.pass(pass, parallel::piece(task, part, band.len))
        });
        let foldings = parallel::tree(parts, merge).unwrap_or_default();
        whole.finish(&foldings);
    }
    Ok(())
}

/// Combines the folds of neighbouring parts.
fn merge<E: Real>(a: Foldings<E>, b: Foldings<E>) -> Foldings<E> {
    a.into_iter().zip(b).map(|((statistic, a), (_, b))| (statistic, Folding::merge(a, b))).collect()
}

/// The axis of the rows that lie side by side.
fn side<E>(plan: &LoopPlan<E>) -> Option<usize> {
    let last = plan.inner.rank().checked_sub(1)?;
    if !plan.has_rows() || !plan.columns.is_empty() || plan.outer.len() * plan.inner.len() == 0 {
        return None;
    }
    let operands = elements(plan);
    let is_side = |axis: &usize| {
        let strides = |operand: usize| {
            (
                plan.outer.stride(*axis, operand).unsigned_abs(),
                plan.inner.stride(last, operand).unsigned_abs(),
            )
        };
        let lies_so = |operand: &usize| matches!(strides(*operand), (1, 2..));
        let lies_along = |operand: &usize| matches!(strides(*operand), (2.., 0..=1));
        plan.outer.size(*axis) >= FEWEST && operands.iter().any(lies_so) && !operands.iter().any(lies_along)
    };
    (0..plan.outer.rank()).find(is_side)
}

/// The operands that are read or written at each element.
fn elements<E>(plan: &LoopPlan<E>) -> Vec<usize> {
    let in_memory = |operand: &usize| match plan.operands[*operand].base {
        Base::Memory(_) | Base::Window(..) | Base::Gathered(..) => true,
        Base::Iota(_) | Base::Kept(_) => false,
    };
    let mut operands: Vec<usize> = Vec::new();
    for pass in &plan.passes {
        let read = &pass.elements;
        operands.extend(read.floats.iter().chain(&read.ints).chain(&read.bools));
        operands.extend(pass.dests().filter_map(|dest| match dest {
            Dest::Element(operand) => Some(operand),
            Dest::Fold { .. } | Dest::Row(_) | Dest::Column(_) | Dest::Nowhere => None,
        }));
    }
    operands.retain(in_memory);
    operands.sort_unstable();
    operands.dedup();
    operands
}
