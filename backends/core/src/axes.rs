//! A set of axes that is chosen when an op is called.

use crate::{Error, ErrorKind, Result};
use std::fmt;
use tensor_op_spec::ir::ALL_AXES;

/// Axes beyond this number can't be named; no tensor has so many.
const FARTHEST: i64 = 31;

/// What is passed for an argument of type `Axes`: any number of axes, or all of them. Negative numbers count
/// from the end.
///
/// ```
/// use tensor_op_core::Axes;
///
/// assert_eq!(Axes::of(&[0, -1]).to_string(), "[0, -1]");
/// assert_eq!(Axes::all().to_string(), "..");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Axes(Found);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Found {
    /// The code of the set: bit `k` stands for axis `k`, and bit `31 + k` for axis `-k`.
    Code(i64),
    /// The axis that is named a second time.
    Twice(i64),
    /// An axis that no tensor has.
    Far(i64),
}

impl Axes {
    /// All axes.
    pub fn all() -> Axes {
        Axes(Found::Code(ALL_AXES))
    }

    /// These axes.
    pub fn of(axes: &[i64]) -> Axes {
        let mut code = 0;
        for axis in axes {
            if axis.unsigned_abs() > FARTHEST.unsigned_abs() {
                return Axes(Found::Far(*axis));
            }
            let bit = 1_i64 << if *axis < 0 { FARTHEST - axis } else { *axis };
            if code & bit != 0 {
                return Axes(Found::Twice(*axis));
            }
            code |= bit;
        }
        Axes(Found::Code(code))
    }

    /// The axes that a number stands for, as [`Axes::code`] gives it.
    pub fn from_code(code: i64) -> Axes {
        Axes(Found::Code(code))
    }

    /// The set as a number, which is the argument's value when the op is run.
    pub fn code(self) -> Result<i64> {
        match self.0 {
            Found::Code(code) => Ok(code),
            Found::Twice(axis) => {
                Err(Error::new(ErrorKind::Rank, format!("axis {axis} stands twice: remove one")))
            }
            Found::Far(axis) => {
                let message = format!("axis {axis} is out of range: no tensor has so many axes");
                Err(Error::new(ErrorKind::Rank, message))
            }
        }
    }

    /// The numbers of the axes, with those that count from the end last. `None` for all axes.
    pub fn numbers(self) -> Option<Vec<i64>> {
        let Found::Code(code) = self.0 else { return Some(vec![]) };
        let has = |bit: i64| code >> bit & 1 == 1;
        let from_start = (0..=FARTHEST).filter(|axis| has(*axis));
        let from_end = (1..=FARTHEST).rev().filter(|axis| has(FARTHEST + axis)).map(|axis| -axis);
        (code != ALL_AXES).then(|| from_start.chain(from_end).collect())
    }
}

impl fmt::Display for Axes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.numbers() {
            Some(numbers) => write!(f, "{numbers:?}"),
            None => f.write_str(".."),
        }
    }
}
