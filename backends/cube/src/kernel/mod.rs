//! The skeletons that run a schedule: written once, compiled for each program and layout when first met.
//!
//! On the host, the executor of `tensor-op-core` asks [`gpu`] for each kernel. [`bind`] makes a [`plan`] of a
//! loop, [`launch`] cuts it ([`geometry`]) and launches it with its [`arguments`]; [`split`] and [`partial`]
//! are what long rows and columns take besides, [`widen`] what one driver does. In the kernel, [`space`] and
//! [`operand`] find memory, [`program`], [`pass`] and [`math`] unroll the passes, [`fold`] combines;
//! [`pointwise`], [`row`] and [`index`] are the kernels, [`contraction`] leaves products to a [`library`].

#![allow(clippy::needless_range_loop, reason = "what is unrolled when a kernel is compiled is a range")]
#![allow(
    clippy::collapsible_if,
    reason = "what is decided when a kernel is compiled is apart from what it decides"
)]
#![allow(clippy::manual_is_multiple_of, reason = "kernels have no such function")]

mod arguments;
mod bind;
pub(crate) mod contraction;
mod exact;
mod fold;
mod geometry;
mod gpu;
pub(crate) mod index;
pub(crate) mod launch;
mod library;
mod math;
pub(crate) mod nest;
pub(crate) mod operand;
mod partial;
pub(crate) mod pass;
pub(crate) mod plan;
mod pointwise;
pub(crate) mod program;
mod row;
pub(crate) mod simple;
mod space;
mod split;
mod widen;

use crate::device::Opened;
use crate::tensor::CubeTensor;
use gpu::Gpu;
use tensor_op_core::execute::execute;
use tensor_op_core::{Op, Result, Value};

/// Runs an op.
pub(crate) fn run(
    op: &dyn Op,
    args: Vec<Value<CubeTensor>>,
    wanted: &[bool],
    device: &'static Opened,
) -> Result<Vec<Option<CubeTensor>>> {
    let spec = op.spec();
    let graph = spec.graph();
    let mut kernels = Gpu::new(graph, device, &args);
    let results = execute(graph, spec.schedule(), args, wanted, &mut kernels)?;
    let doubts = kernels.doubts().map_err(|error| error.with_op(&graph.name))?;
    let doubted = |tensor| CubeTensor { doubts: doubts.clone(), ..tensor };
    Ok(results.into_iter().map(|result| result.map(doubted)).collect())
}
