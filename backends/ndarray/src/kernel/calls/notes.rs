//! What a call has done so far: its steps, and the values of its tensors.

use super::planned::{Address, Number, Planned, Plans};
use super::tape::{Make, Step};
use super::values::{Part, Values};
use crate::kernel::plan::{Base, LoopPlan};
use crate::kernel::real::Real;
use crate::kernel::split::Splits;
use crate::layout::Layout;
use crate::tensor::NdArrayTensor;
use std::borrow::{Borrow, BorrowMut};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tensor_op_core::execute::{BoundLoop, Read, Uniform};
use tensor_op_core::{DType, Result, Shape};
use tensor_op_spec::ir::Kind;
use tensor_op_spec::schedule::Source;

/// What a call has done so far.
#[derive(Default)]
pub(super) struct Notes {
    pub(super) steps: Vec<Done>,
    /// The address and the layout of each value. An argument that is no tensor has none.
    pub(super) values: Vec<Option<(usize, Layout)>>,
    /// Whether something was done that is not recorded.
    pub(super) is_lost: bool,
}

/// A step that was done.
pub(super) enum Done {
    Empty(Shape, DType),
    Make(Make),
    Loop(Box<dyn Plans>),
}

impl Done {
    pub(super) fn ready(self) -> Step {
        match self {
            Done::Empty(shape, dtype) => Step::Empty(shape, dtype),
            Done::Make(make) => Step::Make(make),
            Done::Loop(plan) => Step::Loop(plan.ready()),
        }
    }
}

impl Notes {
    /// The number of a new value.
    pub(super) fn value(&mut self, tensor: Option<&NdArrayTensor>) -> usize {
        self.values.push(tensor.map(|tensor| (tensor.as_ptr().addr(), tensor.layout().clone())));
        self.values.len() - 1
    }

    /// The value that a tensor is a view of.
    pub(super) fn part(&self, noted: &Noted) -> Part {
        let own = noted.tensor.layout();
        let view = match &self.values[noted.value] {
            Some((_, whole)) if whole != own => {
                let start = own.offset.wrapping_sub(whole.offset).cast_signed();
                Some((own.shape.clone(), own.strides.clone(), start))
            }
            Some(_) | None => None,
        };
        Part { value: noted.value, view }
    }

    pub(super) fn planned<E: Real>(
        &self,
        plan: LoopPlan<E>,
        splits: Option<Splits>,
        nest: &BoundLoop<'_, Noted>,
    ) -> Planned<E> {
        let reads = nest.reads.iter().map(|read| match read {
            Read::Memory(value) => Some((value.tensor.value, false)),
            Read::Written(write) => Some((nest.writes[*write].value.tensor.value, true)),
            Read::Window(window) => Some((window.source.value, false)),
            Read::Index(_) | Read::Kept(_) => None,
            Read::Gathered(_) => unreachable!("a call that is recorded stores what it gathers"),
        });
        let writes = nest.writes.iter().map(|write| Some((write.value.tensor.value, true)));
        let address = |(operand, value): (usize, Option<(usize, bool)>)| {
            let (value, is_written) = value?;
            let (Base::Memory(place) | Base::Window(place, _)) = plan.operands[operand].base else {
                return None;
            };
            let (start, _) = self.values[value].as_ref()?;
            let distance = place.0.addr().wrapping_sub(*start).cast_signed();
            Some(Address { operand, value, distance, is_written })
        };
        let addresses = reads.chain(writes).enumerate().filter_map(address).collect();
        Planned { addresses, numbers: numbers(nest), plan, splits }
    }
}

/// The uniforms of a loop that are numbers of the call.
fn numbers<T>(nest: &BoundLoop<'_, T>) -> Vec<Number> {
    let mut numbers = Vec::new();
    for (pass, bound) in nest.passes.iter().enumerate() {
        let kinds = bound.pass.program.uniforms();
        for (at, (source, uniform)) in bound.pass.uniforms.iter().zip(&bound.uniforms).enumerate() {
            if let (Source::Arg(arg), Uniform::Scalar(_)) = (source, uniform) {
                let kind: Kind = kinds[at];
                let slot = kinds[..at].iter().filter(|before| **before == kind).count();
                numbers.push(Number { arg: *arg, pass, kind, slot });
            }
        }
    }
    numbers
}

/// A tensor of a call that is recorded.
#[derive(Clone)]
pub(super) struct Noted {
    pub(super) tensor: NdArrayTensor,
    /// The number of the value that it is, or that it is a view of.
    pub(super) value: usize,
    /// Whether a result may be written over it, if nobody else holds it.
    pub(super) may_write: bool,
    pub(super) notes: Arc<Mutex<Notes>>,
}

impl Borrow<NdArrayTensor> for Noted {
    fn borrow(&self) -> &NdArrayTensor {
        &self.tensor
    }
}

impl BorrowMut<NdArrayTensor> for Noted {
    fn borrow_mut(&mut self) -> &mut NdArrayTensor {
        &mut self.tensor
    }
}

impl Noted {
    pub(super) fn notes(&self) -> MutexGuard<'_, Notes> {
        self.notes.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Does what gives a view of this tensor, or a new tensor.
    pub(super) fn then(
        self,
        run: impl Fn(NdArrayTensor) -> Result<NdArrayTensor> + Send + 'static,
    ) -> Result<Noted> {
        let identity = |tensor: &NdArrayTensor| (tensor.as_ptr(), tensor.dtype(), tensor.elements());
        let (before, part) = (identity(&self.tensor), self.notes().part(&self));
        let Noted { tensor, value, may_write, notes } = self;
        let tensor = run(tensor)?;
        // The view begins where its tensor begins. A new tensor was made before the other one was freed.
        if identity(&tensor) == before {
            return Ok(Noted { tensor, value, may_write, notes });
        }
        Ok(Noted::made(notes, tensor, move |values| run(values.part(&part))))
    }

    /// A tensor that was made of others. `make` makes it of the values of another call.
    pub(super) fn made(
        notes: Arc<Mutex<Notes>>,
        tensor: NdArrayTensor,
        make: impl Fn(&Values) -> Result<NdArrayTensor> + Send + 'static,
    ) -> Noted {
        let value = {
            let mut notes = notes.lock().unwrap_or_else(PoisonError::into_inner);
            notes.steps.push(Done::Make(Box::new(make)));
            notes.value(Some(&tensor))
        };
        Noted { tensor, value, may_write: true, notes }
    }

    /// A view of this tensor.
    pub(super) fn map(self, view: impl FnOnce(NdArrayTensor) -> Result<NdArrayTensor>) -> Result<Noted> {
        Ok(Noted { tensor: view(self.tensor)?, ..self })
    }

    /// Gives up recording.
    pub(super) fn lose(&self) {
        self.notes().is_lost = true;
    }
}
