//! Steps that a device records: their kernels are launched again as one graph.
//!
//! CubeCL keeps the memory that the recorded kernels used for as long as the graph lives. The recording holds
//! the tensors through which contents go in and out, and copies them by kernels on the same stream.

use crate::device::Opened;
use crate::failure::failed;
use crate::fault::{Doubts, Recorded};
use crate::kernel::whole;
use crate::tensor::CubeTensor;
use cubecl::client::Graph;
use tensor_op_core::recording::{Recording, Step, check_alike};
use tensor_op_core::{Error, ErrorKind, Result};

/// A recorded step. It belongs to one thread, as the stream does on which it was recorded: the trait object
/// that callers get can't be sent.
struct CubeRecording {
    device: &'static Opened,
    graph: Graph,
    state: Vec<CubeTensor>,
    inputs: Vec<CubeTensor>,
    outputs: Vec<CubeTensor>,
    /// The recorded calls that may fail.
    calls: Recorded,
    /// What the state owes to the inputs so far, and to what the step reads besides them.
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
        let doubts = Doubts::all(next.iter().map(|tensor| &tensor.doubts))?;
        advance(&own, next)?;
        Ok::<_, Error>((outputs, doubts))
    };
    let Some(mut window) = Window::prepare(device)? else { return Ok(None) };
    // The first run compiles the kernels and takes the memory that the recorded run uses. The results of both
    // must not be there at once.
    drop(run()?);
    window.start()?;
    let (outputs, doubts) = run()?;
    let (graph, calls) = window.seal()?;
    overwrite(&own, state)?;
    let doubts = Doubts::all(state.iter().map(|tensor| &tensor.doubts).chain([&doubts]))?;
    Ok(Some(Box::new(CubeRecording {
        device,
        graph,
        state: own,
        inputs: own_inputs,
        outputs,
        calls,
        doubts,
    })))
}

impl Recording<CubeTensor> for CubeRecording {
    fn replay(&mut self, inputs: &[CubeTensor]) -> Result<Vec<CubeTensor>> {
        check_alike("the inputs", inputs, &self.inputs, CubeTensor::form)?;
        let given = inputs.iter().map(|input| &input.doubts);
        let doubts = Doubts::all(given.chain([&self.doubts]))?;
        let made = self.outputs.iter().map(empty_like).collect::<Result<Vec<_>>>()?;
        self.device.faults.again(&self.calls)?;
        overwrite(&self.inputs, inputs)?;
        // The graph is launched past the client, and these copies and those of the last outputs go before it.
        self.device.start_waiting();
        // SAFETY: all memory of the graph is still there: CubeCL guards the pages that the recorded kernels
        // used, and `self` holds the tensors at both ends. Contents go in and out on the stream of the graph,
        // because a recording stays on its thread. If the step has let a tensor out of itself, another thread
        // may read it meanwhile: it gets elements of before or after the replay. `capture` says so.
        unsafe { self.graph.replay() }.map_err(failed)?;
        // Only now does a doubt that is settled mean this replay.
        self.doubts = Doubts::all([&doubts, &self.calls.doubts()])?;
        overwrite(&made, &self.outputs)?;
        let with =
            |(made, output): (CubeTensor, &CubeTensor)| made.doubted(&output.doubts)?.doubted(&self.doubts);
        made.into_iter().zip(&self.outputs).map(with).collect()
    }

    fn state(&self) -> Result<Vec<CubeTensor>> {
        copies(&self.state)?.into_iter().map(|tensor| tensor.doubted(&self.doubts)).collect()
    }
}

/// The time in which a stream records. It is closed in any case: a stream that stays open refuses all reads.
struct Window {
    device: &'static Opened,
    /// The recorded calls, once the stream records.
    calls: Option<Recorded>,
}

impl Window {
    /// `None` if the device records nothing.
    fn prepare(device: &'static Opened) -> Result<Option<Window>> {
        device.client().graph_prepare().map_err(failed)?;
        Ok(device.client().is_capturing().then_some(Window { device, calls: None }))
    }

    fn start(&mut self) -> Result<()> {
        self.calls = Some(self.device.faults.record(self.device.client()));
        self.device.client().start_capture().map_err(failed)
    }

    fn seal(mut self) -> Result<(Graph, Recorded)> {
        let graph = self.device.client().stop_capture().map_err(|error| {
            let why = "it reads a tensor, waits for the device, moves data to it, or takes memory that its first run did not take";
            Error::new(ErrorKind::Unsupported, format!("the step can't be recorded: {why}; {}", failed(error)))
        })?;
        let calls =
            self.calls.take().ok_or_else(|| Error::new(ErrorKind::Backend, "nothing was recorded"))?;
        calls.end();
        Ok((graph, calls))
    }
}

impl Drop for Window {
    fn drop(&mut self) {
        if self.device.client().is_capturing() {
            // The error that led here is the one to tell.
            let _ = self.device.client().stop_capture();
        }
        if let Some(calls) = &self.calls {
            self.device.faults.forget(calls);
        }
    }
}

/// Copies in memory of their own, without the doubts.
fn copies(tensors: &[CubeTensor]) -> Result<Vec<CubeTensor>> {
    let made = tensors.iter().map(empty_like).collect::<Result<Vec<_>>>()?;
    overwrite(&made, tensors)?;
    Ok(made)
}

fn empty_like(tensor: &CubeTensor) -> Result<CubeTensor> {
    CubeTensor::empty(tensor.shape(), tensor.dtype, tensor.device)
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
    let own_memory = |(own, next)| Ok((own, apart(next, state)?));
    let moves: Vec<(&CubeTensor, CubeTensor)> = moves.into_iter().map(own_memory).collect::<Result<_>>()?;
    moves.iter().try_for_each(|(own, next)| whole::copy(next, own))
}

/// The tensor, or a copy if it lies in the memory of the state, which is about to be overwritten.
fn apart(tensor: CubeTensor, state: &[CubeTensor]) -> Result<CubeTensor> {
    if !state.iter().any(|own| shares(own, &tensor)) {
        return Ok(tensor);
    }
    let out = empty_like(&tensor)?;
    whole::copy(&tensor, &out)?;
    out.doubted(&tensor.doubts)
}

fn shares(one: &CubeTensor, other: &CubeTensor) -> bool {
    std::ptr::eq(one.handle.memory.descriptor(), other.handle.memory.descriptor())
}
