//! The skeletons that run a schedule. They are written once, and compiled for each program and layout when
//! these are first met.
//!
//! A call goes from the host to the device:
//!
//! 1. The executor of `tensor-op-core` binds dims and dtypes and allocates buffers. It asks [`gpu`] for each
//!    kernel, whose memory goes back to the pool after its last reader.
//! 2. [`bind`] makes a [`plan`] of a loop: the operands in memory, how far each of them moves along each
//!    axis, the passes, and where results go. It merges axes that lie alike in all operands, so that
//!    contiguous tensors have one axis, whatever their rank.
//! 3. [`launch`] refuses what the device lacks. [`rows`] and [`columns`] choose a class of kernels by shape,
//!    and run several kernels where one is not enough. [`vectors`] chooses the vector width, [`geometry`] the
//!    units of a row, the rows of a cube, and what stays in registers. A kernel is launched with its
//!    [`arguments`].
//! 4. [`pointwise`], [`row`] and [`index`] are the kernels, one module for each class. [`contraction`] leaves
//!    products to a [`library`]: cubek, or cuBLASLt. In the kernel, [`space`] and [`operand`] find memory,
//!    [`program`], [`evaluate`] and [`math`] unroll the programs of the passes, and [`fold`] combines.
//!
//! The files from the bottom up. Each uses only files of its own line and of the lines above it:
//!
//! 1. [`nest`], [`operand`], [`space`], [`known`], [`ready`]: loops on the host, memory and positions in a
//!    kernel, what kernels are compiled for, and launches.
//! 2. [`math`], [`program`], [`lanes`], [`body`], [`fold`]: what a kernel computes, step by step and along a
//!    row.
//! 3. [`window`], [`pass`], [`evaluate`]: a pass as data, and its evaluation at one position.
//! 4. [`plan`], [`simple`], [`bind`]: a loop as data, made by hand or for the executor.
//! 5. [`grid`], [`vectors`], [`geometry`], [`arguments`]: how large a launch is, how it cuts a loop, and what
//!    it gets.
//! 6. [`pointwise`], [`row`], [`widen`]: loops that are one kernel. The last one is for one driver.
//! 7. [`partial`], [`rows`], [`columns`], [`launch`]: loops that may be several kernels.
//! 8. [`whole`]: copies, casts, fills and folds of tensors, which are such loops.
//! 9. [`library`], [`contraction`], [`index`]: products, and what moves by an index. [`scan`], [`order`]:
//!    scans alone, and sorts. [`stream`], [`sweep`]: products and scans with what stands around them.
//! 10. [`schedule`], [`exact`], [`gpu`], [`ejected`]: which kernels an op has, and all of it as the executor
//!     asks for it.
//!
//! Decisions behind this:
//!
//! - *The macro emits no bodies for GPUs.* A GPU kernel is compiled when it is first launched in any case,
//!   and a `#[cube]` function only builds what is compiled then. So a pass stays data (its program), and one
//!   skeleton per class unrolls it. The kernel is the same as from an emitted body, users' builds do not
//!   grow, and gradients of any order and graphs made at run time are fused as declared ops are. Only
//!   ejected kernels have bodies: functions of the user in the words of [`lanes`], which the same skeletons
//!   call. "Snapshots
//!   of what is generated" in docs/testing.md says how to read the kernels. docs/performance.md says what a
//!   kernel is compiled for: a program, dtypes, a few powers of two, but no sizes.
//! - *Kernels are chosen by shape alone*, never by timing. Two algorithms for a sum or a product differ in
//!   the last bits, and results must be the same in each run. For the same reason no kernel adds floats by
//!   atomics.
//! - *An index out of range* is the `Err` of whatever reads the result, or reads anything that was computed
//!   from it. If the call looked at once, every gather would wait for the device. A call has its own word in
//!   the device's memory and notes the fault there. Tensors carry the calls that may have failed
//!   (`fault.rs`).
//! - *What a device lacks* is refused before a launch, because the launch would poison the device or return
//!   garbage: dtypes in `storage.rs`, functions of f64 in [`launch`]. Each workaround for a driver or
//!   compiler is in one place and names what it works around: `device.rs`, [`widen`], [`operand`], [`math`].
//! - *Functions of f32 are written out* ([`math`]) if shading languages promise few digits of them. All
//!   runtimes use the same code, within the bounds of `ops-spec/src/prim/accuracy.rs`. `exp`, `sqrt` and
//!   `pow` are the device's.
//! - *Uploads do not use CubeCL's pinned memory*, which takes as long (docs/performance.md). *Reading a
//!   tensor* waits only for this tensor; `into_data_async` does not block.

#![allow(clippy::needless_range_loop, reason = "what is unrolled when a kernel is compiled is a range")]
#![allow(
    clippy::collapsible_if,
    reason = "what is decided when a kernel is compiled is apart from what it decides"
)]
#![allow(clippy::manual_is_multiple_of, reason = "kernels have no such function")]

mod arguments;
mod bind;
pub(crate) mod body;
mod columns;
pub(crate) mod contraction;
mod draws;
pub(crate) mod ejected;
mod evaluate;
mod exact;
mod fold;
mod gathered;
mod geometry;
mod gpu;
pub(crate) mod grid;
pub(crate) mod index;
mod known;
pub mod lanes;
pub(crate) mod launch;
pub(crate) mod library;
pub(crate) mod math;
pub(crate) mod nest;
pub(crate) mod operand;
mod order;
mod partial;
pub(crate) mod pass;
pub(crate) mod plan;
mod pointwise;
pub(crate) mod program;
pub(crate) mod ready;
mod row;
mod rows;
mod scan;
mod schedule;
pub(crate) mod simple;
mod space;
mod stream;
mod sweep;
mod vectors;
pub(crate) mod whole;
mod widen;
pub(crate) mod window;

use crate::device::Opened;
use crate::tensor::CubeTensor;
use gpu::Gpu;
use tensor_op_core::execute::execute;
use tensor_op_core::{Op, Result, Value, without_ones};

/// Runs an op.
pub(crate) fn run(
    op: &dyn Op,
    args: Vec<Value<CubeTensor>>,
    wanted: &[bool],
    device: &'static Opened,
) -> Result<Vec<Option<CubeTensor>>> {
    let spec = op.spec();
    if let Some(thin) = without_ones(spec, &args, |tensor| tensor.shape().clone()) {
        return run(&*thin, args, wanted, device);
    }
    let graph = spec.graph();
    let mut kernels = Gpu::new(spec, device, &args);
    let results = execute(graph, schedule::of(spec), args, wanted, &mut kernels)?;
    let doubts = kernels.doubts().map_err(|error| error.with_op(&graph.name))?;
    let doubted = |tensor| CubeTensor { doubts: doubts.clone(), ..tensor };
    Ok(results.into_iter().map(|result| result.map(doubted)).collect())
}
