//! The conformance suite of backends: every structural primitive and every op of the catalogue, with its
//! gradients.
#![cfg(feature = "wgpu")]

use tensor_op::testing::conformance::Failure;
use tensor_op::testing::run_backend_tests;
use tensor_op::{DType, Device};

/// Mesa's processor driver has no digits of a power of a subnormal number.
fn is_of_the_device(failure: &Failure) -> bool {
    failure.what == "pow" && failure.case == "special values" && failure.dtype == DType::F32
}

#[test]
fn wgpu_conforms() {
    let device = Device::new("wgpu").expect("a GPU, or a processor that poses as one");
    let report = run_backend_tests(&device);
    let own = report.failures.iter().filter(|failure| !is_of_the_device(failure));
    let own: Vec<String> = own.map(|failure| failure.to_string()).collect();
    assert!(own.is_empty(), "{}\n{}", report.matrix(), own.join("\n"));
    assert!(report.total > 4000 && report.score() > 0.99, "{} of {}", report.passed, report.total);
}
