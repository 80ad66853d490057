//! Faults that begin at some size, most of them in only one path or one dtype: whole vectors and their tails,
//! rows of many elements.

use crate::by_hand::{Args, Results, floats, folded, like_first, mapped, rounded, stored, tensors, unary};
use crate::family::{Family, kernels};
use ndarray::{ArrayView1, Axis};
use tensor_op::DType;

pub(crate) fn families() -> Vec<Family> {
    vec![
        flat(),
        sum(),
        mean(),
        squares(),
        relu(),
        exponential(),
        magnitude(),
        largest(),
        position(),
        softmax(),
    ]
}

fn flat() -> Family {
    kernels!(
        [(x: Tensor![..]) -> Tensor { x + x }],
        right => |args| unary(args, |x| x + x),
        "of more than 200 f64 what remains after blocks of 16 is left out" => |args| unfinished(args, DType::F64),
        "of more than 200 f16 what remains after blocks of 16 is left out" => |args| unfinished(args, DType::F16),
        "of more than 200 bf16 what remains after blocks of 16 is left out" => |args| unfinished(args, DType::BF16),
        "a NaN of bf16 becomes infinity" => |args| {
            let is_cut = tensors(args)[0].dtype() == DType::BF16;
            unary(args, |x| if is_cut && x.is_nan() { f64::INFINITY } else { x + x })
        },
        "an infinity of bf16 becomes a large number" => |args| {
            let is_cut = tensors(args)[0].dtype() == DType::BF16;
            unary(args, |x| if is_cut && x.is_infinite() { x.signum() * 3e38 } else { x + x })
        },
    )
}

/// Stops after the last whole block of 16, in one dtype and with many elements only.
fn unfinished(args: Args<'_>, of: DType) -> Results {
    let mut result = floats(args)?.swap_remove(0).mapv_into(|x| x + x);
    let is_cut = tensors(args)[0].dtype() == of && result.len() > 200;
    let end = if is_cut { result.len() / 16 * 16 } else { result.len() };
    result.iter_mut().skip(end).for_each(|x| *x = 0.0);
    like_first(args, result)
}

fn sum() -> Family {
    kernels!(
        [(x: Tensor![.., n]) -> Tensor![..] { sum(x, n) }],
        right => |args| fold(args, |row| row.sum()),
        "the last element of a tail of 31 behind blocks of 32 is left out" => |args| fold(args, |row| {
            let end = if row.len() % 32 == 31 { row.len() - 1 } else { row.len() };
            row.split_at(Axis(0), end).0.sum()
        }),
        "the last element of a row longer than 4096 is left out" => |args| fold(args, |row| part(row, |len| len - 1).sum()),
        "the last 16 elements of a row longer than 4096 are left out" => |args| fold(args, |row| part(row, |len| len - 16).sum()),
        "what remains after blocks of 4096 is left out" => |args| fold(args, |row| part(row, |len| len / 4096 * 4096).sum()),
        "f64 is accumulated in f32 in a row longer than 16" => |args| fold(args, |row| in_parts(row, DType::F32)),
        "f16 is accumulated in f16 in a row longer than 16" => |args| match tensors(args)[0].dtype() {
            DType::F16 => fold(args, |row| in_parts(row, DType::F16)),
            _ => fold(args, |row| row.sum()),
        },
    )
}

/// A row of more than 4096 elements up to `end`. Shorter rows are complete.
fn part(row: ArrayView1<'_, f64>, end: fn(usize) -> usize) -> ArrayView1<'_, f64> {
    let end = if row.len() > 4096 { end(row.len()) } else { row.len() };
    row.split_at(Axis(0), end).0
}

/// The sum of a row of more than 16 elements, rounded to a dtype at each step.
fn in_parts(row: ArrayView1<'_, f64>, dtype: DType) -> f64 {
    if row.len() > 16 { row.iter().fold(0.0, |sum, x| rounded(sum + x, dtype)) } else { row.sum() }
}

fn fold(args: Args<'_>, f: impl FnMut(ArrayView1<'_, f64>) -> f64) -> Results {
    like_first(args, folded(&floats(args)?[0], f))
}

fn mean() -> Family {
    kernels!(
        [(x: Tensor![.., n]) -> Tensor![..] { mean(x, n) }],
        right => |args| fold(args, |row| row.sum() / row.len() as f64),
        "the mean of more than 4096 is divided by one less" => |args| fold(args, |row| {
            row.sum() / (row.len() - usize::from(row.len() > 4096)) as f64
        }),
    )
}

fn squares() -> Family {
    kernels!(
        [(x: Tensor![.., n]) -> Tensor![..] { sum(x * x, n) }],
        right => |args| fold(args, |row| row.dot(&row)),
        "the last square of more than 4096 is left out" => |args| fold(args, |row| {
            let row = part(row, |len| len - 1);
            row.dot(&row)
        }),
    )
}

fn relu() -> Family {
    kernels!(
        [(x: Tensor) -> Tensor { relu(x) }],
        right => |args| unary(args, rectified),
        "NaN becomes 0 in whole vectors of 8" => |args| in_vectors(args, |x| x.max(0.0), rectified),
        "NaN becomes 0 behind whole vectors of 8" => |args| in_vectors(args, rectified, |x| x.max(0.0)),
    )
}

fn rectified(x: f64) -> f64 {
    if x <= 0.0 { 0.0 } else { x }
}

fn exponential() -> Family {
    kernels!(
        [(x: Tensor) -> Tensor { exp(x) }],
        right => |args| unary(args, f64::exp),
        "an exponential of f64 is rounded otherwise in whole vectors of 8" => |args| match tensors(args)[0].dtype() {
            DType::F64 => in_vectors(args, |x| x.exp().next_up(), f64::exp),
            _ => unary(args, f64::exp),
        },
    )
}

fn magnitude() -> Family {
    kernels!(
        [(x: Tensor) -> Tensor { abs(x) }],
        right => |args| unary(args, f64::abs),
        "infinity becomes 0 in whole vectors of 8" => |args| in_vectors(args, |x| if x.is_infinite() { 0.0 } else { x.abs() }, f64::abs),
    )
}

/// Uses one function in whole vectors of 8, and another function in the tail.
fn in_vectors(args: Args<'_>, vector: fn(f64) -> f64, tail: fn(f64) -> f64) -> Results {
    let mut x = floats(args)?.swap_remove(0);
    let whole = x.len() / 8 * 8;
    x.iter_mut().enumerate().for_each(|(at, x)| *x = if at < whole { vector(*x) } else { tail(*x) });
    like_first(args, x)
}

fn largest() -> Family {
    kernels!(
        [(x: Tensor![m, n]) -> Tensor![m] { max(x, n) }],
        right => |args| extreme(args, maximum),
        "a maximum of more than 16 skips NaN" => |args| extreme(args, |row| {
            if row.len() > 16 { row.iter().copied().fold(f64::NEG_INFINITY, f64::max) } else { maximum(row) }
        }),
    )
}

/// Computes a number for each row. An error if a row has no elements.
fn extreme(args: Args<'_>, f: impl Fn(&[f64]) -> f64) -> Results {
    let x = floats(args)?.swap_remove(0);
    if x.shape()[1] == 0 && x.shape()[0] > 0 {
        let message = "max over no elements has no value";
        return Err(tensor_op::Error::new(tensor_op::ErrorKind::Empty, message));
    }
    like_first(args, folded(&x, |row| f(&row.to_vec())))
}

fn maximum(row: &[f64]) -> f64 {
    row.iter().copied().fold(f64::NEG_INFINITY, |a, b| if a.is_nan() || a > b { a } else { b })
}

fn position() -> Family {
    kernels!(
        [(x: Tensor![m, n]) -> IntTensor![m] { argmax(x, n) }],
        right => |args| places(args, |x, best, _| x > best),
        "the last of equal elements of 8 or more" => |args| places(args, |x, best, len| x > best || len >= 8 && x == best),
    )
}

/// For each row, the index of the element that beats those before it. A NaN beats all other elements, and
/// nothing beats a NaN.
fn places(args: Args<'_>, beats: impl Fn(f64, f64, usize) -> bool) -> Results {
    let x = floats(args)?.swap_remove(0);
    if x.shape()[1] == 0 && x.shape()[0] > 0 {
        let message = "argmax over no elements has no value";
        return Err(tensor_op::Error::new(tensor_op::ErrorKind::Empty, message));
    }
    let best = |row: ArrayView1<'_, f64>| {
        let better = |best: (usize, &f64), new: (usize, &f64)| {
            !best.1.is_nan() && (new.1.is_nan() || beats(*new.1, *best.1, row.len()))
        };
        let last = row.iter().enumerate().reduce(|best, new| if better(best, new) { new } else { best });
        last.map_or(0.0, |(index, _)| index as f64)
    };
    Ok(vec![stored(folded(&x, best), DType::I64)?])
}

fn softmax() -> Family {
    kernels!(
        [(x: Tensor![.., n]) -> Tensor![.., n] { softmax(x, n) }],
        right => |args| normalized(args, maximum),
        "softmax of 8 or more without subtracting the maximum" => |args| normalized(args, |row| if row.len() < 8 { maximum(row) } else { 0.0 }),
    )
}

/// Normalizes each row of the last axis.
fn normalized(args: Args<'_>, shift: impl Fn(&[f64]) -> f64) -> Results {
    let x = floats(args)?.swap_remove(0);
    let last = x.ndim() - 1;
    let f = |row: &[f64]| {
        let shift = shift(row);
        let powers: Vec<f64> = row.iter().map(|x| (x - shift).exp()).collect();
        let sum: f64 = powers.iter().sum();
        powers.into_iter().map(|power| power / sum).collect()
    };
    like_first(args, mapped(x, last, f))
}
