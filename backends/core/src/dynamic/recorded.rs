//! Recordings of devices whose backend is a value: types are erased on the way out, and found on the way in.

use super::erased::{Erased, open, peek};
use super::{DynTensor, guard, same_device};
use crate::device::Entry;
use crate::recording::{Recording, Step};
use crate::{Backend, Device, Error, ErrorKind, Result};
use std::sync::Arc;

/// Records a step of erased tensors on a device of the backend.
pub(super) fn record<B: Backend>(
    name: &str,
    device: usize,
    state: &[&Erased],
    inputs: &[&Erased],
    step: &mut Step<'_, Erased>,
) -> Result<Option<Box<dyn Recording<Erased>>>> {
    let typed = |tensors: &[&Erased]| tensors.iter().map(|tensor| peek::<B>(&***tensor).clone()).collect();
    let (state, inputs): (Vec<B::Tensor>, Vec<B::Tensor>) = (typed(state), typed(inputs));
    let mut step = |state: &[B::Tensor], inputs: &[B::Tensor]| {
        let (state, outputs) = step(&erased::<B>(state.to_vec()), &erased::<B>(inputs.to_vec()))?;
        Ok((opened::<B>(state)?, opened::<B>(outputs)?))
    };
    let recording = guard::call_back::<B, _>(name, |program| {
        let mut step = |state: &[B::Tensor], inputs: &[B::Tensor]| program.answer(|| step(state, inputs));
        B::record(&B::nth_device(device)?, &state, &inputs, &mut step)
    })?;
    let erase =
        |recording| Box::new(Typed::<B> { name: name.to_string(), recording }) as Box<dyn Recording<Erased>>;
    Ok(recording.map(erase))
}

fn erased<B: Backend>(tensors: Vec<B::Tensor>) -> Vec<Erased> {
    tensors.into_iter().map(|tensor| Arc::new(tensor) as Erased).collect()
}

fn opened<B: Backend>(tensors: Vec<Erased>) -> Result<Vec<B::Tensor>> {
    tensors.into_iter().map(open::<B>).collect()
}

/// A recording of tensors whose types are erased.
struct Typed<B: Backend> {
    /// The name under which the backend is registered.
    name: String,
    recording: Box<dyn Recording<B::Tensor>>,
}

impl<B: Backend> Recording<Erased> for Typed<B> {
    fn replay(&mut self, inputs: &[Erased]) -> Result<Vec<Erased>> {
        let inputs = opened::<B>(inputs.to_vec())?;
        guard::call::<B, _>(&self.name, || self.recording.replay(&inputs)).map(erased::<B>)
    }

    fn state(&self) -> Result<Vec<Erased>> {
        guard::call::<B, _>(&self.name, || self.recording.state()).map(erased::<B>)
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
    let recording = place.entry.backend(place.index).record(place.index, &state, &inputs, &mut step)?;
    Ok(recording.map(|recording| Box::new(Placed { place, recording }) as Box<dyn Recording<DynTensor>>))
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
    recording: Box<dyn Recording<Erased>>,
}

impl Recording<DynTensor> for Placed {
    fn replay(&mut self, inputs: &[DynTensor]) -> Result<Vec<DynTensor>> {
        same_device(inputs)?;
        self.place.check(inputs.first())?;
        let inputs: Vec<Erased> = inputs.iter().map(|input| input.inner().clone()).collect();
        Ok(self.place.wrapped(self.recording.replay(&inputs)?))
    }

    fn state(&self) -> Result<Vec<DynTensor>> {
        Ok(self.place.wrapped(self.recording.state()?))
    }
}
