//! The derived gradient against differences along a random direction, as the generated tests take them, at
//! points that are away from kinks.

use crate::Dot;
use crate::case::Outcome;
use std::collections::BTreeMap;
use tensor_op_core::{DType, Detached, TensorData, Value, evaluate_known, interpret};
use tensor_op_spec::grad::without_given;
use tensor_op_spec::ir::{ArgType, Graph, Kind};
use tensor_op_testing::bound::{Moved, Moving, Rounding};
use tensor_op_testing::bounded_gradient;
use tensor_op_testing::sample::{floats, is_smooth};
use tensor_op_testing::slope::{Slope, step};

/// What differences say of a gradient.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// They agree.
    Right,
    /// They can't be trusted at this point.
    Unknown,
    /// They have a value and the gradient is NaN, as it is by convention where a singular point is met whose
    /// effect is undone later: `square(sqrt(0))`, a root in the branch that is not chosen.
    Singular,
}

/// `Err` if differences can be trusted and the gradient is another.
pub(crate) fn check(
    source: &Graph,
    derived: &Graph,
    args: &[Value<TensorData>],
    seed: u64,
) -> Outcome<Verdict> {
    let told = |error: tensor_op_core::Error| error.to_string();
    let plain = without_given(source);
    if !matches!(is_smooth(&plain, args), Ok(Ok(_))) {
        return Ok(Verdict::Unknown);
    }
    let along = direction(source, args, seed)?;
    let weights = weights(&interpret(source, args).map_err(told)?, seed)?;
    let detached = Detached::new(&plain, args).map_err(told)?;
    let at = |offset: f64| {
        evaluate_known(&plain, args, &Moving::default(), &detached, &moved(args, &along, offset))
    };
    let slope = Slope::of(step(1.0), &weights, at).map_err(told)?;
    let gradients =
        bounded_gradient(source, derived, args, &weights, &Rounding::new(DType::F64)).map_err(told)?;
    let Dot { sum: found, error } = Dot::along(derived, &gradients, &along)?;
    let bound = slope.error + 2.0 * error;
    if found.is_nan() && slope.error.is_finite() {
        return Ok(Verdict::Singular);
    }
    let distance = (found - slope.value).abs();
    let size = found.abs().max(slope.value.abs());
    if !bound.is_finite() || (bound > size && distance <= bound) {
        return Ok(Verdict::Unknown);
    }
    if distance <= bound {
        return Ok(Verdict::Right);
    }
    Err(format!(
        "the gradient gives a slope of {found}, differences {slope:?}; the bound is {bound}\n{derived}"
    ))
}

/// A direction for each float tensor that has a gradient.
pub(crate) fn direction(
    source: &Graph,
    args: &[Value<TensorData>],
    seed: u64,
) -> Outcome<Vec<Option<TensorData>>> {
    let of = |(index, (arg, value)): (usize, (&tensor_op_spec::ir::Arg, &Value<TensorData>))| match (
        &arg.ty, value,
    ) {
        (ArgType::Tensor { kind: Kind::Float, no_grad: false, .. }, Value::Tensor(data)) => {
            let along = floats(data.shape(), &[seed, 1000 + index as u64]);
            along.map(Some).map_err(|error| error.to_string())
        }
        _ => Ok(None),
    };
    source.args.iter().zip(args).enumerate().map(of).collect()
}

/// Arguments that are moved in their directions, which are no longer than [`step`] allows.
fn moved(
    args: &[Value<TensorData>],
    along: &[Option<TensorData>],
    offset: f64,
) -> BTreeMap<usize, Vec<Moved>> {
    let of = |(index, (arg, along)): (usize, (&Value<TensorData>, &Option<TensorData>))| {
        let (x, along) = (arg.tensor()?.as_slice::<f64>().ok()?, along.as_ref()?.as_slice::<f64>().ok()?);
        Some((index, x.iter().zip(along).map(|(x, along)| Moved::by(*x, offset * along)).collect()))
    };
    args.iter().zip(along).enumerate().filter_map(of).collect()
}

/// Weights of the float results.
fn weights(results: &[TensorData], seed: u64) -> Outcome<Vec<Option<TensorData>>> {
    let of = |(k, data): (usize, &TensorData)| match data.dtype().kind() {
        Kind::Float => floats(data.shape(), &[seed, k as u64]).map(Some).map_err(|error| error.to_string()),
        Kind::Int | Kind::Bool => Ok(None),
    };
    results.iter().enumerate().map(of).collect()
}
