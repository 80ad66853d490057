//! Properties of Burn's GPU backend: its dtypes, laziness under fusion, and primitives without fusion.

use crate::burn::Tensor;
use crate::burn::backend::{TensorData, ops::FloatTensorOps};
use crate::burn::tensor::{Bool, DType, Device, DeviceKind, Int};
use tensor_op::backend::Value;
use tensor_op::burn::{OpBackend, OpTensor, embedding, silu_mul, softmax};
use tensor_op::catalogue::nn::SiluMul;
use tensor_op::tensor_op;
use tensor_op_burn::burn_cubecl::CubeBackend;

#[tensor_op(burn, tests = false)]
fn best(x: Tensor, keep: BoolTensor, axis: Axis) -> (IntTensor, BoolTensor) {
    let kept = select(keep, x, -INFINITY);
    (argmax(kept, axis), kept > 2.0)
}

fn gpu() -> Device {
    Device::wgpu(DeviceKind::DefaultDevice)
}

#[test]
fn ints_and_bools_are_as_the_device_keeps_them() {
    let x = Tensor::<2>::from_data([[1.0, 5.0, 2.0], [7.0, 0.0, 3.0]], &gpu());
    let keep = Tensor::<2, Bool>::from_data([[true, false, true], [true, true, true]], &gpu());
    let (at, above): (Tensor<1, Int>, Tensor<2, Bool>) = best(x, keep, 1);
    // Burn's operations accept these results.
    let at = (at + 1).into_data().iter::<i64>().collect::<Vec<_>>();
    let below = above.bool_not().into_data().iter::<bool>().collect::<Vec<_>>();
    assert_eq!((at, below), (vec![3, 1], vec![true, true, true, false, true, false]));
}

#[test]
fn ops_stand_among_operations_that_burn_fuses() {
    let data = [[0.5, -1.0, 2.0], [3.0, 0.25, -0.125]];
    let [found, wanted] = [gpu(), Device::flex()].map(|device| {
        let x = Tensor::<2>::from_data(data, &device);
        let y = silu_mul(x.clone() * 2.0 + 1.0, x.clone().exp());
        softmax(y.clone() - x, 1) + y
    });
    found.into_data().assert_approx_eq::<f32>(&wanted.into_data(), Default::default());
}

#[test]
fn primitives_without_fusion() -> tensor_op::Result<()> {
    let device = Default::default();
    let data = TensorData::from([1.0_f32, -2.0, 0.5]);
    let x = || Value::Tensor(OpTensor::Float(CubeBackend::float_from_data(data.clone(), &device)));
    let found = CubeBackend::run_op(&SiluMul, vec![x(), x()], &[true])?.into_iter().flatten().next();
    let found = found.map(OpTensor::float).transpose()?.expect("one result is wanted");
    let read = crate::burn::backend::try_read_sync(CubeBackend::float_into_data(found));
    let read = read.expect("can be waited for").expect("the device works");
    let wanted = [1.0_f32, -2.0, 0.5].map(|x| x * x / (1.0 + (-x).exp()));
    read.assert_approx_eq::<f32>(&TensorData::from(wanted), Default::default());
    Ok(())
}

#[test]
#[should_panic(expected = "silu_mul: `gate`")]
fn mistakes_are_said_at_the_call() {
    let _ = silu_mul(Tensor::<1>::ones([2], &gpu()), Tensor::<1>::ones([3], &gpu()));
}

/// The error comes at the call, and not only when the result is read.
#[test]
#[should_panic(expected = "silu_mul: `gate`: is on")]
fn tensors_on_two_devices_are_refused_at_the_call() {
    let other = Device::wgpu(DeviceKind::Cpu);
    let _ = silu_mul(Tensor::<1>::ones([2], &gpu()), Tensor::<1>::ones([2], &other));
}

#[test]
#[should_panic(expected = "has no bf16; cast to one of")]
fn dtypes_that_the_device_lacks_are_refused_at_the_call() {
    let x = Tensor::<1>::from_data([1.0], (&gpu(), DType::BF16));
    let _ = silu_mul(x.clone(), x);
}

/// For such an index, a gather reads element 0 and a scatter adds nothing.
#[test]
fn indices_out_of_range_do_no_harm() {
    let device = gpu().autodiff();
    let table = Tensor::<2>::from_data([[10.0, 11.0], [12.0, 13.0]], &device).require_grad();
    let ids = Tensor::<1, Int>::from_data([-1, 1, 2, i32::MIN], &device);
    let rows: Tensor<2> = embedding(table.clone(), ids);
    let gradients = rows.clone().sum().backward();
    let numbers = |tensor: Tensor<2>| tensor.into_data().iter::<f64>().collect::<Vec<_>>();
    assert_eq!(numbers(rows), [10.0, 11.0, 12.0, 13.0, 10.0, 11.0, 10.0, 11.0]);
    assert_eq!(table.grad(&gradients).map(numbers), Some(vec![0.0, 0.0, 1.0, 1.0]));
}
