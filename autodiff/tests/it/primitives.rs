//! Adjoints of the backend's primitives, as a composed op uses them.

use crate::check::check;
use crate::ops::{Diff, Tensor, ints, varied};
use tensor_op_core::{Backend, DType, Shape};
use tensor_op_ndarray::NdArray;
use tensor_op_spec::prim::{Fold, Prim};

#[test]
fn moving_elements() {
    let square = |x: Tensor| Diff::apply(Prim::Mul, vec![x.clone(), x]).unwrap();
    let x = || [varied(&[2, 3, 4], 0)];
    check("reshape", &x(), |x| square(Diff::reshape(x[0].clone(), Shape::new(&[6, 4])).unwrap()));
    check("permute", &x(), |x| square(Diff::permute(x[0].clone(), &[2, 0, 1]).unwrap()));
    check("slice", &x(), |x| square(Diff::slice(x[0].clone(), &[(0, 2, 1), (1, 3, 1), (0, 4, 3)]).unwrap()));
    check("expand", &[varied(&[2, 1, 3, 1], 0)], |x| {
        square(Diff::expand(x[0].clone(), Shape::new(&[2, 4, 3, 2])).unwrap())
    });
    check("expand to the same", &x(), |x| {
        square(Diff::expand(x[0].clone(), Shape::new(&[2, 3, 4])).unwrap())
    });
    check("slice_assign", &[varied(&[3, 4], 0), varied(&[2, 2], 1)], |x| {
        square(Diff::slice_assign(x[0].clone(), &[(0, 3, 2), (1, 3, 1)], x[1].clone()).unwrap())
    });
    check("cat", &[varied(&[2, 1], 0), varied(&[2, 3], 1), varied(&[2, 2], 2)], |x| {
        square(Diff::cat(x.to_vec(), 1).unwrap())
    });
}

#[test]
fn casts_carry_gradients_between_floats() {
    let x = varied(&[3], 0).require_grad();
    let y = Diff::cast(x.clone(), DType::F32).unwrap();
    let gradients = y.backward().unwrap();
    assert_eq!(NdArray::dtype(gradients.get(&x).unwrap()), DType::F64);
    assert!(!Diff::cast(x, DType::I64).unwrap().is_tracked());
}

#[test]
fn elementwise() {
    let unary = [
        Prim::Neg,
        Prim::Exp,
        Prim::Ln,
        Prim::Sqrt,
        Prim::Rsqrt,
        Prim::Recip,
        Prim::Sin,
        Prim::Tanh,
        Prim::Erf,
        Prim::Abs,
    ];
    for prim in unary {
        check(&format!("{prim:?}"), &[varied(&[5], 0)], |x| Diff::apply(prim, x.to_vec()).unwrap());
    }
    for prim in
        [Prim::Add, Prim::Sub, Prim::Mul, Prim::Div, Prim::Maximum, Prim::Minimum, Prim::Pow, Prim::Atan2]
    {
        check(&format!("{prim:?}"), &[varied(&[5], 0), varied(&[5], 1)], |x| {
            Diff::apply(prim, x.to_vec()).unwrap()
        });
    }
    check("select", &[varied(&[5], 0), varied(&[5], 1)], |x| {
        let less = Diff::apply(Prim::Lt, x.to_vec()).unwrap();
        assert!(!less.is_tracked());
        Diff::apply(Prim::Select, vec![less, x[0].clone(), x[1].clone()]).unwrap()
    });
}

#[test]
fn reductions() {
    for fold in [Fold::Sum, Fold::Prod, Fold::Max, Fold::Min] {
        for axes in [&[0usize][..], &[1], &[0, 2], &[0, 1, 2]] {
            let name = format!("{fold:?} over {axes:?}");
            check(&name, &[varied(&[2, 3, 2], 0)], |x| Diff::reduce(fold, x[0].clone(), axes).unwrap());
        }
    }
    let place = Diff::reduce(Fold::ArgMax, varied(&[3], 0).require_grad(), &[0]).unwrap();
    assert!(!place.is_tracked());
}

#[test]
fn products_and_indices() {
    check("matmul", &[varied(&[2, 3, 4], 0), varied(&[2, 4, 2], 1)], |x| {
        Diff::matmul(x[0].clone(), x[1].clone()).unwrap()
    });
    for axis in [0, 1] {
        let index = ints(&[1, 0, 1, 1, 0, 0], &[2, 3]);
        let source = if axis == 0 { [2, 3] } else { [2, 2] };
        check(&format!("gather {axis}"), &[varied(&source, 0)], |x| {
            Diff::gather(x[0].clone(), axis, index.clone()).unwrap()
        });
        check(&format!("scatter_add {axis}"), &[varied(&[2, 3], 0)], |x| {
            let sums = Diff::scatter_add(x[0].clone(), axis, index.clone(), 4).unwrap();
            Diff::apply(Prim::Mul, vec![sums.clone(), sums]).unwrap()
        });
    }
}

#[test]
fn wrong_arguments_of_primitives_are_errors() {
    let x = varied(&[2, 3], 0).require_grad();
    assert!(Diff::apply(Prim::Not, vec![x.clone()]).is_err());
    assert!(Diff::apply(Prim::Add, vec![x.clone(), ints(&[1], &[1])]).is_err());
    assert!(Diff::reshape(x.clone(), Shape::new(&[5])).is_err());
    assert!(Diff::gather(x, 0, ints(&[9, 9, 9], &[1, 3])).is_err());
}
