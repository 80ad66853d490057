//! CubeWords in shared memory, and rows that fit there: they are sorted by a bitonic network.
//!
//! Source: Batcher, Sorting Networks and their Applications, 1968.

use super::word::{Making, Word, is_before, padding, read_word};
use crate::kernel::operand::Buffer;
use crate::kernel::space::{Space, row_coordinates, row_offsets, vector_coordinates, vector_offset};
use cubecl::prelude::*;

pub(super) const SOURCE: usize = 0;
pub(super) const OUT: usize = 1;

/// CubeWords of a cube.
#[derive(CubeType)]
pub(super) struct CubeWords {
    high: Shared<[u32]>,
    low: Shared<[u32]>,
    place: Shared<[u32]>,
    #[cube(comptime)]
    is_long: bool,
}

/// Room for so many words.
#[cube]
pub(super) fn words(#[comptime] count: usize, #[comptime] is_long: bool) -> CubeWords {
    CubeWords {
        high: Shared::<[u32]>::new_slice(count),
        low: Shared::<[u32]>::new_slice(comptime!(if is_long { count } else { 1 })),
        place: Shared::<[u32]>::new_slice(count),
        is_long,
    }
}

#[cube]
impl CubeWords {
    pub(super) fn get(&self, at: usize) -> Word {
        let mut low = 0u32.runtime();
        if comptime!(self.is_long) {
            low = self.low[at];
        }
        Word { high: self.high[at], low, place: self.place[at] }
    }

    pub(super) fn set(&mut self, at: usize, word: &Word) {
        self.high[at] = word.high;
        if comptime!(self.is_long) {
            self.low[at] = word.low;
        }
        self.place[at] = word.place;
    }

    /// Sorts each `row` of `count` words; both are powers of two. All units of the cube call this.
    pub(super) fn sort(
        &mut self,
        #[comptime] count: usize,
        #[comptime] row: usize,
        #[comptime] units: usize,
    ) {
        let unit = UNIT_POS as usize;
        let mut run = 2usize.runtime();
        while run <= comptime!(row) {
            let mut distance = run / 2;
            while distance > 0 {
                sync_cube();
                #[unroll]
                for turn in 0..comptime!((count / 2).div_ceil(units)) {
                    let pair = unit + comptime!(turn * units);
                    if comptime!((count / 2) % units == 0) || pair < comptime!(count / 2) {
                        let first = 2 * pair - pair % distance;
                        let second = first + distance;
                        let is_up = (first & comptime!(row - 1) & run) == 0;
                        let (a, b) = (self.get(first), self.get(second));
                        if is_before(&b, &a) == is_up {
                            self.set(first, &b);
                            self.set(second, &a);
                        }
                    }
                }
                distance /= 2;
            }
            run *= 2;
        }
        sync_cube();
    }
}

/// The shape of a launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Block {
    /// CubeWords of a cube, and of a row.
    pub(super) count: usize,
    pub(super) row: usize,
    pub(super) units: usize,
}

/// Sorts the rows of a cube.
#[cube(launch_unchecked, address_type = "dynamic")]
pub(super) fn block_kernel<E: Numeric, I: Int>(
    inputs: &Sequence<Buffer>,
    outputs: &mut Sequence<Buffer>,
    numbers: &Sequence<usize>,
    kept: usize,
    #[comptime] making: Making,
    #[comptime] block: Block,
    #[comptime] space: Space,
    #[define(E, I)] _types: [ElemType; 2],
) {
    let unit = UNIT_POS as usize;
    let mut words = words(comptime!(block.count), comptime!(making.key.is_long()));
    let first = CUBE_POS * comptime!(block.count / block.row);
    #[unroll]
    for turn in 0..comptime!(block.count / block.units) {
        let slot = unit + comptime!(turn * block.units);
        let row = first + slot / comptime!(block.row);
        let at = slot % comptime!(block.row);
        if row < numbers[Space::ROWS] && at < numbers[Space::VECTORS] {
            let offsets = row_offsets(&row_coordinates(row, numbers, space), numbers, space);
            let place = vector_coordinates(at, numbers, space);
            let from = offsets[SOURCE] + vector_offset(&place, numbers, space, SOURCE);
            words.set(slot, &read_word::<E>(&inputs[SOURCE], from, u32::cast_from(at), making));
        } else {
            words.set(slot, &padding(u32::cast_from(at)));
        }
    }
    words.sort(comptime!(block.count), comptime!(block.row), comptime!(block.units));
    #[unroll]
    for turn in 0..comptime!(block.count / block.units) {
        let slot = unit + comptime!(turn * block.units);
        let row = first + slot / comptime!(block.row);
        let at = slot % comptime!(block.row);
        if row < numbers[Space::ROWS] && at < kept {
            write_place::<I>(outputs, words.get(slot).place, row, at, numbers, space);
        }
    }
}

/// Writes the position of an element, which is so many places from the first one in the order.
#[cube]
pub(super) fn write_place<I: Int>(
    outputs: &mut Sequence<Buffer>,
    place: u32,
    row: usize,
    at: usize,
    numbers: &Sequence<usize>,
    #[comptime] space: Space,
) {
    let offsets = row_offsets(&row_coordinates(row, numbers, space), numbers, space);
    let to = offsets[OUT] + vector_offset(&vector_coordinates(at, numbers, space), numbers, space, OUT);
    let value = Vector::<I, Const<1>>::new(I::cast_from(place));
    outputs.index_mut(0usize).store::<I, Const<1>>(to, 0usize.runtime(), value);
}
