//! The surface that generic code asks for.

use crate::ops::{Diff, call1, ints, mul, tensor, values};
use tensor_op_autodiff::{AutodiffBackend, AutodiffTensor, BalancedCheckpointing, functions};
use tensor_op_core::{Backend, DynTensor, Dynamic, ErrorKind, GraphOp, Value, register_backend};
use tensor_op_ndarray::NdArray;

/// A step of descent on the sum of `x * x`, for any backend with gradients.
fn step<A: AutodiffBackend>(x: A::Tensor, mul: &GraphOp) -> Vec<f64>
where
    A::Tensor: Clone,
{
    let args = vec![Value::Tensor(x.clone()), Value::Tensor(x.clone())];
    let y = A::run(mul, args, &[true]).unwrap().remove(0).unwrap();
    let mut gradients = A::backward(&y).unwrap();
    let gradient = A::grad(&x, &gradients).unwrap();
    assert!(A::grad(&y, &gradients).is_none());
    let twice = A::InnerBackend::apply(tensor_op_spec::prim::Prim::Add, vec![gradient.clone(), gradient]);
    A::grad_replace(&x, &mut gradients, twice.unwrap()).unwrap();
    let gradient = A::grad_remove(&x, &mut gradients).unwrap();
    assert!(A::grad(&x, &gradients).is_none());
    let next = A::from_inner(A::inner(x));
    A::into_data(A::from_inner(gradient))
        .unwrap()
        .to_vec()
        .unwrap()
        .into_iter()
        .chain(elements::<A>(next))
        .collect()
}

fn elements<A: Backend>(tensor: A::Tensor) -> Vec<f64> {
    A::into_data(tensor).unwrap().to_vec().unwrap()
}

#[test]
fn generic_code_runs_on_both_strategies() {
    type Balanced = tensor_op_autodiff::Autodiff<NdArray, BalancedCheckpointing>;
    let x = || tensor(&[2.0, 3.0], &[2]).require_grad();
    assert_eq!(step::<Diff>(x(), &mul()), [8.0, 12.0, 2.0, 3.0]);
    assert_eq!(step::<Balanced>(x(), &mul()), [8.0, 12.0, 2.0, 3.0]);
}

#[test]
fn gradients_are_replaced_by_their_like_only() {
    let x = tensor(&[2.0, 3.0], &[2]).require_grad();
    let y = call1(&mul(), &[&x, &x]);
    let mut gradients = y.backward().unwrap();
    let error = gradients.replace(&x, tensor(&[1.0], &[1]).into_inner()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "grad_replace: the gradient has shape [1], the tensor has [2]; they must agree"
    );
    let error = gradients.replace(&y, tensor(&[1.0, 1.0], &[2]).into_inner()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Gradient);
    let old = gradients.replace(&x, tensor(&[1.0, 1.0], &[2]).into_inner()).unwrap();
    assert_eq!(values::<NdArray>(&old.unwrap()), [4.0, 6.0]);
    assert_eq!(values::<NdArray>(gradients.get(&x).unwrap()), [1.0, 1.0]);
}

#[test]
fn ints_pass_through_untracked() {
    let index = Diff::from_inner(Diff::inner(ints(&[1, 2], &[2]).require_grad()));
    assert!(!index.is_tracked());
    assert!(Diff::backward(&index).is_err());
    let empty = functions::grad(|x: &[AutodiffTensor<NdArray>]| Ok(x[0].clone()));
    let error = empty(&[index]).unwrap_err();
    assert!(error.to_string().contains("input 0 is a tensor of i64"), "{error}");
}

#[test]
fn backends_say_whether_they_record() {
    let device = Default::default();
    assert!(Diff::ad_enabled(&device));
    assert!(!NdArray::ad_enabled(&device));
    register_backend::<NdArray>("plain").unwrap();
    register_backend::<Diff>("recording").unwrap();
    let of = |tensor: DynTensor| Dynamic::ad_enabled(&Dynamic::device(&tensor));
    assert!(of(DynTensor::from_primitive::<Diff>(tensor(&[1.0], &[1])).unwrap()));
    assert!(!of(DynTensor::from_primitive::<NdArray>(tensor(&[1.0], &[1]).into_inner()).unwrap()));
}
