//! Names of users that must not conflict with those in generated functions.

use crate::burn::Tensor;
use crate::burn::tensor::{Device, Int};
use tensor_op::tensor_op;

/// Types of users that have the names of the rank parameters.
mod types {
    use tensor_op::tensor_op;

    pub(super) struct D;
    pub(super) struct D2;

    #[derive(Clone, Copy)]
    pub(super) enum K {
        Kept,
        Negated,
    }

    #[tensor_op(burn, tests = false)]
    pub(super) fn total(x: Tensor, axis: Axis) -> Tensor {
        sum(x, axis)
    }
}

mod args {
    use tensor_op::tensor_op;

    #[tensor_op(burn, tests = false)]
    #[allow(non_snake_case)]
    pub(super) fn total(D: Tensor, axis: Axis) -> Tensor {
        sum(D, axis)
    }
}

use types::K;

/// The type parameter for the kind has another name than the enum.
#[tensor_op(burn, tests = false)]
fn k(x: NumTensor, k: K) -> NumTensor {
    match k {
        K::Kept => x,
        K::Negated => -x,
    }
}

#[tensor_op(burn, tests = false)]
fn d(x: Tensor, axis: Axis) -> Tensor {
    sum(x, axis)
}

#[tensor_op(burn, tests = false)]
fn d2(x: Tensor, axis: Axis) -> Tensor {
    sum(x, axis)
}

#[test]
fn ranks_hide_no_type_op_or_argument() {
    let (types::D, types::D2) = (types::D, types::D2);
    for total in [types::total, args::total, d, d2] {
        let sums: Tensor<1> = total(Tensor::<2>::ones([2, 3], &Device::flex()), 1);
        assert_eq!(sums.into_data().iter::<f32>().collect::<Vec<_>>(), [3.0, 3.0]);
    }
}

#[test]
fn kinds_hide_no_enum() {
    let x = Tensor::<1, Int>::from_ints([1, -2], &Device::flex());
    assert!(k(x.clone(), K::Kept).equal(x.clone()).all().into_scalar::<bool>());
    assert!(k(x.clone(), K::Negated).equal(-x).all().into_scalar::<bool>());
}
