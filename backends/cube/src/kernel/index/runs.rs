//! Kernels of a scatter that sorts: the keys, and the segmented reduction of runs of equal keys.

use super::indexed::Way;
use crate::kernel::fold::{combine, combine_ints, int_identity};
use crate::kernel::math::parts::all;
use crate::kernel::operand::Buffer;
use crate::kernel::space::{
    Space, lane_step, row_coordinates, row_offset, vector_coordinates, vector_offset,
};
use cubecl::prelude::*;
use tensor_op_spec::ir::Kind;

const SOURCE: usize = 0;
const OUT: usize = 1;
/// Elements that a unit reads at once.
const AHEAD: usize = 4;

/// Writes the index of each point, and its position in the row. An index that is out of range is noted, and
/// comes after all others.
#[cube(launch_unchecked, address_type = "dynamic")]
pub(super) fn keys_kernel<I: Int>(
    inputs: &Sequence<Buffer>,
    keys: &mut [u32],
    places: &mut [u32],
    faults: &mut Buffer,
    numbers: &Sequence<usize>,
    len: usize,
    size: usize,
    call: usize,
    #[comptime] space: Space,
    #[define(I)] _elem: ElemType,
) {
    let at = ABSOLUTE_POS;
    if at >= numbers[Space::ROWS] {
        terminate!();
    }
    let none = 0usize.runtime();
    let from = row_offset(&row_coordinates(at, numbers, space), numbers, space, 0usize);
    let index = inputs[0usize].load::<I, Const<1>>(from, none).extract(0usize);
    let is_inside = index >= I::new(0) && index < I::cast_from(size);
    if !is_inside {
        faults.store::<u32, Const<1>>(call, none, Vector::<u32, Const<1>>::new(1u32));
    }
    keys[at] = select(is_inside, u32::cast_from(index), u32::cast_from(size));
    places[at] = u32::cast_from(at % len);
}

/// What a launch reduces.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Level {
    pub(super) way: Way,
    /// Whether elements are where their positions say, and not in the order of the keys.
    pub(super) reads_by_position: bool,
}

/// Reduces the runs of each block. A run that is in no other block goes into the result. Of the others, the
/// first one of the block goes into the first of its two partial results, and the last one into the second.
#[cube(launch_unchecked, address_type = "dynamic")]
pub(super) fn runs_kernel<A: Float, I: Int, N: Size>(
    inputs: &Sequence<Buffer>,
    outputs: &mut Sequence<Buffer>,
    keys: &[u32],
    places: &[u32],
    next_keys: &mut [u32],
    numbers: &Sequence<usize>,
    len: usize,
    blocks: usize,
    block: usize,
    units: usize,
    step: usize,
    size: usize,
    #[comptime] level: Level,
    #[comptime] space: Space,
    #[define(A, I)] _types: [ElemType; 2],
) {
    let unit = ABSOLUTE_POS;
    if unit >= units {
        terminate!();
    }
    let vectors = numbers[Space::VECTORS];
    let (vector, own) = (unit % vectors, unit / vectors);
    let (row, first) = (own / blocks, own % blocks * block);
    let base = row * len;
    let end = min(first + block, len);
    let point = vector_coordinates(vector, numbers, space);
    let from = vector_offset(&point, numbers, space, SOURCE);
    let to = row_offset(&row_coordinates(base, numbers, space), numbers, space, OUT)
        + vector_offset(&point, numbers, space, OUT);
    let table = Table { to, step, size };
    let runs = runs::<A, I, N>(keys[base + first], level.way);
    if first > 0 {
        runs.is_open.store(keys[base + first - 1] == keys[base + first]);
    }
    let mut at = first;
    while at < end {
        let ahead = ahead(keys, places, base, at, end, numbers, level, space);
        #[unroll]
        for j in 0..comptime!(AHEAD) {
            if at + j < end {
                runs.go_to(*ahead.keys.index(j), outputs, &table, numbers, space);
                runs.current.add(inputs, from + *ahead.offsets.index(j), numbers, space);
            }
        }
        at += comptime!(AHEAD);
    }
    let goes_on = RuntimeCell::<bool>::new(false);
    if end < len {
        goes_on.store(keys[base + end] == runs.key.read());
    }
    runs.finish(goes_on.read(), outputs, &table, numbers, space);
    runs.head.write(outputs, own * 2 * vectors + vector);
    runs.current.write(outputs, (own * 2 + 1) * vectors + vector);
    if vector == 0 {
        next_keys[own * 2] = keys[base + first];
        next_keys[own * 2 + 1] = runs.key.read();
    }
}

/// The next elements of a row. Beyond the end of the block they are its last one.
#[derive(CubeType)]
struct Ahead {
    keys: Sequence<u32>,
    /// Where their rows are in the source.
    offsets: Sequence<usize>,
}

#[cube]
fn ahead(
    keys: &[u32],
    places: &[u32],
    base: usize,
    at: usize,
    end: usize,
    numbers: &Sequence<usize>,
    #[comptime] level: Level,
    #[comptime] space: Space,
) -> Ahead {
    let mut ahead = Ahead { keys: Sequence::<u32>::new(), offsets: Sequence::<usize>::new() };
    #[unroll]
    for j in 0..comptime!(AHEAD) {
        let here = base + min(at + j, end - 1);
        ahead.keys.push(keys[here]);
        let mut place = here;
        if comptime!(level.reads_by_position) {
            place = base + places[here] as usize;
        }
        ahead.offsets.push(row_offset(&row_coordinates(place, numbers, space), numbers, space, SOURCE));
    }
    ahead
}

/// Where results go: the column of a table, the step from row to row, and the number of rows.
#[derive(CubeType)]
struct Table {
    to: usize,
    step: usize,
    size: usize,
}

/// The runs of a block.
#[derive(CubeType)]
struct Runs<A: Float, I: Int, N: Size> {
    /// Of the current run.
    key: RuntimeCell<u32>,
    current: Total<A, I, N>,
    /// Whether the current run is the first one.
    is_first: RuntimeCell<bool>,
    /// Whether the current run is the first one and is in other blocks too.
    is_open: RuntimeCell<bool>,
    /// What the first run has in this block, if it is in other blocks too.
    head: Total<A, I, N>,
}

#[cube]
fn runs<A: Float, I: Int, N: Size>(key: u32, #[comptime] way: Way) -> Runs<A, I, N> {
    Runs::<A, I, N> {
        key: RuntimeCell::new(key),
        current: total::<A, I, N>(way),
        is_first: RuntimeCell::new(true),
        is_open: RuntimeCell::new(false),
        head: total::<A, I, N>(way),
    }
}

#[cube]
impl<A: Float, I: Int, N: Size> Runs<A, I, N> {
    /// Ends the current run if the next element has another key.
    fn go_to(
        &self,
        key: u32,
        outputs: &mut Sequence<Buffer>,
        table: &Table,
        numbers: &Sequence<usize>,
        #[comptime] space: Space,
    ) {
        if key != self.key.read() {
            self.close(outputs, table, numbers, space);
            self.key.store(key);
            self.is_open.store(false);
            self.is_first.store(false);
        }
    }

    /// Ends the block. The last run may go on in the next one.
    fn finish(
        &self,
        goes_on: bool,
        outputs: &mut Sequence<Buffer>,
        table: &Table,
        numbers: &Sequence<usize>,
        #[comptime] space: Space,
    ) {
        self.is_open.store(self.is_open.read() || (self.is_first.read() && goes_on));
        if self.is_open.read() || !goes_on {
            self.close(outputs, table, numbers, space);
        }
    }

    /// Moves the current run to where it belongs.
    fn close(
        &self,
        outputs: &mut Sequence<Buffer>,
        table: &Table,
        numbers: &Sequence<usize>,
        #[comptime] space: Space,
    ) {
        let key = self.key.read() as usize;
        if self.is_open.read() {
            self.head.copy(&self.current);
        } else if key < table.size {
            self.current.add_to(outputs, table.to + key * table.step, numbers, space);
        }
        self.current.clear();
    }
}

/// What a run has so far: a float or an int.
#[derive(CubeType)]
struct Total<A: Float, I: Int, N: Size> {
    float: RuntimeCell<Vector<A, N>>,
    int: RuntimeCell<Vector<I, N>>,
    #[cube(comptime)]
    way: Way,
}

/// The value of no elements.
#[cube]
fn total<A: Float, I: Int, N: Size>(#[comptime] way: Way) -> Total<A, I, N> {
    let bits = I::size_bits().comptime();
    Total::<A, I, N> {
        float: RuntimeCell::new(all::<A, N>(comptime!(way.fold.row().identity))),
        int: RuntimeCell::new(Vector::<I, N>::new(I::new(comptime!(int_identity(way.fold, bits))))),
        way,
    }
}

#[cube]
impl<A: Float, I: Int, N: Size> Total<A, I, N> {
    fn clear(&self) {
        self.copy(&total::<A, I, N>(self.way));
    }

    fn copy(&self, other: &Total<A, I, N>) {
        match comptime!(self.way.kind) {
            Kind::Float => self.float.store(other.float.read()),
            Kind::Int | Kind::Bool => self.int.store(other.int.read()),
        }
    }

    /// Combines with an element of the source.
    fn add(&self, inputs: &Sequence<Buffer>, at: usize, numbers: &Sequence<usize>, #[comptime] space: Space) {
        let step = lane_step(numbers, space, SOURCE);
        match comptime!(self.way.kind) {
            Kind::Float => {
                let element = inputs[SOURCE].load::<A, N>(at, step);
                self.float.store(combine::<A, N>(self.float.read(), element, comptime!(self.way.fold)));
            }
            Kind::Int | Kind::Bool => {
                let element = inputs[SOURCE].load::<I, N>(at, step);
                self.int.store(combine_ints::<I, N>(self.int.read(), element, comptime!(self.way.fold)));
            }
        }
    }

    /// Combines an element of the result with this.
    fn add_to(
        &self,
        outputs: &mut Sequence<Buffer>,
        at: usize,
        numbers: &Sequence<usize>,
        #[comptime] space: Space,
    ) {
        let step = lane_step(numbers, space, OUT);
        match comptime!(self.way.kind) {
            Kind::Float => {
                let so_far = outputs[0usize].load::<A, N>(at, step);
                let both = combine::<A, N>(so_far, self.float.read(), comptime!(self.way.fold));
                outputs.index_mut(0usize).store::<A, N>(at, step, both);
            }
            Kind::Int | Kind::Bool => {
                let so_far = outputs[0usize].load::<I, N>(at, step);
                let both = combine_ints::<I, N>(so_far, self.int.read(), comptime!(self.way.fold));
                outputs.index_mut(0usize).store::<I, N>(at, step, both);
            }
        }
    }

    /// Writes a partial result.
    fn write(&self, outputs: &mut Sequence<Buffer>, at: usize) {
        let step = 1usize.runtime();
        match comptime!(self.way.kind) {
            Kind::Float => outputs.index_mut(1usize).store::<A, N>(at, step, self.float.read()),
            Kind::Int | Kind::Bool => outputs.index_mut(1usize).store::<I, N>(at, step, self.int.read()),
        }
    }
}
