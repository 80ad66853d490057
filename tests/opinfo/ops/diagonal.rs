//! Diagonals and triangles of matrices.

use super::Entry;
use super::movement::one;
use crate::call::{Call, Outcome};
use tensor_op::catalogue::movement::{self, tril, triu};
use tensor_op::prelude::*;

fn diagonal(call: &Call, axes: (i64, i64)) -> Outcome {
    let (x, offset) = (call.x()?, call.int(1, "offset")?.unwrap_or(0));
    let first = x.shape().axis(call.int(2, "dim1")?.unwrap_or(axes.0))?;
    let second = x.shape().axis(call.int(3, "dim2")?.unwrap_or(axes.1))?;
    diagonal_from(&x, first, second, offset)
}

fn diagonal_from(x: &Tensor, first: usize, second: usize, offset: i64) -> Outcome {
    let others = (0..x.rank()).filter(|axis| *axis != first && *axis != second);
    let order: Vec<i64> = others.chain([first, second]).map(|axis| axis as i64).collect();
    let (row, column) = ((-offset).max(0) as usize, offset.max(0) as usize);
    let count = x.shape()[first].saturating_sub(row).min(x.shape()[second].saturating_sub(column));
    let part = |start: usize| start as i64..(start + count) as i64;
    let square = x.permute(&order)?.slice(-2, part(row.min(x.shape()[first])))?;
    one(movement::diagonal(square.slice(-1, part(column.min(x.shape()[second])))?, None, None))
}

fn diagonal_matrix(x: Tensor, offset: i64) -> Result<Tensor> {
    movement::diag_embed(x, (-offset).max(0) as usize, offset.max(0) as usize)
}

fn diag_embed(call: &Call) -> Outcome {
    let matrix = diagonal_matrix(call.x()?, call.int(1, "offset")?.unwrap_or(0))?;
    let first = matrix.shape().axis(call.int(2, "dim1")?.unwrap_or(-2))?;
    let second = matrix.shape().axis(call.int(3, "dim2")?.unwrap_or(-1))?;
    let (mut others, last) = (0_i64.., matrix.rank() as i64);
    let order: Vec<i64> = (0..matrix.rank())
        .map(|axis| match axis {
            _ if axis == first => last - 2,
            _ if axis == second => last - 1,
            _ => others.next().unwrap_or_default(),
        })
        .collect();
    one(matrix.permute(&order))
}

fn diag(call: &Call) -> Outcome {
    let (x, offset) = (call.x()?, call.int(1, "diagonal")?.unwrap_or(0));
    if x.rank() == 1 { one(diagonal_matrix(x, offset)) } else { diagonal_from(&x, 0, 1, offset) }
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
        Entry::new("diag_embed", diag_embed),
        Entry::new("diagflat", |call| {
            one(diagonal_matrix(call.x()?.reshape([-1])?, call.int(1, "offset")?.unwrap_or(0)))
        }),
        Entry::new("diagonal", |call| diagonal(call, (0, 1))),
        Entry::new("linalg.diagonal", |call| diagonal(call, (-2, -1))),
        Entry::new("tril", |call| one(tril(call.x()?, call.int(1, "diagonal")?.unwrap_or(0)))),
        Entry::new("triu", |call| one(triu(call.x()?, call.int(1, "diagonal")?.unwrap_or(0)))),
    ]
}
