//! One call of a generated body over a block: up to [`BLOCK`] elements of a row, or elements of several rows,
//! contiguous for each operand.
//!
//! The skeletons pass slices ([`BlockArgs`]), the generated [`Pass`] says what is computed from them, and
//! [`PassFns`] is its entry point. `fold`, `convert` and `taps` are the other loops over blocks. All of
//! them are compiled once per instruction set.

mod args;
pub mod column;
pub mod convert;
mod elements;
pub mod fold;
mod multiversion;
mod pass;
pub mod rows;
pub mod sides;
pub(crate) mod taps;
#[cfg(test)]
mod tests;

pub use args::{BlockArgs, ByKind, Elements, Results, Uniforms};
pub use elements::Block;
pub use pass::{Compute, Pass, PassFns};

/// The most elements of a block. A call costs about 15 ns, so shorter blocks would slow down loops as light
/// as an addition. With a few operands, longer blocks would not stay in the first-level cache between one
/// loop and the next.
pub const BLOCK: usize = 1024;

/// The most elements of a block that has elements of many rows. It takes more calls, to fold its rows and to
/// spread their values, and these cost more than a few buffers outside of the first-level cache.
pub(crate) const BLOCK_OF_ROWS: usize = 4 * BLOCK;
