//! Scans. If rows lie beside each other in memory, each has a unit of its own. Else each has a cube, whose
//! units scan a few elements each and then combine what they have; if there are few long rows, each has
//! several cubes (`long.rs`). Halves are read and written as they are stored.

mod floats;
mod ints;
mod kernel;
mod launch;
mod long;
mod share;

use self::kernel::{FACTOR, Start, TERM, Way};
use self::launch::{Class, launch};
use self::long::Pieces;
use super::bind::stride;
use super::grid::UNITS;
use super::nest::{Axis, Nest};
use super::plan::LoopPlan;
use super::widen::widen;
use crate::tensor::CubeTensor;
use tensor_op_core::execute::{BoundScan, Labeled};
use tensor_op_core::{AxisId, DType, Error, ErrorKind, Result};

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
    let way = Way {
        fold: scan.row().fold,
        reverse,
        items: 1,
        start: Start::Nothing,
        is_of_pieces: false,
        plane: 1,
    };
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
