//! Pointwise kernels: one unit per vector.

use super::arguments::Arguments;
use super::evaluate::{evaluate, load_all, store_elements, uniform_values};
use super::grid::{UNITS, spread};
use super::operand::Buffer;
use super::pass::PassPlan;
use super::plan::LoopPlan;
use super::program::Values;
use super::space::{Space, row_offsets, vector_coordinates};
use super::vectors::{Direction, width};
use cubecl::prelude::*;
use std::sync::Arc;
use tensor_op_core::Result;

/// What a pointwise kernel is compiled for: one pass over one row.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct PointwisePlan {
    pub(crate) space: Space,
    pub(crate) pass: PassPlan,
}

/// Launches the pass of a plan that has one pass and one row.
pub(super) fn launch(plan: &LoopPlan) -> Result<()> {
    if plan.inner.len() == 0 {
        return Ok(());
    }
    let width = width(plan, Direction::Along);
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
            plan.types(),
        );
    }
    Ok(())
}

/// Evaluates the pass at each vector.
#[cube(launch_unchecked, address_type = "dynamic")]
pub(crate) fn pointwise_kernel<A: Float, I: Int, N: Size>(
    inputs: &Sequence<Buffer>,
    outputs: &mut Sequence<Buffer>,
    scalars: &Sequence<InputScalar>,
    numbers: &Sequence<usize>,
    #[comptime] plan: Arc<PointwisePlan>,
    #[define(A, I)] _types: [ElemType; 2],
) {
    let at = ABSOLUTE_POS;
    if at >= numbers[Space::VECTORS] {
        terminate!();
    }
    let space = comptime!(plan.space);
    let pass = comptime!(plan.pass.clone());
    let row = Sequence::<usize>::new();
    let offsets = row_offsets(&row, numbers, space);
    let vector = vector_coordinates(at, numbers, space);
    let none = Values::<A, I, Const<1>>::empty();
    let steps = Sequence::<usize>::new();
    let uniforms =
        uniform_values::<A, I, Const<1>>(inputs, scalars, &offsets, &steps, &none, comptime!(pass.clone()));
    let loaded = load_all::<A, I, N>(inputs, &offsets, &vector, numbers, space, comptime!(pass.loads()));
    let values = evaluate::<A, I, N, Const<1>>(&uniforms, &loaded, comptime!(pass.clone()));
    store_elements::<A, I, N>(outputs, &values, &offsets, &vector, numbers, space, pass);
}
