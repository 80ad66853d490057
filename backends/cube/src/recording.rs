//! Steps that a device records: their kernels are launched again as one graph.
//!
//! CubeCL keeps the memory that the recorded kernels used for as long as the graph lives. The recording holds
//! the tensors through which contents go in and out, and copies them by kernels on the same stream.

use crate::device::Opened;
use crate::failure::failed;
use crate::fault::{Doubts, Watched};
use crate::kernel::whole;
use crate::tensor::CubeTensor;
use cubecl::client::{Client, Graph};
use tensor_op_core::recording::{Recording, Step, check_alike};
use tensor_op_core::{Error, ErrorKind, Result};

/// A recorded step. It belongs to one thread, as the stream does on which it was recorded: the trait object
/// that callers get can't be sent.
struct CubeRecording {
    graph: Graph,
    state: Vec<CubeTensor>,
    inputs: Vec<CubeTensor>,
    outputs: Vec<CubeTensor>,
    /// The recorded calls that may fail.
    watched: Watched,
    /// What the state owes to inputs of earlier replays.
    doubts: Doubts,
}

/// Records a step; `None` if the device can't.
pub(crate) fn record(
    device: &'static Opened,
    state: &[CubeTensor],
    inputs: &[CubeTensor],
    step: &mut Step<'_, CubeTensor>,
) -> Result<Option<Box<dyn Recording<CubeTensor>>>> {
    let [own, own_inputs] = [copies(state)?, copies(inputs)?];
    let mut run = || {
        let (next, outputs) = step(&own, &own_inputs)?;
        check_alike("the state after the step", &next, &own, CubeTensor::form)?;
        let outputs = outputs.into_iter().map(|output| apart(output, &own)).collect::<Result<Vec<_>>>()?;
        advance(&own, next)?;
        Ok(outputs)
    };
    let Some(window) = Window::prepare(&device.client)? else { return Ok(None) };
    let mut calls = device.faults.begin(&device.client);
    // The first run compiles the kernels and takes the memory that the recorded run uses. The results of both
    // must not be there at once.
    drop(run()?);
    calls.skip();
    window.client.start_capture().map_err(failed)?;
    let outputs = run()?;
    let graph = window.seal()?;
    let watched = calls.end();
    overwrite(&own, state)?;
    let doubts = Doubts::all(state.iter().map(|tensor| &tensor.doubts))?;
    Ok(Some(Box::new(CubeRecording { graph, state: own, inputs: own_inputs, outputs, watched, doubts })))
}

impl Recording<CubeTensor> for CubeRecording {
    fn replay(&mut self, inputs: &[CubeTensor]) -> Result<Vec<CubeTensor>> {
        check_alike("the inputs", inputs, &self.inputs, CubeTensor::form)?;
        self.watched.again()?;
        let given = inputs.iter().map(|input| &input.doubts);
        self.doubts = Doubts::all(given.chain([&self.doubts, self.watched.doubts()]))?;
        overwrite(&self.inputs, inputs)?;
        // SAFETY: the graph keeps the memory between its kernels, and `self` keeps the tensors at its ends.
        // Other code has no access to either: contents are copied in and out. The copies are launched on the
        // stream of the recording, since a recording stays on its thread.
        unsafe { self.graph.replay() }.map_err(failed)?;
        self.outputs.iter().map(|output| copied(output)?.doubted(&self.doubts)).collect()
    }

    fn state(&self) -> Result<Vec<CubeTensor>> {
        self.state.iter().map(|tensor| copied(tensor)?.doubted(&self.doubts)).collect()
    }
}

/// The time in which a stream records. It is closed in any case: a stream that stays open refuses all reads.
struct Window<'c> {
    client: &'c Client,
    is_sealed: bool,
}

impl<'c> Window<'c> {
    /// `None` if the device records nothing.
    fn prepare(client: &'c Client) -> Result<Option<Window<'c>>> {
        client.graph_prepare().map_err(failed)?;
        Ok(client.is_capturing().then_some(Window { client, is_sealed: false }))
    }

    fn seal(mut self) -> Result<Graph> {
        self.is_sealed = true;
        self.client.stop_capture().map_err(|error| {
            let why = "it reads a tensor, waits for the device, moves data to it, or takes memory that its first run did not take";
            Error::new(ErrorKind::Unsupported, format!("the step can't be recorded: {why}; {}", failed(error)))
        })
    }
}

impl Drop for Window<'_> {
    fn drop(&mut self) {
        if !self.is_sealed {
            // The error that led here is the one to tell.
            let _ = self.client.stop_capture();
        }
    }
}

/// Copies in memory of their own.
fn copies(tensors: &[CubeTensor]) -> Result<Vec<CubeTensor>> {
    tensors.iter().map(copied).collect()
}

fn copied(tensor: &CubeTensor) -> Result<CubeTensor> {
    let out = CubeTensor::empty(tensor.shape(), tensor.dtype, tensor.device)?;
    whole::copy(tensor, &out)?;
    out.doubted(&tensor.doubts)
}

/// Writes the elements of `from` into the memory of `into`, whoever else holds it.
fn overwrite(into: &[CubeTensor], from: &[CubeTensor]) -> Result<()> {
    into.iter().zip(from).try_for_each(|(into, from)| whole::copy(from, into))
}

/// Writes the next state into the memory of the state.
fn advance(state: &[CubeTensor], next: Vec<CubeTensor>) -> Result<()> {
    let keeps = |(own, next): &(&CubeTensor, CubeTensor)| shares(own, next) && own.layout == next.layout;
    let moves: Vec<(&CubeTensor, CubeTensor)> = state.iter().zip(next).filter(|pair| !keeps(pair)).collect();
    // A part of the state may become another part of it.
    let apart = |(own, next)| Ok((own, apart(next, state)?));
    let moves: Vec<(&CubeTensor, CubeTensor)> = moves.into_iter().map(apart).collect::<Result<_>>()?;
    moves.iter().try_for_each(|(own, next)| whole::copy(next, own))
}

/// The tensor, or a copy if it lies in the memory of the state, which is about to be overwritten.
fn apart(tensor: CubeTensor, state: &[CubeTensor]) -> Result<CubeTensor> {
    if state.iter().any(|own| shares(own, &tensor)) { copied(&tensor) } else { Ok(tensor) }
}

fn shares(one: &CubeTensor, other: &CubeTensor) -> bool {
    std::ptr::eq(one.handle.memory.descriptor(), other.handle.memory.descriptor())
}
