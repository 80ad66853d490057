//! Error bounds of reductions. They hold for any order in which a backend takes the elements.

use super::terms::Terms;
use super::{Bounded, Rounding};
use tensor_op_core::{Domain, Element, Plain, Result};
use tensor_op_spec::ir::{Kind, Scalar};
use tensor_op_spec::prim::Fold;

pub(super) fn fold(rounding: &Rounding, fold: Fold, elements: Vec<Bounded>, kind: Kind) -> Result<Bounded> {
    let value = Plain.fold(fold, &mut elements.iter().map(|element| element.value), kind)?;
    let free = elements.iter().any(Bounded::is_free);
    let error = match fold {
        Fold::Any | Fold::All => return Ok(logic(fold, &elements, value)),
        Fold::ArgMax | Fold::ArgMin if free => f64::INFINITY,
        Fold::ArgMax | Fold::ArgMin if rounding.settled => 0.0,
        Fold::ArgMax => position(&elements, value, 1.0),
        Fold::ArgMin => position(&elements, value, -1.0),
        Fold::Sum | Fold::Prod | Fold::Max | Fold::Min => {
            let mut terms = Terms::none();
            elements.iter().for_each(|element| terms.push(rounding, element));
            terms.bound(rounding, fold, value, kind).unwrap_or(f64::INFINITY)
        }
    };
    Ok(Bounded { value, error })
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
