//! Runs ops on the cases of a file, and compares results and gradients with those of the file.

use super::cases::{self, Case, Kind, Tolerance, Values};
use std::collections::HashMap;
use tensor_op::prelude::*;

/// Runs an op on its inputs in order.
pub(crate) type Run = fn(&[Tensor]) -> Result<Vec<Tensor>>;

/// Runs all cases of a file. Each case must have an op, and each op a case.
pub(crate) fn compare(text: &str, table: Vec<(&'static str, Run)>) -> Result<()> {
    let cases = cases::read(text).expect("the file is as make.py writes it");
    let ops: HashMap<&str, Run> = table.iter().copied().collect();
    for (name, _) in &table {
        assert!(cases.iter().any(|case| case.name == *name), "no reference for {name}");
    }
    let mut wrong = vec![];
    for case in &cases {
        let run = ops.get(case.name.as_str()).unwrap_or_else(|| panic!("no op for {}", case.name));
        check(case, *run, &mut wrong)?;
    }
    assert!(wrong.is_empty(), "{} values differ:\n{}", wrong.len(), wrong.join("\n"));
    Ok(())
}

pub(crate) fn check(
    case: &Case,
    run: impl Fn(&[Tensor]) -> Result<Vec<Tensor>>,
    wrong: &mut Vec<String>,
) -> Result<()> {
    let inputs = inputs(case)?;
    let outputs = run(&inputs)?;
    assert_eq!(outputs.len(), case.outputs.len(), "outputs of {}", case.name);
    for (i, (output, reference)) in outputs.iter().zip(&case.outputs).enumerate() {
        differences(case, &format!("output {i}"), case.forward, output, reference, wrong)?;
    }
    let gradients = gradients(case, &run, &inputs)?;
    for (i, (gradient, reference)) in gradients.iter().zip(&case.gradients).enumerate() {
        if let Some(reference) = reference {
            let gradient = gradient.as_ref().unwrap_or_else(|| panic!("{} has no gradient {i}", case.name));
            differences(case, &format!("gradient {i}"), case.gradient, gradient, reference, wrong)?;
        }
    }
    Ok(())
}

/// The inputs of a case. Those with a reference gradient are tracked.
fn inputs(case: &Case) -> Result<Vec<Tensor>> {
    let tensors = case.inputs.iter().zip(&case.gradients).map(|(values, gradient)| {
        let x = tensor(values)?;
        Ok(if gradient.is_some() { x.require_grad() } else { x })
    });
    tensors.collect()
}

/// The gradient of each input: the sum over the outputs of the gradients by each output's seed. Each backward
/// pass needs its own graph.
fn gradients(
    case: &Case,
    run: &impl Fn(&[Tensor]) -> Result<Vec<Tensor>>,
    inputs: &[Tensor],
) -> Result<Vec<Option<Tensor>>> {
    let mut totals: Vec<Option<Tensor>> = vec![None; inputs.len()];
    for (i, seed) in case.seeds.iter().enumerate() {
        let Some(seed) = seed else { continue };
        let found = run(inputs)?[i].backward_with(&tensor(seed)?)?;
        for (total, input) in totals.iter_mut().zip(inputs) {
            *total = match (total.take(), found.get(input)) {
                (Some(sum), Some(part)) => Some((sum + part)?),
                (sum, part) => sum.or(part.cloned()),
            };
        }
    }
    Ok(totals)
}

pub(crate) fn differences(
    case: &Case,
    what: &str,
    tolerance: Tolerance,
    found: &Tensor,
    reference: &Values,
    wrong: &mut Vec<String>,
) -> Result<()> {
    assert_eq!(found.shape().to_vec(), reference.shape, "shape of {what} of {}", case.name);
    for (i, (value, wanted)) in
        elements(found, reference.kind)?.into_iter().zip(&reference.elements).enumerate()
    {
        if !tolerance.allows(value, *wanted) {
            let operands = case.inputs.iter().filter(|x| x.shape == reference.shape).map(|x| x.elements[i]);
            let operands: Vec<f64> = operands.collect();
            wrong.push(format!("{} {what} [{i}]{operands:?}: {value:?}, not {wanted:?}", case.name));
        }
    }
    Ok(())
}

pub(crate) fn tensor(values: &Values) -> Result<Tensor> {
    let (device, shape, elements) = (Device::default(), values.shape.clone(), &values.elements);
    match values.kind {
        Kind::Float => Tensor::from_vec(elements.clone(), shape, &device),
        Kind::Int => Tensor::from_vec(elements.iter().map(|x| *x as i64).collect::<Vec<_>>(), shape, &device),
        Kind::Bool => {
            Tensor::from_vec(elements.iter().map(|x| *x != 0.0).collect::<Vec<_>>(), shape, &device)
        }
    }
}

/// An output must have the kind of its reference.
fn elements(found: &Tensor, kind: Kind) -> Result<Vec<f64>> {
    Ok(match kind {
        Kind::Float => found.to_vec::<f64>()?,
        Kind::Int => found.to_vec::<i64>()?.into_iter().map(|x| x as f64).collect(),
        Kind::Bool => found.to_vec::<bool>()?.into_iter().map(|x| f64::from(u8::from(x))).collect(),
    })
}
