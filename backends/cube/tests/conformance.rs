//! The conformance suite of backends: every structural primitive and every op of the catalogue, with its gradients.
#![cfg(feature = "wgpu")]

use tensor_op::testing::run_backend_tests;
use tensor_op::{DType, Device};

/// What the device computes itself, to fewer digits or over a smaller range than the suite asks for.
const OF_THE_DEVICE: &[&str] = &["expm1", "log1p", "pow", "sin", "cos", "tan", "sinh"];

#[test]
fn wgpu_conforms() {
    let device = Device::new("wgpu").expect("a GPU, or a processor that poses as one");
    let report = run_backend_tests(&device);
    let is_own = |what: &str, dtype| dtype != DType::F32 || !OF_THE_DEVICE.contains(&what);
    let own = report.failures.iter().filter(|failure| is_own(&failure.what, failure.dtype));
    let own: Vec<String> = own.map(|failure| failure.to_string()).collect();
    assert!(own.is_empty(), "{}\n{}", report.matrix(), own.join("\n"));
    assert!(report.total > 4000 && report.score() > 0.99, "{} of {}", report.passed, report.total);
}
