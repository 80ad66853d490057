//! Ops whose formula is chosen by the kind of the elements: `NumTensor` and `AnyTensor`.

use tensor_op::prelude::*;
use tensor_op::{Element, Op};

#[tensor_op]
fn total(x: NumTensor, dim: Axes) -> NumTensor {
    sum(x, dim)
}

#[tensor_op]
fn reversed(x: AnyTensor![.., n]) -> AnyTensor![.., n] {
    at(x, n = len(n) - 1 - n)
}

/// The first tensor says the kind for all of them; another result has a kind of its own.
#[tensor_op]
fn chosen(keep: BoolTensor, x: NumTensor, y: Option<NumTensor>) -> (NumTensor, BoolTensor) {
    let y = y.unwrap_or(0);
    (select(keep, x, y), x > y)
}

/// Calls take the formula of the kind that a value has.
#[tensor_op]
fn ends(x: NumTensor![n], keep: BoolTensor![n]) -> (NumTensor![], BoolTensor![n]) {
    (self::total(self::reversed(x), n), self::reversed(keep))
}

/// A value of another kind than the op's own tensors.
#[tensor_op]
fn counted(x: NumTensor![n]) -> IntTensor![] {
    self::total(cast(x > 1, int), n)
}

fn tensor<T: Element, const N: usize>(values: [T; N]) -> Tensor {
    Tensor::from_vec(values.to_vec(), [N], &Device::default()).expect("sizes agree")
}

#[test]
fn each_kind_has_its_formula() -> Result<()> {
    assert_eq!(total(tensor([1.5, 2.0]), 0)?.item::<f64>()?, 3.5);
    assert_eq!(total(tensor([1_u8, 255]), ..)?.item::<i64>()?, 256);
    assert_eq!(reversed(tensor([1.5, 2.0]))?.to_vec::<f64>()?, [2.0, 1.5]);
    assert_eq!(reversed(tensor([i64::MAX, 2]))?.to_vec::<i64>()?, [2, i64::MAX]);
    assert_eq!(reversed(tensor([true, false, false]))?.to_vec::<bool>()?, [false, false, true]);
    assert_eq!(TotalFloat.spec().name(), "total_float");
    assert!(TotalInt.backward().is_none() && ReversedBool.backward().is_none());
    Ok(())
}

#[test]
fn floats_have_gradients() -> Result<()> {
    let x = tensor([1.5, 2.0]).require_grad();
    let gradients = total(&x, ..)?.backward()?;
    assert_eq!(gradients.get(&x).expect("it is tracked").to_vec::<f64>()?, [1.0, 1.0]);
    Ok(())
}

#[test]
fn several_tensors_have_one_kind() -> Result<()> {
    let keep = tensor([true, false]);
    let (y, larger) = chosen(&keep, tensor([1_i64, 2]), tensor([3_i64, 1]))?;
    assert_eq!((y.to_vec::<i64>()?, larger.to_vec::<bool>()?), (vec![1, 1], vec![false, true]));
    let (y, _) = chosen(&keep, tensor([1.5, 2.0]), None)?;
    assert_eq!(y.to_vec::<f64>()?, [1.5, 0.0]);

    let error = chosen(&keep, tensor([1.5, 2.0]), tensor([3_i64, 1])).unwrap_err().to_string();
    // The op is named as it is declared, and not by its formula.
    assert!(error.starts_with("chosen: `y`") && error.contains("i64"), "{error}");
    let wanted = "total: `x`: is bool, and the op takes floats or ints; cast it to one of them";
    assert_eq!(total(&keep, 0).unwrap_err().to_string(), wanted);
    let error = chosen(&keep, &keep, None).unwrap_err();
    assert_eq!((error.kind(), error.op()), (tensor_op::ErrorKind::DType, Some("chosen")));
    Ok(())
}

#[test]
fn calls_go_by_the_kind_of_a_value() -> Result<()> {
    let keep = tensor([true, false]);
    let (sum, other) = ends(tensor([1_i64, 2]), &keep)?;
    assert_eq!((sum.item::<i64>()?, other.to_vec::<bool>()?), (3, vec![false, true]));
    let (sum, _) = ends(tensor([0.5, 2.0]), &keep)?;
    assert_eq!(sum.item::<f64>()?, 2.5);
    assert_eq!(counted(tensor([0.5, 2.0, 4.0]))?.item::<i64>()?, 2);
    Ok(())
}
