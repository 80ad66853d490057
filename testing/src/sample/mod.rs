//! Makes arguments for any op from its graph: sizes for its dims, and values in the domain of its formula.
//!
//! ```text
//! plan, strategy, shrink   sizes and choices of a case, and smaller ones
//! sizes                    the sizes that claims run at
//! fit                      sizes under which computed indices are in range
//! attempt                  what is tried one after the other
//! domain, preimage         where arguments may lie
//! literals, scalars        numbers that the formula names
//! values                   the elements
//! smooth                   whether differences see the derivative at a point
//! special, derived         special values; arguments of gradients
//! ```

mod attempt;
mod derived;
mod domain;
mod fit;
mod literals;
mod plan;
mod preimage;
mod scalars;
mod shrink;
pub(crate) mod sizes;
mod smooth;
pub(crate) mod special;
mod strategy;
mod values;

pub use derived::{backward_args, convert};
pub(crate) use fit::fit;
pub(crate) use literals::literals;
pub(crate) use plan::axes_text;
pub use plan::{Described, SamplePlan, Spread};
pub(crate) use shrink::Shrinking;
pub use smooth::is_smooth;
pub(crate) use strategy::Plans;

use crate::random::Random;
use attempt::Attempt;
use tensor_op_core::{DType, Error, ErrorKind, Result, TensorData, Value, interpret};
use tensor_op_spec::ir::{Graph, Kind};

/// What a point is used for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Point {
    /// To compare values: as few results as possible are NaN or infinite.
    Ordinary,
    /// To take differences: no value is close to a kink or a singular point.
    Smooth,
}

/// How many ordinary points are tried. The best one is taken.
const TRIES: u64 = 12;
/// How many smooth points are tried. They are rarer.
const SMOOTH_TRIES: u64 = 90;
/// How many of these points are tried to find one with finite results.
const FINITE_TRIES: u64 = 24;

/// Arguments for a plan, on the host: floats in f64, ints in i64. An `Err` if the op refuses the plan, or if
/// no smooth point was found.
pub fn sample(graph: &Graph, plan: &SamplePlan, point: Point) -> Result<Vec<Value<TensorData>>> {
    plan.check(graph)?;
    match point {
        Point::Ordinary => ordinary(graph, plan),
        Point::Smooth => smooth_point(graph, plan),
    }
}

/// Arguments for a plan, as they are stored in a dtype: positive floats if the formula allows them.
pub(crate) fn any(graph: &Graph, plan: &SamplePlan, dtype: DType) -> Result<Vec<Value<TensorData>>> {
    plan.check(graph)?;
    let args = values::values(graph, plan, &Attempt::positive(graph))?;
    Ok(args.into_iter().map(|arg| arg.map(|data| convert(data, dtype))).collect())
}

fn ordinary(graph: &Graph, plan: &SamplePlan) -> Result<Vec<Value<TensorData>>> {
    let mut best: Option<(usize, Vec<Value<TensorData>>)> = None;
    let mut refused = None;
    for number in 0..TRIES {
        let attempt = Attempt::of(graph, plan, Point::Ordinary, number, TRIES);
        let args = values::values(graph, plan, &attempt)?;
        let bad = match interpret(graph, &args) {
            Ok(results) => results.iter().map(not_finite).sum(),
            Err(error) => {
                refused = Some(error);
                continue;
            }
        };
        if best.as_ref().is_none_or(|(other, _)| bad < *other) {
            best = Some((bad, args));
        }
        if bad == 0 {
            break;
        }
    }
    best.map(|(_, args)| args).ok_or_else(|| refused.unwrap_or_else(|| no_point(graph, "")))
}

fn smooth_point(graph: &Graph, plan: &SamplePlan) -> Result<Vec<Value<TensorData>>> {
    let mut why = String::new();
    let mut infinite = None;
    for number in 0..SMOOTH_TRIES {
        let attempt = Attempt::of(graph, plan, Point::Smooth, number, SMOOTH_TRIES);
        let args = values::values(graph, plan, &attempt)?;
        match smooth::is_smooth(graph, &args) {
            Ok(Ok(true)) => return Ok(args),
            // A mask is infinite on purpose, but an overflow is not. So finite results are tried for first.
            Ok(Ok(false)) if number < FINITE_TRIES => infinite = infinite.or(Some(args)),
            Ok(Ok(false)) => return Ok(infinite.unwrap_or(args)),
            Ok(Err(close)) => why = close,
            Err(error) => why = error.to_string(),
        }
    }
    if let Some(args) = infinite {
        return Ok(args);
    }
    let message =
        format!("of {SMOOTH_TRIES} points, none is away from kinks and singular points; the last met {why}");
    Err(no_point(graph, &message))
}

fn no_point(graph: &Graph, message: &str) -> Error {
    Error::new(ErrorKind::Unsupported, message).with_op(&graph.name)
}

fn not_finite(data: &TensorData) -> usize {
    match data.as_slice::<f64>() {
        Ok(values) => values.iter().filter(|x| !x.is_finite()).count(),
        Err(_) => 0,
    }
}

/// Random floats of a shape, for gradients of results.
pub fn floats(shape: &tensor_op_core::Shape, seed: &[u64]) -> Result<TensorData> {
    let mut random = Random::new(seed);
    let count = shape.elements()?;
    TensorData::new((0..count).map(|_| values::float((-1.5, 1.5), 12, &mut random)).collect(), shape)
}

/// Whether the values are floats.
pub(crate) fn is_float(data: &TensorData) -> bool {
    data.dtype().kind() == Kind::Float
}
