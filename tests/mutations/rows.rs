//! Faults of kernels over rows: accumulators, precision, overflow and cancellation, axes, ties.

use crate::by_hand::{Args, Results, floats, folded, like_first, mapped, rounded, scalar, tensors};
use crate::family::{Family, kernels};
use ndarray::{ArrayD, ArrayView1, Axis, IxDyn};
use std::cell::Cell;
use std::sync::Mutex;
use tensor_op::DType;

pub(crate) fn families() -> Vec<Family> {
    vec![softmax(), log_softmax(), row_sum(), column_sum(), layer_norm(), largest(), position()]
}

fn softmax() -> Family {
    kernels!(
        [(x: Tensor, #[default(-1)] axis: Axis) -> Tensor { softmax(x, axis) }],
        right => |args| along(args, from_end, |row| normalized(row, maximum(row))),
        "softmax without subtracting the maximum" => |args| along(args, from_end, |row| normalized(row, 0.0)),
        "a negative axis counts from the front" => |args| along(args, |axis, rank| from_end(axis.abs(), rank) % rank, |row| normalized(row, maximum(row))),
        "the axis is always the last" => |args| along(args, |_, rank| rank - 1, |row| normalized(row, maximum(row))),
        "axes beyond the fourth are taken as one" => |args| {
            let x = floats(args)?.swap_remove(0);
            let shape = x.shape().to_vec();
            if shape.len() <= 4 {
                return along(args, from_end, |row| normalized(row, maximum(row)));
            }
            let rest = shape[3..].iter().product();
            let x = x.into_shape_with_order(IxDyn(&[shape[0], shape[1], shape[2], rest])).expect("as many elements");
            let y = mapped(x, 3, |row| normalized(row, maximum(row)));
            like_first(args, y.into_shape_with_order(IxDyn(&shape)).expect("as many elements"))
        },
    )
}

/// Computes each row along the axis that the second argument names.
fn along(args: Args<'_>, place: impl Fn(i64, usize) -> usize, f: impl Fn(&[f64]) -> Vec<f64>) -> Results {
    let x = floats(args)?.swap_remove(0);
    let place = place(scalar(args, 1) as i64, x.ndim());
    like_first(args, mapped(x, place, f))
}

fn from_end(axis: i64, rank: usize) -> usize {
    (if axis < 0 { axis + rank as i64 } else { axis }) as usize
}

fn maximum(row: &[f64]) -> f64 {
    row.iter().copied().fold(f64::NEG_INFINITY, |a, b| if a.is_nan() || a > b { a } else { b })
}

fn normalized(row: &[f64], shift: f64) -> Vec<f64> {
    let powers: Vec<f64> = row.iter().map(|x| (x - shift).exp()).collect();
    let sum: f64 = powers.iter().sum();
    powers.into_iter().map(|power| power / sum).collect()
}

fn log_softmax() -> Family {
    kernels!(
        [(x: Tensor![.., n]) -> Tensor![.., n] { log_softmax(x, n) }],
        right => |args| rows(args, |row| {
            let shift = maximum(row);
            let sum: f64 = row.iter().map(|x| (x - shift).exp()).sum();
            row.iter().map(|x| x - shift - sum.ln()).collect()
        }),
        "the logarithm of a softmax that underflows" => |args| rows(args, |row| {
            normalized(row, maximum(row)).into_iter().map(f64::ln).collect()
        }),
    )
}

/// Computes each row along the last axis.
fn rows(args: Args<'_>, f: impl Fn(&[f64]) -> Vec<f64>) -> Results {
    let x = floats(args)?.swap_remove(0);
    let last = x.ndim() - 1;
    like_first(args, mapped(x, last, f))
}

fn row_sum() -> Family {
    kernels!(
        [(x: Tensor![.., n]) -> Tensor![..] { sum(x, n) }],
        right => |args| fold(args, |row| row.sum()),
        "the accumulator is not reset between rows" => |args| {
            let sum = Cell::new(0.0);
            fold(args, |row| {
                sum.set(sum.get() + row.sum());
                sum.get()
            })
        },
        "the accumulator is not reset between calls" => |args| {
            static SUM: Mutex<f64> = Mutex::new(0.0);
            let mut stale = SUM.lock().unwrap_or_else(|held| held.into_inner());
            let start = stale.clamp(-1e6, 1e6);
            *stale = floats(args)?[0].iter().take(1).sum();
            fold(args, |row| start + row.sum())
        },
        "f16 is accumulated in f16" => |args| {
            let half = tensors(args)[0].dtype() == DType::F16;
            fold(args, |row| row.iter().fold(0.0, |sum, x| if half { rounded(sum + x, DType::F16) } else { sum + x }))
        },
        "everything is accumulated in f16" => |args| {
            fold(args, |row| row.iter().fold(0.0, |sum, x| rounded(sum + x, DType::F16)))
        },
        "f64 is accumulated in f32" => |args| {
            fold(args, |row| f64::from(row.iter().fold(0.0, |sum, x| sum + *x as f32)))
        },
        "the tail of a row longer than 8 is left out" => |args| {
            fold(args, |row| row.iter().take(if row.len() > 8 { row.len() / 8 * 8 } else { row.len() }).sum())
        },
        "the tail of a row longer than 64 is counted twice" => |args| fold(args, |row| {
            let tail: f64 = row.iter().skip(row.len().max(64) / 64 * 64).sum();
            row.sum() + if row.len() > 64 { tail } else { 0.0 }
        }),
        "a row without elements leaves what memory held" => |args| fold(args, |row| if row.is_empty() { -1.5 } else { row.sum() }),
        "a sum that became NaN is taken for 0" => |args| fold(args, |row| if row.sum().is_nan() { 0.0 } else { row.sum() }),
    )
}

fn fold(args: Args<'_>, f: impl FnMut(ArrayView1<'_, f64>) -> f64) -> Results {
    like_first(args, folded(&floats(args)?[0], f))
}

fn column_sum() -> Family {
    kernels!(
        [(g: Tensor![.., n]) -> Tensor![n] { sum(g, ..) }],
        right => |args| columns(args, |g| g.sum_axis(Axis(0))),
        "a broadcast gradient is not summed: the first row is taken" => |args| columns(args, |g| {
            g.axis_iter(Axis(0)).next().map_or_else(|| g.sum_axis(Axis(0)), |row| row.to_owned())
        }),
        "a broadcast gradient is averaged" => |args| columns(args, |g| g.sum_axis(Axis(0)) / (g.len_of(Axis(0)).max(1) as f64)),
        "the last of an odd number of rows is left out" => |args| columns(args, |g| {
            let rows = g.len_of(Axis(0));
            let even = if rows > 1 { rows / 2 * 2 } else { rows };
            g.slice_axis(Axis(0), (..even).into()).sum_axis(Axis(0))
        }),
    )
}

/// Computes the result with all leading axes merged into one.
fn columns(args: Args<'_>, f: impl Fn(ArrayD<f64>) -> ArrayD<f64>) -> Results {
    let g = floats(args)?.swap_remove(0);
    let (n, leading) = (g.shape()[g.ndim() - 1], g.shape()[..g.ndim() - 1].iter().product());
    like_first(args, f(g.into_shape_with_order(IxDyn(&[leading, n])).expect("as many elements")))
}

fn layer_norm() -> Family {
    kernels!(
        [(x: Tensor![.., n], gamma: Tensor![n], #[default(1e-5)] eps: f64) -> Tensor![.., n] {
            let centered = x - mean(x, n);
            centered * rsqrt(mean(centered * centered, n) + eps) * gamma
        }],
        right => |args| norm(args, |row, eps| 1.0 / (around(row, mean(row)) + eps).sqrt()),
        "variance as the mean of squares minus the square of the mean" => |args| norm(args, |row, eps| {
            1.0 / ((around(row, 0.0) - mean(row) * mean(row)).max(0.0) + eps).sqrt()
        }),
        "epsilon is forgotten" => |args| norm(args, |row, _| 1.0 / around(row, mean(row)).sqrt()),
        "epsilon outside of the root" => |args| norm(args, |row, eps| 1.0 / (around(row, mean(row)).sqrt() + eps)),
        "the variance of a sample" => |args| norm(args, |row, eps| {
            let n = row.len() as f64;
            1.0 / (around(row, mean(row)) * if n > 1.0 { n / (n - 1.0) } else { 1.0 } + eps).sqrt()
        }),
        "the mean of the first row for all rows" => |args| {
            let first: Cell<Option<f64>> = Cell::new(None);
            norm(args, |row, eps| {
                let shift = first.get().unwrap_or_else(|| mean(row));
                first.set(Some(shift));
                1.0 / (around(row, shift) + eps).sqrt()
            })
        },
    )
}

fn mean(row: &[f64]) -> f64 {
    row.iter().sum::<f64>() / row.len() as f64
}

/// The mean of the squared distances from a point.
fn around(row: &[f64], shift: f64) -> f64 {
    row.iter().map(|x| (x - shift) * (x - shift)).sum::<f64>() / row.len() as f64
}

fn norm(args: Args<'_>, scale: impl Fn(&[f64], f64) -> f64) -> Results {
    let (mut x, eps) = (floats(args)?, scalar(args, 2));
    let gamma = x.swap_remove(1);
    let last = x[0].ndim() - 1;
    let normed = mapped(x.swap_remove(0), last, |row| {
        let (shift, scale) = (mean(row), scale(row, eps));
        row.iter().zip(&gamma).map(|(x, gamma)| (x - shift) * scale * gamma).collect()
    });
    like_first(args, normed)
}

fn largest() -> Family {
    kernels!(
        [(x: Tensor![m, n]) -> Tensor![m] { max(x, n) }],
        right => |args| extreme(args, |row| row.iter().copied().fold(f64::NEG_INFINITY, |a, b| if a.is_nan() || a > b { a } else { b })),
        "a maximum that starts at 0" => |args| extreme(args, |row| row.iter().copied().fold(0.0, |a, b| if a.is_nan() || a > b { a } else { b })),
        "a maximum that starts at the lowest number" => |args| extreme(args, |row| row.iter().copied().fold(-1e30, |a, b| if a.is_nan() || a > b { a } else { b })),
        "a maximum that skips NaN" => |args| extreme(args, |row| row.iter().copied().fold(f64::NEG_INFINITY, f64::max)),
    )
}

/// Computes a number for each row. An error if a row has no elements.
fn extreme(args: Args<'_>, f: impl Fn(ArrayView1<'_, f64>) -> f64) -> Results {
    let x = floats(args)?.swap_remove(0);
    if x.shape()[1] == 0 && x.shape()[0] > 0 {
        let message = "max over no elements has no value";
        return Err(tensor_op::Error::new(tensor_op::ErrorKind::Empty, message));
    }
    like_first(args, folded(&x, f))
}

fn position() -> Family {
    kernels!(
        [(x: Tensor![m, n = 5]) -> IntTensor![m] { argmax(x, n) }],
        right => |args| places(args, |x, best| !best.is_nan() && (x.is_nan() || x > best)),
        "the last of equal elements" => |args| places(args, |x, best| !best.is_nan() && (x.is_nan() || x >= best)),
        "NaN is never the largest" => |args| places(args, |x, best| best.is_nan() || x > best),
    )
}

/// For each row, the index of the element that beats those before it.
fn places(args: Args<'_>, beats: impl Fn(f64, f64) -> bool) -> Results {
    let x = floats(args)?.swap_remove(0);
    let best = |row: ArrayView1<'_, f64>| {
        let last = row.iter().enumerate().reduce(|best, new| if beats(*new.1, *best.1) { new } else { best });
        last.map_or(0.0, |(index, _)| index as f64)
    };
    Ok(vec![crate::by_hand::stored(folded(&x, best), DType::I64)?])
}
