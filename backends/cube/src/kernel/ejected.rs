//! Runs an op with bodies of its passes: the launch of kernels that were ejected.

use super::body::Pass;
use super::gpu::Gpu;
use super::schedule;
use crate::tensor::CubeTensor;
use tensor_op_core::execute::execute;
use tensor_op_core::{Args, Error, ErrorKind, Result, Spec};

/// Runs an op with passes that were ejected (`tensor_op::testing::ejected_gpu`) and perhaps edited: a kernel
/// that is written by hand is a function which calls this. Gives all results of the op.
///
/// # Errors
/// Those of the op, and one if the formula is no longer the one of which `schedule` is the [`fingerprint`].
/// What is wrong with a body, such as a result that it does not push, is the error of whatever reads a
/// result, since kernels are compiled while the program goes on.
pub fn run_passes(
    args: &Args<'_, CubeTensor>,
    passes: &'static [Pass],
    schedule: u64,
) -> Result<Vec<CubeTensor>> {
    let spec = args.spec();
    let graph = spec.graph();
    let own = schedule::of(spec);
    if fingerprint(spec) != schedule {
        let message = "its formula has other kernels now than those that were ejected and are named in \
             `#[kernel(..)]`: eject them again";
        return Err(Error::new(ErrorKind::Backend, message));
    }
    let count = own.passes().count();
    if count != passes.len() {
        let message = format!("its kernel has {} passes, and its schedule {count}", passes.len());
        return Err(Error::new(ErrorKind::Length, message));
    }
    let values = args.values().to_vec();
    let Some(device) = values.iter().find_map(|value| value.tensor()).map(|tensor| tensor.device) else {
        let message = "it takes no tensor that says on which device its ejected kernels run";
        return Err(Error::new(ErrorKind::Device, message));
    };
    let wanted = vec![true; graph.outputs.len()];
    let mut kernels = Gpu::new(spec, device, &values).with_bodies(passes);
    let results = execute(graph, own, values, &wanted, &mut kernels)?;
    let doubts = kernels.doubts()?;
    let doubted = |tensor| CubeTensor { doubts: doubts.clone(), ..tensor };
    Ok(results.into_iter().flatten().map(doubted).collect())
}

/// A number that tells the kernels of an op for GPUs from those of other formulas.
pub fn fingerprint(spec: &Spec) -> u64 {
    schedule::fingerprint(spec)
}
