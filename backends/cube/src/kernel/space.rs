//! Where a kernel reads and writes: the rows and vectors, and for each operand its steps from one to the
//! next.
//!
//! All numbers are arguments of the kernel, in one list. [`Space`] knows the order of this list. Only the
//! number of axes is compiled in.

use cubecl::prelude::*;

/// The numbers of axes and operands of a kernel. They determine the layout of the list of numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Space {
    /// Axes from row to row.
    pub(crate) outer: usize,
    /// Axes along a row.
    pub(crate) inner: usize,
    /// Operands.
    pub(crate) operands: usize,
}

impl Space {
    /// Number of rows.
    pub(crate) const ROWS: usize = 0;
    /// Number of vectors in a row.
    pub(crate) const VECTORS: usize = 1;
    const SIZES: usize = 2;

    fn inner_sizes(self) -> usize {
        Space::SIZES + self.outer
    }

    /// The index of an operand's numbers in the list: its start, its steps along the axes, and its step from
    /// lane to lane.
    fn operand(self, operand: usize) -> usize {
        let axes = self.outer + self.inner;
        Space::SIZES + axes + operand * (axes + 2)
    }

    /// The index after the last number.
    pub(crate) fn end(self) -> usize {
        self.operand(self.operands)
    }

    /// The index of an operand's start in the list.
    pub(crate) fn start(self, operand: usize) -> usize {
        self.operand(operand)
    }

    fn outer_steps(self, operand: usize) -> usize {
        self.operand(operand) + 1
    }

    fn inner_steps(self, operand: usize) -> usize {
        self.operand(operand) + 1 + self.outer
    }

    fn lane_step(self, operand: usize) -> usize {
        self.operand(operand) + 1 + self.outer + self.inner
    }
}

/// The coordinates of a row.
#[cube]
pub(crate) fn row_coordinates(
    row: usize,
    numbers: &Sequence<usize>,
    #[comptime] space: Space,
) -> Sequence<usize> {
    coordinates(row, numbers, Space::SIZES, comptime!(space.outer))
}

/// The coordinates of a vector in its row.
#[cube]
pub(crate) fn vector_coordinates(
    vector: usize,
    numbers: &Sequence<usize>,
    #[comptime] space: Space,
) -> Sequence<usize> {
    coordinates(vector, numbers, comptime!(space.inner_sizes()), comptime!(space.inner))
}

/// The offset of an operand at the start of a row.
#[cube]
pub(crate) fn row_offset(
    row: &Sequence<usize>,
    numbers: &Sequence<usize>,
    #[comptime] space: Space,
    #[comptime] operand: usize,
) -> usize {
    numbers[comptime!(space.operand(operand))] + steps(row, numbers, comptime!(space.outer_steps(operand)))
}

/// The offset of each operand at the start of a row.
#[cube]
pub(crate) fn row_offsets(
    row: &Sequence<usize>,
    numbers: &Sequence<usize>,
    #[comptime] space: Space,
) -> Sequence<usize> {
    let mut offsets = Sequence::<usize>::new();
    #[unroll]
    for operand in 0..comptime!(space.operands) {
        offsets.push(row_offset(row, numbers, space, operand));
    }
    offsets
}

/// The distance of an operand from the start of its row.
#[cube]
pub(crate) fn vector_offset(
    vector: &Sequence<usize>,
    numbers: &Sequence<usize>,
    #[comptime] space: Space,
    #[comptime] operand: usize,
) -> usize {
    steps(vector, numbers, comptime!(space.inner_steps(operand)))
}

/// The step of an operand from lane to lane.
#[cube]
pub(crate) fn lane_step(
    numbers: &Sequence<usize>,
    #[comptime] space: Space,
    #[comptime] operand: usize,
) -> usize {
    numbers[comptime!(space.lane_step(operand))]
}

/// Coordinates of a position along axes, the innermost one first. The sizes of the axes are in the list from
/// `first` on.
#[cube]
fn coordinates(
    position: usize,
    numbers: &Sequence<usize>,
    #[comptime] first: usize,
    #[comptime] rank: usize,
) -> Sequence<usize> {
    let mut found = Sequence::<usize>::new();
    let mut rests = Sequence::<usize>::new();
    rests.push(position);
    #[unroll]
    for i in 0..rank {
        let rest = rests[i];
        if comptime!(i + 1 == rank) {
            found.push(rest);
        } else {
            let size = numbers[comptime!(first + rank - 1 - i)];
            let quotient = rest / size;
            found.push(rest - quotient * size);
            rests.push(quotient);
        }
    }
    found
}

#[cube]
fn steps(found: &Sequence<usize>, numbers: &Sequence<usize>, #[comptime] first: usize) -> usize {
    let rank = found.len();
    let mut sums = Sequence::<usize>::new();
    sums.push(0usize.runtime());
    #[unroll]
    for i in 0..rank {
        let sum = sums[i] + found[i] * numbers[comptime!(first + rank - 1 - i)];
        sums.push(sum);
    }
    sums[rank]
}
