//! The kernels of scans, as a macro: CubeCL has no type for floats and ints that also tells them apart.
//!
//! The units of a cube combine what they have in steps of 1, 2, 4, .. (Hillis and Steele, Data Parallel
//! Algorithms, 1986).

use crate::kernel::operand::Buffer;
use crate::kernel::space::{Space, vector_coordinates, vector_offset};
use cubecl::prelude::*;

/// The factors of a recurrence; of another scan, its elements.
pub(super) const FACTOR: usize = 0;
pub(super) const TERM: usize = 1;
pub(super) const OUT: usize = 2;

/// How many elements a unit scans at once.
pub(super) const ITEMS: usize = 8;

/// The element of an operand at a place of a row.
#[cube]
pub(super) fn read<E: Scalar>(
    inputs: &Sequence<Buffer>,
    offsets: &Sequence<usize>,
    at: usize,
    numbers: &Sequence<usize>,
    #[comptime] space: Space,
    #[comptime] operand: usize,
) -> Vector<E, Const<1>> {
    let place = vector_coordinates(at, numbers, space);
    let from = offsets[operand] + vector_offset(&place, numbers, space, operand);
    inputs[operand].load::<E, Const<1>>(from, 0usize.runtime())
}

/// Writes the result at a place of a row.
#[cube]
pub(super) fn write<E: Scalar>(
    outputs: &mut Sequence<Buffer>,
    offsets: &Sequence<usize>,
    at: usize,
    value: Vector<E, Const<1>>,
    numbers: &Sequence<usize>,
    #[comptime] space: Space,
) {
    let place = vector_coordinates(at, numbers, space);
    let to = offsets[OUT] + vector_offset(&place, numbers, space, OUT);
    outputs.index_mut(0usize).store::<E, Const<1>>(to, 0usize.runtime(), value);
}

/// The kernels for numbers of one bound, whose pairs `combine` combines.
macro_rules! kernels {
    ($bound:ident) => {
        /// The result at an element, from the result before it; or of two neighbouring pieces, from that of
        /// the first one.
        #[cube]
        fn next<E: $bound>(
            y: Vector<E, Const<1>>,
            factor: Vector<E, Const<1>>,
            term: Vector<E, Const<1>>,
            #[comptime] fold: Option<Fold>,
        ) -> Vector<E, Const<1>> {
            match fold {
                Some(fold) => combine::<E, Const<1>>(y, term, fold),
                None => factor * y + term,
            }
        }

        /// One unit scans a row.
        #[cube(launch_unchecked, address_type = "dynamic")]
        pub(crate) fn beside<E: $bound>(
            inputs: &Sequence<Buffer>,
            outputs: &mut Sequence<Buffer>,
            numbers: &Sequence<usize>,
            #[comptime] fold: Option<Fold>,
            #[comptime] space: Space,
            #[define(E)] _elem: ElemType,
        ) {
            let row = ABSOLUTE_POS;
            if row >= numbers[Space::ROWS] {
                terminate!();
            }
            let offsets = row_offsets(&row_coordinates(row, numbers, space), numbers, space);
            let none = 0usize.runtime();
            let mut y = read::<E>(inputs, &offsets, none, numbers, space, TERM);
            write::<E>(outputs, &offsets, none, y, numbers, space);
            for at in 1..numbers[Space::VECTORS] {
                let factor = read::<E>(inputs, &offsets, at, numbers, space, FACTOR);
                let term = read::<E>(inputs, &offsets, at, numbers, space, TERM);
                y = next::<E>(y, factor, term, fold);
                write::<E>(outputs, &offsets, at, y, numbers, space);
            }
        }

        /// The units of a cube scan a row, tile by tile.
        #[cube(launch_unchecked, address_type = "dynamic")]
        pub(crate) fn rows<E: $bound>(
            inputs: &Sequence<Buffer>,
            outputs: &mut Sequence<Buffer>,
            numbers: &Sequence<usize>,
            #[comptime] fold: Option<Fold>,
            #[comptime] space: Space,
            #[define(E)] _elem: ElemType,
        ) {
            let row = CUBE_POS;
            if row >= numbers[Space::ROWS] {
                terminate!();
            }
            let unit = UNIT_POS as usize;
            let len = numbers[Space::VECTORS];
            let offsets = row_offsets(&row_coordinates(row, numbers, space), numbers, space);
            let mut factors = Shared::<[Vector<E, Const<1>>]>::new_slice(UNITS);
            let mut results = Shared::<[Vector<E, Const<1>>]>::new_slice(UNITS);
            let mut behind = Vector::<E, Const<1>>::new(E::from_int(0));
            let mut tile = 0usize.runtime();
            while tile < len {
                let first = tile + unit * ITEMS;
                let (product, y) = own::<E>(inputs, &offsets, first, len, numbers, fold, space);
                share::<E>(product, y, &mut factors, &mut results, fold);
                // The result before the first element of this unit, if there is one.
                let mut before = behind;
                if unit > 0 {
                    before = results[unit - 1];
                    if tile > 0 {
                        before = next::<E>(behind, factors[unit - 1], results[unit - 1], fold);
                    }
                }
                let last = results[UNITS - 1];
                behind = if tile > 0 { next::<E>(behind, factors[UNITS - 1], last, fold) } else { last };
                sync_cube();
                #[unroll]
                for item in 0..ITEMS {
                    if first + item < len {
                        let factor = read::<E>(inputs, &offsets, first + item, numbers, space, FACTOR);
                        let term = read::<E>(inputs, &offsets, first + item, numbers, space, TERM);
                        before = if first + item > 0 { next::<E>(before, factor, term, fold) } else { term };
                        write::<E>(outputs, &offsets, first + item, before, numbers, space);
                    }
                }
                tile += UNITS * ITEMS;
            }
        }

        /// The product of the factors of a unit's elements, and what these give alone.
        #[cube]
        fn own<E: $bound>(
            inputs: &Sequence<Buffer>,
            offsets: &Sequence<usize>,
            first: usize,
            len: usize,
            numbers: &Sequence<usize>,
            #[comptime] fold: Option<Fold>,
            #[comptime] space: Space,
        ) -> (Vector<E, Const<1>>, Vector<E, Const<1>>) {
            let zero = Vector::<E, Const<1>>::new(E::from_int(0));
            let mut product = zero;
            let mut y = zero;
            #[unroll]
            for item in 0..ITEMS {
                if first + item < len {
                    let factor = read::<E>(inputs, offsets, first + item, numbers, space, FACTOR);
                    let term = read::<E>(inputs, offsets, first + item, numbers, space, TERM);
                    if comptime!(item == 0) {
                        product = factor;
                        y = term;
                    } else {
                        product = product * factor;
                        y = next::<E>(y, factor, term, fold);
                    }
                }
            }
            (product, y)
        }

        /// Combines what each unit has with that of all units before it. Every unit sees the results.
        #[cube]
        fn share<E: $bound>(
            own_product: Vector<E, Const<1>>,
            own_result: Vector<E, Const<1>>,
            factors: &mut Shared<[Vector<E, Const<1>>]>,
            results: &mut Shared<[Vector<E, Const<1>>]>,
            #[comptime] fold: Option<Fold>,
        ) {
            let unit = UNIT_POS as usize;
            let mut product = own_product;
            let mut y = own_result;
            let mut step = 1usize.runtime();
            while step < UNITS {
                factors[unit] = product;
                results[unit] = y;
                sync_cube();
                if unit >= step {
                    y = next::<E>(results[unit - step], product, y, fold);
                    product = product * factors[unit - step];
                }
                sync_cube();
                step *= 2;
            }
            factors[unit] = product;
            results[unit] = y;
            sync_cube();
        }
    };
}
pub(super) use kernels;
