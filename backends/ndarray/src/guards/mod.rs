//! Guard words around tensors, for tests. While a thread watches, each buffer that it allocates has guard
//! words before and after its elements. They are checked when the buffer is released.
//!
//! This is only compiled with the feature `guards`. Input data is also copied into buffers with guard words,
//! so that a result that reuses the memory of an argument is watched like any other.
//!
//! Buffers use `words.rs`, and `probe.rs` uses tensors.

mod probe;
pub(crate) mod words;

pub use probe::{has_guards, write};
pub use words::{Breach, Fill, watch};
