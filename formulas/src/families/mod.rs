//! Formulas that nobody tuned, by family: what `benches/families` measures beside PyTorch.
//!
//! A seed gives six formulas of each family, each as a declaration and as the same function for PyTorch.
//! `cargo run -p tensor-op-formulas --bin families -- SEED` writes them.

mod case;
mod frames;
mod glue;
mod value;
mod write;

pub use write::{python, rust};

use crate::random::Random;
use case::Case;

/// What formulas of one family have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Family {
    /// Arithmetic, comparisons and choices alone.
    Cheap,
    /// With exponentials, error functions, sines and so on.
    Dear,
    /// Statistics along the innermost dim.
    Rows,
    /// Statistics over outer and middle dims.
    Columns,
    /// Statistics along two sides of one tensor.
    Both,
    /// Two results and more.
    Results,
    /// Arguments that lack dims on each side.
    Broadcasts,
    /// Statistics along dims of few elements.
    Small,
    /// Masks and ints among the arguments.
    Kinds,
    /// Rows of a table at indices.
    Gathers,
    /// Very short and very long rows.
    Lengths,
    /// Four arguments and more.
    Arguments,
}

const FAMILIES: [Family; 12] = [
    Family::Cheap,
    Family::Dear,
    Family::Rows,
    Family::Columns,
    Family::Both,
    Family::Results,
    Family::Broadcasts,
    Family::Small,
    Family::Kinds,
    Family::Gathers,
    Family::Lengths,
    Family::Arguments,
];

/// Formulas of each family.
const EACH: usize = 6;

impl Family {
    fn name(self) -> &'static str {
        match self {
            Family::Cheap => "cheap",
            Family::Dear => "dear",
            Family::Rows => "rows",
            Family::Columns => "columns",
            Family::Both => "both",
            Family::Results => "results",
            Family::Broadcasts => "broadcasts",
            Family::Small => "small",
            Family::Kinds => "kinds",
            Family::Gathers => "gathers",
            Family::Lengths => "lengths",
            Family::Arguments => "arguments",
        }
    }
}

fn cases(seed: u64) -> Vec<Case> {
    let mut random = Random::new(seed);
    let each = |family: Family| (0..EACH).map(move |index| (family, index));
    FAMILIES
        .into_iter()
        .flat_map(each)
        .map(|(family, index)| frames::case(family, index, &mut random))
        .collect()
}
