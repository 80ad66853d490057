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
    /// Whether all positions are so small that divisions may be multiplications.
    pub(crate) multiplies: bool,
}

/// Positions below this are divided by multiplication.
pub(crate) const DIVISIBLE: usize = 1 << 31;

/// A divisor as a kernel gets it: the number, a multiplier and a shift. For `n` below [`DIVISIBLE`], `n / d`
/// is `(n + high half of n * multiplier) >> shift`.
///
/// Granlund and Montgomery, "Division by Invariant Integers using Multiplication", 1994, figure 4.1.
pub(crate) fn divisor(number: usize) -> [usize; 3] {
    let shift = number.max(1).next_power_of_two().trailing_zeros();
    // Larger divisors have no kernel that multiplies.
    let multiplier = match u32::try_from(number) {
        Ok(0) | Err(_) => 0,
        Ok(number) => {
            ((1 << 32) * ((1_u128 << shift) - u128::from(number)) / u128::from(number) + 1) as usize
        }
    };
    [number, multiplier, shift as usize]
}

impl Space {
    /// Number of rows, or of bands of rows.
    pub(crate) const ROWS: usize = 0;
    /// Number of vectors in a row.
    pub(crate) const VECTORS: usize = 1;
    const SIZES: usize = 2;
    /// The size of the outermost axis from row to row.
    pub(crate) const OUTERMOST: usize = Space::SIZES;

    fn inner_sizes(self) -> usize {
        Space::SIZES + self.outer * DIVISOR
    }

    /// The index of an operand's numbers in the list: its start, its steps along the axes, and its step from
    /// lane to lane.
    fn operand(self, operand: usize) -> usize {
        let axes = self.outer + self.inner;
        Space::SIZES + axes * DIVISOR + operand * (axes + 2)
    }

    /// The index after the last number.
    pub(crate) fn end(self) -> usize {
        self.operand(self.operands)
    }

    /// The index of an operand's start in the list.
    pub(crate) fn start(self, operand: usize) -> usize {
        self.operand(operand)
    }

    /// The index of the size of the innermost axis from row to row.
    pub(crate) fn innermost_row_axis(self) -> usize {
        Space::SIZES + (self.outer - 1) * DIVISOR
    }

    /// The index of an operand's step along the outermost axis from row to row.
    pub(crate) fn outermost_step(self, operand: usize) -> usize {
        self.outer_steps(operand)
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
    coordinates(row, numbers, Space::SIZES, comptime!(space.outer), comptime!(space.multiplies))
}

/// The coordinates of a vector in its row.
#[cube]
pub(crate) fn vector_coordinates(
    vector: usize,
    numbers: &Sequence<usize>,
    #[comptime] space: Space,
) -> Sequence<usize> {
    let first = comptime!(space.inner_sizes());
    coordinates(vector, numbers, first, comptime!(space.inner), comptime!(space.multiplies))
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

/// The step of an operand from one row of a unit to the next: one of `steps`, which is empty if a unit has
/// one row.
#[cube]
pub(crate) fn row_step(steps: &Sequence<usize>, #[comptime] operand: usize) -> usize {
    let count = steps.len();
    if comptime!(count == 0) { 0usize.runtime() } else { steps[operand] }
}

/// Numbers of a divisor.
const DIVISOR: usize = 3;

/// Coordinates of a position along axes, the innermost one first. The sizes of the axes are in the list from
/// `first` on.
#[cube]
fn coordinates(
    position: usize,
    numbers: &Sequence<usize>,
    #[comptime] first: usize,
    #[comptime] rank: usize,
    #[comptime] multiplies: bool,
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
            let place = comptime!(first + (rank - 1 - i) * DIVISOR);
            let size = numbers[place];
            let multiplier = numbers[comptime!(place + 1)];
            let shift = numbers[comptime!(place + 2)];
            let quotient = quotient(rest, size, multiplier, shift, multiplies);
            found.push(rest - quotient * size);
            rests.push(quotient);
        }
    }
    found
}

/// A number divided by one that the kernel got as a [`divisor`].
///
/// The high half of `n * multiplier` is computed from `2 * n`, which is never the constant 1: CubeCL (0.11.3)
/// simplifies the high half of a product with 1 to the other factor.
#[cube]
pub(crate) fn quotient(
    number: usize,
    divisor: usize,
    multiplier: usize,
    shift: usize,
    #[comptime] multiplies: bool,
) -> usize {
    if multiplies {
        let high = usize::mul_hi(number + number, multiplier) >> 1usize;
        (number + high) >> shift
    } else {
        number / divisor
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_multiplication_divides() {
        let numbers = [0, 1, 2, 3, 5, 9, 63, 64, 65, 4095, 1_000_003, (1 << 31) - 2, DIVISIBLE - 1];
        let divisors = (1..70).chain([127, 1000, 4096, 65_535, 65_537, 1_000_003, (1 << 31) - 1, 1 << 31]);
        for divisor in divisors {
            let [_, multiplier, shift] = super::divisor(divisor);
            for number in numbers {
                let high = (((2 * number) as u32 as u64 * multiplier as u64) >> 32) as usize >> 1;
                assert_eq!((number + high) >> shift, number / divisor, "{number} / {divisor}");
            }
        }
    }
}
