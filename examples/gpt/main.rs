//! Trains a small GPT on a text, letter by letter, and lets it write more: `cargo run --release --example
//! gpt`. What may follow `--` is a device (`wgpu`, with `--features wgpu`), how many steps to train, and a
//! folder: `-- cpu 1000 target/gpt`. A checkpoint (every 100 steps) and the curve of the losses of this run,
//! `loss.svg`, are written to the folder. A training goes on from a checkpoint that is there.
#![allow(clippy::print_stdout, reason = "an example talks to its user")]

mod model;
#[path = "../show/progress.rs"]
mod progress;
mod text;
mod training;

use std::{error::Error, path::PathBuf};
use tensor_op::optim::{checkpoint, schedule::warmup_cosine};
use tensor_op::{DType, Device, Module};

/// Pieces in a batch, and letters in a piece.
const BATCH: (usize, usize) = (16, 128);

fn main() -> Result<(), Box<dyn Error>> {
    let word = |place: usize, default: &str| std::env::args().nth(place).unwrap_or(default.into());
    let (device, steps) = (Device::new(&word(1, "cpu"))?, word(2, "1000").parse()?);
    let folder = PathBuf::from(word(3, "target/gpt"));
    std::fs::create_dir_all(&folder)?;
    let (file, text) = (folder.join("gpt.safetensors"), text::load(&device)?);
    let mut model = model::Gpt::new(model::CONFIG, DType::F32, &device)?;
    let mut optimizer = training::optimizer();
    if file.exists() {
        checkpoint::load(&file, &mut model, &mut optimizer)?;
    }
    let done = optimizer.steps().first().map_or(0, |steps| *steps as u64);
    let mut progress = progress::Progress::new(done, steps);
    for step in done..steps {
        let pieces = text::pieces(&text, BATCH.0, BATCH.1 + 1, step as i64)?;
        let loss = model.loss(&pieces, Some(step as i64))?;
        optimizer.rule.lr = warmup_cosine(step, steps / 10, steps, 2e-3, 1e-4);
        progress.step(training::learn(&mut model, &mut optimizer, &loss)?);
        if (step + 1) % 100 == 0 || step + 1 == steps {
            checkpoint::save(&file, &model, &optimizer)?;
        }
    }
    progress.finish(&folder.join("loss.svg"))?;
    let (start, clock) = ("And Jesus said", std::time::Instant::now());
    println!("{start}{}", text::write(&model.frozen(), start, 400, 0.8)?);
    println!("{:.0} letters a second", 400.0 / clock.elapsed().as_secs_f64());
    Ok(())
}
