//! A matrix product with something done to its result. By hand it is the crate `gemm`, as in the generated
//! kernel.

use crate::case::{Case, Gradient, SAMPLES, Way, matrix, numbers, slice, tensor};
use crate::isa::loops;
use divan::Bencher;
use gemm::Parallelism;
use ndarray::{Array1, Axis, Zip};
use rayon::prelude::*;
use tensor_op::NdArray;
use tensor_op::catalogue::nn::{MatmulAddRelu, MatmulAddReluBackend};
use tensor_op::cpu::Value;

/// Rows and columns of both factors.
const SIZE: usize = 1024;
const AREA: usize = SIZE * SIZE;
const FLOPS: usize = 2 * SIZE * AREA;

loops! {
    fn forward_row<M>(bias: &[f32], out: &mut [f32]) {
        for (bias, out) in bias.iter().zip(out) {
            *out = (*out + bias).max(0.0);
        }
    }
}

loops! {
    fn backward_row<M>(out: &[f32], grad: &[f32], masked: &mut [f32]) {
        for ((out, grad), masked) in out.iter().zip(grad).zip(masked) {
            *masked = if *out > 0.0 { *grad } else { 0.0 };
        }
    }
}

#[divan::bench(args = Way::ALL, sample_count = SAMPLES, sample_size = 1)]
fn forward(bencher: Bencher<'_, '_>, way: Way) {
    let [lhs, rhs] = [1, 2].map(|seed| matrix(SIZE, SIZE, seed));
    let bias = Array1::from(numbers(SIZE, 3));
    let (tlhs, trhs, tbias) = (tensor(&lhs), tensor(&rhs), tensor(&bias));
    Case {
        bytes: 4 * (3 * AREA + SIZE),
        flops: Some(FLOPS),
        lens: [AREA],
        generated: &|| Ok(vec![NdArray::matmul_add_relu(tlhs.clone(), trhs.clone(), tbias.clone())?]),
        by_hand: &|loops, [out]| {
            multiply(out, (slice(&lhs), false), (slice(&rhs), false));
            out.par_chunks_mut(SIZE).for_each(|out| forward_row(loops, slice(&bias), out));
        },
        composed: &|| vec![(lhs.dot(&rhs) + &bias).mapv_into(|x| x.max(0.0)).into_dyn()],
    }
    .bench(bencher, way);
}

#[divan::bench(args = Way::ALL, sample_count = SAMPLES, sample_size = 1)]
fn backward(bencher: Bencher<'_, '_>, way: Way) {
    let [lhs, rhs, grad] = [1, 2, 3].map(|seed| matrix(SIZE, SIZE, seed));
    let bias = Array1::from(numbers(SIZE, 4));
    let args = [tensor(&lhs), tensor(&rhs), tensor(&bias)].map(Value::Tensor).into();
    let gradient = Gradient::of(&MatmulAddRelu, args, &tensor(&grad)).expect("the arguments fit");
    let out = (lhs.dot(&rhs) + &bias).mapv_into(|x| x.max(0.0));
    Case {
        bytes: 4 * (6 * AREA + SIZE),
        flops: Some(2 * FLOPS),
        lens: [AREA, AREA, SIZE],
        generated: &|| gradient.run(),
        by_hand: &|loops, [grad_lhs, grad_rhs, grad_bias]| {
            let mut masked = vec![0.0; AREA];
            let inputs = slice(&out).par_chunks(SIZE).zip(slice(&grad).par_chunks(SIZE));
            masked
                .par_chunks_mut(SIZE)
                .zip(inputs)
                .for_each(|(masked, (out, grad))| backward_row(loops, out, grad, masked));
            grad_bias.fill(0.0);
            for row in masked.chunks(SIZE) {
                grad_bias.iter_mut().zip(row).for_each(|(sum, x)| *sum += x);
            }
            multiply(grad_lhs, (&masked, false), (slice(&rhs), true));
            multiply(grad_rhs, (slice(&lhs), true), (&masked, false));
        },
        composed: &|| {
            let masked =
                Zip::from(&out).and(&grad).map_collect(|out, grad| if *out > 0.0 { *grad } else { 0.0 });
            let grad_bias = masked.sum_axis(Axis(0)).into_dyn();
            vec![masked.dot(&rhs.t()).into_dyn(), lhs.t().dot(&masked).into_dyn(), grad_bias]
        },
    }
    .bench(bencher, way);
}

/// The product of two square matrices, each of them transposed or not.
fn multiply(out: &mut [f32], lhs: (&[f32], bool), rhs: (&[f32], bool)) {
    assert!([out.len(), lhs.0.len(), rhs.0.len()] == [AREA; 3]);
    let strides = |transposed| if transposed { (SIZE as isize, 1) } else { (1, SIZE as isize) };
    let ((lhs_column, lhs_row), (rhs_column, rhs_row)) = (strides(lhs.1), strides(rhs.1));
    // SAFETY: all three are matrices of SIZE rows and columns with these strides, as asserted above.
    unsafe {
        gemm::gemm(
            SIZE,
            SIZE,
            SIZE,
            out.as_mut_ptr(),
            1,
            SIZE as isize,
            false,
            lhs.0.as_ptr(),
            lhs_column,
            lhs_row,
            rhs.0.as_ptr(),
            rhs_column,
            rhs_row,
            0.0,
            1.0,
            false,
            false,
            false,
            Parallelism::Rayon(0),
        );
    }
}
