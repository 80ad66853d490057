//! Losses of classes out of ops of the catalogue, for the exams of other libraries.

use tensor_op::catalogue::losses;
use tensor_op::{Reduction, prelude::*};

/// The target, or this class where the target is ignored.
#[tensor_op(tests = false)]
fn or_class(target: IntTensor, ignored: i64, class: i64) -> IntTensor {
    select(target == ignored, class, target)
}

/// The loss of logarithms of probabilities, `[b, c, ..]`. A target that is ignored is one more class, whose
/// weight is 0.
pub(crate) fn nll_loss(
    x: &Tensor,
    target: &Tensor,
    weight: &Option<Tensor>,
    ignored: Option<i64>,
    reduction: Reduction,
) -> Result<Tensor> {
    let classes = x.shape()[1];
    let rows = x.transpose(1, -1)?.reshape([-1, classes as i64])?;
    let ids = if x.rank() > 2 { target.unsqueeze(1)?.transpose(1, -1)? } else { target.clone() };
    let flat = ids.reshape([-1])?;
    let loss = match ignored {
        None => losses::nll_loss(rows, flat, weight, reduction)?,
        Some(ignored) => {
            let zeros = |shape: &[usize]| Tensor::zeros(shape, x.dtype(), &x.device());
            let ones = || Tensor::ones([classes], x.dtype(), &x.device());
            let weight = weight.clone().map_or_else(ones, Ok)?;
            let weight = Tensor::cat(&[weight, zeros(&[1])?], 0)?;
            let rows = Tensor::cat(&[rows.clone(), zeros(&[rows.shape()[0], 1])?], 1)?;
            losses::nll_loss(rows, or_class(flat, ignored, classes as i64)?, weight, reduction)?
        }
    };
    if reduction != Reduction::None {
        return Ok(loss);
    }
    let found = loss.reshape(ids.shape())?;
    if x.rank() > 2 { found.transpose(1, -1)?.squeeze(1) } else { Ok(found) }
}
