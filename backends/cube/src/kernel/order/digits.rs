//! Digits of words: how often each occurs in each segment of a row, and where its elements go.

use crate::kernel::grid::UNITS;
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
pub(super) const SHARED: usize = (DIGITS * UNITS + UNITS + DIGITS) * size_of::<u32>();

/// Counts the elements of each segment with each digit.
#[cube(launch_unchecked, address_type = "dynamic")]
pub(super) fn count_kernel(
    numbers: &[u32],
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
    let mut columns = Shared::<[u32]>::new_slice(comptime!(DIGITS * UNITS));
    let mut sums = Shared::<[u32]>::new_slice(UNITS);
    clear(&mut columns);
    counted(numbers, &own(row, segment, len, items), &mut columns, shift, items);
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

/// The elements that a unit reads.
#[derive(CubeType, Clone, Copy)]
#[expand(derive(Clone, Copy))]
pub(super) struct Own {
    /// The start of the segment.
    pub(super) base: usize,
    /// The first element, from there.
    pub(super) first: usize,
    /// Elements of the segment.
    pub(super) count: usize,
}

#[cube]
pub(super) fn own(row: usize, segment: usize, len: usize, #[comptime] items: usize) -> Own {
    let start = segment * comptime!(UNITS * items);
    let count = min(len - start, comptime!(UNITS * items));
    Own { base: row * len + start, first: UNIT_POS as usize * items, count }
}

/// Reads the numbers of a unit and counts their digits.
#[cube]
pub(super) fn counted(
    numbers: &[u32],
    own: &Own,
    columns: &mut Shared<[u32]>,
    shift: u32,
    #[comptime] items: usize,
) -> Sequence<u32> {
    let mut values = Sequence::<u32>::new();
    #[unroll]
    for item in 0..items {
        let mut value = 0u32.runtime();
        if own.first + item < own.count {
            value = numbers[own.base + own.first + item];
            columns[digit(value, shift) * UNITS + UNIT_POS as usize] += 1u32;
        }
        values.push(value);
    }
    values
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

/// Replaces each count by the number of elements of the segment that come before: those with a smaller digit,
/// and those of units before. The count before the first element of each digit is taken from `firsts`.
#[cube]
pub(super) fn rank(columns: &mut Shared<[u32]>, firsts: &mut Shared<[u32]>) {
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
        firsts[unit] -= columns[unit * UNITS];
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
pub(super) fn smaller(totals: &[u32], row: usize, digit: usize) -> u32 {
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
pub(super) fn digit(value: u32, shift: u32) -> usize {
    ((value >> shift) & comptime!(DIGITS as u32 - 1)) as usize
}

#[cube]
pub(super) fn clear(columns: &mut Shared<[u32]>) {
    #[unroll]
    for at in 0..DIGITS {
        columns[at * UNITS + UNIT_POS as usize] = 0u32;
    }
}
