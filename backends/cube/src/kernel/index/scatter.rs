//! `out[index] += source`, or another reduction. Each position of the result, apart from the indexed axis,
//! has its own unit. So no two units add to the same element: no atomics are needed, and the bits are the
//! same each time. If that gives too few units with too much to add each, several units share a position.
//! Then each unit adds to its own rows of the table. If the table is small, each unit may instead get a part
//! of the source and a table of its own, and a second kernel adds up these tables. If a unit would still add
//! many elements one after the other, the indices are sorted first (`sorted.rs`).

use super::indexed::{INDEX, Indexed, OUT, SOURCE, Way, plan};
use super::sorted::{LastOrder, Loops, scatter_sorted};
use crate::fault::Doubts;
use crate::kernel::arguments::Arguments;
use crate::kernel::fold::{combine, combine_ints};
use crate::kernel::grid::spread;
use crate::kernel::nest::Nest;
use crate::kernel::operand::Buffer;
use crate::kernel::order::Words;
use crate::kernel::space::{Space, row_coordinates, row_offsets, vector_coordinates, vector_offset};
use crate::kernel::whole::{fill, fold_into};
use crate::tensor::CubeTensor;
use cubecl::prelude::*;
use std::iter;
use tensor_op_core::{Result, Shape};
use tensor_op_spec::ir::Kind;
use tensor_op_spec::prim::Fold;

/// Number of indices that a unit reads at once.
const AHEAD: usize = 4;

/// Adds to `out`, a new row-major tensor of the source's dtype, which is first filled with zeros; or combines
/// by another reduction. Returns the doubts that the call leaves. The axes are those of the result that are
/// not indexed, and those that are summed. `last` has the indices that were sorted before.
pub(crate) fn scatter(
    fold: Fold,
    indexed: &Indexed,
    [mut outer, mut inner]: [Nest; 2],
    [source, index, out]: [&CubeTensor; 3],
    last: &mut LastOrder,
) -> Result<Doubts> {
    outer.sort_by(&[OUT, SOURCE]);
    outer.merge();
    inner.merge();
    if outer.len() * inner.len() == 0 {
        fill(out, fold.of_nothing(out.dtype.kind()))?;
        return Ok(Doubts::default());
    }
    if indexed.size == 0 {
        return Err(indexed.site.error());
    }
    let fold = if out.dtype.kind() == Kind::Bool { Fold::Any } else { fold };
    let way = Way { fold, kind: out.dtype.kind() };
    let useful = parts([outer.len(), inner.len()], source.elements().max(index.elements()), out.elements());
    // At least so many that no loop of a unit has more turns than the driver allows.
    let parts = useful.max(inner.len() / AHEAD / out.device.most_turns + 1);
    let loops = Loops::new(outer.clone(), inner.clone());
    if loops.are_sorted(inner.len() / parts, indexed.size) && Words::fit(out.device) {
        fill(out, fold.of_nothing(out.dtype.kind()))?;
        return scatter_sorted(way, indexed, &loops, [source, index, out], last);
    }
    if parts == 1 {
        return add_up(way, indexed, [outer, inner], source, index, out, parts);
    }
    let shape: Shape = iter::once(parts).chain(out.shape().iter().copied()).collect();
    let tables = CubeTensor::empty(&shape, out.dtype, out.device)?;
    let doubts = add_up(way, indexed, [outer, inner], source, index, &tables, parts)?;
    fold_into(fold, &tables, &[0], out)?;
    Ok(doubts)
}

/// Number of units that share a position with a table of their own each, if so many points are added to it.
/// It depends on sizes alone, so that sums have the same bits each time. `operand` and `table` count
/// elements: all tables together are no larger than the larger operand.
fn parts([places, points]: [usize; 2], operand: usize, table: usize) -> usize {
    /// Number of units that keep a device busy.
    const BUSY: usize = 1 << 15;
    /// The least number of points that make a unit worth its own table.
    const LEAST: usize = 32;
    (BUSY / places).min(points / LEAST).min(operand / table).max(1)
}

/// Number of units that share a position of one table, a power of two. Each unit adds to the rows whose
/// numbers end in the bits of the unit's number. All of these units read all indices, which costs less than
/// adding. The bits of the sums don't depend on this number.
fn owners(units: usize, points: usize, rows: usize) -> usize {
    /// Number of units that keep a device busy with reading indices.
    const BUSY: usize = 1 << 14;
    /// With more units, reading indices would cost more than adding.
    const MOST: usize = 128;
    let useful = rows.min(points.div_ceil(AHEAD)).next_power_of_two();
    (BUSY / units).clamp(1, MOST.min(useful)).next_power_of_two().min(MOST)
}

/// Fills one table per part with zeros and adds to it. With `n` parts, a part adds every `n`th point,
/// starting at its own number.
fn add_up(
    way: Way,
    indexed: &Indexed,
    [outer, inner]: [Nest; 2],
    source: &CubeTensor,
    index: &CubeTensor,
    tables: &CubeTensor,
    parts: usize,
) -> Result<Doubts> {
    /// Units of a cube. With small cubes fewer processors are idle if there are few units.
    const CUBE: usize = 64;
    fill(tables, way.fold.of_nothing(tables.dtype.kind()))?;
    let units = outer.len() * parts;
    let owners = owners(units, inner.len() / parts, indexed.size);
    let plan = plan(outer, inner, source, index, tables)?;
    let arguments = Arguments::new(&plan, 1, None)?;
    let count = spread((units * owners).div_ceil(CUBE), plan.device)?;
    // SAFETY: units beyond the last position of the last table stop at once. Steps stay inside of their
    // tensors, and so does the index, because the kernel checks it.
    let doubt = plan.device.faults.watch(
        plan.device.client(),
        &tables.handle,
        &indexed.site,
        |faults, call| unsafe {
            scatter_kernel::launch_unchecked(
                plan.device.client(),
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
                way,
                plan.types(),
            );
        },
    );
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
    #[comptime] way: Way,
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
                add::<A, I>(inputs, from, outputs, to, way);
            }
        }
        at += parts * comptime!(AHEAD);
    }
}

/// Combines an element of the source with one of the result.
#[cube]
fn add<A: Float, I: Int>(
    inputs: &Sequence<Buffer>,
    from: usize,
    outputs: &mut Sequence<Buffer>,
    to: usize,
    #[comptime] way: Way,
) {
    let none = 0usize.runtime();
    match comptime!(way.kind) {
        Kind::Float => {
            let so_far = outputs[0usize].load::<A, Const<1>>(to, none);
            let element = inputs[SOURCE].load::<A, Const<1>>(from, none);
            let both = combine::<A, Const<1>>(so_far, element, comptime!(way.fold));
            outputs.index_mut(0usize).store::<A, Const<1>>(to, none, both);
        }
        Kind::Int | Kind::Bool => {
            let so_far = outputs[0usize].load::<I, Const<1>>(to, none);
            let element = inputs[SOURCE].load::<I, Const<1>>(from, none);
            let both = combine_ints::<I, Const<1>>(so_far, element, comptime!(way.fold));
            outputs.index_mut(0usize).store::<I, Const<1>>(to, none, both);
        }
    }
}
