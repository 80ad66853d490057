//! What a backend must do: every structural primitive and a set of declared ops, over dtypes, shapes and
//! layouts.
//!
//! If you write a [`Backend`], register it and run [`check`], or `run_backend_tests` of the facade, which
//! adds the ops of its catalogue. The [`Report`] has counts, failures with their case and values, and a table
//! of which op works with which dtype. If the backend says that it lacks a dtype, that dtype is left out. A
//! case is left out too if the backend refuses it as [`Unsupported`](tensor_op_core::ErrorKind::Unsupported)
//! in a float other than f32; the report has what it says. A panic is a failure.

mod devices;
mod graphs;
mod indexing;
mod moved;
mod movement;
mod ops;
mod primitives;
mod reduced;
mod report;
mod subject;
mod transfers;
mod values;
mod work;

pub use report::{Failure, Report, Standing, Support};
pub use subject::{Function, Subject};

use crate::claims::Outcome;
use crate::refusal::is_refusal;
use crate::report::Tally;
use std::collections::BTreeMap;
use std::num::NonZero;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;
use tensor_op_core::{Backend, DType, Device, Dynamic, Op, Result};

/// Runs the suite on a device: first the structural primitives, then the given ops and their gradients. The
/// ops are run by as many threads as there are cores.
///
/// ```
/// use tensor_op_core::{Device, register_backend};
/// use tensor_op_ndarray::NdArray;
/// use tensor_op_testing::conformance;
///
/// register_backend::<NdArray>("cpu")?;
/// let report = conformance::check(&Device::new("cpu")?, &[]);
/// assert_eq!(report.passed, report.total, "{report}");
/// println!("{}", report.matrix());
/// # Ok::<(), tensor_op_core::Error>(())
/// ```
pub fn check(device: &Device, ops: &[&dyn Op]) -> Report {
    let mut suite = Suite { device: *device, report: Report::default() };
    let has_floats = [DType::F32, DType::F64].iter().any(|dtype| Dynamic::supports_dtype(device, *dtype));
    suite.check(Function::SupportsDtype, DType::F32, "a float", || {
        Ok(if has_floats { Ok(()) } else { Err("neither f32 nor f64 is supported".to_string()) })
    });
    for dtype in DType::ALL {
        if !Dynamic::supports_dtype(device, dtype) {
            suite.report.lacks(dtype);
            continue;
        }
        devices::run(&mut suite, dtype);
        work::run(&mut suite, dtype);
        reduced::run(&mut suite, dtype);
        transfers::run(&mut suite, dtype);
        movement::run(&mut suite, dtype);
        indexing::run(&mut suite, dtype);
        primitives::run(&mut suite, dtype);
    }
    let mut report = suite.report;
    ops_of(device, ops).into_iter().for_each(|of_op| report.append(of_op));
    report
}

/// The reports about the ops in each dtype, made by as many threads as there are cores.
fn ops_of(device: &Device, ops: &[&dyn Op]) -> Vec<Report> {
    let dtypes = DType::ALL.into_iter().filter(|dtype| Dynamic::supports_dtype(device, *dtype));
    let tasks: Vec<(DType, &dyn Op)> =
        dtypes.flat_map(|dtype| ops.iter().map(move |op| (dtype, *op))).collect();
    let (next, found) = (AtomicUsize::new(0), Mutex::new(BTreeMap::new()));
    let work = || {
        while let Some((at, (dtype, op))) = take(&next, &tasks) {
            let mut suite = Suite { device: *device, report: Report::default() };
            ops::run(&mut suite, *op, *dtype);
            found.lock().unwrap_or_else(PoisonError::into_inner).insert(at, suite.report);
        }
    };
    // This thread is one of them: there may be no other.
    let cores = thread::available_parallelism().map_or(1, NonZero::get);
    thread::scope(|scope| {
        (1..cores).for_each(|_| drop(scope.spawn(work)));
        work();
    });
    found.into_inner().unwrap_or_else(PoisonError::into_inner).into_values().collect()
}

/// The next of the tasks, and its place.
fn take<'t, T>(next: &AtomicUsize, tasks: &'t [T]) -> Option<(usize, &'t T)> {
    let at = next.fetch_add(1, Ordering::Relaxed);
    Some((at, tasks.get(at)?))
}

/// The outcome of a case.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Verdict {
    Right,
    /// The text says what is wrong.
    Wrong(String),
    /// The backend has the dtype, but says that it does not support the call.
    Refused(String),
    /// There is nothing to compare, such as an index into no elements.
    Empty,
}

impl From<std::result::Result<(), String>> for Verdict {
    fn from(outcome: std::result::Result<(), String>) -> Verdict {
        outcome.map_or_else(Verdict::Wrong, |()| Verdict::Right)
    }
}

impl From<Outcome> for Verdict {
    fn from(outcome: Outcome) -> Verdict {
        match outcome {
            Err(what) => Verdict::Wrong(what),
            Ok(Tally { refused: Some(says), .. }) => Verdict::Refused(says),
            Ok(Tally { cases: 0, .. }) => Verdict::Empty,
            Ok(_) => Verdict::Right,
        }
    }
}

/// A run of the suite in progress.
struct Suite {
    device: Device,
    report: Report,
}

impl Suite {
    /// Runs a case. The inner result says what is wrong with what the backend returned; the outer result is
    /// an error if it returned nothing.
    fn check<V: Into<Verdict>>(
        &mut self,
        what: impl Into<Subject>,
        dtype: DType,
        case: impl Into<String>,
        run: impl FnOnce() -> Result<V>,
    ) {
        let device = self.device;
        self.report.check(&device, what, dtype, case, run);
    }
}

impl Report {
    /// Runs a case, and adds what came out. The inner result says what is wrong with what the backend
    /// returned; the outer result is an error if it returned nothing.
    fn check<V: Into<Verdict>>(
        &mut self,
        device: &Device,
        what: impl Into<Subject>,
        dtype: DType,
        case: impl Into<String>,
        run: impl FnOnce() -> Result<V>,
    ) {
        let verdict = match catch_unwind(AssertUnwindSafe(run)) {
            Ok(Ok(verdict)) => verdict.into(),
            Ok(Err(error)) if is_refusal(&error, device, dtype) => {
                Verdict::Refused(error.message().to_string())
            }
            Ok(Err(error)) => Verdict::Wrong(error.to_string()),
            Err(panic) => Verdict::Wrong(format!("panicked: {}", message(&*panic))),
        };
        self.add(what.into(), dtype, case.into(), verdict);
    }

    /// Adds a case of a function of tensors that calls ops, which only the crate of the function knows.
    pub fn check_composite(
        &mut self,
        device: &Device,
        name: &str,
        dtype: DType,
        case: impl Into<String>,
        run: impl FnOnce() -> Result<std::result::Result<(), String>>,
    ) {
        self.check(device, Subject::Composite(name.to_string()), dtype, case, run);
    }
}

fn message(panic: &(dyn std::any::Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("no message")
}
