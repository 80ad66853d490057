//! What a call costs beside its arithmetic: eight elements.

use divan::Bencher;
use tensor_op::catalogue::nn::{SiluMulBackend, silu_mul};
use tensor_op::cpu::NdArrayTensor;
use tensor_op::{Autodiff, NdArray, Tensor};

const LEN: usize = 8;

#[divan::bench(sample_count = 200, sample_size = 1000)]
fn ndarray_backend(bencher: Bencher<'_, '_>) {
    let [x, gate] = arguments();
    bencher.bench_local(|| NdArray::silu_mul(x.clone(), gate.clone()));
}

#[divan::bench(sample_count = 200, sample_size = 1000)]
fn autodiff_without_gradients(bencher: Bencher<'_, '_>) {
    let [x, gate] = arguments().map(tensor_op_autodiff::AutodiffTensor::<NdArray>::from_inner);
    bencher.bench_local(|| Autodiff::<NdArray>::silu_mul(x.clone(), gate.clone()));
}

#[divan::bench(sample_count = 200, sample_size = 1000)]
fn facade(bencher: Bencher<'_, '_>) {
    let [x, gate] = facade_arguments();
    bencher.bench_local(|| silu_mul(&x, &gate));
}

#[divan::bench(sample_count = 200, sample_size = 1000)]
fn facade_tracked(bencher: Bencher<'_, '_>) {
    let [x, gate] = facade_arguments().map(Tensor::require_grad);
    bencher.bench_local(|| silu_mul(&x, &gate));
}

#[divan::bench(sample_count = 200, sample_size = 1000)]
fn by_hand(bencher: Bencher<'_, '_>) {
    let [x, gate] = [1, 2].map(|seed| crate::case::numbers(LEN, seed));
    bencher.bench_local(|| -> Vec<f32> {
        x.iter().zip(&gate).map(|(x, gate)| x * gate / (1.0 + (-gate).exp())).collect()
    });
}

fn arguments() -> [NdArrayTensor; 2] {
    [1, 2].map(|seed| crate::case::tensor(&ndarray::Array1::from(crate::case::numbers(LEN, seed))))
}

fn facade_arguments() -> [Tensor; 2] {
    [1, 2].map(|seed| {
        Tensor::try_from(ndarray::Array1::from(crate::case::numbers(LEN, seed))).expect("the CPU takes f32")
    })
}
