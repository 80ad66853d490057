//! A mistake in a call is reported at the call, with the names of the declaration.

use crate::burn::Tensor;
use crate::burn::tensor::{DType, Device, Int};
use tensor_op::burn::{cross_entropy, rms_norm, silu_mul};
use tensor_op::tensor_op;

#[tensor_op(burn, tests = false)]
fn total(x: Tensor, axis: Axis) -> Tensor {
    sum(x, axis)
}

#[tensor_op(burn, tests = false)]
fn shifted(x: Tensor, #[no_grad] by: Tensor) -> Tensor {
    x + by
}

#[tensor_op(burn, tests = false)]
fn joined(x: AnyTensor![n], y: AnyTensor![n]) -> AnyTensor![n, pair = 2] {
    select(iota(pair) == 0, x, y)
}

#[tensor_op(burn, tests = false)]
fn clipped(x: NumTensor, least: Number) -> NumTensor {
    maximum(x, least)
}

fn ones<const D: usize>(shape: [usize; D]) -> Tensor<D> {
    Tensor::ones(shape, &Device::flex())
}

#[test]
#[should_panic(expected = "rms_norm: `gamma`: dim `n` is 3, but 4 in `x`")]
fn sizes() {
    let _ = rms_norm(ones([2, 4]), ones([3]), None);
}

#[test]
#[should_panic(expected = "silu_mul: `gate`: is f64, but `x` is f32; cast one of them to the other's dtype")]
fn dtypes() {
    let _ = silu_mul(ones([2]), Tensor::ones([2], (&Device::flex(), DType::F64)));
}

#[test]
#[should_panic(expected = "cross_entropy: `target`: ops don't take u16; cast it to i64, i32, u32 or u8")]
fn dtypes_that_ops_lack() {
    let target = Tensor::<1, Int>::zeros([2], (&Device::flex(), DType::U16));
    let _ = cross_entropy(ones([2, 4]), target);
}

#[test]
#[should_panic(expected = "cross_entropy: `target`: dim `v`")]
fn indices() {
    let target = Tensor::<1, Int>::from_data([0, 4], &Device::flex());
    let _ = cross_entropy(ones([2, 4]), target);
}

#[test]
#[should_panic(expected = "clipped: `least`: is 0.5, and the tensor has ints: pass a whole number")]
fn numbers_beside_ints() {
    let _ = clipped(Tensor::<1, Int>::zeros([2], &Device::flex()), 0.5);
}

/// Where the kind chooses the formula, the op is called as it is declared.
#[test]
#[should_panic(expected = "joined: `y`: dim `n` is 3, but 2 in `x`")]
fn sizes_of_ints() {
    let [x, y] = [2, 3].map(|size| Tensor::<1, Int>::zeros([size], &Device::flex()));
    let _ = joined(x, y);
}

#[test]
#[should_panic(expected = "total: the result has shape [2], so that it is a `Tensor<1>`, not a `Tensor<2>`")]
fn ranks() {
    let x = ones([2, 4]);
    // A result may have a rank that no argument has. This rank is inferred from its use.
    let _: Tensor<1> = total::<2, 1>(x.clone(), 1);
    let group_of_two: Tensor<2> = total::<2, 2>(x, 1);
    drop(group_of_two);
}

#[test]
#[should_panic(
    expected = "`by` is declared `#[no_grad]` and has no gradient; detach it if it is a constant here"
)]
fn gradients_that_do_not_exist() {
    let device = Device::flex().autodiff();
    let by = Tensor::<1>::ones([2], &device).require_grad();
    let _ = shifted(by.clone(), by).sum().backward();
}

#[test]
fn the_panic_points_to_the_call() {
    use std::cell::RefCell;
    thread_local!(static PLACE: RefCell<String> = const { RefCell::new(String::new()) });
    let before = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info| {
        PLACE.set(info.location().map(|place| place.file().to_string()).unwrap_or_default());
        before(info);
    }));
    assert!(std::panic::catch_unwind(|| rms_norm(ones([2, 4]), ones([3]), None)).is_err());
    assert!(PLACE.take().ends_with("mistakes.rs"));
}
