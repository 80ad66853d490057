//! Pointwise kernels: one unit per vector.

use super::arguments::Arguments;
use super::draws::with_neighbours;
use super::evaluate::{evaluate, load_all, store_elements, uniform_values};
use super::grid::{UNITS, grid};
use super::known::{Known, known};
use super::operand::Buffer;
use super::pass::PassPlan;
use super::plan::{LoopPlan, Read};
use super::program::Values;
use super::ready::{Geometry, Kernel, Launch, is_same, part};
use super::space::{Space, row_offsets, vector_coordinates};
use super::vectors::{Direction, WIDEST, width};
use cubecl::client::Client;
use cubecl::prelude::*;
use std::sync::Arc;
use tensor_op_core::Result;

/// What a pointwise kernel is compiled for: one pass over one row.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct PointwisePlan {
    pub(crate) space: Space,
    pub(crate) pass: PassPlan,
}

/// Runs the pass of a plan that has one pass and one row.
///
/// If the number of elements is odd, or has few factors of two, vectors of all of them would be narrow. So
/// the last few elements of a long row are a kernel of their own.
pub(super) fn launch(plan: &LoopPlan) -> Result<()> {
    match plan.without_last(plan.inner.len() % WIDEST) {
        Some(first) if width(&first, Direction::Along) > width(plan, Direction::Along) => {
            launch_all(&first)?;
            launch_all(&plan.elements(first.inner.len()..plan.inner.len()))
        }
        Some(_) | None => launch_all(plan),
    }
}

/// In a shorter row, another kernel takes longer than narrow vectors do.
const LONG: usize = 1 << 20;

impl LoopPlan {
    /// Without the last elements of a long row along one axis, which is read and written as it lies in
    /// memory.
    fn without_last(&self, count: usize) -> Option<LoopPlan> {
        let is_plain = self.reads.iter().all(|read| matches!(read, Read::Memory(_) | Read::Index(_)));
        let [axis] = &self.inner.axes[..] else { return None };
        if count == 0 || !is_plain || axis.size < LONG {
            return None;
        }
        let mut first = self.clone();
        first.inner.axes[0].size -= count;
        let steps = axis.steps.clone();
        for (memory, step) in first.memories().zip(steps) {
            // A view in vectors needs a length that is a multiple of the vector's. What is cut off has none
            // of these elements, whose start and number are multiples of the widest vector. Operands
            // that are not read in vectors keep all of their memory.
            if let Some(memory) = memory.filter(|memory| step == 1 && memory.offset.is_multiple_of(WIDEST)) {
                memory.leave_out_last(memory.len() % WIDEST);
            }
        }
        Some(first)
    }
}

fn launch_all(plan: &LoopPlan) -> Result<()> {
    if plan.inner.len() == 0 {
        return Ok(());
    }
    let width = width(plan, Direction::Along);
    let arguments = Arguments::new(plan, width, None)?;
    let vectors = plan.inner.len() / width;
    let compiled =
        PointwisePlan { space: arguments.space, pass: with_neighbours(plan, &plan.passes[0], width) };
    let cubes = grid(vectors.div_ceil(UNITS), plan.device)?;
    let geometry = Geometry {
        cubes: [cubes[0], cubes[1], 1],
        units: UNITS as u32,
        widths: [width, 1],
        address: arguments.address,
        types: plan.types(),
    };
    arguments.launch(plan, None, Arc::new(compiled), geometry);
    Ok(())
}

impl Kernel for PointwisePlan {
    fn equals(&self, other: &dyn Kernel) -> bool {
        is_same(self, other)
    }

    fn counts_cubes(&self) -> bool {
        false
    }

    fn start(self: Arc<PointwisePlan>, launch: Launch, client: &Client) {
        let Geometry { cubes: [x, y, z], units, widths: [width, _], address, types } = launch.geometry;
        // SAFETY: units beyond the last vector stop at once, and all steps stay inside of their tensors.
        unsafe {
            pointwise_kernel::launch_unchecked(
                client,
                CubeCount::Static(x, y, z),
                CubeDim::new_1d(units),
                address,
                width,
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

/// Evaluates the pass at each vector of each call.
#[cube(launch_unchecked, address_type = "dynamic")]
pub(crate) fn pointwise_kernel<A: Float, I: Int, N: Size>(
    inputs: &Sequence<Buffer>,
    outputs: &mut Sequence<Buffer>,
    scalars: &Sequence<InputScalar>,
    numbers: &Sequence<usize>,
    #[comptime] calls: usize,
    #[comptime] plan: Known<PointwisePlan>,
    #[define(A, I)] _types: [ElemType; 2],
) {
    let plan = comptime!(plan.plan());
    if comptime!(calls == 1) {
        one_call::<A, I, N>(ABSOLUTE_POS, inputs, outputs, scalars, numbers, plan);
    } else {
        #[unroll]
        for call in 0..calls {
            if CUBE_POS_Z as usize == call {
                one_call::<A, I, N>(
                    ABSOLUTE_POS_X as usize,
                    &part::<Buffer>(inputs, call, calls),
                    &mut part::<Buffer>(&*outputs, call, calls),
                    &part::<InputScalar>(scalars, call, calls),
                    &part::<usize>(numbers, call, calls),
                    comptime!(plan.clone()),
                );
            }
        }
    }
}

#[cube]
fn one_call<A: Float, I: Int, N: Size>(
    at: usize,
    inputs: &Sequence<Buffer>,
    outputs: &mut Sequence<Buffer>,
    scalars: &Sequence<InputScalar>,
    numbers: &Sequence<usize>,
    #[comptime] plan: Arc<PointwisePlan>,
) {
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
