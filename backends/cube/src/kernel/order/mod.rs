//! Sorting along an axis, and looking up in what is sorted. Elements become words of unsigned integers
//! (`word.rs`), so all devices order them in the same way, NaN and -0 included. A short row is sorted in the
//! memory of a cube (`block.rs`). Of a long one the first few elements are selected (`select.rs`), or all are
//! sorted digit by digit (`radix.rs`).

mod block;
mod digits;
mod launch;
mod radix;
mod search;
mod select;
mod word;
mod words;

pub(super) use words::{Digit, Words, whole};

use super::bind::stride;
use super::nest::{Axis, Nest};
use super::plan::LoopPlan;
use super::whole;
use crate::tensor::CubeTensor;
use launch::{LONGEST, launch_search, launch_sort};
use tensor_op_core::execute::{BoundSearch, BoundSort, Labeled};
use tensor_op_core::{AxisId, BoundAxis, DType, Error, ErrorKind, Result};
use tensor_op_spec::ir::Kind;
use word::Key;

/// The positions of the elements in their order.
pub(super) fn sort_bound(bound: BoundSort<CubeTensor>) -> Result<CubeTensor> {
    let BoundSort { source, along, kept, descending, out: axes } = bound;
    let out = places(axes, &source.tensor)?;
    if out.tensor.elements() == 0 {
        return Ok(out.tensor);
    }
    if along.size > LONGEST {
        let message = format!("{} elements are more than a sort takes, which is {LONGEST}", along.size);
        return Err(Error::new(ErrorKind::Overflow, message));
    }
    let steps = |axis: AxisId| vec![stride(&source, axis), stride(&out, axis)];
    let others = out.axes.iter().filter(|bound| bound.axis != kept.axis);
    let others = others.map(|bound| Axis { size: bound.size, steps: steps(bound.axis) });
    let mut rows = Nest { axes: others.collect() };
    rows.sort_by(&[block::OUT]);
    rows.merge();
    let row = Axis { size: along.size, steps: vec![stride(&source, along.axis), stride(&out, kept.axis)] };
    let nests = [rows, Nest { axes: vec![row] }];
    let plan = LoopPlan::of_kernel(&[&source.tensor], &out.tensor, nests, Kind::Int, DType::F32);
    launch_sort(&plan, Key::of(source.tensor.elem()), kept.size, descending)?;
    Ok(out.tensor)
}

/// How many sorted elements come before each value.
pub(super) fn search_bound(bound: BoundSearch<CubeTensor>) -> Result<CubeTensor> {
    let BoundSearch { sorted, values, along, right, out: axes } = bound;
    let [sorted, values] = alike(sorted, values)?;
    let out = places(axes, &values.tensor)?;
    if out.tensor.elements() == 0 {
        return Ok(out.tensor);
    }
    let axis = |bound: &BoundAxis| {
        let of_sorted = if bound.axis == along.axis { 0 } else { stride(&sorted, bound.axis) };
        Axis {
            size: bound.size,
            steps: vec![of_sorted, stride(&values, bound.axis), stride(&out, bound.axis)],
        }
    };
    let mut points = Nest { axes: out.axes.iter().map(axis).collect() };
    points.sort_by(&[search::OUT]);
    points.merge();
    let (reads, nests) = ([&sorted.tensor, &values.tensor], [Nest::default(), points]);
    let plan = LoopPlan::of_kernel(&reads, &out.tensor, nests, Kind::Int, DType::F32);
    let keys = [&sorted, &values].map(|operand| Key::of(operand.tensor.elem()));
    launch_search(&plan, keys, [along.size, stride(&sorted, along.axis)], right)?;
    Ok(out.tensor)
}

/// Two operands whose words can be compared.
fn alike(a: Labeled<CubeTensor>, b: Labeled<CubeTensor>) -> Result<[Labeled<CubeTensor>; 2]> {
    if Key::of(a.tensor.elem()) == Key::of(b.tensor.elem()) {
        return Ok([a, b]);
    }
    let dtype = if a.tensor.dtype.kind() == Kind::Float { DType::F64 } else { DType::I64 };
    let cast = |x: Labeled<CubeTensor>| Ok(Labeled { tensor: whole::cast(x.tensor, dtype)?, axes: x.axes });
    Ok([cast(a)?, cast(b)?])
}

fn places(axes: Vec<BoundAxis>, source: &CubeTensor) -> Result<Labeled<CubeTensor>> {
    let shape = axes.iter().map(|bound| bound.size).collect();
    Ok(Labeled { tensor: CubeTensor::empty(&shape, DType::I64, source.device)?, axes })
}
