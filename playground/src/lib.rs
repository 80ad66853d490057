//! What the playground's page asks: explain a declaration, run it with sample data, check its gradient.
//!
//! ```text
//! compiled   a declaration as ops that run without generated code, or its mistakes
//! place      where a token stands in a text, as an editor counts
//! explain    formula, gradient, what is saved, kernels, code
//! sizes      sizes of dims, for which a call is made up
//! run        a call on the CPU or on a GPU, and its gradient
//! check      the claims of the generated tests
//! abi        the functions that the page calls
//! ```
//!
//! Questions and answers are JSON. The page makes an instance of the module for each question, so nothing is
//! kept between them, and an instance that has panicked is thrown away. Calls on a GPU share one, which has
//! it open.

#[cfg(target_family = "wasm")]
pub mod abi;
mod check;
mod compiled;
mod explain;
mod place;
mod run;
mod sizes;

pub use check::{Checked, check};
pub use compiled::Mistake;
pub use explain::{Explained, Kernels, Op, explain};
#[cfg(target_family = "wasm")]
pub use run::run_on_gpu;
pub use run::{Ran, Tensor, run};
pub use sizes::{Dim, Sizes};

/// A question about one op of a declaration.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(default)]
pub struct Question {
    /// The declaration, and before it those that it calls.
    pub source: String,
    /// Which of its ops, if a call chooses among several.
    pub op: usize,
    /// Sizes of its dims. Those that are not given are chosen.
    pub sizes: Sizes,
    /// The seed of the values.
    pub seed: u64,
}
