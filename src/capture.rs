//! Steps that are recorded once and started again as a whole: less of the host's work for each kernel.

use crate::{Device, Error, ErrorKind, Result, Tensor};
use tensor_op_autodiff::AutodiffTensor;
use tensor_op_core::recording::{Recording, check_alike};
use tensor_op_core::{Backend, DType, DynTensor, Dynamic, Shape, drawn_on_this_thread};

/// A step that [`capture`] has recorded, with its state.
///
/// It stays on the thread that recorded it.
pub struct Captured<F> {
    step: F,
    /// What the device has recorded, which holds the state. Without it the step runs as it is.
    recording: Option<Box<dyn Recording<DynTensor>>>,
    state: Vec<Tensor>,
    inputs: Vec<Form>,
    device: Device,
}

/// The shape and the dtype of a tensor.
type Form = (Shape, DType);

/// Records `step` on a device, so that it can be started again as a whole. A GPU then launches its kernels
/// as one graph (CUDA), or encodes them again from what was prepared (wgpu), which takes a fraction of the
/// host's time for single calls. On devices that record nothing, such as the CPU, the step just runs.
///
/// The step takes the state and the inputs and returns the next state and outputs: for a training step these
/// are the parameters, a batch, the moved parameters and the loss. The state lives in memory of its own from
/// then on, and each [`Captured::replay`] moves it on. `state` and `inputs` themselves stay as they are.
/// Nothing is tracked into the step or out of it; inside, gradients work as always.
///
/// ```
/// use tensor_op::prelude::*;
/// use tensor_op::capture;
///
/// # fn main() -> Result<()> {
/// // A step of gradient descent towards the data.
/// let step = |state: &[Tensor], inputs: &[Tensor]| {
///     let x = state[0].clone().require_grad();
///     let difference = (&x - &inputs[0])?;
///     let loss = (&difference * &difference)?.sum(..)?;
///     let gradient = loss.backward()?.get(&x).cloned();
///     let moved = (&state[0] - (gradient.unwrap_or(x.zeros_like()?) * 0.25)?)?;
///     Ok((vec![moved], vec![loss]))
/// };
/// let data = Tensor::from([1.0, 2.0]);
/// let mut captured = capture(&[data.zeros_like()?], &[data.clone()], step)?;
/// assert_eq!(captured.replay(&[data.clone()])?[0].item::<f64>()?, 5.0);
/// assert_eq!(captured.replay(&[data])?[0].item::<f64>()?, 1.25);
/// assert_eq!(captured.state()?[0].to_vec::<f64>()?, [0.75, 1.5]);
/// # Ok(())
/// # }
/// ```
///
/// What is not a tensor is part of the recording: a learning rate that changes must be an input. While a GPU
/// records, the step runs twice, once as it is and once without being computed. Its tensors are memory of the
/// recording, whose elements change with each replay, at any time for other threads: a step should keep none
/// of them for itself. Products in a recording are CubeCL's, also with the feature `cublas`.
///
/// # Errors
/// Any error of the step. Also an error in these cases:
/// - the next state has other shapes or dtypes than the state, or tensors lie on several devices;
/// - the step draws random numbers from a generator: it would draw the same ones each time. Numbers that
///   depend on an input, such as `random(seed + iota(n))` in a formula, are fine;
/// - the device can't record what the step does, because it reads a tensor, waits, or makes one of the host's
///   data.
pub fn capture<F>(state: &[Tensor], inputs: &[Tensor], step: F) -> Result<Captured<F>>
where
    F: Fn(&[Tensor], &[Tensor]) -> Result<(Vec<Tensor>, Vec<Tensor>)>,
{
    let Some(first) = state.first().or(inputs.first()) else {
        return Err(failed(ErrorKind::Length, "a step without state and inputs computes the same each time"));
    };
    let device = first.device();
    let [own, given] = [state, inputs].map(inner);
    let recording = Dynamic::record(device.core(), &own, &given, &mut |state, inputs| {
        let draws = drawn_on_this_thread();
        let (next, outputs) = step(&wrapped(state.to_vec()), &wrapped(inputs.to_vec()))?;
        check_draws(draws)?;
        Ok((inner(&next), inner(&outputs)))
    });
    let recording = recording.map_err(of_capture)?;
    let state = if recording.is_some() { vec![] } else { wrapped(own) };
    Ok(Captured { step, recording, state, inputs: inputs.iter().map(form).collect(), device })
}

impl<F> Captured<F>
where
    F: Fn(&[Tensor], &[Tensor]) -> Result<(Vec<Tensor>, Vec<Tensor>)>,
{
    /// Does the step on the state and these inputs, which have the shapes, the dtypes and the device of the
    /// recorded ones. Returns the outputs, in memory of their own.
    ///
    /// # Errors
    /// If the inputs differ from the recorded ones, and any error of the step. After an index out of range on
    /// a GPU, which it tells when something is read, the state is wrong: all later replays are errors.
    pub fn replay(&mut self, inputs: &[Tensor]) -> Result<Vec<Tensor>> {
        let forms: Vec<Form> = inputs.iter().map(form).collect();
        check_alike("the inputs", &forms, &self.inputs, borrowed).map_err(of_capture)?;
        if let Some(recording) = &mut self.recording {
            return recording.replay(&inner(inputs)).map(wrapped).map_err(of_capture);
        }
        self.check_devices("an input", inputs)?;
        let draws = drawn_on_this_thread();
        let (next, outputs) = (self.step)(&self.state, &wrapped(inner(inputs)))?;
        check_draws(draws)?;
        let [found, own] = [&next, &self.state].map(|tensors| tensors.iter().map(form).collect::<Vec<_>>());
        check_alike("the state after the step", &found, &own, borrowed).map_err(of_capture)?;
        self.check_devices("the state after the step", &next)?;
        self.state = wrapped(inner(&next));
        Ok(wrapped(inner(&outputs)))
    }

    /// The state as it is now, in memory of its own.
    ///
    /// # Errors
    /// If the device fails.
    pub fn state(&self) -> Result<Vec<Tensor>> {
        match &self.recording {
            Some(recording) => recording.state().map(wrapped).map_err(of_capture),
            None => Ok(self.state.clone()),
        }
    }

    fn check_devices(&self, what: &str, tensors: &[Tensor]) -> Result<()> {
        let Some(other) = tensors.iter().find(|tensor| tensor.device() != self.device) else { return Ok(()) };
        let message =
            format!("{what} lies on {}, and the step is of {}; move it first", other.device(), self.device);
        Err(failed(ErrorKind::Device, &message))
    }

    /// Whether the device has recorded the step, so that replays cost less than calls.
    pub fn is_recorded(&self) -> bool {
        self.recording.is_some()
    }
}

fn check_draws(before: u64) -> Result<()> {
    if drawn_on_this_thread() == before {
        return Ok(());
    }
    let message = "the step draws random numbers, which would be the same in each replay; make them of a seed that is an input";
    Err(failed(ErrorKind::Unsupported, message))
}

fn form(tensor: &Tensor) -> Form {
    (tensor.shape(), tensor.dtype())
}

fn borrowed((shape, dtype): &Form) -> (&Shape, DType) {
    (shape, *dtype)
}

/// Without what they were computed from.
fn inner(tensors: &[Tensor]) -> Vec<DynTensor> {
    tensors.iter().map(|tensor| tensor.primitive().inner().clone()).collect()
}

fn wrapped(tensors: Vec<DynTensor>) -> Vec<Tensor> {
    tensors.into_iter().map(|tensor| Tensor::from_primitive(AutodiffTensor::from_inner(tensor))).collect()
}

fn failed(kind: ErrorKind, message: &str) -> Error {
    of_capture(Error::new(kind, message))
}

fn of_capture(error: Error) -> Error {
    error.with_op("capture")
}

impl<F> std::fmt::Debug for Captured<F> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let is_recorded = self.recording.is_some();
        f.debug_struct("Captured").field("inputs", &self.inputs).field("is_recorded", &is_recorded).finish()
    }
}
