//! Gradients of gradients of declared ops, by nested `Autodiff` and by tracked gradients, compared with
//! differences of first gradients.

use tensor_op::catalogue::nn::*;
use tensor_op::{Autodiff, Backend, NdArray, Shape, TensorData};
use tensor_op_autodiff::AutodiffTensor;

type Once = Autodiff<NdArray>;
type Twice = Autodiff<Once>;
type Inner = AutodiffTensor<NdArray>;
type Outer = AutodiffTensor<Once>;

fn inner(elements: &[f64], shape: &[usize]) -> Inner {
    let data = TensorData::new(elements.to_vec(), shape).expect("as many as the shape says");
    Once::from_data(data, &Default::default()).expect("the cpu takes f64")
}

fn varied(shape: &[usize], seed: usize) -> Inner {
    let count = shape.iter().product();
    let elements: Vec<f64> = (0..count).map(|i| ((i * 11 + seed * 17) as f64 * 0.41).sin() + 0.3).collect();
    inner(&elements, shape)
}

/// A constant with a different weight for each element.
fn weights(shape: &Shape) -> Inner {
    let elements: Vec<f64> = (0..shape.iter().product()).map(|i| 0.5 + (i as f64 * 1.7).cos()).collect();
    inner(&elements, shape)
}

fn elements(tensor: &<NdArray as Backend>::Tensor) -> Vec<f64> {
    NdArray::into_data(tensor.clone()).and_then(|data| data.to_vec()).expect("f64 on the cpu")
}

/// The gradients of the inputs of `f`, as tensors that depend on `inputs`.
fn gradients(inputs: &[Inner], f: impl Fn(&[Outer]) -> Outer) -> Vec<Inner> {
    let lifted: Vec<Outer> = inputs.iter().map(|x| Outer::from_inner(x.clone()).require_grad()).collect();
    let output = f(&lifted);
    let mut found = output.backward_with(&weights(&Twice::shape(&output))).expect("a gradient exists");
    lifted.iter().map(|x| found.remove(x).expect("each input has one")).collect()
}

/// Checks the same by tracked gradients: no backend is nested, and declared ops run with their kernels.
fn check_tracked(name: &str, inputs: &[Inner], f: impl Fn(&[Outer]) -> Outer) {
    for by in 0..inputs.len() {
        let bases: Vec<Outer> = inputs.iter().map(|x| Outer::from_inner(x.clone()).require_grad()).collect();
        let output = f(&bases);
        let seed = Outer::from_inner(weights(&Twice::shape(&output)));
        let mut first = output.backward_tracked_with(&seed).expect("a gradient exists");
        let first = first.remove(&bases[by]).expect("each input has one");
        if !first.is_tracked() {
            continue;
        }
        let weight = weights(&Twice::shape(&first));
        let second = first.backward_with(&weight).expect("a second gradient exists");
        for (to, base) in bases.iter().enumerate() {
            let count = Twice::shape(base).iter().product();
            let found = second.get(base).map_or(vec![0.0; count], |found| elements(found.inner()));
            for (place, found) in found.into_iter().enumerate() {
                let wanted = difference(inputs, by, to, place, &elements(weight.inner()), &f);
                let close = (found - wanted).abs() <= 1e-6 + 1e-5 * wanted.abs();
                assert!(close, "{name} tracked: {by} by {to} at {place}: {found}, differences give {wanted}");
            }
        }
    }
}

fn check(name: &str, inputs: &[Inner], f: impl Fn(&[Outer]) -> Outer) {
    check_tracked(name, inputs, &f);
    let bases: Vec<Inner> = inputs.iter().map(|x| x.clone().require_grad()).collect();
    for by in 0..bases.len() {
        let first = &gradients(&bases, &f)[by];
        if !first.is_tracked() {
            continue;
        }
        let weight = weights(&Once::shape(first));
        let second = first.backward_with(weight.inner()).expect("a second gradient exists");
        for (to, base) in bases.iter().enumerate() {
            let count = Once::shape(base).iter().product();
            let found = second.get(base).map_or(vec![0.0; count], elements);
            for (place, found) in found.into_iter().enumerate() {
                let wanted = difference(inputs, by, to, place, &elements(weight.inner()), &f);
                let close = (found - wanted).abs() <= 1e-6 + 1e-5 * wanted.abs();
                assert!(close, "{name}: {by} by {to} at {place}: {found}, differences give {wanted}");
            }
        }
    }
}

/// The slope of the weighted gradient of input `by`, with respect to one element of input `to`.
fn difference(
    inputs: &[Inner],
    by: usize,
    to: usize,
    place: usize,
    weights: &[f64],
    f: impl Fn(&[Outer]) -> Outer,
) -> f64 {
    const STEP: f64 = 1e-5;
    let at = |offset: f64| {
        let mut moved = inputs.to_vec();
        let mut values = elements(inputs[to].inner());
        values[place] += offset;
        moved[to] = inner(&values, &Once::shape(&inputs[to]));
        let gradient = elements(gradients(&moved, &f)[by].inner());
        gradient.iter().zip(weights).map(|(g, w)| g * w).sum::<f64>()
    };
    (at(STEP) - at(-STEP)) / (2.0 * STEP)
}

fn take(tensor: tensor_op::Result<Outer>) -> Outer {
    tensor.expect("a right call")
}

fn own(x: &Outer) -> Outer {
    x.clone()
}

#[test]
fn pointwise() {
    check("silu_mul", &[varied(&[2, 3], 0), varied(&[3], 1)], |x| {
        take(Twice::silu_mul(own(&x[0]), own(&x[1])))
    });
}

#[test]
fn rows() {
    for axis in [0, -1] {
        check("softmax", &[varied(&[3, 2], 0)], |x| take(Twice::softmax(own(&x[0]), axis)));
        check("log_softmax", &[varied(&[3, 2], 0)], |x| take(Twice::log_softmax(own(&x[0]), axis)));
    }
    let inputs = [varied(&[2, 4], 0), varied(&[4], 1), varied(&[4], 2)];
    check("rms_norm", &inputs[..2], |x| take(Twice::rms_norm(own(&x[0]), own(&x[1]), 1e-3)));
    check("layer_norm", &inputs, |x| take(Twice::layer_norm(own(&x[0]), own(&x[1]), own(&x[2]), 1e-3)));
    let inputs = [varied(&[2, 3], 0), varied(&[2, 3], 1), varied(&[3], 2)];
    check("add_rms_norm", &inputs, |x| {
        let (norm, sum) =
            Twice::add_rms_norm(own(&x[0]), own(&x[1]), own(&x[2]), 1e-3).expect("a right call");
        take(Twice::silu_mul(norm, sum))
    });
}

#[test]
fn contractions() {
    let inputs = [varied(&[2, 2, 3], 0), varied(&[3, 2], 1), varied(&[2], 2)];
    check("matmul", &inputs[..2], |x| take(<Twice as MatmulBackend>::matmul(own(&x[0]), own(&x[1]))));
    check("matmul_add_relu", &inputs, |x| take(Twice::matmul_add_relu(own(&x[0]), own(&x[1]), own(&x[2]))));
    let inputs = [varied(&[2, 3], 0), varied(&[4, 3], 1), varied(&[4, 2], 2)];
    check("attention", &inputs, |x| take(Twice::attention(own(&x[0]), own(&x[1]), own(&x[2]))));
}

#[test]
fn indices() {
    let ids = |values: Vec<i64>| {
        let data = TensorData::new(values, [3]).expect("three");
        Twice::from_data(data, &Default::default()).expect("the cpu takes i64")
    };
    check("cross_entropy", &[varied(&[3, 4], 0)], |x| {
        take(Twice::cross_entropy(own(&x[0]), ids(vec![1, 3, 0])))
    });
    check("embedding", &[varied(&[4, 2], 0)], |x| {
        let rows = take(Twice::embedding(own(&x[0]), ids(vec![1, 3, 1])));
        take(Twice::silu_mul(rows.clone(), rows))
    });
}
