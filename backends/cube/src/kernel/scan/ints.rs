//! Scans of ints.

use super::kernel::{BEFORE, FACTOR, Start, TERM, Way, kernels, lane_of, read, write};
use super::share::sharing;
use crate::kernel::fold::combine_ints as combine;
use crate::kernel::grid::UNITS;
use crate::kernel::operand::Buffer;
use crate::kernel::space::{Space, row_coordinates, row_offsets};
use cubecl::prelude::*;

kernels!(Int);
sharing!(Int);

#[cube]
fn is_number<E: Int>(_x: One<E>) -> bool {
    true.runtime()
}
