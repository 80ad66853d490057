//! Declared ops against Burn's own operations, in one run: time and peak memory of forward, of forward and
//! backward, and of a step of training the transformer of `examples/burn`.
//!
//! `cargo run --release --features cuda,fusion,autotune -- 32768 4096` in this folder; without features on
//! Flex. After rows and columns come names of what to measure, everything without them. Forward and backward
//! are measured in two ways, and what each adds apart:
//!
//! - from `ones`, the gradient that `backward` of Burn starts from;
//! - in a network, where the result is kept and its gradient comes from memory: the products with a matrix
//!   that it takes are the `frame`.

mod cases;
mod measure;
mod step;

// The example uses more of these than the network.
#[allow(dead_code)]
#[path = "../../../examples/burn/src/composed.rs"]
mod composed;
#[path = "../../../examples/burn/src/model.rs"]
mod model;
#[path = "../../../examples/burn/src/ops.rs"]
mod ops;

use burn::tensor::{DType, Device, Tensor};
use cases::{CASES, Inputs, NOTHING};
use measure::{Cost, costs, run};
use model::{COMPOSED, DECLARED};
use step::{Sample, steps};

#[global_allocator]
static ALLOCATOR: measure::Counting = measure::Counting;

fn main() {
    let (mut sizes, mut names) = (vec![], vec![]);
    for arg in std::env::args().skip(1) {
        match arg.parse() {
            Ok(size) => sizes.push(size),
            Err(_) => names.push(arg),
        }
    }
    let shape = [sizes.first().copied().unwrap_or(1024), sizes.get(1).copied().unwrap_or(4096)];
    let wanted = |name: &str| names.is_empty() || names.iter().any(|wanted| wanted == name);
    let device = device();
    let [first, second] = [COMPOSED.name, DECLARED.name];
    println!("{device:?} {shape:?}; ms and MB, {first} | {second} | times as fast, part of the memory");
    for dtype in [DType::F32, DType::BF16] {
        if wanted("frame") {
            let leaves = &Inputs::new(shape, &device.clone().autodiff(), dtype).tracked();
            let ones = run(&device, || Tensor::<2>::ones(shape, (&device, dtype)));
            let frame = run(&device, || leaves.in_network(NOTHING));
            for (name, Cost { seconds, bytes }) in ["ones", "frame"].iter().zip(costs(&device, [ones, frame]))
            {
                println!("{name} {dtype:?} {:.3} ms {:.2} MB", seconds * 1e3, bytes as f64 / 1e6);
            }
        }
        for case in CASES.iter().filter(|case| wanted(case.name)) {
            let functions = [case.composed, case.declared];
            let plain = &Inputs::new(shape, &device, dtype);
            let runs = functions.map(|function| run(&device, move || function(plain)));
            line(&format!("{} {dtype:?}", case.name), costs(&device, runs));
            let leaves = &Inputs::new(shape, &device.clone().autodiff(), dtype).tracked();
            let runs = functions.map(|function| run(&device, move || function(leaves).backward()));
            line(&format!("{} {dtype:?} and backward", case.name), costs(&device, runs));
            let runs = functions.map(|function| run(&device, move || leaves.in_network(function)));
            line(&format!("{} {dtype:?} in a network", case.name), costs(&device, runs));
        }
    }
    for size in steps().filter(|_| wanted("step")) {
        let samples = [COMPOSED, DECLARED].map(|ops| Sample::new(&size, ops, &device));
        let runs = samples.each_ref().map(|sample| run(&device, move || sample.gradients()));
        line(&format!("step {size}"), costs(&device, runs));
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

fn line(name: &str, [composed, declared]: [Cost; 2]) {
    let [before, after] = [&composed, &declared].map(|cost| (cost.seconds * 1e3, cost.bytes as f64 / 1e6));
    println!(
        "{name:44} {:9.3} {:9.2} | {:9.3} {:9.2} | {:6.2} {:5.2}",
        before.0,
        before.1,
        after.0,
        after.1,
        before.0 / after.0,
        after.1 / before.1
    );
}
