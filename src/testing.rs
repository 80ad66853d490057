//! What generated tests call, and what a backend is checked with.

pub use tensor_op_testing::*;

use crate::{Device, catalogue};

/// Checks the backend of a device: every structural primitive, and the ops of the [`catalogue`] with their gradients, over dtypes, shapes
/// and layouts, against the f64 reference interpreter. Bounds are derived from each graph. What the backend says it lacks is left out.
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
    conformance::check(device.core(), &catalogue::ops())
}
