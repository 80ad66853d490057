//! The memory of a scan.

use crate::nest::Nest;
use crate::parallel::Shared;
use crate::tensor::Stored;

/// The result and the two operands. A scan of one operand has it in both places.
pub(super) type Three<T> = [T; 3];

/// The memory of a scan.
pub(super) struct Job<E> {
    pub(super) memory: Three<Shared<E>>,
    /// The rows: all axes but the scanned one.
    pub(super) rows: Nest,
    /// Elements of a row.
    pub(super) len: usize,
    /// How far each moves from one element of a row to the next, in the order of the scan.
    pub(super) strides: Three<isize>,
}

/// Columns shorter than this are scanned as rows.
const FEWEST_COLUMNS: usize = 16;

impl<E: Stored> Job<E> {
    pub(super) fn start_at_the_end(&mut self) {
        for (memory, stride) in self.memory.iter_mut().zip(&mut self.strides) {
            *memory = Shared(memory.at(*stride * (self.len as isize - 1)));
            *stride = -*stride;
        }
    }

    /// Whether elements of the innermost axis of the rows lie beside each other in the result.
    pub(super) fn has_columns(&self, inner: usize) -> bool {
        self.rows.stride(inner, 0) == 1 && self.rows.size(inner) >= FEWEST_COLUMNS
    }

    /// Where something is in memory, so far from the start of each operand.
    pub(super) fn at(&self, offsets: Three<isize>) -> Three<*mut E> {
        [0, 1, 2].map(|operand| self.memory[operand].at(offsets[operand]))
    }
}

/// The places so many steps further.
pub(super) fn moved<E>(from: Three<*mut E>, strides: Three<isize>, steps: usize) -> Three<*mut E> {
    [0, 1, 2].map(|operand| from[operand].wrapping_offset(strides[operand] * steps as isize))
}
