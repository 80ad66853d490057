//! Products of matrices and what is fused with them, on the CPU, beside PyTorch in the same run:
//! `cargo bench --bench products`, or with another Python than `python3`:
//! `cargo bench --bench products -- --python venv/bin/python`.
//!
//! Prints a line for each case: milliseconds of the forward op and of a step (the op and its gradients) by
//! tensor-op and by PyTorch, and how many times as fast tensor-op is. PyTorch runs before and after, on as
//! many threads, and its times are the means of both. Without PyTorch its columns are missing.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a program that prints")]
#![allow(missing_docs, reason = "a program")]

mod case;
mod ops;
mod torch;

use case::{CASES, Case};
use std::time::Instant;
use tensor_op::prelude::*;
use torch::Baseline;

fn main() -> Result<()> {
    let python = std::env::args().skip_while(|word| word != "--python").nth(1);
    let python = python.as_deref().unwrap_or("python3");
    let before = Baseline::measure(python);
    let ours: Vec<[f64; 2]> = CASES.iter().map(measure).collect::<Result<_>>()?;
    let after = Baseline::measure(python);
    println!("{:<40} {:>18} {:>18} {:>14}", "ms: forward, step", "tensor-op", "PyTorch", "ratio");
    for (case, ours) in CASES.iter().zip(ours) {
        let name = case.name();
        let torch = before.get(&name).zip(after.get(&name));
        let torch = torch.map(|(a, b)| [(a[0] + b[0]) / 2.0, (a[1] + b[1]) / 2.0]);
        let [theirs, ratio] = match torch {
            Some(torch) => [pair(torch), pair([torch[0] / ours[0], torch[1] / ours[1]])],
            None => [String::new(), String::new()],
        };
        println!("{name:<40} {:>18} {theirs:>18} {ratio:>14}", pair(ours));
    }
    Ok(())
}

fn pair([forward, step]: [f64; 2]) -> String {
    format!("{forward:.2} {step:.2}")
}

/// Milliseconds of the op, and of the op with its gradients.
fn measure(case: &Case) -> Result<[f64; 2]> {
    let device = Device::default();
    let random = |shape: &&[usize]| Tensor::normal(shape.to_vec(), 0.0, 0.1, case.dtype, &device);
    let args: Vec<Tensor> = case.shapes.iter().map(random).collect::<Result<_>>()?;
    let tracked: Vec<Tensor> = args.iter().map(|arg| arg.clone().require_grad()).collect();
    let forward = median(|| (case.run)(&args).map(drop))?;
    let step = median(|| (case.run)(&tracked)?.backward().map(drop))?;
    Ok([forward, step])
}

/// The median of five calls after one, in milliseconds.
fn median(call: impl Fn() -> Result<()>) -> Result<f64> {
    call()?;
    let mut times = Vec::with_capacity(5);
    for _ in 0..5 {
        let start = Instant::now();
        call()?;
        times.push(start.elapsed().as_secs_f64() * 1e3);
    }
    times.sort_by(f64::total_cmp);
    Ok(times[2])
}
