//! The arguments of a kernel launch: memory, numbers that give positions in the memory, and scalars.

use super::grid::address;
use super::nest::Nest;
use super::operand::{Buffer, BufferLaunch, Form, Lanes};
use super::plan::{LoopPlan, Memory, Read, Write};
use super::ready::{Geometry, Kernel, Launch};
use super::space::{DIVISIBLE, Space, divisor};
use super::vectors::{Direction, lanes};
use crate::storage::narrow;
use crate::together::{Accesses, Region};
use cubecl::ir::{AddressType, ElemType, IntKind, UIntKind};
use cubecl::prelude::{BufferArg, InputScalar, SequenceArg};
use std::sync::Arc;
use tensor_op_core::Result;
use tensor_op_spec::ir::Scalar;

/// What a kernel reads in vectors of its own, beside the elements of its passes.
pub(super) struct Factors {
    /// Elements of a vector.
    pub(super) width: usize,
    /// The operands that are read in such vectors. Their steps count elements.
    pub(super) wide: Vec<usize>,
    /// Numbers that follow those of [`Space`].
    pub(super) numbers: Vec<usize>,
}

/// Everything about a kernel that is not compiled in.
pub(super) struct Arguments {
    pub(super) space: Space,
    pub(super) address: AddressType,
    pub(super) inputs: SequenceArg<Buffer>,
    pub(super) outputs: SequenceArg<Buffer>,
    pub(super) scalars: SequenceArg<InputScalar>,
    pub(super) numbers: SequenceArg<usize>,
}

impl Arguments {
    /// If there are `partials`, they are written instead of the columns.
    pub(super) fn new(plan: &LoopPlan, width: usize, partials: Option<&[Memory]>) -> Result<Arguments> {
        Arguments::of_vectors(plan, width, Direction::Along, partials)
    }

    /// Of a kernel whose vectors have the elements of neighbouring rows.
    pub(super) fn across(plan: &LoopPlan, width: usize) -> Result<Arguments> {
        Arguments::of_vectors(plan, width, Direction::Across, None)
    }

    fn of_vectors(
        plan: &LoopPlan,
        width: usize,
        direction: Direction,
        partials: Option<&[Memory]>,
    ) -> Result<Arguments> {
        let operands = 0..plan.reads.len() + plan.writes.len();
        let lanes: Vec<Lanes> =
            operands.map(|at| lanes(plan, memory(plan, at), at, width, direction)).collect();
        let points = plan.outer.len().saturating_mul(plan.inner.len());
        let operands = buffers(plan, &lanes, width, direction, partials);
        Arguments::of_parts(plan, points, operands, numbers(plan, &lanes, width, direction), partials)
    }

    /// Of passes that see single elements.
    pub(super) fn with_factors(plan: &LoopPlan, factors: &Factors) -> Result<Arguments> {
        let operands = 0..plan.reads.len() + plan.writes.len();
        let lanes = |at: usize| if factors.wide.contains(&at) { Lanes::Vector } else { Lanes::Same };
        let lanes: Vec<Lanes> = operands.clone().map(lanes).collect();
        let same: Vec<Lanes> = operands.map(|_| Lanes::Same).collect();
        let mut numbers = numbers(plan, &same, 1, Direction::Along);
        factors.numbers.iter().for_each(|number| numbers.push(*number));
        let points = plan.outer.len().max(plan.inner.len());
        Arguments::of_parts(
            plan,
            points,
            buffers(plan, &lanes, factors.width, Direction::Along, None),
            numbers,
            None,
        )
    }

    fn of_parts(
        plan: &LoopPlan,
        points: usize,
        (inputs, outputs): (SequenceArg<Buffer>, SequenceArg<Buffer>),
        numbers: SequenceArg<usize>,
        partials: Option<&[Memory]>,
    ) -> Result<Arguments> {
        let operands = plan.reads.len() + plan.writes.len();
        let all = (0..operands).filter_map(|at| memory(plan, at)).chain(partials.into_iter().flatten());
        let counted = all.map(Memory::len).max().unwrap_or(0).max(points).max(farthest(plan));
        let address = address(counted, plan.device)?;
        let mut numbers = numbers;
        if address == AddressType::U32 {
            // A step backwards wraps around in the device's integers as it does in ours.
            numbers.values.iter_mut().for_each(|number| *number &= u32::MAX as usize);
        }
        let multiplies = address == AddressType::U32 && counted < DIVISIBLE;
        let (outer, inner) = (plan.outer.axes.len(), plan.inner.axes.len());
        let space = Space { outer, inner, operands, multiplies };
        Ok(Arguments { space, address, inputs, outputs, scalars: scalars(plan)?, numbers })
    }

    /// Starts the kernel of a plan, now or together with others.
    pub(super) fn launch(
        self,
        plan: &LoopPlan,
        partials: Option<&[Memory]>,
        kernel: Arc<dyn Kernel>,
        geometry: Geometry,
    ) {
        let Arguments { inputs, outputs, scalars, numbers, .. } = self;
        let launch = Launch { kernel, geometry, inputs, outputs, scalars, numbers, calls: 1 };
        plan.device.launch(launch, || accesses(plan, partials));
    }
}

/// The memory that a launch of a plan reads and writes.
fn accesses(plan: &LoopPlan, partials: Option<&[Memory]>) -> Accesses {
    let region = |memory: &Memory, [low, high]: [isize; 2]| {
        let start = memory.buffer.offset_start.unwrap_or(0) as usize;
        let byte = |at: isize| {
            start.saturating_add(memory.offset.wrapping_add_signed(at).saturating_mul(memory.elem.size()))
        };
        Region { buffer: memory.buffer.clone(), bytes: byte(low)..byte(high + 1) }
    };
    let whole = |memory: &Memory| Region { buffer: memory.buffer.clone(), bytes: 0..usize::MAX };
    let reach = |operand: usize| {
        let axes = plan.outer.axes.iter().chain(&plan.inner.axes).filter(|axis| axis.size > 0);
        axes.fold([0, 0], |[low, high]: [isize; 2], axis| {
            let way = (axis.steps[operand] as isize).saturating_mul((axis.size - 1) as isize);
            [low.saturating_add(way.min(0)), high.saturating_add(way.max(0))]
        })
    };
    let read = |(at, read): (usize, &Read)| match read {
        Read::Memory(memory) => Some(region(memory, reach(at))),
        Read::Window(memory) | Read::Gathered(memory, _) => Some(whole(memory)),
        Read::Index(_) | Read::Step { .. } => None,
    };
    let written = plan.writes.iter().enumerate();
    let written = written.map(|(at, write)| region(&write.memory, reach(plan.reads.len() + at)));
    let columns = plan.columns.iter().map(|column| &column.memory);
    let others = columns.chain(&plan.partials).chain(partials.into_iter().flatten()).map(whole);
    Accesses {
        reads: plan.reads.iter().enumerate().filter_map(read).collect(),
        writes: written.chain(others).collect(),
    }
}

/// The memory of an operand. `None` if the operand is an index.
fn memory(plan: &LoopPlan, operand: usize) -> Option<&Memory> {
    match plan.reads.get(operand) {
        Some(read) => read.memory(),
        None => Some(&plan.writes[operand - plan.reads.len()].memory),
    }
}

/// The buffers that are read, and those that are written: results, partial columns and partial folds.
fn buffers(
    plan: &LoopPlan,
    lanes: &[Lanes],
    width: usize,
    direction: Direction,
    partials: Option<&[Memory]>,
) -> (SequenceArg<Buffer>, SequenceArg<Buffer>) {
    let form = |memory: &Memory, lanes: Lanes| {
        let moved = if lanes == Lanes::Vector { width } else { 1 };
        Form { elem: memory.elem, width: moved, lanes, fit: memory.fit }
    };
    let launch = |memory: &Memory, form: Form| {
        // SAFETY: the length is that of the buffer.
        let buffer =
            unsafe { BufferArg::from_raw_parts_binding(memory.buffer.clone(), memory.len() / form.width) };
        BufferLaunch { buffer, form }
    };
    let mut inputs = SequenceArg::new();
    let mut forms: Vec<Option<(usize, Form)>> = Vec::new();
    for (operand, read) in plan.reads.iter().enumerate() {
        forms.push(read.memory().map(|memory| {
            let form = form(memory, lanes[operand]);
            inputs.push(launch(memory, form));
            (inputs.values.len() - 1, form)
        }));
    }
    let mut outputs = SequenceArg::new();
    for (at, Write { memory, over }) in plan.writes.iter().enumerate() {
        let form = form(memory, lanes[plan.reads.len() + at]);
        let over = over.and_then(|read| forms[read]).filter(|(_, own)| *own == form);
        outputs.push(match over {
            Some((position, _)) => {
                BufferLaunch { buffer: BufferArg::alias(position, memory.len() / form.width), form }
            }
            None => launch(memory, form),
        });
    }
    for memory in partials.into_iter().flatten() {
        outputs.push(launch(memory, form(memory, if width == 1 { Lanes::Same } else { Lanes::Vector })));
    }
    let of_row = if direction == Direction::Across { Lanes::Strided } else { Lanes::Same };
    for memory in &plan.partials {
        outputs.push(launch(memory, form(memory, of_row)));
    }
    (inputs, outputs)
}

/// Sizes, starts and steps, in the order that [`Space`] expects. They count vectors where an operand is moved
/// in vectors, and elements elsewhere.
fn numbers(plan: &LoopPlan, lanes: &[Lanes], width: usize, direction: Direction) -> SequenceArg<usize> {
    let mut numbers = SequenceArg::new();
    let nests = [(&plan.outer, Direction::Across), (&plan.inner, Direction::Along)];
    // How many elements a step along an axis is: the lanes of a vector, or one.
    let elements = |nest: &Nest, at: usize, own: Direction| {
        if own == direction && at + 1 == nest.axes.len() { width } else { 1 }
    };
    for (nest, own) in nests {
        numbers.push(nest.len() / if own == direction { width } else { 1 });
    }
    for (nest, own) in nests {
        let sizes = nest.axes.iter().enumerate().map(|(at, axis)| axis.size / elements(nest, at, own));
        sizes.flat_map(divisor).for_each(|number| numbers.push(number));
    }
    for operand in 0..lanes.len() {
        let moved = match plan.reads.get(operand) {
            Some(Read::Step { of, .. }) => *of,
            Some(Read::Memory(_) | Read::Index(_) | Read::Window(_) | Read::Gathered(..)) | None => operand,
        };
        let unit = if lanes[moved] == Lanes::Vector { width } else { 1 };
        numbers.push(start(plan, operand) / unit);
        for (nest, own) in nests {
            for (at, axis) in nest.axes.iter().enumerate() {
                numbers.push(in_units(axis.steps[operand].wrapping_mul(elements(nest, at, own)), unit));
            }
        }
        numbers.push(plan.nest(direction).innermost(operand));
    }
    numbers
}

/// A step of elements as one of vectors. It may be negative.
fn in_units(step: usize, unit: usize) -> usize {
    (step as isize / unit as isize) as usize
}

/// The number of values, of both signs, that indices may have.
fn farthest(plan: &LoopPlan) -> usize {
    let axes = || plan.outer.axes.iter().chain(&plan.inner.axes);
    let of_read = |(at, read): (usize, &Read)| match read {
        Read::Index(first) => {
            let steps = axes().map(|axis| {
                (axis.steps[at] as isize).unsigned_abs().saturating_mul(axis.size.saturating_sub(1))
            });
            let first = (*first as isize).unsigned_abs();
            steps.fold(first, usize::saturating_add).saturating_mul(2)
        }
        Read::Memory(_) | Read::Window(_) | Read::Gathered(..) | Read::Step { .. } => 0,
    };
    plan.reads.iter().enumerate().map(of_read).max().unwrap_or(0)
}

/// Where an operand starts: its first element in memory, or its first index.
fn start(plan: &LoopPlan, operand: usize) -> usize {
    match plan.reads.get(operand) {
        Some(Read::Index(first)) => *first,
        Some(Read::Step { elements, .. }) => *elements,
        Some(Read::Memory(_) | Read::Window(_) | Read::Gathered(..)) | None => {
            memory(plan, operand).map_or(0, |memory| memory.offset)
        }
    }
}

fn scalars(plan: &LoopPlan) -> Result<SequenceArg<InputScalar>> {
    let [float, int] = plan.types();
    let scalar = |value: &Scalar| {
        Ok(match value {
            Scalar::Float(x) => InputScalar::new(*x, float),
            Scalar::Int(x) if int == ElemType::Int(IntKind::I32) => InputScalar::new(narrow(*x)?, int),
            Scalar::Int(x) => InputScalar::new(*x, int),
            Scalar::Bool(x) => InputScalar::new(u32::from(*x), ElemType::UInt(UIntKind::U32)),
        })
    };
    plan.scalars.iter().map(scalar).collect()
}
