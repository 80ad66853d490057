//! The model of `examples/gpt` beside the same model in PyTorch, in one run: `cargo bench --bench gpt` on the
//! CPU, with one thread and with all, and on a GPU `cargo bench --features cuda --bench gpt -- cuda`.
//! `--python venv/bin/python` names another Python than `python3`.
//!
//! Prints letters a second of the training and of writing: one text, whose letters are read one by one,
//! with the time until each letter is there, and 16 texts at once; and on the CPU the memory that the
//! training took at most. PyTorch's training is compiled (`torch.compile`), and its memory is that of the
//! compiler too. PyTorch runs before and after, and its figures are the means of both. A ratio is our
//! figure by PyTorch's.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a program that prints")]
#![allow(missing_docs, reason = "a program")]

#[path = "../../examples/gpt/model.rs"]
mod model;
#[path = "../../examples/gpt/text.rs"]
#[allow(dead_code, reason = "the example writes one text")]
mod text;
#[path = "../../examples/gpt/training.rs"]
mod training;

use model::{CONFIG, Gpt};
use std::error::Error;
use std::process::Command;
use std::result::Result;
use std::time::Instant;
use tensor_op::catalogue::random::categorical;
use tensor_op::optim::schedule::warmup_cosine;
use tensor_op::prelude::*;

/// As in the example, and in `pytorch.py`.
const BATCH: (usize, usize) = (16, 128);
const STEPS: usize = 30;
const LETTERS: usize = 200;

/// What is measured, and the digits behind the point. The last one is memory of the host, which says nothing
/// of a GPU.
const FIGURES: [(&str, usize); 5] = [
    ("training, letters a second", 0),
    ("one text, letters a second", 0),
    ("one text, ms a letter", 2),
    ("16 texts, letters a second", 0),
    ("memory of the training, MiB", 0),
];

fn main() -> Result<(), Box<dyn Error>> {
    let (mut device, mut python, mut words) =
        ("cpu".to_string(), "python3".to_string(), std::env::args().skip(1));
    while let Some(word) = words.next() {
        match word.as_str() {
            "--bench" => {}
            "--python" => python = words.next().ok_or("--python takes a value")?,
            // A process has one number of threads: this is the one that measures.
            "--ours" => return ours(&device),
            word if word.starts_with('-') => return Err(format!("`{word}` is no option").into()),
            name => device = name.to_string(),
        }
    }
    let all = std::thread::available_parallelism().map_or(1, usize::from);
    let threads = if device == "cpu" && all > 1 { vec![1, all] } else { vec![all] };
    for threads in threads {
        let theirs = || {
            let words = ["benches/gpt/pytorch.py", &device, &threads.to_string()];
            figures(Command::new(&python).args(words))
        };
        let before = theirs();
        let ours = figures(
            Command::new(std::env::current_exe()?)
                .args([&device, "--ours"])
                .env("RAYON_NUM_THREADS", threads.to_string()),
        );
        let after = theirs();
        println!("{:<32} {:>12} {:>12} {:>8}", format!("{threads} threads"), "tensor-op", "PyTorch", "ratio");
        let shown = if device == "cpu" { FIGURES.len() } else { FIGURES.len() - 1 };
        for (i, (name, digits)) in FIGURES.iter().enumerate().take(shown) {
            let theirs = before.get(i).zip(after.get(i)).map(|(a, b)| (a + b) / 2.0);
            let ours = ours.get(i).copied().unwrap_or(f64::NAN);
            let [theirs, ratio] = match theirs {
                Some(theirs) => [format!("{theirs:.digits$}"), format!("{:.2}", ours / theirs)],
                None => [String::new(), String::new()],
            };
            println!("{name:<32} {ours:>12.digits$} {theirs:>12} {ratio:>8}");
        }
    }
    Ok(())
}

/// The numbers that a program prints, one a line.
fn figures(command: &mut Command) -> Vec<f64> {
    match command.output() {
        Ok(output) if output.status.success() => {
            String::from_utf8_lossy(&output.stdout).lines().filter_map(|line| line.parse().ok()).collect()
        }
        Ok(output) => {
            eprintln!("no figures: {}", String::from_utf8_lossy(&output.stderr));
            vec![]
        }
        Err(error) => {
            eprintln!("no figures: {error}");
            vec![]
        }
    }
}

fn ours(device: &str) -> Result<(), Box<dyn Error>> {
    let device = Device::new(device)?;
    let letters = text::load(&device)?;
    let before = resident("VmRSS");
    let (mut model, mut optimizer) = (Gpt::new(CONFIG, DType::F32, &device)?, training::optimizer());
    let mut steps = |from: usize, to: usize| {
        for step in from..to {
            let pieces = text::pieces(&letters, BATCH.0, BATCH.1 + 1, step as i64)?;
            let loss = model.loss(&pieces, Some(step as i64))?;
            optimizer.rule.lr = warmup_cosine(step as u64, STEPS as u64, 10 * STEPS as u64, 2e-3, 1e-4);
            training::learn(&mut model, &mut optimizer, &loss)?;
        }
        device.sync()
    };
    steps(0, 5)?;
    let start = Instant::now();
    steps(5, 5 + STEPS)?;
    println!("{}", (STEPS * BATCH.0 * BATCH.1) as f64 / start.elapsed().as_secs_f64());
    let memory = resident("VmHWM") - before;

    let model = model.frozen();
    write(&model, 1, 20, true, &device)?;
    let rate = write(&model, 1, LETTERS, true, &device)?;
    println!("{rate}\n{}", 1000.0 / rate);
    write(&model, 16, 20, false, &device)?;
    println!("{}", write(&model, 16, LETTERS, false, &device)?);
    println!("{}", memory / 1024.0);
    Ok(())
}

/// Letters a second of some texts at once. If they are read, the next one waits for it, as a reader would.
fn write(
    model: &Gpt,
    texts: usize,
    letters: usize,
    is_read: bool,
    device: &Device,
) -> tensor_op::Result<f64> {
    let start = text::tokens(b"And Jesus said", device)?;
    let mut next = start.broadcast_to([texts, start.elements()])?;
    let mut caches = model.caches(texts, start.elements() + letters)?;
    let mut written: Vec<Tensor> = vec![];
    let clock = Instant::now();
    for seed in 0..letters {
        let logits = model.logits(&next, Some(&mut caches), None)?.i((.., -1..))?;
        next = categorical((logits / 0.8)?, -1, seed as i64)?;
        if is_read {
            next.to_vec::<i64>()?;
        }
        written.push(next.clone());
    }
    Tensor::cat(&written, 1)?.to_vec::<i64>()?;
    Ok((texts * letters) as f64 / clock.elapsed().as_secs_f64())
}

/// KiB of this process, now (`VmRSS`) or at most so far (`VmHWM`), where Linux says so.
fn resident(what: &str) -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with(what));
    line.and_then(|line| line.split_whitespace().nth(1)?.parse().ok()).unwrap_or(f64::NAN)
}
