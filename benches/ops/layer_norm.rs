//! Two reductions along the row, one after the other; its gradient has two more, and two over the rows.

use crate::case::{COLUMNS, Case, Gradient, SAMPLES, Way, matrix, numbers, rows, slice, tensor};
use crate::isa::{loops, sum};
use divan::Bencher;
use ndarray::{Array1, Array2, Axis};
use rayon::prelude::*;
use tensor_op::NdArray;
use tensor_op::catalogue::nn::{LayerNorm, LayerNormBackend};
use tensor_op::cpu::Value;
use tensor_op_spec::ir::Scalar;

const EPS: f32 = 1e-5;
/// Rows whose share of a sum over rows one thread adds up.
const CHUNK: usize = 64;

loops! {
    fn forward_row<M>(x: &[f32], gamma: &[f32], beta: &[f32], out: &mut [f32]) {
        let n = x.len() as f32;
        let mean = sum(x, x, |x, _| x) / n;
        let scale = 1.0 / (sum(x, x, |x, _| (x - mean) * (x - mean)) / n + EPS).sqrt();
        for (((x, gamma), beta), out) in x.iter().zip(gamma).zip(beta).zip(out) {
            *out = (x - mean) * scale * gamma + beta;
        }
    }
}

loops! {
    fn backward_row<M>(
        x: &[f32],
        gamma: &[f32],
        mean: f32,
        scale: f32,
        grad: &[f32],
        grad_x: &mut [f32],
        grad_gamma: &mut [f32],
        grad_beta: &mut [f32],
    ) {
        let n = x.len() as f32;
        for ((x, grad), (grad_gamma, grad_beta)) in x.iter().zip(grad).zip(grad_gamma.iter_mut().zip(grad_beta)) {
            *grad_gamma += grad * (x - mean) * scale;
            *grad_beta += grad;
        }
        for ((gamma, grad), grad_x) in gamma.iter().zip(grad).zip(grad_x.iter_mut()) {
            *grad_x = grad * gamma;
        }
        let whole = sum(grad_x, x, |g, _| g) / n;
        let shared = sum(grad_x, x, |g, x| g * (x - mean)) * scale * scale / n;
        for (x, grad_x) in x.iter().zip(grad_x) {
            *grad_x = (*grad_x - whole - (x - mean) * shared) * scale;
        }
    }
}

#[divan::bench(args = Way::ALL, sample_count = SAMPLES, sample_size = 1)]
fn forward(bencher: Bencher<'_, '_>, way: Way) {
    let (rows, len) = (rows(), rows() * COLUMNS);
    let x = matrix(rows, COLUMNS, 1);
    let [gamma, beta] = [2, 3].map(|seed| Array1::from(numbers(COLUMNS, seed)));
    let (tx, tgamma, tbeta) = (tensor(&x), tensor(&gamma), tensor(&beta));
    Case {
        bytes: 4 * (2 * len + 2 * COLUMNS),
        flops: None,
        lens: [len],
        generated: &|| {
            Ok(vec![NdArray::layer_norm(tx.clone(), tgamma.clone(), tbeta.clone(), f64::from(EPS))?])
        },
        by_hand: &|loops, [out]| {
            let rows = out.par_chunks_mut(COLUMNS).zip(slice(&x).par_chunks(COLUMNS));
            rows.for_each(|(out, x)| forward_row(loops, x, slice(&gamma), slice(&beta), out));
        },
        composed: &|| {
            let (mean, scale) = statistics(&x);
            vec![((&x - &mean) * &scale * &gamma + &beta).into_dyn()]
        },
    }
    .bench(bencher, way);
}

#[divan::bench(args = Way::ALL, sample_count = SAMPLES, sample_size = 1)]
fn backward(bencher: Bencher<'_, '_>, way: Way) {
    let (rows, len) = (rows(), rows() * COLUMNS);
    let [x, grad] = [1, 2].map(|seed| matrix(rows, COLUMNS, seed));
    let gamma = Array1::from(numbers(COLUMNS, 3));
    let args = [tensor(&x), tensor(&gamma), tensor(&gamma)].map(Value::Tensor);
    let args = args.into_iter().chain([Value::Scalar(Scalar::Float(f64::from(EPS)))]).collect();
    let gradient = Gradient::of(&LayerNorm, args, &tensor(&grad)).expect("the arguments fit");
    let (mean, scale) = statistics(&x);
    Case {
        bytes: 4 * (3 * len + 3 * COLUMNS),
        flops: None,
        lens: [len, COLUMNS, COLUMNS],
        generated: &|| gradient.run(),
        by_hand: &|loops, [grad_x, grad_gamma, grad_beta]| {
            let chunk = CHUNK * COLUMNS;
            let inputs = slice(&x).par_chunks(chunk).zip(slice(&grad).par_chunks(chunk));
            let saved = slice(&mean).par_chunks(CHUNK).zip(slice(&scale).par_chunks(CHUNK));
            let inputs = inputs.zip(saved);
            let parts: Vec<[Vec<f32>; 2]> = (grad_x.par_chunks_mut(chunk).zip(inputs))
                .map(|(grad_x, ((x, grad), (mean, scale)))| {
                    let mut part = [vec![0.0; COLUMNS], vec![0.0; COLUMNS]];
                    let [grad_gamma, grad_beta] = &mut part;
                    let inputs = x.chunks(COLUMNS).zip(grad.chunks(COLUMNS)).zip(mean.iter().zip(scale));
                    for (grad_x, ((x, grad), (mean, scale))) in grad_x.chunks_mut(COLUMNS).zip(inputs) {
                        backward_row(
                            loops,
                            x,
                            slice(&gamma),
                            *mean,
                            *scale,
                            grad,
                            grad_x,
                            grad_gamma,
                            grad_beta,
                        );
                    }
                    part
                })
                .collect();
            for (whole, which) in [(grad_gamma, 0), (grad_beta, 1)] {
                whole.fill(0.0);
                parts
                    .iter()
                    .for_each(|part| whole.iter_mut().zip(&part[which]).for_each(|(sum, x)| *sum += x));
            }
        },
        composed: &|| {
            let normal = (&x - &mean) * &scale;
            let grad_gamma = (&grad * &normal).sum_axis(Axis(0));
            let grad_beta = grad.sum_axis(Axis(0));
            let grad_normal = &grad * &gamma;
            let whole = grad_normal.mean_axis(Axis(1)).expect("columns").insert_axis(Axis(1));
            let shared = (&grad_normal * &normal).mean_axis(Axis(1)).expect("columns").insert_axis(Axis(1));
            let grad_x = (grad_normal - whole - normal * shared) * &scale;
            vec![grad_x.into_dyn(), grad_gamma.into_dyn(), grad_beta.into_dyn()]
        },
    }
    .bench(bencher, way);
}

/// Mean of each row, and what it is scaled by.
fn statistics(x: &Array2<f32>) -> (Array2<f32>, Array2<f32>) {
    let mean = x.mean_axis(Axis(1)).expect("columns").insert_axis(Axis(1));
    let centered = x - &mean;
    let variance = (&centered * &centered).mean_axis(Axis(1)).expect("columns");
    let scale = variance.mapv(|variance| 1.0 / (variance + EPS).sqrt()).insert_axis(Axis(1));
    (mean, scale)
}
