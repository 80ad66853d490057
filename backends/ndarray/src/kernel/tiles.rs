//! Loops whose rows are strided in memory while neighbouring rows are adjacent, and which do not run in
//! [`bands`](super::bands): for example, a sum with a transposed matrix, or a softmax over the first axis of
//! a few columns or by a kernel that was edited.
//!
//! If such a loop ran row by row, each element would fetch a whole cache line. So a band of neighbouring rows
//! is copied into a tile, in which each row is contiguous. The loop runs on the tile, and results are copied
//! back.

use super::plan::{Base, Dest, LoopPlan, Operand};
use super::real::Real;
use super::short::{Short, ShortWorker};
use super::split::Splits;
use super::worker::Worker;
use crate::array::Array;
use crate::copy::copy;
use crate::nest::Nest;
use crate::parallel::{self, Shared};
use std::ops::Range;
use tensor_op_core::{DType, Result};

/// The least number of rows in a band: their adjacent elements fill a cache line.
const BAND: usize = 32;
/// The least number of elements in a tile.
const TILE: usize = 1 << 13;
/// Rows without reductions are cut into parts of this length.
const PART: usize = 1024;
/// Fewer neighbouring rows than this are not worth a copy.
const FEW: usize = 4;

/// A loop in tiles.
struct Tiles<'p, E> {
    plan: &'p LoopPlan<E>,
    /// The programs of short rows, if they are short.
    short: Option<&'p Splits>,
    /// The loops around the bands.
    around: Nest,
    /// Number of neighbouring rows, and the stride of each operand from one row to the next.
    rows: usize,
    row_strides: Vec<isize>,
    /// Length of a row, and the stride of each operand along it.
    len: usize,
    strides: Vec<isize>,
    /// Whether the loop has results that depend on a whole row.
    whole: bool,
    /// Length of the parts that rows are cut into, and number of rows in a band.
    part: usize,
    band: usize,
    tiled: Vec<Tiled>,
}

/// An operand that goes through a tile.
#[derive(Clone, Copy)]
struct Tiled {
    operand: usize,
    is_read: bool,
    is_written: bool,
}

/// Whether the loop runs in tiles.
pub(super) fn needs<E: Real>(plan: &LoopPlan<E>) -> bool {
    Tiles::of(plan, None).is_some()
}

/// Runs the loop in tiles, if it is a loop that needs them. Returns whether it did so.
pub(super) fn run<E: Real>(plan: &LoopPlan<E>, short: Option<&Splits>) -> Result<bool> {
    let Some(tiles) = Tiles::of(plan, short) else { return Ok(false) };
    let (bands, parts) = (tiles.rows.div_ceil(tiles.band), tiles.len.div_ceil(tiles.part));
    let elements = tiles.around.len() * tiles.rows * tiles.len;
    parallel::try_for_each(tiles.around.len() * bands * parts, elements, |task| {
        let band = parallel::piece(task / parts % bands, tiles.band, tiles.rows);
        let part = parallel::piece(task % parts, tiles.part, tiles.len);
        tiles.task(&tiles.around.walk(task / parts / bands).offsets, band, part)
    })?;
    Ok(true)
}

impl<'p, E: Real> Tiles<'p, E> {
    fn of(plan: &'p LoopPlan<E>, short: Option<&'p Splits>) -> Option<Tiles<'p, E>> {
        if plan.outer.len() == 0 || plan.inner.len() == 0 {
            return None;
        }
        // Without reductions, all axes are along one row; then all of them but the last are treated as rows.
        let whole = plan.statistics > 0 || plan.passes.iter().any(|pass| pass.per_row);
        let (mut outer, len, strides) = match plan.inner.rank() {
            1 => (plan.outer.clone(), plan.inner.size(0), plan.inner.strides(0).to_vec()),
            rank if rank > 1 && !whole => {
                let (before, len, strides) = plan.inner.split_inner();
                let mut outer = plan.outer.clone();
                outer.append(&before);
                (outer, len, strides)
            }
            _ => return None,
        };
        let tiled = strided(plan, &strides);
        let neighbours = |axis: &usize| {
            outer.size(*axis) >= FEW && tiled.iter().any(|tiled| outer.stride(*axis, tiled.operand) == 1)
        };
        let axis = (0..outer.rank()).find(neighbours)?;
        let order: Vec<usize> = (0..outer.rank()).filter(|other| *other != axis).chain([axis]).collect();
        outer.reorder(&order);
        let (around, rows, row_strides) = outer.split_inner();
        let tiled = tiled.into_iter().filter(|tiled| row_strides[tiled.operand] == 1).collect();
        let part = if whole { len } else { len.min(PART) };
        let band = BAND.max(TILE.div_ceil(part.max(1)));
        Some(Tiles { plan, short, around, rows, row_strides, len, strides, whole, part, band, tiled })
    }

    /// Runs one part of one band.
    fn task(&self, start: &[isize], band: Range<usize>, part: Range<usize>) -> Result<()> {
        let shape = [band.len(), part.len()];
        let mut plan = self.in_tiles(shape);
        let mut offsets: Vec<isize> = (0..start.len())
            .map(|operand| {
                start[operand]
                    + band.start as isize * self.row_strides[operand]
                    + part.start as isize * self.strides[operand]
            })
            .collect();
        let first = offsets.clone();
        // A tile is freed when the task is done.
        let mut tiles = Vec::with_capacity(self.tiled.len());
        for tiled in &self.tiled {
            let operand = &mut plan.operands[tiled.operand];
            let bytes = shape[0] * shape[1] * operand.dtype.size();
            let mut tile = Array::<i64>::recycled(&[bytes.div_ceil(size_of::<i64>())])?;
            let place = Shared(tile.as_mut_ptr().expect("a new buffer has one owner").cast());
            if tiled.is_read {
                self.transfer(*tiled, first[tiled.operand], place, shape, true);
            }
            operand.base = Base::Memory(place);
            offsets[tiled.operand] = 0;
            tiles.push(tile);
        }
        if let Some(splits) = self.short {
            let short = Short::new(&plan, splits);
            let mut worker = ShortWorker::new(&short)?;
            worker.move_to(&offsets);
            worker.run(0..band.len(), None);
        } else if self.whole {
            let (mut walk, mut worker) = (plan.outer.walk(0), Worker::new(&plan)?);
            for _ in band {
                let at: Vec<isize> = offsets.iter().zip(&walk.offsets).map(|(a, b)| a + b).collect();
                worker.row(&at, None);
                walk.next();
            }
        } else {
            Worker::of_parts(&plan).part_of_row(&offsets, 0..shape[0] * shape[1]);
        }
        for tiled in self.tiled.iter().filter(|tiled| tiled.is_written) {
            let Base::Memory(place) = plan.operands[tiled.operand].base else { continue };
            self.transfer(*tiled, first[tiled.operand], place, shape, false);
        }
        Ok(())
    }

    /// The loop over a tile: row by row, or, if there are no reductions, as one row.
    fn in_tiles(&self, [band, part]: [usize; 2]) -> LoopPlan<E> {
        let (mut row_strides, mut strides) = (self.row_strides.clone(), self.strides.clone());
        for tiled in &self.tiled {
            row_strides[tiled.operand] = part as isize;
            strides[tiled.operand] = 1;
        }
        let (mut outer, mut inner) = (Nest::new(strides.len()), Nest::new(strides.len()));
        let rows = if self.whole { &mut outer } else { &mut inner };
        rows.push(band, row_strides.into_iter());
        inner.push(part, strides.into_iter());
        inner.merge();
        LoopPlan {
            operands: self.plan.operands.clone(),
            outer,
            inner,
            passes: self.plan.passes.clone(),
            statistics: self.plan.statistics,
            columns: Vec::new(),
            windows: self.plan.windows.clone(),
            kept: self.plan.kept,
        }
    }

    /// Copies a tile from memory or back to it.
    fn transfer(&self, tiled: Tiled, first: isize, tile: Shared<u8>, shape: [usize; 2], into_tile: bool) {
        let Operand { base: Base::Memory(memory), dtype, .. } = self.plan.operands[tiled.operand] else {
            return;
        };
        let memory = memory.at(first * dtype.size() as isize);
        let memory_strides = [self.row_strides[tiled.operand], self.strides[tiled.operand]];
        let tile_strides = [shape[1] as isize, 1];
        let (to, to_strides, from, from_strides) = if into_tile {
            (tile.at(0), tile_strides, memory, memory_strides)
        } else {
            (memory, memory_strides, tile.at(0), tile_strides)
        };
        // SAFETY: the tile has room for the shape. The band's points of the operand are inside of its memory;
        // where they are written, they are distinct and belong to no other task. Elements of all dtypes of
        // one size are copied in the same way.
        unsafe {
            match dtype {
                DType::F64 | DType::I64 => {
                    copy::<u64>(&shape, to.cast(), &to_strides, from.cast(), &from_strides);
                }
                DType::F32 | DType::I32 | DType::U32 => {
                    copy::<u32>(&shape, to.cast(), &to_strides, from.cast(), &from_strides);
                }
                DType::F16 | DType::BF16 => {
                    copy::<u16>(&shape, to.cast(), &to_strides, from.cast(), &from_strides);
                }
                DType::U8 | DType::Bool => copy::<u8>(&shape, to, &to_strides, from, &from_strides),
            }
        }
    }
}

/// The operands that are strided along rows.
fn strided<E>(plan: &LoopPlan<E>, strides: &[isize]) -> Vec<Tiled> {
    let mut found: Vec<Tiled> = Vec::new();
    let mut add = |operand: usize, is_read: bool| {
        let in_memory = matches!(plan.operands[operand].base, Base::Memory(_));
        if !in_memory || strides[operand].unsigned_abs() <= 1 {
            return;
        }
        match found.iter_mut().find(|tiled| tiled.operand == operand) {
            Some(tiled) => {
                tiled.is_read |= is_read;
                tiled.is_written |= !is_read;
            }
            None => found.push(Tiled { operand, is_read, is_written: !is_read }),
        }
    };
    for pass in &plan.passes {
        let elements = &pass.elements;
        elements.floats.iter().chain(&elements.ints).chain(&elements.bools).for_each(|o| add(*o, true));
        for dest in pass.dests() {
            if let Dest::Element(operand) = dest {
                add(operand, false);
            }
        }
    }
    found
}
