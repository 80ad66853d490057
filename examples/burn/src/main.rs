//! A transformer that learns digits with Burn, on ops that are declared in `ops.rs`:
//!
//! ```text
//! cargo run --release                            trains with Burn's learner
//! cargo run --release -- curves                  losses of the declared ops beside those of Burn's operations, step by step
//! cargo run --release -- --devices 2 [curves]    data-parallel; losses beside those of one device
//! cargo run --release --features wgpu -- --wgpu [--devices 2] [curves]
//! cargo run --release --features cuda -- --cuda [--devices 2 [--all-reduce]] [curves]
//! ```
//!
//! With several devices, the first one adds up the gradients of all. With `--all-reduce` each device gets the
//! sum, through NCCL; this works only on CUDA, and with `NCCL_RUNTIME_CONNECT=0` in the environment
//! (docs/burn.md says why). If there are fewer devices than requested, some of them train two parts.

mod composed;
mod curve;
mod data;
mod model;
mod ops;
mod training;

use burn::tensor::{Device, DeviceType, Distribution, Tensor};
use data::Digit;
use model::{COMPOSED, DECLARED};
use std::error::Error;
use training::{Exchange, Learned, Run};

fn main() -> Result<(), Box<dyn Error>> {
    let (run, curves) = arguments(std::env::args().skip(1))?;
    let (train, test) = data::load()?;
    if !curves {
        let learned = training::learn(&train, &test, DECLARED, &run);
        println!("test accuracy {:.2}%", 100.0 * learned.accuracy);
        return Ok(());
    }
    if let [device] = &run.devices[..] {
        book(device);
        let learned = [DECLARED, COMPOSED].map(|ops| (ops.name, training::learn(&train, &test, ops, &run)));
        compare(learned)
    } else {
        let one = Run { devices: run.devices[..1].to_vec(), ..run.clone() };
        let (parts, whole) = deal(train, run.devices.len());
        let several = training::learn(&parts, &test, DECLARED, &run);
        compare([("several", several), ("one", training::learn(&whole, &test, DECLARED, &one))])
    }
}

/// Parses how to train, and whether to compare.
fn arguments(mut args: impl Iterator<Item = String>) -> Result<(Run, bool), Box<dyn Error>> {
    let (mut kind, mut count, mut epochs, mut curves) = (DeviceType::Flex, 1, None, false);
    let mut exchange = Exchange::FirstDevice;
    while let Some(arg) = args.next() {
        let mut number = || {
            let number = args.next().and_then(|number| number.parse().ok());
            number.ok_or(format!("`{arg}` takes a number"))
        };
        match arg.as_str() {
            "--devices" => count = number()?,
            "--epochs" => epochs = Some(number()?),
            "--all-reduce" => exchange = Exchange::AllReduce,
            "curves" => curves = true,
            other => kind = device_type(other).ok_or(format!("unknown argument `{other}`"))?,
        }
    }
    let found = Device::enumerate(kind);
    let devices: Vec<Device> = found.iter().cycle().take(count).cloned().collect();
    if matches!(exchange, Exchange::AllReduce) && count > found.len() {
        return Err(format!("`--all-reduce` on {count} devices, but there are {}", found.len()).into());
    }
    if devices.is_empty() || !training::BATCH.is_multiple_of(devices.len()) {
        return Err(format!("{} devices for batches of {}", devices.len(), training::BATCH).into());
    }
    println!("{devices:?}");
    let epochs = epochs.unwrap_or(if curves { 2 } else { 12 });
    Ok((Run { devices, exchange, epochs, shuffle: !curves }, curves))
}

fn device_type(name: &str) -> Option<DeviceType> {
    match name {
        "--flex" => Some(DeviceType::Flex),
        #[cfg(feature = "wgpu")]
        "--wgpu" => Some(DeviceType::Wgpu),
        #[cfg(feature = "cuda")]
        "--cuda" => Some(DeviceType::Cuda),
        _ => None,
    }
}

/// Returns the digits in two orders. The first order is for several devices, which get consecutive parts of
/// it. Together their batches are the batches of the second order.
fn deal(mut digits: Vec<Digit>, devices: usize) -> (Vec<Digit>, Vec<Digit>) {
    digits.truncate(digits.len() / training::BATCH * training::BATCH);
    let (part, share) = (digits.len() / devices, training::BATCH / devices);
    let batches =
        (0..part / share).flat_map(|batch| (0..devices).map(move |device| device * part + batch * share));
    let whole = batches.flat_map(|start| digits[start..start + share].to_vec()).collect();
    (digits, whole)
}

/// Runs the op of the Burn Book's chapter on backend extensions.
fn book(device: &Device) {
    let random = |shape: [usize; 3]| Tensor::<3>::random(shape, Distribution::Normal(0.0, 1.0), device);
    let (lhs, rhs, bias) = (random([2, 5, 7]), random([2, 7, 3]), random([2, 5, 3]));
    let fused = ops::fused_matmul_add_relu(lhs.clone(), rhs.clone(), bias.clone());
    let apart = (fused - composed::fused_matmul_add_relu(lhs, rhs, bias)).abs().max();
    println!(
        "fused_matmul_add_relu: at most {:.1e} from Burn's",
        apart.into_data().iter::<f64>().sum::<f64>()
    );
}

/// Prints two curves, and fails if they differ too much.
fn compare(runs: [(&str, Learned); 2]) -> Result<(), Box<dyn Error>> {
    let [(first_name, first), (second_name, second)] = runs;
    let mut worst = 0.0_f64;
    for (step, (a, b)) in first.losses.iter().zip(&second.losses).enumerate() {
        worst = worst.max((a - b).abs() / b.abs().max(0.1));
        if step % 8 == 0 {
            println!("step {step:3}   {first_name} {a:.6}   {second_name} {b:.6}");
        }
    }
    let (steps, [first_part, second_part]) =
        (first.losses.len(), [&first, &second].map(|run| 100.0 * run.accuracy));
    println!(
        "{steps} steps, at most {worst:.1e} apart; test accuracy {first_part:.2}% and {second_part:.2}%"
    );
    let same = steps == second.losses.len() && worst <= 0.02;
    if same { Ok(()) } else { Err("the losses part".into()) }
}
