//! Functions whose gradient is given.

use std::sync::atomic::{AtomicUsize, Ordering};
use tensor_op::prelude::*;
use tensor_op::{Arrived, ErrorKind, Function, apply, grad, jvp};

/// `a b` and `a^2`, and which of them is larger as an int.
struct Products;

impl Function<Tensor> for Products {
    fn name(&self) -> &str {
        "products"
    }

    fn forward(&self, inputs: &[Tensor]) -> Result<Vec<Tensor>> {
        assert!(inputs.iter().all(|input| !input.is_tracked()));
        let [a, b] = [&inputs[0], &inputs[1]];
        Ok(vec![(a * b)?, a.cast(DType::I64)?, (a * a)?])
    }

    fn backward(&self, call: &Arrived<'_, Tensor>) -> Result<Vec<Option<Tensor>>> {
        assert!(call.gradients[1].is_none());
        let [a, b] = [&call.inputs[0], &call.inputs[1]];
        let (mut of_a, mut of_b) = (None, None);
        if let Some(gradient) = &call.gradients[0] {
            (of_a, of_b) = (Some((gradient * b)?), Some((gradient * a)?));
        }
        if let Some(gradient) = &call.gradients[2] {
            let part = (2.0 * gradient * a)?;
            of_a = Some(match of_a {
                Some(sum) => (sum + part)?,
                None => part,
            });
        }
        Ok(vec![of_a, of_b])
    }
}

fn vector(elements: &[f64]) -> Tensor {
    Tensor::from_vec(elements.to_vec(), [elements.len()], &Device::default()).unwrap()
}

fn numbers(x: &Tensor) -> Vec<f64> {
    x.to_vec().unwrap()
}

#[test]
fn a_gradient_goes_through_each_result() -> Result<()> {
    let (a, b) = (vector(&[2.0, 3.0]).require_grad(), vector(&[5.0, 7.0]).require_grad());
    let results = apply(Products, &[&a, &b])?;
    assert!(results[0].is_tracked() && !results[1].is_tracked() && results[2].is_tracked());
    let gradients = (&results[0] * 3.0 + &results[2])?.sum(..)?.backward()?;
    assert_eq!(numbers(&gradients[&a]), [15.0 + 4.0, 21.0 + 6.0]);
    assert_eq!(numbers(&gradients[&b]), [6.0, 9.0]);
    assert_eq!(
        results[0].sum(..)?.backward().unwrap_err().op(),
        Some("products"),
        "a pass frees what is saved"
    );
    Ok(())
}

#[test]
fn a_result_that_is_not_used_has_no_gradient() -> Result<()> {
    let (a, b) = (vector(&[2.0, 3.0]).require_grad(), vector(&[5.0, 7.0]).require_grad());
    let gradients = apply(Products, &[&a, &b])?[2].sum(..)?.backward()?;
    assert_eq!(numbers(&gradients[&a]), [4.0, 6.0]);
    assert_eq!(numbers(&gradients[&b]), [0.0, 0.0], "`None` is zero");
    Ok(())
}

#[test]
fn an_input_that_is_not_tracked_gets_no_gradient() -> Result<()> {
    let (a, b) = (vector(&[2.0, 3.0]), vector(&[5.0, 7.0]).require_grad());
    let gradients = apply(Products, &[&a, &b])?[0].sum(..)?.backward()?;
    assert_eq!((gradients.len(), numbers(&gradients[&b])), (1, vec![2.0, 3.0]));
    assert!(apply(Products, &[&a, &a])?.iter().all(|result| !result.is_tracked()));
    let ints = Tensor::from([2_i64, 3]);
    assert!(!apply(Given::right(), &[&ints])?[0].is_tracked());
    Ok(())
}

#[test]
fn derivatives_of_order_two_go_through_inputs_and_gradients() -> Result<()> {
    let cube = |x: &[Tensor]| {
        let square = apply(Products, &[&x[0], &x[0]])?.remove(2);
        apply(Products, &[&square, &x[0]])?.remove(0).sum(..)
    };
    let first = |x: &[Tensor]| grad(cube)(x)?.remove(0).sum(..);
    let x = [vector(&[2.0, 3.0])];
    assert_eq!(numbers(&grad(cube)(&x)?[0]), [12.0, 27.0]);
    assert_eq!(numbers(&grad(first)(&x)?[0]), [12.0, 18.0]);
    let second = |x: &[Tensor]| grad(first)(x)?.remove(0).sum(..);
    assert_eq!(numbers(&grad(second)(&x)?[0]), [6.0, 6.0]);
    let (value, slope) = jvp(cube, &x, &[vector(&[1.0, 10.0])])?;
    assert_eq!((numbers(&value), numbers(&slope)), (vec![35.0], vec![12.0 + 270.0]));
    let along = |x: &[Tensor]| Ok(jvp(cube, x, &[vector(&[1.0, 10.0])])?.1);
    assert_eq!(numbers(&grad(along)(&x)?[0]), [12.0, 180.0]);
    let twice = jvp(along, &x, &[vector(&[1.0, 1.0])]).unwrap_err();
    assert_eq!(twice.kind(), ErrorKind::Gradient);
    Ok(())
}

#[test]
fn a_result_is_saved_with_its_place() -> Result<()> {
    /// `e^x`, whose gradient uses the result.
    struct Exp;
    impl Function<Tensor> for Exp {
        fn name(&self) -> &str {
            "exp"
        }
        fn forward(&self, inputs: &[Tensor]) -> Result<Vec<Tensor>> {
            Ok(vec![tensor_op::catalogue::math::exp(&inputs[0])?])
        }
        fn backward(&self, call: &Arrived<'_, Tensor>) -> Result<Vec<Option<Tensor>>> {
            let Some(gradient) = &call.gradients[0] else { return Ok(vec![None]) };
            Ok(vec![Some((gradient * &call.results[0])?)])
        }
    }
    let exp = |x: &[Tensor]| apply(Exp, x)?.remove(0).sum(..);
    let third = grad(|x| grad(|x| grad(exp)(x)?.remove(0).sum(..))(x)?.remove(0).sum(..));
    assert_eq!(numbers(&third(&[vector(&[0.0])])?[0]), [1.0]);
    Ok(())
}

/// A function of one input that returns these gradients.
struct Given(fn(&Tensor) -> Result<Vec<Option<Tensor>>>);

impl Given {
    fn right() -> Given {
        Given(|x| Ok(vec![Some(x.clone())]))
    }
}

impl Function<Tensor> for Given {
    fn name(&self) -> &str {
        "given"
    }
    fn forward(&self, inputs: &[Tensor]) -> Result<Vec<Tensor>> {
        Ok(inputs.to_vec())
    }
    fn backward(&self, call: &Arrived<'_, Tensor>) -> Result<Vec<Option<Tensor>>> {
        (self.0)(&call.inputs[0])
    }
}

#[test]
fn wrong_gradients_are_errors_that_name_the_function_and_the_input() -> Result<()> {
    let cases: [(Given, &str); 4] = [
        (Given(|_| Ok(vec![])), "given: its backward returned 0 gradients for 1 inputs; return one each"),
        (Given(|x| Ok(vec![None, Some(x.clone())])), "given: its backward returned 2 gradients for 1 inputs"),
        (
            Given(|x| Ok(vec![Some(x.slice(0, ..1)?)])),
            "given: the gradient of input 0 has shape [1], the tensor has [2]; they must agree",
        ),
        (
            Given(|x| Ok(vec![Some(x.cast(DType::F32)?)])),
            "given: the gradient of input 0 has dtype f32, the tensor has f64; they must agree",
        ),
    ];
    for (function, message) in cases {
        let x = vector(&[1.0, 2.0]).require_grad();
        let error = apply(function, &[&x])?[0].sum(..)?.backward().unwrap_err();
        assert!(error.to_string().starts_with(message), "{error}");
        assert_eq!(error.kind(), ErrorKind::Gradient);
    }
    Ok(())
}

#[test]
fn a_tracked_tensor_that_is_no_input_is_an_error() {
    struct Captures(Tensor);
    impl Function<Tensor> for Captures {
        fn name(&self) -> &str {
            "captures"
        }
        fn forward(&self, inputs: &[Tensor]) -> Result<Vec<Tensor>> {
            Ok(vec![(&inputs[0] * &self.0)?])
        }
        fn backward(&self, _: &Arrived<'_, Tensor>) -> Result<Vec<Option<Tensor>>> {
            Ok(vec![None])
        }
    }
    let x = vector(&[1.0]);
    let error = apply(Captures(x.clone().require_grad()), &[&x]).unwrap_err();
    assert!(error.to_string().contains("pass that tensor as an input"), "{error}");
    assert_eq!(numbers(&apply(Captures(x.clone()), &[&x]).unwrap()[0]), [1.0]);
}

#[test]
fn a_pass_to_other_tensors_does_not_call_the_backward() -> Result<()> {
    static CALLS: AtomicUsize = AtomicUsize::new(0);
    let counted = Given(|x| {
        CALLS.fetch_add(1, Ordering::Relaxed);
        Ok(vec![Some(x.clone())])
    });
    let x = vector(&[1.0]).require_grad();
    let y = apply(counted, &[&x])?.remove(0);
    let gradients = grad(|b| (&y * &b[0])?.sum(..))(&[vector(&[3.0])])?;
    assert_eq!((numbers(&gradients[0]), CALLS.load(Ordering::Relaxed)), (vec![1.0], 0));
    Ok(())
}
