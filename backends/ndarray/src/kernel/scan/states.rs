//! The states of a scan at many points, which are taken from step to step together.

use super::step::Step;
use super::{Scanned, WithStep};
use crate::lane::{Isa, Routine, dispatch};
use tensor_op_spec::prim::Scan;

/// The states of a scan at some points.
pub(crate) trait States<E>: Send {
    /// Takes a step at each point, from what the scan takes there, and writes the results. A scan that is no
    /// recurrence takes `b` alone.
    fn step(&mut self, out: &mut [E], a: &[E], b: &[E]);
}

/// The states of a scan before its first step.
pub(crate) fn states<E: Scanned>(scan: Scan, is_long: bool) -> Box<dyn States<E>> {
    E::with_step(scan, is_long, New)
}

/// Makes states.
struct New;

impl<E: Scanned> WithStep<E> for New {
    type Output = Box<dyn States<E>>;
    fn with<S: Step<E> + 'static>(self, step: S) -> Box<dyn States<E>> {
        Box::new(AtPoints::<E, S> { step, states: Vec::new() })
    }
}

/// The states, and how the next ones follow.
struct AtPoints<E, S: Step<E>> {
    step: S,
    /// Empty before the first step.
    states: Vec<S::State>,
}

impl<E: Scanned, S: Step<E>> States<E> for AtPoints<E, S> {
    fn step(&mut self, out: &mut [E], a: &[E], b: &[E]) {
        let step = self.step;
        if self.states.is_empty() {
            self.states.extend(b.iter().map(|b| step.first(*b)));
            out.iter_mut().zip(&self.states).for_each(|(out, state)| *out = step.stored(*state));
        } else {
            dispatch(Next { step, states: &mut self.states, out, a, b });
        }
    }
}

/// A step that is not the first one.
struct Next<'n, E, S: Step<E>> {
    step: S,
    states: &'n mut [S::State],
    out: &'n mut [E],
    a: &'n [E],
    b: &'n [E],
}

impl<E: Copy, S: Step<E>> Routine for Next<'_, E, S> {
    type Output = ();
    #[inline(always)]
    fn run<I: Isa>(self) {
        let Next { step, states, out, a, b } = self;
        for (((state, out), a), b) in states.iter_mut().zip(out).zip(a).zip(b) {
            *state = step.next(*state, *a, *b);
            *out = step.stored(*state);
        }
    }
}
