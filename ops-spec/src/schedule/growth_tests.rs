//! How schedules grow with formulas: linearly with their length.

use super::{CostModel, Schedule, schedule};
use crate::testing::scheduled;

/// What there is in a schedule: kernels, passes, what passes read, and what they compute.
fn counts(schedule: &Schedule) -> [usize; 4] {
    let passes = || schedule.passes();
    let reads = passes().map(|pass| pass.uniforms.len() + pass.elements.len()).sum();
    let steps = passes().map(|pass| pass.program.steps().len()).sum();
    [schedule.kernels.len(), passes().count(), reads, steps]
}

/// Checks the counts of the forward and the backward kernels of formulas of three lengths: the second step in
/// length adds no more than the first, but for a tenth.
fn check(formula: impl Fn(usize) -> String) {
    let of = |length: usize| {
        let source = formula(length);
        let (forward, backward) = scheduled(&source).unwrap_or_else(|errors| panic!("{source}: {errors}"));
        let graphs = [forward.graph, backward.expect("it has a gradient").graph];
        graphs.map(|graph| counts(&schedule(&graph, CostModel::CPU))).concat()
    };
    let [a, b, c] = [20, 40, 60].map(of);
    for ((a, b), c) in a.iter().zip(&b).zip(&c) {
        let (first, second) = (b.saturating_sub(*a), c.saturating_sub(*b));
        assert!(10 * second <= 11 * first + 10, "{a}, {b} and {c}: {}", formula(2));
    }
}

/// A formula that computes each of its values from the one before.
fn chain(next: impl Fn(&str) -> String) -> impl Fn(usize) -> String {
    move |length| {
        let lets: String =
            (0..length).map(|i| format!("let a{} = {};\n", i + 1, next(&format!("a{i}")))).collect();
        format!("fn f(a0: Tensor![m, n], w: Tensor![m, n]) -> Tensor![m, n] {{\n{lets}a{length} * w }}")
    }
}

#[test]
fn values_of_values() {
    check(chain(|a| format!("tanh({a}) * w")));
    check(chain(|a| format!("{a} * w + 0.5")));
}

/// What a scan takes is computed again for other kernels, but only if it is short.
#[test]
fn scans_of_scans() {
    check(chain(|a| format!("{a} + cumsum({a}, n)")));
    check(chain(|a| format!("tanh({a}) * w + cumsum(tanh({a}), m)")));
}

/// A pass reads what an earlier one has kept.
#[test]
fn rows_that_need_the_rows_before() {
    check(chain(|a| format!("tanh({a} - mean({a}, n))")));
    check(chain(|a| format!("2.0 * {a} - max({a}, n)")));
    check(chain(|a| format!("softmax({a}, n)")));
}

#[test]
fn inputs() {
    check(|length| {
        let args: Vec<String> = (0..length).map(|i| format!("x{i}: Tensor![m, n]")).collect();
        let sum: Vec<String> = (0..length).map(|i| format!("exp(x{i})")).collect();
        format!("fn f({}) -> Tensor![m, n] {{ {} }}", args.join(", "), sum.join(" + "))
    });
}

#[test]
fn results() {
    check(|length| {
        let types = vec!["Tensor![m, n]"; length].join(", ");
        let results: Vec<String> = (0..length).map(|i| format!("exp(x * {}.5)", i + 1)).collect();
        format!("fn f(x: Tensor![m, n]) -> ({types}) {{ ({}) }}", results.join(", "))
    });
}
