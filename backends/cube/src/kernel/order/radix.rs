//! Long rows: a stable sort by six bits at a time, from the lowest ones to the highest. Rows are cut into
//! segments. The elements of each segment with each digit are counted, a scan of the counts tells where they
//! go, and then they are moved there in their order.
//!
//! Source: Satish, Harris and Garland, Designing Efficient Sorting Algorithms for Manycore GPUs, 2009.

use super::block::{SOURCE, write_place};
use super::digits::{DIGITS, Own, WORDS, clear, counted, digit, half, own, rank, smaller, values, word};
use super::word::{Making, read_word};
use crate::kernel::grid::UNITS;
use crate::kernel::operand::Buffer;
use crate::kernel::space::{Space, row_coordinates, row_offsets, vector_coordinates, vector_offset};
use cubecl::prelude::*;

/// Writes the words of all elements, row by row.
#[cube(launch_unchecked, address_type = "dynamic")]
pub(super) fn words_kernel<E: Numeric>(
    inputs: &Sequence<Buffer>,
    high: &mut [u32],
    low: &mut [u32],
    place: &mut [u32],
    numbers: &Sequence<usize>,
    #[comptime] making: Making,
    #[comptime] space: Space,
    #[define(E)] _elem: ElemType,
) {
    let to = ABSOLUTE_POS;
    let len = numbers[Space::VECTORS];
    if to >= numbers[Space::ROWS] * len {
        terminate!();
    }
    let (row, at) = (to / len, to % len);
    let offsets = row_offsets(&row_coordinates(row, numbers, space), numbers, space);
    let from =
        offsets[SOURCE] + vector_offset(&vector_coordinates(at, numbers, space), numbers, space, SOURCE);
    let word = read_word::<E>(&inputs[SOURCE], from, u32::cast_from(at), making);
    high[to] = word.high;
    if comptime!(making.key.is_long()) {
        low[to] = word.low;
    }
    place[to] = word.place;
}

/// Which number of the words has the digit, and what is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Moving {
    /// Whether it is the lower one.
    pub(super) of_low: bool,
    /// Whether words have a lower one.
    pub(super) is_long: bool,
    /// Whether only positions are wanted.
    pub(super) only_places: bool,
    /// Elements of a unit.
    pub(super) items: usize,
}

/// Moves the words of each segment to where their digits belong.
#[cube(launch_unchecked, address_type = "dynamic")]
pub(super) fn move_kernel(
    high: &[u32],
    low: &[u32],
    place: &[u32],
    starts: &[u32],
    totals: &[u32],
    new_high: &mut [u32],
    new_low: &mut [u32],
    new_place: &mut [u32],
    len: usize,
    segments: usize,
    shift: u32,
    cubes: usize,
    #[comptime] moving: Moving,
) {
    if CUBE_POS >= cubes {
        terminate!();
    }
    let unit = UNIT_POS as usize;
    let (row, segment) = (CUBE_POS / segments, CUBE_POS % segments);
    let own = own(row, segment, len, moving.items);
    let mut columns = Shared::<[u32]>::new_slice(WORDS);
    // Where each digit goes, less the rank of its first element.
    let mut firsts = Shared::<[u32]>::new_slice(DIGITS);
    clear(&mut columns);
    if unit < DIGITS {
        firsts[unit] = smaller(totals, row, unit) + starts[(row * DIGITS + unit) * segments + segment];
    }
    let values = if comptime!(moving.of_low) {
        values(low, &own, moving.items)
    } else {
        values(high, &own, moving.items)
    };
    let before = counted(&values, &own, &mut columns, shift, moving.items);
    rank(&mut columns, &mut firsts);
    let ranks = ranks(&values, &before, &columns, shift, moving.items);
    sync_cube();
    // What counted the elements now holds them, in the order of their digits, so that neighbours are written
    // to neighbours.
    #[unroll]
    for item in 0..comptime!(moving.items) {
        if own.first + item < own.count {
            columns[*ranks.index(item)] = *values.index(item);
        }
    }
    sync_cube();
    let to = targets(&columns, &firsts, row * len, own.count, shift, moving.items);
    let way = Exchange { ranks, to, own, items: comptime!(moving.items) };
    if comptime!(moving.of_low && !moving.only_places) {
        way.write(new_low, &mut columns);
        way.exchange(high, new_high, &mut columns);
    } else if comptime!(!moving.only_places) {
        way.write(new_high, &mut columns);
        if comptime!(moving.is_long) {
            way.exchange(low, new_low, &mut columns);
        }
    }
    way.exchange(place, new_place, &mut columns);
}

/// Where the elements go that a unit writes.
#[cube]
fn targets(
    columns: &Shared<[u32]>,
    firsts: &Shared<[u32]>,
    row: usize,
    count: usize,
    shift: u32,
    #[comptime] items: usize,
) -> Sequence<usize> {
    let mut to = Sequence::<usize>::new();
    #[unroll]
    for item in 0..items {
        let at = UNIT_POS as usize + comptime!(item * UNITS);
        let mut target = 0usize.runtime();
        if at < count {
            target = row + (firsts[digit(columns[at], shift)] + at as u32) as usize;
        }
        to.push(target);
    }
    to
}

/// Where the elements of a unit are in the order of the digits: after those of the columns before, and after
/// those of their own column that were counted before.
#[cube]
fn ranks(
    values: &Sequence<u32>,
    before: &Sequence<RuntimeCell<u32>>,
    columns: &Shared<[u32]>,
    shift: u32,
    #[comptime] items: usize,
) -> Sequence<usize> {
    let mut ranks = Sequence::<usize>::new();
    #[unroll]
    for item in 0..items {
        let digit = digit(*values.index(item), shift);
        ranks.push((half(columns[word(digit)], digit) + before.index(item).read()) as usize);
    }
    ranks
}

/// Where the elements of a segment come from and go.
#[derive(CubeType)]
struct Exchange {
    /// Of the elements that a unit reads, where they are in the order of the digits.
    ranks: Sequence<usize>,
    /// Of those that it writes, where they go.
    to: Sequence<usize>,
    own: Own,
    #[cube(comptime)]
    items: usize,
}

#[cube]
impl Exchange {
    /// Moves numbers by way of the cube's memory.
    fn exchange(&self, from: &[u32], to: &mut [u32], memory: &mut Shared<[u32]>) {
        sync_cube();
        #[unroll]
        for item in 0..comptime!(self.items) {
            if self.own.first + item < self.own.count {
                memory[*self.ranks.index(item)] = from[self.own.base + self.own.first + item];
            }
        }
        sync_cube();
        self.write(to, memory);
    }

    /// Writes what is in the cube's memory.
    fn write(&self, to: &mut [u32], memory: &mut Shared<[u32]>) {
        #[unroll]
        for item in 0..comptime!(self.items) {
            let at = UNIT_POS as usize + comptime!(item * UNITS);
            if at < self.own.count {
                to[*self.to.index(item)] = memory[at];
            }
        }
    }
}

/// Writes the first positions of each row, of which there are `len`.
#[cube(launch_unchecked, address_type = "dynamic")]
pub(super) fn places_kernel<I: Int>(
    places: &[u32],
    outputs: &mut Sequence<Buffer>,
    numbers: &Sequence<usize>,
    len: usize,
    kept: usize,
    #[comptime] space: Space,
    #[define(I)] _elem: ElemType,
) {
    let unit = ABSOLUTE_POS;
    if unit >= numbers[Space::ROWS] * kept {
        terminate!();
    }
    let (row, at) = (unit / kept, unit % kept);
    write_place::<I>(outputs, places[row * len + at], row, at, numbers, space);
}
