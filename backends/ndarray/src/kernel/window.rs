//! Windows that reach outside of their source. A run of a window is read in parts: what lies outside has one
//! value, and what lies inside is a run of memory.

use super::cursor::Cursor;
use super::plan::{Base, Guard, LoopPlan};
use super::stream::{GATHER, Lanes};
use crate::layout::Few;
use std::ops::Range;
use tensor_op_core::DType;

/// A row of a window along the innermost axis.
struct Row {
    dtype: DType,
    /// The memory at the first element, without quotients.
    memory: *const u8,
    /// How far the next element is, and the next row.
    steps: [isize; 2],
    lines: Few<Line>,
    /// The elements at which the numbers that are the same in each row are in range.
    inside: Range<usize>,
    /// Whether a number must be a multiple of something.
    has_quotients: bool,
}

/// The number of a guard along a row.
struct Line {
    divisor: i64,
    /// The number of the last element of the axis.
    last: i64,
    stride: isize,
    /// The number at the first element, and its steps to the next element and to the next row.
    number: i64,
    steps: [i64; 2],
}

impl<E> LoopPlan<E> {
    /// Reads the block of a cursor from a window.
    pub(super) fn fill_window<T: Lanes>(&self, cursor: &Cursor, operand: usize, to: &mut [T]) {
        let Some(last) = self.inner.rank().checked_sub(1) else {
            return to.fill(self.window_at_row(cursor, operand));
        };
        let (size, rows) =
            (self.inner.size(last), last.checked_sub(1).map_or(1, |axis| self.inner.size(axis)));
        let outside = self.outside(operand);
        let (mut row, mut at) = (cursor.start / size.max(1), cursor.start % size.max(1));
        let mut left = to;
        while !left.is_empty() {
            let mut line = self.row_of_window(cursor, operand, row * size);
            let rest = rows - row % rows;
            let inside = line.rows_inside(rest);
            for index in 0..rest {
                let len = (size - at).min(left.len());
                let (now, later) = left.split_at_mut(len);
                if inside.contains(&index) {
                    line.fill(at, outside, now);
                } else {
                    now.fill(outside);
                }
                (left, at) = (later, 0);
                if left.is_empty() {
                    return;
                }
                line.advance();
            }
            row += rest;
        }
    }

    /// The value of a window at the row of a cursor.
    pub(super) fn window_at_row<T: Lanes>(&self, cursor: &Cursor, operand: usize) -> T {
        let outside = self.outside(operand);
        let mut value = [outside];
        let row = self.row(operand, 1, |operand| cursor.row(operand), |_| [0; 2]);
        if !row.rows_inside(1).is_empty() {
            row.fill(0, outside, &mut value);
        }
        value[0]
    }

    /// The row of a window that begins at a point.
    fn row_of_window(&self, cursor: &Cursor, operand: usize, point: usize) -> Row {
        let last = self.inner.rank() - 1;
        let steps = |operand| {
            let before = last.checked_sub(1).map_or(0, |axis| self.inner.stride(axis, operand));
            [self.inner.stride(last, operand), before]
        };
        let place = |operand| cursor.row(operand) + self.inner.offset(operand, point);
        self.row(operand, self.inner.size(last), place, steps)
    }

    /// A row of so many elements.
    fn row(
        &self,
        operand: usize,
        len: usize,
        place: impl Fn(usize) -> isize,
        steps: impl Fn(usize) -> [isize; 2],
    ) -> Row {
        let own = &self.operands[operand];
        let (memory, guards) = match own.base {
            Base::Window(memory, window) => {
                (memory.at(own.bytes(place(operand))), &self.windows[window].guards[..])
            }
            Base::Memory(_) | Base::Iota(_) | Base::Gathered(..) | Base::Kept(_) => {
                unreachable!("only windows are read as windows")
            }
        };
        let line = |guard: &Guard| {
            let first = match self.operands[guard.operand].base {
                Base::Iota(first) => first,
                Base::Memory(_) | Base::Window(..) | Base::Gathered(..) | Base::Kept(_) => {
                    unreachable!("the number of a guard is an index")
                }
            };
            Line {
                divisor: guard.divisor,
                last: (guard.size as i64 - 1).saturating_mul(guard.divisor),
                stride: guard.stride,
                number: first + place(guard.operand) as i64,
                steps: steps(guard.operand).map(|step| step as i64),
            }
        };
        let lines: Few<Line> = guards.iter().map(line).collect();
        let inside = lines.iter().filter(|line| line.is_same()).fold(0..len, |all, line| line.inside(all));
        let has_quotients = lines.iter().any(|line| line.divisor != 1);
        Row { dtype: own.dtype, memory, steps: steps(operand), lines, inside, has_quotients }
    }

    fn outside<T: Lanes>(&self, operand: usize) -> T {
        match self.operands[operand].base {
            Base::Window(_, window) => T::from_scalar(self.windows[window].outside),
            Base::Memory(_) | Base::Iota(_) | Base::Gathered(..) | Base::Kept(_) => T::default(),
        }
    }
}

impl Row {
    /// Moves to the next row.
    fn advance(&mut self) {
        self.memory = self.memory.wrapping_offset(self.steps[1] * self.dtype.size() as isize);
        self.lines.iter_mut().for_each(|line| line.number += line.steps[1]);
    }

    /// Which of so many rows have elements inside, by the numbers that are the same in a whole row.
    fn rows_inside(&self, rows: usize) -> Range<usize> {
        self.lines.iter().filter(|line| line.steps[0] == 0).fold(0..rows, |all, line| {
            let own = between(line.number, line.steps[1], line.last, rows);
            let start = all.start.max(own.start);
            start..all.end.min(own.end).max(start)
        })
    }

    /// Reads elements from this one on, of a row that is among those of [`rows_inside`](Row::rows_inside).
    fn fill<T: Lanes>(&self, first: usize, outside: T, to: &mut [T]) {
        debug_assert!(!self.rows_inside(1).is_empty(), "the row is outside");
        let inside = self.inside(first..first + to.len());
        if inside.is_empty() {
            return to.fill(outside);
        }
        if self.has_quotients {
            return self.fill_multiples(first, inside, outside, to);
        }
        let [start, end] = [inside.start - first, inside.end - first];
        to[..start].fill(outside);
        let from =
            self.memory.wrapping_offset(inside.start as isize * self.steps[0] * self.dtype.size() as isize);
        // SAFETY: the row is one of `rows_inside`, so that the guards hold at these elements, and they are in
        // the source.
        unsafe { T::read(self.dtype, from, self.steps[0], &mut to[start..end]) };
        to[end..].fill(outside);
    }

    /// Reads elements that are inside where all numbers are multiples of their divisors.
    fn fill_multiples<T: Lanes>(&self, first: usize, inside: Range<usize>, outside: T, to: &mut [T]) {
        to.fill(outside);
        if self.lines.iter().any(|line| line.steps[0] == 0 && !line.is_whole(0)) {
            return;
        }
        let period = self.lines.iter().map(Line::period).fold(1, common_multiple);
        let period = period.min(inside.len() as i64) as usize;
        let mut candidates = inside.clone().take(period);
        let Some(start) = candidates.find(|at| self.lines.iter().all(|line| line.is_whole(*at))) else {
            return;
        };
        let stride = self.distance(start + period) - self.distance(start);
        let bytes = self.dtype.size() as isize;
        let mut from = self.memory.wrapping_offset(self.distance(start) * bytes);
        let mut gathered = [T::default(); GATHER];
        for to in to[start - first..inside.end - first].chunks_mut(GATHER * period) {
            let gathered = &mut gathered[..to.len().div_ceil(period)];
            // SAFETY: as in `fill`.
            unsafe { T::read(self.dtype, from, stride, gathered) };
            match period {
                1 => to.copy_from_slice(gathered),
                2 => spread::<T, 2>(gathered, outside, to),
                3 => spread::<T, 3>(gathered, outside, to),
                4 => spread::<T, 4>(gathered, outside, to),
                _ => to.iter_mut().step_by(period).zip(&*gathered).for_each(|(to, value)| *to = *value),
            }
            from = from.wrapping_offset(GATHER as isize * stride * bytes);
        }
    }

    /// The elements of a range whose numbers are in the range of each guard.
    fn inside(&self, range: Range<usize>) -> Range<usize> {
        let start = range.start.max(self.inside.start);
        let all = start..range.end.min(self.inside.end).max(start);
        let both = self.lines.iter().filter(|line| line.steps[0] != 0 && line.steps[1] != 0);
        both.fold(all, |all, line| line.inside(all))
    }

    /// How far an element is from the first one, if its numbers are multiples of their divisors.
    fn distance(&self, at: usize) -> isize {
        let quotient = |line: &Line| (line.number + line.steps[0] * at as i64) / line.divisor;
        let quotients = self.lines.iter().map(|line| quotient(line) as isize * line.stride);
        quotients.sum::<isize>() + at as isize * self.steps[0]
    }
}

impl Line {
    /// Whether its numbers change along a row, and alike in each row.
    fn is_same(&self) -> bool {
        self.steps[0] != 0 && self.steps[1] == 0
    }

    /// The elements of a range whose numbers are those of an element of the axis.
    fn inside(&self, range: Range<usize>) -> Range<usize> {
        let own = between(self.number, self.steps[0], self.last, range.end);
        let start = range.start.max(own.start);
        start..own.end.max(start)
    }

    fn is_whole(&self, at: usize) -> bool {
        (self.number + self.steps[0] * at as i64) % self.divisor == 0
    }

    /// After how many elements a number is a multiple of its divisor again.
    fn period(&self) -> i64 {
        self.divisor / common_divisor(self.divisor, self.steps[0].rem_euclid(self.divisor))
    }
}

fn common_divisor(mut a: i64, mut b: i64) -> i64 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

/// The least one of two positive numbers.
fn common_multiple(a: i64, b: i64) -> i64 {
    (a / common_divisor(a, b)).saturating_mul(b)
}

/// Writes a value to each `PERIOD`th element. The others are outside already; where whole periods are
/// written, the loop is vector code.
fn spread<T: Copy, const PERIOD: usize>(values: &[T], outside: T, to: &mut [T]) {
    let (whole, rest) = to.as_chunks_mut::<PERIOD>();
    if let (Some(to), Some(value)) = (rest.first_mut(), values.get(whole.len())) {
        *to = *value;
    }
    for (to, value) in whole.iter_mut().zip(values) {
        *to = [outside; PERIOD];
        to[0] = *value;
    }
}

/// The places of `0..len` at which an affine function is from 0 to `last`.
#[inline]
pub(super) fn between(first: i64, step: i64, last: i64, len: usize) -> Range<usize> {
    let all = i64::try_from(len).unwrap_or(i64::MAX);
    // The least whole number from a / b on is -((-a) / b), with a quotient that is rounded down.
    let (start, end) = match step {
        0 if (0..=last).contains(&first) => (0, all),
        0 => (0, 0),
        1 => (-first, last - first + 1),
        2.. => (-first.div_euclid(step), (last - first).div_euclid(step) + 1),
        _ => (-(last - first).div_euclid(-step), first.div_euclid(-step) + 1),
    };
    let start = start.clamp(0, all);
    start as usize..end.clamp(start, all) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_places_between_are_those_that_are_counted() {
        for (first, step, last) in
            (-7..8).flat_map(|a| (-3..4).flat_map(move |b| (0..6).map(move |c| (a, b, c))))
        {
            for len in [0, 1, 5, 9] {
                let counted = (0..len).filter(|at| (0..=last).contains(&(first + step * *at as i64)));
                let found = between(first, step, last, len);
                assert_eq!(
                    counted.collect::<Vec<_>>(),
                    found.collect::<Vec<_>>(),
                    "{first} {step} {last} {len}"
                );
            }
        }
    }
}
