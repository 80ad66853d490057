//! Launches a row kernel.

use super::kernel::row_kernel;
use super::online::Online;
use super::plan::RowPlan;
use crate::device::Opened;
use crate::kernel::arguments::Arguments;
use crate::kernel::draws::with_neighbours;
use crate::kernel::geometry::Cut;
use crate::kernel::grid::grid;
use crate::kernel::known::known;
use crate::kernel::plan::{LoopPlan, Memory, Write};
use crate::kernel::ready::{Geometry, Kernel, Launch, is_same};
use cubecl::client::Client;
use cubecl::prelude::{CubeCount, CubeDim};
use std::sync::Arc;
use tensor_op_core::{Error, ErrorKind, Result};

/// Launches the passes of a plan over its rows. If the plan has columns, the cubes write partial columns to
/// `partials`. Without these there is one group of cubes, whose columns are the results.
pub(crate) fn launch(plan: &LoopPlan, width: usize, cut: Cut, partials: Option<&[Memory]>) -> Result<()> {
    check_turns(plan, width, &cut)?;
    let arguments = match partials {
        None if !plan.columns.is_empty() => Arguments::new(&with_columns_written(plan), width, None)?,
        None if cut.is_across() => Arguments::across(plan, width)?,
        Some(_) | None => Arguments::new(plan, width, partials)?,
    };
    let columns = plan.columns.iter().enumerate();
    let (count, cut) = match (cut.chunked, plan.columns.is_empty()) {
        (false, true) => {
            let [x, y] = grid(cut.groups, plan.device)?;
            ([x, y, 1], cut)
        }
        (_, _) => spread_chunks(cut, plan.device)?,
    };
    let compiled = RowPlan {
        space: arguments.space,
        passes: match cut.is_across() {
            true => plan.passes.clone(),
            false => plan.passes.iter().map(|pass| with_neighbours(plan, pass, width)).collect(),
        },
        columns: columns.map(|(at, column)| (column.fold, plan.writes.len() + at)).collect(),
        has_partials: partials.is_some(),
        lanes: cut.lanes,
        rows: cut.rows,
        across: cut.is_across(),
        adjacent: cut.adjacent,
        kept: cut.kept,
        chunked: cut.chunked,
        full: cut.full(cut.vectors(plan, width)),
        whole: cut.bands(plan, width).is_multiple_of(cut.rows) && is_exact(count, &cut),
        stream: cut.stream,
        // One pass keeps a largest value for all lanes, and rows of a band have one each.
        online: if cut.kept == 0 && !cut.is_across() { Online::find(plan) } else { None },
        plane: plan.device.plane(plan.types()),
        partials: if plan.partials.is_empty() { None } else { Some(plan.writes.len()) },
    };
    let geometry = Geometry {
        cubes: count,
        units: (cut.lanes * cut.rows) as u32,
        widths: [width, if cut.is_across() { width } else { 1 }],
        address: arguments.address,
        types: plan.types(),
    };
    arguments.launch(plan, partials, Arc::new(compiled), geometry);
    Ok(())
}

impl Kernel for RowPlan {
    fn equals(&self, other: &dyn Kernel) -> bool {
        is_same(self, other)
    }

    fn counts_cubes(&self) -> bool {
        true
    }

    fn start(self: Arc<RowPlan>, launch: Launch, client: &Client) {
        let Geometry { cubes: [x, y, z], units, widths: [width, rows], address, types } = launch.geometry;
        // SAFETY: units beyond the last row or vector repeat the last one and store nothing, and all steps
        // stay inside of their tensors.
        unsafe {
            row_kernel::launch_unchecked(
                client,
                CubeCount::Static(x, y, z),
                CubeDim::new_1d(units),
                address,
                width,
                rows,
                launch.inputs,
                launch.outputs,
                launch.scalars,
                launch.numbers,
                launch.calls,
                known(self),
                types,
            );
        }
    }
}

/// The plan with its columns as what it writes. They keep their numbers as operands.
fn with_columns_written(plan: &LoopPlan) -> LoopPlan {
    let columns = plan.columns.iter().map(|column| Write { memory: column.memory.clone(), over: None });
    let writes = plan.writes.iter().cloned().chain(columns).collect();
    LoopPlan { writes, columns: Vec::new(), ..plan.clone() }
}

/// Whether every launched cube has rows. Cubes of columns need not be counted: they stop when there are no
/// more rows.
fn is_exact(count: [u32; 3], cut: &Cut) -> bool {
    count.map(|cubes| cubes as usize).iter().product::<usize>() == cut.groups * cut.chunks
}

/// The launch of a loop with chunks: groups along y and the chunks of a group along x, and also along z if
/// there are too many. The returned cut counts the chunks that are launched; some of them may lie beyond the
/// row.
fn spread_chunks(cut: Cut, device: &Opened) -> Result<([u32; 3], Cut)> {
    let [x, z] = grid(cut.chunks, device)?;
    Ok(([x, cut.groups as u32, z], Cut { chunks: x as usize * z as usize, ..cut }))
}

/// Refuses loops with more turns than the driver makes.
fn check_turns(plan: &LoopPlan, width: usize, cut: &Cut) -> Result<()> {
    let vectors = if cut.kept == 0 { cut.vectors(plan, width) } else { 0 };
    let along = vectors.div_ceil(cut.lanes * cut.stream * cut.chunks);
    let rows = if plan.columns.is_empty() { 1 } else { plan.outer.len().div_ceil(cut.rows * cut.groups) };
    let turns = rows.saturating_mul(plan.passes.len()).saturating_mul(along + 1);
    if turns <= plan.device.most_turns {
        return Ok(());
    }
    let message = format!(
        "{} rows of {} elements are too many for {}; split them",
        plan.outer.len(),
        plan.inner.len(),
        plan.device.name()
    );
    Err(Error::new(ErrorKind::Unsupported, message))
}
