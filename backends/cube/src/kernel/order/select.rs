//! The first few words of long rows: a cube reads a row once and keeps the words that may be among them. When
//! its memory is full, it sorts what it has, and from then on leaves out all words behind the last one that
//! is wanted. If there are few rows, several cubes share one, and what they find is sorted after that.

use super::block::{CubeWords, SOURCE, words, write_place};
use super::word::{Making, Word, is_before, padding, read_word};
use crate::kernel::operand::Buffer;
use crate::kernel::space::{Space, row_coordinates, row_offsets, vector_coordinates, vector_offset};
use cubecl::prelude::*;

/// The shape of a launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Select {
    /// CubeWords that a cube keeps: a power of two.
    pub(super) count: usize,
    pub(super) units: usize,
    /// Elements that a unit reads at once.
    pub(super) items: usize,
}

/// A cube has at least so many words, so that a network keeps its units busy.
pub(super) const FEWEST: usize = 512;

impl Select {
    /// A cube has room for the words that it keeps and for one of each unit.
    pub(super) fn new(kept: usize, units: usize) -> Select {
        Select { count: (kept + units).next_power_of_two().max(FEWEST), units, items: 4 }
    }
}

/// Finds the first `kept` words of a row.
#[cube(launch_unchecked, address_type = "dynamic")]
pub(super) fn select_kernel<E: Numeric, I: Int>(
    inputs: &Sequence<Buffer>,
    outputs: &mut Sequence<Buffer>,
    numbers: &Sequence<usize>,
    kept: usize,
    #[comptime] making: Making,
    #[comptime] shape: Select,
    #[comptime] space: Space,
    #[define(E, I)] _types: [ElemType; 2],
) {
    let row = CUBE_POS;
    if row >= numbers[Space::ROWS] {
        terminate!();
    }
    let part = Part { row, start: 0usize.runtime(), end: numbers[Space::VECTORS] };
    let list = first_words::<E>(inputs, &part, kept, numbers, making, shape, space);
    write_first::<I>(&list, outputs, row, kept, numbers, shape, space);
}

/// Finds the first `kept` words of each part of a row. There are as many for a short part, of which the last
/// ones stand behind all others.
#[cube(launch_unchecked, address_type = "dynamic")]
pub(super) fn select_parts_kernel<E: Numeric>(
    inputs: &Sequence<Buffer>,
    high: &mut [u32],
    low: &mut [u32],
    place: &mut [u32],
    numbers: &Sequence<usize>,
    kept: usize,
    parts: usize,
    len: usize,
    #[comptime] making: Making,
    #[comptime] shape: Select,
    #[comptime] space: Space,
    #[define(E)] _elem: ElemType,
) {
    if CUBE_POS >= numbers[Space::ROWS] * parts {
        terminate!();
    }
    let start = CUBE_POS % parts * len;
    let part = Part { row: CUBE_POS / parts, start, end: min(start + len, numbers[Space::VECTORS]) };
    let list = first_words::<E>(inputs, &part, kept, numbers, making, shape, space);
    let mut at = UNIT_POS as usize;
    while at < kept {
        let word = list.get(at);
        let to = CUBE_POS * kept + at;
        high[to] = word.high;
        if comptime!(making.key.is_long()) {
            low[to] = word.low;
        }
        place[to] = word.place;
        at += comptime!(shape.units);
    }
}

/// Elements of a row, from a start to an end.
#[derive(CubeType)]
struct Part {
    row: usize,
    start: usize,
    end: usize,
}

/// The first words of a part in their order, and room behind them.
#[cube]
fn first_words<E: Scalar>(
    inputs: &Sequence<Buffer>,
    part: &Part,
    kept: usize,
    numbers: &Sequence<usize>,
    #[comptime] making: Making,
    #[comptime] shape: Select,
    #[comptime] space: Space,
) -> CubeWords {
    let unit = UNIT_POS as usize;
    let mut list = words(comptime!(shape.count), comptime!(making.key.is_long()));
    let filled = Shared::<[Atomic<u32>]>::new_slice(1usize);
    if unit == 0 {
        filled[0].store(0u32);
    }
    let offsets = row_offsets(&row_coordinates(part.row, numbers, space), numbers, space);
    // The last word that is wanted of those that were sorted.
    let all = 0xffff_ffffu32;
    let (mut high, mut low, mut place) = (all.runtime(), all.runtime(), all.runtime());
    let mut first = part.start;
    while first < part.end {
        let read = words_from::<E>(inputs, &offsets, first, part.end, numbers, making, shape, space);
        #[unroll]
        for item in 0..comptime!(shape.items) {
            let word = read.index(item);
            sync_cube();
            if first + unit + comptime!(item * shape.units) < part.end
                && is_before(word, &Word { high, low, place })
            {
                let slot = filled[0].fetch_add(1u32);
                list.set(slot as usize, word);
            }
            // It waits for all units.
            let count = workgroup_uniform_load_atomic(&filled[0]);
            if count as usize + comptime!(shape.units) > comptime!(shape.count) {
                order(&mut list, count, shape);
                if unit == 0 {
                    filled[0].store(u32::cast_from(kept));
                }
                let last = list.get(kept - 1);
                high = last.high;
                low = last.low;
                place = last.place;
            }
        }
        first += comptime!(shape.units * shape.items);
    }
    let count = workgroup_uniform_load_atomic(&filled[0]);
    order(&mut list, count, shape);
    list
}

/// Writes the positions of the first words of a row.
#[cube]
fn write_first<I: Int>(
    list: &CubeWords,
    outputs: &mut Sequence<Buffer>,
    row: usize,
    kept: usize,
    numbers: &Sequence<usize>,
    #[comptime] shape: Select,
    #[comptime] space: Space,
) {
    let mut at = UNIT_POS as usize;
    while at < kept {
        write_place::<I>(outputs, list.get(at).place, row, at, numbers, space);
        at += comptime!(shape.units);
    }
}

/// The next words of a unit. Beyond the end they are the last one.
#[cube]
fn words_from<E: Scalar>(
    inputs: &Sequence<Buffer>,
    offsets: &Sequence<usize>,
    first: usize,
    end: usize,
    numbers: &Sequence<usize>,
    #[comptime] making: Making,
    #[comptime] shape: Select,
    #[comptime] space: Space,
) -> Sequence<Word> {
    let mut read = Sequence::<Word>::new();
    let last = end - 1;
    #[unroll]
    for item in 0..comptime!(shape.items) {
        let at = first + UNIT_POS as usize + comptime!(item * shape.units);
        let inside = select(at < last, at, last);
        let vector = vector_coordinates(inside, numbers, space);
        let from = offsets[SOURCE] + vector_offset(&vector, numbers, space, SOURCE);
        read.push(read_word::<E>(&inputs[SOURCE], from, u32::cast_from(inside), making));
    }
    read
}

/// Sorts the words, of which so many are filled.
#[cube]
fn order(list: &mut CubeWords, count: u32, #[comptime] shape: Select) {
    let mut at = UNIT_POS as usize + count as usize;
    while at < comptime!(shape.count) {
        list.set(at, &padding(0xffff_ffffu32.runtime()));
        at += comptime!(shape.units);
    }
    list.sort(comptime!(shape.count), comptime!(shape.count), comptime!(shape.units));
}
