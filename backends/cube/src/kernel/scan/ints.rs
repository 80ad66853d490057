//! Scans of ints.

use super::kernel::{FACTOR, ITEMS, TERM, kernels, read, write};
use crate::kernel::fold::combine_ints as combine;
use crate::kernel::grid::UNITS;
use crate::kernel::operand::Buffer;
use crate::kernel::space::{Space, row_coordinates, row_offsets};
use cubecl::prelude::*;
use tensor_op_spec::prim::Fold;

kernels!(Int);
