//! Scatters of many elements: a sort by key and a segmented reduction. The positions are sorted by their
//! index, so that the elements of one index are a run, and runs are reduced. No two units write to the same
//! element, and the order of additions depends on sizes alone, so that the bits are the same each time.

use super::indexed::{INDEX, Indexed, OUT, SOURCE, Way};
use super::runs::{Level, keys_kernel, runs_kernel};
use crate::device::Opened;
use crate::fault::Doubts;
use crate::kernel::arguments::Arguments;
use crate::kernel::grid::{UNITS, spread};
use crate::kernel::nest::{Axis, Nest};
use crate::kernel::operand::Lanes;
use crate::kernel::order::{Digit, Words, whole};
use crate::kernel::plan::LoopPlan;
use crate::kernel::vectors::{Direction, lanes, width};
use crate::kernel::widen::widen;
use crate::tensor::CubeTensor;
use cubecl::prelude::CubeDim;
use cubecl::server::Handle;
use tensor_op_core::{DType, Result, Shape};
use tensor_op_spec::ir::Kind;

/// Number of units that keep a device busy.
const BUSY: usize = 1 << 17;

/// Loops of a scatter, with steps of the source, the index and the result.
pub(super) struct Loops {
    /// Axes along which the index varies, so that each place has an order of its own.
    rows: Nest,
    /// Axes along which it does not.
    columns: Nest,
    /// Axes that are summed.
    points: Nest,
}

impl Loops {
    pub(super) fn new(outer: Nest, points: Nest) -> Loops {
        let (rows, columns) = outer.axes.into_iter().partition(|axis| axis.steps[INDEX] != 0);
        let (mut rows, mut columns) = (Nest { axes: rows }, Nest { axes: columns });
        columns.sort_by(&[OUT, SOURCE]);
        columns.merge();
        rows.merge();
        Loops { rows, columns, points }
    }

    /// Number of indices that are sorted.
    pub(super) fn sorted(&self) -> usize {
        self.rows.len().saturating_mul(self.points.len())
    }

    /// Whether a sort takes less time than a unit that adds so many elements one after the other. On an H100
    /// that takes about a microsecond for each element, and a sort about 40 picoseconds for each index and
    /// digit, and 150 microseconds beside that. It was measured with digits of four bits, which take less
    /// time than those of six.
    pub(super) fn are_sorted(&self, serial: usize, size: usize) -> bool {
        /// A sort counts indices in 31 bits.
        const COUNTED: usize = 1 << 31;
        let is_counted = size < u32::MAX as usize && self.sorted() < COUNTED;
        is_counted && serial > 150 + self.sorted() * digits(size).len() / 25_000
    }

    /// Rows, and the points of each.
    fn outer(&self) -> Nest {
        Nest { axes: self.rows.axes.iter().chain(&self.points.axes).cloned().collect() }
    }

    /// Loops over partial results, of which each row has so many.
    fn of_partials(&self, len: usize) -> (Nest, Nest) {
        let columns = self.columns.len();
        let of_out = |nest: &Nest| nest.of_operands(&[OUT]).with_row_major();
        let swapped = |mut axis: Axis, by: usize| {
            axis.steps.swap(0, 1);
            axis.steps[0] *= by;
            axis
        };
        let rows = of_out(&self.rows).axes.into_iter().map(|axis| swapped(axis, len * columns));
        let place = Axis { size: len, steps: vec![columns, 0] };
        let inner = of_out(&self.columns).axes.into_iter().map(|axis| swapped(axis, 1));
        (Nest { axes: rows.chain([place]).collect() }, Nest { axes: inner.collect() })
    }
}

/// The indices that a call has sorted last. A mean scatters a sum and a count by the same ones.
#[derive(Default)]
pub(crate) struct LastOrder(Option<Order>);

#[derive(Clone)]
struct Order {
    /// It lives as long as its order, so that its memory has no other elements.
    index: CubeTensor,
    /// Rows and points, with the steps of the index; and the points of each row.
    nest: Nest,
    len: usize,
    size: usize,
    keys: Handle,
    places: Handle,
    doubts: Doubts,
}

impl LastOrder {
    /// The order of these indices, from the scatter before if it had the same ones.
    fn of(
        &mut self,
        indexed: &Indexed,
        loops: &Loops,
        index: &CubeTensor,
        out: &CubeTensor,
    ) -> Result<Order> {
        let (nest, len, size) = (loops.outer().of_operands(&[INDEX]), loops.points.len(), indexed.size);
        let is_it = |own: &&Order| {
            let [one, other] = [&own.index, index].map(|index| index.handle.clone().binding());
            let is_same = one.memory.id() == other.memory.id() && one.offset_start == other.offset_start;
            is_same
                && own.index.layout.offset == index.layout.offset
                && own.nest == nest
                && (own.len, own.size) == (len, size)
        };
        if let Some(order) = self.0.as_ref().filter(is_it) {
            return Ok(order.clone());
        }
        // Its memory is free for this one.
        self.0 = None;
        let (words, doubts) = keys(indexed, loops, index, out)?;
        let [keys, _, places] = words.sorted(&digits(size), false)?.into_memory();
        let order = Order { index: index.clone(), nest, len, size, keys, places, doubts };
        self.0 = Some(order.clone());
        Ok(order)
    }
}

/// Combines the source with `out`, which holds the value of no elements.
pub(super) fn scatter_sorted(
    way: Way,
    indexed: &Indexed,
    loops: &Loops,
    [source, index, out]: [&CubeTensor; 3],
    last: &mut LastOrder,
) -> Result<Doubts> {
    let (rows, columns) = (loops.rows.len(), loops.columns.len());
    let Order { keys, places, doubts, .. } = last.of(indexed, loops, index, out)?;
    let mut level = Level { way, reads_by_position: true };
    let (mut keys, mut source, mut len) = (keys, source.clone(), loops.points.len());
    let mut outer = loops.outer().of_operands(&[SOURCE, OUT]);
    let mut inner = loops.columns.of_operands(&[SOURCE, OUT]);
    loop {
        let block = block(rows * len * columns);
        let blocks = len.div_ceil(block);
        let next = CubeTensor::empty(&Shape::new(&[rows, blocks * 2, columns]), out.dtype, out.device)?;
        let next_keys = CubeTensor::empty(&Shape::new(&[rows, blocks * 2]), DType::U32, out.device)?.handle;
        let runs = Runs {
            sizes: [rows, len, blocks, block],
            keys: &keys,
            places: (&places, loops.sorted()),
            next_keys: &next_keys,
        };
        runs.reduce(level, indexed, [&source, out, &next], [&outer, &inner])?;
        if blocks == 1 {
            return Ok(doubts);
        }
        // The partial results of the blocks are the next source.
        (keys, source, len, level.reads_by_position) = (next_keys, next, blocks * 2, false);
        (outer, inner) = loops.of_partials(len);
    }
}

/// The elements of a unit: more, if there are enough units.
fn block(elements: usize) -> usize {
    (elements / BUSY).next_power_of_two().clamp(16, 128)
}

/// The digits of the numbers up to this one.
fn digits(most: usize) -> Vec<Digit> {
    Digit::all(false, 0..usize::BITS - most.leading_zeros())
}

/// The index of each point, and its position.
fn keys(indexed: &Indexed, loops: &Loops, index: &CubeTensor, out: &CubeTensor) -> Result<(Words, Doubts)> {
    let device = out.device;
    let (rows, len) = (loops.rows.len(), loops.points.len());
    let words = Words::new([rows, len], false, device)?;
    let nests = [loops.outer().of_operands(&[INDEX, OUT]), Nest::default()];
    let mut plan = LoopPlan::of_kernel(&[index], out, nests, Kind::Int, DType::F32);
    widen(&mut plan, 0)?;
    let arguments = Arguments::new(&plan, 1, None)?;
    let [keys, _, places] = words.args();
    let count = spread((rows * len).div_ceil(UNITS), device)?;
    // SAFETY: units beyond the last point stop at once. Steps stay inside of the index.
    let doubt = device.faults.watch(device.client(), &out.handle, &indexed.site, |faults, call| unsafe {
        keys_kernel::launch_unchecked(
            device.client(),
            count,
            CubeDim::new_1d(UNITS as u32),
            arguments.address,
            arguments.inputs,
            keys,
            places,
            faults,
            arguments.numbers,
            len,
            indexed.size,
            call,
            arguments.space,
            plan.types()[1],
        );
    });
    Ok((words, doubt.into()))
}

/// Sorted elements of some rows.
struct Runs<'h> {
    /// Rows, elements of a row, blocks of a row, and elements of a block.
    sizes: [usize; 4],
    keys: &'h Handle,
    /// The positions of the elements that were sorted, and how many there are.
    places: (&'h Handle, usize),
    next_keys: &'h Handle,
}

impl Runs<'_> {
    /// Reduces the runs of each block: those that it has as a whole into `out`, and parts into `next`.
    fn reduce(
        &self,
        level: Level,
        indexed: &Indexed,
        [source, out, next]: [&CubeTensor; 3],
        [outer, inner]: [&Nest; 2],
    ) -> Result<()> {
        let [rows, len, blocks, block] = self.sizes;
        let mut outer = outer.clone();
        outer.axes.iter_mut().for_each(|axis| axis.steps.push(0));
        let nests = [outer, inner.with_row_major()];
        let plan =
            LoopPlan::of_kernel(&[source], out, nests, level.way.kind, out.dtype.compute()).with_result(next);
        let moves_together = |width: usize| {
            let memory = &plan.writes[0].memory;
            indexed.step.is_multiple_of(width)
                && lanes(&plan, Some(memory), 1, width, Direction::Along) == Lanes::Vector
        };
        let width = Some(width(&plan, Direction::Along)).filter(|width| moves_together(*width)).unwrap_or(1);
        let arguments = Arguments::new(&plan, width, None)?;
        let units = rows * blocks * inner.len() / width;
        let device: &Opened = plan.device;
        // SAFETY: units beyond the last block stop at once, and elements beyond the end of a row are left
        // out. Steps stay inside of their tensors, and so do keys, because the kernel compares them with the
        // size. Equal keys are next to each other, and a unit writes only those runs to the result that are
        // in its block as a whole, so that no two units write to the same element.
        unsafe {
            runs_kernel::launch_unchecked(
                device.client(),
                spread(units.div_ceil(UNITS), device)?,
                CubeDim::new_1d(UNITS as u32),
                arguments.address,
                width,
                arguments.inputs,
                arguments.outputs,
                whole(self.keys, rows * len),
                whole(self.places.0, self.places.1),
                whole(self.next_keys, rows * blocks * 2),
                arguments.numbers,
                len,
                blocks,
                block,
                units,
                indexed.step / width,
                indexed.size,
                level,
                arguments.space,
                plan.types(),
            );
        }
        Ok(())
    }
}
