//! The derived gradient against differences, where these can be trusted: away from kinks, where both sides have one slope, and well
//! conditioned, where two steps give one slope and results are not so large that a step is lost in their rounding.

use crate::case::{DTYPE, Outcome, gradient_args};
use tensor_op_core::{Detached, TensorData, Value, interpret, interpret_detached};
use tensor_op_spec::grad::without_given;
use tensor_op_spec::ir::{ArgType, Graph, Kind, Role};
use tensor_op_testing::sample::floats;

const STEP: f64 = 1e-5;

/// What differences say of a gradient.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// They agree.
    Right,
    /// They can't be trusted at this point.
    Unknown,
    /// They have a value and the gradient is NaN, as it is by convention where a singular point is met whose effect is undone later:
    /// `square(sqrt(0))`, a root in the branch that is not chosen.
    Singular,
}

/// `Err` if differences can be trusted and the gradient is another.
pub(crate) fn check(
    source: &Graph,
    derived: &Graph,
    args: &[Value<TensorData>],
    seed: u64,
) -> Outcome<Verdict> {
    let along = direction(source, args, seed)?;
    let plain = without_given(source);
    let detached = Detached::new(&plain, args).map_err(|error| error.to_string())?;
    let value = |offset: f64| -> Outcome<f64> {
        let moved: Vec<Value<TensorData>> =
            args.iter().zip(&along).map(|(arg, along)| shift(arg, along.as_ref(), offset)).collect();
        let results = interpret_detached(&plain, &moved, &detached).map_err(|error| error.to_string())?;
        weigh(&results, seed)
    };
    let mut values = [0.0; 5];
    for (value_at, steps) in values.iter_mut().zip([2.0, 1.0, 0.0, -1.0, -2.0]) {
        // An index that leaves its range makes no difference, but an error.
        let Ok(value) = value(steps * STEP) else { return Ok(Verdict::Unknown) };
        *value_at = value;
    }
    let [far, near, here, back, further] = values;
    let (slope, wide) = ((near - back) / (2.0 * STEP), (far - further) / (4.0 * STEP));
    let (right, left) = ((near - here) / STEP, (here - back) / STEP);
    let scale = slope.abs() + 1.0;
    let is_lost = here.abs() * f64::EPSILON > 1e-5 * STEP * scale;
    let trusted = !is_lost && (slope - wide).abs() <= 1e-6 * scale && (right - left).abs() <= 1e-4 * scale;
    if !trusted {
        return Ok(Verdict::Unknown);
    }
    let found = reverse(source, derived, args, &along, seed)?;
    if found.is_nan() {
        return Ok(Verdict::Singular);
    }
    if (found - slope).abs() <= 1e-4 * scale {
        return Ok(Verdict::Right);
    }
    Err(format!("the gradient gives a slope of {found}, differences {slope} and {wide}\n{derived}"))
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

fn shift(arg: &Value<TensorData>, along: Option<&TensorData>, offset: f64) -> Value<TensorData> {
    let (Value::Tensor(data), Some(along)) = (arg, along) else { return arg.clone() };
    let (x, along) =
        (data.as_slice::<f64>().unwrap_or_default(), along.as_slice::<f64>().unwrap_or_default());
    let moved = x.iter().zip(along).map(|(x, d)| x + offset * d).collect();
    TensorData::new(moved, data.shape().clone()).map_or_else(|_| arg.clone(), Value::Tensor)
}

/// The sum of the float results, weighted as [`backward_args`] weighs them.
fn weigh(results: &[TensorData], seed: u64) -> Outcome<f64> {
    let mut sum = 0.0;
    for (k, result) in results.iter().enumerate().filter(|(_, result)| result.dtype() == DTYPE) {
        let weights = floats(result.shape(), &[seed, k as u64]).map_err(|error| error.to_string())?;
        sum += dot(&weights, result);
    }
    Ok(sum)
}

fn dot(a: &TensorData, b: &TensorData) -> f64 {
    let (a, b) = (a.as_slice::<f64>().unwrap_or_default(), b.as_slice::<f64>().unwrap_or_default());
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// The gradient times the direction.
fn reverse(
    source: &Graph,
    derived: &Graph,
    args: &[Value<TensorData>],
    along: &[Option<TensorData>],
    seed: u64,
) -> Outcome<f64> {
    let given = gradient_args(source, derived, args, seed)?;
    let gradients = interpret(derived, &given).map_err(|error| error.to_string())?;
    let product = |(output, gradient): (&tensor_op_spec::ir::Output, &TensorData)| {
        let Role::Forward(index) = derived.args[output.like?].role else { return None };
        Some(dot(gradient, along[index].as_ref()?))
    };
    Ok(derived.outputs.iter().zip(&gradients).filter_map(product).sum())
}
