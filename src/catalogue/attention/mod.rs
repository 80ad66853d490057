//! Attention in the forms that models have. Queries are `[.., t, d]`, keys `[.., s, d]` and values `[.., s,
//! e]`, where heads are among the leading dims.
//!
//! [`scaled_dot_product_attention`] is PyTorch's, and chooses among the formulas below it. In a formula
//! call one of these, or [`nn::attention`](super::nn::attention), which has no options. Tokens that are
//! written one by one have a [`KeyValueCache`].
#![cfg_attr(doc, doc = include_str!("../functions_first.html"))]

mod cache;
mod forms;

pub use cache::KeyValueCache;
pub use forms::*;
