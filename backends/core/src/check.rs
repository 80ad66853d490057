//! Checks the operands of the structural primitives of a [`Backend`](crate::Backend): shapes and axes must
//! fit, or there is an `Err` that says what is wrong.
//!
//! Most functions return the shape of the result. Backends call them first, so that no backend reads or
//! writes outside of a tensor, whatever the caller passed.

use crate::{DType, Error, ErrorKind, Result, Shape};
use tensor_op_spec::ir::Kind;
use tensor_op_spec::prim::{Fold, Group, Prim};

/// Checks an elementwise primitive: all operands have one shape, and operands of one kind have one dtype. If
/// the result is a float, so is an operand, which gives the dtype.
pub fn apply(prim: Prim, operands: &[(&Shape, DType)]) -> Result<()> {
    let of_op = |kind, message: String| Err(Error::new(kind, message).with_op(prim.name()));
    let Some((shape, dtype)) = operands.last() else { return Ok(()) };
    if let Group::Draw(_) = prim.group() {
        return of_op(ErrorKind::DType, "no operand gives the dtype of the result".to_string());
    }
    for (other_shape, other) in operands {
        if other_shape != shape {
            let message = format!("operands have shapes {other_shape} and {shape}; broadcast them first");
            return of_op(ErrorKind::Shape, message);
        }
        if other.kind() == dtype.kind() && other != dtype {
            return of_op(ErrorKind::DType, format!("operands are {other} and {dtype}; cast one of them"));
        }
    }
    Ok(())
}

/// Checks a reduction over ascending axes. A fold that needs elements may have none only if the result is
/// empty too.
pub fn reduce(fold: Fold, shape: &Shape, dtype: DType, axes: &[usize]) -> Result<Shape> {
    let of_op = |kind, message: String| Err(Error::new(kind, message).with_op(fold.name()));
    if !fold.accepts(dtype.kind()) {
        return of_op(ErrorKind::DType, format!("does not take elements of {dtype}"));
    }
    if !axes.is_sorted_by(|a, b| a < b) || axes.last().is_some_and(|axis| *axis >= shape.rank()) {
        return of_op(ErrorKind::Rank, format!("{axes:?} are not axes of shape {shape} in ascending order"));
    }
    let kept = (0..shape.rank()).filter(|axis| !axes.contains(axis));
    let result: Shape = kept.map(|axis| shape[axis]).collect();
    let has_value = !fold.needs_elements() || result.contains(&0);
    match axes.iter().find(|axis| !has_value && shape[**axis] == 0) {
        None => Ok(result),
        Some(axis) => {
            let name = fold.name();
            let message =
                format!("axis {axis} of shape {shape} is empty, and {name} over no elements has no value");
            of_op(ErrorKind::Empty, message)
        }
    }
}

/// Checks a batched matrix product: `[b, m, k]` and `[b, k, n]`, floats of one dtype.
pub fn matmul((lhs, l): (&Shape, DType), (rhs, r): (&Shape, DType)) -> Result<Shape> {
    if l.kind() != Kind::Float || l != r {
        let message = format!("the factors are {l} and {r}; they must be floats of one dtype");
        return Err(Error::new(ErrorKind::DType, message));
    }
    match (&lhs[..], &rhs[..]) {
        ([b, m, k], [b2, k2, n]) if b == b2 && k == k2 => {
            let result = Shape::new(&[*b, *m, *n]);
            result.elements()?;
            Ok(result)
        }
        (lhs, rhs) => {
            let message =
                format!("shapes {lhs:?} and {rhs:?} don't multiply; they must be [b, m, k] and [b, k, n]");
            Err(Error::new(ErrorKind::Shape, message))
        }
    }
}

/// Dtype of a reduction of elements of a dtype.
pub fn reduce_dtype(fold: Fold, dtype: DType) -> DType {
    if fold.finds_position() { DType::I64 } else { dtype }
}

/// Of a gather: an index of ints that has the tensor's sizes but along the axis. The result has the shape of
/// the index.
pub fn gather(shape: &Shape, axis: usize, (index, dtype): (&Shape, DType)) -> Result<Shape> {
    check_index(shape, axis, index, dtype, |at| at == axis)?;
    Ok(index.clone())
}

/// Checks a sum at indices of an axis of this size: the index has ints, and the shape of the source.
pub fn scatter_add(
    source: &Shape,
    axis: usize,
    (index, dtype): (&Shape, DType),
    size: usize,
) -> Result<Shape> {
    check_index(source, axis, index, dtype, |_| false)?;
    let mut result = source.clone();
    result[axis] = size;
    result.elements()?;
    Ok(result)
}

fn check_index(
    shape: &Shape,
    axis: usize,
    index: &Shape,
    dtype: DType,
    may_differ: impl Fn(usize) -> bool,
) -> Result<()> {
    if axis >= shape.rank() {
        return Err(Error::new(ErrorKind::Rank, format!("axis {axis} is out of range for shape {shape}")));
    }
    if dtype.kind() != Kind::Int {
        let message = format!("an index of {dtype} was given; it must be i64, i32, u32 or u8");
        return Err(Error::new(ErrorKind::DType, message));
    }
    let fits = |at: usize| shape[at] == index[at] || may_differ(at);
    if shape.rank() == index.rank() && (0..shape.rank()).all(fits) {
        return Ok(());
    }
    let message = format!("an index of shape {index} does not fit shape {shape} at axis {axis}");
    Err(Error::new(ErrorKind::Shape, message))
}

/// Checks a change of shape: the number of elements stays the same.
pub fn reshape(from: &Shape, to: &Shape) -> Result<()> {
    let elements = from.elements()?;
    if elements == to.elements()? {
        return Ok(());
    }
    let message = format!("shape {from} can't become {to}: it has {elements} elements");
    Err(Error::new(ErrorKind::Shape, message))
}

/// Checks a permutation: each axis occurs once.
pub fn permute(shape: &Shape, axes: &[usize]) -> Result<Shape> {
    let mut sorted = axes.to_vec();
    sorted.sort_unstable();
    if sorted.into_iter().eq(0..shape.rank()) {
        return Ok(axes.iter().map(|axis| shape[*axis]).collect());
    }
    let message = format!("{axes:?} is not an order of the {} axes of shape {shape}", shape.rank());
    Err(Error::new(ErrorKind::Rank, message))
}

/// Checks a broadcast: the rank stays the same, and axes of size 1 may get any size.
pub fn expand(from: &Shape, to: &Shape) -> Result<()> {
    to.elements()?;
    if from.rank() == to.rank() && from.iter().zip(to.iter()).all(|(from, to)| from == to || *from == 1) {
        return Ok(());
    }
    let message = format!("shape {from} does not broadcast to {to}: sizes must be equal or 1");
    Err(Error::new(ErrorKind::Shape, message))
}

/// Checks a slice: for each axis a start, an end that is in range and not before the start, and a step that
/// is not 0.
pub fn slice(shape: &Shape, ranges: &[(usize, usize, usize)]) -> Result<Shape> {
    if ranges.len() != shape.rank() {
        let message = format!("{} ranges were given for shape {shape}", ranges.len());
        return Err(Error::new(ErrorKind::Rank, message));
    }
    for (axis, (&(start, end, step), &size)) in ranges.iter().zip(shape.iter()).enumerate() {
        if start > end || end > size || step == 0 {
            let message =
                format!("the range {start}..{end} by {step} does not fit axis {axis} of size {size}");
            return Err(Error::new(ErrorKind::Shape, message));
        }
    }
    Ok(ranges.iter().map(|(start, end, step)| (end - start).div_ceil(*step)).collect())
}

/// Checks the assignment to a slice: the slice as in [`slice()`], and a source with its shape and the
/// tensor's dtype.
pub fn slice_assign(
    (into, dtype): (&Shape, DType),
    ranges: &[(usize, usize, usize)],
    (source, source_dtype): (&Shape, DType),
) -> Result<()> {
    let part = slice(into, ranges)?;
    if part != *source {
        let message = format!("the slice has shape {part}, but {source} was given to put there");
        return Err(Error::new(ErrorKind::Shape, message));
    }
    check_alike(dtype, source_dtype)
}

/// Checks a join along an axis: there is at least one tensor, and all have one dtype and the same sizes along
/// all other axes.
pub fn cat(tensors: &[(&Shape, DType)], axis: usize) -> Result<Shape> {
    let Some((first, dtype)) = tensors.first() else {
        return Err(Error::new(ErrorKind::Length, "no tensors to join; give at least one"));
    };
    if axis >= first.rank() {
        return Err(Error::new(ErrorKind::Rank, format!("axis {axis} is out of range for shape {first}")));
    }
    let mut result = Shape::clone(first);
    result[axis] = 0;
    for (shape, other) in tensors {
        let fits =
            shape.rank() == first.rank() && (0..first.rank()).all(|at| at == axis || shape[at] == first[at]);
        if !fits {
            let message = format!("shapes {first} and {shape} differ off axis {axis}");
            return Err(Error::new(ErrorKind::Shape, message));
        }
        check_alike(*dtype, *other)?;
        result[axis] = result[axis].saturating_add(shape[axis]);
    }
    result.elements()?;
    Ok(result)
}

fn check_alike(one: DType, other: DType) -> Result<()> {
    if one == other {
        return Ok(());
    }
    Err(Error::new(ErrorKind::DType, format!("the tensors are {one} and {other}; cast one of them")))
}
