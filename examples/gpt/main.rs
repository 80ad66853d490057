//! Trains a small GPT on a text, letter by letter, and lets it write more:
//! `cargo run --release --example gpt`. The options and their values:
//!
//! - `--device wgpu`: trains on a GPU (with `--features wgpu`).
//! - `--steps 1000`: how many steps to train.
//! - `--folder target/gpt`: where a checkpoint (every 100 steps) and the curve of the losses, `loss.svg`, are
//!   written. A training goes on from a checkpoint that is there.

mod model;
#[path = "../show/mod.rs"]
mod show;
mod text;
mod training;

use model::CONFIG;
use show::{bar, plot};
use std::error::Error;
use std::path::{Path, PathBuf};
use std::result::Result;
use std::time::Instant;
use tensor_op::prelude::*;
use training::Training;

/// Pieces in a batch, and letters in a piece.
const BATCH: (usize, usize) = (16, 128);
/// Steps between checkpoints.
const SAVED: usize = 100;

#[allow(clippy::print_stdout, reason = "an example talks to its user")]
fn main() -> Result<(), Box<dyn Error>> {
    let (mut device, mut steps, mut folder) = (Device::default(), 1000, PathBuf::from("target/gpt"));
    let args: Vec<String> = std::env::args().skip(1).collect();
    for option in args.chunks(2) {
        match option.iter().map(String::as_str).collect::<Vec<_>>()[..] {
            ["--device", name] => device = Device::new(name)?,
            ["--steps", count] => steps = count.parse()?,
            ["--folder", path] => folder = path.into(),
            _ => return Err("the options are `--device NAME`, `--steps COUNT` and `--folder PATH`".into()),
        }
    }
    std::fs::create_dir_all(&folder)?;
    let checkpoint = folder.join("gpt.safetensors");
    let mut training = Training::new(CONFIG, DType::F32, &device)?;
    if checkpoint.exists() {
        training.load(&checkpoint)?;
        println!("{} has made {} steps", checkpoint.display(), training.losses.len());
    }
    train(&mut training, &text::load(&device)?, steps, &checkpoint)?;
    plot::losses(&training.losses, &folder.join("loss.svg"))?;

    let (model, start) = (training.model.frozen(), "And Jesus said");
    let clock = Instant::now();
    let letters = text::write(&model, start, 400, 0.8)?;
    println!("{start}{letters}");
    println!("{:.0} letters a second", letters.len() as f64 / clock.elapsed().as_secs_f64());
    Ok(())
}

/// Learns up to a number of steps.
#[allow(clippy::print_stdout, reason = "an example talks to its user")]
fn train(
    training: &mut Training,
    text: &Tensor,
    steps: usize,
    checkpoint: &Path,
) -> Result<(), Box<dyn Error>> {
    let (clock, first) = (Instant::now(), training.losses.len());
    let bar = bar(steps, "steps").with_position(first as u64);
    for step in first..steps {
        let (tokens, next) = text::pieces(text, BATCH.0, BATCH.1, step as i64)?;
        let loss = training.step(&tokens, &next, steps)?;
        bar.inc(1);
        bar.set_message(format!("loss {loss:.3}"));
        if (step + 1) % SAVED == 0 || step + 1 == steps {
            training.save(checkpoint)?;
        }
    }
    bar.finish();
    if let Some(learned @ 1..) = steps.checked_sub(first) {
        let letters = (learned * BATCH.0 * BATCH.1) as f64;
        println!("{:.0} letters a second", letters / clock.elapsed().as_secs_f64());
    }
    Ok(())
}
