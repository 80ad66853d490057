//! Declared ops against Burn's own operations: time of forward and backward under autodiff, in one run.
//!
//! `cargo run --release --features cuda,fusion -- 32768 4096` in this folder; without features on Flex, 1024 x 4096. A line is op, dtype,
//! milliseconds composed and declared, and how many times as fast that is. Gradients are read from the graph, since Burn's fusion drops
//! work whose result nobody asks for.

use burn::tensor::{DType, Device, Distribution, Int, Tensor, activation};
use std::hint::black_box;
use std::time::Instant;
use tensor_op::burn as declared;

fn main() {
    let mut sizes = std::env::args().skip(1).map(|size| size.parse().expect("rows and columns"));
    let shape = [sizes.next().unwrap_or(1024), sizes.next().unwrap_or(4096)];
    let device = device().autodiff();
    println!("{device:?} {shape:?}");
    for dtype in [DType::F32, DType::BF16] {
        let inputs = Inputs::new(shape, &device, dtype);
        for case in CASES {
            let [composed, declared] =
                [case.composed, case.declared].map(|run| seconds(&device, || inputs.step(run)));
            let ratio = composed / declared;
            let [composed, declared] = [composed, declared].map(|seconds| seconds * 1e3);
            println!("{:14} {dtype:?} {composed:8.3} ms {declared:8.3} ms {ratio:6.2}x", case.name);
        }
    }
}

fn device() -> Device {
    #[cfg(feature = "cuda")]
    return Device::cuda(0);
    #[cfg(all(feature = "wgpu", not(feature = "cuda")))]
    return Device::wgpu(burn::tensor::DeviceKind::DefaultDevice);
    #[cfg(not(any(feature = "cuda", feature = "wgpu")))]
    return Device::flex();
}

type Run = fn(&Inputs) -> Tensor<2>;

struct Case {
    name: &'static str,
    composed: Run,
    declared: Run,
}

const CASES: &[Case] = &[
    Case {
        name: "silu_mul",
        composed: |i| i.x.clone() * activation::silu(i.y.clone()),
        declared: |i| declared::silu_mul(i.x.clone(), i.y.clone()),
    },
    Case {
        name: "softmax",
        composed: |i| activation::softmax(i.x.clone(), 1),
        declared: |i| declared::softmax(i.x.clone(), 1),
    },
    Case {
        name: "layer_norm",
        composed: |i| {
            let (variance, mean) = i.x.clone().var_mean_bias(1);
            let normal = (i.x.clone() - mean) / (variance + 1e-5).sqrt();
            normal * i.gamma.clone().unsqueeze() + i.beta.clone().unsqueeze()
        },
        declared: |i| declared::layer_norm(i.x.clone(), i.gamma.clone(), i.beta.clone(), 1e-5),
    },
    Case {
        name: "rms_norm",
        composed: |i| {
            let square = i.x.clone().powi_scalar(2).mean_dim(1);
            i.x.clone() / (square + 1e-6).sqrt() * i.gamma.clone().unsqueeze()
        },
        declared: |i| declared::rms_norm(i.x.clone(), i.gamma.clone(), 1e-6),
    },
    Case {
        name: "cross_entropy",
        composed: |i| {
            let targets = i.targets.clone().unsqueeze_dim(1);
            activation::log_softmax(i.x.clone(), 1).gather(1, targets).neg()
        },
        declared: |i| declared::cross_entropy(i.x.clone(), i.targets.clone()).unsqueeze_dim(1),
    },
];

struct Inputs {
    x: Tensor<2>,
    y: Tensor<2>,
    gamma: Tensor<1>,
    beta: Tensor<1>,
    targets: Tensor<1, Int>,
}

impl Inputs {
    fn new([rows, cols]: [usize; 2], device: &Device, dtype: DType) -> Inputs {
        let normal = Distribution::Normal(0.0, 1.0);
        let matrix = || Tensor::<2>::random([rows, cols], normal, (device, dtype)).require_grad();
        let row = || Tensor::<1>::random([cols], normal, (device, dtype)).require_grad();
        let targets = Distribution::Uniform(0.0, cols as f64 - 1.0);
        Inputs {
            x: matrix(),
            y: matrix(),
            gamma: row(),
            beta: row(),
            targets: Tensor::random([rows], targets, device),
        }
    }

    /// Forward, and all gradients.
    fn step(&self, run: Run) {
        let gradients = run(self).backward();
        black_box([self.x.grad(&gradients), self.y.grad(&gradients)]);
        black_box([self.gamma.grad(&gradients), self.beta.grad(&gradients)]);
    }
}

/// Seconds of one run, the median of several groups of runs.
fn seconds(device: &Device, run: impl Fn()) -> f64 {
    const RUNS: u32 = 10;
    (0..4).for_each(|_| run());
    device.sync().expect("the device works");
    let group = || {
        let start = Instant::now();
        (0..RUNS).for_each(|_| run());
        device.sync().expect("the device works");
        start.elapsed().as_secs_f64() / f64::from(RUNS)
    };
    let mut groups: Vec<f64> = (0..5).map(|_| group()).collect();
    groups.sort_by(f64::total_cmp);
    groups[2]
}
