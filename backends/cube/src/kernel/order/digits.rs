//! Digits of words: how often each occurs in each segment of a row, and where its elements go.

use crate::kernel::grid::UNITS;
use cubecl::prelude::*;

/// Bits of a digit.
pub(super) const BITS: usize = 6;
/// Digits.
pub(super) const DIGITS: usize = 1 << BITS;
/// A word has the counts of two digits, `d` and `d + PAIRS`, in 16 bits each. A segment has fewer than 2^16
/// elements.
const PAIRS: usize = DIGITS / 2;
/// Two neighbouring units count into one column, one after the other.
const COLUMNS: usize = UNITS / 2;
/// Words of all counts of a cube.
pub(super) const WORDS: usize = PAIRS * COLUMNS;
/// Words that a unit adds up: of one pair of digits, in neighbouring columns.
const OWN: usize = WORDS / UNITS;
/// The most elements of a unit: so many that what a cube counts is as large as what it moves.
const MOST_ITEMS: usize = WORDS / UNITS;
const _: () = assert!(UNITS * MOST_ITEMS < 1 << 16 && DIGITS <= UNITS && UNITS.is_multiple_of(PAIRS));
/// Counts that a unit adds up at once.
const COUNTS: usize = 4;
/// Number of cubes that keep a device busy.
const BUSY: usize = 1 << 9;

/// Elements of a unit: few if there are few in all, so that more cubes share them.
pub(super) fn items(elements: usize) -> usize {
    if elements < BUSY * UNITS * MOST_ITEMS { 4 } else { MOST_ITEMS }
}

/// Bytes that the units of a cube share: counts, their sums, and where digits begin.
pub(super) const SHARED: usize = (WORDS + UNITS + DIGITS) * size_of::<u32>();

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
    let mut columns = Shared::<[u32]>::new_slice(WORDS);
    let mut sums = Shared::<[u32]>::new_slice(UNITS);
    clear(&mut columns);
    let own = own(row, segment, len, items);
    counted(&values(numbers, &own, items), &own, &mut columns, shift, items);
    sums[unit] = sum_of(&mut columns, unit);
    sync_cube();
    if unit < DIGITS {
        let mut total = 0u32.runtime();
        #[unroll]
        for at in 0..comptime!(UNITS / PAIRS) {
            total += sums[unit % PAIRS * comptime!(UNITS / PAIRS) + at];
        }
        counts[(row * DIGITS + unit) * segments + segment] = half(total, unit);
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

/// The numbers of a unit. Beyond the end of the segment they are 0.
#[cube]
pub(super) fn values(numbers: &[u32], own: &Own, #[comptime] items: usize) -> Sequence<u32> {
    let mut values = Sequence::<u32>::new();
    #[unroll]
    for item in 0..items {
        let mut value = 0u32.runtime();
        if own.first + item < own.count {
            value = numbers[own.base + own.first + item];
        }
        values.push(value);
    }
    values
}

/// Counts the digits of all numbers. Gives for each number of a unit how many of its digit were in the column
/// before. All units wait for each other.
#[cube]
pub(super) fn counted(
    values: &Sequence<u32>,
    own: &Own,
    columns: &mut Shared<[u32]>,
    shift: u32,
    #[comptime] items: usize,
) -> Sequence<RuntimeCell<u32>> {
    let mut before = Sequence::<RuntimeCell<u32>>::new();
    #[unroll]
    for _ in 0..items {
        before.push(RuntimeCell::<u32>::new(0u32.runtime()));
    }
    #[unroll]
    for turn in 0..2 {
        if UNIT_POS as usize % 2 == turn {
            #[unroll]
            for item in 0..items {
                if own.first + item < own.count {
                    let digit = digit(*values.index(item), shift);
                    let counts = columns[word(digit)];
                    before.index(item).store(half(counts, digit));
                    columns[word(digit)] = counts + one(digit);
                }
            }
        }
        sync_cube();
    }
    before
}

/// The word in which a unit counts a digit.
#[cube]
pub(super) fn word(digit: usize) -> usize {
    digit % PAIRS * COLUMNS + UNIT_POS as usize / 2
}

/// One element with a digit, in the word of its pair.
#[cube]
fn one(digit: usize) -> u32 {
    select(digit < PAIRS, 1u32, 0x1_0000u32)
}

/// What the word of its pair has for a digit.
#[cube]
pub(super) fn half(word: u32, digit: usize) -> u32 {
    select(digit < PAIRS, word & 0xffffu32, word >> 16u32)
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

/// Replaces each count, of both digits of a word, by the number of elements of the segment that come before:
/// those with a smaller digit, and those of columns before. The count before the first element of each digit
/// is taken from `firsts`.
#[cube]
pub(super) fn rank(columns: &mut Shared<[u32]>, firsts: &mut Shared<[u32]>) {
    let unit = UNIT_POS as usize;
    let mut sums = Shared::<[u32]>::new_slice(UNITS);
    sync_cube();
    let sum = sum_of(columns, unit);
    let before = up_to(&mut sums, sum) - sum;
    // The second digits of all pairs come after the first ones.
    let mut rank = before + (sums[UNITS - 1] << 16u32);
    #[unroll]
    for at in 0..OWN {
        let count = columns[unit * OWN + at];
        columns[unit * OWN + at] = rank;
        rank += count;
    }
    sync_cube();
    if unit < DIGITS {
        firsts[unit] -= half(columns[unit % PAIRS * COLUMNS], unit);
    }
    sync_cube();
}

/// The sums of the counts that a unit adds up.
#[cube]
fn sum_of(columns: &mut Shared<[u32]>, unit: usize) -> u32 {
    let mut sum = 0u32.runtime();
    #[unroll]
    for at in 0..OWN {
        sum += columns[unit * OWN + at];
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
    for at in 0..OWN {
        columns[at * UNITS + UNIT_POS as usize] = 0u32;
    }
    sync_cube();
}
