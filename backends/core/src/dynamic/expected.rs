//! What a primitive returns, as [`Backend`] describes it: the shape and dtype to which the bridge holds
//! backends that do not check themselves. `None` where the arguments are not what the trait promises, which
//! is for the backend to refuse.

use super::Range;
use super::erased::{ErasedTensor, peek};
use crate::{Backend, DType, Shape};
use tensor_op_spec::ir::Kind;
use tensor_op_spec::prim::{Fold, Prim};

/// The shape and dtype of a tensor.
pub(super) type Form = (Shape, DType);

pub(super) fn form<B: Backend>(tensor: &dyn ErasedTensor) -> Form {
    let tensor = peek::<B>(tensor);
    (B::shape(tensor), B::dtype(tensor))
}

pub(super) fn apply(prim: Prim, args: &[Form]) -> Option<Form> {
    let kinds: Vec<Kind> = args.iter().map(|(_, dtype)| dtype.kind()).collect();
    let (shape, dtype) = args.last()?.clone();
    let dtype = if prim.result_kind(&kinds)? == Kind::Bool { DType::Bool } else { dtype };
    Some((shape, dtype))
}

pub(super) fn reduce(fold: Fold, (shape, dtype): Form, axes: &[usize]) -> Option<Form> {
    let kept = shape.iter().enumerate().filter(|(axis, _)| !axes.contains(axis));
    let dtype = if fold.finds_position() { DType::I64 } else { dtype };
    Some((kept.map(|(_, size)| *size).collect(), dtype))
}

pub(super) fn matmul((lhs, dtype): Form, (rhs, _): Form) -> Option<Form> {
    let ([batch, rows, _], [_, _, columns]) = (&lhs[..], &rhs[..]) else { return None };
    Some(([*batch, *rows, *columns].into(), dtype))
}

pub(super) fn gather((_, dtype): Form, (index, _): Form) -> Option<Form> {
    Some((index, dtype))
}

pub(super) fn scatter_add((mut shape, dtype): Form, axis: usize, size: usize) -> Option<Form> {
    *shape.get_mut(axis)? = size;
    Some((shape, dtype))
}

pub(super) fn permute((shape, dtype): Form, axes: &[usize]) -> Option<Form> {
    let sizes: Option<Shape> = axes.iter().map(|axis| shape.get(*axis).copied()).collect();
    Some((sizes?, dtype))
}

pub(super) fn slice((_, dtype): Form, ranges: &[Range]) -> Option<Form> {
    let size = |(start, end, step): &Range| end.checked_sub(*start)?.div_ceil((*step).max(1)).into();
    Some((ranges.iter().map(size).collect::<Option<Shape>>()?, dtype))
}

pub(super) fn cat(tensors: &[Form], axis: usize) -> Option<Form> {
    let (mut shape, dtype) = tensors.first()?.clone();
    *shape.get_mut(axis)? =
        tensors.iter().map(|(shape, _)| shape.get(axis).copied()).sum::<Option<usize>>()?;
    Some((shape, dtype))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(sizes: &[usize], dtype: DType) -> Form {
        (Shape::new(sizes), dtype)
    }

    #[test]
    fn forms_are_those_of_the_trait() {
        let x = || of(&[2, 0, 5], DType::F16);
        let select = [of(&[], DType::Bool), of(&[], DType::BF16), of(&[], DType::BF16)];
        assert_eq!(apply(Prim::Select, &select), Some(of(&[], DType::BF16)));
        assert_eq!(apply(Prim::Lt, &[x(), x()]), Some(of(&[2, 0, 5], DType::Bool)));
        assert_eq!(apply(Prim::Add, &[]), None);
        assert_eq!(reduce(Fold::Sum, x(), &[0, 2]), Some(of(&[0], DType::F16)));
        assert_eq!(reduce(Fold::ArgMax, x(), &[0, 1, 2]), Some(of(&[], DType::I64)));
        assert_eq!(reduce(Fold::Any, of(&[3], DType::Bool), &[0]), Some(of(&[], DType::Bool)));
        let [lhs, rhs] = [[4, 2, 0], [4, 0, 3]].map(|sizes| of(&sizes, DType::F64));
        assert_eq!(matmul(lhs, rhs), Some(of(&[4, 2, 3], DType::F64)));
        let index = || of(&[2, 7, 5], DType::I32);
        assert_eq!(gather(x(), index()), Some(of(&[2, 7, 5], DType::F16)));
        assert_eq!(scatter_add(x(), 1, 9), Some(of(&[2, 9, 5], DType::F16)));
        assert_eq!(permute(x(), &[2, 0, 1]), Some(of(&[5, 2, 0], DType::F16)));
        assert_eq!(permute(x(), &[3, 0, 1]), None);
        // Steps that do not divide, and no elements.
        assert_eq!(slice(of(&[8, 5], DType::U8), &[(1, 8, 3), (2, 2, 1)]), Some(of(&[3, 0], DType::U8)));
        assert_eq!(cat(&[x(), of(&[2, 3, 5], DType::F16)], 1), Some(of(&[2, 3, 5], DType::F16)));
    }
}
