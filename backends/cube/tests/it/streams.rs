//! Products whose results go through passes over rows into other products, and their gradients, against the
//! same formulas in f64 on the CPU, on each runtime of this build that finds a device. Where the device
//! multiplies matrices of halves, each is a few kernels that store no scores.
#![cfg(feature = "runtime")]

use tensor_op::prelude::*;
use tensor_op::tensor_op;

#[tensor_op(tests = false)]
fn full(q: Tensor![b, t, d], k: Tensor![b, s, d], v: Tensor![b, s, e]) -> Tensor![b, t, e] {
    sum(softmax(sum(q * k, d) / sqrt(cast(len(d), float)), s) * v, s)
}

#[tensor_op(tests = false)]
fn causal(q: Tensor![b, t, d], k: Tensor![b, s, d], v: Tensor![b, s, e]) -> Tensor![b, t, e] {
    let scores = sum(q * k, d) / sqrt(cast(len(d), float));
    sum(softmax(select(iota(s) <= iota(t), scores, -INFINITY), s) * v, s)
}

#[tensor_op(tests = false)]
fn window(q: Tensor![b, t, d], k: Tensor![b, s, d], v: Tensor![b, s, e]) -> Tensor![b, t, e] {
    let near = abs(iota(s) - iota(t)) <= 9;
    sum(softmax(select(near, sum(q * k, d), -INFINITY), s) * v, s)
}

/// Heads of queries share a head of keys.
#[tensor_op(tests = false)]
fn grouped(q: Tensor![b, g, t, d], k: Tensor![b, s, d], v: Tensor![b, s, e]) -> Tensor![b, g, t, e] {
    let scores = select(iota(s) <= iota(t), sum(q * k, d), -INFINITY);
    sum(softmax(scores, s) * v, s)
}

/// Capped scores with a slope for each head.
#[tensor_op(tests = false)]
fn capped(q: Tensor![b, t, d], k: Tensor![b, s, d], v: Tensor![b, s, e]) -> Tensor![b, t, e] {
    let slope = exp2(-1.0 * cast(iota(b) + 1, float));
    let scores = 4.0 * tanh(sum(q * k, d) / 4.0) + slope * cast(iota(s) - iota(t), float);
    sum(softmax(scores, s) * v, s)
}

/// Two products make up a score.
#[tensor_op(tests = false)]
fn two_terms(
    q: Tensor![b, t, d],
    k: Tensor![b, s, d],
    v: Tensor![b, s, e],
    p: Tensor![b, t, r],
    at: Tensor![b, s, r],
) -> Tensor![b, t, e] {
    sum(softmax(sum(q * k, d) + sum(p * at, r), s) * v, s)
}

/// Statistics that can't be repaired from block to block.
#[tensor_op(tests = false)]
fn normalised(q: Tensor![b, t, d], k: Tensor![b, s, d], v: Tensor![b, s, e]) -> Tensor![b, t, e] {
    let scores = sum(q * k, d);
    let centred = scores - mean(scores, s);
    sum(tanh(centred * rsqrt(mean(centred * centred, s) + 0.1)) * v, s)
}

#[tensor_op(tests = false)]
fn linear(q: Tensor![b, t, d], k: Tensor![b, s, d], v: Tensor![b, s, e]) -> Tensor![b, t, e] {
    sum(select(iota(s) <= iota(t), sum(q * k, d), 0.0) * v, s)
}

/// A row without columns gives zeros.
#[tensor_op(tests = false)]
fn empty_rows(q: Tensor![b, t, d], k: Tensor![b, s, d], v: Tensor![b, s, e]) -> Tensor![b, t, e] {
    let kept = iota(s) + 5 <= iota(t);
    let scores = select(kept, sum(q * k, d), -INFINITY);
    let top = max(scores, s);
    let weights = exp(scores - stop_grad(select(is_finite(top), top, 0.0)));
    sum(weights * v, s) / maximum(sum(weights, s), 0.01)
}

#[tensor_op(tests = false)]
fn total(y: Tensor![.., e], weight: Tensor![.., e]) -> Tensor![..] {
    sum(y * weight, e)
}

fn devices() -> impl Iterator<Item = Device> {
    ["wgpu", "vulkan", "metal", "cuda", "hip"].into_iter().filter_map(|name| Device::new(name).ok())
}

/// Numbers between -1 and 1.
fn numbers(shape: &[usize], seed: usize) -> Result<Tensor> {
    let count: usize = shape.iter().product();
    let number = |at: usize| ((at * 7919 + seed * 104_729 + at / 13 * 31) % 2003) as f64 / 1001.5 - 1.0;
    Tensor::from_vec((0..count).map(number).collect::<Vec<f64>>(), shape.to_vec(), &Device::default())
}

type Run = fn(&[Tensor]) -> Result<Tensor>;

/// The result, and the gradient of each argument.
fn results(run: Run, args: &[Tensor], weight: &Tensor) -> Result<Vec<Vec<f64>>> {
    results_for(run, args, weight, |_| true)
}

/// The result, and the gradients of the arguments that are tracked.
fn results_for(
    run: Run,
    args: &[Tensor],
    weight: &Tensor,
    is_tracked: impl Fn(usize) -> bool,
) -> Result<Vec<Vec<f64>>> {
    let track = |(at, arg): (usize, &Tensor)| {
        if is_tracked(at) { arg.clone().require_grad() } else { arg.clone() }
    };
    let args: Vec<Tensor> = args.iter().enumerate().map(track).collect();
    let result = run(&args)?;
    let totals = total(&result, weight)?;
    let gradients = totals.backward_with(&totals.ones_like()?)?;
    let gradients = args.iter().filter_map(|arg| gradients.get(arg).cloned());
    let on_host = |tensor: Tensor| tensor.to(&Device::default())?.cast(DType::F64)?.to_vec::<f64>();
    [result.detach()].into_iter().chain(gradients).map(on_host).collect()
}

/// Fails if the numbers of `found` are not those of `expected`.
#[track_caller]
fn close(found: &[f64], expected: &[f64], tolerance: f64, what: &str) {
    let largest = expected.iter().fold(1e-3, |most: f64, value| most.max(value.abs()));
    let error = |(found, expected): (&f64, &f64)| (found - expected).abs() / largest;
    let worst = found.iter().zip(expected).map(error).fold(0.0, f64::max);
    let are_finite = found.iter().all(|value| value.is_finite());
    assert!(
        found.len() == expected.len() && are_finite && worst <= tolerance,
        "{what} is off by {worst:.1e}"
    );
}

/// Dtypes, and how far results may be off.
const DTYPES: [(DType, f64); 3] = [(DType::F32, 1e-4), (DType::F16, 4e-3), (DType::BF16, 3e-2)];

fn check(name: &str, run: Run, shapes: &[&[usize]]) -> Result<()> {
    let args: Vec<Tensor> =
        shapes.iter().enumerate().map(|(at, shape)| numbers(shape, at)).collect::<Result<_>>()?;
    for device in devices() {
        for (dtype, tolerance) in DTYPES {
            if !device.supports_dtype(dtype) {
                continue;
            }
            let rounded: Vec<Tensor> = args.iter().map(|arg| arg.cast(dtype)).collect::<Result<_>>()?;
            let exact: Vec<Tensor> = rounded.iter().map(|arg| arg.cast(DType::F64)).collect::<Result<_>>()?;
            let weight = numbers(&run(&exact)?.shape(), 77)?.cast(dtype)?;
            let expected = results(run, &exact, &weight.cast(DType::F64)?)?;
            let there: Vec<Tensor> = rounded.iter().map(|arg| arg.to(&device)).collect::<Result<_>>()?;
            let found = results(run, &there, &weight.to(&device)?)?;
            let again = results(run, &there, &weight.to(&device)?)?;
            assert!(found == again, "{name} of {shapes:?} in {dtype} on {device:?} gives other bits again");
            for (at, (found, expected)) in found.iter().zip(&expected).enumerate() {
                let what = format!("{name} of {shapes:?} in {dtype} on {device:?}: result {at}");
                close(found, expected, tolerance, &what);
            }
        }
    }
    Ok(())
}

macro_rules! run {
    ($op:ident, 3) => {
        |args| $op(&args[0], &args[1], &args[2])
    };
    ($op:ident, 5) => {
        |args| $op(&args[0], &args[1], &args[2], &args[3], &args[4])
    };
}

#[test]
fn all_sizes() -> Result<()> {
    for [t, s, d, e] in [
        [1, 1, 8, 8],
        [17, 33, 16, 8],
        [64, 64, 64, 64],
        [70, 130, 40, 80],
        [33, 65, 96, 128],
        [20, 20, 256, 256],
    ] {
        check("full", run!(full, 3), &[&[2, t, d], &[2, s, d], &[2, s, e]])?;
        check("causal", run!(causal, 3), &[&[2, t, d], &[2, s, d], &[2, s, e]])?;
    }
    Ok(())
}

#[test]
fn what_stands_between_products_is_any_formula() -> Result<()> {
    let [q, k, v]: [&[usize]; 3] = [&[2, 70, 16], &[2, 70, 16], &[2, 70, 24]];
    check("window", run!(window, 3), &[q, k, v])?;
    check("capped", run!(capped, 3), &[q, k, v])?;
    check("two_terms", run!(two_terms, 5), &[q, k, v, &[2, 70, 8], &[2, 70, 8]])?;
    check("normalised", run!(normalised, 3), &[q, k, v])?;
    check("linear", run!(linear, 3), &[q, k, v])?;
    check("empty_rows", run!(empty_rows, 3), &[q, k, v])?;
    check("grouped", run!(grouped, 3), &[&[2, 3, 70, 16], k, v])
}

#[test]
fn long_rows_in_any_memory_order() -> Result<()> {
    let long: &[usize] = &[1, 1000, 64];
    check("causal", run!(causal, 3), &[long, long, long])?;
    // Heads lie between the positions and the elements of a head.
    let swapped: Run = |args| {
        let [q, k, v] = [&args[0], &args[1], &args[2]].map(|arg| arg.permute([1, 0, 2]));
        full(q?, k?, v?)
    };
    let by_position: &[usize] = &[150, 2, 64];
    check("full of heads", swapped, &[by_position, by_position, by_position])
}

/// Calls `test` for each device and dtype that it has, with the arguments and a weight of this shape there.
fn on_each(
    args: &[Tensor],
    weight: &[usize],
    test: impl Fn(&[Tensor], &Tensor, f64, &str) -> Result<()>,
) -> Result<()> {
    for device in devices() {
        for (dtype, tolerance) in DTYPES.into_iter().filter(|(dtype, _)| device.supports_dtype(*dtype)) {
            let there = |tensor: &Tensor| tensor.cast(dtype)?.to(&device);
            let args: Vec<Tensor> = args.iter().map(there).collect::<Result<_>>()?;
            let weight = there(&numbers(weight, 77)?)?;
            test(&args, &weight, tolerance, &format!("in {dtype} on {device:?}"))?;
        }
    }
    Ok(())
}

#[test]
fn a_gradient_of_one_argument_is_the_same_alone() -> Result<()> {
    let args = [numbers(&[2, 70, 16], 0)?, numbers(&[2, 90, 16], 1)?, numbers(&[2, 90, 24], 2)?];
    for (name, run) in [("full", run!(full, 3) as Run), ("causal", run!(causal, 3))] {
        on_each(&args, &[2, 70, 24], |args, weight, tolerance, place| {
            let all = results(run, args, weight)?;
            for (at, arg) in ["q", "k", "v"].into_iter().enumerate() {
                let alone = results_for(run, args, weight, |own| own == at)?;
                assert_eq!(alone.len(), 2);
                close(&alone[0], &all[0], tolerance, &format!("the result of {name} {place}"));
                close(&alone[1], &all[at + 1], tolerance, &format!("{name} {place}: the gradient of {arg}"));
            }
            Ok(())
        })?;
    }
    Ok(())
}

/// All batches have the keys and the values of one.
#[test]
fn views_without_a_step_along_batches() -> Result<()> {
    let args = [numbers(&[3, 70, 16], 0)?, numbers(&[1, 90, 16], 1)?, numbers(&[1, 90, 24], 2)?];
    for (name, run) in [("full", run!(full, 3) as Run), ("causal", run!(causal, 3))] {
        on_each(&args, &[3, 70, 24], |args, weight, tolerance, place| {
            let [q, k, v] = [0, 1, 2].map(|at| args[at].clone());
            let views = [q.clone(), k.broadcast_to([3, 90, 16])?, v.broadcast_to([3, 90, 24])?];
            let copies = [q, Tensor::cat(&[&k; 3], 0)?, Tensor::cat(&[&v; 3], 0)?];
            for shared in [[false, true, true], [false, true, false], [false, false, true]] {
                let own = |at: usize| if shared[at] { &views[at] } else { &copies[at] };
                let mixed: Vec<Tensor> = (0..3).map(|at| own(at).clone()).collect();
                let (found, expected) = (results(run, &mixed, weight)?, results(run, &copies, weight)?);
                for (at, (found, expected)) in found.iter().zip(&expected).enumerate() {
                    close(found, expected, tolerance, &format!("{name} {place}, {shared:?}: result {at}"));
                }
            }
            Ok(())
        })?;
    }
    Ok(())
}
