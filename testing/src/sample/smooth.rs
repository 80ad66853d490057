//! Whether a point is one at which differences see the derivative: no operand of any primitive close to a kink or a singular point.
//!
//! It looks at the values that reach each primitive, not at the arguments alone. A value that small changes of the arguments don't move,
//! such as a masked zero, may stand at a kink.

use std::cell::{Cell, RefCell};
use tensor_op_core::{Domain, Element, Plain, Result, TensorData, Value, evaluate};
use tensor_op_spec::ir::{Graph, Kind, Scalar};
use tensor_op_spec::prim::{Fold, Prim};

/// How far from a kink a point must be. Differences take steps of 1e-6, whose effect may be this much larger where it arrives.
const MARGIN: f64 = 1e-4;

/// `Err` says which primitive is too close to a kink, or that a value is NaN.
pub(super) fn is_smooth(
    graph: &Graph,
    args: &[Value<TensorData>],
) -> Result<std::result::Result<(), String>> {
    let domain = Smooth { close: Cell::new(f64::INFINITY), at: RefCell::new(String::new()) };
    let results = evaluate(graph, args, &domain)?;
    if domain.close.get() < MARGIN {
        return Ok(Err(domain.at.into_inner()));
    }
    let is_nan = |value: &Active| value.value.as_f64().is_nan();
    if results.iter().any(|result| result.values.iter().any(is_nan)) {
        return Ok(Err("a result that is no number".to_string()));
    }
    Ok(Ok(()))
}

/// A value, and whether it moves with the arguments.
#[derive(Clone, Copy)]
struct Active {
    value: Scalar,
    moves: bool,
}

struct Smooth {
    close: Cell<f64>,
    at: RefCell<String>,
}

impl Smooth {
    fn note(&self, distance: f64, what: impl FnOnce() -> String) {
        // Two infinities compare like numbers far apart.
        if distance < self.close.get() {
            self.close.set(distance);
            *self.at.borrow_mut() = what();
        }
    }
}

impl Domain for Smooth {
    type Value = Active;

    fn input(&self, value: Scalar) -> Active {
        Active { value, moves: value.kind() == Kind::Float }
    }
    fn constant(&self, value: Scalar) -> Active {
        Active { value, moves: false }
    }
    fn exact(&self, value: Scalar) -> Active {
        Active { value, moves: false }
    }

    fn apply(&self, prim: Prim, args: &[Active]) -> Option<Active> {
        let values: Vec<Scalar> = args.iter().map(|arg| arg.value).collect();
        let value = prim.eval(&values)?;
        let moves = match (prim, args) {
            (Prim::Select, [cond, yes, no]) => {
                if bool::from_scalar(cond.value) {
                    yes.moves
                } else {
                    no.moves
                }
            }
            (Prim::Maximum | Prim::Minimum, [a, b]) => {
                if value == a.value {
                    a.moves
                } else {
                    b.moves
                }
            }
            // What is multiplied by a fixed zero does not move.
            (Prim::Mul, [a, b]) => !is_fixed_zero(a) && !is_fixed_zero(b) && (a.moves || b.moves),
            (_, args) => args.iter().any(|arg| arg.moves),
        };
        if args.iter().any(|arg| arg.moves) {
            let operands: Vec<f64> = values.iter().map(|value| value.as_f64()).collect();
            self.note(prim.distance_to_kink(&operands), || format!("{} of {operands:?}", prim.name()));
        }
        Some(Active { value, moves: moves && value.kind() == Kind::Float })
    }

    fn cast(&self, value: &Active, kind: Kind) -> Active {
        Active { value: value.value.cast(kind), moves: value.moves && kind == Kind::Float }
    }

    fn fold(&self, fold: Fold, elements: &mut dyn Iterator<Item = Active>, kind: Kind) -> Result<Active> {
        let elements: Vec<Active> = elements.collect();
        let value = Plain.fold(fold, &mut elements.iter().map(|element| element.value), kind)?;
        let mut moves = elements.iter().any(|element| element.moves);
        let sign = match fold {
            Fold::Max | Fold::ArgMax => Some(1.0),
            Fold::Min | Fold::ArgMin => Some(-1.0),
            Fold::Sum | Fold::Prod | Fold::Any | Fold::All => None,
        };
        if let Some(sign) = sign {
            let mut order: Vec<(f64, bool)> =
                elements.iter().map(|element| (sign * element.value.as_f64(), element.moves)).collect();
            order.sort_by(|a, b| b.0.total_cmp(&a.0));
            moves = order.first().is_some_and(|(_, moves)| *moves);
            if let [(first, a), (second, b), ..] = order[..]
                && (a || b)
            {
                self.note(first - second, || format!("{} of {first} and {second}", fold.name()));
            }
        }
        Ok(Active { value, moves: moves && kind == Kind::Float })
    }

    fn scalar(&self, value: &Active) -> Scalar {
        value.value
    }
}

fn is_fixed_zero(x: &Active) -> bool {
    !x.moves && x.value.as_f64() == 0.0
}
