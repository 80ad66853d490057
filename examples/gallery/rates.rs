//! How fast the ops are, beside a copy of the same bytes.

use crate::ops::{Input, Shown};
use rayon::prelude::*;
use std::fmt::Write as _;
use std::hint::black_box;
use std::time::{Duration, Instant};
use tensor_op::prelude::*;
use tensor_op::{Generator, Gradients};

/// How long each measurement goes on.
const LONG_ENOUGH: Duration = Duration::from_millis(500);
/// The head of the table.
pub(crate) const HEAD: &str = "\
    | op | inputs | forward, ms | GB/s | of a copy | step, ms | GB/s | of a copy |\n\
    |---|---|---|---|---|---|---|---|";

/// A line of the table.
pub(crate) fn line(op: &Shown) -> Result<String> {
    let random = Generator::new(1);
    let tensors = op.inputs.iter().map(|input| input.tensor(&random)).collect::<Result<Vec<_>>>()?;
    let fixed: Vec<Tensor> = tensors.iter().map(Tensor::detach).collect();
    let outputs = (op.run)(&fixed)?;
    let gradients = step(op, &tensors)?;
    let forward_bytes = bytes(fixed.iter().chain(&outputs));
    let floats = outputs.iter().filter(|output| output.dtype() == DType::F32);
    let step_bytes = forward_bytes + bytes(floats.chain(gradients.iter()));
    let shapes: Vec<String> =
        op.inputs.iter().map(Input::shape).filter(|shape| !shape.is_empty()).map(sizes).collect();
    let mut line = format!("| `{}` | {} |", op.name, shapes.join(", "));
    let forward = time(|| (op.run)(&fixed).map(drop))?;
    let step = time(|| step(op, &tensors).map(drop))?;
    for (bytes, seconds) in [(forward_bytes, forward), (step_bytes, step)] {
        let [rate, copy] = [seconds, copy(bytes)?].map(|seconds| bytes as f64 / seconds / 1e9);
        let [seconds, rate, share] = [1e3 * seconds, rate, 100.0 * rate / copy].map(digits);
        let _ = write!(line, " {seconds} | {rate} | {share} % |");
    }
    Ok(line)
}

/// Three digits of a number.
fn digits(number: f64) -> String {
    let decimals = (2.0 - number.log10().floor()).clamp(0.0, 6.0) as usize;
    format!("{number:.decimals$}")
}

fn sizes(shape: &[usize]) -> String {
    shape.iter().map(usize::to_string).collect::<Vec<_>>().join(" x ")
}

/// Forward and backward. The gradient of each result is 1.
fn step(op: &Shown, inputs: &[Tensor]) -> Result<Gradients> {
    let outputs = (op.run)(inputs)?;
    let tracked: Vec<&Tensor> = outputs.iter().filter(|output| output.is_tracked()).collect();
    if let [output] = tracked[..] {
        return output.backward_with(output.ones_like()?);
    }
    let flat = tracked.into_iter().map(|output| output.reshape([-1])).collect::<Result<Vec<_>>>()?;
    let all = Tensor::cat(&flat, 0)?;
    all.backward_with(all.ones_like()?)
}

/// What must move at least: each tensor once.
fn bytes<'a>(tensors: impl Iterator<Item = &'a Tensor>) -> usize {
    tensors.map(|tensor| tensor.elements() * tensor.dtype().size()).sum()
}

/// Seconds of a copy on all threads that reads half of the bytes and writes the other half.
fn copy(bytes: usize) -> Result<f64> {
    let from = vec![1.0_f32; bytes.div_ceil(8)];
    let mut to = vec![0.0_f32; from.len()];
    time(|| {
        let size = from.len().div_ceil(4 * rayon::current_num_threads()).max(1024);
        to.par_chunks_mut(size).zip(from.par_chunks(size)).for_each(|(to, from)| to.copy_from_slice(from));
        black_box(&mut to);
        Ok(())
    })
}

/// Seconds of the fastest of several runs.
fn time(mut run: impl FnMut() -> Result<()>) -> Result<f64> {
    run()?;
    let (start, mut least) = (Instant::now(), f64::INFINITY);
    while start.elapsed() < LONG_ENOUGH {
        let start = Instant::now();
        run()?;
        least = least.min(start.elapsed().as_secs_f64());
    }
    Ok(least)
}
