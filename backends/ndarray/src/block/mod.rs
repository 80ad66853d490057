//! One call of a generated body over a block: up to [`BLOCK`] elements of a row, contiguous per operand.
//!
//! The skeletons bring slices ([`BlockArgs`]), the generated [`Pass`] says what is computed from them,
//! [`PassFns`] is its entry point; [`fold`] and [`convert`] are the other loops over blocks. All are compiled
//! once per instruction set.

mod args;
pub mod column;
pub mod convert;
mod elements;
pub mod fold;
mod multiversion;
mod pass;
#[cfg(test)]
mod tests;

pub use args::{BlockArgs, ByKind, Elements, Results, Uniforms};
pub use elements::Block;
pub use pass::{Compute, Pass, PassFns};

/// Most elements of a block. A call costs about 15 ns, so shorter blocks would show in loops as light as an
/// addition; with a few operands, a longer one would leave the first-level cache between one loop and the
/// next.
pub const BLOCK: usize = 1024;
