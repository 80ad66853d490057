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
    let plan = widened(plan)?;
    check_functions(&plan)?;
    check_literals(&plan)?;
    if plan.columns.is_empty() { rows::run(&plan) } else { columns::run(&plan) }
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
