//! The language of tensor-op: one formula in; graphs, gradients, kernels and Rust code out.
//!
//! ```text
//! tokens -> parse -> ast -> lower -> ir -> check -> grad -> simplify -> schedule -> emit -> tokens
//! ```
//!
//! Errors are collected and gated between phases; emission cannot fail. Without the feature `syntax` the crate has no syn in
//! its tree and holds what a runtime needs: the graph, its gradients and its schedule.

pub mod ir;
pub mod prim;
pub mod schedule;
