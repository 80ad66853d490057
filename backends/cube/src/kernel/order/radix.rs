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
/// Elements of a unit.
const ITEMS: usize = 16;
/// Elements of a segment.
pub(super) const SEGMENT: usize = UNITS * ITEMS;

/// Bytes that the units of a cube share: counts of each unit and digit, their sums, and the first ones.
pub(super) const SHARED: usize = (DIGITS * UNITS + UNITS + DIGITS) * size_of::<u32>();

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
) {
    if CUBE_POS >= cubes {
        terminate!();
    }
    let unit = UNIT_POS as usize;
    let (row, segment) = (CUBE_POS / segments, CUBE_POS % segments);
    let first = segment * SEGMENT + unit * ITEMS;
    let mut columns = Shared::<[u32]>::new_slice(comptime!(DIGITS * UNITS));
    let mut sums = Shared::<[u32]>::new_slice(UNITS);
    clear(&mut columns);
    #[unroll]
    for item in 0..ITEMS {
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

/// Replaces each count of a row by the sum of those before it.
#[cube(launch_unchecked, address_type = "dynamic")]
pub(super) fn start_kernel(counts: &mut [u32], total: usize, rows: usize) {
    if CUBE_POS >= rows {
        terminate!();
    }
    let (unit, base) = (UNIT_POS as usize, CUBE_POS * total);
    let mut sums = Shared::<[u32]>::new_slice(UNITS);
    let mut before = 0u32.runtime();
    let mut tile = 0usize.runtime();
    while tile < total {
        let first = tile + unit * ITEMS;
        let mut sum = 0u32.runtime();
        #[unroll]
        for item in 0..ITEMS {
            if first + item < total {
                sum += counts[base + first + item];
            }
        }
        let mut start = before + up_to(&mut sums, sum) - sum;
        before += sums[UNITS - 1];
        #[unroll]
        for item in 0..ITEMS {
            if first + item < total {
                let count = counts[base + first + item];
                counts[base + first + item] = start;
                start += count;
            }
        }
        sync_cube();
        tile += comptime!(UNITS * ITEMS);
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
}

/// Moves the words of each segment to where their digits belong.
#[cube(launch_unchecked, address_type = "dynamic")]
pub(super) fn move_kernel(
    high: &[u32],
    low: &[u32],
    place: &[u32],
    starts: &[u32],
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
    let first = segment * SEGMENT + unit * ITEMS;
    let mut columns = Shared::<[u32]>::new_slice(comptime!(DIGITS * UNITS));
    let mut bases = Shared::<[u32]>::new_slice(DIGITS);
    clear(&mut columns);
    let mut own = Sequence::<u32>::new();
    #[unroll]
    for item in 0..ITEMS {
        let mut value = 0u32.runtime();
        if first + item < len {
            let from = row * len + first + item;
            value = if comptime!(moving.of_low) { low[from] } else { high[from] };
            columns[digit(value, shift) * UNITS + unit] += 1u32;
        }
        own.push(value);
    }
    rank(&mut columns, &mut bases);
    #[unroll]
    for item in 0..ITEMS {
        if first + item < len {
            let from = row * len + first + item;
            let value = *own.index(item);
            let digit = digit(value, shift);
            let within = columns[digit * UNITS + unit];
            columns[digit * UNITS + unit] = within + 1u32;
            let start = starts[(row * DIGITS + digit) * segments + segment];
            let at = (start + within - bases[digit]) as usize;
            let to = row * len + at;
            new_place[to] = place[from];
            if comptime!(!moving.only_places) {
                new_high[to] = if comptime!(moving.of_low) { high[from] } else { value };
                if comptime!(moving.is_long) {
                    new_low[to] = if comptime!(moving.of_low) { value } else { low[from] };
                }
            }
        }
    }
}

/// Writes the first positions of each row.
#[cube(launch_unchecked, address_type = "dynamic")]
pub(super) fn places_kernel<I: Int>(
    places: &[u32],
    outputs: &mut Sequence<Buffer>,
    numbers: &Sequence<usize>,
    kept: usize,
    #[comptime] space: Space,
    #[define(I)] _elem: ElemType,
) {
    let unit = ABSOLUTE_POS;
    if unit >= numbers[Space::ROWS] * kept {
        terminate!();
    }
    let (row, at) = (unit / kept, unit % kept);
    write_place::<I>(outputs, places[row * numbers[Space::VECTORS] + at], row, at, numbers, space);
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
