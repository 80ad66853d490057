//! What each op does to a telling input, as a picture.

mod numbers;
mod plane;
mod tokens;

pub(crate) use numbers::*;
pub(crate) use plane::*;
pub(crate) use tokens::*;

use crate::draw::{COLOURS, Mark, Point, Series};
use tensor_op::Generator;
use tensor_op::prelude::*;

/// A tensor of these numbers.
fn tensor(values: Vec<f64>, shape: &[usize]) -> Result<Tensor> {
    Tensor::from_vec(values, shape, &Device::default())
}

/// Normal numbers, the same for each seed.
fn normal(seed: u64, shape: &[usize]) -> Result<Tensor> {
    Generator::new(seed).normal(shape, 0.0, 1.0, DType::F64, &Device::default())
}

/// Numbers from `low` to `high` with equal distances.
fn span(low: f64, high: f64, count: usize) -> Vec<f64> {
    let step = (high - low) / (count - 1) as f64;
    (0..count).map(|i| low + i as f64 * step).collect()
}

/// A curve in the colour of its place.
fn curve(place: usize, name: impl Into<String>, x: &[f64], y: &[f64]) -> Series {
    let points = x.iter().zip(y).map(|(x, y)| [*x, *y]).collect();
    Series { name: name.into(), colour: COLOURS[place % COLOURS.len()], mark: Mark::Line, points }
}

/// Points without a name.
fn dots(colour: &'static str, radius: f64, points: Vec<Point>) -> Series {
    Series { name: String::new(), colour, mark: Mark::Dots { radius }, points }
}
