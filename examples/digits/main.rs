//! Trains a classifier of handwritten digits with ops declared in `model.rs`: `cargo run --release --example
//! digits`, and on a GPU `cargo run --release --features wgpu --example digits -- --device wgpu`. With
//! `--network conv` it is a convolutional network (`convolution.rs`), and with `--network scan` a state-space
//! model (`recurrent.rs`). With `--network dropout` the first network trains with dropout. The curve of the
//! losses is written to `target/digits.svg`.

mod convolution;
mod data;
mod model;
mod random;
mod recurrent;
#[path = "../show/mod.rs"]
mod show;
mod training;

use model::Kind;
use show::{bar, plot};
use std::path::Path;
use std::time::Instant;
use tensor_op::prelude::*;
use training::{EPOCHS, Training};

#[allow(clippy::print_stdout, reason = "an example talks to its user")]
fn main() -> std::result::Result<(), Box<dyn std::error::Error>> {
    let (mut device, mut kind) = (Device::default(), Kind::Dense);
    let args: Vec<String> = std::env::args().skip(1).collect();
    for option in args.chunks(2) {
        match option.iter().map(String::as_str).collect::<Vec<_>>()[..] {
            ["--device", name] => device = Device::new(name)?,
            ["--network", "dense"] => kind = Kind::Dense,
            ["--network", "dropout"] => kind = Kind::Dropout,
            ["--network", "conv"] => kind = Kind::Convolutional,
            ["--network", "scan"] => kind = Kind::Recurrent,
            _ => return Err("the options are `--device NAME` and `--network dense|dropout|conv|scan`".into()),
        }
    }
    let (train, test) = data::load(DType::F32, &device)?;
    println!("{} images to train with, {} to test with", train.count, test.count);
    let start = Instant::now();
    let (mut training, mut all, bar) = (Training::new(kind, &train)?, vec![], bar(EPOCHS, "epochs"));
    for epoch in 1..=EPOCHS {
        let losses = training.epoch()?;
        let (loss, accuracy) =
            (losses.iter().sum::<f64>() / losses.len() as f64, training.network.accuracy(&test)?);
        bar.suspend(|| {
            println!("epoch {epoch:2}   loss {loss:.4}   test accuracy {:.2}%", 100.0 * accuracy);
        });
        bar.inc(1);
        all.extend(losses);
    }
    bar.finish_and_clear();
    std::fs::create_dir_all("target")?;
    plot::losses(&all, Path::new("target/digits.svg"))?;
    let accuracy = training.network.accuracy(&test)?;
    println!("test accuracy {:.2}% after {:.2} s", 100.0 * accuracy, start.elapsed().as_secs_f64());
    Ok(())
}
