//! The argument `dim` of functions around ops: an op has the first or the last axis, and a call chooses any.

use crate::{Error, ErrorKind, Result, Tensor};

/// Runs an op of the first axis along the axis `dim`. As in PyTorch, a tensor without axes counts as one of
/// one element.
pub(super) fn on_first(
    input: &Tensor,
    dim: i64,
    op: impl FnOnce(Tensor) -> Result<Tensor>,
) -> Result<Tensor> {
    let whole = with_axis(input)?;
    let axis = axis(&whole, dim)? as i64;
    let found = op(whole.transpose(0, axis)?)?.transpose(0, axis)?;
    if input.rank() == 0 { found.reshape(input.shape()) } else { Ok(found) }
}

/// The axis that `dim` names.
pub(super) fn axis(x: &Tensor, dim: i64) -> Result<usize> {
    x.shape().axis(dim).map_err(|error| error.with_arg("dim"))
}

/// The tensor, with an axis if it has none.
pub(super) fn with_axis(x: &Tensor) -> Result<Tensor> {
    if x.rank() == 0 { x.reshape([1]) } else { Ok(x.clone()) }
}

/// The first elements of `x` along each axis, as many as `index` has there; along the axis `but` all of them.
pub(super) fn cut(mut x: Tensor, name: &str, index: &Tensor, but: Option<usize>) -> Result<Tensor> {
    let (own, sizes) = (x.shape(), index.shape());
    let wrong = |kind, message: String| Err(Error::new(kind, message).with_arg(name));
    if own.rank() != sizes.rank() {
        let message = format!("has shape {own}, and `index` has shape {sizes}: both need as many axes");
        return wrong(ErrorKind::Rank, message);
    }
    for axis in (0..own.rank()).filter(|axis| Some(*axis) != but) {
        if own[axis] < sizes[axis] {
            let message = format!(
                "has size {} along axis {axis}: cut `index`, which has size {}",
                own[axis], sizes[axis]
            );
            return wrong(ErrorKind::Shape, message);
        }
        if own[axis] > sizes[axis] {
            x = x.slice(axis as i64, ..sizes[axis] as i64)?;
        }
    }
    Ok(x)
}

/// An `Err` unless `x` has the shape of `input` along all axes but this one.
pub(super) fn fits(x: &Tensor, name: &str, input: &Tensor, axis: usize) -> Result<()> {
    let (own, sizes) = (x.shape(), input.shape());
    let others = |other: &usize| *other != axis;
    if own.rank() == sizes.rank() && (0..own.rank()).filter(others).all(|axis| own[axis] == sizes[axis]) {
        return Ok(());
    }
    let message = format!("has shape {own}: it needs that of `input`, {sizes}, along all axes but {axis}");
    Err(Error::new(ErrorKind::Shape, message).with_arg(name))
}

/// The error of a function around an op. Of an index out of range the argument is named too, since the dims
/// of the op are not those of a call.
pub(super) fn named(error: Error, function: &str, index: &str) -> Error {
    let error = error.renamed(function);
    let is_of_index = matches!(error.kind(), ErrorKind::Index | ErrorKind::Empty);
    if is_of_index { error.with_arg(index) } else { error }
}
