//! Tensors that are made of numbers: ranges and windows.

use super::Entry;
use crate::call::{Call, Outcome};
use tensor_op::catalogue::windows;
use tensor_op::prelude::*;

/// Counts from both ends, so that the last element is exactly the end.
#[tensor_op(tests = false)]
fn between(place: Tensor![n], start: f64, end: f64, steps: f64) -> Tensor![n] {
    let step = (end - start) / maximum(steps - 1.0, 1.0);
    select(place < steps / 2.0, start + step * place, end - step * (steps - 1.0 - place))
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

/// A window with this many elements. A periodic window leaves out the last element of its period.
fn window(call: &Call, shape: impl Fn(usize, bool) -> Result<Tensor>) -> Outcome {
    let count = call.int(0, "M")?.unwrap_or_default() as usize;
    Ok(vec![shape(count, call.flag(usize::MAX, "sym", true)?)?])
}

fn bell(call: &Call) -> Outcome {
    let deviation = call.number(usize::MAX, "std")?;
    window(call, |count, sym| windows::gaussian(count, deviation, sym, DType::F64, &Device::default()))
}

pub(super) fn table() -> Vec<Entry> {
    vec![
        Entry::new("arange", arange),
        Entry::new("eye", eye),
        Entry::new("linspace", linspace),
        Entry::new("linspace tensor_overload", linspace),
        Entry::new("signal.windows.blackman", |call| {
            window(call, |count, sym| windows::blackman_window(count, !sym, DType::F64, &Device::default()))
        }),
        Entry::new("signal.windows.cosine", |call| {
            window(call, |count, sym| windows::cosine(count, sym, DType::F64, &Device::default()))
        }),
        Entry::new("signal.windows.gaussian", bell),
        Entry::new("signal.windows.hamming", |call| {
            window(call, |count, sym| {
                windows::hamming_window(count, !sym, None, None, DType::F64, &Device::default())
            })
        }),
        Entry::new("signal.windows.hann", |call| {
            window(call, |count, sym| windows::hann_window(count, !sym, DType::F64, &Device::default()))
        }),
    ]
}
