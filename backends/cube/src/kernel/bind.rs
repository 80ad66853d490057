//! From a loop of the executor to a [`LoopPlan`]: operands become memory and steps, and axes get an order.

use super::body::{Bodies, Body};
use super::fold::FoldPlan;
use super::gathered::Gathered;
use super::nest::{Axis, Nest};
use super::pass::{Dest, Element, Output, PassPlan, Uniform};
use super::plan::{Column, LoopPlan, Memory, Read, Write};
use super::program::Digits;
use super::space::divisor;
use super::window::Window;
use crate::device::Opened;
use crate::tensor::CubeTensor;
use cubecl::ir::{ElemType, FloatKind};
use tensor_op_core::execute::{self, BoundLoop, BoundPass, Guard, Labeled};
use tensor_op_core::{AxisId, BoundAxis, Positions};
use tensor_op_spec::ir::{Kind, Scalar};

/// The plan of a loop. `bodies` are those of all passes of the schedule, if they run in place of programs.
pub(super) fn plan(
    bound: &BoundLoop<'_, CubeTensor>,
    bodies: Option<Bodies<'_>>,
    device: &'static Opened,
) -> LoopPlan {
    let binder = Binder::new(bound, bodies);
    let [mut outer, mut inner] = [&bound.outer, &bound.inner].map(|axes| binder.nest(axes));
    let order = binder.by_size();
    outer.sort_by(&order);
    // A position along several axes is counted in their declared order.
    if !bound.finds_positions() {
        inner.sort_by(&order);
    }
    outer.merge();
    inner.merge();
    binder.plan(bound, [outer, inner], device)
}

/// The plan of a loop of which one outer axis is walked step by step. It is the outermost axis.
pub(super) fn plan_in_steps(
    bound: &BoundLoop<'_, CubeTensor>,
    along: BoundAxis,
    device: &'static Opened,
) -> LoopPlan {
    let binder = Binder::new(bound, None);
    let rows: Vec<BoundAxis> = bound.outer.iter().copied().filter(|own| own.axis != along.axis).collect();
    let [mut rows, mut inner] = [&rows, &bound.inner].map(|axes| binder.nest(axes));
    let order = binder.by_size();
    rows.sort_by(&order);
    inner.sort_by(&order);
    rows.merge();
    inner.merge();
    let steps = binder.nest(&[along]);
    let outer = Nest { axes: steps.axes.into_iter().chain(rows.axes).collect() };
    binder.plan(bound, [outer, inner], device)
}

/// The plan of a loop whose rows follow each other along these axes, and whose columns are in their declared
/// order.
pub(super) fn plan_in_order(
    bound: &BoundLoop<'_, CubeTensor>,
    rows: &[BoundAxis],
    device: &'static Opened,
) -> LoopPlan {
    let binder = Binder::new(bound, None);
    let [mut rows, mut inner] = [rows, &bound.inner].map(|axes| binder.nest(axes));
    rows.merge();
    inner.merge();
    binder.plan(bound, [rows, inner], device)
}

/// How far a tensor moves along an axis.
pub(super) fn stride(value: &Labeled<CubeTensor>, axis: AxisId) -> usize {
    value.place(axis).map_or(0, |place| value.tensor.layout.strides[place])
}

/// The operands of a loop. They are numbered: reads, then writes, then columns.
struct Binder<'b> {
    bodies: Option<Bodies<'b>>,
    reads: Vec<Moving>,
    /// With the read that has the same memory.
    writes: Vec<(Moving, Option<usize>)>,
    columns: Vec<(FoldPlan, Moving)>,
    /// What each write of the executor is.
    roles: Vec<Role>,
}

/// A write of the executor: its index among the writes, or among the columns.
#[derive(Clone, Copy)]
enum Role {
    Write(usize),
    Column(usize),
}

/// The values of a loop so far that are one per row.
struct Values {
    /// Kinds of the results of folds along the row.
    statistics: Vec<Kind>,
    scalars: Vec<Scalar>,
}

/// An operand and how it moves.
#[derive(Clone)]
struct Moving {
    memory: Option<Memory>,
    /// Of an index, the first.
    first: usize,
    steps: Vec<(AxisId, usize)>,
    /// Number of elements, to tell large operands from small ones.
    len: usize,
    how: How,
}

/// How an operand is read.
#[derive(Clone, Copy)]
enum How {
    /// At its place.
    Plain,
    /// If its place is inside.
    Window(Window),
    /// From its place on, by an index.
    Gathered(Gathered),
    /// Not as an element: it is how far each index moves this operand.
    Step(usize),
}

impl<'b> Binder<'b> {
    fn new(bound: &BoundLoop<'_, CubeTensor>, bodies: Option<Bodies<'b>>) -> Binder<'b> {
        let written: Vec<Moving> = bound.writes.iter().map(|write| Moving::stored(&write.value)).collect();
        let read = |read: &execute::Read<CubeTensor>| match read {
            execute::Read::Memory(value) => Moving::stored(value),
            execute::Read::Written(write) => written[*write].clone(),
            execute::Read::Index(positions) => Moving::index(positions),
            execute::Read::Kept(_) => unreachable!("the schedules of GPUs keep nothing"),
            execute::Read::Window(window) => Moving::window(window),
            execute::Read::Gathered(gathered) => Moving::gathered(gathered),
        };
        let (mut writes, mut columns, mut roles) = (Vec::new(), Vec::new(), Vec::new());
        for ((at, operand), write) in written.iter().enumerate().zip(&bound.writes) {
            roles.push(match column_fold(bound, at) {
                Some(fold) => {
                    columns.push((fold, operand.clone()));
                    Role::Column(columns.len() - 1)
                }
                None => {
                    writes.push((operand.clone(), write.over));
                    Role::Write(writes.len() - 1)
                }
            });
        }
        let mut reads: Vec<Moving> = bound.reads.iter().map(read).collect();
        for (at, read) in bound.reads.iter().enumerate() {
            let buffer = |at: usize| reads[..at].iter().filter(|read| read.memory.is_some()).count();
            let next = reads.len();
            let (how, more): (How, Vec<Moving>) = match read {
                execute::Read::Window(window) => {
                    let guards = window.guards.iter().flat_map(|guard| Moving::guard(guard, window));
                    (How::Window(Window::new(window, [buffer(at), at, next])), guards.collect())
                }
                execute::Read::Gathered(gathered) => {
                    let [buffer, indices] = [at, next].map(buffer);
                    let how = Gathered { buffer, operand: at, indices, index: next, is_even: false };
                    (How::Gathered(how), Moving::of_index(gathered, at))
                }
                execute::Read::Memory(_) | execute::Read::Written(_) => continue,
                execute::Read::Index(_) | execute::Read::Kept(_) => continue,
            };
            reads[at].how = how;
            reads.extend(more);
        }
        Binder { bodies, reads, writes, columns, roles }
    }

    /// The plan over these loops, whose axes are merged.
    fn plan(
        mut self,
        bound: &BoundLoop<'_, CubeTensor>,
        [outer, inner]: [Nest; 2],
        device: &'static Opened,
    ) -> LoopPlan {
        for read in &mut self.reads {
            if let How::Gathered(gathered) = &mut read.how {
                gathered.is_even = inner.innermost(gathered.index) == 0;
            }
        }
        let mut values = Values { statistics: Vec::new(), scalars: Vec::new() };
        let digits = self.digits();
        let passes = bound.passes.iter().map(|pass| self.pass(pass, &mut values, digits)).collect();
        let memory = |operand: &Moving| operand.memory.clone().expect("what is written is memory");
        let columns = self.columns.iter();
        LoopPlan {
            device,
            writes: self.writes.iter().map(|(w, over)| Write { memory: memory(w), over: *over }).collect(),
            columns: columns.map(|(fold, c)| Column { fold: *fold, memory: memory(c) }).collect(),
            partials: Vec::new(),
            reads: self
                .reads
                .into_iter()
                .map(|r| match (r.memory, r.how) {
                    (Some(memory), How::Plain | How::Step(_)) => Read::Memory(memory),
                    (Some(memory), How::Window(_)) => Read::Window(memory),
                    (Some(memory), How::Gathered(gathered)) => Read::Gathered(memory, gathered.index),
                    (None, How::Step(of)) => Read::Step { of, elements: r.first },
                    (None, How::Plain | How::Window(_) | How::Gathered(_)) => Read::Index(r.first),
                })
                .collect(),
            outer,
            inner,
            passes,
            scalars: values.scalars,
            float: bound.float,
        }
    }

    /// A kernel that reads or writes halves computes for an op on halves.
    fn digits(&self) -> Digits {
        let is_half = |elem: ElemType| matches!(elem, ElemType::Float(FloatKind::F16 | FloatKind::BF16));
        let operands = self.reads.iter().chain(self.writes.iter().map(|(operand, _)| operand));
        let mut memories = operands.filter_map(|operand| operand.memory.as_ref());
        if memories.any(|memory| is_half(memory.elem)) { Digits::FunctionsOfHalves } else { Digits::All }
    }

    fn pass(&self, bound: &BoundPass<'_>, values: &mut Values, digits: Digits) -> PassPlan {
        let program = &bound.pass.program;
        let uniforms = bound.uniforms.iter().map(|uniform| self.uniform(*uniform, values)).collect();
        let elements = bound.elements.iter().map(|read| self.element(*read)).collect();
        for (dest, result) in bound.dests.iter().zip(program.results()) {
            if let execute::Dest::Fold(fold) = dest {
                values.statistics.push(fold.result_kind(program.kind(*result)));
            }
        }
        let results = bound.dests.iter().map(|dest| self.dest(*dest)).collect();
        let (program, per_row) = (program.clone(), bound.pass.is_per_row());
        let body = self.bodies.map(|bodies| Body::new(bodies, bound.number, &program, digits));
        PassPlan { program, uniforms, elements, results, per_row, digits, neighbours: false, body }
    }

    fn uniform(&self, uniform: execute::Uniform, values: &mut Values) -> Uniform {
        match uniform {
            execute::Uniform::Statistic(at) => {
                let kind = values.statistics[at];
                Uniform::Statistic(values.statistics[..at].iter().filter(|own| **own == kind).count())
            }
            execute::Uniform::Scalar(value) => {
                values.scalars.push(value);
                Uniform::Scalar(values.scalars.len() - 1)
            }
            execute::Uniform::Read(read) => Uniform::Row(self.element(read)),
        }
    }

    fn element(&self, operand: usize) -> Element {
        let buffer = self.reads[..operand].iter().filter(|read| read.memory.is_some()).count();
        match &self.reads[operand] {
            Moving { how: How::Window(window), .. } => Element::Window(*window),
            Moving { how: How::Gathered(gathered), .. } => Element::Gathered(*gathered),
            Moving { memory: Some(_), .. } => Element::Input { buffer, operand },
            Moving { memory: None, .. } => Element::Index(operand),
        }
    }

    fn dest(&self, dest: execute::Dest) -> Dest {
        let output = |write: usize| match self.roles[write] {
            Role::Write(output) => Output { output, operand: self.reads.len() + output },
            Role::Column(_) => unreachable!("a column is written by its fold alone"),
        };
        match dest {
            execute::Dest::Fold(fold) => Dest::Fold(fold),
            execute::Dest::Element(write) => Dest::Element(output(write)),
            execute::Dest::Row(write) => Dest::Row(output(write)),
            execute::Dest::Column(_, write) => match self.roles[write] {
                Role::Column(column) => Dest::Column(column),
                Role::Write(_) => unreachable!("only a column is written by a fold over the rows"),
            },
            execute::Dest::Kept(_) => unreachable!("the schedules of GPUs keep nothing"),
            execute::Dest::Nowhere => Dest::Nowhere,
        }
    }

    fn nest(&self, axes: &[BoundAxis]) -> Nest {
        let axis = |bound: &BoundAxis| {
            let steps = self.operands().map(|operand| operand.step(bound.axis)).collect();
            Axis { size: bound.size, steps }
        };
        Nest { axes: axes.iter().map(axis).collect() }
    }

    fn operands(&self) -> impl Iterator<Item = &Moving> {
        let columns = self.columns.iter().map(|(_, operand)| operand);
        self.reads.iter().chain(self.writes.iter().map(|(operand, _)| operand)).chain(columns)
    }

    /// Operands from the largest to the smallest, results before inputs: loops follow the memory order of the
    /// first.
    fn by_size(&self) -> Vec<usize> {
        let sizes: Vec<usize> = self.operands().map(|operand| operand.len).collect();
        let mut order: Vec<usize> = (0..sizes.len()).collect();
        order.sort_by_key(|&operand| (std::cmp::Reverse(sizes[operand]), operand < self.reads.len()));
        order
    }
}

/// The fold over the rows that fills a write.
fn column_fold(bound: &BoundLoop<'_, CubeTensor>, write: usize) -> Option<FoldPlan> {
    bound.passes.iter().find_map(|pass| {
        let program = &pass.pass.program;
        pass.dests.iter().zip(program.results()).find_map(|(dest, result)| match dest {
            execute::Dest::Column(fold, own) if *own == write => {
                Some(FoldPlan { fold: *fold, kind: program.kind(*result) })
            }
            execute::Dest::Column(..)
            | execute::Dest::Fold(_)
            | execute::Dest::Element(_)
            | execute::Dest::Row(_)
            | execute::Dest::Kept(_)
            | execute::Dest::Nowhere => None,
        })
    })
}

impl Moving {
    fn stored(value: &Labeled<CubeTensor>) -> Moving {
        let axes = value.axes.iter().filter(|bound| bound.size != 1);
        let steps = axes.map(|bound| (bound.axis, stride(value, bound.axis))).collect();
        let len = value.tensor.elements();
        Moving { memory: Some(Memory::of(&value.tensor)), first: 0, steps, len, how: How::Plain }
    }

    fn index(positions: &Positions) -> Moving {
        let steps = positions.axes.iter().zip(&positions.steps);
        let steps = steps.map(|(bound, step)| (bound.axis, *step)).collect();
        Moving { memory: None, first: positions.first, steps, len: 0, how: How::Plain }
    }

    /// A window that moves by its strides. What it asks comes later.
    fn window(window: &execute::Window<CubeTensor>) -> Moving {
        let source = &window.source;
        let strides: Vec<isize> = source.layout.strides.iter().map(|stride| *stride as isize).collect();
        let (start, steps) = window.within(&strides);
        let memory = Memory::of(source);
        let memory = Memory { offset: memory.offset.wrapping_add_signed(start), ..memory };
        let steps = steps.into_iter().map(|(axis, step)| (axis, step as usize)).collect();
        let len = window.axes.iter().map(|(bound, _)| bound.size).product();
        Moving { memory: Some(memory), first: 0, steps, len, how: How::Plain }
    }

    /// What is read by an index, which comes later. It does not order axes.
    fn gathered(gathered: &execute::Gathered<CubeTensor>) -> Moving {
        let mut moving = Moving { len: 0, ..Moving::stored(&gathered.source) };
        moving.steps.retain(|(axis, _)| *axis != gathered.along);
        moving
    }

    /// The operands of the index that moves an operand, as [`Gathered`] lists them.
    fn of_index(gathered: &execute::Gathered<CubeTensor>, operand: usize) -> Vec<Moving> {
        let fixed = |first, how| Moving { memory: None, first, steps: vec![], len: 0, how };
        let place = gathered.source.axes.iter().position(|own| own.axis == gathered.along);
        let size = place.map_or(1, |place| gathered.source.axes[place].size);
        let step = fixed(stride(&gathered.source, gathered.along), How::Step(operand));
        vec![Moving::stored(&gathered.index), step, fixed(size, How::Plain)]
    }

    /// The operands of a guard, as [`Window`] lists them.
    fn guard(guard: &Guard, window: &execute::Window<CubeTensor>) -> Vec<Moving> {
        let fixed = |first| Moving { memory: None, first, steps: vec![], len: 0, how: How::Plain };
        let axes = window.axes.iter().filter(|(bound, _)| bound.size != 1);
        let steps = axes.map(|(bound, _)| (bound.axis, guard.step(bound.axis) as usize)).collect();
        let number = Moving { steps, ..fixed(guard.first as usize) };
        let stride = window.source.layout.strides[guard.at];
        if guard.divisor == 1 {
            return vec![number, fixed(guard.size)];
        }
        let end = guard.size.saturating_mul(guard.divisor as usize);
        let divisor = divisor(guard.divisor as usize).map(fixed);
        [number, fixed(end)].into_iter().chain(divisor).chain([fixed(stride)]).collect()
    }

    fn step(&self, axis: AxisId) -> usize {
        self.steps.iter().find(|(own, _)| *own == axis).map_or(0, |(_, step)| *step)
    }
}
