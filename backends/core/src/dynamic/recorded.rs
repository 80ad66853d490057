//! Recordings of devices whose backend is a value: types are erased on the way out, and found on the way in.

use super::erased::{Erased, open, peek};
use super::expected::{Form, form};
use super::{DynTensor, ErasedBackend, guard, same_device};
use crate::device::Entry;
use crate::recording::{Recording, Step};
use crate::{Backend, Device, Error, ErrorKind, Result};
use std::sync::Arc;
use std::{mem, ptr};

/// Records a step of erased tensors on a device of the backend.
pub(super) fn record<B: Backend>(
    name: &str,
    device: usize,
    state: &[&Erased],
    inputs: &[&Erased],
    step: &mut Step<'_, Erased>,
) -> Result<Option<Box<dyn Recording<Erased>>>> {
    let typed = |tensors: &[&Erased]| tensors.iter().map(|tensor| peek::<B>(&***tensor).clone()).collect();
    let mut forms = Forms::default();
    let mut step = |state: &[B::Tensor], inputs: &[B::Tensor]| {
        let (state, outputs) = step(&erased::<B>(state.to_vec()), &erased::<B>(inputs.to_vec()))?;
        forms = Forms { state: forms_of::<B>(&state), outputs: forms_of::<B>(&outputs) };
        Ok((opened::<B>(state)?, opened::<B>(outputs)?))
    };
    let recording = guard::call_back::<B, _>(name, |program| {
        let mut step = |state: &[B::Tensor], inputs: &[B::Tensor]| program.answer(|| step(state, inputs));
        let (state, inputs): (Vec<B::Tensor>, Vec<B::Tensor>) = (typed(state), typed(inputs));
        B::record(&B::nth_device(device)?, &state, &inputs, &mut step)
    })?;
    let Some(recording) = recording else { return Ok(None) };
    Ok(Some(Box::new(Typed::<B> { name: name.to_string(), forms, recording })))
}

fn erased<B: Backend>(tensors: Vec<B::Tensor>) -> Vec<Erased> {
    tensors.into_iter().map(|tensor| Arc::new(tensor) as Erased).collect()
}

fn forms_of<B: Backend>(tensors: &[Erased]) -> Vec<Form> {
    tensors.iter().map(|tensor| form::<B>(&**tensor)).collect()
}

fn opened<B: Backend>(tensors: Vec<Erased>) -> Result<Vec<B::Tensor>> {
    tensors.into_iter().map(open::<B>).collect()
}

/// What the step has returned, which the recording must return too.
#[derive(Default)]
struct Forms {
    state: Vec<Form>,
    outputs: Vec<Form>,
}

/// A recording of tensors whose types are erased.
struct Typed<B: Backend> {
    /// The name under which the backend is registered.
    name: String,
    forms: Forms,
    recording: Box<dyn Recording<B::Tensor>>,
}

impl<B: Backend> Recording<Erased> for Typed<B> {
    fn replay(&mut self, inputs: &[Erased]) -> Result<Vec<Erased>> {
        let replayed = guard::call::<B, _>(&self.name, || {
            let tensors = self.recording.replay(&opened::<B>(inputs.to_vec())?)?;
            guard::all_made::<B>(&self.name, tensors, &self.forms.outputs)
        });
        replayed.map(erased::<B>)
    }

    fn state(&self) -> Result<Vec<Erased>> {
        let state = guard::call::<B, _>(&self.name, || {
            guard::all_made::<B>(&self.name, self.recording.state()?, &self.forms.state)
        });
        state.map(erased::<B>)
    }
}

/// Records a step on any device.
pub(super) fn record_on(
    device: &Device,
    state: &[DynTensor],
    inputs: &[DynTensor],
    step: &mut Step<'_, DynTensor>,
) -> Result<Option<Box<dyn Recording<DynTensor>>>> {
    let place = Place { entry: device.entry()?, index: device.index() };
    same_device(state.iter().chain(inputs))?;
    place.check(state.first().or(inputs.first()))?;
    let mut step = |state: &[Erased], inputs: &[Erased]| {
        let (state, outputs) = step(&place.wrapped(state.to_vec()), &place.wrapped(inputs.to_vec()))?;
        same_device(state.iter().chain(&outputs))?;
        place.check(state.first().or(outputs.first()))?;
        Ok((inner(state), inner(outputs)))
    };
    let [state, inputs] =
        [state, inputs].map(|tensors| tensors.iter().map(DynTensor::inner).collect::<Vec<_>>());
    let backend = place.entry.backend(place.index);
    let recording = backend.record(place.index, &state, &inputs, &mut step)?;
    let Some(recording) = recording else { return Ok(None) };
    Ok(Some(Box::new(Placed { place, backend, recording: Some(recording) })))
}

fn inner(tensors: Vec<DynTensor>) -> Vec<Erased> {
    tensors.into_iter().map(DynTensor::into_inner).collect()
}

/// A device, as tensors have it.
#[derive(Clone, Copy)]
struct Place {
    entry: &'static Entry,
    index: usize,
}

impl Place {
    fn wrapped(self, tensors: Vec<Erased>) -> Vec<DynTensor> {
        tensors.into_iter().map(|inner| DynTensor::beside(self.entry, self.index, inner)).collect()
    }

    fn check(self, tensor: Option<&DynTensor>) -> Result<()> {
        let Some(tensor) = tensor else { return Ok(()) };
        if std::ptr::eq(tensor.entry, self.entry) && tensor.index == self.index {
            return Ok(());
        }
        let message = format!(
            "the recording is of {}, and a tensor lies on {}; move it first",
            Device::of(self.entry, self.index),
            tensor.device()
        );
        Err(Error::new(ErrorKind::Device, message))
    }
}

/// A recording of tensors that know their device.
struct Placed {
    place: Place,
    /// The backend as it was called for the device when the step was recorded.
    backend: &'static dyn ErasedBackend,
    /// `None` while the recording is dropped.
    recording: Option<Box<dyn Recording<Erased>>>,
}

impl Placed {
    /// An `Err` if the device has another time limit than the recording.
    fn check_limit(&self) -> Result<()> {
        let Place { entry, index } = self.place;
        if ptr::addr_eq(self.backend, entry.backend(index)) {
            return Ok(());
        }
        let device = Device::of(entry, index);
        let message = format!("the time limit of {device} has changed; record the step again");
        Err(Error::new(ErrorKind::Device, message))
    }
}

/// What a recording holds of a lost device is leaked, as its tensors are.
impl Drop for Placed {
    fn drop(&mut self) {
        if self.place.entry.is_lost(self.place.index) {
            mem::forget(self.recording.take());
        }
    }
}

impl Recording<DynTensor> for Placed {
    fn replay(&mut self, inputs: &[DynTensor]) -> Result<Vec<DynTensor>> {
        same_device(inputs)?;
        self.place.check(inputs.first())?;
        self.check_limit()?;
        let recording = self.recording.as_mut().expect("only `drop` takes it");
        let inputs: Vec<Erased> = inputs.iter().map(|input| input.inner().clone()).collect();
        Ok(self.place.wrapped(recording.replay(&inputs)?))
    }

    fn state(&self) -> Result<Vec<DynTensor>> {
        self.check_limit()?;
        let recording = self.recording.as_ref().expect("only `drop` takes it");
        Ok(self.place.wrapped(recording.state()?))
    }
}
