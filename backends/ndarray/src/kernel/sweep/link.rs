//! A value that goes from step to step: a state, a sum over the steps, or a value of the step before.

use crate::kernel::real::Real;
use crate::kernel::scan::{LONG, Scanned, States, states};
use crate::parallel::Shared;
use std::ops::Range;
use tensor_op_spec::schedule::Carry;

/// A value that goes from step to step, at all points.
pub(super) struct Link<E> {
    pub(super) how: Carry,
    /// Where it is.
    pub(super) value: Shared<E>,
    /// What it takes: the factor and the summand of a recurrence, else twice the same.
    pub(super) operands: [Shared<E>; 2],
    /// The pass after which that is there.
    pub(super) after: usize,
    /// Whether it is a sum over the steps, which is as exact as other sums.
    pub(super) is_total: bool,
}

impl<E: Real + Scanned> Link<E> {
    /// The values of some points, before the first of so many steps.
    pub(super) fn at(&self, points: &Range<usize>, steps: usize) -> Own<'_, E> {
        let mut own = Own { link: self, points: points.clone(), states: None };
        match self.how {
            Carry::Scan(scan) => own.states = Some(states(scan, self.is_total || steps >= LONG)),
            Carry::Delay(outside) => own.value().fill(E::from_scalar(outside)),
        }
        own
    }
}

/// The values of a task, which nobody else reads or writes.
pub(super) struct Own<'l, E> {
    link: &'l Link<E>,
    points: Range<usize>,
    /// Those of a scan.
    states: Option<Box<dyn States<E>>>,
}

impl<E: Real> Own<'_, E> {
    /// Takes the next states after this pass, if that is when what they take is there.
    pub(super) fn next_after(&mut self, pass: usize) {
        if self.link.after == pass
            && let Some(mut states) = self.states.take()
        {
            let [a, b] = [0, 1].map(|index| self.operand(index));
            // SAFETY: as in `value`; operands are other memory.
            let (a, b) = unsafe { (&*a, &*b) };
            states.step(self.value(), a, b);
            self.states = Some(states);
        }
    }

    /// Keeps what a pass has given for the next step, if it is that.
    pub(super) fn keep(&mut self) {
        if self.states.is_none() {
            // SAFETY: as in `value`; operands are other memory.
            let given = unsafe { &*self.operand(1) };
            self.value().copy_from_slice(given);
        }
    }

    fn value(&mut self) -> &mut [E] {
        let start = self.link.value.at(self.points.start as isize);
        // SAFETY: the memory has a value for each point. These points are those of one task, which runs no
        // pass while it holds the slice.
        unsafe { std::slice::from_raw_parts_mut(start, self.points.len()) }
    }

    /// What it takes at its points. A pass of this step has written it.
    fn operand(&self, index: usize) -> *const [E] {
        let start = self.link.operands[index].at(self.points.start as isize);
        std::ptr::slice_from_raw_parts(start, self.points.len())
    }
}
