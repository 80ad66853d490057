//! Pooling: what is known of each window.
//!
//! Names and arguments are PyTorch's. A window must start before the padding behind the input, so that
//! the last one begins at most at `n + padding - 1`: this is the second size in each `minimum`. Elements
//! that are equally large share the gradient of a maximum, where PyTorch gives it to the first.
#![cfg_attr(doc, doc = include_str!("../functions_first.html"))]

mod fractional;
mod max;
mod mean;

pub use fractional::*;
pub use max::*;
pub use mean::*;
