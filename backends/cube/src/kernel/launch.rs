//! Chooses how a loop is cut into cubes, units and vectors, and launches it.
//!
//! All choices depend only on the plan and the device, so a call computes the same bits each time.

use super::arguments::Arguments;
use super::geometry::{Cut, cut, width};
use super::pass::{Dest, PassPlan};
use super::plan::LoopPlan;
use super::pointwise::{PointwisePlan, pointwise_kernel};
use super::program::{Doubles, doubles};
use super::row::kernel::row_kernel;
use super::row::online::Online;
use super::row::plan::RowPlan;
use super::{partial, split};
use crate::device::Opened;
use crate::storage::narrow;
use cubecl::ir::{AddressType, ElemType, FloatKind, IntKind};
use cubecl::prelude::{CubeCount, CubeDim};
use std::sync::Arc;
use tensor_op_core::{DType, Error, ErrorKind, Result};
use tensor_op_spec::ir::{Kind, Scalar};
use tensor_op_spec::schedule::Compute;

/// Units of a cube that has no reason for more.
pub(crate) const UNITS: usize = 256;

/// Runs a loop.
pub(crate) fn run(plan: LoopPlan) -> Result<()> {
    let plan = plan.widened()?;
    check_functions(&plan)?;
    check_literals(&plan)?;
    if plan.outer.len() == 0 && plan.columns.is_empty() {
        return Ok(());
    }
    let is_flat = |pass: &PassPlan| {
        !pass.per_row && pass.results.iter().all(|dest| matches!(dest, Dest::Element(_) | Dest::Nowhere))
    };
    match &plan.passes[..] {
        [] => Ok(()),
        [pass] if is_flat(pass) && plan.outer.axes.is_empty() => run_pointwise(&plan),
        passes if passes.iter().all(is_flat) && plan.inner.len() == 0 => Ok(()),
        _ => run_rows(plan),
    }
}

fn run_pointwise(plan: &LoopPlan) -> Result<()> {
    if plan.inner.len() == 0 {
        return Ok(());
    }
    let width = width(plan);
    let arguments = Arguments::new(plan, width, None)?;
    let vectors = plan.inner.len() / width;
    let compiled = PointwisePlan { space: arguments.space, pass: plan.passes[0].clone() };
    let count = spread(vectors.div_ceil(UNITS), plan.device)?;
    let client = &plan.device.client;
    // SAFETY: units beyond the last vector stop at once, and all steps stay inside of their tensors.
    unsafe {
        pointwise_kernel::launch_unchecked(
            client,
            count,
            CubeDim::new_1d(UNITS as u32),
            arguments.address,
            width,
            arguments.inputs,
            arguments.outputs,
            arguments.scalars,
            arguments.numbers,
            Arc::new(compiled),
            types(plan),
        );
    }
    Ok(())
}

fn run_rows(plan: LoopPlan) -> Result<()> {
    if !plan.columns.is_empty() && plan.outer.len() * plan.inner.len() == 0 {
        partial::fill_identities(&plan)?;
        return run(split::rows(&plan, &[], &[]));
    }
    let width = width(&plan);
    let cut = match cut(&plan, width) {
        Some(cut) => cut,
        // The columns of long rows do not fit into registers, so one kernel computes the rows and another one
        // the columns.
        None => return split::run(plan),
    };
    match split::chunks(&plan, &cut, width) {
        Some(chunks) => split::few_rows(&plan, chunks),
        None => launch_rows(&plan, width, cut),
    }
}

/// Runs one pass over few rows. Each row is cut into chunks, with one cube for each chunk.
pub(super) fn run_chunks(plan: &LoopPlan, chunks: usize) -> Result<()> {
    launch_rows(plan, width(plan), Cut::of_chunks(plan.outer.len(), chunks, plan.device))
}

fn launch_rows(plan: &LoopPlan, width: usize, cut: Cut) -> Result<()> {
    check_turns(plan, width, &cut)?;
    let temps = partial::allocate(plan, &cut)?;
    let arguments = Arguments::new(plan, width, temps.as_deref())?;
    let columns = plan.columns.iter().enumerate();
    let (count, cut) = match (cut.chunked, plan.columns.is_empty()) {
        (false, true) => (spread(cut.groups, plan.device)?, cut),
        (_, _) => spread_chunks(cut, plan.device)?,
    };
    let compiled = RowPlan {
        space: arguments.space,
        passes: plan.passes.clone(),
        columns: columns.map(|(at, column)| (column.fold, plan.writes.len() + at)).collect(),
        lanes: cut.lanes,
        rows: cut.rows,
        adjacent: cut.adjacent,
        kept: cut.kept,
        chunked: cut.chunked,
        full: cut.full(plan.inner.len() / width),
        whole: plan.outer.len().is_multiple_of(cut.rows) && is_exact(&count, &cut),
        stream: cut.stream,
        online: if cut.kept == 0 { Online::find(plan) } else { None },
        plane: plan.device.plane(types(plan)),
        partials: if plan.partials.is_empty() { None } else { Some(plan.writes.len()) },
    };
    let client = &plan.device.client;
    // SAFETY: units beyond the last row or vector repeat the last one and store nothing, and all steps stay
    // inside of their tensors.
    unsafe {
        row_kernel::launch_unchecked(
            client,
            count,
            CubeDim::new_1d((cut.lanes * cut.rows) as u32),
            arguments.address,
            width,
            arguments.inputs,
            arguments.outputs,
            arguments.scalars,
            arguments.numbers,
            Arc::new(compiled),
            types(plan),
        );
    }
    match temps {
        Some(temps) => partial::fold(plan, &cut, &temps),
        None => Ok(()),
    }
}

/// Whether every launched cube has rows. Cubes of columns need not be counted: they stop when there are no
/// more rows.
fn is_exact(count: &CubeCount, cut: &Cut) -> bool {
    match count {
        CubeCount::Static(x, y, z) => {
            [x, y, z].map(|cubes| *cubes as usize).iter().product::<usize>() == cut.groups * cut.chunks
        }
        CubeCount::Dynamic(_) => false,
    }
}

/// The types of arithmetic. If a kernel has no ints, its int type is `i32`, which every device has.
pub(super) fn types(plan: &LoopPlan) -> [ElemType; 2] {
    let float = if plan.float == DType::F64 { FloatKind::F64 } else { FloatKind::F32 };
    let has_ints = plan.passes.iter().any(|pass| {
        let program = &pass.program;
        let kinds = program
            .uniforms()
            .iter()
            .chain(program.elements())
            .chain(program.steps().iter().map(|s| &s.kind));
        let finds = pass.results.iter().any(|dest| match dest {
            Dest::Fold(fold) => fold.result_kind(Kind::Float) == Kind::Int,
            Dest::Element(_) | Dest::Row(_) | Dest::Column(_) | Dest::Nowhere => false,
        });
        finds || kinds.into_iter().any(|kind| *kind == Kind::Int)
    });
    let long = plan.device.types.get(DType::I64).filter(|_| has_ints);
    [ElemType::Float(float), long.unwrap_or(ElemType::Int(IntKind::I32))]
}

/// A launch of at least this many cubes. Units beyond the end have nothing to do.
pub(crate) fn spread(cubes: usize, device: &Opened) -> Result<CubeCount> {
    let [x, y] = grid(cubes, device)?;
    Ok(CubeCount::Static(x, y, 1))
}

/// The launch of a loop with chunks: groups along y and the chunks of a group along x, and also along z if
/// there are too many. The returned cut counts the chunks that are launched; some of them may lie beyond the
/// row.
fn spread_chunks(cut: Cut, device: &Opened) -> Result<(CubeCount, Cut)> {
    let [x, z] = grid(cut.chunks, device)?;
    Ok((CubeCount::Static(x, cut.groups as u32, z), Cut { chunks: x as usize * z as usize, ..cut }))
}

/// At least this many cubes, in two dimensions if one dimension can't hold them.
fn grid(cubes: usize, device: &Opened) -> Result<[u32; 2]> {
    let (x, y, _) = device.client.properties().hardware.max_cube_count;
    let rows = cubes.div_ceil(x as usize);
    if rows > y as usize {
        return Err(Error::new(
            ErrorKind::Overflow,
            format!("{cubes} cubes are more than {} takes", device.name()),
        ));
    }
    Ok([cubes.div_ceil(rows) as u32, rows as u32])
}

/// The integer type that can count this many elements.
pub(crate) fn address(elements: usize, device: &Opened) -> Result<AddressType> {
    let wanted = AddressType::from_len(elements);
    if device.client.properties().supports_address(wanted) {
        return Ok(wanted);
    }
    let message = format!("{elements} elements are more than {} can count", device.name());
    Err(Error::new(ErrorKind::Overflow, message))
}

/// Refuses loops with more turns than the driver makes.
fn check_turns(plan: &LoopPlan, width: usize, cut: &Cut) -> Result<()> {
    let vectors = if cut.kept == 0 { plan.inner.len() / width } else { 0 };
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

/// Refuses functions that the device lacks in f64: it would return garbage, or only the digits of f32.
fn check_functions(plan: &LoopPlan) -> Result<()> {
    if plan.float != DType::F64 {
        return Ok(());
    }
    for step in plan.passes.iter().flat_map(|pass| pass.program.steps()) {
        let Compute::Apply(prim, _) = step.compute else { continue };
        let exists = match doubles(prim) {
            Doubles::Everywhere => true,
            Doubles::Native => plan.device.is_native,
            Doubles::Nowhere => false,
        };
        if step.kind == Kind::Float && !exists {
            let message = format!("{} has no {} of f64; cast to f32", plan.device.name(), prim.name());
            return Err(Error::new(ErrorKind::Unsupported, message));
        }
    }
    Ok(())
}

/// Refuses int literals of a formula that do not fit into the device's ints.
fn check_literals(plan: &LoopPlan) -> Result<()> {
    if plan.device.types.get(DType::I64) == Some(ElemType::Int(IntKind::I64)) {
        return Ok(());
    }
    for step in plan.passes.iter().flat_map(|pass| pass.program.steps()) {
        if let Compute::Literal(value) = step.compute
            && step.kind == Kind::Int
            && let Scalar::Int(value) = value.cast(Kind::Int)
        {
            narrow(value)?;
        }
    }
    Ok(())
}

#[cfg(all(test, feature = "wgpu"))]
mod tests {
    use crate::device::open;
    use crate::primitive::fill;
    use crate::storage::Types;
    use crate::tensor::CubeTensor;
    use cubecl::device::WgpuDeviceKind;
    use cubecl::future::block_on;
    use cubecl::ir::{ElemType, IntKind};
    use tensor_op_core::{DType, ErrorKind, Result, Shape};
    use tensor_op_spec::ir::Scalar;

    #[test]
    fn scalars_that_are_too_long_for_the_ints_of_a_device_are_refused() -> Result<()> {
        let device =
            cubecl::Device::wgpu(WgpuDeviceKind::DefaultDevice).expect("a GPU, or what poses as one");
        let mut device = open(&device, 0).expect("its driver works");
        let mut properties = device.client.properties().clone();
        properties.features.types.elem.remove(&ElemType::Int(IntKind::I64));
        device.types = Types::new(&properties);
        let out = CubeTensor::empty(&Shape::new(&[2]), DType::I64, Box::leak(Box::new(device)))?;
        let filled = |value| {
            fill(&out, Scalar::Int(value)).and_then(|()| block_on(out.clone().into_data())?.into_vec::<i64>())
        };
        assert_eq!(filled(-(1 << 31))?, [-(1 << 31); 2]);
        for long in [1 << 31, -(1 << 40)] {
            assert_eq!(filled(long).unwrap_err().kind(), ErrorKind::DType);
        }
        Ok(())
    }
}
