//! A kernel of your own on a GPU, beside the generated one: their results, their gradients and their times.
//!
//! `cargo run --release -p tensor-op-cube --features wgpu --example matmul_add_relu`, or with `cuda`.
#![allow(clippy::print_stdout, reason = "it is what the program does")]

mod kernel;

use kernel::matmul_add_relu;
use std::time::{Duration, Instant};
use tensor_op::Result;
use tensor_op::prelude::{DType, Device, Tensor, tensor_op};

/// The same formula with generated kernels.
#[tensor_op(tests = false)]
fn generated(lhs: Tensor![.., m, k], rhs: Tensor![.., k, n], bias: Tensor![n]) -> Tensor![.., m, n] {
    relu(sum(lhs * rhs, k) + bias)
}

fn main() -> Result<()> {
    let devices: Vec<Device> = ["cuda", "wgpu", "vulkan", "metal", "hip"]
        .into_iter()
        .filter_map(|name| Device::new(name).ok())
        .collect();
    if devices.is_empty() {
        println!("no GPU in this build on this machine");
    }
    devices.iter().try_for_each(compare)
}

fn compare(device: &Device) -> Result<()> {
    let random = |shape: &[usize]| Tensor::normal(shape.to_vec(), 0.0, 1.0, DType::F32, device);
    // Eight batches on the left, one on the right.
    let lhs = random(&[8, 256, 256])?.require_grad();
    let (rhs, bias) = (random(&[1, 256, 256])?.require_grad(), random(&[256])?.require_grad());

    let (mine, theirs) = (matmul_add_relu(&lhs, &rhs, &bias)?, generated(&lhs, &rhs, &bias)?);
    let (my_gradients, their_gradients) = (mine.sum(..)?.backward()?, theirs.sum(..)?.backward()?);
    println!("{device}");
    println!("  largest difference of results: {:.1e}", difference(&mine, &theirs)?);
    for (name, of) in [("lhs", &lhs), ("rhs", &rhs), ("bias", &bias)] {
        let difference = difference(&my_gradients[of], &their_gradients[of])?;
        println!("  largest difference of the gradient in {name}: {difference:.1e}");
    }

    let (lhs, rhs, bias) = (lhs.detach(), rhs.detach(), bias.detach());
    println!("  by hand:   {:?}", time(device, || matmul_add_relu(&lhs, &rhs, &bias))?);
    println!("  generated: {:?}", time(device, || generated(&lhs, &rhs, &bias))?);
    Ok(())
}

fn difference(a: &Tensor, b: &Tensor) -> Result<f32> {
    let (a, b) = (a.to_vec::<f32>()?, b.to_vec::<f32>()?);
    Ok(a.iter().zip(&b).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max))
}

/// Time of one call of many, after the kernel is compiled.
fn time(device: &Device, call: impl Fn() -> Result<Tensor>) -> Result<Duration> {
    const CALLS: u32 = 20;
    call()?;
    device.sync()?;
    let start = Instant::now();
    for _ in 0..CALLS {
        call()?;
    }
    device.sync()?;
    Ok(start.elapsed() / CALLS)
}
