//! A reduction along the row; its gradient has another one over the rows.

use crate::case::{COLUMNS, Case, Gradient, SAMPLES, Way, matrix, numbers, rows, slice, tensor};
use crate::isa::{loops, sum};
use divan::Bencher;
use ndarray::{Array1, Array2, Axis};
use rayon::prelude::*;
use tensor_op::NdArray;
use tensor_op::catalogue::nn::{RmsNorm, RmsNormBackend};
use tensor_op::cpu::Value;
use tensor_op_spec::ir::Scalar;

const EPS: f32 = 1e-6;
/// Rows whose share of a sum over rows one thread adds up.
const CHUNK: usize = 64;

loops! {
    fn forward_row<M>(x: &[f32], gamma: &[f32], out: &mut [f32]) {
        let scale = 1.0 / (sum(x, x, |x, _| x * x) / x.len() as f32 + EPS).sqrt();
        for ((x, gamma), out) in x.iter().zip(gamma).zip(out) {
            *out = x * scale * gamma;
        }
    }
}

loops! {
    fn backward_row<M>(
        x: &[f32],
        gamma: &[f32],
        scale: f32,
        grad: &[f32],
        grad_x: &mut [f32],
        grad_gamma: &mut [f32],
    ) {
        let n = x.len() as f32;
        for ((x, grad), grad_gamma) in x.iter().zip(grad).zip(grad_gamma) {
            *grad_gamma += grad * x * scale;
        }
        for ((gamma, grad), grad_x) in gamma.iter().zip(grad).zip(grad_x.iter_mut()) {
            *grad_x = grad * gamma;
        }
        let shared = sum(grad_x, x, |g, x| g * x) * scale * scale / n;
        for (x, grad_x) in x.iter().zip(grad_x) {
            *grad_x = (*grad_x - x * shared) * scale;
        }
    }
}

#[divan::bench(args = Way::ALL, sample_count = SAMPLES, sample_size = 1)]
fn forward(bencher: Bencher<'_, '_>, way: Way) {
    let (rows, len) = (rows(), rows() * COLUMNS);
    let (x, gamma) = (matrix(rows, COLUMNS, 1), Array1::from(numbers(COLUMNS, 2)));
    let (tx, tgamma) = (tensor(&x), tensor(&gamma));
    Case {
        bytes: 4 * (2 * len + COLUMNS),
        flops: None,
        lens: [len],
        generated: &|| Ok(vec![NdArray::rms_norm(tx.clone(), tgamma.clone(), f64::from(EPS))?]),
        by_hand: &|loops, [out]| {
            let inputs = slice(&x).par_chunks(COLUMNS);
            out.par_chunks_mut(COLUMNS)
                .zip(inputs)
                .for_each(|(out, x)| forward_row(loops, x, slice(&gamma), out));
        },
        composed: &|| vec![(&x * &scale(&x) * &gamma).into_dyn()],
    }
    .bench(bencher, way);
}

#[divan::bench(args = Way::ALL, sample_count = SAMPLES, sample_size = 1)]
fn backward(bencher: Bencher<'_, '_>, way: Way) {
    let (rows, len) = (rows(), rows() * COLUMNS);
    let [x, grad] = [1, 2].map(|seed| matrix(rows, COLUMNS, seed));
    let gamma = Array1::from(numbers(COLUMNS, 3));
    let args = [&tensor(&x), &tensor(&gamma)].map(|tensor| Value::Tensor(tensor.clone()));
    let args = args.into_iter().chain([Value::Scalar(Scalar::Float(f64::from(EPS)))]).collect();
    let gradient = Gradient::of(&RmsNorm, args, &tensor(&grad)).expect("the arguments fit");
    let scale = scale(&x);
    Case {
        bytes: 4 * (3 * len + 2 * COLUMNS),
        flops: None,
        lens: [len, COLUMNS],
        generated: &|| gradient.run(),
        by_hand: &|loops, [grad_x, grad_gamma]| {
            let chunk = CHUNK * COLUMNS;
            let inputs = slice(&x).par_chunks(chunk).zip(slice(&grad).par_chunks(chunk));
            let inputs = inputs.zip(slice(&scale).par_chunks(CHUNK));
            let parts: Vec<Vec<f32>> = (grad_x.par_chunks_mut(chunk).zip(inputs))
                .map(|(grad_x, ((x, grad), scale))| {
                    let mut grad_gamma = vec![0.0; COLUMNS];
                    let inputs = x.chunks(COLUMNS).zip(grad.chunks(COLUMNS)).zip(scale);
                    for (grad_x, ((x, grad), scale)) in grad_x.chunks_mut(COLUMNS).zip(inputs) {
                        backward_row(loops, x, slice(&gamma), *scale, grad, grad_x, &mut grad_gamma);
                    }
                    grad_gamma
                })
                .collect();
            grad_gamma.fill(0.0);
            parts.iter().for_each(|part| grad_gamma.iter_mut().zip(part).for_each(|(sum, x)| *sum += x));
        },
        composed: &|| {
            let normal = &x * &scale;
            let grad_gamma = (&grad * &normal).sum_axis(Axis(0));
            let grad_normal = &grad * &gamma;
            let shared = (&grad_normal * &normal).mean_axis(Axis(1)).expect("columns").insert_axis(Axis(1));
            let grad_x = (grad_normal - normal * shared) * &scale;
            vec![grad_x.into_dyn(), grad_gamma.into_dyn()]
        },
    }
    .bench(bencher, way);
}

/// What each row is scaled by.
fn scale(x: &Array2<f32>) -> Array2<f32> {
    let mean = (x * x).mean_axis(Axis(1)).expect("columns");
    mean.mapv(|mean| 1.0 / (mean + EPS).sqrt()).insert_axis(Axis(1))
}
