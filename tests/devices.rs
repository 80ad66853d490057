//! Which devices there are, and which one a program's user chooses.

use std::process::Command;
use tensor_op::{DType, Device, ErrorKind, Result, Tensor, registered_backends};

mod capture;

/// The CPU records nothing: the step runs each time.
#[test]
fn captured_steps_run() -> Result<()> {
    capture::check(&Device::default(), false)
}

#[test]
fn backends_and_their_devices_are_listed() {
    assert!(registered_backends().contains(&"cpu".to_string()));
    let cpu = Device::default();
    assert!(Device::all().contains(&Device::new("cpu").unwrap()));
    assert_eq!((cpu.name().as_str(), cpu.backend(), cpu.index()), ("cpu", "cpu", 0));
}

/// The variable is read in programs of their own: a test must not change the environment of others.
#[test]
fn the_environment_names_the_device() {
    for (value, expected) in [
        ("", "device: cpu"),
        ("cpu:0", "device: cpu"),
        ("cpu:7", "`TENSOR_OP_DEVICE`: there is no device `cpu:7`"),
        ("nowhere", "`TENSOR_OP_DEVICE`: no backend is registered as `nowhere`"),
    ] {
        let program = std::env::current_exe().expect("a test has a path");
        let child = Command::new(program)
            .args(["--exact", "prints_its_device", "--ignored", "--nocapture"])
            .env("TENSOR_OP_DEVICE", value)
            .output()
            .expect("the test runs again");
        let text = String::from_utf8_lossy(&child.stdout).into_owned();
        assert!(text.contains(expected), "`{value}`: {text}");
    }
}

#[test]
#[ignore = "the test before this one runs it"]
#[allow(clippy::print_stdout, reason = "the other test reads it")]
fn prints_its_device() {
    match Device::from_env() {
        Ok(device) => println!("device: {device}"),
        Err(error) => println!("{error}"),
    }
}

/// They hold for the whole process, so that no other test here may ask for them.
#[test]
fn default_dtypes_are_those_that_were_set() -> Result<()> {
    let cpu = Device::default();
    assert_eq!((cpu.default_float(), cpu.default_int()), (DType::F32, DType::I64));
    cpu.set_default_dtypes(DType::F64, DType::U8)?;
    assert_eq!(Tensor::ones([2], None, &cpu)?.dtype(), DType::F64);
    assert_eq!(Tensor::uniform([2], 0.0, 1.0, None, &cpu)?.dtype(), DType::F64);
    assert_eq!(Tensor::eye(2, DType::F16, &cpu)?.dtype(), DType::F16);
    let mut order = Tensor::randperm(256, &cpu)?.to_vec::<u8>()?;
    order.sort_unstable();
    assert_eq!(order, (0..=255).collect::<Vec<u8>>());
    assert_eq!(Tensor::randperm(257, &cpu).unwrap_err().kind(), ErrorKind::Overflow);
    for (float, int, arg) in [(DType::I32, DType::I64, "float"), (DType::F32, DType::Bool, "int")] {
        assert_eq!(cpu.set_default_dtypes(float, int).unwrap_err().arg(), Some(arg));
    }
    assert_eq!((cpu.default_float(), cpu.default_int()), (DType::F64, DType::U8));
    Ok(())
}
