//! Trains a small GPT on a text, letter by letter, and lets it write more:
//! `cargo run --release --example gpt`. The options and their values:
//!
//! - `--device wgpu`: trains on a GPU (with `--features wgpu`).
//! - `--steps 1000`: how many steps to train.
//! - `--folder target/gpt`: where a checkpoint (every 100 steps) and the curve of the losses of this run,
//!   `loss.svg`, are written. A training goes on from a checkpoint that is there.
#![allow(clippy::print_stdout, reason = "an example talks to its user")]

mod model;
#[path = "../show/mod.rs"]
mod show;
mod text;
mod training;

use std::path::PathBuf;
use tensor_op::prelude::*;
use training::{CONFIG, Training};

/// Pieces in a batch, and letters in a piece.
const BATCH: (usize, usize) = (16, 128);

fn main() -> std::result::Result<(), Box<dyn std::error::Error>> {
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
    let (checkpoint, text) = (folder.join("gpt.safetensors"), text::load(&device)?);
    let mut training = Training::new(CONFIG, DType::F32, &device)?;
    if checkpoint.exists() {
        training.load(&checkpoint)?;
        println!("{} has made {} steps", checkpoint.display(), training.steps());
    }
    let bar = show::bar(steps, "steps").with_position(training.steps() as u64);
    let (mut losses, clock) = (vec![], std::time::Instant::now());
    for step in training.steps()..steps {
        let (tokens, next) = text::pieces(&text, BATCH.0, BATCH.1, step as i64)?;
        losses.push(training.step(&tokens, &next, steps)?);
        bar.inc(1);
        bar.set_message(format!("loss {:.3}", losses[losses.len() - 1]));
        if (step + 1) % 100 == 0 || step + 1 == steps {
            training.save(&checkpoint)?;
        }
    }
    bar.finish();
    if !losses.is_empty() {
        let letters = losses.len() * BATCH.0 * BATCH.1;
        println!("{:.0} letters a second", letters as f64 / clock.elapsed().as_secs_f64());
        show::plot::losses(&losses, &folder.join("loss.svg"))?;
    }
    let (start, clock) = ("And Jesus said", std::time::Instant::now());
    println!("{start}{}", text::write(&training.model.frozen(), start, 400, 0.8, &device)?);
    println!("{:.0} letters a second", 400.0 / clock.elapsed().as_secs_f64());
    Ok(())
}
