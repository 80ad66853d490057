//! Every primitive, formula and composite against PyTorch in f64, forward and gradient. The values lie beside this file.

mod cases;
mod ops;

use cases::{Case, Kind, Tolerance, Values};
use ops::Run;
use std::collections::HashMap;
use tensor_op::prelude::*;

#[test]
fn unary() -> Result<()> {
    compare(include_str!("unary.txt"), ops::unary::table())
}

#[test]
fn binary() -> Result<()> {
    compare(include_str!("binary.txt"), ops::binary::table())
}

#[test]
fn reductions() -> Result<()> {
    compare(include_str!("reductions.txt"), ops::reductions::table())
}

#[test]
fn composites() -> Result<()> {
    compare(include_str!("composites.txt"), ops::composites::table())
}

/// Runs all cases of a file; each has its op and each op its case.
fn compare(text: &str, table: Vec<(&'static str, Run)>) -> Result<()> {
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

fn check(case: &Case, run: Run, wrong: &mut Vec<String>) -> Result<()> {
    let tracked = |input: usize| case.gradients[input].is_some();
    let inputs = case.inputs.iter().enumerate().map(|(i, values)| {
        let x = tensor(values)?;
        Ok(if tracked(i) { x.require_grad() } else { x })
    });
    let inputs: Vec<Tensor> = inputs.collect::<Result<_>>()?;
    let outputs = run(&inputs)?;
    assert_eq!(outputs.len(), case.outputs.len(), "outputs of {}", case.name);
    for (i, (output, reference)) in outputs.iter().zip(&case.outputs).enumerate() {
        differences(case, &format!("output {i}"), case.forward, output, reference, wrong)?;
    }
    for (i, (input, reference)) in inputs.iter().zip(&case.gradients).enumerate() {
        if let Some(reference) = reference {
            let gradient = gradient(case, &outputs, input)?;
            differences(case, &format!("gradient {i}"), case.gradient, &gradient, reference, wrong)?;
        }
    }
    Ok(())
}

/// The gradient of an input: the sum over the outputs of what each one's seed gives.
fn gradient(case: &Case, outputs: &[Tensor], input: &Tensor) -> Result<Tensor> {
    let mut total: Option<Tensor> = None;
    for (output, seed) in outputs.iter().zip(&case.seeds) {
        let seed = tensor(seed.as_ref().expect("a case with gradients has seeds"))?;
        let grads = output.backward_with(&seed)?;
        if let Some(part) = grads.get(input) {
            total = Some(match total {
                Some(sum) => (sum + part)?,
                None => part.clone(),
            });
        }
    }
    Ok(total.unwrap_or_else(|| panic!("{} gives no gradient for an input", case.name)))
}

fn differences(
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

fn tensor(values: &Values) -> Result<Tensor> {
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
