//! Products of matrices, attention, convolutions and windows, beside PyTorch in the same run:
//! `cargo bench --bench products` on the CPU, and on a GPU
//! `cargo bench --features cuda --bench products -- cuda`.
//! `--python venv/bin/python` names another Python than `python3`, and `--precision high` lets both sides
//! round f32 to TF32. `--only WORD` runs the cases whose names contain a word.
//!
//! Prints a line for each case: milliseconds of the forward op and of a step (the op and its gradients) by
//! tensor-op and by PyTorch, and how many times as fast tensor-op is. On a GPU PyTorch's ops are compiled
//! (`torch.compile`). PyTorch runs before and after, on as many threads, and its times are the means of both.
//! Without PyTorch its columns are missing.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a program that prints")]
#![allow(missing_docs, reason = "a program")]

mod case;
mod draws;
mod ops;
mod options;
mod orders;
mod scans;
mod torch;
mod windows;

use case::{CASES, Case, GPU_CASES};
use options::Options;
use std::time::Instant;
use tensor_op::prelude::*;
use tensor_op::set_float32_matmul_precision;
use tensor_op_core::{Backend, Dynamic};
use torch::Baseline;

fn main() -> Result<()> {
    let options = Options::read();
    if let Some(precision) = options.precision {
        set_float32_matmul_precision(precision);
    }
    let is_cpu = options.device == "cpu";
    let cases = if is_cpu { CASES } else { GPU_CASES };
    let cases: Vec<&Case> = cases.iter().filter(|case| case.name().contains(&options.only)).collect();
    let bench = Bench {
        device: Device::new(&options.device)?,
        queue: tensor_op_core::Device::new(&options.device)?,
        calls: if is_cpu { 1 } else { 10 },
    };
    let before = Baseline::measure(&options);
    let ours: Vec<[f64; 2]> = cases.iter().map(|case| bench.measure(case)).collect::<Result<_>>()?;
    let after = Baseline::measure(&options);
    println!("{:<46} {:>18} {:>18} {:>14}", "ms: forward, step", "tensor-op", "PyTorch", "ratio");
    for (case, ours) in cases.iter().zip(ours) {
        let name = case.name();
        let torch = before.get(&name).zip(after.get(&name));
        let torch = torch.map(|(a, b)| [(a[0] + b[0]) / 2.0, (a[1] + b[1]) / 2.0]);
        let [theirs, ratio] = match torch {
            Some(torch) => [pair(torch), pair([torch[0] / ours[0], torch[1] / ours[1]])],
            None => [String::new(), String::new()],
        };
        println!("{name:<46} {:>18} {theirs:>18} {ratio:>14}", pair(ours));
    }
    Ok(())
}

fn pair([forward, step]: [f64; 2]) -> String {
    format!("{forward:.2} {step:.2}")
}

struct Bench {
    device: Device,
    /// The same device, to wait for.
    queue: tensor_op_core::Device,
    /// How many calls are timed together.
    calls: usize,
}

impl Bench {
    /// Milliseconds of the op, and of the op with its gradients.
    fn measure(&self, case: &Case) -> Result<[f64; 2]> {
        let random = |shape: &&[usize]| Tensor::normal(shape.to_vec(), 0.0, 0.1, case.dtype, &self.device);
        let args: Vec<Tensor> = case.shapes.iter().map(random).collect::<Result<_>>()?;
        let tracked: Vec<Tensor> = args.iter().map(|arg| arg.clone().require_grad()).collect();
        let forward = self.median(|| (case.run)(&args).map(drop))?;
        let step = self.median(|| {
            let y = (case.run)(&tracked)?;
            y.backward_with(&y.ones_like()?).map(drop)
        })?;
        Ok([forward, step])
    }

    /// The median of five times after one, in milliseconds for a call.
    fn median(&self, call: impl Fn() -> Result<()>) -> Result<f64> {
        let timed = || {
            let start = Instant::now();
            (0..self.calls).try_for_each(|_| call())?;
            Dynamic::sync(&self.queue)?;
            Ok(start.elapsed().as_secs_f64() * 1e3 / self.calls as f64)
        };
        timed()?;
        let mut times: Vec<f64> = (0..5).map(|_| timed()).collect::<Result<_>>()?;
        times.sort_by(f64::total_cmp);
        Ok(times[2])
    }
}
