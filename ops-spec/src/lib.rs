//! Internal: use [tensor-op](https://docs.rs/tensor-op). The items of this crate change in any release.
//!
//! The language of tensor-op: turns one formula into graphs, gradients, kernels and Rust code.
//!
//! ```text
//! tokens -> parse -> ast -> lower -> ir -> check -> grad -> simplify -> schedule -> emit -> tokens
//! ```
//!
//! Errors are collected and gated between phases; emission cannot fail. Without the feature `syntax` the
//! crate does not depend on syn and has only what a runtime needs: the graph, its gradients and its schedule.
#![cfg_attr(docsrs, feature(doc_cfg))]

#[cfg(feature = "syntax")]
mod ast;
#[cfg(all(test, feature = "syntax"))]
mod catalogue_page;
#[cfg(feature = "syntax")]
mod check;
#[cfg(feature = "syntax")]
mod choose;
#[cfg(feature = "syntax")]
mod compile;
#[cfg(feature = "syntax")]
mod diag;
#[cfg(feature = "syntax")]
mod emit;
#[cfg(feature = "syntax")]
mod formulas;
pub mod grad;
#[cfg(all(test, feature = "syntax"))]
mod gradient_table;
#[cfg(feature = "syntax")]
mod inline;
pub mod ir;
#[cfg(feature = "syntax")]
mod lower;
#[cfg(all(test, feature = "syntax"))]
mod message_page;
#[cfg(feature = "syntax")]
mod module;
#[cfg(feature = "syntax")]
mod parse;
#[cfg(feature = "syntax")]
pub mod picture;
pub mod prim;
pub mod schedule;
pub mod simplify;
#[cfg(all(test, feature = "syntax"))]
mod soup_tests;
#[cfg(feature = "syntax")]
mod tokens;

#[cfg(feature = "syntax")]
pub use compile::{Explained, Explanation, Pick, Planned, explain};
#[cfg(feature = "syntax")]
pub use compile::{
    Stages, derive_module, eject, eject_gpu, expand, inline, kernels_picture, picture_of, stages,
};
#[cfg(feature = "syntax")]
pub use diag::{Error as Mistake, Mistakes, TokenRange};
#[cfg(feature = "syntax")]
pub use emit::Described;

#[cfg(test)]
mod testing;
