//! Long rows: a stable sort by four bits at a time, from the lowest ones to the highest. Rows are cut into
//! segments. The elements of each segment with each digit are counted, a scan of the counts tells where they
//! go, and then they are moved there in their order.
//!
//! Source: Satish, Harris and Garland, Designing Efficient Sorting Algorithms for Manycore GPUs, 2009.

use super::block::{SOURCE, write_place};
use super::word::{Making, read_word};
use crate::kernel::grid::UNITS;
use crate::kernel::operand::Buffer;
use crate::kernel::space::{Space, row_coordinates, row_offsets, vector_coordinates, vector_offset};
use cubecl::prelude::*;

/// Bits of a digit.
pub(super) const BITS: usize = 4;
/// Digits.
pub(super) const DIGITS: usize = 1 << BITS;
/// The most elements of a unit: so many that what a cube counts is as large as what it moves.
const MOST_ITEMS: usize = DIGITS;
/// Counts that a unit adds up at once.
const COUNTS: usize = 4;
/// Number of cubes that keep a device busy.
const BUSY: usize = 1 << 9;

/// Elements of a unit: few if there are few in all, so that more cubes share them.
pub(super) fn items(elements: usize) -> usize {
    if elements < BUSY * UNITS * MOST_ITEMS { 4 } else { MOST_ITEMS }
}

/// Bytes that the units of a cube share: counts of each unit and digit, their sums, and where digits begin.
pub(super) const SHARED: usize = (DIGITS * UNITS + UNITS + 2 * DIGITS) * size_of::<u32>();

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

/// Counts the elements of each segment with each digit.
#[cube(launch_unchecked, address_type = "dynamic")]
pub(super) fn count_kernel(
    numbers_of_words: &[u32],
    counts: &mut [u32],
    len: usize,
    segments: usize,
    shift: u32,
    cubes: usize,
    #[comptime] items: usize,
) {
    if CUBE_POS >= cubes {
        terminate!();
    }
    let unit = UNIT_POS as usize;
    let (row, segment) = (CUBE_POS / segments, CUBE_POS % segments);
    let first = (segment * UNITS + unit) * items;
    let mut columns = Shared::<[u32]>::new_slice(comptime!(DIGITS * UNITS));
    let mut sums = Shared::<[u32]>::new_slice(UNITS);
    clear(&mut columns);
    #[unroll]
    for item in 0..items {
        if first + item < len {
            let digit = digit(numbers_of_words[row * len + first + item], shift);
            columns[digit * UNITS + unit] += 1u32;
        }
    }
    sync_cube();
    sums[unit] = sum_of(&mut columns, unit);
    sync_cube();
    if unit < DIGITS {
        let mut total = 0u32.runtime();
        #[unroll]
        for at in 0..comptime!(UNITS / DIGITS) {
            total += sums[unit * comptime!(UNITS / DIGITS) + at];
        }
        counts[(row * DIGITS + unit) * segments + segment] = total;
    }
}

/// Replaces each count of a digit by the sum of those before it in the row, and writes their total.
#[cube(launch_unchecked, address_type = "dynamic")]
pub(super) fn start_kernel(counts: &mut [u32], totals: &mut [u32], segments: usize, cubes: usize) {
    if CUBE_POS >= cubes {
        terminate!();
    }
    let (unit, base) = (UNIT_POS as usize, CUBE_POS * segments);
    let mut sums = Shared::<[u32]>::new_slice(UNITS);
    let mut before = 0u32.runtime();
    let mut tile = 0usize.runtime();
    while tile < segments {
        let first = tile + unit * COUNTS;
        let mut own = Sequence::<u32>::new();
        let mut sum = 0u32.runtime();
        #[unroll]
        for item in 0..COUNTS {
            let mut count = 0u32.runtime();
            if first + item < segments {
                count = counts[base + first + item];
            }
            sum += count;
            own.push(count);
        }
        let mut start = before + up_to(&mut sums, sum) - sum;
        before += sums[UNITS - 1];
        #[unroll]
        for item in 0..COUNTS {
            if first + item < segments {
                counts[base + first + item] = start;
                start += *own.index(item);
            }
        }
        sync_cube();
        tile += comptime!(UNITS * COUNTS);
    }
    if unit == 0 {
        totals[CUBE_POS] = before;
    }
}

/// The sum of what this unit and all before it have. The last sum is that of all units.
#[cube]
fn up_to(sums: &mut Shared<[u32]>, own: u32) -> u32 {
    let unit = UNIT_POS as usize;
    let mut sum = own;
    let mut step = 1usize.runtime();
    while step < UNITS {
        sums[unit] = sum;
        sync_cube();
        if unit >= step {
            sum += sums[unit - step];
        }
        sync_cube();
        step *= 2;
    }
    sums[unit] = sum;
    sync_cube();
    sum
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
    let base = row * len + segment * comptime!(UNITS * moving.items);
    let count = min(comptime!(UNITS * moving.items), len - segment * comptime!(UNITS * moving.items));
    let first = unit * comptime!(moving.items);
    let mut columns = Shared::<[u32]>::new_slice(comptime!(DIGITS * UNITS));
    let mut bases = Shared::<[u32]>::new_slice(DIGITS);
    let mut firsts = Shared::<[u32]>::new_slice(DIGITS);
    clear(&mut columns);
    if unit < DIGITS {
        firsts[unit] = smaller(totals, row, unit);
    }
    let mut own = Sequence::<u32>::new();
    #[unroll]
    for item in 0..comptime!(moving.items) {
        let mut value = 0u32.runtime();
        if first + item < count {
            value =
                if comptime!(moving.of_low) { low[base + first + item] } else { high[base + first + item] };
            columns[digit(value, shift) * UNITS + unit] += 1u32;
        }
        own.push(value);
    }
    rank(&mut columns, &mut bases);
    let mut ranks = Sequence::<usize>::new();
    #[unroll]
    for item in 0..comptime!(moving.items) {
        let mut rank = 0usize.runtime();
        if first + item < count {
            let counted = digit(*own.index(item), shift) * UNITS + unit;
            rank = columns[counted] as usize;
            columns[counted] += 1u32;
        }
        ranks.push(rank);
    }
    // What counted the elements now holds them, in the order of their digits, so that neighbours are written
    // to neighbours.
    sync_cube();
    #[unroll]
    for item in 0..comptime!(moving.items) {
        if first + item < count {
            columns[*ranks.index(item)] = *own.index(item);
        }
    }
    sync_cube();
    let mut to = Sequence::<usize>::new();
    #[unroll]
    for item in 0..comptime!(moving.items) {
        let at = unit + comptime!(item * UNITS);
        let mut place_to = 0usize.runtime();
        if at < count {
            let digit = digit(columns[at], shift);
            let start = starts[(row * DIGITS + digit) * segments + segment];
            let before = (firsts[digit] + start) as usize;
            place_to = row * len + before + at - bases[digit] as usize;
        }
        to.push(place_to);
    }
    let way = Exchange { ranks, to, base, first, count, items: comptime!(moving.items) };
    if comptime!(!moving.only_places) {
        if comptime!(moving.of_low) {
            way.write(new_low, &mut columns);
            way.exchange(high, new_high, &mut columns);
        } else {
            way.write(new_high, &mut columns);
            if comptime!(moving.is_long) {
                way.exchange(low, new_low, &mut columns);
            }
        }
    }
    way.exchange(place, new_place, &mut columns);
}

/// Where the elements of a segment come from and go.
#[derive(CubeType)]
struct Exchange {
    /// Of the elements that a unit reads, where they are in the order of the digits.
    ranks: Sequence<usize>,
    /// Of those that it writes, where they go.
    to: Sequence<usize>,
    /// The start of the segment.
    base: usize,
    /// The first element that the unit reads.
    first: usize,
    /// Elements of the segment.
    count: usize,
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
            if self.first + item < self.count {
                memory[*self.ranks.index(item)] = from[self.base + self.first + item];
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
            if at < self.count {
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

/// Replaces each count by the number of elements of the segment that come before: those with a smaller digit,
/// and those of units before. The first of each digit is also in `bases`.
#[cube]
fn rank(columns: &mut Shared<[u32]>, bases: &mut Shared<[u32]>) {
    let unit = UNIT_POS as usize;
    let mut sums = Shared::<[u32]>::new_slice(UNITS);
    sync_cube();
    let sum = sum_of(columns, unit);
    let mut rank = up_to(&mut sums, sum) - sum;
    #[unroll]
    for at in 0..DIGITS {
        let count = columns[unit * DIGITS + at];
        columns[unit * DIGITS + at] = rank;
        rank += count;
    }
    sync_cube();
    if unit < DIGITS {
        bases[unit] = columns[unit * UNITS];
    }
    sync_cube();
}

/// The sum of the counts that a unit adds up: of one digit, in the columns of some neighbours.
#[cube]
fn sum_of(columns: &mut Shared<[u32]>, unit: usize) -> u32 {
    let mut sum = 0u32.runtime();
    #[unroll]
    for at in 0..DIGITS {
        sum += columns[unit * DIGITS + at];
    }
    sum
}

/// How many elements of a row have a smaller digit.
#[cube]
fn smaller(totals: &[u32], row: usize, digit: usize) -> u32 {
    let mut sum = 0u32.runtime();
    #[unroll]
    for other in 0..DIGITS {
        if other < digit {
            sum += totals[row * DIGITS + other];
        }
    }
    sum
}

#[cube]
fn digit(value: u32, shift: u32) -> usize {
    ((value >> shift) & comptime!(DIGITS as u32 - 1)) as usize
}

#[cube]
fn clear(columns: &mut Shared<[u32]>) {
    #[unroll]
    for at in 0..DIGITS {
        columns[at * UNITS + UNIT_POS as usize] = 0u32;
    }
}
