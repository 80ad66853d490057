//! Generated tests run on the backends of the build, though nothing has asked for a device before: this is
//! the only test of its program.
#![cfg(feature = "wgpu")]

#[test]
fn generated_tests_see_the_gpu() {
    let devices = tensor_op::testing::devices();
    let has = |name: &str| devices.iter().any(|device| device.backend() == name);
    assert!(has("cpu") && has("wgpu"), "{devices:?}");
}
