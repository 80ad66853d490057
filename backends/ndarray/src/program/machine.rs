//! Runs programs: holds the scalars of a row and the registers of a block, for all passes of one task.

use super::buffer::{Buffer, Recycled};
use super::{CHUNK, Cell, Init, OPERANDS, Once, Registers, Slot, Step};
use crate::block::{BlockArgs, ByKind, Elements, Uniforms};
use crate::kernel::real::Real;
use smallvec::SmallVec;
use std::ops::Range;
use tensor_op_spec::ir::Kind;

/// The state of the programs of one task.
#[derive(Debug)]
pub(crate) struct Machine<E: Recycled> {
    /// Elements of a register.
    chunk: usize,
    /// Registers of any pass, one after the other.
    registers: ByKind<Buffer<E>, Buffer<i64>, Buffer<bool>>,
    /// Of each pass; a pass that is no program has none.
    rows: Vec<Row<E>>,
}

/// The scalars of a pass.
#[derive(Debug)]
struct Row<E: Recycled> {
    floats: Scalars<E>,
    ints: Scalars<i64>,
    bools: Scalars<bool>,
    begun: bool,
}

/// The scalars of one kind.
#[derive(Debug)]
struct Scalars<T: Recycled> {
    values: Vec<T>,
    /// As blocks, one after the other.
    spread: Buffer<T>,
    /// Whether each value is another than in the row before.
    changed: Vec<bool>,
}

impl<E: Real> Machine<E> {
    /// For programs over rows of this length.
    pub(crate) fn new<'p>(
        programs: impl ExactSizeIterator<Item = Option<&'p Registers>> + Clone,
        row: usize,
    ) -> Machine<E> {
        let chunk = row.clamp(1, CHUNK);
        let most =
            |count: fn(&Registers) -> usize| programs.clone().flatten().map(count).max().unwrap_or(0) * chunk;
        let registers = ByKind {
            floats: Buffer::new(most(|program| program.registers.floats)),
            ints: Buffer::new(most(|program| program.registers.ints)),
            bools: Buffer::new(most(|program| program.registers.bools)),
        };
        let rows = programs.map(|program| Row::new(program, chunk)).collect();
        Machine { chunk, registers, rows }
    }

    /// Starts a row of a pass: computes its scalars.
    pub(crate) fn begin(&mut self, pass: usize, program: &Registers, uniforms: Uniforms<'_, E>) {
        let row = &mut self.rows[pass];
        let first = !std::mem::replace(&mut row.begun, true);
        row.floats.set(&program.scalars.floats, uniforms.floats, first);
        row.ints.set(&program.scalars.ints, uniforms.ints, first);
        row.bools.set(&program.scalars.bools, uniforms.bools, first);
        program.once.iter().for_each(|step| row.once(step, first));
        row.floats.spread(&program.spread.floats, self.chunk);
        row.ints.spread(&program.spread.ints, self.chunk);
        row.bools.spread(&program.spread.bools, self.chunk);
    }

    /// Computes a block.
    pub(crate) fn run(&mut self, pass: usize, program: &Registers, args: &mut BlockArgs<'_, '_, E>) {
        let row = &self.rows[pass];
        for (kind, result, scalar) in &program.given {
            match kind {
                Kind::Float => args.results.floats[*result][..args.len].fill(row.floats.values[*scalar]),
                Kind::Int => args.results.ints[*result][..args.len].fill(row.ints.values[*scalar]),
                Kind::Bool => args.results.bools[*result][..args.len].fill(row.bools.values[*scalar]),
            }
        }
        let chunk = self.chunk;
        let (elements, results, registers) = (args.elements, &mut args.results, &mut self.registers);
        let mut files = Files {
            floats: File::new(elements.floats, &row.floats, &mut registers.floats, results.floats, chunk),
            ints: File::new(elements.ints, &row.ints, &mut registers.ints, results.ints, chunk),
            bools: File::new(elements.bools, &row.bools, &mut registers.bools, results.bools, chunk),
        };
        for start in (0..args.len).step_by(chunk) {
            let range = start..args.len.min(start + chunk);
            program.each.iter().for_each(|step| files.step(step, &range));
        }
    }
}

/// What the steps over a block read and write.
struct Files<'a, E> {
    floats: File<'a, E>,
    ints: File<'a, i64>,
    bools: File<'a, bool>,
}

/// Blocks of one kind.
struct File<'a, T> {
    scalars: &'a [T],
    elements: &'a [&'a [T]],
    spread: &'a [T],
    /// Registers, then results.
    places: SmallVec<[&'a mut [T]; 16]>,
    registers: usize,
    chunk: usize,
}

impl<E: Real> Files<'_, E> {
    /// Calls the body of a step. What it writes is taken out meanwhile: a step never reads its own place.
    fn step(&mut self, step: &Step, range: &Range<usize>) {
        let place = |kind| (step.kind == kind).then_some(step.to);
        let mut floats = place(Kind::Float).map(|place| self.floats.take(place));
        let mut ints = place(Kind::Int).map(|place| self.ints.take(place));
        let mut bools = place(Kind::Bool).map(|place| self.bools.take(place));
        let operands = (
            self.floats.read(&step.args.floats, range),
            self.ints.read(&step.args.ints, range),
            self.bools.read(&step.args.bools, range),
        );
        let scalar = step.scalar.map(|scalar| self.floats.scalars[scalar]);
        step.body.0.run(&mut BlockArgs {
            len: range.len(),
            uniforms: ByKind { floats: scalar.as_slice(), ints: &[], bools: &[] },
            elements: ByKind { floats: &operands.0, ints: &operands.1, bools: &operands.2 },
            of_rows: Elements::NONE,
            results: ByKind {
                floats: floats.as_mut().map(|cells| part(cells, step.to, range)).as_mut_slice(),
                ints: ints.as_mut().map(|cells| part(cells, step.to, range)).as_mut_slice(),
                bools: bools.as_mut().map(|cells| part(cells, step.to, range)).as_mut_slice(),
            },
        });
        self.floats.put(step.to, floats);
        self.ints.put(step.to, ints);
        self.bools.put(step.to, bools);
    }
}

impl<'a, T: Recycled> File<'a, T> {
    fn new(
        elements: &'a [&'a [T]],
        scalars: &'a Scalars<T>,
        registers: &'a mut Buffer<T>,
        results: &'a mut [&mut [T]],
        chunk: usize,
    ) -> File<'a, T> {
        let mut places: SmallVec<_> = registers.chunks_exact_mut(chunk).collect();
        let registers = places.len();
        places.extend(results.iter_mut().map(|result| &mut **result));
        File { scalars: &scalars.values, elements, spread: &scalars.spread, places, registers, chunk }
    }

    fn index(&self, place: Cell) -> usize {
        match place {
            Cell::Register(register) => register,
            Cell::Result(result) => self.registers + result,
        }
    }

    fn take(&mut self, place: Cell) -> &'a mut [T] {
        let index = self.index(place);
        std::mem::take(&mut self.places[index])
    }

    fn put(&mut self, place: Cell, cells: Option<&'a mut [T]>) {
        if let Some(cells) = cells {
            let index = self.index(place);
            self.places[index] = cells;
        }
    }

    /// The blocks of a step's operands.
    fn read(&self, slots: &[Slot], range: &Range<usize>) -> [&[T]; OPERANDS] {
        let block = |slot: &Slot| match *slot {
            Slot::Element(element) => &self.elements[element][range.clone()],
            Slot::Spread(spread) => &self.spread[spread * self.chunk..][..range.len()],
            Slot::Cell(Cell::Register(register)) => &self.places[register][..range.len()],
            Slot::Cell(Cell::Result(result)) => &self.places[self.registers + result][range.clone()],
        };
        let mut blocks: [&[T]; OPERANDS] = [&[]; OPERANDS];
        blocks.iter_mut().zip(slots).for_each(|(to, slot)| *to = block(slot));
        blocks
    }
}

/// The part of a place that a block is: registers hold one block, results all of them.
fn part<'c, T>(cells: &'c mut [T], place: Cell, range: &Range<usize>) -> &'c mut [T] {
    match place {
        Cell::Register(_) => &mut cells[..range.len()],
        Cell::Result(_) => &mut cells[range.clone()],
    }
}

impl<E: Real> Row<E> {
    fn new(program: Option<&Registers>, chunk: usize) -> Row<E> {
        let count = |of: fn(&Registers) -> (usize, usize)| program.map_or((0, 0), of);
        Row {
            floats: Scalars::new(count(|p| (p.scalars.floats.len(), p.spread.floats.len())), chunk),
            ints: Scalars::new(count(|p| (p.scalars.ints.len(), p.spread.ints.len())), chunk),
            bools: Scalars::new(count(|p| (p.scalars.bools.len(), p.spread.bools.len())), chunk),
            begun: false,
        }
    }

    /// A step over scalars: its body over blocks of one element. What it reads may be as in the row before.
    fn once(&mut self, step: &Once, first: bool) {
        let changed = first
            || self.floats.any_changed(&step.args.floats)
            || self.ints.any_changed(&step.args.ints)
            || self.bools.any_changed(&step.args.bools);
        match step.kind {
            Kind::Float => self.floats.changed[step.to] = changed,
            Kind::Int => self.ints.changed[step.to] = changed,
            Kind::Bool => self.bools.changed[step.to] = changed,
        }
        if !changed {
            return;
        }
        let (mut float, mut int, mut bool) = ([E::default()], [0], [false]);
        let is = |kind| usize::from(step.kind == kind);
        let operands = (
            self.floats.read(&step.args.floats),
            self.ints.read(&step.args.ints),
            self.bools.read(&step.args.bools),
        );
        step.body.0.run(&mut BlockArgs {
            len: 1,
            uniforms: ByKind { floats: &[], ints: &[], bools: &[] },
            elements: ByKind { floats: &operands.0, ints: &operands.1, bools: &operands.2 },
            of_rows: Elements::NONE,
            results: ByKind {
                floats: &mut [&mut float[..]][..is(Kind::Float)],
                ints: &mut [&mut int[..]][..is(Kind::Int)],
                bools: &mut [&mut bool[..]][..is(Kind::Bool)],
            },
        });
        match step.kind {
            Kind::Float => self.floats.values[step.to] = float[0],
            Kind::Int => self.ints.values[step.to] = int[0],
            Kind::Bool => self.bools.values[step.to] = bool[0],
        }
    }
}

impl<T: Recycled> Scalars<T> {
    fn new((scalars, spread): (usize, usize), chunk: usize) -> Scalars<T> {
        Scalars {
            values: vec![T::default(); scalars],
            spread: Buffer::new(spread * chunk),
            changed: vec![true; scalars],
        }
    }

    /// Uniforms and constants.
    fn set(&mut self, init: &[Init], uniforms: &[T], first: bool) {
        for (index, init) in init.iter().enumerate() {
            let value = match init {
                Init::Constant(constant) if first => T::from_scalar(*constant),
                Init::Uniform(index) => uniforms[*index],
                Init::Constant(_) | Init::Step => self.values[index],
            };
            self.changed[index] = first || !value.is_same(self.values[index]);
            self.values[index] = value;
        }
    }

    fn any_changed(&self, scalars: &[usize]) -> bool {
        scalars.iter().any(|scalar| self.changed[*scalar])
    }

    fn read(&self, scalars: &[usize]) -> [&[T]; OPERANDS] {
        let mut blocks: [&[T]; OPERANDS] = [&[]; OPERANDS];
        let values = scalars.iter().map(|scalar| std::slice::from_ref(&self.values[*scalar]));
        blocks.iter_mut().zip(values).for_each(|(to, value)| *to = value);
        blocks
    }

    /// Fills the blocks whose scalar has changed.
    fn spread(&mut self, scalars: &[usize], chunk: usize) {
        for (scalar, block) in scalars.iter().zip(self.spread.chunks_exact_mut(chunk)) {
            if self.changed[*scalar] {
                block.fill(self.values[*scalar]);
            }
        }
    }
}
