//! Formulas over many short rows beside loops by hand: `cargo bench --bench ops -- short`. A table of the
//! time for a row, by the number of its elements.

use crate::case::{Gradient, numbers};
use std::hint::black_box;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tensor_op::cpu::{NdArrayTensor, Value};
use tensor_op::prelude::*;
use tensor_op::{Backend, NdArray, Op};

/// The cosine of the angle between two vectors.
#[tensor_op]
fn cosine(x: Tensor![n, d], y: Tensor![n, d]) -> Tensor![n] {
    sum(x * y, d) * rsqrt(sum(x * x, d) * sum(y * y, d) + 1e-6)
}

/// The logarithm of a sum of exponentials.
#[tensor_op]
fn log_sum_exp(x: Tensor![n, d]) -> Tensor![n] {
    let largest = max(x, d);
    largest + ln(sum(exp(x - largest), d))
}

/// Each row with the mean 0 and the variance 1.
#[tensor_op]
fn standardized(x: Tensor![n, d]) -> Tensor![n, d] {
    let centred = x - mean(x, d);
    centred * rsqrt(mean(centred * centred, d) + 1e-5)
}

/// The mean weighted distance from a centre that each row has.
#[tensor_op]
fn weighted_distance(x: Tensor![n, d], centre: Tensor![n], weight: Tensor![d]) -> Tensor![n] {
    mean(abs(x - centre) * weight, d)
}

/// Elements of the large arguments.
const ELEMENTS: usize = 1 << 20;
const LENGTHS: [usize; 7] = [2, 3, 4, 8, 16, 32, 64];
/// How long a cell of the table is measured.
const TIME: Duration = Duration::from_millis(300);

/// The elements of each tensor.
type Numbers = Vec<Vec<f32>>;

/// A formula: which arguments it takes, and a loop by hand that gives its result, and one that gives its
/// gradients.
struct Formula {
    name: &'static str,
    op: Arc<dyn Op>,
    args: &'static [Shape],
    forward: fn(&[&[f32]], usize) -> Numbers,
    backward: fn(&[&[f32]], &[f32], usize) -> Numbers,
}

#[derive(Clone, Copy)]
enum Shape {
    Matrix,
    /// An element for each row.
    OfRows,
    /// An element for each column.
    OfColumns,
}

/// Prints the table.
pub(crate) fn table() {
    print!("{:28}", "ns a row, by elements of it");
    LENGTHS.iter().for_each(|len| print!("{len:>14}"));
    println!();
    for formula in formulas() {
        formula.line("forward", |len| formula.forward_cell(len));
        formula.line("backward", |len| formula.backward_cell(len));
    }
}

fn formulas() -> [Formula; 4] {
    [
        Formula {
            name: "cosine",
            op: Arc::new(Cosine),
            args: &[Shape::Matrix, Shape::Matrix],
            forward: by_hand::cosine,
            backward: by_hand::cosine_backward,
        },
        Formula {
            name: "log_sum_exp",
            op: Arc::new(LogSumExp),
            args: &[Shape::Matrix],
            forward: by_hand::log_sum_exp,
            backward: by_hand::log_sum_exp_backward,
        },
        Formula {
            name: "standardized",
            op: Arc::new(Standardized),
            args: &[Shape::Matrix],
            forward: by_hand::standardized,
            backward: by_hand::standardized_backward,
        },
        Formula {
            name: "weighted_distance",
            op: Arc::new(WeightedDistance),
            args: &[Shape::Matrix, Shape::OfRows, Shape::OfColumns],
            forward: by_hand::weighted_distance,
            backward: by_hand::weighted_distance_backward,
        },
    ]
}

impl Formula {
    fn line(&self, what: &str, cell: impl Fn(usize) -> [f64; 2]) {
        print!("{:28}", format!("{} {what}", self.name));
        for len in LENGTHS {
            let [own, by_hand] = cell(len).map(|seconds| seconds * 1e9 / (ELEMENTS / len) as f64);
            print!("{:>14}", format!("{own:.1} ({by_hand:.1})"));
        }
        println!();
    }

    fn numbers(&self, len: usize) -> Numbers {
        let rows = ELEMENTS / len;
        let size = |shape: &Shape| match shape {
            Shape::Matrix => rows * len,
            Shape::OfRows => rows,
            Shape::OfColumns => len,
        };
        (1..).zip(self.args).map(|(seed, shape)| numbers(size(shape), seed)).collect()
    }

    fn tensors(&self, numbers: &[Vec<f32>], len: usize) -> Vec<Value<NdArrayTensor>> {
        let shape = |shape: &Shape| match shape {
            Shape::Matrix => vec![ELEMENTS / len, len],
            Shape::OfRows => vec![ELEMENTS / len],
            Shape::OfColumns => vec![len],
        };
        let shapes = self.args.iter().map(shape);
        shapes.zip(numbers).map(|(shape, numbers)| Value::Tensor(with_shape(&shape, numbers))).collect()
    }

    /// Seconds of a call, and of the loop by hand.
    fn forward_cell(&self, len: usize) -> [f64; 2] {
        let numbers = self.numbers(len);
        let args = self.tensors(&numbers, len);
        let wanted = self.op.spec().graph().visible();
        let call = || NdArray::run(&*self.op, args.clone(), &wanted).expect("the arguments fit");
        let slices: Vec<&[f32]> = numbers.iter().map(Vec::as_slice).collect();
        let by_hand = || (self.forward)(&slices, len);
        agree(call().into_iter().flatten(), &by_hand());
        [least(|| drop(black_box(call()))), least(|| drop(black_box(by_hand())))]
    }

    fn backward_cell(&self, len: usize) -> [f64; 2] {
        let numbers = self.numbers(len);
        let slices: Vec<&[f32]> = numbers.iter().map(Vec::as_slice).collect();
        let size = (self.forward)(&slices, len)[0].len();
        let direction = crate::case::numbers(size, 9);
        let like = |result: &NdArrayTensor| with_shape(result.shape(), &direction);
        let backward = self.op.backward().expect("these formulas have gradients");
        let gradient = Gradient::with(&*self.op, self.tensors(&numbers, len), backward, like);
        let gradient = gradient.expect("the arguments fit");
        let call = || gradient.run().expect("the arguments fit");
        let by_hand = || (self.backward)(&slices, &direction, len);
        agree(call().into_iter(), &by_hand());
        [least(|| drop(black_box(call()))), least(|| drop(black_box(by_hand())))]
    }
}

fn with_shape(shape: &[usize], numbers: &[f32]) -> NdArrayTensor {
    let array = ndarray::ArrayD::from_shape_vec(shape, numbers.to_vec()).expect("as many numbers");
    NdArrayTensor::from(array)
}

/// Both compute the same, or their times mean nothing.
fn agree(found: impl Iterator<Item = NdArrayTensor>, expected: &[Vec<f32>]) {
    let found: Vec<NdArrayTensor> = found.take(expected.len()).collect();
    assert_eq!(found.len(), expected.len());
    for (found, expected) in found.iter().zip(expected) {
        let view = found.view::<f32>().expect("f32 in, f32 out");
        let scale = expected.iter().fold(0.0_f32, |scale, x| scale.max(x.abs()));
        assert_eq!(view.len(), expected.len());
        for (a, b) in view.iter().zip(expected) {
            assert!((a - b).abs() <= 2e-3 * scale, "{a} and {b}, the largest is {scale}");
        }
    }
}

/// Seconds of the fastest of many calls.
fn least(mut call: impl FnMut()) -> f64 {
    let (start, mut least) = (Instant::now(), Duration::MAX);
    while start.elapsed() < TIME {
        let start = Instant::now();
        call();
        least = least.min(start.elapsed());
    }
    least.as_secs_f64()
}

/// Loops as one writes them.
mod by_hand {
    use super::Numbers;

    fn sum(values: impl Iterator<Item = f32>) -> f32 {
        values.sum()
    }

    pub(super) fn cosine(args: &[&[f32]], len: usize) -> Numbers {
        let rows = args[0].chunks_exact(len).zip(args[1].chunks_exact(len));
        let cosine = |(x, y): (&[f32], &[f32])| {
            let [xy, xx, yy] = products(x, y);
            xy / (xx * yy + 1e-6).sqrt()
        };
        vec![rows.map(cosine).collect()]
    }

    fn products(x: &[f32], y: &[f32]) -> [f32; 3] {
        let (mut xy, mut xx, mut yy) = (0.0, 0.0, 0.0);
        for (x, y) in x.iter().zip(y) {
            xy += x * y;
            xx += x * x;
            yy += y * y;
        }
        [xy, xx, yy]
    }

    pub(super) fn cosine_backward(args: &[&[f32]], grad: &[f32], len: usize) -> Numbers {
        let mut grads = vec![vec![0.0; args[0].len()]; 2];
        let [grad_x, grad_y] = &mut grads[..] else { return grads };
        let rows = args[0].chunks_exact(len).zip(args[1].chunks_exact(len)).zip(grad);
        let grad_rows = grad_x.chunks_exact_mut(len).zip(grad_y.chunks_exact_mut(len));
        for (((x, y), grad), (grad_x, grad_y)) in rows.zip(grad_rows) {
            let [xy, xx, yy] = products(x, y);
            let scale = 1.0 / (xx * yy + 1e-6).sqrt();
            let (first, second) = (grad * scale, grad * xy * scale * scale * scale);
            for k in 0..len {
                grad_x[k] = first * y[k] - second * yy * x[k];
                grad_y[k] = first * x[k] - second * xx * y[k];
            }
        }
        grads
    }

    fn largest(row: &[f32]) -> f32 {
        row.iter().copied().fold(f32::NEG_INFINITY, f32::max)
    }

    fn log_sum(row: &[f32]) -> f32 {
        let largest = largest(row);
        largest + sum(row.iter().map(|x| (x - largest).exp())).ln()
    }

    pub(super) fn log_sum_exp(args: &[&[f32]], len: usize) -> Numbers {
        vec![args[0].chunks_exact(len).map(log_sum).collect()]
    }

    pub(super) fn log_sum_exp_backward(args: &[&[f32]], grad: &[f32], len: usize) -> Numbers {
        let mut out = vec![0.0; args[0].len()];
        for ((row, out), grad) in args[0].chunks_exact(len).zip(out.chunks_exact_mut(len)).zip(grad) {
            let log = log_sum(row);
            row.iter().zip(out).for_each(|(x, out)| *out = grad * (x - log).exp());
        }
        vec![out]
    }

    /// The mean, and one over the deviation.
    fn moments(row: &[f32]) -> [f32; 2] {
        let n = row.len() as f32;
        let mean = sum(row.iter().copied()) / n;
        let variance = sum(row.iter().map(|x| (x - mean) * (x - mean))) / n;
        [mean, 1.0 / (variance + 1e-5).sqrt()]
    }

    pub(super) fn standardized(args: &[&[f32]], len: usize) -> Numbers {
        let mut out = vec![0.0; args[0].len()];
        for (row, out) in args[0].chunks_exact(len).zip(out.chunks_exact_mut(len)) {
            let [mean, scale] = moments(row);
            row.iter().zip(out).for_each(|(x, out)| *out = (x - mean) * scale);
        }
        vec![out]
    }

    pub(super) fn standardized_backward(args: &[&[f32]], grad: &[f32], len: usize) -> Numbers {
        let mut out = vec![0.0; args[0].len()];
        let rows = args[0].chunks_exact(len).zip(grad.chunks_exact(len));
        for ((row, grad), out) in rows.zip(out.chunks_exact_mut(len)) {
            let ([mean, scale], n) = (moments(row), len as f32);
            let flat = sum(grad.iter().copied()) / n;
            let along = sum(grad.iter().zip(row).map(|(grad, x)| grad * (x - mean) * scale)) / n;
            for k in 0..len {
                out[k] = (grad[k] - flat - (row[k] - mean) * scale * along) * scale;
            }
        }
        vec![out]
    }

    pub(super) fn weighted_distance(args: &[&[f32]], len: usize) -> Numbers {
        let rows = args[0].chunks_exact(len).zip(args[1]);
        let distance = |(row, centre): (&[f32], &f32)| {
            sum(row.iter().zip(args[2]).map(|(x, weight)| (x - centre).abs() * weight)) / len as f32
        };
        vec![rows.map(distance).collect()]
    }

    pub(super) fn weighted_distance_backward(args: &[&[f32]], grad: &[f32], len: usize) -> Numbers {
        let (mut grad_x, mut grad_centre) = (vec![0.0; args[0].len()], vec![0.0; args[1].len()]);
        let mut grad_weight = vec![0.0_f64; len];
        let rows = args[0].chunks_exact(len).zip(grad_x.chunks_exact_mut(len));
        for (((row, out), (centre, grad)), grad_centre) in
            rows.zip(args[1].iter().zip(grad)).zip(&mut grad_centre)
        {
            let grad = grad / len as f32;
            for k in 0..len {
                let distance = row[k] - centre;
                out[k] = grad * args[2][k] * distance.signum();
                *grad_centre -= out[k];
                grad_weight[k] += f64::from(grad * distance.abs());
            }
        }
        vec![grad_x, grad_centre, grad_weight.into_iter().map(|grad| grad as f32).collect()]
    }
}
