use super::*;
use crate::host::{Host, HostTensor};
use crate::samples::{MATMUL, SOFTMAX, graph};
use crate::{GraphOp, register_backend};
use std::sync::Arc;

fn device(name: &str) -> Device {
    register_backend::<Host>("host").expect("registering twice is fine");
    Device::new(name).expect("a host has two devices")
}

fn tensor(values: &[f64], shape: &[usize], device: Device) -> DynTensor {
    let data = TensorData::new(values.to_vec(), shape).expect("as many as the shape says");
    Dynamic::from_data(data, &device).expect("the host takes all data")
}

#[test]
fn devices_are_named() {
    let first = device("host:0");
    assert_eq!(first, device("host"));
    assert_eq!((first.name(), device("host:1").name()), ("host".into(), "host:1".into()));
    assert_ne!(first, device("host:1"));
    assert_eq!(format!("{:?}", device("host:1")), "Device(host:1)");
    let message = |name: &str| Device::new(name).unwrap_err().to_string();
    assert_eq!(
        message("host:2"),
        "the backend `host`: device 2 of `host` can't be opened: its driver failed"
    );
    assert_eq!(message("host:3"), "there is no device `host:3`: `host` has 3, numbered from 0");
    assert_eq!(
        message("host:x"),
        "`x` in the device name `host:x` is no number of a device; write for example `cpu:0` or `cuda:1`"
    );
    // Each device has only one name.
    for other in ["host:00", "host:+0", "host:"] {
        assert!(message(other).contains("is no number of a device"), "{}", message(other));
    }
    assert!(
        message("tpu").starts_with("no backend is registered as `tpu`; registered: "),
        "{}",
        message("tpu")
    );
    assert!(message("tpu").contains("host"));
    let taken = register_backend::<Dynamic>("host").unwrap_err().to_string();
    assert_eq!(taken, "another backend is registered as `host`; choose another name");
    assert!(register_backend::<Dynamic>("a:b").is_err());
}

#[test]
fn ops_run_on_the_device_of_their_tensors() {
    let on = device("host:1");
    let args = vec![Value::Tensor(tensor(&[0.0, 0.0], &[2], on)), Value::Scalar(Scalar::Int(0))];
    let results = Dynamic::run(&GraphOp::new(graph(SOFTMAX)), args, &[true]).unwrap();
    let result = results.into_iter().next().flatten().expect("the result is wanted");
    assert_eq!((Dynamic::device(&result), Dynamic::dtype(&result)), (on, DType::F64));
    assert_eq!(Dynamic::into_data(result).unwrap().as_slice::<f64>().unwrap(), [0.5, 0.5]);
}

#[test]
fn tensors_on_two_devices_are_an_error() {
    let (a, b) = (tensor(&[1.0], &[1, 1], device("host")), tensor(&[1.0], &[1, 1], device("host:1")));
    let args = vec![Value::Tensor(a.clone()), Value::Tensor(b.clone())];
    let error = Dynamic::run(&GraphOp::new(graph(MATMUL)), args, &[true]).unwrap_err();
    assert_eq!(error.to_string(), "matmul: `rhs`: is on host:1, but `lhs` is on host; move one of them");
    let error = Dynamic::apply(Prim::Add, vec![a, b]).unwrap_err();
    assert_eq!(error.to_string(), "tensors are on host and host:1; move one of them");
    assert_eq!(error.kind(), ErrorKind::Device);
    assert_eq!(Dynamic::cat(vec![], 0).unwrap_err().kind(), ErrorKind::Length);
}

#[test]
fn erasure_keeps_storage_unshared() {
    let tensor = tensor(&[1.0, 2.0], &[2], device("host"));
    let address = |tensor: &HostTensor| tensor.data.as_slice::<f64>().expect("f64 went in").as_ptr();
    let before = address(&tensor.clone().try_into_primitive::<Host>().unwrap());
    let tensor = Dynamic::reshape(tensor, Shape::new(&[1, 2])).unwrap();
    let kept = tensor.clone();
    let typed = tensor.try_into_primitive::<Host>().unwrap();
    assert_eq!((address(&typed), Arc::strong_count(&typed.data)), (before, 2));
    drop(kept);
    assert_eq!(Arc::strong_count(&typed.data), 1);
    assert!(DynTensor::from_primitive::<Host>(typed).unwrap().try_into_primitive::<Dynamic>().is_err());
}
