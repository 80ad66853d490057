//! Rows of all lengths: short ones that share a cube, ones that stay in registers, long ones that are read
//! again, few ones that many cubes share. Expected values are the CPU's.
#![cfg(any(feature = "wgpu", feature = "cuda"))]

use tensor_op::catalogue::nn;
use tensor_op::prelude::*;
use tensor_op::tensor_op;

/// Rows and columns.
const SHAPES: &[[usize; 2]] = &[
    [1, 1],
    [40, 7],
    [3, 1024],
    [2, 5003],
    [70, 9000],
    [1, 65_536],
    [20, 70_001],
    [1, 300_007],
    [3, 262_144],
];

/// Stable for values of any size.
#[tensor_op(tests = false)]
fn log_sum_exp(x: Tensor![.., n]) -> Tensor![..] {
    logsumexp(x, n)
}

/// Two results of one pass, and one of the next.
#[tensor_op(tests = false)]
fn spread(x: Tensor![.., n]) -> Tensor![..] {
    max(x, n) - min(x, n) + sqrt(mean((x - mean(x, n)) * (x - mean(x, n)), n)) + sum(x, n) / len(n)
}

/// How many elements are positive, and half the index of the largest: both exact.
#[tensor_op(tests = false)]
fn positives(x: Tensor![.., n]) -> Tensor![..] {
    sum(select(x > 0.0, 1.0, 0.0), n) + 0.5 * cast(argmax(stop_grad(x), n), float)
}

/// Folds of three passes, of floats and ints: what is counted before the first largest element, and where the
/// least one is.
#[tensor_op(tests = false)]
fn before_peak(x: Tensor![.., n]) -> Tensor![..] {
    let before = sum(select(iota(n) < argmax(stop_grad(x), n), 1, 0), n);
    cast(select(max(stop_grad(x), n) > 0.0, before - argmin(stop_grad(x), n), before), float)
}

/// Squares around something else than the mean, which infinities among the values leave finite.
#[tensor_op(tests = false)]
fn around(x: Tensor![.., n]) -> Tensor![..] {
    let center = clamp(mean(x, n), -1.0, 1.0);
    sum(square(x - center), n)
}

const GPU: &str = if cfg!(feature = "cuda") { "cuda" } else { "wgpu" };

type Function = fn(&Tensor) -> Result<Tensor>;

/// Of the largest result: some roundings.
const ROUNDED: f32 = 2e-5;
const EXACT: f32 = 0.0;

const FUNCTIONS: &[(&str, Function, f32)] = &[
    ("softmax", |x| nn::softmax(x, -1), ROUNDED),
    ("log_softmax", |x| nn::log_softmax(x, -1), ROUNDED),
    ("logsumexp", |x| log_sum_exp(x), ROUNDED),
    ("spread", |x| spread(x), ROUNDED),
    ("around", |x| around(x), ROUNDED),
    ("positives", |x| positives(x), EXACT),
    ("before_peak", |x| before_peak(x), EXACT),
    (
        "layer_norm",
        |x| {
            let ones = Tensor::ones([x.shape()[1]], x.dtype(), &x.device())?;
            nn::layer_norm(x, &ones, &ones, 1e-5)
        },
        ROUNDED,
    ),
];

fn devices() -> [Device; 2] {
    [Device::default(), Device::new(GPU).expect("a GPU, or a processor that poses as one")]
}

/// Both devices agree within `error` of the largest result; NaN and infinities are where they are.
fn check((name, function, error): (&str, Function, f32), elements: &[f32], shape: [usize; 2]) {
    check_with((name, function, error), elements, shape, Tensor::clone);
}

/// The same for what `view` makes of a tensor of this shape.
fn check_with(
    (name, function, error): (&str, Function, f32),
    elements: &[f32],
    shape: [usize; 2],
    view: fn(&Tensor) -> Tensor,
) {
    let [cpu, gpu] = devices().map(|device| {
        let x =
            Tensor::from_vec(elements.to_vec(), shape, &device).expect("as many elements as the shape has");
        function(&view(&x))
            .and_then(|y| y.cast(DType::F32)?.to_vec::<f32>())
            .unwrap_or_else(|error| panic!("{name}: {error}"))
    });
    let largest = cpu.iter().filter(|x| x.is_finite()).fold(1e-6_f32, |most, x| most.max(x.abs()));
    for (at, (expected, found)) in cpu.iter().zip(&gpu).enumerate() {
        let same = expected == found || (expected.is_nan() && found.is_nan());
        let near = (expected - found).abs() <= error * largest;
        assert!(same || near, "{name} of {shape:?} at {at}: {found}, and {expected} on the CPU");
    }
}

fn numbers(count: usize) -> Vec<f32> {
    (0..count).map(|i| (i as f32 * 0.618_034).fract() * 8.0 - 3.0 + (i / 50_000) as f32).collect()
}

#[test]
fn rows_of_all_lengths_are_those_of_the_cpu() {
    for shape in SHAPES {
        for function in FUNCTIONS {
            check(*function, &numbers(shape[0] * shape[1]), *shape);
        }
    }
}

/// Few long rows, many, and short ones, where the next element of a row is that of another row in memory.
#[test]
fn rows_whose_elements_are_far_apart_are_those_of_the_cpu() {
    let few = [[70_001, 3], [70_001, 9], [9000, 40], [5003, 300], [40_000, 256]];
    let many = [[300, 1000], [7, 1000], [3, 5004], [12, 5000], [700, 4096], [33, 4098]];
    for shape in few.into_iter().chain(many) {
        for function in FUNCTIONS {
            let turned = |x: &Tensor| x.transpose(0, 1).expect("a matrix");
            check_with(*function, &numbers(shape[0] * shape[1]), shape, turned);
        }
    }
}

#[test]
fn infinities_and_nan_in_long_rows_are_those_of_the_cpu() {
    let shape = [2, 70_001];
    let of = |special: f32, every: usize| {
        let mut elements = numbers(shape[0] * shape[1]);
        elements[shape[1]..].iter_mut().step_by(every).for_each(|x| *x = special);
        elements
    };
    for special in [f32::NEG_INFINITY, f32::INFINITY, f32::NAN] {
        for every in [1, 999, 69_999] {
            for function in FUNCTIONS {
                check(*function, &of(special, every), shape);
            }
        }
    }
}

/// Rows of halves that lie side by side. What comes out of both devices differs by a rounding.
#[test]
fn rows_of_halves_whose_elements_are_far_apart_are_those_of_the_cpu() {
    let halves = |x: &Tensor| x.cast(DType::F16).and_then(|x| x.transpose(0, 1)).expect("a matrix of floats");
    for shape in [[5003, 304], [300, 1000], [12, 5000]] {
        for (name, function, error) in FUNCTIONS {
            check_with((name, *function, error.max(1e-3)), &numbers(shape[0] * shape[1]), shape, halves);
        }
    }
}
