//! Reads of memory that an index moves. Another kernel has noted indices that are out of range. For these
//! some element is read.

use super::operand::Buffer;
use super::program::Values;
use super::space::{Space, lane_step, vector_offset};
use cubecl::prelude::*;
use tensor_op_spec::ir::Kind;

/// An operand that an index moves, as a kernel is compiled for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Gathered {
    /// The index of its memory among the buffers.
    pub(crate) buffer: usize,
    /// The number of the operand, without what the index moves it.
    pub(crate) operand: usize,
    /// The index of the indices' memory among the buffers.
    pub(crate) indices: usize,
    /// The operand that has the indices. Two others follow it: how far the memory moves with each index, and
    /// the number of indices.
    pub(crate) index: usize,
    /// Whether all lanes of a vector have one index.
    pub(crate) is_even: bool,
}

/// The place of a vector: the first lane's in the memory and in the indices, and the steps from lane to lane.
#[derive(CubeType)]
pub(super) struct Place {
    at: usize,
    step: usize,
    index_at: usize,
    index_step: usize,
}

/// The place of a vector of a row.
#[cube]
pub(super) fn place_of_vector(
    offsets: &Sequence<usize>,
    vector: &Sequence<usize>,
    numbers: &Sequence<usize>,
    #[comptime] space: Space,
    #[comptime] gathered: Gathered,
) -> Place {
    let (operand, index) = comptime!((gathered.operand, gathered.index));
    Place {
        at: offsets[operand] + vector_offset(vector, numbers, space, operand),
        step: lane_step(numbers, space, operand),
        index_at: offsets[index] + vector_offset(vector, numbers, space, index),
        index_step: lane_step(numbers, space, index),
    }
}

/// The place of a row, if what is read is the same along it. Units with several rows read no gathers.
#[cube]
pub(super) fn place_of_row(offsets: &Sequence<usize>, #[comptime] gathered: Gathered) -> Place {
    Place {
        at: offsets[comptime!(gathered.operand)],
        step: 0usize.runtime(),
        index_at: offsets[comptime!(gathered.index)],
        index_step: 0usize.runtime(),
    }
}

/// Appends the lanes at a place to the values of their kind.
#[cube]
pub(super) fn load_gathered<A: Float, I: Int, N: Size>(
    inputs: &Sequence<Buffer>,
    values: &mut Values<A, I, N>,
    place: &Place,
    offsets: &Sequence<usize>,
    #[comptime] gathered: Gathered,
    #[comptime] kind: Kind,
) {
    match kind {
        Kind::Float => values.floats.push(lanes::<A, I, N>(inputs, place, offsets, gathered)),
        Kind::Int => values.ints.push(lanes::<I, I, N>(inputs, place, offsets, gathered)),
        Kind::Bool => values.bools.push(lanes::<bool, I, N>(inputs, place, offsets, gathered)),
    }
}

#[cube]
fn lanes<E: Scalar, I: Int, N: Size>(
    inputs: &Sequence<Buffer>,
    place: &Place,
    offsets: &Sequence<usize>,
    #[comptime] gathered: Gathered,
) -> Vector<E, N> {
    let buffer = comptime!(gathered.buffer);
    if comptime!(gathered.is_even) {
        let by = moved::<I>(inputs, place.index_at, offsets, gathered);
        inputs[buffer].load::<E, N>(place.at + by, place.step)
    } else {
        let mut value = Vector::<E, N>::empty();
        #[unroll]
        for lane in 0..value.vector_size() {
            let by = moved::<I>(inputs, place.index_at + lane * place.index_step, offsets, gathered);
            let element =
                inputs[buffer].load::<E, Const<1>>(place.at + lane * place.step + by, 0usize.runtime());
            value.insert(lane, element.extract(0usize));
        }
        value
    }
}

/// How far an index moves the memory.
#[cube]
fn moved<I: Int>(
    inputs: &Sequence<Buffer>,
    at: usize,
    offsets: &Sequence<usize>,
    #[comptime] gathered: Gathered,
) -> usize {
    let index = inputs[comptime!(gathered.indices)].load::<I, Const<1>>(at, 0usize.runtime()).extract(0usize);
    let size = offsets[comptime!(gathered.index + 2)];
    let is_inside = index >= I::new(0) && index < I::cast_from(size);
    usize::cast_from(select(is_inside, index, I::new(0))) * offsets[comptime!(gathered.index + 1)]
}
