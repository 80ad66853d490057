//! Trains a classifier of handwritten digits on several devices at once: `cargo run --release --example
//! distributed -- cpu cpu`, and on two GPUs `cargo run --release --features cuda --example distributed --
//! cuda:0 cuda:1`. `--hidden 8192 --batch 4096 --steps 100` make it large enough for GPUs. The curve of the
//! losses is written to `target/distributed.svg`.

#[path = "../digits/data.rs"]
mod data;
#[path = "../show/mod.rs"]
mod show;
mod training;

use show::{bar, plot};
use std::path::Path;
use tensor_op::prelude::*;
use training::{Settings, train};

#[allow(clippy::print_stdout, reason = "an example talks to its user")]
fn main() -> std::result::Result<(), Box<dyn std::error::Error>> {
    let (mut devices, mut settings) = (vec![], Settings::default());
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        let mut number = || words.next().ok_or("an option takes a number")?.parse().map_err(|_| "no number");
        match word.as_str() {
            "--hidden" => settings.hidden = number()?,
            "--batch" => settings.batch = number()?,
            "--steps" => settings.steps = number()?,
            name => devices.push(Device::new(name)?),
        }
    }
    if devices.is_empty() {
        devices = vec![Device::default(); 2];
    }
    let bar = bar(settings.steps, "steps");
    let run = train(&devices, settings, DType::F32, &|| bar.inc(1))?;
    bar.finish_and_clear();
    std::fs::create_dir_all("target")?;
    plot::losses(&run.losses, Path::new("target/distributed.svg"))?;
    for (step, loss) in run.losses.iter().enumerate().step_by((settings.steps / 10).max(1)) {
        println!("step {step:4}   loss {loss:.4}");
    }
    let names = devices.iter().map(Device::name).collect::<Vec<_>>().join(", ");
    println!("test accuracy {:.2}%, {:.0} images a second on {names}", 100.0 * run.accuracy, run.rate);
    Ok(())
}
