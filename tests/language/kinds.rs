//! Ops whose formula is chosen by the kind of the elements: `NumTensor` and `AnyTensor`.

use std::fmt::Debug;
use tensor_op::catalogue::{bits, logic, math, movement, padding, scan, select, sort};
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

/// In a formula of bools, 0 and 1 are false and true.
#[tensor_op]
fn framed(x: AnyTensor![n]) -> AnyTensor![m = n + 2] {
    select(iota(m) == 0, 1, at(x, n = m - 1, or = 0))
}

/// The rule is one of the floats.
#[tensor_op(tests(skip = given_rule))]
#[grad(x = 2 * grad)]
fn passed(x: AnyTensor) -> AnyTensor {
    x
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

#[test]
fn whole_numbers_are_of_each_kind() -> Result<()> {
    assert_eq!(framed(tensor([0.5, 2.0]))?.to_vec::<f64>()?, [1.0, 0.5, 2.0, 0.0]);
    assert_eq!(framed(tensor([7_u8]))?.to_vec::<u8>()?, [1, 7, 0]);
    assert_eq!(framed(tensor([false, true]))?.to_vec::<bool>()?, [true, false, true, false]);
    Ok(())
}

#[test]
fn given_rules_are_those_of_floats() -> Result<()> {
    let x = tensor([1.5, 2.0]).require_grad();
    let gradients = passed(&x)?.backward_with(&x.ones_like()?)?;
    assert_eq!(gradients.get(&x).expect("it is tracked").to_vec::<f64>()?, [2.0, 2.0]);
    assert_eq!(passed(tensor([3_i64]))?.to_vec::<i64>()?, [3]);
    Ok(())
}

#[track_caller]
fn is<T: Element + Debug + PartialEq>(found: Result<Tensor>, wanted: &[T]) {
    let found = found.and_then(|found| found.to_vec::<T>());
    assert_eq!(found.expect("the dtype is the wanted one"), wanted);
}

/// Values and dtypes of PyTorch 2.15. A line for each op and kind.
#[test]
fn elements_of_each_kind_move() -> Result<()> {
    let (x, b) = (&tensor([3_i64, -1, 2]), &tensor([true, false, false]));
    let m = &tensor([3_i64, -1, 2, 7]).reshape([2, 2])?;
    let k = &tensor([true, true, false, true]).reshape([2, 2])?;
    let channels = &m.reshape([1, 4, 1, 1])?;
    is(movement::flip(x, None), &[2_i64, -1, 3]);
    is(movement::flip(b, None), &[false, false, true]);
    is(movement::roll(x, 1, None), &[2_i64, 3, -1]);
    is(movement::roll(b, -1, None), &[false, false, true]);
    is(movement::diff(x, None, None, None, None), &[-4_i64, 3]);
    is(movement::diagonal(m, None, None, None), &[3_i64, 7]);
    is(movement::diagonal(k, 1, None, None), &[true]);
    is(movement::diag_embed(tensor([3_i64, -1]), None, None, None), &[3_i64, 0, 0, -1]);
    is(movement::diag_embed(tensor([true]), 1, None, None), &[false, true, false, false]);
    is(movement::tril(m, None), &[3_i64, 0, 2, 7]);
    is(movement::tril(k, None), &[true, false, false, true]);
    is(movement::triu(m, 1), &[0_i64, -1, 0, 0]);
    is(movement::triu(k, 1), &[false, true, false, false]);
    is(movement::cat(x, tensor([5_i64])), &[3_i64, -1, 2, 5]);
    is(movement::cat(b, tensor([true])), &[true, false, false, true]);
    is(movement::stack(x, -x), &[3_i64, -3, -1, 1, 2, -2]);
    is(movement::stack(b, b), &[true, true, false, false, false, false]);
    is(movement::pixel_shuffle(channels, 2), &[3_i64, -1, 2, 7]);
    is(movement::pixel_unshuffle(k.reshape([1, 1, 2, 2]), 2), &[true, true, false, true]);
    is(movement::channel_shuffle(channels, 2), &[3_i64, 2, -1, 7]);
    is(padding::pad(x, [(1, -1)], None, 7), &[7_i64, 3, -1]);
    is(padding::pad(b, [(1, 1)], None, None), &[false, true, false, false, false]);
    is(padding::constant_pad2d(m, 1, 0, -1, 0, None), &[0_i64, 2, 7]);
    is(padding::reflection_pad1d(x, 1, 0), &[-1_i64, 3, -1, 2]);
    is(padding::replication_pad1d(b, 1, 0), &[true, true, false, false]);
    is(padding::circular_pad1d(x, 1, 0), &[2_i64, 3, -1, 2]);
    Ok(())
}

/// Values and dtypes of PyTorch 2.15.
#[test]
fn ints_are_added_up_sorted_and_replaced() {
    let (x, b) = (&tensor([3_i64, -1, 2]), &tensor([true, false, false]));
    is(scan::cumsum(x, 0), &[3_i64, 2, 4]);
    is(scan::cumsum(tensor([200_u8, 100]), 0), &[200_i64, 300]);
    is(scan::cumprod(tensor([3_i32, -1, 2]), 0), &[3_i64, -3, -6]);
    is(scan::cummax(tensor([3_i32, -1, 3]), 0).map(|(values, _)| values), &[3_i32, 3, 3]);
    is(scan::cummax(tensor([3_i32, -1, 3]), 0).map(|(_, places)| places), &[0_i64, 0, 2]);
    is(scan::cummin(tensor([3_u8, 1, 2]), 0).map(|(values, _)| values), &[3_u8, 1, 1]);
    is(scan::cummin(x, 0).map(|(_, places)| places), &[0_i64, 1, 1]);
    is(sort::sort(x, None, None).map(|(values, _)| values), &[-1_i64, 2, 3]);
    is(sort::sort(x, None, true).map(|(_, places)| places), &[0_i64, 2, 1]);
    is(sort::topk(tensor([3_i32, -1, 2]), 2, None, None, None).map(|(values, _)| values), &[3_i32, 2]);
    is(sort::topk(x, 1, None, false, None).map(|(_, places)| places), &[1_i64]);
    is(sort::median(x, None).map(|(values, _)| values), &[2_i64]);
    is(sort::nanmedian(x, None).map(|(_, places)| places), &[2_i64]);
    is(sort::searchsorted(tensor([-1_i64, 2, 2]), x, None), &[3_i64, 0, 1]);
    is(sort::bucketize(x, tensor([0_i64, 2]), true), &[2_i64, 0, 2]);
    is(bits::floor_div(x, tensor([2_i64, 2, -2])), &[1_i64, -1, -1]);
    is(bits::remainder(x, tensor([2_i64, 2, -4])), &[1_i64, 1, -2]);
    is(math::clamp(x, 0, 2), &[2_i64, 0, 2]);
    is(math::clamp(tensor([200_u8, 7]), -1, 300), &[200_u8, 7]);
    is(math::clamp_min(x, 0), &[3_i64, 0, 2]);
    is(math::clamp_max(x, 2), &[2_i64, -1, 2]);
    is(logic::masked_fill(x, b, 9), &[9_i64, -1, 2]);
    is(logic::masked_fill(b, b, 0), &[false, false, false]);
    is(select::index_fill(x, 0, tensor([1_i64]), 4), &[3_i64, 4, 2]);
    is(select::index_fill(b, 0, tensor([1_i64]), 1), &[true, true, false]);
}

#[test]
fn ints_keep_digits_for_which_a_float_has_no_room() {
    let large = &tensor([(1 << 62) + 1, 1_i64 << 62]);
    is(movement::flip(large, None), &[1_i64 << 62, (1 << 62) + 1]);
    is(sort::sort(large, None, None).map(|(values, _)| values), &[1_i64 << 62, (1 << 62) + 1]);
    is(math::clamp_max(large, (1_i64 << 62) - 1), &[(1_i64 << 62) - 1; 2]);
}

#[test]
fn kinds_that_an_op_lacks_are_refused() {
    let wanted = "cumsum: `input`: is bool, and the op takes floats or ints; cast it to one of them";
    assert_eq!(scan::cumsum(tensor([true]), 0).unwrap_err().to_string(), wanted);
    let error = movement::cat(tensor([true]), tensor([1.5])).unwrap_err().to_string();
    assert!(error.starts_with("cat: `y`: is f64"), "{error}");

    let refused = |found: Result<Tensor>| found.unwrap_err().to_string();
    let wanted = "clamp: `min`: is 0.5, and the tensor has ints: pass a whole number, such as `2`";
    assert_eq!(refused(math::clamp(tensor([3_i64]), 0.5, 2)), wanted);
    let wanted = "clamp: `max`: is 9007199254740993, and the tensor has floats: pass a number that an f64 holds exactly";
    assert_eq!(refused(math::clamp(tensor([3.0]), 0, (1_i64 << 53) + 1)), wanted);
    let keep = &tensor([true]);
    let wanted = "masked_fill: `value`: is 2, and the tensor has bools: pass 0 or 1";
    assert_eq!(refused(logic::masked_fill(keep, keep, 2)), wanted);
}
