//! Backward ops of which only some gradients are wanted, beside all of them.

use crate::case::{Gradient, SAMPLES};
use crate::derived::{Of, declared, direction};
use divan::Bencher;
use std::fmt;
use std::hint::black_box;
use tensor_op::NdArray;
use tensor_op_core::Backend;

/// An op, and which of its gradients are wanted.
#[derive(Clone, Copy, Debug)]
struct Mask(Of, &'static [bool]);

impl fmt::Display for Mask {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Mask(op, wanted) = self;
        let wanted: String = wanted.iter().map(|wanted| if *wanted { '1' } else { '0' }).collect();
        f.pad(&format!("{op:?} {wanted}"))
    }
}

const MASKS: [Mask; 11] = [
    Mask(Of::SiluMul, &[true, true]),
    Mask(Of::SiluMul, &[true, false]),
    Mask(Of::SiluMul, &[false, true]),
    Mask(Of::LayerNorm, &[true, true, true]),
    Mask(Of::LayerNorm, &[true, false, false]),
    Mask(Of::LayerNorm, &[false, true, false]),
    Mask(Of::LayerNorm, &[false, false, true]),
    Mask(Of::LayerNorm, &[true, true, false]),
    Mask(Of::LayerNorm, &[true, false, true]),
    Mask(Of::LayerNorm, &[false, true, true]),
    Mask(Of::Softmax, &[true]),
];

#[divan::bench(args = MASKS, sample_count = SAMPLES, sample_size = 1)]
fn large(bencher: Bencher<'_, '_>, mask: Mask) {
    bench(bencher, mask, 2048, 1024);
}

#[divan::bench(args = MASKS, sample_count = 200, sample_size = 1)]
fn middle(bencher: Bencher<'_, '_>, mask: Mask) {
    bench(bencher, mask, 100, 1024);
}

#[divan::bench(args = MASKS, sample_count = 100, sample_size = 100)]
fn small(bencher: Bencher<'_, '_>, mask: Mask) {
    bench(bencher, mask, 8, 8);
}

fn bench(bencher: Bencher<'_, '_>, Mask(op, wanted): Mask, rows: usize, columns: usize) {
    let (op, args) = declared(op, rows, columns);
    let backward = op.backward().expect("these ops have gradients");
    let gradient = Gradient::with(&*op, args, backward, direction).expect("the arguments fit");
    let call = || NdArray::run(gradient.op(), gradient.args(), wanted);
    call().expect("the arguments fit");
    bencher.bench_local(|| drop(black_box(call())));
}
