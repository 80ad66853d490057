//! Buffers: no buffer is copied, a buffer that nobody else holds is overwritten, and only what a gradient
//! needs is kept.

use crate::burn::Tensor;
use crate::burn::backend::Autodiff;
use crate::burn::backend::flex::Flex;
use crate::burn::tensor::Device;
use tensor_op::burn::{layer_norm, silu_mul};

/// The address of the elements of a tensor.
fn address(x: &Tensor<2>) -> *const u8 {
    let inner = if x.device().is_autodiff() {
        let tracked = x.clone().try_into_primitive::<Autodiff<Flex>>().unwrap();
        tracked.into_primitive()
    } else {
        x.clone().try_into_primitive::<Flex>().unwrap()
    };
    inner.bytes().as_ptr()
}

fn ones(device: &Device) -> Tensor<2> {
    Tensor::ones([33, 65], device)
}

#[test]
fn an_argument_that_nobody_else_holds_is_written_over() {
    for device in [Device::flex(), Device::flex().autodiff()] {
        let (x, gate) = (ones(&device), ones(&device));
        let place = address(&x);
        let out = silu_mul(x, gate.clone());
        assert_eq!(address(&out), place);
        // Of the two arguments only the second is large enough, and it is free.
        let row = Tensor::<2>::ones([1, 65], &device);
        let place = address(&gate);
        assert_eq!(address(&silu_mul(row.clone(), gate)), place);
        // A buffer that is too small, or that somebody else holds, is not overwritten.
        let held = ones(&device);
        let out = silu_mul(row, held.clone());
        assert_ne!(address(&out), address(&held));
        assert_eq!(held.into_data().iter::<f32>().sum::<f32>(), 33.0 * 65.0);
    }
}

#[test]
fn a_view_of_a_larger_buffer_is_not_taken_for_a_result() {
    let x = ones(&Device::flex());
    let place = address(&x);
    let part = x.slice([0..2, 0..65]);
    let out = silu_mul(part, ones(&Device::flex()).slice([0..2, 0..65]));
    assert_ne!(address(&out), place);
}

#[test]
fn only_what_the_gradient_of_a_tracked_argument_needs_is_kept() {
    let device = Device::flex().autodiff();
    // The gradient with respect to `x` needs only `gate`, so the memory of `x` is free.
    let x = ones(&device).require_grad() * 2.0;
    let place = address(&x);
    let out = silu_mul(x, ones(&device));
    assert_eq!(address(&out), place);
    // The gradient with respect to `gate` needs both arguments.
    let gate = ones(&device).require_grad() * 2.0;
    let place = address(&gate);
    let out = silu_mul(ones(&device), gate);
    assert_ne!(address(&out), place);
}

#[test]
fn a_call_without_a_tracked_argument_keeps_nothing() {
    let device = Device::flex().autodiff();
    let row = || Tensor::<1>::ones([65], &device);
    let x = ones(&device);
    let place = address(&x);
    let out = layer_norm(x, row(), row(), None);
    assert_eq!(address(&out), place);
    assert!(!out.is_require_grad());
}
