//! Einstein's sums: values of PyTorch and NumPy (`make.py`), gradients, and mistakes.

use tensor_op::prelude::*;
use tensor_op::{ErrorKind, einsum, grad, hessian_vector_product};

/// A case is one line: the equation, the shapes of the operands, and the shape and the elements of the
/// result.
const CASES: &str = include_str!("cases.txt");

fn numbers(text: &str) -> Vec<usize> {
    text.split_whitespace().map(|size| size.parse().unwrap()).collect()
}

/// Small whole numbers, as `make.py` makes them.
fn operand(place: usize, shape: &[usize], dtype: DType) -> Tensor {
    let count = shape.iter().product();
    let elements = (0..count).map(|i: usize| ((i * 7 + place * 3) % 11) as f64 - 5.0).collect();
    let x: Tensor = Tensor::from_vec::<f64>(elements, shape.to_vec(), &Device::default()).unwrap();
    x.cast(dtype).unwrap()
}

struct Case {
    equation: &'static str,
    shapes: Vec<Vec<usize>>,
    shape: Vec<usize>,
    elements: Vec<f64>,
}

impl Case {
    fn operands(&self, dtype: DType) -> Vec<Tensor> {
        self.shapes.iter().enumerate().map(|(place, shape)| operand(place, shape, dtype)).collect()
    }
}

fn cases() -> Vec<Case> {
    let case = |line: &'static str| {
        let parts: Vec<&str> = line.split('|').map(str::trim).collect();
        let [equation, shapes, shape, elements] = parts[..] else { panic!("{line}") };
        Case {
            equation,
            shapes: shapes.split(';').map(numbers).collect(),
            shape: numbers(shape),
            elements: elements.split_whitespace().map(|x| x.parse().unwrap()).collect(),
        }
    };
    let cases: Vec<Case> = CASES.lines().map(case).collect();
    assert!(cases.len() > 50, "{} cases", cases.len());
    cases
}

/// Whole numbers, so that the order of a sum does not matter.
#[test]
fn values_are_those_of_pytorch_and_numpy() {
    for case in cases() {
        for dtype in [DType::F64, DType::F32, DType::I32] {
            let y = einsum(case.equation, &case.operands(dtype)).unwrap();
            assert_eq!(y.shape().to_vec(), case.shape, "{}", case.equation);
            let y = y.cast(DType::F64).unwrap();
            assert_eq!(y.to_vec::<f64>().unwrap(), case.elements, "{} of {dtype}", case.equation);
        }
    }
}

/// A sum of products is linear in each operand, so its gradient times the operand is its value.
#[test]
fn gradients_are_those_of_a_linear_function() {
    for case in cases() {
        let weight = operand(5, &case.shape, DType::F64);
        let loss = |x: &[Tensor]| (einsum(case.equation, x)? * &weight)?.sum(..);
        let x = case.operands(DType::F64);
        let value: f64 = loss(&x).unwrap().item().unwrap();
        for (place, (x, slope)) in x.iter().zip(grad(loss)(&x).unwrap()).enumerate() {
            assert_eq!(slope.shape(), x.shape());
            let along: f64 = (x * slope).unwrap().sum(..).unwrap().item().unwrap();
            assert_eq!(along, value, "{}, operand {place}", case.equation);
        }
    }
}

#[test]
fn second_derivatives_of_a_quadratic_form() {
    let x = operand(0, &[3], DType::F64);
    let a = operand(1, &[3, 3], DType::F64);
    let v = operand(2, &[3], DType::F64);
    let form = |x: &[Tensor]| einsum("i,ij,j->", &[&x[0], &a, &x[0]]);
    let found = hessian_vector_product(form, &[x], std::slice::from_ref(&v)).unwrap();
    let wanted = (einsum("ij,j", &[&a, &v]).unwrap() + einsum("ji,j", &[&a, &v]).unwrap()).unwrap();
    assert_eq!(found[0].to_vec::<f64>().unwrap(), wanted.to_vec::<f64>().unwrap());
}

/// A sum of two indices over many elements is made in the order that the formula has, so the bits are equal.
#[test]
fn the_same_bits_as_the_formula() {
    #[tensor_op(tests = false)]
    fn product(x: Tensor![b, i, j], y: Tensor![b, j, k]) -> Tensor![b, i, k] {
        sum(x * y, j)
    }
    let of = |place, shape: &[usize]| (operand(place, shape, DType::F32) * 0.1).unwrap();
    let (x, y) = (of(0, &[2, 33, 70]), of(1, &[2, 70, 41]));
    let found = einsum("bij,bjk->bik", &[&x, &y]).unwrap().to_vec::<f32>().unwrap();
    assert_eq!(found, product(&x, &y).unwrap().to_vec::<f32>().unwrap());
}

#[test]
fn ints_have_the_dtypes_of_a_formula() {
    let x = operand(0, &[2, 2], DType::I32);
    assert_eq!(einsum("ij->ji", &[&x]).unwrap().dtype(), DType::I32);
    assert_eq!(einsum("ij,ij->ij", &[&x, &x]).unwrap().dtype(), DType::I32);
    assert_eq!(einsum("ij->", &[&x]).unwrap().dtype(), DType::I64);
}

/// PyTorch sums over `...` if the result lacks it. NumPy refuses it.
#[test]
fn the_axes_without_letters_may_be_summed() {
    let x = operand(0, &[2, 3, 2], DType::F64);
    let sums = x.sum([0, 1]).unwrap();
    let found = einsum("...i->i", &[&x]).unwrap();
    assert_eq!(found.to_vec::<f64>().unwrap(), sums.to_vec::<f64>().unwrap());
}

#[test]
fn operands_that_do_not_fit_are_named() {
    let of = |shape: &[usize]| operand(0, shape, DType::F32);
    // The equation, the shapes, and the error.
    let cases: [(&str, &[&[usize]], &str); 6] = [
        ("ij,jk", &[&[2, 3], &[4, 2]], "operand 1: `j` has size 4 here, and size 3 in operand 0"),
        ("ij,j", &[&[2, 3], &[3, 1]], "operand 1: the equation has 1 axes for it, and its shape is [3, 1]"),
        ("ij...", &[&[2]], "operand 0: the equation has at least 2 axes for it, and its shape is [2]"),
        ("ii", &[&[2, 3]], "operand 0: `i` has sizes 2 and 3 in its shape [2, 3]"),
        ("ii", &[&[1, 3]], "operand 0: `i` has sizes 1 and 3 in its shape [1, 3]"),
        (
            "...,...",
            &[&[2], &[3]],
            "operand 1: axis 0, of `...`, has size 3, and size 2 in an operand before",
        ),
    ];
    for (equation, shapes, message) in cases {
        let operands: Vec<Tensor> = shapes.iter().map(|shape| of(shape)).collect();
        let error = einsum(equation, &operands).unwrap_err();
        assert_eq!(error.to_string(), format!("einsum: {message}"), "{equation}");
    }
    let error = einsum("i,i", &[of(&[2]), operand(0, &[2], DType::F64)]).unwrap_err();
    assert_eq!(error.to_string(), "einsum: operand 1 is f64, and operand 0 is f32; cast one of them");
    let error = einsum("i", &[of(&[2]).cast(DType::Bool).unwrap()]).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::DType);
    assert!(einsum::<Tensor>("", &[]).is_err());
}
