//! The kernels of an op's schedule, with the bodies that were generated for it or with programs
//! ([`scheduled`]).
//!
//! The executor of `tensor-op-core` asks [`cpu`] for each kernel. [`bind`] makes a [`plan`] of a loop, and
//! [`rows`] and [`columns`] run it on threads through [`worker`]s, many rows at a time if they are [`short`].
//! [`contraction`] and [`index`] are the other kernels.

mod bind;
mod columns;
pub(crate) mod contraction;
mod cpu;
mod cursor;
pub(crate) mod fold;
pub(crate) mod index;
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
pub(crate) mod stream;
#[cfg(test)]
pub(crate) mod tests;
mod tiles;
mod window;
mod worker;

use crate::block::PassFns;
use crate::layout::Few;
use crate::tensor::NdArrayTensor;
use cpu::Cpu;
use plan::Body;
use scheduled::Scheduled;
use std::any::TypeId;
use tensor_op_core::execute::{check_wanted, execute};
use tensor_op_core::{Args, Error, ErrorKind, Op, Result, Spec, Value};
use tensor_op_spec::ir::Graph;

/// What an op brings for the CPU.
#[derive(Clone, Copy, Debug)]
pub struct CpuKernels {
    /// The generated bodies, in the order of the schedule's passes.
    pub passes: &'static [PassFns],
    /// The fingerprint of the schedule that the bodies were generated for; `None` of bodies written by hand.
    pub schedule: Option<u64>,
}

/// Runs an op: with the kernels that it brings, or with programs made from its graph.
pub(crate) fn run(
    op: &dyn Op,
    args: Vec<Value<NdArrayTensor>>,
    wanted: &[bool],
) -> Result<Vec<Option<NdArrayTensor>>> {
    let spec = op.spec();
    let graph = spec.graph();
    check_wanted(graph, wanted)?;
    let kernels = op.kernels(TypeId::of::<CpuKernels>());
    let run = || match kernels.and_then(|kernels| kernels.downcast_ref::<CpuKernels>()) {
        Some(kernels @ CpuKernels { passes, .. })
            if is_declared(graph, wanted) || !Scheduled::beats_compiled(spec, wanted)? =>
        {
            kernels.check(spec)?;
            let bodies: Few<Body<'_>> = passes.iter().map(Body::Compiled).collect();
            execute(graph, spec.schedule(), args, wanted, &mut Cpu { bodies: &bodies, is_generated: true })
        }
        Some(_) | None => {
            let mut results = Scheduled::of(spec, wanted)?.run(args)?.into_iter();
            Ok(wanted.iter().map(|wanted| if *wanted { results.next().flatten() } else { None }).collect())
        }
    };
    run().map_err(|error| error.with_op(&graph.name))
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
    let bodies: Few<Body<'_>> = passes.iter().map(Body::Compiled).collect();
    let graph = spec.graph();
    let wanted: Few<bool> = graph.outputs.iter().map(|_| true).collect();
    let args = args.values().to_vec();
    let results =
        execute(graph, spec.schedule(), args, &wanted, &mut Cpu { bodies: &bodies, is_generated: false })?;
    Ok(results.into_iter().flatten().collect())
}

impl CpuKernels {
    /// Checks that the bodies are those of the schedule that this build makes.
    fn check(&self, spec: &Spec) -> Result<()> {
        let fits = match self.schedule {
            Some(schedule) => schedule == spec.fingerprint(),
            None => self.passes.len() == spec.schedule().passes().count(),
        };
        if fits {
            return Ok(());
        }
        let message = format!(
            "its {} generated kernels were made for another schedule than the one that this library makes: the macro and the \
             library are different builds of tensor-op; run `cargo clean`, and build both with one version",
            self.passes.len()
        );
        Err(Error::new(ErrorKind::Backend, message))
    }
}

/// Whether all declared results are wanted: what compiled bodies are made for.
fn is_declared(graph: &Graph, wanted: &[bool]) -> bool {
    graph.outputs.iter().zip(wanted).all(|(output, wanted)| *wanted || output.hidden)
}
