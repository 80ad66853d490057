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

#[cfg(test)]
mod tests {
    use super::*;

    /// Whatever seed they are of.
    #[test]
    fn the_formulas_of_the_bench_are_current() {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../benches/families");
        let read = |name: &str| std::fs::read_to_string(folder.join(name)).expect("it is in the repository");
        let declarations = read("declarations.rs");
        let command = declarations.lines().next().expect("a first line").trim_end_matches("`.");
        let seed = command.rsplit(' ').next().and_then(|word| word.parse().ok()).expect("a seed");
        assert!(declarations == rust(seed) && read("declarations.py") == python(seed), "run {command}`");
    }

    #[test]
    fn formulas_of_all_seeds_are_right() {
        assert_ne!(rust(1), rust(2));
        for seed in 1..30 {
            let text = rust(seed);
            let (declarations, _) = text.split_once("\npub(crate) const CASES").expect("the table");
            let declarations: Vec<&str> = declarations.split("#[tensor_op(tests = false)]").skip(1).collect();
            assert_eq!(declarations.len(), FAMILIES.len() * EACH);
            for declaration in declarations {
                let tokens = declaration.parse().expect("tokens");
                assert!(tensor_op_spec::stages(tokens).is_ok(), "seed {seed}:\n{declaration}");
            }
        }
    }
}
