//! What ops keep for their gradients.

use super::{Keep, Pair, pair};
use crate::ir::{ArgType, Graph, NodeId, Role, formula};
use crate::simplify::strip;
use crate::testing::declared;

/// The names of the values that the gradient takes, `name = value` for hidden ones, shapes in brackets.
fn kept(source: &str, keep: &Keep) -> Vec<String> {
    let Pair { forward, backward } = pair(&declared(source), keep).expect("a gradient");
    let hidden = |k: usize| {
        let mut only = strip(&forward);
        only.outputs = vec![only.outputs[k].clone()];
        only.outputs[0].name = "kept".into();
        formula(&only)
    };
    let name = |arg: &crate::ir::Arg| match (&arg.ty, arg.role) {
        (_, Role::Grad(_) | Role::Tangent(_)) => None,
        (ArgType::Tensor { .. }, Role::Output(k)) if forward.outputs[k].hidden => Some(hidden(k)),
        (ArgType::Tensor { .. }, _) => Some(arg.name.clone()),
        (ArgType::Shape { .. }, _) => Some(format!("[{}]", arg.name)),
        (ArgType::Scalar { .. } | ArgType::Axis { .. }, _) => None,
    };
    backward.args.iter().filter_map(name).collect()
}

#[track_caller]
fn check(source: &str, expected: &[&str]) {
    assert_eq!(kept(source, &Keep::Cheapest), expected, "{source}");
}

#[test]
fn row_statistics_are_kept() {
    check(
        "fn f(x: Tensor![.., n]) -> Tensor![.., n] { x * rsqrt(mean(x * x, n) + 1.0) }",
        &["x", "kept = rsqrt(sum(x * x, n) / len(n) + 1.0)"],
    );
    check(
        "fn f(x: Tensor![b, v], t: IntTensor![b]) -> Tensor![b] { logsumexp(x, v) - at(x, v = t) }",
        &[
            "x",
            "t",
            "let t0 = max(x, v);\nlet t1 = select(is_finite(t0), t0, 0.0);\nkept = ln(sum(exp(x - t1), v)) + t1",
        ],
    );
}

#[test]
fn a_product_is_kept_rather_than_computed_again() {
    check(
        "fn f(x: Tensor![m, k], w: Tensor![k, n]) -> Tensor![m, n] { gelu(sum(x * w, k)) }",
        &["x", "w", "kept = sum(x * w, k)"],
    );
    check(
        "fn f(x: Tensor![m, k], w: Tensor![k, n]) -> Tensor![m, n] { relu(sum(x * w, k)) }",
        &["x", "w", "out"],
    );
}

/// `h` may be longer than every dim of an argument.
#[test]
fn layers_between_products_are_kept() {
    check(
        "fn f(x: Tensor![b, i], gate: Tensor![h, i], up: Tensor![h, i], down: Tensor![o, h]) -> Tensor![b, o] {
            sum(silu(sum(x * gate, i)) * (sum(x * up, i) * down), h)
        }",
        &["x", "gate", "up", "down", "kept = sum(x * up, i)", "kept = sum(x * gate, i)"],
    );
}

#[test]
fn what_is_cheap_or_too_large_is_computed_again() {
    check("fn f(x: Tensor, y: Tensor) -> Tensor { x * y * sigmoid(y) }", &["x", "y"]);
    check("fn f(x: Tensor![n], b: Tensor![n]) -> Tensor![n] { gelu(x * 2.0) + b }", &["x", "[b]"]);
    let attention = "fn f(q: Tensor![t, d], k: Tensor![s, d], v: Tensor![s, e]) -> Tensor![t, e] {
        sum(softmax(sum(q * k, d), s) * v, s)
    }";
    let Pair { forward, .. } = pair(&declared(attention), &Keep::Cheapest).expect("a gradient");
    let (hidden, result) = (forward.with_results(true), forward.outputs[0].node);
    let statistics: Vec<NodeId> =
        hidden.outputs.iter().map(|output| output.node).filter(|node| *node != result).collect();
    assert_eq!(statistics.len(), 2, "{forward}");
    assert!(statistics.iter().all(|node| forward.node(*node).dims.len() == 1), "no scores: {forward}");
}

/// A second gradient would count both the rule's gradient of `x` and the derivative of the norm for `x`.
#[test]
fn what_is_inside_of_a_rule_for_some_inputs_is_computed_again() {
    let value = "fn g(x: Tensor![m, n], y: Tensor![k]) -> Tensor![m, n, k] { x * y * norm(x, n) }";
    let caller = "fn f(x: Tensor![m, n], y: Tensor![k]) -> Tensor![m, k] { sum(square(self::g(x, y)), n) }";
    check(&format!("{value} {caller}"), &["x", "y", "kept = sqrt(sum(x * x, n))"]);
    check(&format!("#[grad(x = sum(grad * y, k))] {value} {caller}"), &["x", "y"]);
}

#[test]
fn the_choice_can_be_overridden() {
    let source = "fn f(x: Tensor![n]) -> Tensor![n] { let m = mean(x, n); tanh(x - m) }";
    assert_eq!(kept(source, &Keep::Inputs), ["x"]);
    assert_eq!(kept(source, &Keep::Results), ["[x]", "out"]);
    let graph = declared(source);
    let mean = graph.ids().find(|id| graph.node(*id).name.as_deref() == Some("m")).expect("a let");
    let Pair { forward, .. } = pair(&graph, &Keep::Values(vec![mean])).expect("a gradient");
    assert_eq!(
        forward.outputs.iter().map(|o| (o.name.as_str(), o.hidden)).collect::<Vec<_>>(),
        [("out", false), ("m", true)]
    );
}

#[test]
fn what_the_gradient_does_not_need_is_not_kept() {
    let source = "#[save(e)] fn f(x: Tensor) -> Tensor { let e = x * 2.0; e + 1.0 }";
    let message = crate::compile::source_graph(source.parse().expect("tokens")).expect_err("nothing to keep");
    assert_eq!(message, "the gradient doesn't need `e`: remove it from `#[save(..)]`");
}

#[test]
fn hidden_results_are_printed_and_read_back() {
    let source = "fn f(x: Tensor![.., n]) -> Tensor![.., n] { let s = rsqrt(mean(x * x, n)); x * s }";
    let Pair { forward, .. } = pair(&declared(source), &Keep::Cheapest).expect("a gradient");
    let text = forward.to_string();
    assert!(text.contains("\nout s = "), "{text}");
    assert_eq!(Graph::parse(&text), Ok(forward));
}
