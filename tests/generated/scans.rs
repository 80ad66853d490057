//! Scans: of each kind, in both directions, along inner, outer and chosen axes, of ints, and with operands
//! that lack dims.
#![allow(dead_code, reason = "what is called are the tests that they generate")]

use tensor_op::prelude::*;

/// Declares ops, one a line: `name(arguments) -> result = formula;`.
macro_rules! ops {
    ($($name:ident($($argument:tt)*) -> [$($result:tt)*] = $formula:expr;)+) => {
        $(
            #[tensor_op]
            fn $name($($argument)*) -> $($result)* {
                $formula
            }
        )+
    };
}

ops! {
    sums(x: Tensor![.., n]) -> [Tensor![.., n]] = cumsum(x, n);
    sums_outer(x: Tensor![n, d]) -> [Tensor![n, d]] = cumsum(exp(x), n, reverse = true);
    sums_of_ints(x: IntTensor![b, n]) -> [IntTensor![b, n]] = cumsum(x, n, exclusive = true);
    products(x: Tensor![b, n]) -> [Tensor![b, n]] = cumprod(x, n);
    products_of_ints(x: IntTensor![n]) -> [IntTensor![n]] = cumprod(x, n, reverse = true);
    largest(x: Tensor![n, d]) -> [Tensor![n, d]] = cummax(x, n);
    smallest(x: IntTensor![b, n]) -> [IntTensor![b, n]] = cummin(x, n, reverse = true);
    sums_and_largest(x: Tensor![b, n]) -> [(Tensor![b, n], Tensor![b, n])] = (cumsum(x, n, reverse = true), cummax(x, n));
    log_sums(x: Tensor![b, n]) -> [Tensor![b, n]] = logcumsumexp(x, n);
    along(x: Tensor, dim: Axis) -> [Tensor] = cumsum(x, dim);
    recurrence(a: Tensor![b, n], x: Tensor![b, n]) -> [Tensor![b, n]] = linear_recurrence(a, x, n);
    of_one_factor(a: Tensor![d], x: Tensor![n, d], h: Tensor![d]) -> [Tensor![n, d]] =
        linear_recurrence(sigmoid(a), x, n, init = h);
    average(x: Tensor![.., n], #[default(0.9)] decay: f64) -> [Tensor![.., n]] =
        linear_recurrence(decay, (1.0 - decay) * x, n, reverse = true);
    states_before(x: Tensor![d, t]) -> [Tensor![t]] =
        sum(pow(at(linear_recurrence(0.5, exp(x), t), t = t - 1, or = 0.0), 2.0), d);
    selective(u: Tensor![t, d], delta: Tensor![t, d], a: Tensor![d, s], b: Tensor![t, s], c: Tensor![t, s]) -> [Tensor![t, d]] =
        sum(linear_recurrence(exp(-softplus(delta) * exp(a)), delta * b * u, t) * c, s);
}

/// PyTorch adds up in f64, too. With a sum in f32 the last elements would be off by 13; they are off by one
/// unit in the last place at most.
#[test]
fn errors_of_a_long_sum_do_not_add_up() {
    let terms: Vec<f32> = (0..1 << 18).map(|i| (i as f32 * 0.618_034).fract() * 8.0 - 3.0).collect();
    let exact = terms.iter().scan(0.0, |sum, x| {
        *sum += f64::from(*x);
        Some(*sum as f32)
    });
    let exact: Vec<f32> = exact.collect();
    let run = |columns: usize| {
        let terms = terms.iter().flat_map(|x| vec![*x; columns]).collect();
        let x = Tensor::from_vec(terms, [exact.len(), columns], &Device::default())?;
        along(&x, 0)?.to_vec::<f32>()
    };
    for (sum, exact) in run(1).expect("it runs").into_iter().zip(&exact) {
        assert!((sum - exact).abs() <= f32::EPSILON * exact.abs().max(8.0), "{sum}, not {exact}");
    }
    assert!(run(16).expect("it runs").chunks(16).map(|row| row[3]).eq(exact.iter().copied()));
}

/// Of some neighbours the sum overflows, though no result does; and what is infinite or no number stays so.
#[test]
fn sums_overflow_only_where_a_result_does() -> Result<()> {
    let [inf, nan] = [f32::INFINITY, f32::NAN];
    for (start, last) in [([-3e38, 3e38, 3e38], 3e38), ([1.0, inf, 2.0], inf), ([inf, -inf, 1.0], nan)] {
        for n in [20, 40, 3000, 40_000] {
            for before in [0, 17] {
                let ones = std::iter::repeat_n(1.0, n - 3);
                let x: Vec<f32> = std::iter::repeat_n(0.0, before).chain(start).chain(ones).collect();
                let x = Tensor::from_vec(x, [1, before + n], &Device::default())?;
                let found = sums(x)?.to_vec::<f32>()?;
                let expected = start.into_iter().scan(0.0, |y, x| {
                    *y += x;
                    Some(*y)
                });
                let expected = expected.chain(std::iter::repeat_n(last, n - 3));
                let is_same = |(a, b): (&f32, f32)| *a == b || (a.is_nan() && b.is_nan());
                assert!(found[before..].iter().zip(expected).all(is_same), "{start:?}, {before} and {n}");
            }
        }
    }
    // A long sum that is too large for f32 at times, in the first row and in a later piece, in both
    // directions.
    let huge = 2_f32.powi(127);
    for (n, from) in [(3000, 0), (40_000, 0), (40_000, 20_000)] {
        let step = |i: usize| match i.checked_sub(from) {
            Some(0 | 40) => huge,
            Some(80) => -1.5 * huge,
            _ => 0.0,
        };
        let expected = |i: usize| match i.checked_sub(from) {
            None => 0.0,
            Some(0..40) => huge,
            Some(40..80) => inf,
            Some(80..) => huge / 2.0,
        };
        let x: Vec<f32> = (0..n).map(step).collect();
        let found = sums(Tensor::from_vec(x.clone(), [1, n], &Device::default())?)?.to_vec::<f32>()?;
        assert!(found.into_iter().eq((0..n).map(expected)), "{n} from {from}");
        let x: Vec<f32> = x.into_iter().rev().collect();
        let (found, _) = sums_and_largest(Tensor::from_vec(x, [1, n], &Device::default())?)?;
        assert!(
            found.to_vec::<f32>()?.into_iter().rev().eq((0..n).map(expected)),
            "{n} from {from}, reversed"
        );
    }
    // What is lost beside large numbers is lost within a block of 32 elements alone, which has eight ones.
    let x: Vec<f32> = [1e8, 1.0, -1e8, 0.0].repeat(1024);
    let found = sums(Tensor::from_vec(x, [1, 4096], &Device::default())?)?.to_vec::<f32>()?;
    assert!((found[4095] - 1024.0).abs() <= 8.0, "{}", found[4095]);
    Ok(())
}

/// Sums are taken in blocks of neighbours, and long rows in pieces. Sums of whole numbers are exact in any
/// grouping.
#[test]
fn rows_of_any_length() -> Result<()> {
    for n in [1, 7, 31, 32, 33, 64, 100, 2049, 20_011] {
        let mut x: Vec<f32> = (0..n).map(|i| (i * 7919 % 23) as f32 - 11.0).collect();
        let (sums, largest) = sums_and_largest(Tensor::from_vec(x.clone(), [1, n], &Device::default())?)?;
        let scanned =
            |x: &mut dyn Iterator<Item = &f32>, next: fn(f32, f32) -> f32, first: f32| -> Vec<f32> {
                x.scan(first, |y, x| {
                    *y = next(*y, *x);
                    Some(*y)
                })
                .collect()
            };
        let mut expected = scanned(&mut x.iter().rev(), |y, x| y + x, 0.0);
        expected.reverse();
        assert_eq!(sums.to_vec::<f32>()?, expected, "sums of {n}");
        assert_eq!(largest.to_vec::<f32>()?, scanned(&mut x.iter(), f32::max, f32::NEG_INFINITY));
        // What is no number stays from there on.
        x[n / 2] = f32::NAN;
        let (_, largest) = sums_and_largest(Tensor::from_vec(x, [1, n], &Device::default())?)?;
        let is_number: Vec<bool> = largest.to_vec::<f32>()?.iter().map(|x| !x.is_nan()).collect();
        assert_eq!(is_number, (0..n).map(|i| i < n / 2).collect::<Vec<_>>(), "{n}");
    }
    Ok(())
}

/// Each row, each second element of it, and each column.
#[test]
fn rows_are_scanned_as_they_lie() -> Result<()> {
    let (n, count) = (37, 3 * 37 * 2);
    let x: Vec<f32> = (0..count).map(|i| (i * 7919 % 23) as f32 - 11.0).collect();
    let x = Tensor::from_vec(x, [3, n, 2], &Device::default())?;
    let view = x.i((.., .., 1))?;
    let (sums, largest) = sums_and_largest(&view)?;
    let alone = sums_and_largest(Tensor::from_vec(view.to_vec::<f32>()?, [3, n], &Device::default())?)?;
    assert_eq!((sums.to_vec::<f32>()?, largest.to_vec::<f32>()?), (alone.0.to_vec()?, alone.1.to_vec()?));
    let columns = along(view.permute([1, 0])?, 0)?.permute([1, 0])?;
    assert_eq!(columns.to_vec::<f32>()?, along(&view, 1)?.to_vec::<f32>()?);
    Ok(())
}

/// Of some neighbours the product overflows, or has no digits left, though no result does.
#[test]
fn products_are_taken_one_by_one() -> Result<()> {
    for start in [[0.0, 1e30, 1e30], [1e-30, 1e30, 1e30], [1e30, 1e-30, 1e-30]] {
        for n in [20, 40_000] {
            let x: Vec<f32> = start.into_iter().chain(std::iter::repeat_n(1.0, n - 3)).collect();
            let found =
                products(Tensor::from_vec(x.clone(), [1, n], &Device::default())?)?.to_vec::<f32>()?;
            let expected = x.iter().scan(1.0, |y, x| {
                *y *= x;
                Some(*y)
            });
            assert!(found.into_iter().eq(expected), "{start:?}, {n}");
        }
    }
    Ok(())
}

/// The state before each step is read by a kernel outside of the tiles, which sums over channels.
#[test]
fn tiles_keep_what_is_read_through_a_view() {
    let [t, d] = [100, 3000];
    let terms: Vec<f64> = (0..d * t).map(|i| (i as f64 * 0.618_034).fract() - 0.5).collect();
    let x = Tensor::from_vec(terms.clone(), [d, t], &Device::default()).expect("as many elements");
    let found = states_before(&x).and_then(|y| y.to_vec::<f64>()).expect("it runs");
    let mut expected = vec![0.0; t];
    for row in terms.chunks(t) {
        let mut state = 0.0;
        for (at, x) in row.iter().enumerate() {
            expected[at] += state * state;
            state = 0.5 * state + x.exp();
        }
    }
    for (found, expected) in found.iter().zip(expected) {
        assert!((found - expected).abs() < 1e-12 * expected.abs().max(1.0), "{found}, not {expected}");
    }
}

/// The channels of a large call are computed in tiles, each with its sums over channels. Their results and
/// gradients are those of each channel alone.
#[test]
fn tiles_of_channels_are_channels() {
    let [t, d, s] = [150, 128, 20];
    let device = Device::default();
    let tensor = |shape: [usize; 2], seed: usize| {
        let count = shape[0] * shape[1];
        let terms = (0..count).map(|i| ((i + 977 * seed) as f64 * 0.618_034).fract() - 0.5).collect();
        Tensor::from_vec(terms, shape, &device).expect("as many elements")
    };
    let args =
        [tensor([t, d], 1), tensor([t, d], 2), tensor([d, s], 3), tensor([t, s], 4), tensor([t, s], 5)];
    let weights = tensor([t, d], 6);
    let run = |args: &[Tensor; 5], weights: &Tensor| -> Result<Vec<Tensor>> {
        let args = args.clone().map(Tensor::require_grad);
        let [u, delta, a, b, c] = &args;
        let y = selective(u, delta, a, b, c)?;
        let gradients = (&y * weights)?.sum(..)?.backward()?;
        let of_args = args.iter().map(|arg| gradients.get(arg).expect("all are differentiable").clone());
        Ok([y.detach()].into_iter().chain(of_args).collect())
    };
    let all = run(&args, &weights).expect("it runs");
    let part = |x: &Tensor, dim: usize, channel: usize| {
        let whole = (0..x.shape()[0], 0..x.shape()[1]);
        let ranges = if dim == 0 { (channel..channel + 1, whole.1) } else { (whole.0, channel..channel + 1) };
        x.i(ranges).expect("it is inside")
    };
    let mut sums: Vec<Tensor> = vec![];
    for channel in 0..d {
        let [u, delta, a, b, c] = &args;
        let own = [part(u, 1, channel), part(delta, 1, channel), part(a, 0, channel), b.clone(), c.clone()];
        let own = run(&own, &part(&weights, 1, channel)).expect("it runs");
        for (result, dim) in [(0, 1), (1, 1), (2, 1), (3, 0)] {
            near(&part(&all[result], dim, channel), &own[result], "channel");
        }
        sums = match &sums[..] {
            [b, c] => vec![(b + &own[4]).expect("one shape"), (c + &own[5]).expect("one shape")],
            _ => own[4..].to_vec(),
        };
    }
    near(&all[4], &sums[0], "b");
    near(&all[5], &sums[1], "c");
}

#[track_caller]
fn near(found: &Tensor, expected: &Tensor, what: &str) {
    let [found, expected] = [found, expected].map(|x| x.to_vec::<f64>().expect("f64"));
    assert_eq!(found.len(), expected.len(), "{what}");
    for (at, (found, expected)) in found.iter().zip(&expected).enumerate() {
        assert!(
            (found - expected).abs() < 1e-12 * expected.abs().max(1.0),
            "{what} at {at}: {found}, {expected}"
        );
    }
}
