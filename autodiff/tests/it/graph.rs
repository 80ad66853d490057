//! The graph: accumulation, many outputs, depth, what is tracked and freed.

use crate::check::check;
use crate::ops::{
    Diff, Tensor, add, call, call1, ints, mul, norm_with_hidden, op, place_and_max, product_and_sum,
    scaled_mask, sum, tensor, values, varied,
};
use tensor_op_autodiff::AutodiffTensor;
use tensor_op_core::{Backend, ErrorKind, GraphOp, Value};
use tensor_op_ndarray::{NdArray, NdArrayTensor};
use tensor_op_spec::ir::Scalar;

fn gradient(output: &Tensor, input: &Tensor) -> Vec<f64> {
    let gradients = output.backward().unwrap();
    values::<NdArray>(gradients.get(input).expect("the input requires a gradient"))
}

#[test]
fn one_input_used_twice_accumulates() {
    let x = tensor(&[2.0, -3.0], &[2]).require_grad();
    assert_eq!(gradient(&call1(&mul(), &[&x, &x]), &x), [4.0, -6.0]);
}

#[test]
fn a_diamond_is_walked_once() {
    let x = tensor(&[2.0, 3.0], &[2]).require_grad();
    let square = call1(&mul(), &[&x, &x]);
    let left = call1(&mul(), &[&square, &x]);
    let right = call1(&add(), &[&square, &left]);
    assert_eq!(gradient(&right, &x), [2.0 * 2.0 + 3.0 * 4.0, 2.0 * 3.0 + 3.0 * 9.0]);
}

#[test]
fn chains_and_broadcasts_agree_with_differences() {
    check("sum", &[varied(&[2, 3], 0)], |x| call1(&sum(), &[&x[0]]));
    let inputs = [varied(&[2, 3], 1), varied(&[3], 2), varied(&[2, 1], 3)];
    check("broadcast", &inputs, |x| call1(&mul(), &[&call1(&mul(), &[&x[0], &x[1]]), &x[2]]));
    let inputs = [varied(&[1, 1], 1), varied(&[4, 1, 3], 2)];
    check("leading", &inputs, |x| call1(&mul(), &[&call1(&add(), &[&x[0], &x[1]]), &x[1]]));
    check("scalar", &[varied(&[], 1), varied(&[5], 2)], |x| {
        call1(&sum(), &[&call1(&mul(), &[&x[0], &x[1]])])
    });
}

#[test]
fn an_empty_tensor_has_an_empty_gradient() {
    let x = tensor(&[], &[0, 3]).require_grad();
    let y = tensor(&[1.0, 2.0, 3.0], &[3]).require_grad();
    let gradients = call1(&mul(), &[&x, &y]).backward().unwrap();
    assert_eq!(NdArray::shape(gradients.get(&x).unwrap()), [0, 3]);
    assert_eq!(values::<NdArray>(gradients.get(&y).unwrap()), [0.0, 0.0, 0.0]);
}

#[test]
fn outputs_that_nothing_was_computed_from_count_as_zero() {
    let (x, y) = (tensor(&[2.0], &[1]).require_grad(), tensor(&[5.0], &[1]).require_grad());
    let outputs = call(&product_and_sum(), &[&x, &y]);
    assert_eq!(gradient(&outputs[0], &x), [5.0]);
    let outputs = call(&product_and_sum(), &[&x, &y]);
    assert_eq!(gradient(&outputs[1], &x), [1.0]);
    let outputs = call(&product_and_sum(), &[&x, &y]);
    assert_eq!(gradient(&call1(&mul(), &[&outputs[0], &outputs[1]]), &x), [5.0 * 7.0 + 10.0]);
}

#[test]
fn each_output_sums_its_own_gradients() {
    let (x, y) = (tensor(&[2.0], &[1]).require_grad(), tensor(&[5.0], &[1]).require_grad());
    let outputs = call(&product_and_sum(), &[&x, &y]);
    let square = call1(&mul(), &[&outputs[1], &outputs[1]]);
    let all = call1(&mul(), &[&square, &outputs[0]]);
    // The derivative of (x + y)^2 * x * y.
    assert_eq!(gradient(&all, &x), [2.0 * 7.0 * 10.0 + 49.0 * 5.0]);
}

#[test]
fn only_wanted_outputs_are_recorded() {
    let (x, y) = (tensor(&[2.0], &[1]).require_grad(), tensor(&[5.0], &[1]).require_grad());
    let args = vec![Value::Tensor(x.clone()), Value::Tensor(y.clone())];
    let outputs = Diff::run(&product_and_sum(), args, &[false, true]).unwrap();
    assert!(outputs[0].is_none());
    let gradients = outputs[1].as_ref().unwrap().backward().unwrap();
    assert_eq!(values::<NdArray>(gradients.get(&y).unwrap()), [1.0]);
}

#[test]
fn int_outputs_are_constants() {
    let x = tensor(&[1.0, 7.0, 3.0], &[3]).require_grad();
    let outputs = call(&place_and_max(), &[&x]);
    assert!(!outputs[0].is_tracked());
    assert_eq!(gradient(&outputs[1], &x), [0.0, 1.0, 0.0]);
}

#[test]
fn scalars_are_saved_and_untracked_inputs_get_nothing() {
    let (x, y) = (tensor(&[2.0], &[1]).require_grad(), tensor(&[5.0], &[1]));
    let args = vec![Value::Tensor(x.clone()), Value::Tensor(y.clone()), Value::Scalar(Scalar::Float(3.0))];
    let output = Diff::run(&scaled_mask(), args, &[true]).unwrap().remove(0).unwrap();
    let gradients = output.backward().unwrap();
    assert_eq!(values::<NdArray>(gradients.get(&x).unwrap()), [15.0]);
    assert!(gradients.get(&y).is_none());
}

#[test]
fn what_is_computed_from_constants_is_a_constant() {
    let y = call1(&mul(), &[&varied(&[3], 0), &varied(&[3], 1)]);
    assert!(!y.is_tracked());
    assert!(!ints(&[1, 2], &[2]).require_grad().is_tracked());
}

#[test]
fn a_required_result_keeps_its_gradient_and_passes_it_on() {
    let x = tensor(&[2.0], &[1]).require_grad();
    let middle = call1(&mul(), &[&x, &x]).require_grad();
    let y = call1(&mul(), &[&middle, &middle]);
    let mut gradients = y.backward().unwrap();
    assert_eq!(values::<NdArray>(gradients.get(&middle).unwrap()), [8.0]);
    assert_eq!(values::<NdArray>(&gradients.remove(&x).unwrap()), [32.0]);
    assert!(gradients.get(&x).is_none());
}

#[test]
fn a_result_without_gradient_can_start_anew() {
    let step = op("op step\ndim .. group\narg x: float[..] no_grad, forward 0\n%0 = input x : float[..]\n\
                   %1 = add(%0, %0) : float[..]\nout out = %1 [..]\n");
    let x = tensor(&[3.0], &[1]).require_grad();
    let next = call1(&step, &[&x]).require_grad();
    let gradients = call1(&mul(), &[&next, &next]).backward().unwrap();
    assert_eq!(values::<NdArray>(gradients.get(&next).unwrap()), [12.0]);
    assert!(gradients.get(&x).is_none());
}

#[test]
fn parameters_serve_many_passes_and_results_one() {
    let x = tensor(&[3.0], &[1]).require_grad();
    let y = call1(&mul(), &[&x, &x]);
    assert_eq!(gradient(&y, &x), [6.0]);
    let error = y.backward().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Gradient);
    assert!(error.to_string().starts_with("mul: an earlier backward pass"), "{error}");
    assert_eq!(gradient(&call1(&mul(), &[&x, &x]), &x), [6.0]);
    assert_eq!(gradient(&x, &x), [1.0]);
}

#[test]
fn a_chain_of_100_000_nodes_does_not_overflow_the_stack() {
    let run = || {
        let (op, one) = (add(), tensor(&[1.0], &[1]));
        let x = tensor(&[0.0], &[1]).require_grad();
        let mut y = x.clone();
        for _ in 0..100_000 {
            y = call1(&op, &[&y, &one]);
        }
        assert_eq!(values::<NdArray>(y.inner()), [100_000.0]);
        let unused = y.clone();
        assert_eq!(gradient(&y, &x), [1.0]);
        drop((y, unused));
    };
    std::thread::Builder::new().stack_size(256 * 1024).spawn(run).unwrap().join().unwrap();
}

#[test]
fn tensors_of_one_graph_may_be_used_on_many_threads() {
    let x = tensor(&[3.0], &[1]).require_grad();
    let sums: Vec<Vec<f64>> = std::thread::scope(|scope| {
        let threads: Vec<_> =
            (0..4).map(|_| scope.spawn(|| gradient(&call1(&mul(), &[&x, &x]), &x))).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    assert_eq!(sums, vec![vec![6.0]; 4]);
}

#[test]
fn what_only_untracked_inputs_need_is_not_saved() {
    let address = |tensor: &Tensor| tensor.inner().as_slice::<f64>().unwrap().unwrap().as_ptr();
    let given_back = |tensor: Tensor| tensor.into_inner().into_ndarray::<f64>().unwrap().as_ptr();
    let (x, y) = (varied(&[4], 0).require_grad(), varied(&[4], 1));
    let (first, second, wanted) = (address(&x), address(&y), values::<NdArray>(y.inner()));
    let output = call1(&mul(), &[&x, &y]);
    assert_eq!(given_back(x), first, "the gradient of `x` needs `y` alone");
    assert_ne!(given_back(y), second, "which the node holds");
    let found: Vec<_> = output.backward().unwrap().into_nodes().map(|(_, gradient)| gradient).collect();
    assert_eq!(found.iter().map(values::<NdArray>).collect::<Vec<_>>(), [wanted]);
}

fn visible(op: &GraphOp, args: &[&Tensor]) -> Tensor {
    let args = args.iter().map(|tensor| Value::Tensor((*tensor).clone())).collect();
    let outputs = Diff::run(op, args, &[true, false]).unwrap();
    assert!(outputs[1].is_none(), "nobody asked for it");
    outputs.into_iter().flatten().next().unwrap()
}

#[test]
fn hidden_results_are_kept_for_the_backward_op() {
    let op = norm_with_hidden();
    let inputs = [varied(&[2, 3], 0), varied(&[3], 1)];
    check("norm", &inputs, |x| visible(&op, &[&x[0], &x[1]]));
    let x = inputs.clone().map(AutodiffTensor::require_grad);
    let address = |tensor: &NdArrayTensor| tensor.as_slice::<f64>().unwrap().unwrap().as_ptr();
    let held = visible(&op, &[&x[0], &x[1]]).held_bytes(address);
    assert_eq!(held, (2 * 3 + 3 + 2) * size_of::<f64>(), "the inputs and a factor per row");
    assert!(!visible(&op, &[&inputs[0], &inputs[1]]).is_tracked());
}

#[test]
fn gradients_of_gradients_go_through_hidden_results() {
    let op = norm_with_hidden();
    let gradient = |x: &[Tensor]| {
        let output = visible(&op, &[&x[0], &x[1]]);
        let square = call1(&mul(), &[&output, &output]);
        square.backward_tracked().unwrap().remove(&x[0]).unwrap()
    };
    check("norm's gradient", &[varied(&[2, 3], 0), varied(&[3], 1)], |x| {
        let tracked: Vec<Tensor> = x.iter().map(|x| x.clone().require_grad()).collect();
        gradient(&tracked)
    });
}

#[test]
fn a_graph_that_threads_share_is_walked_by_all_or_by_the_first() {
    let x = varied(&[4], 0).require_grad();
    let trunk = call1(&mul(), &[&x, &x]);
    let heads = || {
        std::thread::scope(|scope| {
            let tracked = || call1(&mul(), &[&trunk, &x]).backward_tracked().unwrap().remove(&x).unwrap();
            let threads: Vec<_> = (0..4).map(|_| scope.spawn(tracked)).collect();
            threads
                .into_iter()
                .map(|thread| values::<NdArray>(thread.join().unwrap().inner()))
                .collect::<Vec<_>>()
        })
    };
    let wanted: Vec<f64> = values::<NdArray>(x.inner()).iter().map(|x| 3.0 * x * x).collect();
    for found in heads() {
        for (found, wanted) in found.iter().zip(&wanted) {
            assert!((found - wanted).abs() < 1e-12);
        }
    }
    let results: Vec<bool> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..4).map(|_| scope.spawn(|| trunk.backward().is_ok())).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    assert_eq!(results.iter().filter(|is_ok| **is_ok).count(), 1, "what was saved is taken once");
}

#[test]
fn what_was_saved_is_freed_while_the_pass_goes_on() {
    let address = |tensor: &NdArrayTensor| tensor.as_slice::<f64>().unwrap().unwrap().as_ptr();
    let x = varied(&[100], 0).require_grad();
    let y = call1(&mul(), &[&x, &x]);
    let z = call1(&mul(), &[&y, &y]);
    assert_eq!(z.held_bytes(address), 2 * 100 * size_of::<f64>());
    z.backward_tracked().unwrap();
    assert_eq!(z.held_bytes(address), 2 * 100 * size_of::<f64>(), "another pass may come");
    z.backward().unwrap();
    assert_eq!(z.held_bytes(address), 0);
}
