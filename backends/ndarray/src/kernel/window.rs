//! Windows that reach outside of their source. A run of a window is read in parts: what lies outside has one
//! value, and what lies inside is a run of memory.

use super::plan::{Base, LoopPlan};
use super::side::Cursor;
use super::stream::{GATHER, Lanes};
use crate::layout::Few;
use std::ops::Range;
use tensor_op_core::DType;
use tensor_op_spec::ir::Scalar;

/// What a window asks at each point.
#[derive(Clone, Debug)]
pub(crate) struct Window {
    /// The value outside.
    pub(crate) outside: Scalar,
    /// A point is inside if all of these hold.
    pub(crate) guards: Few<Guard>,
}

/// A number that must be a multiple of a divisor, and the quotient an index of an axis.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Guard {
    /// The operand that is the number.
    pub(crate) operand: usize,
    /// The divisor.
    pub(crate) divisor: i64,
    /// The size of the axis.
    pub(crate) size: usize,
    /// How far the window moves in memory with each quotient.
    pub(crate) stride: isize,
}

/// A run of a window.
struct Run {
    dtype: DType,
    /// The memory at the first element, without quotients, and the step to the next.
    memory: *const u8,
    stride: isize,
    /// Guards with their number at the first element, and its step.
    guards: Few<(Guard, i64, i64)>,
}

impl<E> LoopPlan<'_, E> {
    /// Reads the block of a cursor from a window.
    pub(super) fn fill_window<T: Lanes>(&self, cursor: &Cursor, operand: usize, to: &mut [T]) {
        let axis = self.inner.rank().checked_sub(1);
        let size = axis.map_or(1, |axis| self.inner.size(axis));
        let mut at = 0;
        while at < to.len() {
            let point = cursor.start + at;
            let len = (size - point % size).min(to.len() - at);
            let step = |operand| axis.map_or(0, |axis| self.inner.stride(axis, operand));
            let place = |operand| cursor.row(operand) + self.inner.offset(operand, point);
            self.fill_run(operand, place, step, &mut to[at..at + len]);
            at += len;
        }
    }

    /// The value of a window at the row of a cursor.
    pub(super) fn window_at_row<T: Lanes>(&self, cursor: &Cursor, operand: usize) -> T {
        let mut value = [T::default()];
        self.fill_run(operand, |operand| cursor.row(operand), |_| 0, &mut value);
        value[0]
    }

    fn fill_run<T: Lanes>(
        &self,
        operand: usize,
        place: impl Fn(usize) -> isize,
        step: impl Fn(usize) -> isize,
        to: &mut [T],
    ) {
        let own = &self.operands[operand];
        let Base::Window(memory, window) = own.base else { return };
        let Window { outside, guards } = &self.windows[window];
        let number = |guard: &Guard| {
            let first = match self.operands[guard.operand].base {
                Base::Iota(first) => first,
                Base::Memory(_) | Base::Window(..) => 0,
            };
            (*guard, first + place(guard.operand) as i64, step(guard.operand) as i64)
        };
        let guards = guards.iter().map(number).collect();
        let memory = memory.at(own.bytes(place(operand)));
        Run { dtype: own.dtype, memory, stride: step(operand), guards }.fill(T::from_scalar(*outside), to);
    }
}

impl Run {
    fn fill<T: Lanes>(&self, outside: T, to: &mut [T]) {
        let inside = self.inside(to.len());
        let period = self.guards.iter().map(period).fold(1, |a: i64, b| a.saturating_mul(b));
        let candidates = inside.clone().take(usize::try_from(period).unwrap_or(usize::MAX));
        let Some(start) = candidates.into_iter().find(|at| self.is_whole(*at)) else {
            to.fill(outside);
            return;
        };
        let period = period.min(to.len() as i64) as usize;
        let (from, stride) = (self.address(start), self.stride_of(period));
        if period == 1 {
            to[..inside.start].fill(outside);
            // SAFETY: the guards hold at these elements, so they are in the source.
            unsafe { T::read(self.dtype, from, stride, &mut to[inside.clone()]) };
            to[inside.end..].fill(outside);
            return;
        }
        to.fill(outside);
        let mut places = (start..inside.end).step_by(period);
        let mut gathered = [T::default(); GATHER];
        let mut from = from;
        while places.len() > 0 {
            let count = places.len().min(GATHER);
            // SAFETY: as above.
            unsafe { T::read(self.dtype, from, stride, &mut gathered[..count]) };
            places.by_ref().take(count).zip(&gathered).for_each(|(at, value)| to[at] = *value);
            from = from.wrapping_offset(count as isize * stride * self.dtype.size() as isize);
        }
    }

    /// The elements whose numbers are in the range of each guard.
    fn inside(&self, len: usize) -> Range<usize> {
        self.guards.iter().fold(0..len, |all, (guard, first, step)| {
            let last = (guard.size as i64 - 1).saturating_mul(guard.divisor);
            let own = between(*first, *step, last, len);
            let start = all.start.max(own.start);
            start..all.end.min(own.end).max(start)
        })
    }

    /// Whether the numbers at an element are multiples of the divisors.
    fn is_whole(&self, at: usize) -> bool {
        self.guards.iter().all(|(guard, first, step)| (first + step * at as i64) % guard.divisor == 0)
    }

    /// Where an element inside of the source is.
    fn address(&self, at: usize) -> *const u8 {
        let quotients = self.guards.iter().map(|(guard, first, step)| {
            let quotient = (first + step * at as i64) / guard.divisor;
            quotient as isize * guard.stride
        });
        let distance = quotients.sum::<isize>() + at as isize * self.stride;
        self.memory.wrapping_offset(distance * self.dtype.size() as isize)
    }

    /// The distance between elements that are so many apart, if both are in the source.
    fn stride_of(&self, period: usize) -> isize {
        let quotients = self.guards.iter().map(|(guard, _, step)| {
            let quotient = step * period as i64 / guard.divisor;
            quotient as isize * guard.stride
        });
        quotients.sum::<isize>() + period as isize * self.stride
    }
}

/// After how many elements a number is a multiple of its divisor again.
fn period((guard, _, step): &(Guard, i64, i64)) -> i64 {
    let (mut a, mut b) = (guard.divisor, step.rem_euclid(guard.divisor));
    while b != 0 {
        (a, b) = (b, a % b);
    }
    guard.divisor / a
}

/// The places of `0..len` at which an affine function is from 0 to `last`.
fn between(first: i64, step: i64, last: i64, len: usize) -> Range<usize> {
    let all = i64::try_from(len).unwrap_or(i64::MAX);
    // The least whole number from a / b on is -((-a) / b), with a quotient that is rounded down.
    let (start, end) = match step {
        0 if (0..=last).contains(&first) => (0, all),
        0 => (0, 0),
        1.. => (-first.div_euclid(step), (last - first).div_euclid(step) + 1),
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
