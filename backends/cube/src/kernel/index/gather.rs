//! `out = source[index]`, with one unit for each vector of the result.

use super::indexed::{INDEX, Indexed, OUT, SOURCE, plan};
use crate::fault::Doubts;
use crate::kernel::arguments::Arguments;
use crate::kernel::grid::{UNITS, spread};
use crate::kernel::nest::Nest;
use crate::kernel::operand::{Buffer, Lanes};
use crate::kernel::space::{Space, lane_step, row_offsets, vector_coordinates, vector_offset};
use crate::kernel::vectors::{Direction, lanes, width};
use crate::tensor::CubeTensor;
use cubecl::prelude::*;
use tensor_op_core::Result;

/// Fills `out`, a new tensor of the source's dtype. Returns the doubts that the call leaves. Steps are those
/// of source, index and out.
pub(crate) fn gather(
    indexed: &Indexed,
    mut axes: Nest,
    source: &CubeTensor,
    index: &CubeTensor,
    out: &CubeTensor,
) -> Result<Doubts> {
    axes.sort_by(&[OUT]);
    axes.merge();
    if axes.len() == 0 {
        return Ok(Doubts::default());
    }
    if indexed.size == 0 {
        return Err(indexed.site.error());
    }
    let plan = plan(Nest::default(), axes, source, index, out)?;
    let moves_together = |width: usize| {
        plan.inner.innermost(INDEX) == 0
            && indexed.step.is_multiple_of(width)
            && lanes(&plan, plan.reads[SOURCE].memory(), SOURCE, width, Direction::Along) == Lanes::Vector
    };
    let width = Some(width(&plan, Direction::Along)).filter(|width| moves_together(*width)).unwrap_or(1);
    let arguments = Arguments::new(&plan, width, None)?;
    let vectors = plan.inner.len() / width;
    let count = spread(vectors.div_ceil(UNITS), plan.device)?;
    // SAFETY: units beyond the last vector stop at once. Steps stay inside of their tensors, and so does the
    // index, because the kernel checks it.
    let doubt =
        plan.device.faults.watch(plan.device.client(), &out.handle, &indexed.site, |faults, call| unsafe {
            gather_kernel::launch_unchecked(
                plan.device.client(),
                count,
                CubeDim::new_1d(UNITS as u32),
                arguments.address,
                width,
                arguments.inputs,
                arguments.outputs,
                faults,
                arguments.numbers,
                indexed.step / width,
                indexed.size,
                call,
                arguments.space,
                // Values are moved in their stored form.
                [source.elem(), plan.types()[1]],
            );
        });
    Ok(doubt.into())
}

#[cube(launch_unchecked, address_type = "dynamic")]
fn gather_kernel<V: Numeric, I: Int, N: Size>(
    inputs: &Sequence<Buffer>,
    outputs: &mut Sequence<Buffer>,
    faults: &mut Buffer,
    numbers: &Sequence<usize>,
    step: usize,
    size: usize,
    call: usize,
    #[comptime] space: Space,
    #[define(V, I)] _types: [ElemType; 2],
) {
    let at = ABSOLUTE_POS;
    if at >= numbers[Space::VECTORS] {
        terminate!();
    }
    let row = Sequence::<usize>::new();
    let offsets = row_offsets(&row, numbers, space);
    let vector = vector_coordinates(at, numbers, space);
    let index_at = offsets[INDEX] + vector_offset(&vector, numbers, space, INDEX);
    let index = inputs[INDEX].load::<I, Const<1>>(index_at, 0usize.runtime()).extract(0usize);
    let is_inside = index >= I::new(0) && index < I::cast_from(size);
    if !is_inside {
        faults.store::<u32, Const<1>>(call, 0usize.runtime(), Vector::<u32, Const<1>>::new(1u32));
    }
    let by = usize::cast_from(select(is_inside, index, I::new(0)));
    let from = offsets[SOURCE] + vector_offset(&vector, numbers, space, SOURCE) + by * step;
    let value = inputs[SOURCE].load::<V, N>(from, lane_step(numbers, space, SOURCE));
    let to = offsets[OUT] + vector_offset(&vector, numbers, space, OUT);
    outputs.index_mut(0usize).store::<V, N>(to, lane_step(numbers, space, OUT), value);
}
