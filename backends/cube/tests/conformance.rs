//! The conformance suite of backends: every structural primitive and every op of the catalogue, with its
//! gradients.
#![cfg(feature = "wgpu")]

#[path = "../../../tests/support/record.rs"]
mod record;
#[path = "../../../tests/support/run.rs"]
mod run;

use tensor_op::backend::{Backend, Prim};
use tensor_op::testing::conformance::{Failure, Subject};
use tensor_op::testing::run_backend_tests_with;
use tensor_op::{DType, Device};
use tensor_op_cube::{Cube, Wgpu};

/// What is wrong on Mesa's processor driver.
fn known(failure: &Failure) -> Option<&'static str> {
    let reason = failure.reason.lines().next().unwrap_or_default();
    match &failure.what {
        Subject::Apply(Prim::Pow) if failure.case == "special values" && failure.dtype == DType::F32 => {
            Some("a power of a subnormal number has no digits")
        }
        Subject::Op(name) if name == "softshrink" && reason.ends_with("the sign of zero") => {
            Some("`x * 0.0` is 0, also of a negative number")
        }
        Subject::Op(_)
        | Subject::Function(_)
        | Subject::Apply(_)
        | Subject::Reduce(_)
        | Subject::Composite(_) => None,
    }
}

/// A processor that poses as a GPU compiles the kernels of an op for seconds. Other devices have other dtypes
/// and functions than the record, which is of Mesa's processor driver.
#[test]
fn wgpu_conforms() {
    let device = Device::new("wgpu").expect("a GPU, or a processor that poses as one");
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/support/wgpu.txt");
    let report = run_backend_tests_with(&device, &run::ops(5, file));
    run::is_right(&report, known);
    assert!(run::is_of_new() || report.total > 3000, "{} cases", report.total);
    let name = Cube::<Wgpu>::name(&Default::default());
    if name.contains("llvmpipe") {
        run::is_recorded(&report, (file, &name), run::Wanted::Kept, known);
    }
}
