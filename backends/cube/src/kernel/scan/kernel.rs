//! The kernels of scans, as a macro: CubeCL has no type for floats and ints that also tells them apart.

use crate::kernel::operand::Buffer;
use crate::kernel::space::{Space, lane_step, vector_coordinates, vector_offset};
use cubecl::prelude::*;
use tensor_op_spec::prim::Fold;

/// The factors of a recurrence; of another scan, its elements.
pub(super) const FACTOR: usize = 0;
pub(super) const TERM: usize = 1;
/// The results before pieces of rows, if a scan goes on from them.
pub(super) const BEFORE: usize = 2;

/// How a scan goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Way {
    /// The reduction whose prefixes it gives; `None` for a recurrence.
    pub(crate) fold: Option<Fold>,
    pub(crate) reverse: bool,
    /// How many vectors a unit scans at once.
    pub(crate) items: usize,
    /// Where a row goes on from.
    pub(crate) start: Start,
    /// Whether elements are pieces of rows: products of factors, and results.
    pub(crate) is_of_pieces: bool,
    /// Number of units that exchange values without shared memory; 1 if the device can't do that.
    pub(crate) plane: usize,
}

/// What comes before the first element of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Start {
    /// Nothing.
    Nothing,
    /// If the row is a piece of a longer one, the result of the piece before it, which is the next one in
    /// [`BEFORE`]. Before the first piece there is nothing. The innermost outer axis has the pieces.
    PieceBefore,
    /// The result that [`BEFORE`] has for it.
    Result,
}

impl Way {
    /// The first operand that is written.
    pub(super) fn out(self) -> usize {
        match self.start {
            Start::Nothing => BEFORE,
            Start::PieceBefore | Start::Result => BEFORE + 1,
        }
    }
}

/// The vector of an operand at a place of a row, in the order of the scan.
#[cube]
pub(super) fn read<E: Scalar, N: Size>(
    inputs: &Sequence<Buffer>,
    offsets: &Sequence<usize>,
    at: usize,
    numbers: &Sequence<usize>,
    #[comptime] way: Way,
    #[comptime] space: Space,
    #[comptime] operand: usize,
) -> Vector<E, N> {
    let place = vector_coordinates(in_memory(at, numbers, way), numbers, space);
    let from = offsets[operand] + vector_offset(&place, numbers, space, operand);
    inputs[operand].load::<E, N>(from, lane_step(numbers, space, operand))
}

/// Writes the results at a place of a row.
#[cube]
pub(super) fn write<E: Scalar, N: Size>(
    outputs: &mut Sequence<Buffer>,
    offsets: &Sequence<usize>,
    at: usize,
    value: Vector<E, N>,
    numbers: &Sequence<usize>,
    #[comptime] way: Way,
    #[comptime] space: Space,
) {
    let place = vector_coordinates(in_memory(at, numbers, way), numbers, space);
    let out = comptime!(way.out());
    let to = offsets[out] + vector_offset(&place, numbers, space, out);
    outputs.index_mut(0usize).store::<E, N>(to, lane_step(numbers, space, out), value);
}

/// Where the vector at a place of the scan is in its row.
#[cube]
fn in_memory(at: usize, numbers: &Sequence<usize>, #[comptime] way: Way) -> usize {
    if comptime!(way.reverse) { numbers[Space::VECTORS] - 1 - at } else { at }
}

/// The lane of an element, counted in the order of the scan.
pub(super) fn lane_of(element: usize, lanes: usize, way: Way) -> usize {
    if way.reverse { lanes - 1 - element } else { element }
}

/// The kernels for numbers of one bound, whose pairs `combine` combines.
macro_rules! kernels {
    ($bound:ident) => {
        type One<E> = Vector<E, Const<1>>;

        /// The result at an element, from the result before it.
        #[cube]
        fn next<E: $bound>(y: One<E>, factor: One<E>, term: One<E>, #[comptime] way: Way) -> One<E> {
            match comptime!(way.fold) {
                Some(fold) => combine::<E, Const<1>>(y, term, fold),
                None => {
                    if comptime!(way.is_of_pieces) {
                        join::<E>(y, factor, term, way)
                    } else {
                        factor * y + term
                    }
                }
            }
        }

        /// The result at the end of a piece, from the result before it, the product of its factors, and what
        /// it gives alone. The product of many factors may overflow although each result is finite.
        #[cube]
        fn join<E: $bound>(y: One<E>, factor: One<E>, own: One<E>, #[comptime] way: Way) -> One<E> {
            match comptime!(way.fold) {
                Some(fold) => combine::<E, Const<1>>(y, own, fold),
                None => {
                    let is_zero = y.extract(0usize) == E::from_int(0);
                    select(is_zero && is_number::<E>(factor), own, factor * y + own)
                }
            }
        }

        /// One unit scans a row.
        #[cube(launch_unchecked, address_type = "dynamic")]
        pub(crate) fn beside<E: $bound>(
            inputs: &Sequence<Buffer>,
            outputs: &mut Sequence<Buffer>,
            numbers: &Sequence<usize>,
            #[comptime] way: Way,
            #[comptime] space: Space,
            #[define(E)] _elem: ElemType,
        ) {
            let row = ABSOLUTE_POS;
            if row >= numbers[Space::ROWS] {
                terminate!();
            }
            let offsets = row_offsets(&row_coordinates(row, numbers, space), numbers, space);
            let none = 0usize.runtime();
            let mut y = read::<E, Const<1>>(inputs, &offsets, none, numbers, way, space, TERM);
            write::<E, Const<1>>(outputs, &offsets, none, y, numbers, way, space);
            for at in 1..numbers[Space::VECTORS] {
                let term = read::<E, Const<1>>(inputs, &offsets, at, numbers, way, space, TERM);
                let factor = if comptime!(way.fold.is_none()) {
                    read::<E, Const<1>>(inputs, &offsets, at, numbers, way, space, FACTOR)
                } else {
                    term
                };
                y = next::<E>(y, factor, term, way);
                write::<E, Const<1>>(outputs, &offsets, at, y, numbers, way, space);
            }
        }

        /// The units of a cube scan a row, tile by tile.
        #[cube(launch_unchecked, address_type = "dynamic")]
        pub(crate) fn rows<E: $bound, N: Size>(
            inputs: &Sequence<Buffer>,
            outputs: &mut Sequence<Buffer>,
            numbers: &Sequence<usize>,
            #[comptime] way: Way,
            #[comptime] space: Space,
            #[define(E)] _elem: ElemType,
        ) {
            let row = CUBE_POS;
            if row >= numbers[Space::ROWS] {
                terminate!();
            }
            let unit = UNIT_POS as usize;
            let vectors = numbers[Space::VECTORS];
            let offsets = row_offsets(&row_coordinates(row, numbers, space), numbers, space);
            let mut factors = Shared::<[One<E>]>::new_slice(UNITS);
            let mut results = Shared::<[One<E>]>::new_slice(UNITS);
            let (before, has_before) = result_before::<E>(row, inputs, &offsets, numbers, way, space);
            let mut behind = before;
            let mut tile = 0usize.runtime();
            while tile < vectors {
                let goes_on = has_before || tile > 0;
                let first = tile + unit * comptime!(way.items);
                let (own_factors, own_terms) = own::<E, N>(inputs, &offsets, first, numbers, way, space);
                let total = total::<E, N>(&own_factors, &own_terms, way);
                let totals = share::<E>(total, &mut factors, &mut results, way);
                let (own, all) = (totals.before, totals.all);
                let mut before = before_unit::<E>(behind, own, goes_on, way);
                behind = if goes_on { join::<E>(behind, all.factor, all.result, way) } else { all.result };
                sync_cube();
                let lanes = N::value().comptime();
                #[unroll]
                for item in 0..comptime!(way.items) {
                    let mut value = Vector::<E, N>::empty();
                    #[unroll]
                    for element in 0..lanes {
                        let lane = comptime!(lane_of(element, lanes, way));
                        let factor = One::<E>::new(own_factors.index(item).extract(lane));
                        let term = One::<E>::new(own_terms.index(item).extract(lane));
                        if comptime!(item + element == 0) {
                            let is_next = goes_on || first > 0;
                            before = if is_next { next::<E>(before, factor, term, way) } else { term };
                        } else {
                            before = next::<E>(before, factor, term, way);
                        }
                        value.insert(lane, before.extract(0usize));
                    }
                    if first + item < vectors {
                        write::<E, N>(outputs, &offsets, first + item, value, numbers, way, space);
                    }
                }
                tile += UNITS * comptime!(way.items);
            }
        }

        /// The result before the first element of a row, and whether there is one.
        #[cube]
        fn result_before<E: $bound>(
            row: usize,
            inputs: &Sequence<Buffer>,
            offsets: &Sequence<usize>,
            numbers: &Sequence<usize>,
            #[comptime] way: Way,
            #[comptime] space: Space,
        ) -> (One<E>, bool) {
            let mut before = One::<E>::new(E::from_int(0));
            let mut exists = false.runtime();
            match comptime!(way.start) {
                Start::Nothing => {}
                Start::PieceBefore => {
                    let pieces = numbers[comptime!(space.innermost_row_axis())];
                    let place = row_coordinates(row, numbers, space);
                    let piece = place[0usize];
                    exists = if comptime!(way.reverse) { piece + 1 < pieces } else { piece > 0 };
                    let own = offsets[BEFORE];
                    let at = if comptime!(way.reverse) { own + 1 } else { own - 1 };
                    if exists {
                        before = inputs[BEFORE].load::<E, Const<1>>(at, 0usize.runtime());
                    }
                }
                Start::Result => {
                    exists = true.runtime();
                    before = inputs[BEFORE].load::<E, Const<1>>(offsets[BEFORE], 0usize.runtime());
                }
            }
            (before, exists)
        }

        /// The result at the end of each row, and for a recurrence the product of its factors. A row is a
        /// whole number of tiles.
        #[cube(launch_unchecked, address_type = "dynamic")]
        pub(crate) fn totals<E: $bound, N: Size>(
            inputs: &Sequence<Buffer>,
            outputs: &mut Sequence<Buffer>,
            numbers: &Sequence<usize>,
            #[comptime] way: Way,
            #[comptime] space: Space,
            #[define(E)] _elem: ElemType,
        ) {
            let row = CUBE_POS;
            if row >= numbers[Space::ROWS] {
                terminate!();
            }
            let unit = UNIT_POS as usize;
            let vectors = numbers[Space::VECTORS];
            let offsets = row_offsets(&row_coordinates(row, numbers, space), numbers, space);
            let mut factors = Shared::<[One<E>]>::new_slice(UNITS);
            let mut results = Shared::<[One<E>]>::new_slice(UNITS);
            let mut result = One::<E>::new(E::from_int(0));
            let mut product = One::<E>::new(E::from_int(1));
            let mut tile = 0usize.runtime();
            while tile < vectors {
                // Backwards if the order is free: the scan that follows begins with what is still in the
                // cache.
                let start = if comptime!(way.fold.is_some()) {
                    vectors - comptime!(UNITS * way.items) - tile
                } else {
                    tile
                };
                let first = start + unit * comptime!(way.items);
                let (own_factors, own_terms) = own::<E, N>(inputs, &offsets, first, numbers, way, space);
                let own = total::<E, N>(&own_factors, &own_terms, way);
                // A recurrence is combined in the order of its elements. A reduction may take those of each
                // unit first.
                let all = if comptime!(way.fold.is_none()) {
                    let all = share::<E>(own, &mut factors, &mut results, way).all;
                    sync_cube();
                    all
                } else {
                    own
                };
                result = if tile > 0 { join::<E>(result, all.factor, all.result, way) } else { all.result };
                product *= all.factor;
                tile += UNITS * comptime!(way.items);
            }
            if comptime!(way.fold.is_some()) {
                let own = Total::<E> { factor: product, result };
                result = share::<E>(own, &mut factors, &mut results, way).all.result;
            }
            if unit == 0 {
                let (none, out) = (0usize.runtime(), comptime!(way.out()));
                outputs.index_mut(0usize).store::<E, Const<1>>(offsets[out], none, result);
                if comptime!(way.fold.is_none()) {
                    let at = offsets[comptime!(out + 1)];
                    outputs.index_mut(1usize).store::<E, Const<1>>(at, none, product);
                }
            }
        }

        /// The factors and terms of a unit. Beyond the end of the row they are those of its last vector.
        #[cube]
        fn own<E: $bound, N: Size>(
            inputs: &Sequence<Buffer>,
            offsets: &Sequence<usize>,
            first: usize,
            numbers: &Sequence<usize>,
            #[comptime] way: Way,
            #[comptime] space: Space,
        ) -> (Sequence<Vector<E, N>>, Sequence<Vector<E, N>>) {
            let mut factors = Sequence::<Vector<E, N>>::new();
            let mut terms = Sequence::<Vector<E, N>>::new();
            let last = numbers[Space::VECTORS] - 1;
            #[unroll]
            for item in 0..comptime!(way.items) {
                let at = select(first + item < last, first + item, last);
                let term = read::<E, N>(inputs, offsets, at, numbers, way, space, TERM);
                terms.push(term);
                if comptime!(way.fold.is_none()) {
                    factors.push(read::<E, N>(inputs, offsets, at, numbers, way, space, FACTOR));
                } else {
                    factors.push(term);
                }
            }
            (factors, terms)
        }
    };
}
pub(super) use kernels;
