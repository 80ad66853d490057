//! Two reductions along the row and an `exp`.

use crate::case::{COLUMNS, Case, Gradient, SAMPLES, Way, matrix, rows, slice, tensor};
use crate::isa::{loops, max, sum};
use divan::Bencher;
use ndarray::{Array2, Axis};
use rayon::prelude::*;
use tensor_op::NdArray;
use tensor_op::catalogue::nn::{Softmax, SoftmaxBackend};
use tensor_op::cpu::Value;
use tensor_op_spec::ir::Scalar;

loops! {
    fn forward_row<M>(x: &[f32], out: &mut [f32]) {
        let max = max(x);
        for (x, out) in x.iter().zip(out.iter_mut()) {
            *out = M::exp(x - max);
        }
        let scale = 1.0 / sum(out, out, |e, _| e);
        for out in out {
            *out *= scale;
        }
    }
}

loops! {
    fn backward_row<M>(out: &[f32], grad: &[f32], grad_x: &mut [f32]) {
        let dot = sum(out, grad, |out, grad| out * grad);
        for ((out, grad), grad_x) in out.iter().zip(grad).zip(grad_x) {
            *grad_x = (grad - dot) * out;
        }
    }
}

#[divan::bench(args = Way::ALL, sample_count = SAMPLES, sample_size = 1)]
fn forward(bencher: Bencher<'_, '_>, way: Way) {
    let (rows, len) = (rows(), rows() * COLUMNS);
    let x = matrix(rows, COLUMNS, 1);
    let tx = tensor(&x);
    Case {
        bytes: 2 * 4 * len,
        flops: None,
        lens: [len],
        generated: &|| Ok(vec![NdArray::softmax(tx.clone(), -1)?]),
        by_hand: &|loops, [out]| {
            let inputs = slice(&x).par_chunks(COLUMNS);
            out.par_chunks_mut(COLUMNS).zip(inputs).for_each(|(out, x)| forward_row(loops, x, out));
        },
        composed: &|| vec![composed(&x).into_dyn()],
    }
    .bench(bencher, way);
}

#[divan::bench(args = Way::ALL, sample_count = SAMPLES, sample_size = 1)]
fn backward(bencher: Bencher<'_, '_>, way: Way) {
    let (rows, len) = (rows(), rows() * COLUMNS);
    let [x, grad] = [1, 2].map(|seed| matrix(rows, COLUMNS, seed));
    let args = vec![Value::Tensor(tensor(&x)), Value::Scalar(Scalar::Int(-1))];
    let gradient = Gradient::of(&Softmax, args, &tensor(&grad)).expect("the arguments fit");
    let out = composed(&x);
    Case {
        bytes: 3 * 4 * len,
        flops: None,
        lens: [len],
        generated: &|| gradient.run(),
        by_hand: &|loops, [grad_x]| {
            let inputs = slice(&out).par_chunks(COLUMNS).zip(slice(&grad).par_chunks(COLUMNS));
            grad_x
                .par_chunks_mut(COLUMNS)
                .zip(inputs)
                .for_each(|(grad_x, (out, grad))| backward_row(loops, out, grad, grad_x));
        },
        composed: &|| {
            let dot = (&out * &grad).sum_axis(Axis(1)).insert_axis(Axis(1));
            vec![((&grad - &dot) * &out).into_dyn()]
        },
    }
    .bench(bencher, way);
}

fn composed(x: &Array2<f32>) -> Array2<f32> {
    let max = x.fold_axis(Axis(1), f32::NEG_INFINITY, |max, x| max.max(*x)).insert_axis(Axis(1));
    let e = (x - &max).mapv_into(f32::exp);
    let sum = e.sum_axis(Axis(1)).insert_axis(Axis(1));
    e / sum
}
