//! Higher orders: autodiff over autodiff.

use crate::ops::{mul, op, values};
use tensor_op_autodiff::{Autodiff, AutodiffTensor};
use tensor_op_core::{Backend, GraphOp, TensorData, Value};
use tensor_op_ndarray::NdArray;

type Once = Autodiff<NdArray>;
type Twice = Autodiff<Once>;
type Inner = AutodiffTensor<NdArray>;

fn inner(elements: &[f64]) -> Inner {
    let data = TensorData::new(elements.to_vec(), [elements.len()]).unwrap();
    Once::from_data(data, &Default::default()).unwrap().require_grad()
}

fn run<B: Backend>(op: &GraphOp, args: &[&B::Tensor]) -> B::Tensor {
    let args = args.iter().map(|tensor| Value::Tensor((*tensor).clone())).collect();
    B::run(op, args, &[true]).unwrap().remove(0).unwrap()
}

fn sin() -> GraphOp {
    op(
        "op wave\ndim .. group\narg x: float[..], forward 0\n%0 = input x : float[..]\n%1 = sin(%0) : float[..]\nout out = %1 [..]\n",
    )
}

#[test]
fn the_gradient_of_a_gradient() {
    let base = inner(&[0.5, 2.0]);
    let x = AutodiffTensor::<Once>::from_inner(base.clone()).require_grad();
    let y = run::<Twice>(&mul(), &[&run::<Twice>(&sin(), &[&x]), &x]);
    let first = y.backward().unwrap().remove(&x).unwrap();
    let at = |x: f64| x.cos() * x + x.sin();
    assert_close(&values::<Once>(&first), &[at(0.5), at(2.0)]);
    let second = first.backward().unwrap().remove(&base).unwrap();
    let at = |x: f64| 2.0 * x.cos() - x * x.sin();
    assert_close(&values::<NdArray>(&second), &[at(0.5), at(2.0)]);
}

#[test]
fn three_levels() {
    type Thrice = Autodiff<Twice>;
    let lowest = inner(&[0.7]);
    let middle = AutodiffTensor::<Once>::from_inner(lowest.clone()).require_grad();
    let x = AutodiffTensor::<Twice>::from_inner(middle.clone()).require_grad();
    let y = run::<Thrice>(&sin(), &[&x]);
    let first = y.backward().unwrap().remove(&x).unwrap();
    let second = first.backward().unwrap().remove(&middle).unwrap();
    let third = second.backward().unwrap().remove(&lowest).unwrap();
    assert_close(&values::<NdArray>(&third), &[-0.7f64.cos()]);
}

#[test]
fn mixed_derivatives_of_two_inputs() {
    let (a, b) = (inner(&[3.0]), inner(&[4.0]));
    let lift = |t: &Inner| AutodiffTensor::<Once>::from_inner(t.clone());
    let (x, y) = (lift(&a).require_grad(), lift(&b));
    let square = run::<Twice>(&mul(), &[&x, &x]);
    let z = run::<Twice>(&mul(), &[&square, &run::<Twice>(&mul(), &[&y, &y])]);
    let by_x = z.backward().unwrap().remove(&x).unwrap();
    let mut second = by_x.backward().unwrap();
    assert_eq!(values::<NdArray>(&second.remove(&a).unwrap()), [2.0 * 16.0]);
    assert_eq!(values::<NdArray>(&second.remove(&b).unwrap()), [4.0 * 3.0 * 4.0]);
}

fn assert_close(found: &[f64], wanted: &[f64]) {
    assert_eq!(found.len(), wanted.len());
    for (found, wanted) in found.iter().zip(wanted) {
        assert!((found - wanted).abs() <= 1e-12 * wanted.abs().max(1.0), "{found} is not {wanted}");
    }
}
