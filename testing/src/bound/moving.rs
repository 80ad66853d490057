//! Values of which some move: a graph at two points that differ in a few elements of its arguments, for the
//! difference of its results.
//!
//! What does not depend on those elements is the same at both points to the bit, however it was rounded, and
//! drops out of the difference. What does is off by its own rounding at each of them.

use super::{Bounded, Format, Rounding};
use tensor_op_core::{DType, Domain, Element, Result};
use tensor_op_spec::ir::{Kind, Scalar};
use tensor_op_spec::prim::{Fold, Prim};

/// A value, and whether it depends on what moves; if not, its bound is 0.
#[derive(Clone, Copy, Debug)]
pub struct Moved {
    /// The value and its bound.
    pub bounded: Bounded,
    /// Whether it depends on what moves.
    pub moves: bool,
}

/// The f64 arithmetic of the reference, where [`Moved`] arguments move and others stand still. Choices and
/// indices stand still where rounding can't change them: points with a kink between them have no difference
/// that says anything.
#[derive(Clone, Copy, Debug)]
pub struct Moving(Rounding);

impl Default for Moving {
    fn default() -> Moving {
        Moving(Rounding::new(DType::F64))
    }
}

impl Moved {
    /// An element that stands still.
    pub fn still(value: Scalar) -> Moved {
        Moved { bounded: Bounded { value, error: 0.0 }, moves: false }
    }

    /// An element that was moved by this much, as nearly as f64 has it: if not exactly, the next number may
    /// be it.
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

    fn scalar(&self, value: &Moved) -> Scalar {
        value.bounded.value
    }

    fn at(&self, index: &Moved, found: &Moved) -> Moved {
        Moved::of(self.0.at(&index.bounded, &found.bounded), index.moves || found.moves)
    }
}
