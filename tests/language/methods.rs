//! Ops as methods of tensors: those that a user declares, and those of the catalogue.

use tensor_op::catalogue::{losses, nn, sort};
use tensor_op::{Reduction, prelude::*};

/// Declared elsewhere, so that the trait is imported.
mod ops {
    use tensor_op::prelude::*;

    #[tensor_op(method)]
    pub fn unit(x: Tensor![.., n], #[default(1e-12)] eps: f64) -> Tensor![.., n] {
        x / maximum(norm(x, n), eps)
    }

    #[tensor_op(method, tests = false)]
    pub fn lengths(x: Tensor![.., n]) -> Tensor![..] {
        norm(x, n)
    }

    #[tensor_op(method, tests = false)]
    pub fn shifted(x: Tensor, bias: Option<Tensor>, #[default(1.0)] scale: f64) -> Tensor {
        scale * x + bias.unwrap_or(0.0)
    }

    #[tensor_op(method, tests = false)]
    pub fn extremes(x: Tensor, axes: Axes) -> (Tensor, Tensor) {
        (min(x, axes), max(x, axes))
    }

    #[tensor_op(method, tests = false)]
    pub fn low_bits(x: IntTensor, #[default(4)] count: i64) -> IntTensor {
        x & ((1 << count) - 1)
    }

    #[tensor_op(method, tests = false)]
    pub fn noisy(x: Tensor, seed: Seed) -> Tensor {
        x + uniform(seed, ..)
    }
}

fn floats(tensor: Result<Tensor>) -> Vec<f64> {
    tensor.and_then(|tensor| tensor.to_vec()).expect("a right call")
}

#[test]
fn declared_ops_are_methods() -> Result<()> {
    use ops::{ExtremesMethod, LengthsMethod, LowBitsMethod, NoisyMethod, ShiftedMethod, UnitMethod};
    let x = Tensor::from([[3.0, 4.0]]);
    assert_eq!(floats(x.unit(None)), [0.6, 0.8]);
    assert_eq!(floats((&x).unit(8.0)), [0.375, 0.5]);
    assert_eq!(floats(x.shifted(None, None)), [3.0, 4.0]);
    assert_eq!(floats(x.shifted(&x, 2)), [9.0, 12.0]);
    assert_eq!(floats(x.shifted(x.unit(None), 0)), [0.6, 0.8]);
    let (least, most) = x.extremes(..)?;
    assert_eq!((least.item::<f64>()?, most.item::<f64>()?), (3.0, 4.0));
    assert_eq!(Tensor::from([19, 16]).low_bits(None)?.to_vec::<i32>()?, [3, 0]);
    x.device().seed(1);
    assert_ne!(floats(x.noisy(None)), floats(x.noisy(None)));
    // Each call left the tensor with its owner.
    assert_eq!(floats(x.lengths()), [5.0]);
    Ok(())
}

#[test]
fn chains_need_one_question_mark() -> Result<()> {
    use ops::{LengthsMethod, UnitMethod};
    let x = Tensor::from([[3.0, 4.0], [0.0, 2.0]]);
    assert_eq!(floats(x.unit(None).unit(None).lengths()), [1.0, 1.0]);
    assert_eq!(floats((&x + &x).lengths()), [10.0, 4.0]);
    let error = Tensor::from([true]).unit(None).lengths().unwrap_err();
    assert!(error.to_string().starts_with("unit: `x`"), "{error}");
    Ok(())
}

#[test]
fn gradients_flow_through_methods() -> Result<()> {
    use ops::LengthsMethod;
    let x = Tensor::from([0.0, 4.0]).require_grad();
    assert_eq!(x.lengths()?.backward()?[&x].to_vec::<f64>()?, [0.0, 1.0]);
    Ok(())
}

#[test]
fn the_catalogue_needs_no_import() -> Result<()> {
    let x = Tensor::from([[0.0, 3.0, 1.0], [2.0, 2.0, 5.0]]);
    assert_eq!(floats(x.softmax(-1)), floats(nn::softmax(&x, -1)));
    assert_eq!(floats(x.matmul(x.transpose(0, 1))), [10.0, 11.0, 11.0, 33.0]);
    assert_eq!(floats(x.cumsum(1)), [0.0, 3.0, 4.0, 2.0, 4.0, 9.0]);
    assert_eq!(floats(x.flip(None)), [1.0, 3.0, 0.0, 5.0, 2.0, 2.0]);
    assert_eq!(floats(x.roll(1, 1)), [1.0, 0.0, 3.0, 5.0, 2.0, 2.0]);
    assert_eq!(floats(x.tril(None)), [0.0, 0.0, 0.0, 2.0, 2.0, 0.0]);
    assert_eq!(floats(x.pad([(1, 0)], None, 9)), [9.0, 0.0, 3.0, 1.0, 9.0, 2.0, 2.0, 5.0]);
    let (values, places) = x.sort(None, true)?;
    assert_eq!(values.to_vec::<f64>()?, [3.0, 1.0, 0.0, 5.0, 2.0, 2.0]);
    assert_eq!(places.to_vec::<i64>()?, x.argsort(None, true)?.to_vec::<i64>()?);
    assert_eq!(
        floats(x.topk(1, None, None, None).map(|(values, _)| values)),
        floats(sort::topk(&x, 1, None, None, None).map(|it| it.0))
    );
    let loss = x.mse_loss(x.zeros_like()?, Reduction::Sum)?;
    assert_eq!(loss.item::<f64>()?, losses::mse_loss(&x, x.zeros_like(), Reduction::Sum)?.item::<f64>()?);
    assert_eq!(Tensor::from([6, 3]).bitwise_and(Tensor::from([3, 1]))?.to_vec::<i32>()?, [2, 1]);
    Ok(())
}

/// A method of ndarray or of the standard library that has the name of an op does not come first.
#[test]
fn names_of_the_standard_library_are_ops() -> Result<()> {
    let (x, y) = (Tensor::from([1.0, 2.0]), Tensor::from([1.0, 3.0]));
    let borrowed = &x;
    assert_eq!(borrowed.eq(&y)?.to_vec::<bool>()?, [true, false]);
    assert_eq!(x.lt(&y)?.to_vec::<bool>()?, [false, true]);
    assert_eq!(std::rc::Rc::new(x).ge(y)?.to_vec::<bool>()?, [true, false]);
    Ok(())
}
