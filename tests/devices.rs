//! Which devices there are, and which one a program's user chooses.

use std::process::Command;
use tensor_op::{Device, registered_backends};

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
