//! What has no gradient is an error that says so.

use crate::ops::{Diff, call, call1, mul, op, place_and_max, scaled_mask, tensor};
use tensor_op_core::{Backend, Error, ErrorKind, TensorData, Value};
use tensor_op_ndarray::NdArray;
use tensor_op_spec::ir::Scalar;

fn gradient_error<T>(result: Result<T, Error>, message: &str) {
    let error = result.err().unwrap_or_else(|| panic!("an error is wanted: {message}"));
    assert_eq!(error.kind(), ErrorKind::Gradient, "{error}");
    assert_eq!(error.to_string(), message);
}

#[test]
fn a_constant_has_nothing_to_differentiate() {
    gradient_error(
        tensor(&[1.0], &[1]).backward(),
        "backward: no input of this tensor is tracked; call `require_grad` on an input before computing from it",
    );
}

#[test]
fn a_tensor_of_ints_has_no_gradient() {
    let x = tensor(&[1.0, 2.0], &[2]).require_grad();
    let place = call(&place_and_max(), &[&x]).remove(0);
    gradient_error(
        place.backward(),
        "backward: this is a tensor of i64, which has no gradient; only floats have",
    );
}

#[test]
fn a_seed_is_as_the_tensor() {
    let x = tensor(&[1.0, 2.0], &[2]).require_grad();
    let y = call1(&mul(), &[&x, &x]);
    gradient_error(
        y.backward_with(tensor(&[1.0], &[1]).inner()),
        "backward_with: the seed has shape [1], the tensor has [2]; they must agree",
    );
    let single =
        NdArray::from_data(TensorData::new(vec![1.0f32, 1.0], [2]).unwrap(), &Default::default()).unwrap();
    gradient_error(
        y.backward_with(&single),
        "backward_with: the seed has dtype f32, the tensor has f64; they must agree",
    );
    assert!(
        y.backward_with(tensor(&[1.0, 1.0], &[2]).inner()).is_ok(),
        "a refused seed leaves the graph as it was"
    );
}

#[test]
fn a_tracked_input_that_has_no_gradient_is_no_silent_zero() {
    let y = tensor(&[5.0], &[1]).require_grad();
    let args = vec![Value::Tensor(tensor(&[2.0], &[1])), Value::Tensor(y), Value::Scalar(Scalar::Float(3.0))];
    let output = Diff::run(&scaled_mask(), args, &[true]).unwrap().remove(0).unwrap();
    assert!(output.is_tracked());
    gradient_error(
        output.backward(),
        "scaled_mask: `y` is declared `#[no_grad]` and has no gradient; detach it if it is a constant here",
    );
}

#[test]
fn a_flat_op_runs_but_refuses_a_gradient() {
    let floor = op("op steps\ndim .. group\narg x: float[..], forward 0\n%0 = input x : float[..]\n\
                    %1 = floor(%0) : float[..]\nout out = %1 [..]\n");
    let y = call1(&floor, &[&tensor(&[1.5], &[1]).require_grad()]);
    let error = y.backward().unwrap_err();
    assert_eq!((error.kind(), error.op()), (ErrorKind::Gradient, Some("steps")));
    assert!(error.to_string().contains("stop_grad(floor(..))"), "{error}");
}

#[test]
fn a_wrong_call_is_the_backends_error() {
    let x = tensor(&[1.0, 2.0], &[2]).require_grad();
    let y = tensor(&[1.0, 2.0, 3.0], &[3]);
    let error = Diff::run(&mul(), vec![Value::Tensor(x.clone()), Value::Tensor(y)], &[true]).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Shape, "{error}");
    assert!(Diff::run(&mul(), vec![Value::Tensor(x)], &[true]).is_err());
}
