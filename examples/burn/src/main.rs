//! A transformer that learns digits with Burn, on ops that are declared in `ops.rs`:
//!
//! ```text
//! cargo run --release                  trains with Burn's learner
//! cargo run --release -- curves        losses of the declared ops beside those of Burn's operations, step by step
//! cargo run --release -- measure       time and memory of both
//! cargo run --release --features wgpu -- --wgpu [curves]
//! ```

mod composed;
mod data;
mod measure;
mod model;
mod ops;
mod training;

use burn::tensor::{Device, Distribution, Tensor};
use model::{COMPOSED, DECLARED, Sizes};
use std::error::Error;

#[global_allocator]
static ALLOCATOR: measure::Counting = measure::Counting;

fn main() -> Result<(), Box<dyn Error>> {
    let mut args: Vec<String> = std::env::args().skip(1).collect();
    let device = match args.first().map(String::as_str) {
        #[cfg(feature = "wgpu")]
        Some("--wgpu") => {
            args.remove(0);
            Device::wgpu(burn::tensor::DeviceKind::DefaultDevice)
        }
        _ => Device::flex(),
    };
    match args.pop().as_deref() {
        None => {
            let (train, test) = data::load()?;
            let accuracy = training::learn(train, test, DECLARED, 12, &device);
            println!("test accuracy {:.2}%", 100.0 * accuracy);
        }
        Some("curves") => curves(&device)?,
        Some("measure") => {
            measure::ops(2048, 1024, &device);
            measure::ops(32, 256, &device);
            let sizes = Sizes { features: 64, width: 256, heads: 8, blocks: 4, classes: 10 };
            measure::step(32, 64, sizes, &device);
            measure::step(32, 8, training::SIZES, &device);
        }
        Some(other) => return Err(format!("unknown command `{other}`").into()),
    }
    Ok(())
}

/// Prints both losses, and fails if they part.
fn curves(device: &Device) -> Result<(), Box<dyn Error>> {
    let random = |shape: [usize; 3]| Tensor::<3>::random(shape, Distribution::Normal(0.0, 1.0), device);
    let (lhs, rhs, bias) = (random([2, 5, 7]), random([2, 7, 3]), random([2, 5, 3]));
    let fused = ops::fused_matmul_add_relu(lhs.clone(), rhs.clone(), bias.clone());
    let apart = (fused - composed::fused_matmul_add_relu(lhs, rhs, bias)).abs().max();
    println!("fused_matmul_add_relu: at most {:.1e} from Burn's", apart.into_data().iter::<f64>().sum::<f64>());
    let (train, _) = data::load()?;
    let [declared, composed] = [DECLARED, COMPOSED].map(|ops| training::losses(&train, ops, 2, device));
    let mut worst = 0.0_f64;
    for (step, (ours, theirs)) in declared.iter().zip(&composed).enumerate() {
        worst = worst.max((ours - theirs).abs() / theirs.abs().max(0.1));
        if step % 8 == 0 {
            println!("step {step:3}   declared {ours:.6}   composed {theirs:.6}");
        }
    }
    println!("{} steps, at most {worst:.1e} apart", declared.len());
    if worst > 0.02 { Err("the losses part".into()) } else { Ok(()) }
}
