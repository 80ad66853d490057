//! Elementwise with an `exp`.

use crate::case::{COLUMNS, Case, Gradient, SAMPLES, Way, matrix, rows, slice, tensor};
use crate::isa::loops;
use divan::Bencher;
use rayon::prelude::*;
use tensor_op::NdArray;
use tensor_op::catalogue::nn::{SiluMul, SiluMulBackend};
use tensor_op::cpu::Value::Tensor;

loops! {
    fn forward_row<M>(x: &[f32], gate: &[f32], out: &mut [f32]) {
        for ((x, gate), out) in x.iter().zip(gate).zip(out) {
            *out = x * gate / (1.0 + M::exp(-gate));
        }
    }
}

loops! {
    fn backward_row<M>(x: &[f32], gate: &[f32], grad: &[f32], grad_x: &mut [f32], grad_gate: &mut [f32]) {
        let inputs = x.iter().zip(gate).zip(grad);
        for (((x, gate), grad), (grad_x, grad_gate)) in inputs.zip(grad_x.iter_mut().zip(grad_gate)) {
            let sigmoid = 1.0 / (1.0 + M::exp(-gate));
            *grad_x = grad * sigmoid * gate;
            *grad_gate = grad * x * sigmoid * (1.0 + gate * (1.0 - sigmoid));
        }
    }
}

#[divan::bench(args = Way::ALL, sample_count = SAMPLES, sample_size = 1)]
fn forward(bencher: Bencher<'_, '_>, way: Way) {
    let (rows, len) = (rows(), rows() * COLUMNS);
    let [x, gate] = [1, 2].map(|seed| matrix(rows, COLUMNS, seed));
    let (tx, tg) = (tensor(&x), tensor(&gate));
    Case {
        bytes: 3 * 4 * len,
        flops: None,
        lens: [len],
        generated: &|| Ok(vec![NdArray::silu_mul(tx.clone(), tg.clone())?]),
        by_hand: &|loops, [out]| {
            let inputs = slice(&x).par_chunks(COLUMNS).zip(slice(&gate).par_chunks(COLUMNS));
            out.par_chunks_mut(COLUMNS)
                .zip(inputs)
                .for_each(|(out, (x, gate))| forward_row(loops, x, gate, out));
        },
        composed: &|| {
            let sigmoid = gate.mapv(|gate| 1.0 / (1.0 + (-gate).exp()));
            vec![(&x * &gate * sigmoid).into_dyn()]
        },
    }
    .bench(bencher, way);
}

#[divan::bench(args = Way::ALL, sample_count = SAMPLES, sample_size = 1)]
fn backward(bencher: Bencher<'_, '_>, way: Way) {
    let (rows, len) = (rows(), rows() * COLUMNS);
    let [x, gate, grad] = [1, 2, 3].map(|seed| matrix(rows, COLUMNS, seed));
    let args = vec![Tensor(tensor(&x)), Tensor(tensor(&gate))];
    let gradient = Gradient::of(&SiluMul, args, &tensor(&grad)).expect("the arguments fit");
    Case {
        bytes: 5 * 4 * len,
        flops: None,
        lens: [len; 2],
        generated: &|| gradient.run(),
        by_hand: &|loops, [grad_x, grad_gate]| {
            let inputs = slice(&x).par_chunks(COLUMNS).zip(slice(&gate).par_chunks(COLUMNS));
            let inputs = inputs.zip(slice(&grad).par_chunks(COLUMNS));
            let outs = grad_x.par_chunks_mut(COLUMNS).zip(grad_gate.par_chunks_mut(COLUMNS));
            outs.zip(inputs).for_each(|((grad_x, grad_gate), ((x, gate), grad))| {
                backward_row(loops, x, gate, grad, grad_x, grad_gate);
            });
        },
        composed: &|| {
            let sigmoid = gate.mapv(|gate| 1.0 / (1.0 + (-gate).exp()));
            let grad_x = &grad * &sigmoid * &gate;
            let slope = 1.0 + &gate * (1.0 - &sigmoid);
            let grad_gate = &grad * &x * &sigmoid * slope;
            vec![grad_x.into_dyn(), grad_gate.into_dyn()]
        },
    }
    .bench(bencher, way);
}
