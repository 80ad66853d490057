//! `out[index] += source`: a unit for each place of the result but for the indexed axis, so that no two units
//! add to one element: no atomics, and the same bits each time. Where that leaves few units much to add,
//! several share a place: each has some rows of the table to itself, or, for a small table, some of what is
//! added, and a table of its own, which a second kernel adds up.

use super::{INDEX, Indexed, OUT, SOURCE, plan};
use crate::fault::Doubts;
use crate::kernel::arguments::Arguments;
use crate::kernel::launch::{spread, types};
use crate::kernel::nest::Nest;
use crate::kernel::operand::Buffer;
use crate::kernel::pass::row_offsets;
use crate::kernel::space::{Space, row_coordinates, vector_coordinates, vector_offset};
use crate::primitive;
use crate::tensor::CubeTensor;
use cubecl::prelude::*;
use std::iter;
use tensor_op_core::{Result, Shape};
use tensor_op_spec::ir::{Kind, Scalar as Constant};
use tensor_op_spec::prim::Fold;

/// Indices that a unit asks for at once.
const AHEAD: usize = 4;

/// Adds to `out`, just made, of the source's dtype and row-major, from zero. Gives what is in doubt then. The
/// axes are those of the result that are not indexed, and those that are summed.
pub(crate) fn scatter(
    indexed: &Indexed,
    [mut outer, mut inner]: [Nest; 2],
    source: &CubeTensor,
    index: &CubeTensor,
    out: &CubeTensor,
) -> Result<Doubts> {
    outer.sort_by(&[OUT, SOURCE]);
    outer.merge();
    inner.merge();
    if outer.len() * inner.len() == 0 {
        primitive::fill(out, Constant::Int(0))?;
        return Ok(Doubts::default());
    }
    if indexed.size == 0 {
        return Err(indexed.site.error());
    }
    let useful = parts([outer.len(), inner.len()], source.elements().max(index.elements()), out.elements());
    // So that no unit has more turns than its driver makes.
    let parts = useful.max(inner.len() / AHEAD / out.device.most_turns + 1);
    if parts == 1 {
        return add_up(indexed, [outer, inner], source, index, out, parts);
    }
    let shape: Shape = iter::once(parts).chain(out.shape().iter().copied()).collect();
    let tables = CubeTensor::empty(&shape, out.dtype, out.device)?;
    let doubts = add_up(indexed, [outer, inner], source, index, &tables, parts)?;
    let fold = match out.dtype.kind() {
        Kind::Float | Kind::Int => Fold::Sum,
        Kind::Bool => Fold::Any,
    };
    primitive::fold_into(fold, &tables, &[0], out)?;
    Ok(doubts)
}

/// Units that share a place, where so many points are added, each with a table of its own. By sizes alone, so
/// that sums are the same bits each time. `operand` and `table` count elements: all tables have no more than
/// the larger operand.
fn parts([places, points]: [usize; 2], operand: usize, table: usize) -> usize {
    /// Units that keep a device busy.
    const BUSY: usize = 1 << 15;
    /// Points for which a unit is worth its table.
    const LEAST: usize = 32;
    (BUSY / places).min(points / LEAST).min(operand / table).max(1)
}

/// Units that share a place of a table, a power of two: each adds to the rows whose numbers end in its bits.
/// All of them look at all indices, which costs less than adding; sums are the same bits, however many share
/// them.
fn owners(units: usize, points: usize, rows: usize) -> usize {
    /// Units that keep a device busy with looking.
    const BUSY: usize = 1 << 14;
    /// With more, looking costs more than adding.
    const MOST: usize = 128;
    let useful = rows.min(points.div_ceil(AHEAD)).next_power_of_two();
    (BUSY / units).clamp(1, MOST.min(useful)).next_power_of_two().min(MOST)
}

/// Adds to a table for each part, just made, from zero: every so many points, from the part's number on.
fn add_up(
    indexed: &Indexed,
    [outer, inner]: [Nest; 2],
    source: &CubeTensor,
    index: &CubeTensor,
    tables: &CubeTensor,
    parts: usize,
) -> Result<Doubts> {
    /// Units of a cube: small ones leave fewer processors without work where the units are few.
    const CUBE: usize = 64;
    primitive::fill(tables, Constant::Int(0))?;
    let units = outer.len() * parts;
    let owners = owners(units, inner.len() / parts, indexed.size);
    let plan = plan(outer, inner, source, index, tables)?;
    let arguments = Arguments::new(&plan, 1, None)?;
    let count = spread((units * owners).div_ceil(CUBE), plan.device)?;
    // SAFETY: units beyond the last place of the last table stop at once; steps stay inside of their tensors,
    // and so does the index, which is checked.
    let doubt =
        plan.device.faults.watch(&plan.device.client, &tables.handle, &indexed.site, |faults, call| unsafe {
            scatter_kernel::launch_unchecked(
                &plan.device.client,
                count,
                CubeDim::new_1d(CUBE as u32),
                arguments.address,
                arguments.inputs,
                arguments.outputs,
                faults,
                arguments.numbers,
                parts,
                owners,
                tables.elements() / parts,
                indexed.step,
                indexed.size,
                call,
                arguments.space,
                source.dtype.kind(),
                types(&plan),
            );
        });
    Ok(doubt.into())
}

#[cube(launch_unchecked, address_type = "dynamic")]
fn scatter_kernel<A: Float, I: Int>(
    inputs: &Sequence<Buffer>,
    outputs: &mut Sequence<Buffer>,
    faults: &mut Buffer,
    numbers: &Sequence<usize>,
    parts: usize,
    owners: usize,
    table: usize,
    step: usize,
    size: usize,
    call: usize,
    #[comptime] space: Space,
    #[comptime] kind: Kind,
    #[define(A, I)] _types: [ElemType; 2],
) {
    let places = numbers[Space::ROWS];
    let points = numbers[Space::VECTORS];
    let unit = ABSOLUTE_POS;
    if unit >= places * owners * parts {
        terminate!();
    }
    let place = unit % places;
    let owner = unit / places % owners;
    let part = unit / places / owners;
    let row = row_coordinates(place, numbers, space);
    let offsets = row_offsets(&row, numbers, space);
    let first = offsets[OUT] + part * table;
    let none = 0usize.runtime();
    let mut at = part;
    while at < points {
        let mut ahead = Sequence::<I>::new();
        #[unroll]
        for j in 0..comptime!(AHEAD) {
            let here = at + parts * j;
            let point = vector_coordinates(select(here < points, here, at), numbers, space);
            let index_at = offsets[INDEX] + vector_offset(&point, numbers, space, INDEX);
            ahead.push(inputs[INDEX].load::<I, Const<1>>(index_at, none).extract(0usize));
        }
        #[unroll]
        for j in 0..comptime!(AHEAD) {
            let here = at + parts * j;
            let index = *ahead.index(j);
            let is_inside = index >= I::new(0) && index < I::cast_from(size);
            if here < points && !is_inside {
                faults.store::<u32, Const<1>>(call, none, Vector::<u32, Const<1>>::new(1u32));
            }
            let is_own = index & (I::cast_from(owners) - I::new(1)) == I::cast_from(owner);
            if here < points && is_inside && is_own {
                let point = vector_coordinates(here, numbers, space);
                let from = offsets[SOURCE] + vector_offset(&point, numbers, space, SOURCE);
                let to = first + vector_offset(&point, numbers, space, OUT) + usize::cast_from(index) * step;
                add::<A, I>(inputs, from, outputs, to, kind);
            }
        }
        at += parts * comptime!(AHEAD);
    }
}

/// Adds an element of the source to one of the result.
#[cube]
fn add<A: Float, I: Int>(
    inputs: &Sequence<Buffer>,
    from: usize,
    outputs: &mut Sequence<Buffer>,
    to: usize,
    #[comptime] kind: Kind,
) {
    let none = 0usize.runtime();
    match kind {
        Kind::Float => {
            let sum = outputs[0usize].load::<A, Const<1>>(to, none)
                + inputs[SOURCE].load::<A, Const<1>>(from, none);
            outputs.index_mut(0usize).store::<A, Const<1>>(to, none, sum);
        }
        Kind::Int => {
            let sum = outputs[0usize].load::<I, Const<1>>(to, none)
                + inputs[SOURCE].load::<I, Const<1>>(from, none);
            outputs.index_mut(0usize).store::<I, Const<1>>(to, none, sum);
        }
        // A sum would be stored in a byte, which 256 of them leave empty.
        Kind::Bool => {
            let any = outputs[0usize].load::<I, Const<1>>(to, none)
                | inputs[SOURCE].load::<I, Const<1>>(from, none);
            outputs.index_mut(0usize).store::<I, Const<1>>(to, none, any);
        }
    }
}
