//! Sums that a gradient computes from a value of the op.

use super::{Keep, Pair, backward, pair};
use crate::ir::{Graph, Role, formula};
use crate::testing::{check_gradcheck, declared, sample, small_sizes};

const ATTENTION: &str =
    "fn f(q: Tensor![b, t, d], k: Tensor![b, s, d], v: Tensor![b, s, e]) -> Tensor![b, t, e] {
    sum(softmax(sum(q * k, d), s) * v, s)
}";

/// The hidden results that are no statistics of rows, as formulas.
fn exchanged(source: &str) -> Vec<String> {
    let Pair { forward, backward } = pair(&declared(source), &Keep::Cheapest).expect("a gradient");
    let is_taken = |k: usize| backward.args.iter().any(|arg| arg.role == Role::Output(k));
    let is_exchanged = |k: &usize| {
        let output = &forward.outputs[*k];
        let is_sum = formula(&backward).contains(&format!("* {}, e)", output.name));
        output.hidden && is_taken(*k) && is_sum
    };
    (0..forward.outputs.len()).filter(is_exchanged).map(|k| forward.outputs[k].name.clone()).collect()
}

/// Checks which values sums are computed from, and the gradients of first and second order.
#[track_caller]
fn check(source: &str, expected: &[&str]) {
    assert_eq!(exchanged(source), expected, "{source}");
    let graph = declared(source);
    let sizes = small_sizes(&graph);
    check_gradcheck(&graph, &sizes, &sample(&graph, &sizes, 1));
}

#[test]
fn the_gradient_of_attention_reads_its_result() {
    check(ATTENTION, &["out1"]);
    let masked = "select(iota(s) <= iota(t), sum(q * k, d) / 2.0, -INFINITY)";
    check(&ATTENTION.replace("sum(q * k, d)", masked), &["out1"]);
    check(
        &ATTENTION.replace("k: Tensor![b, s, d], v: Tensor![b, s, e]", "k: Tensor![s, d], v: Tensor![s, e]"),
        &["out1"],
    );
}

#[test]
fn factors_may_stand_anywhere() {
    check(&ATTENTION.replace("* v, s)", "* v, s) * 3.0"), &["saved"]);
    let dropout = ATTENTION.replace("v: Tensor![b, s, e]", "v: Tensor![b, s, e], keep: BoolTensor![t, s]");
    check(&dropout.replace("* v, s)", "* cast(keep, float) * v, s)"), &["out1"]);
    check(&dropout.replace("* v, s)", "* (v * cast(keep, float)), s)"), &["out1"]);
    let scaled = ATTENTION.replace("v: Tensor![b, s, e]", "v: Tensor![b, s, e], scale: Tensor![e]");
    check(&scaled.replace("* v, s)", "* v * scale, s)"), &["out1"]);
}

/// The value is no result: a projection follows.
#[test]
fn a_value_before_the_result_is_read() {
    let projected = ATTENTION
        .replace("v: Tensor![b, s, e]", "v: Tensor![b, s, e], out: Tensor![e, o]")
        .replace("-> Tensor![b, t, e]", "-> Tensor![b, t, o]")
        .replace("sum(softmax", "let heads = sum(softmax")
        .replace("* v, s)", "* v, s); sum(heads * out, e)");
    check(&projected, &["heads"]);
}

/// There are no more weights than elements of an argument or a result.
#[test]
fn weights_that_are_stored_are_summed() {
    let given =
        "fn f(x: Tensor![b, t, s], v: Tensor![b, s, e]) -> Tensor![b, t, e] { sum(softmax(x, s) * v, s) }";
    check(given, &[]);
    let shown = ATTENTION
        .replace("-> Tensor![b, t, e] {", "-> (Tensor![b, t, e], Tensor![b, t, s]) { let w =")
        .replace("sum(softmax(sum(q * k, d), s) * v, s)", "softmax(sum(q * k, d), s); (sum(w * v, s), w)");
    check(&shown, &[]);
    check(
        "fn f(x: Tensor![b, i], w: Tensor![e, i], g: Tensor![e]) -> Tensor![b, e] { sum(x * w * (g * rsqrt(sum(w * w, i))), i) }",
        &[],
    );
}

/// The numbers in `keep` may be so large that a product with the result overflows, and the gradient does not.
#[test]
fn only_bounded_weights_are_moved() {
    let weighted = ATTENTION.replace("v: Tensor![b, s, e]", "v: Tensor![b, s, e], keep: Tensor![t, s]");
    check(&weighted.replace("* v, s)", "* keep * v, s)"), &[]);
}

/// Without hidden results the gradient would compute the value again, or read it rounded.
#[test]
fn nothing_is_exchanged_if_nothing_is_kept() {
    let graph = declared(ATTENTION);
    let reads_result = |gradient: &Graph| gradient.args.iter().any(|arg| matches!(arg.role, Role::Output(_)));
    for keep in [Keep::Inputs, Keep::Results] {
        let Pair { forward, backward } = pair(&graph, &keep).expect("a gradient");
        assert_eq!(forward, graph);
        assert!(!reads_result(&backward), "{backward}");
    }
    assert!(!reads_result(&backward(&graph).expect("a gradient")));
}
