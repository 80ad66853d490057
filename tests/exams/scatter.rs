//! Elements that are written to indices, out of an op for the last axis. For the exams of other libraries.

use tensor_op::prelude::*;

/// How elements with one index become one.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Combine {
    Sum,
    Product,
    Max,
    Min,
    #[allow(dead_code, reason = "not every library has it")]
    Mean,
}

/// An op for rows: `x`, ids, and the source that is written to them.
pub(crate) type Op<'f> = &'f dyn Fn(Tensor, Tensor, Tensor) -> Result<Tensor>;

/// Combines each element with those that are written to it. A negative index counts from the end.
#[tensor_op(tests = false)]
pub(crate) fn combined(
    x: Tensor![.., n],
    ids: IntTensor![.., m],
    source: Tensor![.., m],
    by: Combine,
) -> Tensor![.., n] {
    let ids = select(ids < 0, ids + len(n), ids);
    match by {
        Combine::Sum => x + scatter_add(source, m, n = ids),
        Combine::Product => x * scatter_mul(source, m, n = ids),
        Combine::Max => maximum(x, scatter_max(source, m, n = ids)),
        Combine::Min => minimum(x, scatter_min(source, m, n = ids)),
        Combine::Mean => (x + scatter_add(source, m, n = ids)) / (1.0 + scatter_add(1.0, m, n = ids)),
    }
}

/// Replaces each element by those that are written to it.
#[tensor_op(tests = false)]
pub(crate) fn replaced(
    x: Tensor![.., n],
    ids: IntTensor![.., m],
    source: Tensor![.., m],
    by: Combine,
) -> Tensor![.., n] {
    let ids = select(ids < 0, ids + len(n), ids);
    let is_written = scatter_add(1, m, n = ids) > 0;
    match by {
        Combine::Sum => select(is_written, scatter_add(source, m, n = ids), x),
        Combine::Product => select(is_written, scatter_mul(source, m, n = ids), x),
        Combine::Max => select(is_written, scatter_max(source, m, n = ids), x),
        Combine::Min => select(is_written, scatter_min(source, m, n = ids), x),
        Combine::Mean => select(is_written, scatter_mean(source, m, n = ids), x),
    }
}

/// Replaces elements where no index occurs twice: the sum has one term.
pub(crate) fn set(x: Tensor, ids: Tensor, source: Tensor) -> Result<Tensor> {
    replaced(x, ids, source, Combine::Sum)
}

/// Writes a source along an axis. The other axes of the ids may be shorter than those of `x`, whose rest
/// stays, and than those of the source, whose rest is not read.
pub(crate) fn along(x: &Tensor, ids: &Tensor, source: &Tensor, axis: usize, op: Op<'_>) -> Result<Tensor> {
    if ids.elements() == 0 {
        return Ok(x.clone());
    }
    let (shape, own) = (x.shape(), ids.shape());
    if let Some(other) = (0..x.rank()).find(|other| *other != axis && own[*other] < shape[*other]) {
        let (place, size) = (other as i64, own[other] as i64);
        let written = along(&x.slice(place, ..size)?, ids, source, axis, op)?;
        return Tensor::cat(&[written, x.slice(place, size..)?], place);
    }
    let mut source = source.clone();
    for (axis, size) in own.iter().enumerate() {
        source = source.slice(axis as i64, ..*size as i64)?;
    }
    let last = |x: &Tensor| x.transpose(axis as i64, -1);
    last(&op(last(x)?, last(ids)?, last(&source)?)?)
}

/// Writes the rows of a source to the rows of `x`, by one id for each.
pub(crate) fn rows(x: &Tensor, ids: &Tensor, source: &Tensor, op: Op<'_>) -> Result<Tensor> {
    let shape = x.shape();
    let width = shape[1..].iter().product();
    let flat = |x: &Tensor, count: usize| x.reshape([count, width])?.transpose(0, 1);
    let count = ids.elements();
    let ids = ids.reshape([1, count])?.broadcast_to([width, count])?;
    op(flat(x, shape[0])?, ids, flat(source, count)?)?.transpose(0, 1)?.reshape(shape)
}
