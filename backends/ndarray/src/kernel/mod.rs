//! The kernels of an op's schedule, with the bodies that were generated for it or with programs
//! ([`scheduled`]).
//!
//! The executor of `tensor-op-core` asks [`cpu`] for each kernel. [`bind`] makes a [`plan`] of a loop, and
//! [`rows`] and [`columns`] run it on threads through [`worker`]s, many rows at a time if they are [`short`]
//! or lie side by side in [`bands`]. Folds over the rows of windows are computed at once ([`taps`]).
//! A [`sweep`] runs loops and scans step by step. [`contraction`] and [`index`] are the other kernels.

mod bands;
mod bind;
mod calls;
mod columns;
pub(crate) mod contraction;
pub(crate) mod cpu;
mod cursor;
pub(crate) mod fold;
mod gathered;
mod gemm;
mod in_place;
pub(crate) mod index;
mod kept;
mod order;
mod pairs;
mod place;
pub(crate) mod plan;
pub(crate) mod real;
pub(crate) mod rows;
mod scan;
pub(crate) mod scheduled;
mod short;
mod side;
mod split;
pub(crate) mod stream;
mod sweep;
mod taps;
#[cfg(test)]
pub(crate) mod tests;
mod tiles;
mod way;
mod window;
mod worker;

pub use way::CpuKernels;

use crate::block::PassFns;
use crate::layout::Few;
use crate::tensor::NdArrayTensor;
use cpu::Cpu;
use plan::Body;
use std::any::TypeId;
use tensor_op_core::execute::execute;
use tensor_op_core::{Args, Error, ErrorKind, Op, Result, Value, without_ones};

/// Runs an op: with the kernels that it brings, or with programs made from its graph.
pub(crate) fn run(
    op: &dyn Op,
    args: Vec<Value<NdArrayTensor>>,
    wanted: &[bool],
) -> Result<Vec<Option<NdArrayTensor>>> {
    let spec = op.spec();
    let kernels: Option<&CpuKernels> =
        op.kernels(TypeId::of::<CpuKernels>()).and_then(|kernels| kernels.downcast_ref());
    if kernels.is_none_or(|kernels| kernels.schedule.is_some())
        && let Some(thin) = without_ones(spec, &args, |tensor| tensor.shape().clone())
    {
        return run(&*thin, args, wanted);
    }
    calls::run(spec, kernels, args, wanted).map_err(|error| error.with_op(spec.name()))
}

/// Runs an op with passes that were ejected (`tensor_op::testing::ejected`) and perhaps edited: a kernel that
/// is written by hand is a function which calls this. Gives all results of the op.
///
/// # Errors
/// Those of the op, and one if the formula is no longer the one of which `schedule` is the fingerprint.
///
/// # Panics
/// If a pass takes other uniforms or elements than the ejected one.
pub fn run_passes(
    args: &Args<'_, NdArrayTensor>,
    passes: &'static [PassFns],
    schedule: u64,
) -> Result<Vec<NdArrayTensor>> {
    let spec = args.spec();
    if spec.fingerprint() != schedule {
        let message = "its formula has other kernels now than those that were ejected and are named in \
             `#[kernel(..)]`: eject them again";
        return Err(Error::new(ErrorKind::Backend, message));
    }
    let count = spec.schedule().passes().count();
    if count != passes.len() {
        let message = format!("its kernel has {} passes, and its schedule {count}", passes.len());
        return Err(Error::new(ErrorKind::Length, message));
    }
    let bodies: Vec<Body> = passes.iter().map(Body::Compiled).collect();
    let graph = spec.graph();
    let wanted: Few<bool> = graph.outputs.iter().map(|_| true).collect();
    let args = args.values().to_vec();
    let results =
        execute(graph, spec.schedule(), args, &wanted, &mut Cpu { bodies: &bodies, is_generated: false })?;
    Ok(results.into_iter().flatten().collect())
}
