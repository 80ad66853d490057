//! What GPU kernels reach of the memory's bandwidth: `cargo bench --features cuda --bench gpu -- cuda`.
//!
//! Prints one line per op, dtype and shape: GB/s of the least traffic that the op needs, forward and
//! backward, and how much of a copy of the same run that is. `benches/gpu/pytorch.py` prints the same lines
//! for PyTorch; `--torch FILE` with them adds the ratios.

#![allow(clippy::print_stdout, reason = "a program that prints")]

mod case;
mod options;
mod recorded;
mod torch;

use case::{CASES, Case};
use options::Options;
use std::sync::LazyLock;
use std::time::Instant;
use tensor_op::{DType, Device};
use tensor_op_core::{Backend, Distribution, DynTensor, Dynamic, Generator, Op, Result, Value};
use tensor_op_spec::ir::{Role, Scalar};

/// Rows and columns: as many elements each.
const SHAPES: [[usize; 2]; 6] =
    [[32_768, 4096], [524_288, 256], [131_072, 1024], [8192, 16_384], [2048, 65_536], [1024, 131_072]];

fn main() -> Result<()> {
    let options = Options::read();
    Device::new(&options.device)?;
    let device = tensor_op_core::Device::new(&options.device)?;
    println!("{}", Dynamic::name(&device));
    let takes = |dtype: &DType| options.takes_dtype(*dtype) && Dynamic::supports_dtype(&device, *dtype);
    for dtype in [DType::F32, DType::BF16].into_iter().filter(takes) {
        let copy = copy(&device, dtype, options.scale)?;
        println!("{dtype} copy {copy:.0} GB/s");
        let bench = Bench { device: &device, dtype, copy, options: &options };
        for [rows, cols] in SHAPES.into_iter().filter(|shape| options.takes_shape(*shape)) {
            for case in CASES.iter().filter(|case| options.takes_op(case.op.spec().name())) {
                bench.report(case, [rows / options.scale, cols])?;
            }
        }
        if options.takes_op("matmul_add_relu") {
            bench.report_matmul(4096 / options.scale.min(8))?;
        }
    }
    small(&device)?;
    recorded::report(&Device::new(&options.device)?)
}

struct Bench<'a> {
    device: &'a tensor_op_core::Device,
    dtype: DType,
    copy: f64,
    options: &'a Options,
}

impl Bench<'_> {
    fn report(&self, case: &Case, shape: [usize; 2]) -> Result<()> {
        let [rows, cols] = shape;
        let bytes = (rows * cols * self.dtype.size()) as f64;
        let [forward, backward] = self.times(case.op, case.args(self.device, self.dtype, shape)?)?;
        let rates = [case.forward * bytes / forward / 1e9, case.backward * bytes / backward / 1e9];
        let key = format!("{} {} {rows}x{cols}", case.op.spec().name(), self.dtype);
        let share = rates.map(|rate| 100.0 * rate / self.copy);
        let [f, b] = rates;
        println!(
            "{key} {f:.0} {b:.0} GB/s, {:.0}% {:.0}% of copy{}",
            share[0],
            share[1],
            self.options.baseline.ratios(&key, rates)
        );
        Ok(())
    }

    /// A square product with bias and relu, in TFLOP/s.
    fn report_matmul(&self, size: usize) -> Result<()> {
        let random = |shape: &[usize]| random(self.device, self.dtype, shape);
        let args = vec![random(&[size, size])?, random(&[size, size])?, random(&[size])?];
        let [forward, backward] = self.times(&tensor_op::catalogue::nn::MatmulAddRelu, args)?;
        let flops = 2.0 * (size as f64).powi(3);
        let rates = [flops / forward / 1e12, 2.0 * flops / backward / 1e12];
        let key = format!("matmul_add_relu {} {size}x{size}", self.dtype);
        println!(
            "{key} {:.1} {:.1} TFLOP/s{}",
            rates[0],
            rates[1],
            self.options.baseline.ratios(&key, rates)
        );
        Ok(())
    }

    /// Seconds of the forward op, and of the backward op for all of its gradients.
    fn times(&self, op: &dyn Op, args: Vec<Value<DynTensor>>) -> Result<[f64; 2]> {
        let graph = op.spec().graph();
        let forward = time(self.device, op, &args, &graph.visible())?;
        let backward = op.backward().expect("the ops of this benchmark have gradients");
        let results = Dynamic::run(op, args.clone(), &vec![true; graph.outputs.len()])?;
        let of = |arg: &tensor_op_spec::ir::Arg| match arg.role {
            Role::Forward(index) | Role::Tangent(index) => Ok(args[index].clone()),
            Role::Output(index) => Ok(Value::Tensor(results[index].clone().expect("all were asked for"))),
            Role::Grad(index) => {
                let like = results[index].as_ref().expect("all were asked for");
                random(self.device, self.dtype, &Dynamic::shape(like))
            }
        };
        let shape_only = |(value, arg): (Value<DynTensor>, &tensor_op_spec::ir::Arg)| match (&arg.ty, value) {
            (tensor_op_spec::ir::ArgType::Shape { .. }, Value::Tensor(tensor)) => {
                Value::Shape(Dynamic::shape(&tensor))
            }
            (_, value) => value,
        };
        let given = backward.spec().graph().args.iter();
        let given: Vec<_> = given.map(|arg| Ok(shape_only((of(arg)?, arg)))).collect::<Result<_>>()?;
        let wanted = vec![true; backward.spec().graph().outputs.len()];
        Ok([forward, time(self.device, &*backward, &given, &wanted)?])
    }
}

/// Seconds of one run, the median of several groups of runs.
fn time(
    device: &tensor_op_core::Device,
    op: &dyn Op,
    args: &[Value<DynTensor>],
    wanted: &[bool],
) -> Result<f64> {
    const GROUPS: usize = 5;
    const RUNS: u32 = 40;
    let run = || Dynamic::run(op, args.to_vec(), wanted).map(drop);
    (0..3).try_for_each(|_| run())?;
    Dynamic::sync(device)?;
    let mut seconds = Vec::with_capacity(GROUPS);
    for _ in 0..GROUPS {
        let start = Instant::now();
        (0..RUNS).try_for_each(|_| run())?;
        Dynamic::sync(device)?;
        seconds.push(start.elapsed().as_secs_f64() / f64::from(RUNS));
    }
    seconds.sort_by(f64::total_cmp);
    Ok(seconds[GROUPS / 2])
}

/// GB/s of a copy, through the pointwise skeleton: what memory gives to any kernel.
fn copy(device: &tensor_op_core::Device, dtype: DType, scale: usize) -> Result<f64> {
    let [rows, cols] = SHAPES[0];
    let args = [random(device, dtype, &[rows / scale, cols])?];
    let bytes = (2 * rows / scale * cols * dtype.size()) as f64;
    Ok(bytes / time(device, &tensor_op::catalogue::arith::NegFloat, &args, &[true])? / 1e9)
}

/// The host's part: a launch on few elements, and what the first call of an op takes.
fn small(device: &tensor_op_core::Device) -> Result<()> {
    let args = [random(device, DType::F32, &[8, 8])?, random(device, DType::F32, &[8, 8])?];
    let op = tensor_op::catalogue::arith::SubFloat;
    let start = Instant::now();
    Dynamic::run(&op, args.to_vec(), &[true])?;
    Dynamic::sync(device)?;
    println!("first use of a pointwise kernel {:.1} ms", start.elapsed().as_secs_f64() * 1e3);
    let [burst, on] = [host_time(device, &op, &args, 16)?, host_time(device, &op, &args, CALLS)?];
    println!("host time of a call {burst:.1} us in bursts of 16, {on:.1} us without pause");
    Ok(())
}

/// Calls of which the host's part is timed.
const CALLS: u32 = 2000;

/// Microseconds that a call takes its thread, where it waits for the device after so many.
fn host_time(
    device: &tensor_op_core::Device,
    op: &dyn Op,
    args: &[Value<DynTensor>],
    calls: u32,
) -> Result<f64> {
    let mut seconds = 0.0;
    for _ in 0..CALLS / calls {
        let start = Instant::now();
        (0..calls).try_for_each(|_| Dynamic::run(op, args.to_vec(), &[true]).map(drop))?;
        seconds += start.elapsed().as_secs_f64();
        Dynamic::sync(device)?;
    }
    Ok(seconds / f64::from(CALLS / calls * calls) * 1e6)
}

/// Normally distributed elements, others each time.
fn random(device: &tensor_op_core::Device, dtype: DType, shape: &[usize]) -> Result<Value<DynTensor>> {
    let normal = Distribution::Normal { mean: 0.0, std: 1.0 };
    static GENERATOR: LazyLock<Generator> = LazyLock::new(|| Generator::new(0));
    Dynamic::random(&GENERATOR.draw(shape, normal, dtype)?, device).map(Value::Tensor)
}

/// A scalar argument.
fn scalar(value: f64) -> Value<DynTensor> {
    Value::Scalar(Scalar::Float(value))
}
