//! Tells whether differences at a point show the derivative: no primitive is so close to a kink or a singular
//! point that moving an argument might cross it.
//!
//! [`Rounding`] carries through how far each value may move: the arguments are off by the reach of
//! differences, and nothing rounds. A value that doesn't move, such as a masked zero, may be at a kink.

use crate::bound::{Bounded, Rounding};
use crate::slope::reach;
use std::cell::RefCell;
use tensor_op_core::{Domain, Result, TensorData, Value, evaluate};
use tensor_op_spec::ir::{Graph, Kind, Scalar};
use tensor_op_spec::prim::{Fold, Prim};

/// Returns whether all results are finite. The inner `Err` says which primitive is too close to a kink, or
/// that a result is NaN.
///
/// # Errors
///
/// Those of [`evaluate`].
pub fn is_smooth(graph: &Graph, args: &[Value<TensorData>]) -> Result<std::result::Result<bool, String>> {
    let domain = Smooth { arithmetic: Rounding::none(), kink: RefCell::new(None) };
    let results = evaluate(graph, args, &domain)?;
    if let Some(kink) = domain.kink.into_inner() {
        return Ok(Err(kink));
    }
    let values = || results.iter().flat_map(|result| &result.values).map(|value| value.value.as_f64());
    if values().any(f64::is_nan) {
        return Ok(Err("a result that is no number".to_string()));
    }
    Ok(Ok(values().all(f64::is_finite)))
}

struct Smooth {
    arithmetic: Rounding,
    /// The first kink that was met.
    kink: RefCell<Option<String>>,
}

impl Smooth {
    /// Notes a kink if it is at most as far away as the values may move.
    fn note(&self, distance: f64, movement: f64, what: impl FnOnce() -> String) {
        let is_close = movement > 0.0 && (distance <= movement || distance.is_nan());
        if is_close && self.kink.borrow().is_none() {
            *self.kink.borrow_mut() = Some(what());
        }
    }
}

impl Domain for Smooth {
    type Value = Bounded;

    fn input(&self, value: Scalar) -> Bounded {
        let error = match value {
            Scalar::Float(x) => reach(x),
            Scalar::Int(_) | Scalar::Bool(_) => 0.0,
        };
        Bounded { value, error }
    }

    fn constant(&self, value: Scalar) -> Bounded {
        Bounded { value, error: 0.0 }
    }

    fn exact(&self, value: Scalar) -> Bounded {
        Bounded { value, error: 0.0 }
    }

    fn apply(&self, prim: Prim, args: &[Bounded]) -> Option<Bounded> {
        let mut operands = [0.0; 3];
        let operands = operands.get_mut(..args.len())?;
        operands.iter_mut().zip(args).for_each(|(operand, arg)| *operand = arg.value.as_f64());
        let movement = match (prim, args) {
            // A quotient is singular where its divisor crosses zero. How far the dividend moves does not
            // matter.
            (Prim::Div, [_, divisor]) => divisor.error,
            (_, args) => args.iter().map(|arg| arg.error).sum(),
        };
        self.note(prim.distance_to_kink(operands), movement, || format!("{} of {operands:?}", prim.name()));
        self.arithmetic.apply(prim, args)
    }

    fn cast(&self, value: &Bounded, kind: Kind) -> Bounded {
        self.arithmetic.cast(value, kind)
    }

    fn fold(&self, fold: Fold, elements: &mut dyn Iterator<Item = Bounded>, kind: Kind) -> Result<Bounded> {
        let elements: Vec<Bounded> = elements.collect();
        match fold {
            Fold::Max | Fold::ArgMax => self.tie(&elements, 1.0),
            Fold::Min | Fold::ArgMin => self.tie(&elements, -1.0),
            Fold::Sum | Fold::Prod | Fold::Any | Fold::All => {}
        }
        self.arithmetic.fold(fold, &mut elements.into_iter(), kind)
    }

    fn slack(&self, value: &Bounded) -> f64 {
        value.error
    }

    fn position(&self, position: usize, is_certain: bool) -> Bounded {
        let movement = if is_certain { 0.0 } else { 1.0 };
        self.note(0.0, movement, || format!("the order at position {position}"));
        self.arithmetic.position(position, is_certain)
    }

    fn scalar(&self, value: &Bounded) -> Scalar {
        value.value
    }

    fn at(&self, index: &Bounded, found: &Bounded) -> Bounded {
        self.arithmetic.at(index, found)
    }
}

impl Smooth {
    /// Notes a tie if a second element may become the largest.
    fn tie(&self, elements: &[Bounded], sign: f64) {
        let at = |element: &Bounded| sign * element.value.as_f64();
        let Some(best) = (0..elements.len()).max_by(|a, b| at(&elements[*a]).total_cmp(&at(&elements[*b])))
        else {
            return;
        };
        for rival in (0..elements.len()).filter(|index| *index != best) {
            let (a, b) = (&elements[best], &elements[rival]);
            self.note(at(a) - at(b), a.error + b.error, || format!("{} beside {}", a.value, b.value));
        }
    }
}
