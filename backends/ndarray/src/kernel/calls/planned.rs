//! A loop of a recorded call: its plan, in which a call puts its addresses and numbers.

use super::values::Values;
use crate::kernel::plan::{Base, LoopPlan};
use crate::kernel::real::Real;
use crate::kernel::rows;
use crate::kernel::split::Splits;
use crate::kernel::worker::{State, Worker};
use crate::parallel::Shared;
use tensor_op_core::{Element, Error, ErrorKind, Result};
use tensor_op_spec::ir::Kind;

/// A loop that runs on the values of a call.
pub(super) trait Loop {
    /// Reads and fills tensors.
    fn run(&mut self, values: &mut Values) -> Result<()>;
}

/// A loop that was recorded.
pub(super) struct Planned<E> {
    pub(super) plan: LoopPlan<E>,
    /// The programs with which it computes many rows at once. No later call has to make them.
    pub(super) splits: Option<Splits>,
    pub(super) addresses: Vec<Address>,
    pub(super) numbers: Vec<Number>,
}

/// The place of an operand.
#[derive(Clone, Copy, Debug)]
pub(super) struct Address {
    pub(super) operand: usize,
    pub(super) value: usize,
    /// How far the operand is from the first element of the value, in bytes.
    pub(super) distance: isize,
    pub(super) is_written: bool,
}

/// A uniform that is an argument of the call.
#[derive(Clone, Copy, Debug)]
pub(super) struct Number {
    pub(super) arg: usize,
    pub(super) pass: usize,
    pub(super) kind: Kind,
    pub(super) slot: usize,
}

/// Buffers for longer rows are not kept from one call to the next.
const LONGEST_KEPT: usize = 1 << 10;

/// A loop, and the buffers of its last run.
struct Kept<E: Real> {
    planned: Planned<E>,
    /// Whether one thread runs the loop row by row.
    is_simple: bool,
    state: Option<Box<State<E>>>,
}

/// A recorded loop of any type.
pub(super) trait Plans: Send {
    /// The loop, ready to run.
    fn ready(self: Box<Self>) -> Box<dyn Loop>;
}

impl<E: Real> Plans for Planned<E> {
    fn ready(self: Box<Self>) -> Box<dyn Loop> {
        let is_simple = self.splits.is_none() && rows::is_simple(&self.plan);
        Box::new(Kept { planned: *self, is_simple, state: None })
    }
}

impl<E: Real> Planned<E> {
    fn place(&mut self, values: &mut Values) -> Result<()> {
        for Address { operand, value, distance, is_written } in &self.addresses {
            let start = if *is_written {
                let start = values.tensor_mut(*value).as_mut_ptr();
                start
                    .ok_or_else(|| Error::new(ErrorKind::Backend, "a tensor that is written is held twice"))?
            } else {
                values.tensor(*value).as_ptr().cast_mut()
            };
            let start = Shared(start.wrapping_offset(*distance));
            let base = &mut self.plan.operands[*operand].base;
            *base = match *base {
                Base::Memory(_) => Base::Memory(start),
                Base::Window(_, window) => Base::Window(start, window),
                Base::Gathered(_, gather) => Base::Gathered(start, gather),
                Base::Iota(first) => Base::Iota(first),
                Base::Kept(value) => Base::Kept(value),
            };
        }
        for Number { arg, pass, kind, slot } in &self.numbers {
            let value = values.scalar(*arg).cast(*kind);
            let uniforms = &mut self.plan.passes[*pass].uniforms;
            match kind {
                Kind::Float => uniforms.floats[*slot] = E::from_scalar(value),
                Kind::Int => uniforms.ints[*slot] = i64::from_scalar(value),
                Kind::Bool => uniforms.bools[*slot] = bool::from_scalar(value),
            }
        }
        Ok(())
    }
}

impl<E: Real> Loop for Kept<E> {
    fn run(&mut self, values: &mut Values) -> Result<()> {
        self.planned.place(values)?;
        let plan = &self.planned.plan;
        if !self.is_simple {
            return rows::run_split(plan, self.planned.splits.as_ref());
        }
        let mut worker = match self.state.take() {
            Some(state) => Worker::again(plan, state),
            None => Worker::new(plan)?,
        };
        rows::each_row(plan, &mut worker, 0..plan.outer.len());
        self.state = Some(worker.into_state()).filter(|_| plan.inner.len() <= LONGEST_KEPT);
        Ok(())
    }
}
