//! Looking values up in what is sorted: one unit for each value, which halves the rest each time.

use super::word::{Key, Word, ordered};
use crate::kernel::operand::Buffer;
use crate::kernel::space::{Space, row_offsets, vector_coordinates, vector_offset};
use cubecl::prelude::*;

pub(super) const SORTED: usize = 0;
pub(super) const VALUES: usize = 1;
pub(super) const OUT: usize = 2;

/// Writes for each value how many elements come before it.
#[cube(launch_unchecked, address_type = "dynamic")]
pub(super) fn search_kernel<S: Numeric, V: Numeric, I: Int>(
    inputs: &Sequence<Buffer>,
    outputs: &mut Sequence<Buffer>,
    numbers: &Sequence<usize>,
    len: usize,
    step: usize,
    #[comptime] keys: [Key; 2],
    #[comptime] right: bool,
    #[comptime] space: Space,
    #[define(S, V, I)] _types: [ElemType; 3],
) {
    let at = ABSOLUTE_POS;
    if at >= numbers[Space::VECTORS] {
        terminate!();
    }
    let offsets = row_offsets(&Sequence::<usize>::new(), numbers, space);
    let point = vector_coordinates(at, numbers, space);
    let none = 0usize.runtime();
    let from = offsets[VALUES] + vector_offset(&point, numbers, space, VALUES);
    let value = ordered::<V>(inputs[VALUES].load::<V, Const<1>>(from, none), comptime!(keys[1]));
    let row = offsets[SORTED] + vector_offset(&point, numbers, space, SORTED);
    let mut low = 0usize.runtime();
    let mut high = len;
    while low < high {
        let middle = low + (high - low) / 2;
        let element = inputs[SORTED].load::<S, Const<1>>(row + middle * step, none);
        let element = ordered::<S>(element, comptime!(keys[0]));
        if comes_before(&element, &value, right) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    let to = offsets[OUT] + vector_offset(&point, numbers, space, OUT);
    outputs.index_mut(0usize).store::<I, Const<1>>(to, none, Vector::<I, Const<1>>::new(I::cast_from(low)));
}

#[cube]
fn comes_before(element: &Word, value: &Word, #[comptime] right: bool) -> bool {
    let is_less = element.high < value.high || (element.high == value.high && element.low < value.low);
    if right { is_less || (element.high == value.high && element.low == value.low) } else { is_less }
}
