//! The functions that generated tests call, and the checks for a backend.

pub use tensor_op_testing::*;

use crate::{Device, Op, catalogue};

/// Checks the backend of a device: every structural primitive, and the ops of the [`catalogue`] with their
/// gradients, over dtypes, shapes and layouts, against the f64 reference interpreter. Bounds are derived from
/// each graph. Dtypes and functions that the backend says it lacks are left out.
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
    conformance::check(device.core(), ops)
}
