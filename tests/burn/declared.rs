//! Declarations of every form: ints and bools as arguments and results, dims of their own, composite axes,
//! axes that are chosen at run time, and several results.

use crate::burn::Tensor;
use crate::burn::tensor::{Bool, DType, Device, Int, activation};
use crate::case::{Case, devices};
use tensor_op::burn::{TensorKind, composed};
use tensor_op::tensor_op;

#[tensor_op(burn, tests = false)]
fn masked(x: Tensor![.., t, s], keep: BoolTensor![t, s]) -> Tensor![.., t, s] {
    select(keep, x, -1.0)
}

#[tensor_op(burn, tests = false)]
fn best(x: Tensor, axis: Axis) -> (Tensor, IntTensor) {
    (max(x, axis), argmax(x, axis))
}

#[tensor_op(burn, tests = false)]
fn above(x: Tensor, least: f64) -> BoolTensor {
    x > least
}

#[tensor_op(burn, tests = false)]
fn mean_square(x: Tensor![m, n]) -> Tensor![] {
    mean(x * x, (m, n))
}

#[tensor_op(burn, tests = false)]
fn scaled(x: Tensor![n], by: Tensor![]) -> Tensor![n] {
    x * by
}

#[tensor_op(burn, tests = false)]
fn rotate_half(x: Tensor![.., (half = 2, d)]) -> Tensor![.., (half, d)] {
    let other = at(x, half = 1 - iota(half));
    select(iota(half) == 0, -other, other)
}

#[tensor_op(burn, tests = false)]
fn heads_last(x: Tensor![b, .., d], scale: Tensor![d, ..]) -> (Tensor![.., d, b], Tensor![d, ..]) {
    (x * scale, mean(x * scale, b))
}

#[tensor_op(burn, tests = false)]
fn spread_over(x: Tensor, #[default(all)] axes: Axes) -> (Tensor, Tensor) {
    (x - mean(x, axes), max(x, axes) - min(x, axes))
}

#[tensor_op(burn, tests = false)]
fn ramp(n: usize, #[default(1.0)] to: f64) -> Tensor![n] {
    to * cast(iota(n), float) / len(n)
}

#[tensor_op(burn, tests = false)]
fn thinned(
    x: Tensor![.., h, w],
    stride @ [sh, sw]: [usize; 2],
    #[default(0)] first @ [top, left]: [usize; 2],
) -> Tensor![.., a = (h - top - 1) / sh + 1, b = (w - left - 1) / sw + 1] {
    at(x, h = a * sh + top, w = b * sw + left)
}

#[tensor_op(burn, tests = false)]
fn places(n: usize) -> (IntTensor![n], BoolTensor![n]) {
    (iota(n), iota(n) % 2 == 0)
}

#[tensor_op(burn, tests = false)]
fn gram(x: Tensor![n, i], y: Tensor![n, j]) -> Tensor![j, i] {
    sum(x * y, n)
}

#[tensor_op(burn, tests = false)]
fn doubled(ids: IntTensor, #[default(2)] by: i64) -> IntTensor {
    ids * by
}

#[tensor_op(burn, tests = false)]
fn positions(x: Tensor![m, n]) -> IntTensor![n] {
    iota(n)
}

#[tensor_op(burn, tests = false)]
fn multiples(x: Tensor) -> (Tensor, Tensor) {
    (x * 2.0, x * 3.0)
}

#[tensor_op(burn, tests = false)]
fn count(keep: BoolTensor![n]) -> IntTensor![] {
    sum(cast(keep, int), n)
}

#[tensor_op(burn, tests = false)]
fn sum_and_place(x: IntTensor![n]) -> (IntTensor![], IntTensor![]) {
    (sum(x, n), argmax(x, n))
}

#[tensor_op(burn, tests = false)]
#[grad(x = grad * (sigmoid(x) + out * (1.0 - sigmoid(x))))]
fn silu(x: Tensor) -> Tensor {
    x * sigmoid(x)
}

#[tensor_op(burn, method, tests = false)]
fn mirrored(x: AnyTensor![.., n]) -> AnyTensor![.., n] {
    at(x, n = len(n) - 1 - n)
}

#[tensor_op(burn, method, tests = false)]
fn at_least(x: NumTensor, least: Number) -> NumTensor {
    maximum(x, least)
}

#[tensor_op(burn, method, tests = false)]
fn merged(keep: BoolTensor![n], x: NumTensor![n], y: Option<NumTensor![n]>) -> (NumTensor![n], NumTensor![]) {
    let y = select(keep, x, y.unwrap_or(0));
    (y, max(y, n))
}

#[tensor_op(burn = both_burn, tests = false)]
fn both(x: Tensor) -> Tensor {
    x + x
}

fn numbers<const D: usize>(x: Tensor<D>) -> Vec<f64> {
    x.into_data().iter::<f64>().collect()
}

fn counting<const D: usize>(shape: [usize; D], device: &Device) -> Tensor<D> {
    let count = shape.iter().product::<usize>();
    Tensor::<1, Int>::arange(0..count as i64, device).float().cast(DType::F64).reshape(shape)
}

#[test]
fn bools_choose() {
    let device = Device::flex().autodiff();
    let x = counting([2, 2, 3], &device).require_grad();
    let keep = Tensor::<2, Bool>::from_data([[true, false, true], [false, true, false]], &device);
    let out = masked(x.clone(), keep);
    let gradients = out.clone().sum().backward();
    assert_eq!(numbers(out), [0.0, -1.0, 2.0, -1.0, 4.0, -1.0, 6.0, -1.0, 8.0, -1.0, 10.0, -1.0]);
    let gradient = x.grad(&gradients).map(numbers);
    assert_eq!(gradient, Some([1.0, 0.0, 1.0, 0.0, 1.0, 0.0].repeat(2)));
}

#[test]
fn bools_and_ints_come_out() {
    let device = Device::flex();
    let x = Tensor::<2>::from_data([[1.0, 5.0, 2.0], [7.0, 0.0, 3.0]], &device);
    let (top, at): (Tensor<1>, Tensor<1, Int>) = best(x.clone(), 1);
    assert_eq!(numbers(top), [5.0, 7.0]);
    assert_eq!(at.into_data().iter::<i64>().collect::<Vec<_>>(), [1, 0]);
    let bools: Vec<bool> = above(x, 2.5).into_data().iter::<bool>().collect();
    assert_eq!(bools, [false, true, false, true, false, true]);
}

#[test]
fn the_float_result_beside_an_int_one_has_a_gradient() {
    let device = Device::flex().autodiff();
    let x = Tensor::<2>::from_data([[1.0, 5.0, 2.0], [7.0, 0.0, 3.0]], &device).require_grad();
    let (top, _): (Tensor<1>, Tensor<1, Int>) = best(x.clone(), -1);
    let gradients = (top * 2.0).sum().backward();
    assert_eq!(x.grad(&gradients).map(numbers), Some(vec![0.0, 2.0, 0.0, 2.0, 0.0, 0.0]));
}

/// Both results share a node, which is freed after its backward pass.
#[test]
fn a_second_result_is_not_differentiated_after_the_first() {
    let x = counting([2, 2], &Device::flex().autodiff()).require_grad();
    let (twice, thrice) = multiples(x);
    let _ = twice.sum().backward();
    assert!(std::panic::catch_unwind(|| thrice.sum().backward()).is_err());
}

#[test]
fn no_axes_are_one_of_size_1() {
    let device = Device::flex().autodiff();
    let x = counting([2, 2], &device).require_grad();
    let out = mean_square(x.clone());
    assert_eq!((out.dims(), numbers(out.clone())), ([1], vec![3.5]));
    let gradients = (out * 2.0).backward();
    assert_eq!(x.grad(&gradients).map(numbers), Some(vec![0.0, 1.0, 2.0, 3.0]));
    let x = counting([3], &device).require_grad();
    let by = (counting([1], &device) + 3.0).require_grad();
    let gradients = scaled(x.clone(), by.clone()).sum().backward();
    assert_eq!(x.grad(&gradients).map(numbers), Some(vec![3.0; 3]));
    assert_eq!(by.grad(&gradients).map(|grad| (grad.dims(), numbers(grad))), Some(([1], vec![3.0])));
}

#[test]
fn composite_axes_are_one_of_burns() {
    let x = counting([1, 6], &Device::flex());
    assert_eq!(numbers(rotate_half(x)), [-3.0, -4.0, -5.0, 0.0, 1.0, 2.0]);
}

#[test]
fn groups_stand_anywhere() {
    let device = Device::flex();
    let (moved, mean): (Tensor<3>, Tensor<2>) =
        heads_last(counting([2, 3, 4], &device), Tensor::ones([4, 1], (&device, DType::F64)));
    let wanted = counting([2, 3, 4], &device);
    assert_eq!(numbers(moved), numbers(wanted.clone().permute([1, 2, 0])));
    assert_eq!(numbers(mean), numbers(wanted.mean_dim(0).reshape([3, 4]).transpose()));
}

#[test]
fn axes_are_chosen_at_run_time() {
    let device = Device::flex();
    let (centered, spread): (Tensor<3>, Tensor<1>) = spread_over(counting([2, 3, 4], &device), [0, -1]);
    assert_eq!((numbers(spread), centered.dims()), (vec![15.0; 3], [2, 3, 4]));
    let (_, spread): (Tensor<3>, Tensor<2>) = spread_over(counting([2, 3, 4], &device), 1);
    assert_eq!(numbers(spread), [8.0; 8]);
    // Burn has no tensors without axes.
    let x = counting([2, 3], &device.autodiff()).require_grad();
    let (_, spread): (Tensor<2>, Tensor<1>) = spread_over(x.clone(), None);
    let gradients = (spread.clone() * 2.0).sum().backward();
    assert_eq!(numbers(spread), [5.0]);
    assert_eq!(x.grad(&gradients).map(numbers), Some(vec![-2.0, 0.0, 0.0, 0.0, 0.0, 2.0]));
}

#[test]
fn ops_without_tensors_take_a_device() {
    for device in devices() {
        let run = || {
            let ramp = ramp(4, None, &device);
            assert_eq!((ramp.dims(), numbers(ramp)), ([4], vec![0.0, 0.25, 0.5, 0.75]));
            let (places, even) = places(3, &device);
            let row = Tensor::<1, Int>::arange(0..3, &device);
            assert!(places.equal(row).all().into_scalar::<bool>(), "{device:?}");
            assert_eq!(even.into_data().iter::<bool>().collect::<Vec<_>>(), [true, false, true]);
        };
        run();
        composed(run);
    }
    let device = Device::flex();
    assert_eq!(ramp(2, 4, (&device, DType::F64)).dtype(), DType::F64);
}

#[test]
fn lists_are_taken_apart() {
    for device in devices() {
        let run = || {
            let x: Tensor<3> = counting([1, 2, 4], &device);
            let thin = thinned(x.clone(), [1, 2], None);
            assert_eq!((thin.dims(), numbers(thin)), ([1, 2, 2], vec![0.0, 2.0, 4.0, 6.0]), "{device:?}");
            assert_eq!(numbers(thinned(x, 2, [1, 1])), [5.0, 7.0], "{device:?}");
        };
        run();
        composed(run);
    }
}

#[test]
fn ints_keep_their_dtype() {
    let device = Device::flex();
    for dtype in [DType::I64, DType::I32, DType::U8] {
        let out = doubled(Tensor::<2, Int>::ones([2, 1], (&device, dtype)), None);
        assert_eq!((out.dtype(), out.into_data().iter::<i64>().collect::<Vec<_>>()), (dtype, vec![2, 2]));
    }
}

#[test]
fn sums_keep_the_dtype_and_positions_have_that_of_the_device() {
    let device = Device::flex();
    let of_device = Tensor::<1, Int>::arange(0..3, &device).dtype();
    for dtype in [DType::I64, DType::I32, DType::U8] {
        let x = Tensor::<1, Int>::ones([100], (&device, dtype)) * 2;
        let (sum, at): (Tensor<1, Int>, Tensor<1, Int>) = sum_and_place(x.clone());
        assert_eq!((sum.dtype(), at.dtype()), (x.clone().sum().dtype(), of_device));
        assert_eq!(sum.into_data().iter::<i64>().next(), x.sum().into_data().iter::<i64>().next());
    }
}

/// These ints have the dtype of Burn's own operations, which depends on the device.
#[test]
fn ints_that_no_argument_decides_can_be_compared_with_burns() {
    for device in devices().into_iter().flat_map(|device| [device.clone(), device.autodiff()]) {
        let run = || {
            let x = Tensor::<2>::from_data([[1.0, 5.0, 2.0], [7.0, 0.0, 3.0]], &device);
            let keep = x.clone().greater_elem(2.5).narrow(0, 0, 1).reshape([3]);
            let tracked = if device.is_autodiff() { x.clone().require_grad() } else { x.clone() };
            let (_, at): (Tensor<1>, Tensor<1, Int>) = best(tracked.clone(), 1);
            assert!(at.equal(x.clone().argmax(1).reshape([2])).all().into_scalar::<bool>(), "{device:?}");
            let row = Tensor::<1, Int>::arange(0..3, &device);
            assert!(positions(tracked).equal(row).all().into_scalar::<bool>(), "{device:?}");
            assert!(count(keep).equal(Tensor::ones([1], &device)).all().into_scalar::<bool>(), "{device:?}");
        };
        run();
        composed(run);
    }
}

#[test]
fn the_type_says_which_kind_a_tensor_has() {
    let device = Device::flex();
    let bools = Tensor::<1, Bool>::from_data([true, false, false], &device);
    assert_eq!(mirrored(bools.clone()).into_data().iter::<bool>().collect::<Vec<_>>(), [false, false, true]);
    let ints = Tensor::<1, Int>::from_data([5, -1, 7], (&device, DType::I64));
    assert_eq!(ints.clone().mirrored().into_data().iter::<i64>().collect::<Vec<_>>(), [7, -1, 5]);
    assert_eq!(at_least(ints.clone(), 6).into_data().iter::<i64>().collect::<Vec<_>>(), [6, 6, 7]);
    assert_eq!(numbers(counting([2], &device).at_least(0.5)), [0.5, 1.0]);
    // What is not given has the kind of the other tensors.
    let (kept, largest): (_, Tensor<1, Int>) = merged(bools.clone(), ints.clone(), None);
    assert_eq!((kept.dtype(), largest.dtype()), (DType::I64, DType::I64));
    assert_eq!(kept.into_data().iter::<i64>().collect::<Vec<_>>(), [5, 0, 0]);
    let (kept, _) = bools.clone().merged(ints.clone(), ints.neg());
    assert_eq!(kept.into_data().iter::<i64>().collect::<Vec<_>>(), [5, 1, -7]);

    let device = device.autodiff();
    let x = counting([3], &device).require_grad();
    let (kept, _) =
        merged(Tensor::from_data([true, false, false], &device), x.clone(), Some(x.clone() * 2.0));
    let gradients = mirrored(kept).narrow(0, 1, 2).sum().backward();
    assert_eq!(x.grad(&gradients).map(numbers), Some(vec![1.0, 2.0, 0.0]));
}

/// A function of the user may leave the kind open too.
#[test]
fn generic_functions_pass_kinds_on() {
    fn twice<const D: usize, K: TensorKind>(x: Tensor<D, K>) -> Tensor<D, K> {
        mirrored(mirrored(x))
    }
    let x = Tensor::<2, Int>::from_data([[5, -1, 7]], &Device::flex());
    assert!(twice(x.clone()).equal(x).all().into_scalar::<bool>());
}

#[test]
fn a_flexible_float_is_f32() {
    let x = Tensor::<1>::from_data([1.5, -2.0], (&Device::flex(), DType::Flex32));
    assert_eq!(numbers(both_burn(x)), [3.0, -4.0]);
}

#[test]
fn both_functions_are_there() {
    assert_eq!(numbers(both_burn(counting([3], &Device::flex()))), [0.0, 2.0, 4.0]);
    let x = tensor_op::Tensor::ones([2], tensor_op::DType::F32, &tensor_op::Device::default());
    assert_eq!(x.and_then(both).and_then(|y| y.to_vec::<f32>()).ok(), Some(vec![2.0; 2]));
}

#[test]
fn given_rules_hold() {
    let case = Case {
        inputs: &[[5, 7]],
        declared: |x| silu(x[0].clone()),
        reference: |x| activation::silu(x[0].clone()),
        roundings: 16.0,
    };
    case.check();
}

#[test]
fn products_in_any_order_of_axes() {
    let case = Case {
        inputs: &[[5, 7], [5, 3]],
        declared: |x| gram(x[0].clone(), x[1].clone()),
        reference: |x| x[1].clone().transpose().matmul(x[0].clone()),
        roundings: 32.0,
    };
    case.check();
}

#[tensor_op(burn, method, tests = false)]
fn lengths_over(x: Tensor, axes: Axes) -> Tensor {
    norm(x, axes)
}

#[tensor_op(burn, method, tests = false)]
fn rows_at(table: Tensor![m, n], ids: IntTensor, #[default(1.0)] scale: f64) -> Tensor![.., n] {
    scale * at(table, m = ids)
}

#[tensor_op(method, burn = negated_on_burn, tests = false)]
fn negated(x: IntTensor) -> IntTensor {
    -x
}

/// A method is the function, with ranks that follow from its use.
#[test]
fn ops_are_methods_of_burns_tensors() {
    let device = Device::flex();
    let x = Tensor::<2>::from_floats([[3.0, 4.0], [0.0, 2.0]], &device);
    let lengths: Tensor<1> = x.clone().lengths_over(1);
    assert_eq!(lengths.into_data().try_to_vec::<f32>().unwrap(), [5.0, 2.0]);
    let ids = Tensor::<1, Int>::from_ints([1, 0, 1], &device);
    let rows: Tensor<2> = x.clone().rows_at(ids.clone(), 2);
    assert_eq!(rows.into_data().try_to_vec::<f32>().unwrap(), [0.0, 4.0, 6.0, 8.0, 0.0, 4.0]);
    assert_eq!(ids.negated().into_data().iter::<i64>().collect::<Vec<_>>(), [-1, 0, -1]);
    let ours = tensor_op::Tensor::from([4]).negated().and_then(|x| x.to_vec::<i32>());
    assert_eq!(ours.unwrap(), [-4]);

    use tensor_op::burn::methods::*;
    let shares = x.clone().log_softmax(1).into_data();
    shares.assert_eq(&tensor_op::burn::log_softmax(x, 1).into_data(), true);
}
