//! Reductions over several axes, made of reductions over one axis.

use super::kinds::{full, is_empty};
use super::{Adapter, AdapterTensor};
use crate::backend::OpBackend;
use crate::dtype::int;
use crate::tensor::OpTensor;
use tensor_op_core::{Backend as _, DType, Error, ErrorKind, Result, Shape, check};
use tensor_op_spec::prim::Fold;

/// Reduces a tensor over axes, which are removed from the shape.
pub(super) fn reduce<B: OpBackend>(
    fold: Fold,
    tensor: AdapterTensor<B>,
    axes: &[usize],
) -> Result<AdapterTensor<B>> {
    let shape = tensor.tensor.shape();
    let kept: Shape = (0..shape.rank()).filter(|axis| !axes.contains(axis)).map(|axis| shape[axis]).collect();
    if is_empty(&tensor.tensor) {
        return of_nothing(fold, &tensor, kept);
    }
    let reduced = if fold.finds_position() {
        position(fold, tensor, axes)?
    } else {
        let along = |tensor, axis: &usize| along::<B>(fold, tensor, *axis);
        axes.iter().try_fold(tensor.tensor, along)?
    };
    Adapter::<B>::reshape(AdapterTensor::new(reduced), kept)
}

/// Reduces a tensor over one axis, which stays with size 1.
fn along<B: OpBackend>(fold: Fold, tensor: OpTensor<B>, axis: usize) -> Result<OpTensor<B>> {
    Ok(match (tensor, fold) {
        (OpTensor::Float(x), Fold::Sum) => OpTensor::Float(B::float_sum_dim(x, axis)),
        (OpTensor::Float(x), Fold::Prod) => OpTensor::Float(B::float_prod_dim(x, axis)),
        (OpTensor::Float(x), Fold::Max) => OpTensor::Float(B::float_max_dim(x, axis)),
        (OpTensor::Float(x), Fold::Min) => OpTensor::Float(B::float_min_dim(x, axis)),
        (OpTensor::Int(x), Fold::Sum) => OpTensor::Int(B::int_sum_dim(x, axis)),
        (OpTensor::Int(x), Fold::Prod) => OpTensor::Int(B::int_prod_dim(x, axis)),
        (OpTensor::Int(x), Fold::Max) => OpTensor::Int(B::int_max_dim(x, axis)),
        (OpTensor::Int(x), Fold::Min) => OpTensor::Int(B::int_min_dim(x, axis)),
        (OpTensor::Bool(x), Fold::Any) => OpTensor::Bool(B::bool_any_dim(x, axis)),
        (OpTensor::Bool(x), Fold::All) => OpTensor::Bool(B::bool_all_dim(x, axis)),
        (OpTensor::Float(_) | OpTensor::Int(_) | OpTensor::Bool(_), fold) => {
            let message = format!("{} does not take elements of this kind", fold.name());
            return Err(Error::new(ErrorKind::DType, message));
        }
    })
}

/// The position of the best element, counted row-major over the axes. The axes are merged into the last one.
fn position<B: OpBackend>(fold: Fold, tensor: AdapterTensor<B>, axes: &[usize]) -> Result<OpTensor<B>> {
    let shape = tensor.tensor.shape();
    let kept: Vec<usize> = (0..shape.rank()).filter(|axis| !axes.contains(axis)).collect();
    let order: Vec<usize> = kept.iter().chain(axes).copied().collect();
    let row: usize = axes.iter().map(|axis| shape[*axis]).product();
    let sizes: Shape = kept.iter().map(|axis| shape[*axis]).chain([row]).collect();
    let rows = Adapter::<B>::reshape(Adapter::<B>::permute(tensor, &order)?, sizes)?;
    let (last, index) = (kept.len(), int(DType::I64));
    let at = match (rows.tensor, fold) {
        (OpTensor::Float(x), Fold::ArgMax) => B::float_argmax(x, last, index),
        (OpTensor::Float(x), _) => B::float_argmin(x, last, index),
        (OpTensor::Int(x), Fold::ArgMax) => B::int_argmax(x, last),
        (OpTensor::Int(x), _) => B::int_argmin(x, last),
        (OpTensor::Bool(_), _) => return Err(Error::new(ErrorKind::DType, "bools have no order")),
    };
    Ok(OpTensor::Int(B::int_cast(at, index)))
}

/// A reduction over no elements, or one with an empty result.
fn of_nothing<B: OpBackend>(fold: Fold, tensor: &AdapterTensor<B>, kept: Shape) -> Result<AdapterTensor<B>> {
    if fold.needs_elements() && !kept.contains(&0) {
        return Err(Error::new(ErrorKind::Empty, format!("{} of no elements", fold.name())));
    }
    let dtype = check::reduce_dtype(fold, tensor.tensor.dtype()?);
    full(kept, fold.of_nothing(dtype.kind()), dtype, &tensor.tensor.device())
}
