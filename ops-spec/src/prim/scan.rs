//! The table of scans: what they take, and how each element is combined with the result before it.

use super::Fold;
use crate::ir::Kind;

/// A scan along a dim: a result for each element, made of the result before it and of the element.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Scan {
    /// `y[t] = y[t - 1] + x[t]`.
    Sum,
    /// `y[t] = y[t - 1] * x[t]`.
    Prod,
    /// The largest element so far; NaN from the first NaN on.
    Max,
    /// The smallest element so far; NaN from the first NaN on.
    Min,
    /// `y[t] = a[t] * y[t - 1] + b[t]`, and `y[0] = b[0]`: a linear recurrence.
    Linear,
}

/// One row of the table.
#[derive(Clone, Copy, Debug)]
pub struct ScanRow {
    /// As called in a formula.
    pub name: &'static str,
    /// The operands, as they are called.
    pub operands: &'static [&'static str],
    /// The reduction of what came so far, if it is one. It gives the dtype of sums, and the identity.
    pub fold: Option<Fold>,
}

impl Scan {
    /// Every scan, in order of declaration.
    pub const ALL: &[Scan] = &[Scan::Sum, Scan::Prod, Scan::Max, Scan::Min, Scan::Linear];

    /// The row of the table. `match` keeps it complete.
    #[rustfmt::skip]
    pub fn row(self) -> ScanRow {
        match self {
            Scan::Sum => ScanRow { name: "cumsum", operands: &["x"], fold: Some(Fold::Sum) },
            Scan::Prod => ScanRow { name: "cumprod", operands: &["x"], fold: Some(Fold::Prod) },
            Scan::Max => ScanRow { name: "cummax", operands: &["x"], fold: Some(Fold::Max) },
            Scan::Min => ScanRow { name: "cummin", operands: &["x"], fold: Some(Fold::Min) },
            Scan::Linear => ScanRow { name: "linear_recurrence", operands: &["decay", "x"], fold: None },
        }
    }

    /// As called in a formula.
    pub fn name(self) -> &'static str {
        self.row().name
    }

    /// The scan of this name.
    pub fn from_name(name: &str) -> Option<Scan> {
        Scan::ALL.iter().copied().find(|scan| scan.name() == name)
    }

    /// How many operands it takes.
    pub fn arity(self) -> usize {
        self.row().operands.len()
    }

    /// Whether it takes elements of this kind.
    pub fn accepts(self, kind: Kind) -> bool {
        kind != Kind::Bool
    }
}
