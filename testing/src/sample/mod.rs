//! Arguments for any op, from its graph: sizes for its dims, and values in the domain of its formula.

mod derived;
mod plan;
mod smooth;
pub(crate) mod special;
mod strategy;
mod values;

pub use derived::{backward_args, convert};
pub use plan::{Described, Plan, Spread};
pub(crate) use strategy::plans;

use crate::random::Random;
use tensor_op_core::{DType, Error, ErrorKind, Result, TensorData, Value, interpret};
use tensor_op_spec::ir::{Graph, Kind};

/// What a point must be good for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Point {
    /// For comparing values: as few results as can be are NaN or infinite.
    Ordinary,
    /// For differences: no value is close to a kink or a singular point.
    Smooth,
}

/// The scale of positive numbers.
const POSITIVE: usize = 1;
/// Ordinary points of so many scales are tried, of which the best is taken.
const TRIES: u64 = 12;
/// Smooth points are rarer.
const SMOOTH_TRIES: u64 = 300;

/// Arguments for a plan, on the host: floats in f64, ints in i64. An `Err` if the op refuses the plan, or if no smooth point was found.
pub fn sample(graph: &Graph, plan: &Plan, point: Point) -> Result<Vec<Value<TensorData>>> {
    plan.check(graph)?;
    match point {
        Point::Ordinary => ordinary(graph, plan),
        Point::Smooth => smooth_point(graph, plan),
    }
}

/// Arguments for a plan as they are stored in a dtype: positive floats, and no look at what the op makes of them.
pub(crate) fn any(graph: &Graph, plan: &Plan, dtype: DType) -> Result<Vec<Value<TensorData>>> {
    plan.check(graph)?;
    let args = values::values(graph, plan, &vec![POSITIVE; graph.args.len()], 0)?;
    Ok(args.into_iter().map(|arg| arg.map(|data| convert(data, dtype))).collect())
}

fn ordinary(graph: &Graph, plan: &Plan) -> Result<Vec<Value<TensorData>>> {
    let mut best: Option<(usize, Vec<Value<TensorData>>)> = None;
    let mut refused = None;
    for attempt in 0..TRIES {
        let args = values::values(graph, plan, &scales(graph, plan, attempt), attempt)?;
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

fn smooth_point(graph: &Graph, plan: &Plan) -> Result<Vec<Value<TensorData>>> {
    let mut why = String::new();
    for attempt in 0..SMOOTH_TRIES {
        let args = values::values(graph, plan, &scales(graph, plan, attempt), attempt)?;
        match smooth::is_smooth(graph, &args)? {
            Ok(()) => return Ok(args),
            Err(close) => why = close,
        }
    }
    let message =
        format!("of {SMOOTH_TRIES} points, none is away from kinks and singular points; the last met {why}");
    Err(no_point(graph, &message))
}

fn no_point(graph: &Graph, message: &str) -> Error {
    Error::new(ErrorKind::Unsupported, message).with_op(&graph.name)
}

/// The scale of each argument: first one for all of them, each scale in turn, then any.
fn scales(graph: &Graph, plan: &Plan, attempt: u64) -> Vec<usize> {
    let count = values::SCALES.len() as u64;
    let mut random = Random::new(&[plan.seed, attempt]);
    let mut scale = || if attempt < count { attempt } else { random.below(count) };
    graph.args.iter().map(|_| scale() as usize).collect()
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

/// Whether values are of kind float.
pub(crate) fn is_float(data: &TensorData) -> bool {
    data.dtype().kind() == Kind::Float
}
