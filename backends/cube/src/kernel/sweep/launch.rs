//! From a sweep of the executor to the launch of its kernel.

use super::kernel::sweep_kernel;
use super::plan::{CarriedPlan, How, SweepPlan};
use crate::device::Opened;
use crate::kernel::arguments::Arguments;
use crate::kernel::bind;
use crate::kernel::grid::{cubes, spread};
use crate::kernel::known::known;
use crate::kernel::launch::checked;
use crate::kernel::pass::{Dest, Element, Output, PassPlan};
use crate::kernel::plan::LoopPlan;
use crate::kernel::vectors::{Direction, width};
use crate::tensor::CubeTensor;
use cubecl::prelude::CubeDim;
use std::sync::Arc;
use tensor_op_core::Result;
use tensor_op_core::execute::{BoundSweep, Carried, Read};
use tensor_op_spec::schedule::Carry;

/// Units of a cube, and the most that share a row. There are often few of them, so small cubes reach more
/// processors.
const UNITS: usize = 32;
/// The most elements of a row that a unit has, if its row has units enough.
const MOST_KEPT: usize = 16;
/// So many units keep a device busy, at which a unit has as much of its row as it can.
const BUSY: usize = 1 << 16;
/// Steps that a unit may read at once: the more there are, the less it waits. Their code is one piece, which
/// must fit into the cache of instructions.
const AHEAD: [usize; 4] = [16, 8, 4, 2];
/// The most elements that a unit reads at once.
const READ_AT_ONCE: usize = 128;
/// The most instructions of the steps that a unit reads at once, about.
const CODE: usize = 1 << 10;

/// Runs a sweep as one kernel. Returns false if there is no kernel for it.
pub(crate) fn run(bound: &BoundSweep<'_, CubeTensor>, device: &'static Opened) -> Result<bool> {
    let is_indexed = bound.nest.reads.iter().any(|read| matches!(read, Read::Gathered(_)));
    if is_indexed || bound.along.size > device.most_turns || bound.along.size == 0 {
        return Ok(false);
    }
    let plan = checked(bind::plan_in_steps(&bound.nest, bound.along, device))?;
    if plan.outer.len() * plan.inner.len() == 0 || !has_bindings(&plan) {
        return Ok(false);
    }
    let Some(deal) = Deal::best(&plan, bound) else { return Ok(false) };
    let width = deal.width;
    let Some(carried) = carried(bound, &plan) else { return Ok(false) };
    let arguments = Arguments::new(&plan, width, None)?;
    let units = device.units(UNITS);
    let vectors = plan.inner.len() / width;
    let all = deal.units(&plan);
    let count = spread(all.div_ceil(units), device)?;
    // A launch in two dimensions may have more cubes than it needs.
    let is_exact = cubes(&count).saturating_mul(units) == all;
    let compiled = SweepPlan {
        space: arguments.space,
        passes: plan.passes.iter().map(|pass| without_operands(pass, bound)).collect(),
        carried,
        reverse: bound.reverse,
        lanes: deal.lanes,
        kept: deal.kept,
        fixed: (0..plan.reads.len()).filter(|at| plan.outer.axes[0].steps[*at] == 0).collect(),
        ahead: 1,
        full: deal.lanes.map_or(is_exact, |lanes| lanes * deal.kept == vectors),
        whole: is_exact,
        units,
        plane: device.plane(plan.types()),
    };
    let loads = compiled.loads().len() * compiled.kept * width;
    let code = compiled.instructions(width);
    let fits = |steps: &usize| {
        bound.along.size % steps == 0 && steps * loads <= READ_AT_ONCE && steps * code <= CODE
    };
    let compiled = SweepPlan { ahead: AHEAD.into_iter().find(fits).unwrap_or(1), ..compiled };
    // SAFETY: units beyond the last row or vector repeat the last one and store nothing, and all steps stay
    // inside of their tensors.
    unsafe {
        sweep_kernel::launch_unchecked(
            device.client(),
            count,
            CubeDim::new_1d(units as u32),
            arguments.address,
            width,
            arguments.inputs,
            arguments.outputs,
            arguments.scalars,
            arguments.numbers,
            known(Arc::new(compiled)),
            plan.types(),
        );
    }
    Ok(true)
}

/// Whether a launch can bind all memory of the plan, and its numbers.
fn has_bindings(plan: &LoopPlan) -> bool {
    let inputs = plan.reads.iter().filter(|read| read.memory().is_some()).count();
    inputs + plan.writes.len() < plan.device.properties().hardware.max_bindings as usize
}

/// How the points are dealt to units.
struct Deal {
    width: usize,
    rows: usize,
    /// Units of a row, if several rows or folds make rows.
    lanes: Option<usize>,
    /// Vectors of a unit.
    kept: usize,
}

impl Deal {
    /// The widest vectors with which the device is busy. A unit waits for its elements at each step, so with
    /// few units narrow vectors are faster. `None` if a row is too long for the units that share it.
    fn best(plan: &LoopPlan, bound: &BoundSweep<'_, CubeTensor>) -> Option<Deal> {
        let widest = width(plan, Direction::Along);
        let widths = std::iter::successors(Some(widest), |width| (*width > 1).then_some(width / 2));
        let mut deals = widths.filter_map(|width| Deal::of(plan, bound, width));
        let mut best = deals.next()?;
        for deal in deals {
            if best.units(plan) < BUSY {
                best = deal;
            }
        }
        Some(best)
    }

    fn units(&self, plan: &LoopPlan) -> usize {
        self.rows * self.lanes.unwrap_or(plan.inner.len() / self.width)
    }

    /// `None` if a row is too long for the units that share it.
    fn of(plan: &LoopPlan, bound: &BoundSweep<'_, CubeTensor>, width: usize) -> Option<Deal> {
        let (rows, vectors) = (plan.outer.len() / bound.along.size, plan.inner.len() / width);
        let has_rows = plan.passes.iter().any(|pass| pass.per_row || !pass.folds().is_empty());
        if !has_rows && rows == 1 {
            return Some(Deal { width, rows, lanes: None, kept: 1 });
        }
        let to_keep = vectors.div_ceil((MOST_KEPT / width).max(1)).next_power_of_two();
        let to_be_busy = (BUSY / rows.max(1)).max(1).min(vectors).next_power_of_two();
        let lanes = to_keep.max(to_be_busy).min(plan.device.units(UNITS));
        let kept = vectors.div_ceil(lanes);
        (kept * width <= MOST_KEPT).then_some(Deal { width, rows, lanes: Some(lanes), kept })
    }
}

/// What goes from step to step. `None` if it takes the results of several passes.
fn carried(bound: &BoundSweep<'_, CubeTensor>, plan: &LoopPlan) -> Option<Vec<CarriedPlan>> {
    let compiled = |carried: &Carried| {
        let result = |write: &usize| {
            let to = Dest::Element(output(plan, *write));
            let mut passes = plan.passes.iter().enumerate();
            passes.find_map(|(p, pass)| Some((p, pass.results.iter().position(|dest| *dest == to)?)))
        };
        let operands: Vec<(usize, usize)> = carried.operands.iter().map(result).collect::<Option<_>>()?;
        let pass = operands.first()?.0;
        let are_together = operands.iter().all(|(own, _)| *own == pass);
        let has_steps = |write: usize| {
            let axes = &bound.nest.writes[write].value.axes;
            axes.iter().any(|own| own.axis == bound.along.axis)
        };
        are_together.then(|| CarriedPlan {
            how: how(carried.how),
            value: carried.value.map(|read| element(plan, read)),
            pass,
            operands: operands.into_iter().map(|(_, result)| result).collect(),
            out: carried.out.map(|write| output(plan, write)),
            is_last: carried.out.is_some_and(|write| !has_steps(write)),
        })
    };
    bound.carried.iter().map(compiled).collect()
}

fn how(how: Carry) -> How {
    match how {
        Carry::Scan(scan) => scan.row().fold.map_or(How::Linear, How::Fold),
        Carry::Delay(outside) => How::Delay(outside.as_f64().to_bits()),
    }
}

/// What passes load for a read of the executor.
fn element(plan: &LoopPlan, read: usize) -> Element {
    let buffer = plan.reads[..read].iter().filter(|read| read.memory().is_some()).count();
    Element::Input { buffer, operand: read }
}

/// What a write of the executor is: a sweep has no columns.
fn output(plan: &LoopPlan, write: usize) -> Output {
    Output { output: write, operand: plan.reads.len() + write }
}

/// The pass, in which what the scans take goes nowhere else.
fn without_operands(pass: &PassPlan, bound: &BoundSweep<'_, CubeTensor>) -> PassPlan {
    let is_taken = |write: usize| bound.carried.iter().any(|carried| carried.operands.contains(&write));
    let results = pass.results.iter().map(|dest| match dest {
        Dest::Element(to) if is_taken(to.output) => Dest::Nowhere,
        Dest::Fold(_) | Dest::Element(_) | Dest::Row(_) | Dest::Column(_) | Dest::Nowhere => *dest,
    });
    PassPlan { results: results.collect(), ..pass.clone() }
}
