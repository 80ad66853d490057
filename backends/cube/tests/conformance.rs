//! The conformance suite of backends: every structural primitive and every op of the catalogue, with its
//! gradients.
#![cfg(feature = "wgpu")]

use tensor_op::testing::conformance::Failure;
use tensor_op::testing::run_backend_tests_with;
use tensor_op::{DType, Device, Op, catalogue};

/// Mesa's processor driver has no digits of a power of a subnormal number.
fn is_of_the_device(failure: &Failure) -> bool {
    failure.what == "pow" && failure.case == "special values" && failure.dtype == DType::F32
}

/// All ops of the catalogue with `TENSOR_OP_TESTS=full`. A processor that poses as a GPU compiles the kernels
/// of an op for seconds, so without it each third op runs: neighbours in the list are formulas of one op.
fn ops() -> Vec<&'static dyn Op> {
    let is_full = std::env::var("TENSOR_OP_TESTS").is_ok_and(|tests| tests == "full");
    catalogue::ops().into_iter().step_by(if is_full { 1 } else { 3 }).collect()
}

#[test]
fn wgpu_conforms() {
    let device = Device::new("wgpu").expect("a GPU, or a processor that poses as one");
    let report = run_backend_tests_with(&device, &ops());
    let own = report.failures.iter().filter(|failure| !is_of_the_device(failure));
    let own: Vec<String> = own.map(|failure| failure.to_string()).collect();
    assert!(own.is_empty(), "{}\n{}", report.matrix(), own.join("\n"));
    assert!(report.total > 3000 && report.score() > 0.99, "{} of {}", report.passed, report.total);
}
