//! Records a call: the executor runs it with kernels that write down what they do.

use super::key::MOST_ELEMENTS;
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

/// A tape keeps all tensors of its call to the end. One that would hold more elements than this is not kept.
const MOST_HELD: usize = 4 * MOST_ELEMENTS;

/// Runs a call. Also gives its tape, if it did nothing that is not recorded. `unique` says which of the
/// tensors among the arguments a result may be written over.
pub(super) fn record(
    way: &Way,
    spec: &Spec,
    (args, unique): (Vec<Value<NdArrayTensor>>, &[bool]),
    wanted: &[bool],
    cpu: Cpu<'_>,
) -> Result<(Results, Option<Tape>)> {
    let notes = Arc::new(Mutex::new(Notes::default()));
    let mut unique = unique.iter();
    let args = args.into_iter().map(|arg| {
        // A value that is no tensor has a number too.
        let value = notes.lock().unwrap_or_else(PoisonError::into_inner).value(arg.tensor());
        arg.map(|tensor| {
            let may_write = unique.next().copied().unwrap_or(false);
            Noted { tensor, value, may_write, notes: notes.clone() }
        })
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
    let held = notes.values.iter().flatten().map(|(_, layout)| layout.shape.iter().product::<usize>());
    let is_kept = !notes.is_lost && held.sum::<usize>() <= MOST_HELD;
    let steps = notes.steps.into_iter().map(Done::ready).collect();
    let tape = is_kept.then_some(Tape { steps, results: marked });
    Ok((found.into_iter().map(|result| Some(result?.tensor)).collect(), tape))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::NdArray;
    use tensor_op_core::{Backend, GraphOp, Op, TensorData};
    use tensor_op_spec::ir::Graph;

    /// Another thread may give its clone up after the key was made, which said that the argument is shared.
    #[test]
    fn what_the_key_calls_shared_is_not_written() -> Result<()> {
        let source = "fn double(x: Tensor) -> Tensor { x + x }";
        let stages = tensor_op_spec::stages(source.parse().expect("tokens")).expect("a formula");
        let op = GraphOp::new(Graph::parse(&stages.graph).expect("a graph"));
        let way = Way::new(op.spec(), None, &[true])?;
        let bodies = way.bodies();
        let x = || NdArray::from_data(TensorData::new(vec![1f32, 2.0], [2])?, &Default::default());
        let cpu = Cpu { bodies: &bodies, is_generated: true };
        let (_, tape) = record(&way, op.spec(), (vec![Value::Tensor(x()?)], &[false]), &[true], cpu)?;
        let held = x()?;
        let mut tape = tape.expect("the call is recorded");
        let doubled = tape.run(vec![Value::Tensor(held.clone())])?.remove(0).expect("it was wanted");
        assert_eq!(doubled.into_data()?.to_vec::<f32>()?, [2.0, 4.0]);
        assert_eq!(held.into_data()?.to_vec::<f32>()?, [1.0, 2.0]);
        Ok(())
    }
}
