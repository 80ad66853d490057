//! Gather and scatter: one operand moves by an integer value along one of its axes.
//!
//! A gather has one unit per vector of its result. A scatter has one per place of the result but for the indexed axis, so that no two
//! units add to one element: no atomics, and the same bits each time. Where that leaves few units much to add, several share a place: each
//! has some rows of the table to itself, or, for a small table, some of what is added, and a table of its own, which a second kernel adds
//! up. An index out of range is noted on the device, and comes back as an `Err` from what next waits for the device.

use super::call::{Call, StoredValue};
use super::geometry::width;
use super::launch::{Arguments, UNITS, lanes, spread, types};
use super::nest::{Axis, Nest};
use super::operand::{Buffer, BufferLaunch, Fit, Form, Lanes};
use super::pass::{Dest, Output, row_offsets};
use super::plan::{LoopPlan, Memory, Read, Write};
use super::simple;
use super::space::{Space, lane_step, row_coordinates, vector_coordinates, vector_offset};
use crate::fault::Site;
use crate::primitive;
use crate::tensor::CubeTensor;
use cubecl::ir::{ElemType, UIntKind};
use cubecl::prelude::*;
use std::iter;
use tensor_op_core::{AxisId, BoundAxis, Result, Shape};
use tensor_op_spec::ir::{DimSet, Kind, Scalar as Constant};
use tensor_op_spec::prim::Fold;
use tensor_op_spec::schedule::{Index, Source};

const SOURCE: usize = 0;
const INDEX: usize = 1;
const OUT: usize = 2;
/// Indices that a unit of a scatter asks for at once.
const AHEAD: usize = 4;

impl Call<'_> {
    /// `out = source[dim = index]`.
    pub(super) fn gather(&mut self, kernel: &Index) -> Result<()> {
        let (source, index) = (self.whole(&kernel.source)?, self.whole(&kernel.index)?);
        let (axes, dtype) = self.buffer_form(kernel.out);
        let out = self.allocate(axes, source.tensor.dtype)?;
        let along = AxisId { dim: kernel.dim, part: 0 };
        // The indexed dim may come back through the index: then it is the index's.
        let source_step = |axis| if axis == along { 0 } else { source.stride(axis) };
        let axes = nest(&out.axes, |axis| vec![source_step(axis), index.stride(axis), out.stride(axis)]);
        let indexed = Indexed {
            step: source.stride(along),
            size: self.binding.size(kernel.dim),
            site: self.site(kernel),
        };
        gather(&indexed, axes, &source.tensor, &index.tensor, &out.tensor)?;
        let tensor = primitive::cast(out.tensor, dtype)?;
        self.keep(kernel.out, StoredValue { tensor, axes: out.axes });
        Ok(())
    }

    /// `out[dim = index] += source`, from zero.
    pub(super) fn scatter(&mut self, kernel: &Index) -> Result<()> {
        let (source, index) = (self.whole(&kernel.source)?, self.whole(&kernel.index)?);
        let (axes, dtype) = self.buffer_form(kernel.out);
        let out_dims = self.schedule.buffer(kernel.out).dims;
        let computed = self.dtypes.compute().of(self.kind(self.schedule.buffer(kernel.out).node));
        let source = StoredValue { tensor: primitive::cast(source.tensor, computed)?, axes: source.axes };
        let out = self.allocate(axes, computed)?;
        let along = AxisId { dim: kernel.dim, part: 0 };
        let own = DimSet::one(kernel.dim);
        let free = out_dims.difference(own);
        let read = self.graph.node(kernel.source.node).dims.union(self.graph.node(kernel.index.node).dims);
        let steps = |axis: AxisId| {
            let out = if axis == along { 0 } else { out.stride(axis) };
            vec![source.stride(axis), index.stride(axis), out]
        };
        let outer = nest(&self.binding.axes(free), steps);
        let inner = nest(&self.binding.axes(read.difference(free)), steps);
        let indexed =
            Indexed { step: out.stride(along), size: self.binding.size(kernel.dim), site: self.site(kernel) };
        scatter(&indexed, [outer, inner], &source.tensor, &index.tensor, &out.tensor)?;
        let tensor = primitive::cast(out.tensor, dtype)?;
        self.keep(kernel.out, StoredValue { tensor, axes: out.axes });
        Ok(())
    }

    /// What an error names: the dim that is indexed, and the index if it is an argument.
    fn site(&self, kernel: &Index) -> Site {
        let arg = match kernel.index.source {
            Source::Arg(arg) => Some(self.graph.args[arg].name.clone()),
            Source::Buffer(_) | Source::Len(_) | Source::Iota(_) | Source::Statistic => None,
        };
        Site {
            op: Some(self.graph.name.clone()),
            arg,
            dim: Some(self.graph.dim(kernel.dim).name.clone()),
            size: self.binding.size(kernel.dim),
        }
    }
}

fn nest(axes: &[BoundAxis], steps: impl Fn(AxisId) -> Vec<usize>) -> Nest {
    Nest { axes: axes.iter().map(|bound| Axis { size: bound.size, steps: steps(bound.axis) }).collect() }
}

/// How an operand moves by the index.
pub(crate) struct Indexed {
    /// Elements for one step of the index.
    pub(crate) step: usize,
    /// Of the indexed axis.
    pub(crate) size: usize,
    /// What an error names.
    pub(crate) site: Site,
}

/// Fills `out`, of the source's dtype. Steps are those of source, index and out.
pub(crate) fn gather(
    indexed: &Indexed,
    mut axes: Nest,
    source: &CubeTensor,
    index: &CubeTensor,
    out: &CubeTensor,
) -> Result<()> {
    axes.sort_by(&[OUT]);
    axes.merge();
    if axes.len() == 0 {
        return Ok(());
    }
    if indexed.size == 0 {
        return Err(indexed.site.error());
    }
    let plan = plan(Nest::default(), axes, source, index, out)?;
    let moves_together = |width: usize| {
        plan.inner.innermost(INDEX) == 0
            && indexed.step.is_multiple_of(width)
            && lanes(&plan, plan.reads[SOURCE].memory(), SOURCE, width) == Lanes::Vector
    };
    let width = Some(width(&plan)).filter(|width| moves_together(*width)).unwrap_or(1);
    let arguments = Arguments::new(&plan, width, None)?;
    let vectors = plan.inner.len() / width;
    // SAFETY: units beyond the last vector stop at once; steps stay inside of their tensors, and so does the index, which is checked.
    unsafe {
        gather_kernel::launch_unchecked(
            &plan.device.client,
            spread(vectors.div_ceil(UNITS), plan.device)?,
            CubeDim::new_1d(UNITS as u32),
            arguments.address,
            width,
            arguments.inputs,
            arguments.outputs,
            fault_buffer(&plan),
            arguments.numbers,
            indexed.step / width,
            indexed.size,
            plan.device.faults.register(&indexed.site),
            arguments.space,
            // Values are moved as they are stored.
            [source.elem(), types(&plan)[1]],
        );
    }
    Ok(())
}

/// Adds to `out`, of the source's dtype and row-major, from zero. The axes are those of the result that are not indexed, and those that
/// are summed.
pub(crate) fn scatter(
    indexed: &Indexed,
    [mut outer, mut inner]: [Nest; 2],
    source: &CubeTensor,
    index: &CubeTensor,
    out: &CubeTensor,
) -> Result<()> {
    outer.sort_by(&[OUT, SOURCE]);
    outer.merge();
    inner.merge();
    if outer.len() * inner.len() == 0 {
        return primitive::fill(out, Constant::Int(0));
    }
    if indexed.size == 0 {
        return Err(indexed.site.error());
    }
    let parts = parts([outer.len(), inner.len()], source.elements().max(index.elements()), out.elements());
    if parts == 1 {
        return add_up(indexed, [outer, inner], source, index, out, parts);
    }
    let shape: Shape = iter::once(parts).chain(out.shape().iter().copied()).collect();
    let tables = CubeTensor::empty(&shape, out.dtype, out.device)?;
    add_up(indexed, [outer, inner], source, index, &tables, parts)?;
    let fold = match out.dtype.kind() {
        Kind::Float | Kind::Int => Fold::Sum,
        Kind::Bool => Fold::Any,
    };
    primitive::fold_into(fold, &tables, &[0], out)
}

/// Units that share a place, where so many points are added, each with a table of its own. By sizes alone, so that sums are the same bits
/// each time. `operand` and `table` count elements: all tables have no more than the larger operand.
fn parts([places, points]: [usize; 2], operand: usize, table: usize) -> usize {
    /// Units that keep a device busy.
    const BUSY: usize = 1 << 15;
    /// Points for which a unit is worth its table.
    const LEAST: usize = 32;
    (BUSY / places).min(points / LEAST).min(operand / table).max(1)
}

/// Units that share a place of a table, a power of two: each adds to the rows whose numbers end in its bits. All of them look at all
/// indices, which costs less than adding; sums are the same bits, however many share them.
fn owners(units: usize, points: usize, rows: usize) -> usize {
    /// Units that keep a device busy with looking.
    const BUSY: usize = 1 << 14;
    /// With more, looking costs more than adding.
    const MOST: usize = 128;
    let useful = rows.min(points.div_ceil(AHEAD)).next_power_of_two();
    (BUSY / units).clamp(1, MOST.min(useful)).next_power_of_two().min(MOST)
}

/// Adds to a table for each part, from zero: every so many points, from the part's number on.
fn add_up(
    indexed: &Indexed,
    [outer, inner]: [Nest; 2],
    source: &CubeTensor,
    index: &CubeTensor,
    tables: &CubeTensor,
    parts: usize,
) -> Result<()> {
    /// Units of a cube: small ones leave fewer processors without work where the units are few.
    const CUBE: usize = 64;
    primitive::fill(tables, Constant::Int(0))?;
    let units = outer.len() * parts;
    let owners = owners(units, inner.len() / parts, indexed.size);
    let plan = plan(outer, inner, source, index, tables)?;
    let arguments = Arguments::new(&plan, 1, None)?;
    // SAFETY: units beyond the last place of the last table stop at once; steps stay inside of their tensors, and so does the index,
    // which is checked.
    unsafe {
        scatter_kernel::launch_unchecked(
            &plan.device.client,
            spread((units * owners).div_ceil(CUBE), plan.device)?,
            CubeDim::new_1d(CUBE as u32),
            arguments.address,
            arguments.inputs,
            arguments.outputs,
            fault_buffer(&plan),
            arguments.numbers,
            parts,
            owners,
            tables.elements() / parts,
            indexed.step,
            indexed.size,
            plan.device.faults.register(&indexed.site),
            arguments.space,
            source.dtype.kind(),
            types(&plan),
        );
    }
    Ok(())
}

fn plan(
    outer: Nest,
    inner: Nest,
    source: &CubeTensor,
    index: &CubeTensor,
    out: &CubeTensor,
) -> Result<LoopPlan> {
    // The pass tells only of the types: a gather computes nothing.
    let element = super::pass::Element::Input { buffer: INDEX, operand: INDEX };
    let pass = simple::copy(Kind::Int, element, Dest::Element(Output { output: 0, operand: OUT }));
    let mut plan = LoopPlan {
        device: source.device,
        reads: [source, index].map(|tensor| Read::Memory(Memory::of(tensor))).into(),
        writes: vec![Write { memory: Memory::of(out), over: None }],
        columns: Vec::new(),
        partials: Vec::new(),
        outer,
        inner,
        passes: vec![pass],
        scalars: Vec::new(),
        float: source.dtype.compute(),
    };
    plan.widen(INDEX)?;
    Ok(plan)
}

fn fault_buffer(plan: &LoopPlan) -> BufferLaunch {
    let elem = ElemType::UInt(UIntKind::U32);
    // SAFETY: it holds one element.
    let buffer = unsafe { BufferArg::from_raw_parts(plan.device.faults.handle(&plan.device.client), 1) };
    BufferLaunch { buffer, form: Form { elem, width: 1, lanes: Lanes::Same, fit: Fit::Convert } }
}

#[cube(launch_unchecked, address_type = "dynamic")]
fn gather_kernel<V: Numeric, I: Int, N: Size>(
    inputs: &Sequence<Buffer>,
    outputs: &mut Sequence<Buffer>,
    faults: &mut Buffer,
    numbers: &Sequence<usize>,
    step: usize,
    size: usize,
    site: u32,
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
        faults.store::<u32, Const<1>>(0usize.runtime(), 0usize.runtime(), Vector::<u32, Const<1>>::new(site));
    }
    let by = usize::cast_from(select(is_inside, index, I::new(0)));
    let from = offsets[SOURCE] + vector_offset(&vector, numbers, space, SOURCE) + by * step;
    let value = inputs[SOURCE].load::<V, N>(from, lane_step(numbers, space, SOURCE));
    let to = offsets[OUT] + vector_offset(&vector, numbers, space, OUT);
    outputs.index_mut(0usize).store::<V, N>(to, lane_step(numbers, space, OUT), value);
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
    site: u32,
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
                faults.store::<u32, Const<1>>(none, none, Vector::<u32, Const<1>>::new(site));
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
