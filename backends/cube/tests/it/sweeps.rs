//! Scans with what stands around them as one kernel. Expected values are the CPU's, whose scans are kernels
//! of their own, some of which run in tiles. All have so many points that a GPU keeps states in registers.
#![cfg(feature = "wgpu")]

use tensor_op::prelude::*;

/// The state has a dim that the result has not.
#[tensor_op(tests = false)]
fn selective(
    u: Tensor![n, t, d],
    delta: Tensor![n, t, d],
    a: Tensor![d, s],
    b: Tensor![n, t, s],
    c: Tensor![n, t, s],
) -> Tensor![n, t, d] {
    let h = linear_recurrence(exp(-delta * delta * a * a), delta * b * u, t);
    sum(h * c, s) + u
}

/// The state is summed over more than a plane of units, and over dims on both sides of the other ones.
#[tensor_op(tests = false)]
fn attention(q: Tensor![t, d], k: Tensor![t, d], v: Tensor![t, e], gate: Tensor![t, d]) -> Tensor![t, e] {
    sum(q * linear_recurrence(sigmoid(gate), k * v, t), d)
}

/// Two states in one kernel, which a value of each step divides.
#[tensor_op(tests = false)]
fn averages(x: Tensor![t, m], w: Tensor![t, m]) -> Tensor![t, m] {
    let weight = exp(-x * x);
    linear_recurrence(0.5, weight * w, t, reverse = true) / linear_recurrence(0.5, weight, t, reverse = true)
}

/// A state is a result, and another one follows from it. Reductions of what came so far are states, too.
#[tensor_op(tests = false)]
fn smoothed(x: Tensor![t, m]) -> (Tensor![t, m], Tensor![t, m], Tensor![t, m]) {
    let once = linear_recurrence(0.75, 0.25 * x, t);
    let twice = linear_recurrence(0.75, 0.25 * once, t);
    (once, 2.0 * once - twice, cummax(x * x, t) - cummin(-x * x, t))
}

/// The steps are in the middle, and the state is folded in another way, too.
#[tensor_op(tests = false)]
fn folded(x: Tensor![n, t, s]) -> (Tensor![n, t], Tensor![n, t, s]) {
    let y = cumsum(abs(x), t);
    let most = max(y, s);
    (most, y / (1.0 + most))
}

/// Elements of the step before, which are outside at the first one.
#[tensor_op(tests = false)]
fn differences(x: Tensor![t, m]) -> Tensor![t, m] {
    exp(-abs(linear_recurrence(0.5, x - at(x, t = iota(t) - 1, or = 0.0), t)))
}

/// Elements of the step after are read from memory, where there are any.
#[tensor_op(tests = false)]
fn ahead(x: Tensor![t, m]) -> Tensor![t, m] {
    let y = linear_recurrence(0.5, x * at(x, t = iota(t) + 1, or = 2.0), t);
    y - cumsum(at(x, t = iota(t) + 2, or = 0.0), t, reverse = true)
}

/// A state alone, the last dim of which is scanned in no kernel.
#[tensor_op(tests = false)]
fn alone(x: Tensor![t, m]) -> Tensor![t, m] {
    cumprod(1.0 + 0.25 * x, t)
}

fn elements(shape: &[usize], seed: usize) -> Vec<f32> {
    let count = shape.iter().product();
    (0..count).map(|i| ((i + 977 * seed) as f32 * 0.618_034).fract() * 2.0 - 1.0).collect()
}

/// Compares all results and all gradients of a function with those of the CPU.
#[track_caller]
fn check(shapes: &[&[usize]], function: impl Fn(&[Tensor]) -> Result<Vec<Tensor>>) {
    let run = |device: Device| {
        let tensor = |(seed, shape): (usize, &&[usize])| {
            Tensor::from_vec(elements(shape, seed), *shape, &device).expect("as many elements").require_grad()
        };
        let args: Vec<Tensor> = shapes.iter().enumerate().map(tensor).collect();
        let untracked: Vec<Tensor> = args.iter().map(Tensor::detach).collect();
        let mut found = function(&untracked)?;
        let results = function(&args)?;
        let weighted = |(seed, y): (usize, &Tensor)| {
            let shape = y.shape().to_vec();
            (y * &Tensor::from_vec(elements(&shape, 9 + seed), shape, &device)?)?.sum(..)
        };
        let mut loss = weighted((0, &results[0]))?;
        for (seed, y) in results.iter().enumerate().skip(1) {
            loss = (loss + weighted((seed, y))?)?;
        }
        let gradients = loss.backward()?;
        found.extend(results.iter().map(Tensor::detach));
        found.extend(args.iter().map(|arg| gradients.get(arg).expect("all are differentiable").clone()));
        found.iter().map(Tensor::to_vec::<f32>).collect::<Result<Vec<_>>>()
    };
    let devices = [Device::default(), Device::new("wgpu").expect("a GPU, or a processor that poses as one")];
    let [cpu, gpu] = devices.map(|device| run(device).expect("it runs"));
    for (result, (cpu, gpu)) in cpu.iter().zip(&gpu).enumerate() {
        assert_eq!(cpu.len(), gpu.len(), "result {result}");
        let largest = cpu.iter().fold(1.0_f32, |most, x| most.max(x.abs()));
        for (at, (expected, found)) in cpu.iter().zip(gpu).enumerate() {
            let is_near = (expected - found).abs() <= 2e-5 * largest;
            assert!(is_near, "result {result} at {at}: {found}, and {expected} on the CPU");
        }
    }
}

#[test]
fn states_that_are_summed() {
    for [n, t, d, s] in [[2, 9, 1024, 16], [1, 8, 2049, 16], [3, 3, 1500, 8], [1, 4, 700, 50]] {
        let shapes: [&[usize]; 5] = [&[n, t, d], &[n, t, d], &[d, s], &[n, t, s], &[n, t, s]];
        check(&shapes, |x| Ok(vec![selective(&x[0], &x[1], &x[2], &x[3], &x[4])?]));
    }
}

#[test]
fn states_of_matrices() {
    for [t, d, e] in [[6, 64, 512], [3, 200, 200]] {
        let shapes: [&[usize]; 4] = [&[t, d], &[t, d], &[t, e], &[t, d]];
        check(&shapes, |x| Ok(vec![attention(&x[0], &x[1], &x[2], &x[3])?]));
    }
}

#[test]
fn several_states() {
    for [t, m] in [[7, 40_000], [4, 32_769], [1, 33_000]] {
        check(&[&[t, m], &[t, m]], |x| Ok(vec![averages(&x[0], &x[1])?]));
        check(&[&[t, m]], |x| smoothed(&x[0]).map(|(once, twice, range)| vec![once, twice, range]));
    }
}

#[test]
fn averages_of_rwkv() {
    for [b, t, d] in [[2, 8, 17_000], [1, 16, 33_000]] {
        let shapes: [&[usize]; 4] = [&[d], &[d], &[b, t, d], &[b, t, d]];
        check(&shapes, |x| Ok(vec![tensor_op::catalogue::scan::wkv(&x[0], &x[1], &x[2], &x[3])?]));
    }
}

#[test]
fn folds_of_states() {
    for [n, t, s] in [[1000, 6, 40], [20_000, 3, 3]] {
        check(&[&[n, t, s]], |x| folded(&x[0]).map(|(most, y)| vec![most, y]));
    }
}

#[test]
fn elements_of_other_steps() {
    for shape in [[9, 33_000], [1, 32_768]] {
        check(&[&shape], |x| Ok(vec![differences(&x[0])?]));
        check(&[&shape], |x| Ok(vec![ahead(&x[0])?]));
        check(&[&shape], |x| Ok(vec![alone(&x[0])?]));
    }
}

/// So many cubes are launched in two dimensions, of which some have nothing to do.
#[test]
fn more_cubes_than_one_dimension_holds() {
    check(&[&[2, 8_388_736]], |x| Ok(vec![alone(&x[0])?]));
}
