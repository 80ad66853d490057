//! Launches a kernel of scans.

use super::kernel::Way;
use super::{floats, ints};
use crate::kernel::arguments::Arguments;
use crate::kernel::grid::{UNITS, spread};
use crate::kernel::plan::LoopPlan;
use crate::kernel::vectors::{Direction, width};
use cubecl::prelude::CubeDim;
use tensor_op_core::Result;
use tensor_op_spec::ir::Kind;

/// Which kernel runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Class {
    /// Each row has a unit.
    Beside,
    /// Each row has a cube.
    Rows,
    /// Each row has a cube, which gives the last result only.
    Totals,
}

/// The most elements of a unit. Many are good where sharing takes long: through memory, or if few cubes run.
/// Elsewhere one vector is best, as neighbouring units then read neighbouring vectors.
pub(super) const MOST_KEPT: usize = 16;
/// With fewer cubes a device has little to do while units wait.
const ENOUGH_CUBES: usize = 64;

pub(super) fn launch(plan: &LoopPlan, way: Way, kind: Kind, class: Class) -> Result<()> {
    let (rows, len) = (plan.outer.len(), plan.inner.len());
    let width = if class == Class::Beside { 1 } else { width(plan, Direction::Along) };
    let plane = plan.device.plane(plan.types());
    let useful = (len / width).div_ceil(UNITS).next_power_of_two();
    let items = if plane > 1 && rows >= ENOUGH_CUBES { 1 } else { useful.min(MOST_KEPT / width).max(1) };
    let way = Way { items, plane, ..way };
    let cubes = if class == Class::Beside { rows.div_ceil(UNITS) } else { rows };
    let arguments = Arguments::new(plan, width, None)?;
    let [float, int] = plan.types();
    macro_rules! launch {
        ($kinds:ident::$kernel:ident, $elem:expr $(, $width:expr)?) => {
            // SAFETY: units beyond the last row, and elements beyond the end of a row, are left out. Steps
            // stay inside of their tensors.
            unsafe {
                $kinds::$kernel::launch_unchecked(
                    plan.device.client(),
                    spread(cubes, plan.device)?,
                    CubeDim::new_1d(UNITS as u32),
                    arguments.address,
                    $($width,)?
                    arguments.inputs,
                    arguments.outputs,
                    arguments.numbers,
                    way,
                    arguments.space,
                    $elem,
                )
            }
        };
    }
    match (kind, class) {
        (Kind::Float, Class::Beside) => launch!(floats::beside, float),
        (Kind::Float, Class::Rows) => launch!(floats::rows, float, width),
        (Kind::Float, Class::Totals) => launch!(floats::totals, float, width),
        (Kind::Int | Kind::Bool, Class::Beside) => launch!(ints::beside, int),
        (Kind::Int | Kind::Bool, Class::Rows) => launch!(ints::rows, int, width),
        (Kind::Int | Kind::Bool, Class::Totals) => launch!(ints::totals, int, width),
    }
    Ok(())
}
