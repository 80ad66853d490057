//! What a primitive returns, as [`Backend`] describes it: the shape and dtype to which the bridge holds
//! backends that do not check themselves. `None` where the arguments are not what the trait promises, which
//! is for the backend to refuse.

use super::Range;
use super::erased::{ErasedTensor, peek};
use crate::{Backend, DType, Shape, check};
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
    Some((check::reduce(fold, &shape, dtype, axes).ok()?, check::reduce_dtype(fold, dtype)))
}

pub(super) fn matmul((lhs, dtype): Form, (rhs, other): Form) -> Option<Form> {
    Some((check::matmul((&lhs, dtype), (&rhs, other)).ok()?, dtype))
}

pub(super) fn gather((shape, dtype): Form, axis: usize, (index, ints): Form) -> Option<Form> {
    Some((check::gather(&shape, axis, (&index, ints)).ok()?, dtype))
}

pub(super) fn scatter_add(
    (shape, dtype): Form,
    axis: usize,
    (index, ints): Form,
    size: usize,
) -> Option<Form> {
    Some((check::scatter_add(&shape, axis, (&index, ints), size).ok()?, dtype))
}

pub(super) fn permute((shape, dtype): Form, axes: &[usize]) -> Option<Form> {
    Some((check::permute(&shape, axes).ok()?, dtype))
}

pub(super) fn slice((shape, dtype): Form, ranges: &[Range]) -> Option<Form> {
    Some((check::slice(&shape, ranges).ok()?, dtype))
}

pub(super) fn cat(tensors: &[Form], axis: usize) -> Option<Form> {
    let forms: Vec<(&Shape, DType)> = tensors.iter().map(|(shape, dtype)| (shape, *dtype)).collect();
    Some((check::cat(&forms, axis).ok()?, forms.first()?.1))
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
        assert_eq!(reduce(Fold::ArgMax, of(&[2, 3], DType::F16), &[0, 1]), Some(of(&[], DType::I64)));
        assert_eq!(reduce(Fold::ArgMax, x(), &[0, 1, 2]), None);
        assert_eq!(reduce(Fold::Any, of(&[3], DType::Bool), &[0]), Some(of(&[], DType::Bool)));
        let [lhs, rhs] = [[4, 2, 0], [4, 0, 3]].map(|sizes| of(&sizes, DType::F64));
        assert_eq!(matmul(lhs, rhs), Some(of(&[4, 2, 3], DType::F64)));
        let index = || of(&[2, 7, 5], DType::I32);
        assert_eq!(gather(x(), 1, index()), Some(of(&[2, 7, 5], DType::F16)));
        let source = of(&[2, 7, 5], DType::F16);
        assert_eq!(scatter_add(source, 1, index(), 9), Some(of(&[2, 9, 5], DType::F16)));
        assert_eq!(permute(x(), &[2, 0, 1]), Some(of(&[5, 2, 0], DType::F16)));
        assert_eq!(permute(x(), &[3, 0, 1]), None);
        // Steps that do not divide, and no elements.
        assert_eq!(slice(of(&[8, 5], DType::U8), &[(1, 8, 3), (2, 2, 1)]), Some(of(&[3, 0], DType::U8)));
        assert_eq!(cat(&[x(), of(&[2, 3, 5], DType::F16)], 1), Some(of(&[2, 3, 5], DType::F16)));
    }
}
