//! Evaluates a graph at two points that differ in a few elements of its arguments, and bounds the difference
//! of its results.
//!
//! A value that does not depend on the moved elements is the same at both points to the bit, however it was
//! rounded, so its error drops out of the difference. A value that depends on them has its own rounding error
//! at each point.

use super::{Bounded, Format, Rounding};
use tensor_op_core::{DType, Domain, Element, Result};
use tensor_op_spec::ir::{Kind, Scalar};
use tensor_op_spec::prim::{Fold, Prim};

/// A value, and whether it depends on a moved element. If it does not, its bound is 0.
#[derive(Clone, Copy, Debug)]
pub struct Moved {
    /// The value and its bound.
    pub bounded: Bounded,
    /// Whether the value depends on a moved element.
    pub moves: bool,
}

/// The f64 arithmetic of the reference, where [`Moved`] arguments move and the others stand still. Choices
/// and indices stand still if rounding can't change them: if there is a kink between the two points, their
/// difference says nothing anyway.
#[derive(Clone, Copy, Debug)]
pub struct Moving(Rounding);

impl Default for Moving {
    fn default() -> Moving {
        Moving(Rounding::new(DType::F64))
    }
}

impl Moved {
    /// An element that is not moved.
    pub fn still(value: Scalar) -> Moved {
        Moved { bounded: Bounded { value, error: 0.0 }, moves: false }
    }

    /// An element that was moved by `offset`, as exactly as f64 can. If the sum is rounded, the error is one
    /// unit in the last place.
    pub fn by(value: f64, offset: f64) -> Moved {
        let moved = value + offset;
        let error = if moved - value == offset { 0.0 } else { Format::F64.ulp(moved) };
        Moved { bounded: Bounded { value: Scalar::Float(moved), error }, moves: true }
    }

    fn of(bounded: Bounded, depends: bool) -> Moved {
        match bounded.value {
            Scalar::Float(_) if depends => Moved { bounded, moves: true },
            Scalar::Int(_) | Scalar::Bool(_) if depends && bounded.is_free() => {
                Moved { bounded, moves: true }
            }
            value => Moved::still(value),
        }
    }
}

impl Domain for Moving {
    type Value = Moved;

    fn input(&self, value: Scalar) -> Moved {
        Moved::still(value)
    }

    fn constant(&self, value: Scalar) -> Moved {
        Moved::still(value)
    }

    fn exact(&self, value: Scalar) -> Moved {
        Moved::still(value)
    }

    fn apply(&self, prim: Prim, args: &[Moved]) -> Option<Moved> {
        let mut operands = [Bounded::exact(Scalar::Int(0)); 3];
        let operands = operands.get_mut(..args.len())?;
        operands.iter_mut().zip(args).for_each(|(operand, arg)| *operand = arg.bounded);
        let depends = match (prim, args) {
            (Prim::Select, [cond, yes, no]) => {
                let chosen = if bool::from_scalar(cond.bounded.value) { yes } else { no };
                cond.moves || chosen.moves
            }
            (_, args) => args.iter().any(|arg| arg.moves),
        };
        Some(Moved::of(self.0.apply(prim, operands)?, depends))
    }

    fn cast(&self, value: &Moved, kind: Kind) -> Moved {
        Moved::of(self.0.cast(&value.bounded, kind), value.moves)
    }

    fn fold(&self, fold: Fold, elements: &mut dyn Iterator<Item = Moved>, kind: Kind) -> Result<Moved> {
        let mut depends = false;
        let mut elements = elements.map(|element| {
            depends |= element.moves;
            element.bounded
        });
        let found = self.0.fold(fold, &mut elements, kind)?;
        Ok(Moved::of(found, depends))
    }

    fn slack(&self, value: &Moved) -> f64 {
        self.0.slack(&value.bounded)
    }

    fn position(&self, position: usize, is_certain: bool) -> Moved {
        Moved::of(self.0.position(position, is_certain), false)
    }

    fn scalar(&self, value: &Moved) -> Scalar {
        value.bounded.value
    }

    fn at(&self, index: &Moved, found: &Moved) -> Moved {
        Moved::of(self.0.at(&index.bounded, &found.bounded), index.moves || found.moves)
    }
}
