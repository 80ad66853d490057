//! The network of `examples/digits` learns like the same network in PyTorch, and it learns enough.

#[path = "../examples/digits/convolution.rs"]
mod convolution;
#[path = "../examples/digits/data.rs"]
mod data;
#[path = "../examples/digits/model.rs"]
mod model;
#[path = "../examples/digits/random.rs"]
mod random;
#[path = "../examples/digits/recurrent.rs"]
mod recurrent;
#[path = "../examples/digits/training.rs"]
mod training;

use model::Kind;
use std::error::Error;
use std::result::Result;
use std::sync::LazyLock;
use tensor_op::prelude::{DType, Device};
use training::{EPOCHS, Training};

#[test]
fn first_losses_are_those_of_pytorch() -> Result<(), Box<dyn Error>> {
    compare_first_losses(DType::F64, &Device::default(), 1e-4)
}

/// Runs the example as the README does.
#[cfg(feature = "wgpu")]
#[test]
fn first_losses_on_a_gpu_are_those_of_pytorch() -> Result<(), Box<dyn Error>> {
    compare_first_losses(DType::F32, &Device::new("wgpu")?, 1e-3)
}

fn compare_first_losses(dtype: DType, device: &Device, tolerance: f64) -> Result<(), Box<dyn Error>> {
    let lines = include_str!("reference/digits_losses.txt").lines().filter(|line| !line.starts_with('#'));
    let reference: Vec<f64> = lines.map(str::parse).collect::<Result<_, _>>()?;
    assert_eq!(reference.len(), 20);
    let (train, _) = data::load(dtype, device)?;
    let losses = Training::new(Kind::Dense, &train)?.epoch()?;
    for (step, (loss, wanted)) in losses.iter().zip(&reference).enumerate() {
        assert!((loss - wanted).abs() <= tolerance * wanted, "step {step}: loss {loss}, in PyTorch {wanted}");
    }
    Ok(())
}

#[test]
#[cfg_attr(debug_assertions, ignore = "slow without optimisation")]
fn ninety_seven_of_a_hundred_are_told_right() -> Result<(), Box<dyn Error>> {
    let accuracy = *DENSE;
    assert!(accuracy >= 0.97, "test accuracy {accuracy}");
    Ok(())
}

/// Two tests want it, and training takes long.
static DENSE: LazyLock<f64> = LazyLock::new(|| accuracy(Kind::Dense).expect("it trains"));

#[test]
#[cfg_attr(debug_assertions, ignore = "slow without optimisation")]
fn with_dropout_as_many_are_told_right() -> Result<(), Box<dyn Error>> {
    Device::default().seed(0);
    assert!(accuracy(Kind::Dropout)? >= *DENSE);
    Ok(())
}

#[test]
#[cfg_attr(debug_assertions, ignore = "slow without optimisation")]
fn convolutions_tell_nearly_all_right() -> Result<(), Box<dyn Error>> {
    check_accuracy(Kind::Convolutional, 0.985)
}

#[test]
#[cfg_attr(debug_assertions, ignore = "slow without optimisation")]
fn a_selective_scan_of_rows_tells_ninety_seven_of_a_hundred_right() -> Result<(), Box<dyn Error>> {
    check_accuracy(Kind::Recurrent, 0.97)
}

fn check_accuracy(kind: Kind, wanted: f64) -> Result<(), Box<dyn Error>> {
    let accuracy = accuracy(kind)?;
    assert!(accuracy >= wanted, "test accuracy {accuracy}");
    Ok(())
}

fn accuracy(kind: Kind) -> Result<f64, Box<dyn Error>> {
    let (train, test) = data::load(DType::F32, &Device::default())?;
    let mut training = Training::new(kind, &train)?;
    for _ in 0..EPOCHS {
        training.epoch()?;
    }
    Ok(training.network.accuracy(&test)?)
}
