//! Runs one sample, and compares its results and gradients with PyTorch's.

use crate::call::Outcome;
use crate::data::{Values, difference, is_float};
use crate::ops::Entry;
use crate::sample::Sample;
use tensor_op::Tensor;

/// The tolerance in f64: relative to the reference, and absolute.
pub(crate) const TOLERANCE: (f64, f64) = (1e-9, 1e-11);

/// The differences from PyTorch; none if the sample is right.
pub(crate) fn check(entry: &Entry, sample: &Sample) -> Outcome<Vec<String>> {
    let mut wrong = vec![];
    let outputs = (entry.run)(&sample.call)?;
    if outputs.len() != sample.outputs.len() {
        return Ok(vec![format!("{} outputs, not {}", outputs.len(), sample.outputs.len())]);
    }
    for (i, (output, reference)) in outputs.iter().zip(&sample.outputs).enumerate() {
        wrong.extend(
            difference(output, reference, entry.tolerance)?.map(|what| format!("output {i}: {what}")),
        );
    }
    let gradients = gradients(entry, sample, outputs)?;
    for (i, (gradient, (input, reference))) in gradients.iter().zip(&sample.gradients).enumerate() {
        let zeros = || Tensor::zeros(input.shape(), input.dtype(), &input.device());
        let gradient = gradient.clone().map_or_else(zeros, Ok)?;
        let what = match reference {
            Some(reference) => difference(&gradient, reference, entry.tolerance)?,
            None => difference(&gradient, &Values::zeros(&gradient), entry.tolerance)?,
        };
        wrong.extend(what.map(|what| format!("gradient {i}: {what}")));
    }
    Ok(wrong)
}

/// The gradient of each input: the sum of the gradients by each output's seed. A pass frees the saved values,
/// so each output has its own run.
fn gradients(entry: &Entry, sample: &Sample, outputs: Vec<Tensor>) -> Outcome<Vec<Option<Tensor>>> {
    let mut totals: Vec<Option<Tensor>> = vec![None; sample.gradients.len()];
    let floats: Vec<usize> = (0..outputs.len()).filter(|i| is_float(outputs[*i].dtype())).collect();
    let mut first = Some(outputs);
    for (i, seed) in floats.into_iter().zip(&sample.seeds) {
        let outputs = first.take().map_or_else(|| (entry.run)(&sample.call), Ok)?;
        if !outputs[i].is_tracked() {
            continue;
        }
        let found = outputs[i].backward_with(seed)?;
        for (total, (input, _)) in totals.iter_mut().zip(&sample.gradients) {
            *total = match (total.take(), found.get(input)) {
                (Some(sum), Some(part)) => Some((sum + part)?),
                (sum, part) => sum.or(part.cloned()),
            };
        }
    }
    Ok(totals)
}

impl Values {
    /// Zeros like a tensor.
    fn zeros(like: &Tensor) -> Values {
        Values { dtype: like.dtype(), shape: like.shape().to_vec(), elements: vec![0.0; like.elements()] }
    }
}
