//! Scans. If rows lie beside each other in memory, each has a unit of its own. Else each has a cube, whose
//! units scan a few elements each and then combine what they have; if there are few long rows, each has
//! several cubes (`long.rs`). Halves are read and written as they are stored.

mod floats;
mod ints;
mod kernel;
mod long;

use self::kernel::{FACTOR, Start, TERM, Way};
use self::long::Pieces;
use super::arguments::Arguments;
use super::bind::stride;
use super::grid::{UNITS, spread};
use super::nest::{Axis, Nest};
use super::plan::LoopPlan;
use super::vectors::{Direction, width};
use super::widen::widen;
use crate::tensor::CubeTensor;
use cubecl::prelude::CubeDim;
use tensor_op_core::execute::{BoundScan, Labeled};
use tensor_op_core::{AxisId, DType, Error, ErrorKind, Result};
use tensor_op_spec::ir::Kind;

/// With fewer rows, units of their own leave a device idle.
const ENOUGH: usize = 1 << 12;

/// A row of so few elements is not worth a cube.
const SHORT: usize = 8;

/// Fills a new tensor with the results.
pub(super) fn scan_bound(bound: BoundScan<CubeTensor>) -> Result<CubeTensor> {
    let BoundScan { scan, reverse, operands, along, out: axes, dtype, computed } = bound;
    let (Some(factor), Some(term)) = (operands.first(), operands.last()) else {
        return Err(Error::new(ErrorKind::Backend, "a scan takes operands"));
    };
    let shape = axes.iter().map(|bound| bound.size).collect();
    let out = Labeled { tensor: CubeTensor::empty(&shape, dtype, term.tensor.device)?, axes };
    if out.tensor.elements() == 0 {
        return Ok(out.tensor);
    }
    let steps = |axis: AxisId| vec![stride(factor, axis), stride(term, axis), stride(&out, axis)];
    let others = out.axes.iter().filter(|bound| bound.axis != along.axis);
    let others = others.map(|bound| Axis { size: bound.size, steps: steps(bound.axis) });
    let mut rows = Nest { axes: others.collect() };
    let way = Way { fold: scan.row().fold, reverse, items: 1, start: Start::Nothing, plane: 1 };
    rows.sort_by(&[way.out()]);
    rows.merge();
    let row = Axis { size: along.size, steps: steps(along.axis) };
    let nests = [rows, Nest { axes: vec![row] }];
    let reads = [&factor.tensor, &term.tensor];
    let mut plan = LoopPlan::of_kernel(&reads, &out.tensor, nests, computed.kind(), computed);
    widen(&mut plan, FACTOR)?;
    widen(&mut plan, TERM)?;
    run(&plan, way, computed)?;
    Ok(out.tensor)
}

/// Runs a scan whose results depend on nothing before them. Arithmetic is in this dtype.
fn run(plan: &LoopPlan, way: Way, dtype: DType) -> Result<()> {
    let (rows, len) = (plan.outer.len(), plan.inner.len());
    let is_beside = plan.outer.innermost(way.out()) == 1 && (rows >= ENOUGH || len < UNITS);
    let is_beside = (is_beside || len <= SHORT) && len <= plan.device.most_turns;
    if is_beside {
        return launch(plan, way, dtype.kind(), Class::Beside);
    }
    match Pieces::of(plan) {
        Some(pieces) => pieces.run(plan, way, dtype),
        None => launch(plan, way, dtype.kind(), Class::Rows),
    }
}

/// Which kernel runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Class {
    /// Each row has a unit.
    Beside,
    /// Each row has a cube.
    Rows,
    /// Each row has a cube, which gives the last result only.
    Totals,
}

/// The most elements that a unit keeps, if units share what they have through memory: that takes long, so
/// they do it once for many elements. Within planes one vector is best, as neighbouring units read it.
const MOST_KEPT: usize = 16;

fn launch(plan: &LoopPlan, way: Way, kind: Kind, class: Class) -> Result<()> {
    let (rows, len) = (plan.outer.len(), plan.inner.len());
    let width = if class == Class::Beside { 1 } else { width(plan, Direction::Along) };
    let plane = plan.device.plane(plan.types());
    let useful = (len / width).div_ceil(UNITS).next_power_of_two();
    let items = if plane > 1 { 1 } else { useful.min(MOST_KEPT / width).max(1) };
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
                    &plan.device.client,
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
