//! Compares what a sample of PyTorch gives with PyTorch's results and gradients.

use crate::data::{Values, difference, is_float};
use tensor_op::{Error, Tensor};

/// The tolerance in f64: relative to the reference, and absolute.
pub(crate) const TOLERANCE: (f64, f64) = (1e-9, 1e-11);

/// What PyTorch gave.
pub(crate) struct Expected {
    pub(crate) outputs: Vec<Values>,
    /// A gradient of each float output, if gradients are compared.
    pub(crate) seeds: Vec<Tensor>,
    /// Inputs that require a gradient, with the expected gradient; `None` if the result does not depend on
    /// the input.
    pub(crate) gradients: Vec<(Tensor, Option<Values>)>,
}

/// The differences of the results of a run, and of their gradients, from PyTorch's; none if they are right.
pub(crate) fn differences<E: From<Error>>(
    expected: &Expected,
    tolerance: (f64, f64),
    run: impl Fn() -> Result<Vec<Tensor>, E>,
) -> Result<Vec<String>, E> {
    let mut wrong = vec![];
    let outputs = run()?;
    if outputs.len() != expected.outputs.len() {
        return Ok(vec![format!("{} outputs, not {}", outputs.len(), expected.outputs.len())]);
    }
    for (i, (output, reference)) in outputs.iter().zip(&expected.outputs).enumerate() {
        wrong.extend(difference(output, reference, tolerance)?.map(|what| format!("output {i}: {what}")));
    }
    let gradients = gradients(expected, outputs, run)?;
    for (i, (gradient, (input, reference))) in gradients.iter().zip(&expected.gradients).enumerate() {
        let zeros = || Tensor::zeros(input.shape(), input.dtype(), &input.device());
        let gradient = gradient.clone().map_or_else(zeros, Ok)?;
        let what = match reference {
            Some(reference) => difference(&gradient, reference, tolerance)?,
            None => difference(&gradient, &Values::zeros(&gradient), tolerance)?,
        };
        wrong.extend(what.map(|what| format!("gradient {i}: {what}")));
    }
    Ok(wrong)
}

/// The gradient of each input: the sum of the gradients by each output's seed. A pass frees the saved values,
/// so each output has its own run.
fn gradients<E: From<Error>>(
    expected: &Expected,
    outputs: Vec<Tensor>,
    run: impl Fn() -> Result<Vec<Tensor>, E>,
) -> Result<Vec<Option<Tensor>>, E> {
    let mut totals: Vec<Option<Tensor>> = vec![None; expected.gradients.len()];
    let floats: Vec<usize> = (0..outputs.len()).filter(|i| is_float(outputs[*i].dtype())).collect();
    let mut first = Some(outputs);
    for (i, seed) in floats.into_iter().zip(&expected.seeds) {
        let outputs = first.take().map_or_else(&run, Ok)?;
        if !outputs[i].is_tracked() {
            continue;
        }
        let found = outputs[i].backward_with(seed)?;
        for (total, (input, _)) in totals.iter_mut().zip(&expected.gradients) {
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
