//! An entry for each problem: its level, number and name, and how a case becomes its result.

mod activation;
mod convolution;
mod fused_convolution;
mod fused_linear;
mod fused_transposed;
mod loss;
mod norm;
mod pooling;
mod product;
mod reduction;
mod scan;
mod transposed;

use crate::case::Case;
use tensor_op::prelude::*;

pub(crate) type Run = fn(&Case) -> Result<Tensor>;
type Problem = (&'static str, Run);

pub(crate) fn all() -> impl Iterator<Item = Problem> {
    let tables = [
        activation::PROBLEMS,
        convolution::PROBLEMS,
        fused_convolution::PROBLEMS,
        fused_linear::PROBLEMS,
        fused_transposed::PROBLEMS,
        loss::PROBLEMS,
        norm::PROBLEMS,
        pooling::PROBLEMS,
        product::PROBLEMS,
        reduction::PROBLEMS,
        scan::PROBLEMS,
        transposed::PROBLEMS,
    ];
    tables.into_iter().flatten().copied()
}

/// Puts reduced axes back with the size 1, from the first to the last: PyTorch's `keepdim`.
fn kept<const N: usize>(reduced: Result<Tensor>, axes: [i64; N]) -> Result<Tensor> {
    axes.into_iter().try_fold(reduced?, |x, axis| x.unsqueeze(axis))
}
