//! Runs a loop: refuses what the device lacks, and chooses a class of kernels.
//!
//! All choices depend only on the plan and the device, so a call computes the same bits each time.

use super::plan::LoopPlan;
use super::program::{Doubles, doubles};
use super::widen::widened;
use super::{columns, rows};
use crate::storage::narrow;
use cubecl::ir::{ElemType, IntKind};
use tensor_op_core::{DType, Error, ErrorKind, Result};
use tensor_op_spec::ir::{Kind, Scalar};
use tensor_op_spec::schedule::Compute;

/// Runs a loop.
pub(crate) fn run(plan: LoopPlan) -> Result<()> {
    let plan = checked(plan)?;
    if plan.columns.is_empty() { rows::run(&plan) } else { columns::run(&plan) }
}

/// A plan that the device can run, or what it lacks.
pub(crate) fn checked(plan: LoopPlan) -> Result<LoopPlan> {
    let plan = widened(plan)?;
    check_functions(&plan)?;
    check_literals(&plan)?;
    Ok(plan)
}

/// Refuses functions that the device lacks in f64: it would return garbage, or only the digits of f32.
fn check_functions(plan: &LoopPlan) -> Result<()> {
    if plan.float != DType::F64 {
        return Ok(());
    }
    for step in plan.passes.iter().flat_map(|pass| pass.program.steps()) {
        let Compute::Apply(prim, _) = step.compute else { continue };
        let exists = match doubles(prim.group()) {
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
