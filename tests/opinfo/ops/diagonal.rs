//! Diagonals and triangles of matrices.

use super::Entry;
use super::movement::one;
use crate::call::{Call, Outcome};
use tensor_op::catalogue::movement::{self, tril, triu};
use tensor_op::prelude::*;

fn diagonal(call: &Call, axes: (i64, i64)) -> Outcome {
    let first = call.int(2, "dim1")?.unwrap_or(axes.0);
    let second = call.int(3, "dim2")?.unwrap_or(axes.1);
    one(movement::diagonal(call.x()?, call.int(1, "offset")?, first, second))
}

fn diag(call: &Call) -> Outcome {
    let (x, offset) = (call.x()?, call.int(1, "diagonal")?);
    one(if x.rank() == 1 { x.diag_embed(offset, None, None) } else { x.diagonal(offset, None, None) })
}

/// Puts blocks on the diagonal of a matrix of zeros: each block gets zeros to its left and right, and then
/// the rows are joined.
fn block_diag(call: &Call) -> Outcome {
    let blocks = call.tensors()?;
    let blocks = blocks.iter().map(|x| match x.rank() {
        0 => x.reshape([1, 1]),
        1 => x.unsqueeze(0),
        _ => Ok(x.clone()),
    });
    let blocks = blocks.collect::<Result<Vec<_>>>()?;
    let width: usize = blocks.iter().map(|x| x.shape()[1]).sum();
    let mut left = 0;
    let mut rows = vec![];
    for block in &blocks {
        let (height, own) = (block.shape()[0], block.shape()[1]);
        let zeros = |width: usize| Tensor::zeros([height, width], block.dtype(), &block.device());
        rows.push(Tensor::cat(&[zeros(left)?, block.clone(), zeros(width - left - own)?], 1)?);
        left += own;
    }
    one(Tensor::cat(&rows, 0))
}

pub(super) fn table() -> Vec<Entry> {
    vec![
        Entry::new("block_diag", block_diag),
        Entry::new("diag", diag),
        Entry::new("diag_embed", |call| {
            let (first, second) = (call.int(2, "dim1")?, call.int(3, "dim2")?);
            one(movement::diag_embed(call.x()?, call.int(1, "offset")?, first, second))
        }),
        Entry::new("diagflat", |call| {
            one(call.x()?.reshape([-1])?.diag_embed(call.int(1, "offset")?, None, None))
        }),
        Entry::new("diagonal", |call| diagonal(call, (0, 1))),
        Entry::new("linalg.diagonal", |call| diagonal(call, (-2, -1))),
        Entry::new("tril", |call| one(tril(call.x()?, call.int(1, "diagonal")?.unwrap_or(0)))),
        Entry::new("triu", |call| one(triu(call.x()?, call.int(1, "diagonal")?.unwrap_or(0)))),
    ]
}
