//! Derivatives of the first three orders, including mixed ones. They are computed in the two ways that users
//! have: `grad` of `grad`, and tracked gradients.

use super::cases::{self, Case};
use super::compare::{Run, differences, tensor};
use super::ops;
use std::collections::HashMap;
use tensor_op::grad;
use tensor_op::prelude::*;

const ORDERS: usize = 3;

#[tensor_op]
fn weighted(x: Tensor, weight: Tensor) -> Tensor![] {
    sum(x * weight, ..)
}

#[test]
fn three_orders() -> Result<()> {
    let tables =
        [ops::unary::table(), ops::binary::table(), ops::reductions::table(), ops::composites::table()];
    let ops: HashMap<&str, Run> = tables.into_iter().flatten().collect();
    let mut wrong = vec![];
    for case in cases::read(include_str!("orders.txt")).expect("the file is as make.py writes it") {
        let run = *ops.get(case.name.as_str()).unwrap_or_else(|| panic!("no op for {}", case.name));
        let inputs = case.inputs.iter().map(|x| Ok(tensor(x)?.require_grad())).collect::<Result<Vec<_>>>()?;
        let (nested, tracked) = (nested(&case, run, &inputs)?, tracked(&case, run, &inputs)?);
        for (way, found) in [("nested", nested), ("tracked", tracked)] {
            assert_eq!(found.len(), case.outputs.len(), "gradients of {}", case.name);
            for (i, (gradient, reference)) in found.iter().zip(&case.outputs).enumerate() {
                let what = format!("{way}, order {}, input {}", i / inputs.len() + 1, i % inputs.len());
                differences(&case, &what, case.forward, gradient, reference, &mut wrong)?;
            }
        }
    }
    assert!(wrong.is_empty(), "{} values differ:\n{}", wrong.len(), wrong.join("\n"));
    Ok(())
}

/// The seeds: one for the result, and one for the gradient of each input.
fn weights(case: &Case) -> Result<Vec<Tensor>> {
    case.seeds.iter().map(|seed| tensor(seed.as_ref().expect("every result has one"))).collect()
}

/// The number that the next order differentiates.
fn total(gradients: &[Tensor], weights: &[Tensor]) -> Result<Tensor> {
    let mut parts = gradients.iter().zip(weights).map(|(gradient, weight)| weighted(gradient, weight));
    let first = parts.next().expect("an input is tracked")?;
    parts.try_fold(first, |sum, part| sum + part?)
}

fn nested(case: &Case, run: Run, inputs: &[Tensor]) -> Result<Vec<Tensor>> {
    type Function<'a> = Box<dyn Fn(&[Tensor]) -> Result<Tensor> + 'a>;
    let weights = &weights(case)?;
    let mut function: Function<'_> = Box::new(|x| weighted(&run(x)?[0], &weights[0]));
    let mut found = vec![];
    for _ in 0..ORDERS {
        let gradient = grad(function);
        found.extend(gradient(inputs)?);
        function = Box::new(move |x| total(&gradient(x)?, &weights[1..]));
    }
    Ok(found)
}

/// The gradients. If a gradient does not depend on an input, there is none for that input.
fn tracked(case: &Case, run: Run, inputs: &[Tensor]) -> Result<Vec<Tensor>> {
    let weights = weights(case)?;
    let mut value = weighted(&run(inputs)?[0], &weights[0])?;
    let mut found = vec![];
    for _ in 0..ORDERS {
        let mut gradients = if value.is_tracked() { Some(value.backward_tracked()?) } else { None };
        let of = |x: &Tensor| match gradients.as_mut().and_then(|gradients| gradients.remove(x)) {
            Some(gradient) => Ok(gradient),
            None => Tensor::zeros(x.shape(), x.dtype(), &x.device()),
        };
        let gradients = inputs.iter().map(of).collect::<Result<Vec<_>>>()?;
        value = total(&gradients, &weights[1..])?;
        found.extend(gradients);
    }
    Ok(found)
}
