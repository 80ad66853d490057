//! Scans that are measured: ops of the catalogue.

use tensor_op::catalogue::scan;
use tensor_op::prelude::*;

/// Along the last axis.
pub(crate) fn cumsum(x: &Tensor, _: &Tensor) -> Result<Tensor> {
    scan::cumsum(x, -1)
}

/// Along the first axis: columns lie beside each other in memory.
pub(crate) fn cumsum_columns(x: &Tensor, _: &Tensor) -> Result<Tensor> {
    scan::cumsum(x, 0)
}

pub(crate) fn cumprod(x: &Tensor, _: &Tensor) -> Result<Tensor> {
    scan::cumprod(x, -1)
}

pub(crate) fn cummax(x: &Tensor, _: &Tensor) -> Result<Tensor> {
    Ok(scan::cummax(x, -1)?.0)
}

pub(crate) fn logcumsumexp(x: &Tensor, _: &Tensor) -> Result<Tensor> {
    scan::logcumsumexp(x, -1)
}
