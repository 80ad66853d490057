//! Gather and scatter: one operand moves by an integer value along one of its axes. An index out of range is
//! noted on the device, and leaves a [`Doubt`](crate::fault::Doubt) on what is computed.

pub(crate) mod gather;
pub(crate) mod indexed;
mod place;
mod runs;
pub(crate) mod scatter;
pub(crate) mod sorted;

use super::bind::stride;
use super::nest::{Axis, Nest};
use super::whole::cast;
use crate::fault::{Doubts, Site};
use crate::tensor::CubeTensor;
use gather::gather;
use indexed::Indexed;
use place::place;
use scatter::scatter;
use sorted::LastOrder;
use tensor_op_core::execute::{self, BoundIndex, Labeled};
use tensor_op_core::{AxisId, BoundAxis, Result, Shape};
use tensor_op_spec::ir::Kind;
use tensor_op_spec::prim::Fold;

/// `out = source[along = index]`, and what may fail.
pub(super) fn gather_bound(bound: BoundIndex<'_, CubeTensor>) -> Result<(CubeTensor, Doubts)> {
    let BoundIndex { source, index, along, out: axes, site, .. } = bound;
    let device = source.tensor.device;
    let out = CubeTensor::empty(&shape_of(&axes), source.tensor.dtype, device)?;
    let out = Labeled { tensor: out, axes };
    // The indexed dim may come back through the index: then it is the index's.
    let source_step = |axis| if axis == along.axis { 0 } else { stride(&source, axis) };
    let axes = nest(&out.axes, |axis| vec![source_step(axis), stride(&index, axis), stride(&out, axis)]);
    let indexed =
        Indexed { step: stride(&source, along.axis), size: along.size, site: site_of(site, along.size) };
    let doubts = if out.tensor.elements() == 0 {
        look_at(indexed, &index.tensor)?
    } else {
        gather(&indexed, axes, &source.tensor, &index.tensor, &out.tensor)?
    };
    Ok((out.tensor, doubts))
}

/// Shorter runs of elements with one index are gathered before they are read.
const SHORTEST_RUN: usize = 4;

/// Checks the index of a gather, if loops read elements by it: if those that have one index lie side by side.
/// Gives what may fail then.
pub(super) fn defers(bound: &BoundIndex<'_, CubeTensor>) -> Result<Option<Doubts>> {
    let BoundIndex { source, index, along, out, site, .. } = bound;
    let is_run = |bound: &BoundAxis| {
        let is_along = bound.axis != along.axis && bound.size >= SHORTEST_RUN;
        is_along && stride(source, bound.axis) == 1 && stride(index, bound.axis) == 0
    };
    if out.iter().any(|bound| bound.size == 0) || !out.iter().any(is_run) {
        return Ok(None);
    }
    let indexed = Indexed { step: 0, size: along.size, site: site_of(*site, along.size) };
    look_at(indexed, &index.tensor).map(Some)
}

/// `out[along = index] += source`, from zero, or another reduction; and what may fail.
pub(super) fn scatter_bound(
    fold: Fold,
    bound: BoundIndex<'_, CubeTensor>,
    last: &mut LastOrder,
) -> Result<(CubeTensor, Doubts)> {
    let BoundIndex { source, index, along, out: axes, free, summed, once, computed, site, .. } = bound;
    let device = source.tensor.device;
    // Floats are converted when they are read.
    let is_read = computed.kind() == Kind::Float && source.tensor.dtype.kind() == Kind::Float;
    let tensor = if is_read { source.tensor } else { cast(source.tensor, computed)? };
    let source = Labeled { tensor, axes: source.axes };
    let out = Labeled { tensor: CubeTensor::empty(&shape_of(&axes), computed, device)?, axes };
    let steps = |axis: AxisId| {
        let to = if axis == along.axis { 0 } else { stride(&out, axis) };
        vec![stride(&source, axis), stride(&index, axis), to]
    };
    let nests = [nest(&free, steps), nest(&summed, steps)];
    let indexed =
        Indexed { step: stride(&out, along.axis), size: along.size, site: site_of(site, along.size) };
    let doubts = match once {
        true => place(&indexed, nests, &source.tensor, &index.tensor, &out.tensor)?,
        false => scatter(fold, &indexed, nests, [&source.tensor, &index.tensor, &out.tensor], last)?,
    };
    Ok((out.tensor, doubts))
}

/// What an error names.
fn site_of(site: execute::Site<'_>, size: usize) -> Site {
    Site {
        op: Some(site.op.to_string()),
        arg: site.arg.map(str::to_string),
        dim: Some(site.dim.to_string()),
        size,
    }
}

fn shape_of(axes: &[BoundAxis]) -> Shape {
    axes.iter().map(|bound| bound.size).collect()
}

fn nest(axes: &[BoundAxis], steps: impl Fn(AxisId) -> Vec<usize>) -> Nest {
    Nest { axes: axes.iter().map(|bound| Axis { size: bound.size, steps: steps(bound.axis) }).collect() }
}

/// Checks an index that this kernel reads nothing by: what it gathers is its own first element.
fn look_at(indexed: Indexed, index: &CubeTensor) -> Result<Doubts> {
    let out = CubeTensor::empty(index.shape(), index.dtype, index.device)?;
    let axis = |at: usize| Axis {
        size: index.shape()[at],
        steps: vec![0, index.layout.strides[at], out.layout.strides[at]],
    };
    let axes = Nest { axes: (0..index.shape().rank()).map(axis).collect() };
    gather(&Indexed { step: 0, ..indexed }, axes, index, index, &out)
}
