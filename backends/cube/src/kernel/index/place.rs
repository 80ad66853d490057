//! Scatters in which no place gets more than one element, such as the gradient of a sort: one unit for each
//! element.

use super::indexed::{INDEX, Indexed, OUT, SOURCE, plan};
use crate::fault::Doubts;
use crate::kernel::arguments::Arguments;
use crate::kernel::grid::{UNITS, spread};
use crate::kernel::nest::Nest;
use crate::kernel::operand::Buffer;
use crate::kernel::space::{Space, row_offsets, vector_coordinates, vector_offset};
use crate::kernel::whole::fill;
use crate::tensor::CubeTensor;
use cubecl::prelude::*;
use tensor_op_core::Result;
use tensor_op_spec::ir::Kind;
use tensor_op_spec::prim::Fold;

/// Puts elements into `out`, a new row-major tensor of the dtype that sums are computed in. The bits are
/// those of a sum: 0 in place of -0. Returns the doubts that the call leaves. The axes are those of the
/// result that are not indexed, and those along which the index differs.
pub(super) fn place(
    indexed: &Indexed,
    [free, mut axes]: [Nest; 2],
    source: &CubeTensor,
    index: &CubeTensor,
    out: &CubeTensor,
) -> Result<Doubts> {
    let kind = out.dtype.kind();
    // A permutation reaches all places.
    if axes.len() < indexed.size {
        fill(out, Fold::Sum.of_nothing(kind))?;
    }
    axes.axes.extend(free.axes);
    axes.sort_by(&[SOURCE, INDEX]);
    axes.merge();
    if axes.len() == 0 {
        return Ok(Doubts::default());
    }
    if indexed.size == 0 {
        return Err(indexed.site.error());
    }
    let plan = plan(Nest::default(), axes, source, index, out)?;
    let arguments = Arguments::new(&plan, 1, None)?;
    let count = spread(plan.inner.len().div_ceil(UNITS), plan.device)?;
    // SAFETY: units beyond the last element stop at once. Steps stay inside of their tensors, and so does the
    // index, because the kernel checks it.
    let doubt =
        plan.device.faults.watch(plan.device.client(), &out.handle, &indexed.site, |faults, call| unsafe {
            place_kernel::launch_unchecked(
                plan.device.client(),
                count,
                CubeDim::new_1d(UNITS as u32),
                arguments.address,
                arguments.inputs,
                arguments.outputs,
                faults,
                arguments.numbers,
                indexed.step,
                indexed.size,
                call,
                arguments.space,
                kind,
                plan.types(),
            );
        });
    Ok(doubt.into())
}

#[cube(launch_unchecked, address_type = "dynamic")]
fn place_kernel<A: Float, I: Int>(
    inputs: &Sequence<Buffer>,
    outputs: &mut Sequence<Buffer>,
    faults: &mut Buffer,
    numbers: &Sequence<usize>,
    step: usize,
    size: usize,
    call: usize,
    #[comptime] space: Space,
    #[comptime] kind: Kind,
    #[define(A, I)] _types: [ElemType; 2],
) {
    let at = ABSOLUTE_POS;
    if at >= numbers[Space::VECTORS] {
        terminate!();
    }
    let none = 0usize.runtime();
    let row = Sequence::<usize>::new();
    let offsets = row_offsets(&row, numbers, space);
    let point = vector_coordinates(at, numbers, space);
    let index_at = offsets[INDEX] + vector_offset(&point, numbers, space, INDEX);
    let index = inputs[INDEX].load::<I, Const<1>>(index_at, none).extract(0usize);
    let is_inside = index >= I::new(0) && index < I::cast_from(size);
    if is_inside {
        let from = offsets[SOURCE] + vector_offset(&point, numbers, space, SOURCE);
        let to = offsets[OUT] + vector_offset(&point, numbers, space, OUT) + usize::cast_from(index) * step;
        match comptime!(kind) {
            Kind::Float => {
                let element = inputs[SOURCE].load::<A, Const<1>>(from, none).extract(0usize);
                let zero = A::new(0.0);
                let element = Vector::<A, Const<1>>::new(select(element == zero, zero, element));
                outputs.index_mut(0usize).store::<A, Const<1>>(to, none, element);
            }
            Kind::Int | Kind::Bool => {
                let element = inputs[SOURCE].load::<I, Const<1>>(from, none);
                outputs.index_mut(0usize).store::<I, Const<1>>(to, none, element);
            }
        }
    } else {
        faults.store::<u32, Const<1>>(call, none, Vector::<u32, Const<1>>::new(1u32));
    }
}
