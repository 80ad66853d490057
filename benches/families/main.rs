//! Formulas that nobody tuned, by family, beside `torch.compile` in the same run:
//! `cargo bench --bench families` on the CPU, and on a GPU
//! `cargo bench --features cuda --bench families -- cuda`.
//! `--python venv/bin/python` names another Python than `python3`; `options.rs` has the other options.
//!
//! `cargo run -p tensor-op-formulas --bin families -- SEED` writes other formulas.
//!
//! Prints a line for each formula: milliseconds of the op and of a step (the op and its gradients) by
//! tensor-op and by PyTorch, how many times as fast tensor-op is, and the share of the rate of a copy. Then a
//! table of the families. Both sides take turns, formula by formula, and their results and gradients are
//! compared first.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a program that prints")]
#![allow(missing_docs, reason = "a program")]

mod case;
#[rustfmt::skip]
mod declarations;
mod options;
mod report;
mod torch;

use case::{Content, Run};
use declarations::CASES;
use options::Options;
use rayon::prelude::*;
use report::{Row, print_families};
use std::time::Instant;
use tensor_op::{backward, prelude::*};
use tensor_op_core::{Backend, Dynamic};
use torch::{Answer, Torch};

#[tensor_op(tests = false)]
fn copied(x: Tensor) -> Tensor {
    -x
}

fn main() -> Result<()> {
    let options = Options::read();
    let cases = CASES.iter().enumerate().filter(|(_, case)| case.name.contains(&options.only));
    let runs: Vec<Run> = cases
        .flat_map(|(at, case)| {
            let size = options.size.unwrap_or(at % 2).min(case.sizes.len() - 1);
            options.dtypes.iter().map(move |dtype| (case, *dtype, size))
        })
        .map(|(case, dtype, size)| Run::new(case, dtype, size, options.elements))
        .collect();
    if options.compilers > 0 {
        Torch::compile(&options, &runs).unwrap_or_else(|error| eprintln!("nothing was compiled: {error}"));
    }
    let mut torch = Torch::start(&options);
    let bench = Bench {
        device: Device::new(&options.device)?,
        queue: tensor_op_core::Device::new(&options.device)?,
        calls: if options.device == "cpu" { 1 } else { 5 },
    };
    println!("{:<40} {:>16} {:>16} {:>12} share of a copy", "ms: op, step", "tensor-op", "PyTorch", "ratio");
    let mut rows = vec![];
    for run in &runs {
        let row = bench.row(run, torch.as_mut(), options.elements)?;
        row.print();
        rows.push(row);
    }
    print_families(&rows);
    Ok(())
}

struct Bench {
    device: Device,
    /// The same device, to wait for.
    queue: tensor_op_core::Device,
    /// How many calls are timed together.
    calls: usize,
}

impl Bench {
    fn row(&self, run: &Run, torch: Option<&mut Torch>, elements: usize) -> Result<Row> {
        let answer = torch.map(|torch| torch.ask(run)).transpose();
        let answer = answer.unwrap_or_else(|error| {
            eprintln!("{}: no time of PyTorch: {error}", run.name());
            None
        });
        let like = Tensor::zeros([elements], run.dtype, &self.device)?;
        let copied = (2 * elements * run.dtype.size()) as f64 / self.median(|| copied(&like).map(drop))?;
        let args = run.args(&self.device)?;
        let is_float = |at: &usize| run.case.args[*at].content == Content::Float;
        let track = |(at, arg): (usize, &Tensor)| {
            if is_float(&at) { arg.clone().require_grad() } else { arg.clone() }
        };
        let tracked: Vec<Tensor> = args.iter().enumerate().map(track).collect();
        let floats: Vec<usize> = (0..args.len()).filter(is_float).collect();
        let results = (run.case.run)(&args)?;
        let seeds: Vec<Tensor> = results.iter().map(Tensor::ones_like).collect::<Result<_>>()?;
        let step = || {
            let results = (run.case.run)(&tracked)?;
            let roots: Vec<(&Tensor, &Tensor)> = results.iter().zip(&seeds).collect();
            backward(&roots)
        };
        if let Some(answer) = &answer {
            let gradients = step()?;
            let found = results.iter().chain(floats.iter().map(|at| &gradients[&tracked[*at]]));
            compare(run, &found.collect::<Vec<_>>(), answer)?;
        }
        let bytes = run.bytes(&results);
        drop(results);
        let ours = [self.median(|| (run.case.run)(&args).map(drop))?, self.median(|| step().map(drop))?];
        Ok(Row {
            family: run.case.family,
            name: run.name(),
            dtype: run.dtype.to_string(),
            ours,
            theirs: answer.map(|answer| answer.times),
            share: [bytes[0] / ours[0] / copied, bytes[1] / ours[1] / copied],
        })
    }

    /// The median of seven times after two, in milliseconds for a call.
    fn median(&self, call: impl Fn() -> Result<()>) -> Result<f64> {
        let timed = || {
            Dynamic::sync(&self.queue)?;
            let start = Instant::now();
            (0..self.calls).try_for_each(|_| call())?;
            Dynamic::sync(&self.queue)?;
            Ok(start.elapsed().as_secs_f64() * 1e3 / self.calls as f64)
        };
        let mut times: Vec<f64> = (0..9).map(|_| timed()).collect::<Result<Vec<f64>>>()?.split_off(2);
        times.sort_by(f64::total_cmp);
        Ok(times[3])
    }
}

/// Says on standard error if sums of elements, or of their absolute values, differ from PyTorch's.
fn compare(run: &Run, found: &[&Tensor], answer: &Answer) -> Result<()> {
    let tolerance = if run.dtype.size() < DType::F32.size() { 2e-2 } else { 1e-4 };
    if found.len() != answer.sums.len() {
        eprintln!("{}: {} results and gradients, {} of PyTorch", run.name(), found.len(), answer.sums.len());
    }
    for (at, (tensor, theirs)) in found.iter().zip(&answer.sums).enumerate() {
        let elements = tensor.cast(DType::F32)?.to_vec::<f32>()?;
        let sum = |of: fn(f64) -> f64| elements.par_iter().map(|x| of(f64::from(*x))).sum::<f64>();
        let ours = [sum(|x| x), sum(f64::abs)];
        // Where a gradient is zero, both have rounding errors alone.
        let scale = theirs[1].max(1e-3 * elements.len() as f64);
        let differs = |at: usize| {
            let distance = (ours[at] - theirs[at]).abs();
            distance > tolerance * scale || distance.is_nan()
        };
        if differs(0) || differs(1) {
            eprintln!("{}: result or gradient {at} has the sums {ours:?}, in PyTorch {theirs:?}", run.name());
        }
    }
    Ok(())
}
