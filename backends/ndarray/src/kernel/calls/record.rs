//! Records a call: the executor runs it with kernels that write down what they do.

use super::notes::{Done, Noted, Notes};
use super::recorder::Recorder;
use super::tape::Tape;
use super::values::Part;
use crate::kernel::cpu::Cpu;
use crate::kernel::way::Way;
use crate::tensor::NdArrayTensor;
use std::mem::take;
use std::sync::{Arc, Mutex, PoisonError};
use tensor_op_core::{Result, Spec, Value};

type Results = Vec<Option<NdArrayTensor>>;

/// Runs a call. Also gives its tape, if it did nothing that is not recorded.
pub(super) fn record(
    way: &Way,
    spec: &Spec,
    args: Vec<Value<NdArrayTensor>>,
    wanted: &[bool],
    cpu: Cpu<'_>,
) -> Result<(Results, Option<Tape>)> {
    let notes = Arc::new(Mutex::new(Notes::default()));
    let args = args.into_iter().map(|arg| {
        // A value that is no tensor has a number too.
        let value = notes.lock().unwrap_or_else(PoisonError::into_inner).value(arg.tensor());
        arg.map(|tensor| Noted { tensor, value, notes: notes.clone() })
    });
    let args = args.collect();
    let found = way.run_with(spec, args, wanted, &mut Recorder { cpu, notes: notes.clone() })?;
    let notes = take(&mut *notes.lock().unwrap_or_else(PoisonError::into_inner));
    let results: Vec<Option<Part>> =
        found.iter().map(|result| result.as_ref().map(|result| notes.part(result))).collect();
    let is_last =
        |at: usize, part: &Part| results[at + 1..].iter().flatten().all(|later| later.value != part.value);
    let marked = results.iter().enumerate();
    let marked = marked.map(|(at, part)| Some((part.clone()?, is_last(at, part.as_ref()?)))).collect();
    let steps = notes.steps.into_iter().map(Done::ready).collect();
    let tape = (!notes.is_lost).then_some(Tape { steps, results: marked });
    Ok((found.into_iter().map(|result| Some(result?.tensor)).collect(), tape))
}
