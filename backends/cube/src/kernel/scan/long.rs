//! Few long rows: each is cut into pieces, and each piece has a cube. The first kernel finds what each piece
//! adds up to. A scan of these gives the result before each piece, from which another kernel scans the
//! elements. What is left at the end of a row is a short piece.
//!
//! So elements are read twice. To read them once, a cube would have to wait for the cube before it (Merrill
//! and Garland, Single-pass Parallel Prefix Scan with Decoupled Look-back, 2016). Then the order in which
//! cubes finish decides how sums are added, and results would not have the same bits each time.

use super::kernel::{BEFORE, Start, Way};
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
        let hardware = &plan.device.client.properties().hardware;
        let processors = hardware.num_streaming_multiprocessors.map_or(PROCESSORS, |count| count as usize);
        let (rows, all) = (plan.outer.len(), plan.inner.len());
        let wanted = (PER_PROCESSOR * processors).div_ceil(rows.max(1));
        let len = (all / wanted).next_multiple_of(TILE).max(LEAST * TILE);
        let count = all / len;
        (rows < 2 * processors && count > 1).then_some(Pieces { count, len })
    }

    /// Scans all rows.
    pub(super) fn run(self, plan: &LoopPlan, way: Way, dtype: DType) -> Result<()> {
        let Pieces { count, len } = self;
        let rows = plan.outer.len();
        let room = || CubeTensor::empty(&Shape::new(&[rows, count]), dtype, plan.device);
        let (results, products, before) = (room()?, room()?, room()?);
        let rest = plan.inner.len() - count * len;
        // The short piece comes last in the order of the scan.
        let start = if way.reverse { rest } else { 0 };
        let pieces = self.nests(plan);
        launch(&self.totals(plan, &pieces, start, [&results, &products]), way, dtype.kind(), Class::Totals)?;
        let factors = if way.fold.is_none() { &products } else { &results };
        let axis = |size: usize, step: usize| Nest { axes: vec![Axis { size, steps: vec![step; 3] }] };
        let nests = [axis(rows, count), axis(count, 1)];
        let sums = LoopPlan::of_kernel(&[factors, &results], &before, nests, dtype.kind(), dtype);
        launch(&sums, Way { is_of_pieces: true, ..way }, dtype.kind(), Class::Rows)?;
        let goes_on = Way { start: Start::PieceBefore, ..way };
        launch(&from_before(plan, &pieces, start, &before, 0), goes_on, dtype.kind(), Class::Rows)?;
        if rest == 0 {
            return Ok(());
        }
        let inner = Nest { axes: vec![Axis { size: rest, ..plan.inner.axes[0].clone() }] };
        let outer = plan.outer.with_row_major();
        let scaled = |axis: &Axis| {
            let mut steps = axis.steps.clone();
            steps.iter_mut().skip(3).for_each(|step| *step *= count);
            Axis { size: axis.size, steps }
        };
        let outer = Nest { axes: outer.axes.iter().map(scaled).collect() };
        let inner = inner.with_zero();
        let (start, last) = if way.reverse { (0, 0) } else { (count * len, count - 1) };
        let goes_on = Way { start: Start::Result, ..way };
        let rest = from_before(plan, &[outer, inner], start, &before, last);
        launch(&rest, goes_on, dtype.kind(), Class::Rows)
    }

    /// Loops over the pieces, and over the elements of a piece. They have one more operand, with an element
    /// for each piece.
    fn nests(self, plan: &LoopPlan) -> [Nest; 2] {
        let row = &plan.inner.axes[0];
        let steps = row.steps.iter().map(|step| step.wrapping_mul(self.len)).collect();
        let pieces = Axis { size: self.count, steps };
        let outer = Nest { axes: plan.outer.axes.iter().cloned().chain([pieces]).collect() };
        let inner = Nest { axes: vec![Axis { size: self.len, steps: row.steps.clone() }] };
        [outer.with_row_major(), inner.with_zero()]
    }

    /// The plan of what each piece adds up to.
    fn totals(self, plan: &LoopPlan, nests: &[Nest; 2], start: usize, out: [&CubeTensor; 2]) -> LoopPlan {
        let [outer, inner] = nests.clone().map(|nest| nest.of_operands(&[0, 1, 3, 3]));
        let writes = out.map(|tensor| Write { memory: Memory::of(tensor), over: None });
        let mut plan = LoopPlan { outer, inner, writes: writes.to_vec(), ..plan.clone() };
        move_reads(&mut plan, start);
        plan
    }
}

/// The plan of a scan that goes on from results before it. The loops have an operand more than the plan: the
/// last one, which is where these results are, from the element `first` on.
fn from_before(
    plan: &LoopPlan,
    nests: &[Nest; 2],
    start: usize,
    before: &CubeTensor,
    first: usize,
) -> LoopPlan {
    let [outer, inner] = nests.clone().map(|nest| nest.of_operands(&[0, 1, 3, 2]));
    let mut plan = LoopPlan { outer, inner, ..plan.clone() };
    move_reads(&mut plan, start);
    for write in &mut plan.writes {
        let step = plan.inner.axes[0].steps[BEFORE + 1];
        write.memory.offset = write.memory.offset.wrapping_add(step.wrapping_mul(start));
    }
    let memory = Memory { offset: first, ..Memory::of(before) };
    plan.reads.push(Read::Memory(memory));
    plan
}

/// Moves what is read to an element of the row.
fn move_reads(plan: &mut LoopPlan, start: usize) {
    for (at, read) in plan.reads.iter_mut().enumerate() {
        let step = plan.inner.axes[0].steps[at];
        if let Some(memory) = read.memory_mut() {
            memory.offset = memory.offset.wrapping_add(step.wrapping_mul(start));
        }
    }
}
