//! Few long rows: each is cut into pieces, and each piece has a cube. The first kernel finds what each piece
//! adds up to. A scan of these gives the result before each piece, from which another kernel scans the
//! elements. What is left at the end of a row is a short piece.
//!
//! So elements are read twice. To read them once, a cube would have to wait for the cube before it (Merrill
//! and Garland, Single-pass Parallel Prefix Scan with Decoupled Look-back, 2016). Then the order in which
//! cubes finish decides how sums are added, and results would not have the same bits each time.

use super::kernel::{Start, Way};
use super::launch::{Class, MOST_KEPT, launch};
use crate::kernel::grid::UNITS;
use crate::kernel::nest::{Axis, Nest};
use crate::kernel::plan::{LoopPlan, Memory, Read, Write};
use crate::tensor::CubeTensor;
use tensor_op_core::{DType, Result, Shape};

/// A piece is a whole number of tiles, whatever the width of vectors is.
const TILE: usize = UNITS * MOST_KEPT;
/// Tiles of the shortest pieces.
const LEAST: usize = 4;
/// Pieces of all rows for each processor.
const PER_PROCESSOR: usize = 8;
/// Processors of a device that does not say how many it has.
const PROCESSORS: usize = 16;

/// How rows are cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Pieces {
    count: usize,
    len: usize,
}

impl Pieces {
    /// `None` if the rows keep a device busy as they are, or are short.
    pub(super) fn of(plan: &LoopPlan) -> Option<Pieces> {
        let hardware = &plan.device.properties().hardware;
        let processors = hardware.num_streaming_multiprocessors.map_or(PROCESSORS, |count| count as usize);
        let (rows, all) = (plan.outer.len(), plan.inner.len());
        let wanted = (PER_PROCESSOR * processors).div_ceil(rows.max(1));
        let least = (all / wanted).div_ceil(TILE).max(LEAST);
        // What is left of a row is scanned by one cube, after all others, so it should be short.
        let tiles = (least..=least + least / 4).min_by_key(|tiles| all % (tiles * TILE));
        let len = tiles.unwrap_or(least) * TILE;
        let count = all / len;
        (rows < 2 * processors && count > 1).then_some(Pieces { count, len })
    }

    /// Scans all rows.
    pub(super) fn run(self, plan: &LoopPlan, way: Way, dtype: DType) -> Result<()> {
        let Pieces { count, len } = self;
        let all = plan.inner.len();
        // The short piece comes last in the order of the scan, and `last` is the piece before it.
        let (start, last) = if way.reverse { (all - count * len, 0) } else { (0, count - 1) };
        let whole = plan.elements(start..start + count * len);
        let inner = Nest { axes: vec![Axis { size: len, ..whole.inner.axes[0].clone() }] };
        let before = self.results(&whole, &inner, way, dtype)?;
        let goes_on = Way { start: Start::PieceBefore, ..way };
        let whole = from_before(&whole, self.outer(&whole), inner, Memory::of(&before));
        launch(&whole, goes_on, dtype.kind(), Class::Rows)?;
        let rest = if way.reverse { 0..start } else { count * len..all };
        if rest.is_empty() {
            return Ok(());
        }
        let rest = plan.elements(rest);
        let mut outer = self.outer(&rest);
        outer.axes.last_mut().into_iter().for_each(|pieces| pieces.size = 1);
        let memory = Memory { offset: last, ..Memory::of(&before) };
        let goes_on = Way { start: Start::Result, ..way };
        let rest = from_before(&rest, outer, rest.inner.clone(), memory);
        launch(&rest, goes_on, dtype.kind(), Class::Rows)
    }

    /// The result at the end of each piece.
    fn results(self, whole: &LoopPlan, inner: &Nest, way: Way, dtype: DType) -> Result<CubeTensor> {
        let rows = whole.outer.len();
        let room = || CubeTensor::empty(&Shape::new(&[rows, self.count]), dtype, whole.device);
        let (alone, results) = (room()?, room()?);
        let products = if way.fold.is_none() { room()? } else { alone.clone() };
        let writes = [&alone, &products].map(|tensor| Write { memory: Memory::of(tensor), over: None });
        let operands = [0, 1, 3, 3];
        let outer = self.outer(whole).of_operands(&operands);
        let inner = inner.with_zero().of_operands(&operands);
        let totals = LoopPlan { outer, inner, writes: writes.to_vec(), ..whole.clone() };
        launch(&totals, way, dtype.kind(), Class::Totals)?;
        let axis = |size: usize, step: usize| Nest { axes: vec![Axis { size, steps: vec![step; 3] }] };
        let nests = [axis(rows, self.count), axis(self.count, 1)];
        let sums = LoopPlan::of_kernel(&[&products, &alone], &results, nests, dtype.kind(), dtype);
        launch(&sums, Way { is_of_pieces: true, ..way }, dtype.kind(), Class::Rows)?;
        Ok(results)
    }

    /// Loops over the pieces of all rows. They have one more operand, with an element for each piece.
    fn outer(self, plan: &LoopPlan) -> Nest {
        let steps = plan.inner.axes[0].steps.iter().map(|step| step.wrapping_mul(self.len)).collect();
        let pieces = Axis { size: self.count, steps };
        Nest { axes: plan.outer.axes.iter().cloned().chain([pieces]).collect() }.with_row_major()
    }
}

/// The plan of a scan that goes on from results before it. The outer loops have an operand more than the
/// plan: the last one, which is these results.
fn from_before(plan: &LoopPlan, outer: Nest, inner: Nest, before: Memory) -> LoopPlan {
    let [outer, inner] = [outer, inner.with_zero()].map(|nest| nest.of_operands(&[0, 1, 3, 2]));
    let mut plan = LoopPlan { outer, inner, ..plan.clone() };
    plan.reads.push(Read::Memory(before));
    plan
}
