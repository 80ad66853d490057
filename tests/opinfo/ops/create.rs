//! Tensors that are made of numbers: ranges and windows.

use super::Entry;
use crate::call::{Call, Outcome};
use tensor_op::prelude::*;

/// Counts from both ends, so that the last element is exactly the end.
#[tensor_op(tests = false)]
fn between(place: Tensor![n], start: f64, end: f64, steps: f64) -> Tensor![n] {
    let step = (end - start) / maximum(steps - 1.0, 1.0);
    select(place < steps / 2.0, start + step * place, end - step * (steps - 1.0 - place))
}

/// `a - b cos + c cos` over a period.
#[tensor_op(tests = false)]
fn cosines(place: Tensor![n], period: f64, a: f64, b: f64, c: f64) -> Tensor![n] {
    let angle = 2.0 * PI * place / period;
    a - b * cos(angle) + c * cos(2.0 * angle)
}

#[tensor_op(tests = false)]
fn half_sine(place: Tensor![n], period: f64) -> Tensor![n] {
    sin(PI * (place + 0.5) / period)
}

#[tensor_op(tests = false)]
fn bell(place: Tensor![n], center: f64, deviation: f64) -> Tensor![n] {
    exp(-0.5 * square((place - center) / deviation))
}

fn counted(count: f64) -> Result<Tensor> {
    Tensor::arange(0.0, count, 1.0, &Device::default())
}

/// `arange(end)` or `arange(start, end, step)`. Whole numbers give ints, unless `dtype` says otherwise.
fn arange(call: &Call) -> Outcome {
    let number = |place| call.number(place, "").map(|number| number.unwrap_or_default());
    let end = call.number(1, "end")?;
    let (start, end) = if let Some(end) = end { (number(0)?, end) } else { (0.0, number(0)?) };
    let values = Tensor::arange(start, end, call.number(2, "step")?.unwrap_or(1.0), &Device::default())?;
    let whole = (0..3).all(|place| call.int(place, ["", "end", "step"][place]).is_ok());
    let typed = matches!(call.get(usize::MAX, "dtype"), crate::call::Argument::Python(_));
    Ok(vec![if whole && !typed { values.cast(DType::I64)? } else { values }])
}

fn linspace(call: &Call) -> Outcome {
    let number = |place, name| call.number(place, name).map(|number| number.unwrap_or_default());
    let steps = number(2, "steps")?;
    Ok(vec![between(counted(steps)?, number(0, "start")?, number(1, "end")?, steps)?])
}

fn eye(call: &Call) -> Outcome {
    let rows = call.int(0, "n")?.unwrap_or(0);
    let columns = call.int(1, "m")?.unwrap_or(rows);
    let square = Tensor::eye(rows.max(columns) as usize, DType::F64, &Device::default())?;
    Ok(vec![square.slice(0, ..rows)?.slice(1, ..columns)?])
}

/// A window with this many elements. A periodic window leaves out the last element of its period. A single
/// element is 1.
fn window(call: &Call, shape: impl Fn(Tensor, f64) -> Result<Tensor>) -> Outcome {
    let count = call.number(0, "M")?.unwrap_or_default();
    let places = counted(count)?;
    if count <= 1.0 {
        return Ok(vec![Tensor::ones(places.shape(), DType::F64, &places.device())?]);
    }
    let periodic = !call.flag(usize::MAX, "sym", true)?;
    Ok(vec![shape(places, if periodic { count + 1.0 } else { count })?])
}

fn gaussian(call: &Call) -> Outcome {
    let deviation = call.number(usize::MAX, "std")?.unwrap_or(1.0);
    window(call, |places, count| bell(places, (count - 1.0) / 2.0, deviation))
}

pub(super) fn table() -> Vec<Entry> {
    vec![
        Entry::new("arange", arange),
        Entry::new("eye", eye),
        Entry::new("linspace", linspace),
        Entry::new("linspace tensor_overload", linspace),
        Entry::new("signal.windows.blackman", |call| {
            window(call, |x, count| cosines(x, count - 1.0, 0.42, 0.5, 0.08))
        }),
        Entry::new("signal.windows.cosine", |call| window(call, half_sine)),
        Entry::new("signal.windows.gaussian", gaussian),
        Entry::new("signal.windows.hamming", |call| {
            window(call, |x, count| cosines(x, count - 1.0, 0.54, 0.46, 0.0))
        }),
        Entry::new("signal.windows.hann", |call| {
            window(call, |x, count| cosines(x, count - 1.0, 0.5, 0.5, 0.0))
        }),
    ]
}
