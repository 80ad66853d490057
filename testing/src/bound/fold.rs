//! Error bounds of reductions. They hold for any order in which a backend takes the elements.

use super::{Bounded, Rounding, zero};
use tensor_op_core::{Domain, Element, Plain, Result};
use tensor_op_spec::ir::{Kind, Scalar};
use tensor_op_spec::prim::Fold;

pub(super) fn fold(rounding: &Rounding, fold: Fold, elements: Vec<Bounded>, kind: Kind) -> Result<Bounded> {
    let value = Plain.fold(fold, &mut elements.iter().map(|element| element.value), kind)?;
    let free = elements.iter().any(Bounded::is_free);
    let signed = |is_sum: bool, error: f64| {
        if rounding.rounds { zero::fold_error(&elements, value, is_sum, error) } else { error }
    };
    let error = match fold {
        Fold::Any | Fold::All => return Ok(logic(fold, &elements, value)),
        _ if free => f64::INFINITY,
        Fold::ArgMax | Fold::ArgMin if rounding.settled => 0.0,
        Fold::Sum if kind == Kind::Float => signed(true, sum(rounding, &elements, value)),
        Fold::Prod if kind == Kind::Float => product(rounding, &elements),
        Fold::Sum | Fold::Prod => 0.0,
        Fold::Max => signed(false, extreme(&elements, value, 1.0)),
        Fold::Min => signed(false, extreme(&elements, value, -1.0)),
        Fold::ArgMax => position(&elements, value, 1.0),
        Fold::ArgMin => position(&elements, value, -1.0),
    };
    Ok(Bounded { value, error })
}

/// The sum makes n additions. Each is off by at most a unit of its partial sum, and a partial sum is at most
/// the sum of magnitudes (Higham, Accuracy and Stability, 4.2).
fn sum(rounding: &Rounding, elements: &[Bounded], value: Scalar) -> f64 {
    match elements {
        // Without this case the bound would be -0.0, as Rust sums no floats to -0.0. An error of 1 divided by
        // such a bound is -infinity, which would pass.
        [] => return 0.0,
        [single] => return single.error,
        _ => {}
    }
    let errors: f64 = elements.iter().map(|element| element.error).sum();
    let magnitudes: f64 = elements.iter().map(|element| element.value.as_f64().abs()).sum();
    if elements.iter().any(|element| !element.value.as_f64().is_finite()) {
        return if errors == 0.0 { 0.0 } else { f64::INFINITY };
    }
    let unit = rounding.unit();
    let error = errors + elements.len() as f64 * unit * (magnitudes + errors);
    let overflows = magnitudes + error > rounding.format.max || !value.as_f64().is_finite();
    if overflows { f64::INFINITY } else { error }
}

/// The factors are multiplied one after the other. If some order of the factors overflows or leaves the
/// normal numbers, there is no bound.
fn product(rounding: &Rounding, elements: &[Bounded]) -> f64 {
    let values = || elements.iter().map(|element| element.value.as_f64());
    let exact = elements.iter().all(|element| element.error == 0.0);
    if values().any(|x| !x.is_finite()) {
        // A partial product may underflow to zero, and infinity times zero is NaN.
        let certain = values().any(f64::is_nan) || (exact && elements.len() == 1);
        return if certain { 0.0 } else { f64::INFINITY };
    }
    if exact && values().any(|x| x == 0.0) {
        return if logs(values().filter(|x| *x != 0.0), 1.0) < rounding.format.max.ln() {
            0.0
        } else {
            f64::INFINITY
        };
    }
    let far = logs(values(), 1.0) >= rounding.format.max.ln()
        || logs(values(), -1.0) >= -rounding.format.min_positive().ln();
    if far {
        return f64::INFINITY;
    }
    let unit = rounding.unit();
    let start = (1.0, 0.0);
    let (_, error) = elements.iter().fold(start, |(value, error): (f64, f64), element| {
        let (x, e) = (element.value.as_f64().abs(), element.error);
        let product = value * x;
        let spread = value * e + x * error + error * e;
        (product, spread + unit * (product + spread))
    });
    error
}

/// The sum of those logarithms that have this sign: how far a partial product can go in some order.
fn logs(values: impl Iterator<Item = f64>, sign: f64) -> f64 {
    values.map(|x| (sign * x.abs().ln()).max(0.0)).sum()
}

/// The maximum lies between the largest lower end and the largest upper end of the elements' intervals.
fn extreme(elements: &[Bounded], value: Scalar, sign: f64) -> f64 {
    let value = value.as_f64();
    if value.is_nan() {
        return 0.0;
    }
    let end = |side: f64| {
        let ends = elements.iter().map(|element| sign * element.value.as_f64() + side * element.error);
        ends.fold(f64::NEG_INFINITY, f64::max)
    };
    let (low, high) = (end(-1.0), end(1.0));
    if low == high { 0.0 } else { (high - sign * value).max(sign * value - low) }
}

/// The position is certain if no other element could be as large.
fn position(elements: &[Bounded], value: Scalar, sign: f64) -> f64 {
    let best = usize::try_from(i64::from_scalar(value)).unwrap_or_default();
    let at = |index: usize| sign * elements[index].value.as_f64();
    let rivals = (0..elements.len()).filter(|index| *index != best);
    let close = |index: usize| {
        let slack = elements[index].error + elements[best].error;
        slack > 0.0 && at(best) - at(index) <= slack
    };
    if at(best).is_nan() || !rivals.into_iter().any(close) { 0.0 } else { f64::INFINITY }
}

/// The result is certain if one certain element decides it, or if all elements are certain.
fn logic(fold: Fold, elements: &[Bounded], value: Scalar) -> Bounded {
    let decides = Scalar::Bool(fold == Fold::Any);
    let decided = elements.iter().find(|element| element.error == 0.0 && element.value == decides);
    match decided {
        Some(element) => *element,
        None if elements.iter().all(|element| element.error == 0.0) => Bounded::exact(value),
        None => Bounded { value, error: f64::INFINITY },
    }
}
