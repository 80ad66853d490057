//! The generated GPU kernels of `embedding`. To run this file instead, write
//! `#[kernel(cube = embedding_cube, cube_backward = embedding_backward_cube)]` on the op.
//! An op of another crate gets it by `tensor_op::gpu::register_kernel`.
#![allow(clippy::approx_constant, clippy::eq_op, clippy::legacy_numeric_constants)]

use tensor_op::gpu::{Args, CubeTensor, Pass, run_passes};
use tensor_op::Result;

/// Runs `embedding`: its graph, and the passes of its kernels.
///
/// ```text
/// op embedding
/// dim v named
/// dim d named
/// dim .. group
/// arg weight: float[v, d], forward 0
/// arg ids: int[..] no_grad, forward 1
/// %0 = input weight : float[v, d]
/// %1 = input ids : int[..]
/// %2 = at(%0; v = %1) : float[d, ..]
/// out out = %2 [.., d]
/// ```
///
/// ```text
/// kernel 0: index
///   out[d, ..] <- gather weight at v = ids
/// ```
pub(crate) fn embedding_cube(args: &Args<'_, CubeTensor>) -> Result<Vec<CubeTensor>> {
    const PASSES: &[Pass] = &[];
    run_passes(args, PASSES, 6451913253020566179)
}

/// Runs `embedding_backward`: its graph, and the passes of its kernels.
///
/// ```text
/// op embedding_backward
/// dim v named
/// dim d named
/// dim .. group
/// arg weight: shape[v, d], forward 0
/// arg ids: int[..] no_grad, forward 1
/// arg grad_out: float[.., d], grad 0
/// %0 = input ids : int[..]
/// %1 = input grad_out : float[d, ..]
/// %2 = scatter_add(%1; v = %0) : float[v, d]
/// out grad_weight = %2 [v, d] like weight
/// ```
///
/// ```text
/// kernel 0: index
///   grad_weight[v, d] <- scatter_add grad_out at v = ids
/// ```
pub(crate) fn embedding_backward_cube(
    args: &Args<'_, CubeTensor>,
) -> Result<Vec<CubeTensor>> {
    const PASSES: &[Pass] = &[];
    run_passes(args, PASSES, 10520904092567496526)
}
