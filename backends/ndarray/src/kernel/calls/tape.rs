//! A recorded call: its steps, over values.

use super::planned::Loop;
use super::values::{Part, Values};
use crate::tensor::NdArrayTensor;
use tensor_op_core::{DType, Result, Shape, Value};

/// A recorded call.
pub(super) struct Tape {
    pub(super) steps: Vec<Step>,
    /// For each result, the value that it is, and whether this is its last use; `None` if nobody wants it.
    pub(super) results: Vec<Option<(Part, bool)>>,
}

/// A step of a call.
pub(super) enum Step {
    /// Makes a tensor whose elements are not written yet.
    Empty(Shape, DType),
    /// Makes a tensor of others.
    Make(Make),
    /// Fills tensors.
    Loop(Box<dyn Loop>),
}

/// Makes a tensor of others.
pub(super) type Make = Box<dyn Fn(&Values) -> Result<NdArrayTensor> + Send>;

impl Tape {
    /// Runs the call with other arguments of the same key.
    pub(super) fn run(&mut self, args: Vec<Value<NdArrayTensor>>) -> Result<Vec<Option<NdArrayTensor>>> {
        let mut values = Values::new(args);
        for step in &mut self.steps {
            match step {
                Step::Empty(shape, dtype) => {
                    values.push(NdArrayTensor::recycled(shape, *dtype)?);
                }
                Step::Make(make) => {
                    let made = make(&values)?;
                    values.push(made);
                }
                Step::Loop(nest) => nest.run(&mut values)?,
            }
        }
        let mut results = Vec::with_capacity(self.results.len());
        for result in &self.results {
            results.push(match result {
                Some((Part { value, view: None }, true)) => values.take(*value),
                Some((part, true)) => values.take(part.value).map(|tensor| part.of(tensor)),
                Some((part, false)) => Some(values.part(part)),
                None => None,
            });
        }
        Ok(results)
    }
}
