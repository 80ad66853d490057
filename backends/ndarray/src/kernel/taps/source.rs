//! The operands of a fold, as elements beside each other.

use crate::block::taps::Tap;
use crate::kernel::plan::{Base, Guard, LoopPlan};
use crate::kernel::real::Real;
use crate::kernel::window::between;
use crate::layout::Few;
use crate::nest::Nest;
use std::ops::Range;

/// The most columns at an end of a row that may be outside if its elements are read where they are.
const EDGE: usize = 8;

/// Parts of rows that are kept for all phases. Of more, only those of the last phase are kept.
const MOST_PARTS: usize = 1 << 14;

/// An operand that is read.
pub(super) struct Source<'p, E> {
    plan: &'p LoopPlan<E>,
    operand: usize,
    guards: &'p [Guard],
    /// The value where it has no elements.
    pub(super) outside: E,
    /// The distance of neighbouring columns of a phase in memory.
    step: isize,
    /// How many columns apart neighbouring columns of a phase are, which is the number of phases.
    period: usize,
}

/// How far a row moves an operand, and the numbers of its guards.
pub(super) struct Row {
    place: isize,
    numbers: Few<i64>,
}

/// An operand in some columns of a phase of a run.
pub(super) struct Line<'s, E> {
    source: &'s Source<'s, E>,
    place: isize,
    /// Where the operand starts, if its elements need no conversion.
    start: Option<*const E>,
    /// The guards whose numbers change along a run, and those whose numbers don't.
    moving: Few<Bound>,
    still: Few<Bound>,
    /// The columns that it is moved to, of one of the phases.
    columns: usize,
    phase: usize,
    phases: Vec<Phase>,
}

/// The part of each row in which the guards along a run hold. Most runs have the same.
#[derive(Clone, Default)]
struct Phase {
    columns: Range<usize>,
    /// The numbers of these guards.
    numbers: Few<i64>,
    parts: Vec<Part>,
}

/// Where a guard holds along a line.
struct Bound {
    /// Its index among the guards.
    index: usize,
    operand: usize,
    /// Its number at the start of the operand.
    first: i64,
    /// Its number at the first column of the phase, without the row.
    number: i64,
    /// The step of the quotient from column to column.
    step: i64,
    last: i64,
    divisor: i64,
    /// How far the operand moves with the quotient.
    stride: isize,
}

/// An operand in some columns of a row.
#[derive(Clone, Copy)]
pub(super) struct Part {
    /// The offset of the first column.
    place: isize,
    /// The columns at which it has elements.
    start: usize,
    end: usize,
}

impl<'p, E: Real> Source<'p, E> {
    /// An operand in memory. `None` if it is none.
    pub(super) fn of(plan: &'p LoopPlan<E>, operand: usize, period: usize) -> Option<Source<'p, E>> {
        let own = &plan.operands[operand];
        let outside = match own.base {
            Base::Memory(_) => E::default(),
            Base::Window(_, window) => E::from_scalar(plan.windows[window].outside),
            Base::Iota(_) | Base::Gathered(..) | Base::Kept(_) => return None,
        };
        let guards = guards(plan, operand);
        let moves = guards.iter().filter(|guard| along(plan, guard.operand) != 0);
        let step = along(plan, operand) * period as isize + moves.map(|guard| guard.stride).sum::<isize>();
        (!own.in_place).then_some(Source { plan, operand, guards, outside, step, period })
    }

    /// Whether it is a window that reaches outside.
    pub(super) fn has_guards(&self) -> bool {
        !self.guards.is_empty()
    }

    /// The operand in some rows of a nest.
    pub(super) fn rows(&self, outer: &Nest, range: Range<usize>) -> Vec<Row> {
        let mut walk = outer.walk(range.start);
        let next = |_| {
            let at = &walk.offsets;
            let numbers = self.guards.iter().map(|guard| at[guard.operand] as i64).collect();
            let row = Row { place: at[self.operand], numbers };
            walk.next();
            row
        };
        range.map(next).collect()
    }

    /// The operand before it is moved to columns.
    pub(super) fn line(&self, rows: usize) -> Line<'_, E> {
        let bound = |(index, guard): (usize, &Guard)| Bound {
            index,
            operand: guard.operand,
            first: self.first(guard),
            number: 0,
            step: along(self.plan, guard.operand) as i64 * self.period as i64 / guard.divisor,
            last: guard.size as i64 - 1,
            divisor: guard.divisor,
            stride: guard.stride,
        };
        let is_native = self.plan.operands[self.operand].dtype == E::NATIVE;
        let start = is_native.then(|| address(self.plan, self.operand, 0).cast_const().cast());
        let bounds = self.guards.iter().enumerate().map(bound);
        let (still, moving) = bounds.partition(|bound| bound.step == 0);
        let phases = if self.period * rows <= MOST_PARTS { self.period } else { 1 };
        let phases = vec![Phase::default(); phases];
        Line { source: self, place: 0, start, moving, still, columns: 0, phase: 0, phases }
    }

    /// The number of a guard at the start of its operand.
    fn first(&self, guard: &Guard) -> i64 {
        match self.plan.operands[guard.operand].base {
            Base::Iota(first) => first,
            Base::Memory(_) | Base::Window(..) | Base::Gathered(..) | Base::Kept(_) => {
                unreachable!("the number of a guard is an index")
            }
        }
    }

    /// Whether neighbouring columns are neighbours in memory.
    pub(super) fn is_beside(&self) -> bool {
        self.step == 1
    }

    /// Whether its elements are the same in all columns of a run.
    pub(super) fn is_same(&self) -> bool {
        self.step == 0 && self.guards.iter().all(|guard| guard.stride == 0)
    }

    /// Whether this and another operand have elements at the same places.
    pub(super) fn is_inside_with(&self, other: &Source<'_, E>) -> bool {
        let Source { plan, .. } = *self;
        let moves = |nest: &Nest, [a, b]: [usize; 2]| {
            (0..nest.rank()).all(|axis| nest.stride(axis, a) == nest.stride(axis, b))
        };
        let is_equal = |(a, b): (&Guard, &Guard)| {
            let operands = [a.operand, b.operand];
            let is_along = moves(&plan.outer, operands) && moves(&plan.inner, operands);
            is_along && self.first(a) == self.first(b) && (a.divisor, a.size) == (b.divisor, b.size)
        };
        self.guards.len() == other.guards.len() && self.guards.iter().zip(other.guards).all(is_equal)
    }

    /// Reads so many columns from this offset on, which are inside.
    fn read(&self, place: isize, to: &mut [E]) {
        let from = address(self.plan, self.operand, place);
        // SAFETY: the guards hold at these columns, so that they are elements of the operand.
        unsafe { E::read(self.plan.operands[self.operand].dtype, from, self.step, to) };
    }
}

impl<E: Real> Line<'_, E> {
    /// Moves to columns of a phase, for the offsets of all operands at the start of the run.
    pub(super) fn move_to(&mut self, rows: &[Row], run: &[isize], phase: usize, columns: &Range<usize>) {
        let Source { plan, operand, step, .. } = *self.source;
        let at = |operand: usize| run[operand] + along(plan, operand) * phase as isize;
        self.place = at(operand) + step * columns.start as isize;
        self.still.iter_mut().for_each(|bound| bound.number = bound.first + at(bound.operand) as i64);
        self.moving.iter_mut().for_each(|bound| bound.number = bound.first + at(bound.operand) as i64);
        (self.columns, self.phase) = (columns.len(), phase % self.phases.len());
        let known = &self.phases[self.phase];
        let are_same = known.parts.len() == rows.len() && known.columns == *columns;
        if are_same && self.moving.iter().map(|bound| bound.number).eq(known.numbers.iter().copied()) {
            return;
        }
        let mut parts = std::mem::take(&mut self.phases[self.phase].parts);
        parts.clear();
        parts.extend(rows.iter().map(|row| self.part_along(row, columns)));
        let numbers = self.moving.iter().map(|bound| bound.number).collect();
        self.phases[self.phase] = Phase { columns: columns.clone(), numbers, parts };
    }

    /// The part of a row in which the guards along a run hold, from the place of the run on.
    fn part_along(&self, row: &Row, columns: &Range<usize>) -> Part {
        let (mut start, mut end) = (columns.start, columns.end);
        let mut place = row.place;
        for bound in &self.moving {
            let Some(first) = bound.quotient(row) else {
                end = start;
                continue;
            };
            let own = between(first, bound.step, bound.last, columns.end);
            (start, end) = (start.max(own.start), end.min(own.end));
            // Outside, the place is not read.
            place = place.wrapping_add((first as isize).wrapping_mul(bound.stride));
        }
        Part { place, start: start - columns.start, end: end.max(start) - columns.start }
    }

    /// The operand in the row with this index.
    #[inline(always)]
    pub(super) fn part(&self, index: usize, row: &Row) -> Part {
        let mut part = self.phases[self.phase].parts[index];
        part.place = part.place.wrapping_add(self.place);
        for bound in &self.still {
            match bound.quotient(row) {
                Some(at) if (0..=bound.last).contains(&at) => {
                    part.place = part.place.wrapping_add(at as isize * bound.stride);
                }
                Some(_) | None => part.end = part.start,
            }
        }
        part
    }

    /// Whether the elements of a part are read where they are. Columns that are not inside of all rows are
    /// folded one by one, so they should be few.
    #[inline(always)]
    pub(super) fn is_direct(&self, part: &Part) -> bool {
        let is_beside = self.start.is_some() && self.source.step == 1;
        is_beside && part.start <= EDGE && part.end + EDGE >= self.columns
    }

    /// The elements where they are, or in a buffer that holds all columns.
    #[inline(always)]
    pub(super) fn tap(&self, part: &Part, buffer: Option<&[E]>) -> Tap<E> {
        let (from, inside) = match (self.start, buffer) {
            (Some(start), None) => (start.wrapping_offset(part.place), part.inside()),
            (_, Some(buffer)) => (buffer.as_ptr(), 0..buffer.len()),
            (None, None) => unreachable!("what is converted has a buffer"),
        };
        // SAFETY: the buffer has all columns. In memory the guards hold at these columns, so that they are
        // elements of the operand.
        unsafe { Tap::new(from, inside) }
    }

    /// Reads all columns.
    #[inline(never)]
    pub(super) fn fill(&self, part: &Part, buffer: &mut [E]) {
        let Part { place, start, end } = *part;
        if start == end {
            return buffer.fill(self.source.outside);
        }
        buffer[..start].fill(self.source.outside);
        self.source.read(place + self.source.step * start as isize, &mut buffer[start..end]);
        buffer[end..].fill(self.source.outside);
    }

    /// The value in a row of an operand that [is the same](Source::is_same) in all columns, and inside of
    /// one.
    #[inline(always)]
    pub(super) fn value(&self, row: &Row) -> E {
        let place = self.place + row.place;
        match self.start {
            // SAFETY: plans hold offsets of elements inside their operands' memory.
            Some(start) => unsafe { *start.wrapping_offset(place) },
            None => {
                let mut value = [E::default()];
                self.source.read(place, &mut value);
                value[0]
            }
        }
    }
}

impl Bound {
    /// The quotient at the first column of a row. `None` if there is a rest.
    #[inline(always)]
    fn quotient(&self, row: &Row) -> Option<i64> {
        let number = self.number + row.numbers[self.index];
        match self.divisor {
            1 => Some(number),
            divisor => (number % divisor == 0).then(|| number / divisor),
        }
    }
}

impl Part {
    pub(super) fn is_empty(&self) -> bool {
        self.start >= self.end
    }

    /// The columns at which it has elements.
    pub(super) fn inside(&self) -> Range<usize> {
        self.start..self.end
    }
}

/// The address of an element of an operand in memory.
pub(super) fn address<E>(plan: &LoopPlan<E>, operand: usize, offset: isize) -> *mut u8 {
    let own = &plan.operands[operand];
    match own.base {
        Base::Memory(start) | Base::Window(start, _) => start.at(own.bytes(offset)),
        Base::Iota(_) | Base::Gathered(..) | Base::Kept(_) => unreachable!("these operands are not read"),
    }
}

/// The step of an operand along a run.
pub(super) fn along<E>(plan: &LoopPlan<E>, operand: usize) -> isize {
    plan.inner.rank().checked_sub(1).map_or(0, |axis| plan.inner.stride(axis, operand))
}

fn guards<E>(plan: &LoopPlan<E>, operand: usize) -> &[Guard] {
    match plan.operands[operand].base {
        Base::Window(_, window) => &plan.windows[window].guards,
        Base::Memory(_) | Base::Iota(_) | Base::Gathered(..) | Base::Kept(_) => &[],
    }
}

/// After how many columns windows have elements again. `None` if they do not agree.
pub(super) fn period<E>(plan: &LoopPlan<E>, operands: &[usize]) -> Option<usize> {
    let mut period = 1;
    for guard in operands.iter().flat_map(|operand| guards(plan, *operand)) {
        let step = along(plan, guard.operand);
        if guard.divisor == 1 || step == 0 {
            continue;
        }
        if step != 1 || ![1, guard.divisor].contains(&period) {
            return None;
        }
        period = guard.divisor;
    }
    usize::try_from(period).ok()
}
