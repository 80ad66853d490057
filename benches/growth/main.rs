//! How time grows with the work: with bytes, the rank of tensors, the number of inputs, the stride of
//! elements and the number of ops in a graph: `cargo bench --bench growth` on the CPU, and on a GPU
//! `cargo bench --features cuda --bench growth -- cuda --most 16G`.
//!
//! `--svg FILE` draws it, and `--most` says how many bytes the largest call moves (`1G` without it). Prints a
//! table for each kind of growth. Times are the least of several batches, in microseconds for a call.

#![allow(clippy::print_stdout, reason = "a program that prints")]
#![allow(missing_docs, reason = "a program")]

mod ops;
mod options;
mod plot;

use options::Options;
use std::time::{Duration, Instant};
use tensor_op::prelude::*;
use tensor_op_core::{Backend, Dynamic, Shape};

/// Times against one measure of the work.
pub(crate) struct Growth {
    pub(crate) title: &'static str,
    /// What is counted along the axis.
    pub(crate) measure: &'static str,
    pub(crate) lines: Vec<Line>,
}

/// The times of one op.
pub(crate) struct Line {
    pub(crate) name: &'static str,
    /// The measure, and microseconds.
    pub(crate) points: Vec<(f64, f64)>,
}

fn main() -> std::result::Result<(), Box<dyn std::error::Error>> {
    let options = Options::read();
    let bench = Bench::new(&options)?;
    let all =
        [bench.sizes(options.most)?, bench.ranks()?, bench.inputs()?, bench.strides()?, bench.graphs()?];
    all.iter().for_each(print);
    if let Some(file) = &options.svg {
        plot::draw(&all, file)?;
    }
    Ok(())
}

/// Elements of tensors whose size does not change: 4 MB.
const ELEMENTS: usize = 1 << 20;

struct Bench {
    device: Device,
    /// The same device, to wait for.
    queue: tensor_op_core::Device,
}

impl Bench {
    fn new(options: &Options) -> Result<Bench> {
        // The first device of a program registers backends.
        let device = Device::new(&options.device)?;
        Ok(Bench { device, queue: tensor_op_core::Device::new(&options.device)? })
    }

    /// Bytes that are read and written.
    fn sizes(&self, most: usize) -> Result<Growth> {
        let (mut gated, mut softmax) = (vec![], vec![]);
        for power in 10.. {
            let bytes = 1_usize << power;
            if bytes > most {
                break;
            }
            let [x, gate] = [self.tensor([bytes / 12])?, self.tensor([bytes / 12])?];
            gated.push((bytes as f64, self.time(|| ops::gated(&x, &gate).map(drop))?));
            drop((x, gate));
            let columns = 128.min(bytes / 8);
            let x = self.tensor([bytes / 8 / columns, columns])?;
            softmax.push((bytes as f64, self.time(|| ops::weights(&x).map(drop))?));
        }
        let lines = vec![
            Line { name: "x * sigmoid(gate)", points: gated },
            Line { name: "softmax of 128 columns", points: softmax },
        ];
        Ok(Growth { title: "Bytes read and written", measure: "bytes", lines })
    }

    /// The number of axes, of a tensor in row-major order and of one whose axes are in reverse order.
    fn ranks(&self) -> Result<Growth> {
        let (mut plain, mut turned) = (vec![], vec![]);
        for rank in 1..=8_usize {
            let long = ELEMENTS.ilog2() as usize;
            let shape: Vec<usize> =
                (0..rank).map(|axis| 1 << (long / rank + usize::from(axis < long % rank))).collect();
            let reverse: Vec<i64> = (0..rank as i64).rev().collect();
            let (x, gate) = (self.tensor(&shape[..])?, self.tensor(&shape[..])?);
            plain.push((rank as f64, self.time(|| ops::gated(&x, &gate).map(drop))?));
            let mut other = shape.clone();
            other.reverse();
            let gate = self.tensor(&other[..])?.permute(&reverse)?;
            turned.push((rank as f64, self.time(|| ops::gated(&x, &gate).map(drop))?));
        }
        let lines = vec![
            Line { name: "both row-major", points: plain },
            Line { name: "one with its axes in reverse", points: turned },
        ];
        Ok(Growth { title: "Rank, 2^20 elements", measure: "axes", lines })
    }

    fn inputs(&self) -> Result<Growth> {
        let args: Vec<Tensor> = (0..16).map(|_| self.tensor([ELEMENTS])).collect::<Result<_>>()?;
        let mut points = vec![];
        for (count, call) in ops::OF_INPUTS {
            points.push((count as f64, self.time(|| call(&args).map(drop))?));
        }
        let lines = vec![Line { name: "a sum of tensors", points }];
        Ok(Growth { title: "Inputs of 2^20 elements", measure: "inputs", lines })
    }

    /// How far apart neighbouring elements are.
    fn strides(&self) -> Result<Growth> {
        let mut points = vec![];
        for power in 0..=6 {
            let step = 1_usize << power;
            let [x, gate] =
                [self.tensor([ELEMENTS * step])?.slice_step(0, .., step)?, self.tensor([ELEMENTS])?];
            points.push((step as f64, self.time(|| ops::gated(&x, &gate).map(drop))?));
        }
        let lines = vec![Line { name: "x * sigmoid(gate)", points }];
        Ok(Growth { title: "Stride of x, 2^20 elements", measure: "elements", lines })
    }

    /// Ops in a chain: forward, and with the gradient. Tensors are so small that calls take all of the time.
    fn graphs(&self) -> Result<Growth> {
        let x = self.tensor([64])?;
        let chain = |x: &Tensor, count: usize| -> Result<Tensor> {
            (0..count).try_fold(x.clone(), |y, _| ops::gated(&y, x))
        };
        let (mut forward, mut step) = (vec![], vec![]);
        for power in 0..=12 {
            let count = 1_usize << power;
            forward.push((count as f64, self.time(|| chain(&x, count).map(drop))?));
            let tracked = x.clone().require_grad();
            let seed = Tensor::ones_like(&x)?;
            let run = || tensor_op::backward(&[(&chain(&tracked, count)?, &seed)]).map(drop);
            step.push((count as f64, self.time(run)?));
        }
        let lines =
            vec![Line { name: "forward", points: forward }, Line { name: "with the gradient", points: step }];
        Ok(Growth { title: "Ops in a chain, 64 elements", measure: "ops", lines })
    }

    fn tensor(&self, shape: impl Into<Shape>) -> Result<Tensor> {
        Tensor::full(shape, 0.5_f32, &self.device)
    }

    /// Microseconds of a call: the least of seven batches, each of about two milliseconds or one call.
    fn time(&self, call: impl Fn() -> Result<()>) -> Result<f64> {
        let batch = |calls: u32| -> Result<Duration> {
            Dynamic::sync(&self.queue)?;
            let start = Instant::now();
            (0..calls).try_for_each(|_| call())?;
            Dynamic::sync(&self.queue)?;
            Ok(start.elapsed() / calls)
        };
        batch(2)?;
        let once = batch(1)?.max(Duration::from_nanos(100));
        let calls = (Duration::from_millis(2).as_nanos() / once.as_nanos()).clamp(1, 20_000) as u32;
        let times = (0..7).map(|_| batch(calls)).collect::<Result<Vec<_>>>()?;
        Ok(times.into_iter().min().unwrap_or_default().as_secs_f64() * 1e6)
    }
}

fn print(growth: &Growth) {
    let names: Vec<&str> = growth.lines.iter().map(|line| line.name).collect();
    println!("{}\n\n| {} | {} |", growth.title, growth.measure, names.join(" | "));
    println!("|{}", "---|".repeat(names.len() + 1));
    for (at, (measure, _)) in growth.lines[0].points.iter().enumerate() {
        let times = growth.lines.iter().map(|line| format!("{:.2}", line.points[at].1));
        println!("| {measure} | {} |", times.collect::<Vec<_>>().join(" | "));
    }
    println!();
}
