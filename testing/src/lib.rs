//! Internal: use [tensor-op](https://docs.rs/tensor-op). The items of this crate change in any release.
//!
//! The functions that the generated tests of declared ops call.
//!
//! The tests take any [`Op`](tensor_op_core::Op), and return a report or the smallest case that fails. They
//! work on the op's graph alone: an op needs no test of its own, and this crate knows nothing about the
//! facade.
//!
//! ```text
//! claims           what holds of every op: a module each
//! property         plans that shrink; a failure is the smallest one
//! sample           sizes and values in the domain of a formula
//! bound            how far results may be from the true ones
//! slope            differences, and how far they may be from the derivative
//! written          the formula before any pass has changed it
//! tape             gradients through `Autodiff`, and by differences
//! place, agree     one call on a device in a layout, against the reference
//! refusal          calls that a device says it can't do
//! case             a failing case, as all claims tell it
//! scope            how much of a claim is checked
//! report           figures, or the failing case
//! stages           what the macro made of an op, for snapshots
//! ejected          the generated kernels as a file to start from
//! conformance      what a backend must do
//! ```
#![cfg_attr(docsrs, feature(doc_cfg))]

mod agree;
pub mod bound;
mod case;
mod claims;
pub mod conformance;
#[cfg(feature = "expansion")]
mod ejected;
mod place;
mod property;
mod random;
mod refusal;
mod report;
pub mod sample;
mod scope;
pub mod slope;
mod stages;
mod tape;
mod written;

pub use claims::Claim;
#[cfg(feature = "expansion")]
pub use ejected::{ejected, ejected_gpu};
pub use place::{Layout, devices};
pub use random::{SEED_VARIABLE, seed};
pub use report::{Failure, Report, Tally};
pub use scope::{LEVEL_VARIABLE, Level, Scope};
#[cfg(feature = "expansion")]
pub use stages::expansion;
pub use stages::{formula, gradient, gradient_schedule, graph, schedule, stages};
pub use tape::bounded_gradient;
#[cfg(feature = "expansion")]
pub use tensor_op_ndarray::guards;

/// The body of a generated test. It prints the report, or panics with the failing case. An empty list of
/// dtypes stands for all.
#[allow(clippy::print_stdout, reason = "`cargo test -- --nocapture` shows the report")]
pub fn check(claim: Claim, op: &dyn tensor_op_core::Op, dtypes: &[tensor_op_core::DType]) {
    let scope = Scope::of_environment().unwrap_or_else(|error| panic!("{error}"));
    match claim.check_in(op, &scope.in_dtypes(dtypes)) {
        Ok(report) => println!("{report}"),
        Err(failure) => panic!("{failure}"),
    }
}
