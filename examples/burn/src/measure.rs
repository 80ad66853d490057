//! Time and memory of ops and of training steps: declared, and composed of Burn's operations.

use crate::model::{COMPOSED, DECLARED, Ops, Sizes, Transformer};
use burn::tensor::{Device, Distribution, Int, Tensor, activation};
use std::alloc::{GlobalAlloc, Layout, System};
use std::hint::black_box;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::time::Instant;
use tensor_op::burn as declared;

/// Counts the bytes that are in use, and the most that were.
pub struct Counting;

static USED: AtomicUsize = AtomicUsize::new(0);
static MOST: AtomicUsize = AtomicUsize::new(0);

// SAFETY: everything is left to the system's allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        MOST.fetch_max(USED.fetch_add(layout.size(), Relaxed) + layout.size(), Relaxed);
        // SAFETY: the caller's.
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, start: *mut u8, layout: Layout) {
        USED.fetch_sub(layout.size(), Relaxed);
        // SAFETY: the caller's.
        unsafe { System.dealloc(start, layout) }
    }
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        MOST.fetch_max(USED.fetch_add(layout.size(), Relaxed) + layout.size(), Relaxed);
        // SAFETY: the caller's.
        unsafe { System.alloc_zeroed(layout) }
    }
}

/// Milliseconds of the fastest of several runs, which alternate, and the most bytes that a run added.
fn compare(name: &str, mut runs: [(&'static str, Box<dyn FnMut() + '_>); 2]) {
    let mut best = [f64::INFINITY; 2];
    let mut bytes = [0; 2];
    for round in 0..13 {
        for (at, (_, run)) in runs.iter_mut().enumerate() {
            let before = USED.load(Relaxed);
            MOST.store(before, Relaxed);
            let start = Instant::now();
            run();
            let time = start.elapsed().as_secs_f64() * 1e3;
            if round > 2 {
                best[at] = best[at].min(time);
                bytes[at] = bytes[at].max(MOST.load(Relaxed).saturating_sub(before));
            }
        }
    }
    let [(first, _), (second, _)] = &runs;
    let megabytes = bytes.map(|bytes| bytes as f64 / 1e6);
    println!(
        "{name:34} {first} {:9.3} ms {:8.2} MB   {second} {:9.3} ms {:8.2} MB   {:5.2} times as fast, {:.2} of the memory",
        best[0], megabytes[0], best[1], megabytes[1], best[1] / best[0], megabytes[0] / megabytes[1]
    );
}

type Function = fn(&[Tensor<2>]) -> Tensor<2>;

fn row(x: &Tensor<2>) -> Tensor<1> {
    x.clone().narrow(0, 0, 1).squeeze_dim(0)
}

fn classes(x: &Tensor<2>) -> Tensor<1, Int> {
    Tensor::zeros([x.dims()[0]], &x.device())
}

/// Ops and their gradients on `[rows, columns]`.
pub fn ops(rows: usize, columns: usize, device: &Device) {
    let device = device.clone().autodiff();
    let random = |shape: [usize; 2]| Tensor::<2>::random(shape, Distribution::Normal(0.0, 1.0), &device);
    let (wide, narrow) = ([rows, columns], [1, columns]);
    let cases: [(&str, Vec<[usize; 2]>, Function, Function); 5] = [
        (
            "silu_mul",
            vec![wide, wide],
            |x| declared::silu_mul(x[0].clone(), x[1].clone()),
            |x| x[0].clone() * activation::silu(x[1].clone()),
        ),
        (
            "softmax",
            vec![wide],
            |x| declared::softmax(x[0].clone(), 1),
            |x| activation::softmax(x[0].clone(), 1),
        ),
        (
            "rms_norm",
            vec![wide, narrow],
            |x| declared::rms_norm(x[0].clone(), row(&x[1]), None),
            |x| {
                let mean = (x[0].clone() * x[0].clone()).mean_dim(1);
                x[0].clone() * (mean + 1e-6).sqrt().recip() * row(&x[1]).unsqueeze()
            },
        ),
        (
            "layer_norm",
            vec![wide, narrow, narrow],
            |x| declared::layer_norm(x[0].clone(), row(&x[1]), row(&x[2]), None),
            |x| {
                let centered = x[0].clone() - x[0].clone().mean_dim(1);
                let variance = (centered.clone() * centered.clone()).mean_dim(1);
                centered / (variance + 1e-5).sqrt() * row(&x[1]).unsqueeze() + row(&x[2]).unsqueeze()
            },
        ),
        (
            "cross_entropy",
            vec![wide],
            |x| declared::cross_entropy(x[0].clone(), classes(&x[0])).unsqueeze_dim(1),
            |x| activation::log_softmax(x[0].clone(), 1).gather(1, classes(&x[0]).unsqueeze_dim(1)).neg(),
        ),
    ];
    for (name, shapes, declared, composed) in cases {
        let inputs: Vec<Tensor<2>> = shapes.into_iter().map(random).collect();
        let plain: Vec<Tensor<2>> = inputs.iter().map(|x| x.clone().inner()).collect();
        let leaves: Vec<Tensor<2>> = inputs.into_iter().map(Tensor::require_grad).collect();
        let forward = |function: Function| {
            let plain = &plain;
            Box::new(move || drop(black_box(function(plain)))) as Box<dyn FnMut()>
        };
        compare(&format!("{name} forward"), [("declared", forward(declared)), ("composed", forward(composed))]);
        let both = |function: Function| {
            let leaves = &leaves;
            Box::new(move || drop(black_box(function(leaves).backward()))) as Box<dyn FnMut()>
        };
        compare(&format!("{name} forward, backward"), [("declared", both(declared)), ("composed", both(composed))]);
    }
}

/// A step of training a transformer, without the optimizer.
pub fn step(batch: usize, tokens: usize, sizes: Sizes, device: &Device) {
    let device = device.clone().autodiff();
    let input = Tensor::<3>::random([batch, tokens, sizes.features], Distribution::Normal(0.0, 1.0), &device);
    let labels = Tensor::<1, Int>::zeros([batch], &device);
    let run = |ops: Ops| {
        device.seed(1);
        let model = Transformer::new(sizes, ops, &device);
        let (input, labels) = (&input, &labels);
        let step = move || {
            let loss = (model.ops.cross_entropy)(model.forward(input.clone()), labels.clone());
            drop(black_box(loss.backward()));
        };
        (ops.name, Box::new(step) as Box<dyn FnMut()>)
    };
    compare(
        &format!("step, {batch} x {tokens} x {}, {} blocks", sizes.width, sizes.blocks),
        [run(DECLARED), run(COMPOSED)],
    );
}
