//! The executor: runs the kernels of an op's schedule with the bodies that were generated for it.
//!
//! [`call`] binds arguments and keeps buffers, [`bind`] makes a [`plan`] of each loop, [`rows`] and [`columns`] run it on
//! threads through [`worker`]s; [`contraction`] and [`index`] are the other kernels.

mod bind;
mod call;
mod columns;
pub(crate) mod contraction;
pub(crate) mod fold;
pub(crate) mod index;
pub(crate) mod plan;
pub(crate) mod rows;
mod side;
pub(crate) mod stream;
#[cfg(test)]
pub(crate) mod tests;
mod tiles;
mod worker;

use crate::block::PassFns;
use crate::tensor::NdArrayTensor;
use call::Call;
use tensor_op_core::{DType, Error, ErrorKind, Op, Result, Value};

/// A hand-written kernel: the arguments of the op in declared order in, all its results out.
pub type CpuFn = fn(&[Value<NdArrayTensor>]) -> Result<Vec<NdArrayTensor>>;

/// What an op brings for the CPU.
#[derive(Clone, Copy, Debug)]
pub struct CpuKernels {
    /// The generated bodies, in the order of the schedule's passes.
    pub passes: &'static [PassFns],
    /// What `#[kernel(cpu = path)]` puts in their place.
    pub replaced: Option<CpuFn>,
}

/// Runs an op with its kernels.
pub(crate) fn run(
    op: &dyn Op,
    kernels: &CpuKernels,
    args: Vec<Value<NdArrayTensor>>,
    wanted: &[bool],
) -> Result<Vec<Option<NdArrayTensor>>> {
    let spec = op.spec();
    let graph = spec.graph();
    if wanted.len() != graph.outputs.len() {
        let message =
            format!("gives {} results, but {} flags say which are wanted", graph.outputs.len(), wanted.len());
        return Err(Error::new(ErrorKind::Length, message).with_op(&graph.name));
    }
    if let Some(replaced) = kernels.replaced {
        return run_replaced(&graph.name, replaced, &args, wanted);
    }
    let run = || {
        let call = Call::new(graph, spec.schedule(), args, wanted)?;
        match call.dtypes.compute().float {
            DType::F64 => call.run::<f64>(kernels.passes),
            DType::F32 | DType::F16 | DType::BF16 | DType::I64 | DType::I32 | DType::U8 | DType::Bool => {
                call.run::<f32>(kernels.passes)
            }
        }
    };
    run().map_err(|error| error.with_op(&graph.name))
}

fn run_replaced(
    name: &str,
    replaced: CpuFn,
    args: &[Value<NdArrayTensor>],
    wanted: &[bool],
) -> Result<Vec<Option<NdArrayTensor>>> {
    let results = replaced(args).map_err(|error| error.with_op(name))?;
    if results.len() != wanted.len() {
        let message = format!("its kernel gave {} results; {} are declared", results.len(), wanted.len());
        return Err(Error::new(ErrorKind::Length, message).with_op(name));
    }
    Ok(results.into_iter().zip(wanted).map(|(result, wanted)| wanted.then_some(result)).collect())
}
