//! What a call costs beside its arithmetic: a few elements in each class of ops.

use divan::Bencher;
use tensor_op::catalogue::nn::{SiluMulBackend, add_rms_norm, layer_norm, matmul, silu_mul, softmax};
use tensor_op::cpu::NdArrayTensor;
use tensor_op::{Autodiff, NdArray, Tensor};

const LEN: usize = 64;
/// Rows and columns.
const SIDE: usize = 8;

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

/// `silu_mul`.
#[divan::bench(sample_count = 200, sample_size = 1000)]
fn pointwise(bencher: Bencher<'_, '_>) {
    let [x, gate] = vectors();
    bencher.bench_local(|| silu_mul(&x, &gate));
}

#[divan::bench(sample_count = 200, sample_size = 1000)]
fn pointwise_tracked(bencher: Bencher<'_, '_>) {
    let [x, gate] = vectors().map(Tensor::require_grad);
    bencher.bench_local(|| silu_mul(&x, &gate));
}

/// As many calls by each of two threads, which share the op and its arguments.
#[divan::bench(sample_count = 200, sample_size = 1000, threads = 2)]
fn pointwise_on_two_threads(bencher: Bencher<'_, '_>) {
    let [x, gate] = vectors();
    bencher.bench(|| silu_mul(&x, &gate));
}

/// Two threads that share the op alone.
#[divan::bench(sample_count = 200, sample_size = 1000, threads = 2)]
fn pointwise_on_two_threads_own_arguments(bencher: Bencher<'_, '_>) {
    thread_local!(static ARGUMENTS: [Tensor; 2] = vectors());
    bencher.bench(|| ARGUMENTS.with(|[x, gate]| silu_mul(x, gate)));
}

/// The call, and the gradients of both arguments.
#[divan::bench(sample_count = 200, sample_size = 1000)]
fn pointwise_and_backward(bencher: Bencher<'_, '_>) {
    let [x, gate] = vectors().map(Tensor::require_grad);
    let seed = x.ones_like().expect("there is memory");
    bencher
        .bench_local(|| silu_mul(&x, &gate).and_then(|y| y.backward_with(&seed)).expect("it has gradients"));
}

#[divan::bench(sample_count = 200, sample_size = 1000)]
fn softmax_of_rows(bencher: Bencher<'_, '_>) {
    let [x, _] = matrices();
    bencher.bench_local(|| softmax(&x, -1));
}

#[divan::bench(sample_count = 200, sample_size = 1000)]
fn layer_norm_of_rows(bencher: Bencher<'_, '_>) {
    let ([x, _], [gamma, beta]) = (matrices(), of_shape([SIDE]));
    bencher.bench_local(|| layer_norm(&x, &gamma, &beta, None));
}

#[divan::bench(sample_count = 200, sample_size = 1000)]
fn product(bencher: Bencher<'_, '_>) {
    let [x, y] = matrices();
    bencher.bench_local(|| matmul(&x, &y));
}

/// A sum, and its norm.
#[divan::bench(sample_count = 200, sample_size = 1000)]
fn two_results(bencher: Bencher<'_, '_>) {
    let ([x, y], [gamma, _]) = (matrices(), of_shape([SIDE]));
    bencher.bench_local(|| add_rms_norm(&x, &y, &gamma, None));
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

fn vectors() -> [Tensor; 2] {
    of_shape([LEN])
}

fn matrices() -> [Tensor; 2] {
    of_shape([SIDE, SIDE])
}

fn of_shape<const N: usize>(shape: [usize; N]) -> [Tensor; 2] {
    let len = shape.iter().product();
    [1, 2].map(|seed| {
        let tensor = Tensor::from_vec(crate::case::numbers(len, seed), shape, &tensor_op::Device::default());
        tensor.expect("the CPU takes f32")
    })
}
