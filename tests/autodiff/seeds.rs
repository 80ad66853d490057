//! Where a backward pass begins, and the gradients that it finds.

use tensor_op::{ErrorKind, Result, Tensor, backward, tensor_op};

fn square() -> Result<(Tensor, Tensor)> {
    let x = Tensor::from([1.0, 2.0]).require_grad();
    let y = (&x * &x)?;
    Ok((x, y))
}

/// As in PyTorch: "grad can be implicitly created only for scalar outputs".
#[test]
fn several_elements_ask_for_a_seed() -> Result<()> {
    let (x, y) = square()?;
    let error = y.backward().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Gradient);
    assert_eq!(
        error.to_string(),
        "backward: shape [2] has 2 elements, and a gradient is that of one: reduce them to a loss, or write `backward_with(&y.ones_like()?)` for the gradient of their sum"
    );
    let message = y.backward_tracked().unwrap_err().to_string();
    assert!(message.contains("`backward_tracked_with(&y.ones_like()?)`"), "{message}");
    // A refused call has freed nothing.
    assert_eq!(y.backward_with(&y.ones_like()?)?[&x].to_vec::<f64>()?, [2.0, 4.0]);
    assert!(Tensor::from([0f64; 0]).require_grad().backward().is_err());
    let message = Tensor::from([1.0, 2.0]).backward().unwrap_err().to_string();
    assert!(message.contains("no input of this tensor is tracked"), "{message}");
    Ok(())
}

#[test]
fn a_seed_weights_the_elements() -> Result<()> {
    let (x, y) = square()?;
    let seed = Tensor::from([10.0, 0.5]);
    let tracked = y.backward_tracked_with(&seed)?;
    assert_eq!(tracked[&x].to_vec::<f64>()?, [20.0, 2.0]);
    let again = tracked[&x].backward_with(&tracked[&x].ones_like()?)?;
    assert_eq!(again[&x].to_vec::<f64>()?, [20.0, 1.0]);
    assert!(y.backward_with(Tensor::from([1.0])).is_err());
    assert!(y.backward_with(Tensor::from([1f32, 1.0])).is_err());
    Ok(())
}

#[test]
fn gradients_can_be_counted_and_visited() -> Result<()> {
    let (x, z) = (Tensor::from([3.0]).require_grad(), Tensor::from([5.0]).require_grad());
    let gradients = (&x * &z)?.backward()?;
    assert_eq!((gradients.len(), gradients.is_empty()), (2, false));
    let values: Vec<f64> = gradients.iter().map(|gradient| gradient.item()).collect::<Result<_>>()?;
    assert_eq!(values, [5.0, 3.0]);
    assert_eq!((&gradients).into_iter().count(), 2);
    Ok(())
}

#[test]
#[should_panic(expected = "no gradient was found for the tensor")]
fn a_missing_gradient_panics_in_brackets() {
    let (_, y) = square().expect("a right call");
    let gradients = y.backward_with(y.ones_like()).expect("tracked");
    let _ = &gradients[&Tensor::from([1.0])];
}

/// As `torch.autograd.backward` does, for results of one op and for values that share a part.
#[test]
fn several_results_start_one_pass() -> Result<()> {
    let (x, y) = square()?;
    let (z, other) = ((&y * 3)?, Tensor::from([1.0]).require_grad());
    let gradients = backward(&[(&y, &Tensor::from([1.0, 10.0])), (&z, &y.ones_like()?)])?;
    assert_eq!(gradients[&x].to_vec::<f64>()?, [8.0, 52.0]);
    assert!(gradients.get(&other).is_none());
    assert_eq!(backward(&[])?.len(), 0);

    let (first, second) = sum_and_difference(&x, Tensor::from([1.0, 1.0]))?;
    let gradients = backward(&[(&first, &first.ones_like()?), (&second, &Tensor::from([0.5, 2.0]))])?;
    assert_eq!(gradients[&x].to_vec::<f64>()?, [1.5, 3.0]);

    let error = backward(&[(&(&x * 2)?, &Tensor::from([1.0]))]).unwrap_err();
    assert!(error.to_string().starts_with("backward: the seed has shape [1]"), "{error}");
    let error = backward(&[(&x, &x.ones_like()?), (&Tensor::from([1.0]), &Tensor::from([1.0]))]).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Gradient);
    Ok(())
}

#[tensor_op(tests = false)]
fn sum_and_difference(x: Tensor, y: Tensor) -> (Tensor, Tensor) {
    (x + y, x - y)
}
