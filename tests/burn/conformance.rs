//! The conformance suite on Flex: with Burn's operations as primitives, and the whole catalogue with its
//! kernels.

use crate::burn::backend::Flex;
use tensor_op::backend::Prim;
use tensor_op::burn::Adapter;
use tensor_op::testing::conformance::{Failure, Function, Subject};
use tensor_op::testing::run_backend_tests;
use tensor_op::{DType, Device, register_backend};

/// Whether a failure is a known difference between Burn's operation and what the suite requires.
fn is_burns(failure: &Failure) -> bool {
    let Failure { what, dtype, case, .. } = failure;
    let reason = failure.reason.lines().next().unwrap_or_default();
    // Burn's operations on the CPU panic on an index out of range.
    let out_of_range = reason.contains("out of bounds for dimension");
    // This panics only if the crate is built with overflow checks.
    let overflows = reason.contains("panicked: attempt to ") && reason.ends_with(" with overflow");
    match (what, dtype) {
        (Subject::Function(Function::Gather | Function::ScatterAdd), _) => out_of_range,
        (_, DType::I64 | DType::I32 | DType::U32 | DType::U8) if overflows => true,
        (Subject::Apply(Prim::Acosh | Prim::Asinh), _) => {
            case == "special values" && reason.contains(" is inf, not 89.2")
        }
        // In halves `round` gives a zero the wrong sign.
        (Subject::Apply(Prim::Round), DType::F16 | DType::BF16) => reason.ends_with("the sign of zero"),
        // Burn has neither of these. They are computed as a difference, which loses digits if its result is
        // small compared with its operands.
        (Subject::Apply(Prim::Erfc | Prim::Rem), _) => {
            reason.ends_with("the sign of zero") || off(reason) <= rounding(*dtype)
        }
        _ => false,
    }
}

/// The error of an element, as a message states it.
fn off(reason: &str) -> f64 {
    let words = reason.split("which is ").nth(1).and_then(|rest| rest.split(' ').next());
    words.and_then(|number| number.parse().ok()).unwrap_or(f64::INFINITY)
}

/// A rounding of 1 in the arithmetic of a dtype.
fn rounding(dtype: DType) -> f64 {
    if dtype == DType::F64 { f64::EPSILON } else { f32::EPSILON.into() }
}

#[test]
fn flex_conforms() {
    register_backend::<Adapter<Flex>>("burn-flex").expect("a new name");
    let device = Device::new("burn-flex").expect("a device");
    let report = run_backend_tests(&device);
    let own = report.failures.iter().filter(|failure| !is_burns(failure));
    let own: Vec<String> = own.map(|failure| failure.to_string()).collect();
    assert!(own.is_empty(), "{}\n{}", report.matrix(), own.join("\n"));
    assert!(report.total > 4000 && report.score() > 0.99, "{} of {}", report.passed, report.total);
}
