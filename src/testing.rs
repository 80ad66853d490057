//! The functions that generated tests call, and the checks for a backend.

pub use tensor_op_testing::*;

use crate::{Device, Op, catalogue, run_log};

#[cfg(feature = "quantize")]
mod quantized;

/// Checks the backend of a device: every structural primitive, and the ops of the [`catalogue`] with their
/// gradients, over dtypes, shapes and layouts, against the f64 reference interpreter. Bounds are derived from
/// each graph. Quantized tensors are checked in each scheme. Dtypes and functions that the backend says it
/// lacks are left out.
///
/// ```no_run
/// # fn main() -> tensor_op::Result<()> {
/// let report = tensor_op::testing::run_backend_tests(&tensor_op::Device::new("mine")?);
/// println!("{}", report.matrix());
/// assert_eq!(report.passed, report.total, "{report}");
/// # Ok(())
/// # }
/// ```
pub fn run_backend_tests(device: &Device) -> conformance::Report {
    run_backend_tests_with(device, &catalogue::ops())
}

/// Does the same as [`run_backend_tests`], with these ops instead of the catalogue.
///
/// ```
/// # fn main() -> tensor_op::Result<()> {
/// use tensor_op::catalogue::nn::Softmax;
/// use tensor_op::testing::run_backend_tests_with;
///
/// let report = run_backend_tests_with(&tensor_op::Device::new("cpu")?, &[&Softmax]);
/// assert_eq!(report.passed, report.total, "{report}");
/// # Ok(())
/// # }
/// ```
pub fn run_backend_tests_with(device: &Device, ops: &[&dyn Op]) -> conformance::Report {
    let report = conformance::check(device.core(), ops);
    #[cfg(feature = "quantize")]
    let report = quantized::with(report, device);
    report
}

/// Runs a closure, and tells which ops of the [`catalogue`] it has called, each once. An op that is a part of
/// another op's formula is not called, and neither are the ops of a backward pass.
///
/// ```
/// # fn main() -> tensor_op::Result<()> {
/// use tensor_op::{Tensor, testing};
///
/// let x = Tensor::from([1.0, -2.0]);
/// let (y, ops) = testing::ops_called_by(|| x.relu()?.exp());
/// assert_eq!(y?.shape(), x.shape());
/// let names: Vec<&str> = ops.iter().map(|op| op.spec().name()).collect();
/// assert_eq!(names, ["relu", "exp"]);
/// # Ok(())
/// # }
/// ```
pub fn ops_called_by<T>(calls: impl FnOnce() -> T) -> (T, Vec<&'static dyn Op>) {
    run_log::of(catalogue::ops(), calls)
}
