//! The skeletons that run a schedule: written once, compiled for each program and layout when first met.
//!
//! On the host, [`call`] binds arguments and keeps buffers, [`bind`] makes a [`plan`] of each loop, [`launch`] cuts it ([`geometry`]) and
//! launches it with its [`arguments`]; [`split`] and [`partial`] are what long rows and columns take besides, [`widen`] what one driver
//! does. In the kernel, [`space`] and [`operand`] find memory, [`program`], [`pass`] and [`math`] unroll the passes, [`fold`] combines;
//! [`pointwise`], [`row`] and [`index`] are the kernels, [`contraction`] leaves products to a [`library`].

#![allow(clippy::needless_range_loop, reason = "what is unrolled when a kernel is compiled is a range")]
#![allow(
    clippy::collapsible_if,
    reason = "what is decided when a kernel is compiled is apart from what it decides"
)]
#![allow(clippy::manual_is_multiple_of, reason = "kernels have no such function")]

mod arguments;
mod bind;
mod call;
pub(crate) mod contraction;
mod fold;
mod geometry;
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
use call::Call;
use std::sync::{Arc, OnceLock};
use tensor_op_core::{Error, ErrorKind, Op, Result, Value};
use tensor_op_spec::schedule::Program;

/// Runs an op.
pub(crate) fn run(
    op: &dyn Op,
    args: Vec<Value<CubeTensor>>,
    wanted: &[bool],
    device: &'static Opened,
) -> Result<Vec<Option<CubeTensor>>> {
    let spec = op.spec();
    let graph = spec.graph();
    if wanted.len() != graph.outputs.len() {
        let message =
            format!("gives {} results, but {} flags say which are wanted", graph.outputs.len(), wanted.len());
        return Err(Error::new(ErrorKind::Length, message).with_op(&graph.name));
    }
    let programs = spec.memo::<Programs>().0.get_or_init(|| {
        let programs = spec.schedule().programs(graph);
        programs.into_iter().map(Arc::new).collect()
    });
    let run = || Call::new(graph, spec.schedule(), args, wanted, device)?.run(programs);
    run().map_err(|error| error.with_op(&graph.name))
}

/// The passes of an op as programs, made when it first runs.
#[derive(Debug, Default)]
struct Programs(OnceLock<Vec<Arc<Program>>>);
