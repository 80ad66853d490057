//! The text form of a graph: one line per declaration and node, printed and parsed back exactly.
//!
//! Snapshots show this text, and generated code holds it as a constant.
//!
//! ```text
//! op softmax
//! dim .. group
//! dim axis axis axis
//! arg x: float[..], forward 0
//! arg axis: axis = -1, forward 1
//! %0 = input x : float[.., axis]
//! %1 = max(%0; axis) : float[..]
//! ```

mod cursor;
mod parse;
mod print;

pub use parse::TextError;

#[cfg(test)]
mod tests;
