//! Loops with reductions over rows. Each chunk of rows has its own accumulators, which are then combined as a
//! tree.
//!
//! Chunks depend on the sizes alone, so that results don't depend on the threads. If a loop has no results
//! along rows, its columns are also cut into pieces, whose accumulators stay in the first-level cache.

use super::fold::Columns;
use super::plan::{Base, ColumnPlan, Dest, LoopPlan, Operand, PassPlan};
use super::real::Real;
use super::short::{Short, ShortWorker};
use super::split::Splits;
use super::taps::Taps;
use super::worker::{ColumnTarget, Worker};
use crate::block::BLOCK;
use crate::parallel;
use std::ops::Range;
use tensor_op_core::Result;

/// The least number of elements in a chunk of rows.
const CHUNK: usize = 1 << 15;
/// The most chunks of rows. Each chunk has its own accumulators.
const CHUNKS: usize = 32;
/// With so many pieces of columns, threads have enough to do without chunks.
const TASKS: usize = 128;
/// The least number of rows in a chunk, so that creating and combining accumulators costs little. Chunks may
/// have fewer rows if that keeps threads busy.
const TALL: usize = 32;
/// Number of columns in a piece.
const PIECE: usize = 2 * BLOCK;

/// Runs a loop that has folds over its rows.
pub(super) fn run<E: Real>(plan: &LoopPlan<E>, splits: Option<&Splits>) -> Result<()> {
    if let Some(taps) = Taps::of(plan) {
        taps.run();
        return Ok(());
    }
    let (rows, len) = (plan.outer.len(), plan.inner.len());
    let short = splits.map(|splits| Short::new(plan, splits));
    let only_columns = short.is_none() && plan.passes.iter().all(is_only_columns);
    // Rows without elements can still have results of their own.
    let (piece, pieces) = if only_columns { (PIECE, len.div_ceil(PIECE)) } else { (len, 1) };
    let most = TASKS.div_ceil(pieces.max(1)).min(CHUNKS);
    let tall = TALL.min(rows.div_ceil(CHUNKS / 2));
    let per_chunk = CHUNK.div_ceil(len.max(1)).max(rows.div_ceil(most)).max(tall).max(1);
    let chunks = rows.div_ceil(per_chunk).max(1);
    let parts = parallel::map(chunks * pieces, rows * len, |task| {
        let rows = parallel::piece(task % chunks, per_chunk, rows);
        let columns = parallel::piece(task / chunks, piece, len);
        let part = match &short {
            Some(short) => short_rows(plan, short, rows, len)?,
            None if only_columns => column_by_column(plan, rows, columns.clone())?,
            None => row_by_row(plan, rows, len)?,
        };
        if chunks > 1 {
            return Ok(part);
        }
        finish(plan, columns, part);
        Ok(vec![])
    });
    let mut parts = parts.into_iter().collect::<Result<Vec<_>>>()?.into_iter();
    if chunks > 1 {
        for index in 0..pieces {
            let chunks: Vec<Vec<Columns<E>>> = parts.by_ref().take(chunks).collect();
            if let Some(whole) = parallel::tree(chunks, merge) {
                finish(plan, parallel::piece(index, piece, len), whole);
            }
        }
    }
    Ok(())
}

/// Writes the columns in `range` of all folds, and gives their memory back.
fn finish<E: Real>(plan: &LoopPlan<E>, range: Range<usize>, columns: Vec<Columns<E>>) {
    write(plan, range, &columns);
    columns.into_iter().for_each(Columns::recycle);
}

fn is_only_columns<E>(pass: &PassPlan<E>) -> bool {
    pass.dests().all(|dest| matches!(dest, Dest::Column(_) | Dest::Nowhere))
}

fn short_rows<E: Real>(
    plan: &LoopPlan<E>,
    short: &Short<'_, E>,
    rows: Range<usize>,
    len: usize,
) -> Result<Vec<Columns<E>>> {
    let mut columns = plan.empty_columns(len)?;
    ShortWorker::new(short)?.run(rows, Some(&mut columns));
    Ok(columns)
}

fn column_by_column<E: Real>(
    plan: &LoopPlan<E>,
    rows: Range<usize>,
    range: Range<usize>,
) -> Result<Vec<Columns<E>>> {
    let mut columns = plan.empty_columns(range.len())?;
    let mut worker = Worker::of_parts(plan);
    for block in 0..range.len().div_ceil(BLOCK) {
        let block = parallel::piece(block, BLOCK, range.len());
        let block = range.start + block.start..range.start + block.end;
        let mut walk = plan.outer.walk(rows.start);
        for _ in rows.clone() {
            worker.move_to(&walk.offsets);
            for index in 0..plan.passes.len() {
                let target = &mut ColumnTarget { columns: &mut columns, first: range.start, row_len: None };
                worker.begin(index);
                worker.part(index, block.clone(), Some(target));
            }
            walk.next();
        }
    }
    Ok(columns)
}

fn row_by_row<E: Real>(plan: &LoopPlan<E>, rows: Range<usize>, len: usize) -> Result<Vec<Columns<E>>> {
    let mut columns = plan.empty_columns(len)?;
    let mut worker = Worker::new(plan)?;
    let mut walk = plan.outer.walk(rows.start);
    for _ in rows {
        worker.row(&walk.offsets, Some(ColumnTarget { columns: &mut columns, first: 0, row_len: None }));
        walk.next();
    }
    Ok(columns)
}

fn merge<E: Real>(mut a: Vec<Columns<E>>, b: Vec<Columns<E>>) -> Vec<Columns<E>> {
    a.iter_mut().zip(&b).for_each(|(a, b)| a.merge(b));
    b.into_iter().for_each(Columns::recycle);
    a
}

/// Writes the columns in `range` of all folds.
fn write<E: Real>(plan: &LoopPlan<E>, range: Range<usize>, columns: &[Columns<E>]) {
    for (ColumnPlan { operand, .. }, column) in plan.columns.iter().zip(columns) {
        let Operand { base, dtype, .. } = plan.operands[*operand];
        let Base::Memory(start) = base else { continue };
        let mut walk = plan.inner.walk(range.start);
        let last = plan.inner.rank().checked_sub(1);
        let (size, stride) =
            last.map_or((1, 1), |axis| (plan.inner.size(axis), plan.inner.stride(axis, *operand)));
        let mut at = range.start;
        while at < range.end {
            let len = (size - at % size).min(range.end - at);
            let to = start.at(walk.offsets[*operand] * dtype.size() as isize);
            // SAFETY: plans hold offsets of elements inside their operands' memory, and only this call writes
            // these columns.
            unsafe { column.write(at - range.start..at - range.start + len, dtype, to, stride) };
            at += len;
            walk = plan.inner.walk(at);
        }
    }
}
