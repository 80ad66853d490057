//! What a backend must do: every structural primitive and a set of declared ops, over dtypes, shapes and layouts.
//!
//! Whoever writes a [`Backend`] runs [`run_backend_tests`] and reads the [`Report`]: counts, failures with their case and values,
//! and which op works with which dtype. A dtype that the backend says it lacks is left out; a panic is a failure.

mod layout;
mod movement;
mod report;
mod values;

pub use layout::{Layout, place};
pub use report::{Failure, Report};

use std::panic::{AssertUnwindSafe, catch_unwind};
use tensor_op_core::{Backend, DType, Result};

/// Runs the suite on a device of a backend.
///
/// ```
/// use tensor_op_testing::conformance::run_backend_tests;
/// use tensor_op_ndarray::{CpuDevice, NdArray};
///
/// let report = run_backend_tests::<NdArray>(&CpuDevice);
/// assert_eq!(report.passed, report.total, "{report}");
/// ```
pub fn run_backend_tests<B: Backend>(device: &B::Device) -> Report {
    let mut suite = Suite::<B> { device, report: Report::default() };
    for dtype in DType::ALL {
        if !B::supports_dtype(device, dtype) {
            suite.report.lacks("from_data, into_data", dtype);
            continue;
        }
        movement::run(&mut suite, dtype);
    }
    suite.report
}

/// A run in progress.
struct Suite<'d, B: Backend> {
    device: &'d B::Device,
    report: Report,
}

impl<B: Backend> Suite<'_, B> {
    /// Runs a case: the inner result says what is wrong with what came back, the outer one that nothing did.
    fn check(
        &mut self,
        what: &str,
        dtype: DType,
        case: String,
        run: impl FnOnce() -> Result<std::result::Result<(), String>>,
    ) {
        let outcome = match catch_unwind(AssertUnwindSafe(run)) {
            Ok(Ok(outcome)) => outcome,
            Ok(Err(error)) => Err(error.to_string()),
            Err(panic) => Err(format!("panicked: {}", message(&*panic))),
        };
        self.report.add(what, dtype, case, outcome);
    }
}

fn message(panic: &(dyn std::any::Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("no message")
}
