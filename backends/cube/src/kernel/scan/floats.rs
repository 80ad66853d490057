//! Scans of floats.

use super::kernel::{BEFORE, FACTOR, Start, TERM, Way, kernels, lane_of, read, write};
use super::share::sharing;
use crate::kernel::fold::combine;
use crate::kernel::grid::UNITS;
use crate::kernel::operand::Buffer;
use crate::kernel::space::{Space, row_coordinates, row_offsets};
use cubecl::prelude::*;

kernels!(Float);
sharing!(Float);

#[cube]
fn is_number<E: Float>(x: One<E>) -> bool {
    !Vector::is_nan(x).extract(0usize)
}
