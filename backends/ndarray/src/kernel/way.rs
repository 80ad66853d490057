//! The bodies with which a call runs: those that an op brings, or programs.

use super::cpu::Cpu;
use super::plan::Body;
use super::scheduled::Scheduled;
use crate::block::PassFns;
use crate::tensor::NdArrayTensor;
use std::sync::Arc;
use tensor_op_core::execute::{Kernels, check_wanted, execute};
use tensor_op_core::{Error, ErrorKind, Result, Spec, Value};
use tensor_op_spec::ir::Graph;

/// What an op brings for the CPU.
#[derive(Clone, Copy, Debug)]
pub struct CpuKernels {
    /// The generated bodies, in the order of the schedule's passes.
    pub passes: &'static [PassFns],
    /// The fingerprint of the schedule that the bodies were generated for; `None` of bodies written by hand.
    pub schedule: Option<u64>,
}

/// The bodies with which a call runs.
pub(super) enum Way {
    /// Those that were generated for the op.
    Compiled(&'static CpuKernels),
    /// Programs, which compute the wanted results alone.
    Programs(Arc<Scheduled>),
}

impl Way {
    pub(super) fn new(spec: &Spec, kernels: Option<&'static CpuKernels>, wanted: &[bool]) -> Result<Way> {
        let graph = spec.graph();
        check_wanted(graph, wanted)?;
        match kernels {
            Some(kernels) if is_declared(graph, wanted) || !Scheduled::beats_compiled(spec, wanted)? => {
                kernels.check(spec)?;
                Ok(Way::Compiled(kernels))
            }
            Some(_) | None => Scheduled::of(spec, wanted).map(Way::Programs),
        }
    }

    /// The body of each pass.
    pub(super) fn bodies(&self) -> Vec<Body> {
        match self {
            Way::Compiled(kernels) => kernels.passes.iter().map(Body::Compiled).collect(),
            Way::Programs(scheduled) => scheduled.bodies(),
        }
    }

    pub(super) fn run(
        &self,
        spec: &Spec,
        args: Vec<Value<NdArrayTensor>>,
        wanted: &[bool],
    ) -> Result<Vec<Option<NdArrayTensor>>> {
        let bodies = self.bodies();
        self.run_with(spec, args, wanted, &mut Cpu { bodies: &bodies, is_generated: true })
    }

    /// Runs a call with kernels for these bodies.
    pub(super) fn run_with<K: Kernels>(
        &self,
        spec: &Spec,
        args: Vec<Value<K::Tensor>>,
        wanted: &[bool],
        kernels: &mut K,
    ) -> Result<Vec<Option<K::Tensor>>> {
        match self {
            Way::Compiled(_) => execute(spec.graph(), spec.schedule(), args, wanted, kernels),
            Way::Programs(scheduled) => {
                let mut results = scheduled.run_with(args, kernels)?.into_iter();
                Ok(wanted
                    .iter()
                    .map(|wanted| if *wanted { results.next().flatten() } else { None })
                    .collect())
            }
        }
    }
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
