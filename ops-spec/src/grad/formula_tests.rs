//! Derivatives of every formula: full gradcheck in both orders, and forward mode against reverse mode.

use super::{backward, is_differentiable, jvp};
use crate::emit::Scheduled;
use crate::formulas;
use crate::ir::{Graph, Op, Role};
use crate::prim::Prim;
use crate::testing::{
    all_scheduled, backward_args, check_gradcheck, check_inner_product, declarations, declared, sample,
    sketch, small_sizes,
};

/// A declaration for each named formula.
const FORMULAS: &[&str] = &[
    "fn f(x: Tensor![b, n]) -> Tensor![b, n] { relu(x - 1.0) }",
    "fn f(x: Tensor![b, n]) -> Tensor![b, n] { sigmoid(x) }",
    "fn f(x: Tensor![b, n]) -> Tensor![b, n] { silu(x) }",
    "fn f(x: Tensor![b, n]) -> Tensor![b, n] { gelu(x) }",
    "fn f(x: Tensor![b, n]) -> Tensor![b, n] { gelu_tanh(x) }",
    "fn f(x: Tensor![b, n]) -> Tensor![b, n] { softplus(x) }",
    "fn f(x: Tensor![b, n]) -> Tensor![b, n] { mish(x) }",
    "fn f(x: Tensor![b, n], low: Tensor![n]) -> Tensor![b, n] { clamp(x, low, 1.3) }",
    "fn f(a: Tensor![b, n], c: Tensor![n]) -> Tensor![b, n] { hypot(a, c) }",
    "fn f(a: Tensor![b, n], c: Tensor![n]) -> Tensor![b, n] { logaddexp(a, c) }",
    "fn f(x: Tensor![b, n]) -> Tensor![b, n] { square(x) * cube(x) }",
    "fn f(x: Tensor![b, n]) -> Tensor![b, n] { sinc(x) }",
    "fn f(a: Tensor![b, n], c: Tensor![n]) -> Tensor![b, n] { remainder(a, c) * a }",
    "fn f(a: Tensor![b, n], c: Tensor![n]) -> Tensor![b, n] { a * floor_div(stop_grad(a), stop_grad(c)) }",
    "fn f(x: Tensor![b, n], i: IntTensor![n]) -> Tensor![b, n] { x * cast(popcount(i), float) }",
    "fn f(x: Tensor![b, n]) -> Tensor![b] { mean(exp(x), n) }",
    "fn f(x: Tensor![b, n]) -> Tensor![b, n] { softmax(x, b) }",
    "fn f(x: Tensor![b, n]) -> Tensor![b, n] { log_softmax(x, n) }",
    "fn f(x: Tensor![b, n]) -> Tensor![] { logsumexp(x, (b, n)) }",
    "fn f(x: Tensor![b, n]) -> Tensor![b] { var(x, n) }",
    "fn f(x: Tensor![b, n]) -> Tensor![n] { std(x, b, 1) }",
    "fn f(x: Tensor![b, n]) -> Tensor![b] { norm(x, n) }",
    "fn f(x: Tensor![b, n]) -> Tensor![b, n] { logcumsumexp(x, n) }",
    "fn f(x: Tensor![b, n]) -> Tensor![b] { exp(median(x, n)) }",
    "fn f(x: Tensor![b, n], y: Tensor![n]) -> Tensor![n] { exp(quantile(x * y, 0.3, b)) }",
    "fn f(x: Tensor![b, n], seed: i64) -> Tensor![b, n] { x * uniform(seed, n) + normal(seed, (b, n)) * sin(x) }",
    "fn f(x: Tensor![b, n], seed: i64) -> Tensor![b, n] { exponential(seed, n) * gumbel(seed + 1, b) * exp(x) }",
    "fn f(x: Tensor![b, n], p: Tensor![n], seed: i64) -> Tensor![b, n] { select(bernoulli(0.5, seed, (b, n)), p * x, x) }",
    "fn f(x: Tensor![b, n], y: Tensor![b, n], seed: i64) -> Tensor![b, n] { dropout(x * y, 0.4, seed) }",
    // The norm of a value that does not vary, which only simplification sees.
    "fn f(x: Tensor![n], y: Tensor![n]) -> Tensor![] { norm(select(is_finite(y), sum(x, n), sum(x, n)), n) }",
    "fn f(x: Tensor![b, n], p: Tensor![n]) -> Tensor![b] { prod(pow(x, p), n) * max(x, n) - min(x, n) }",
    "fn f(x: Tensor, axis: Axis) -> Tensor { sum(x * x, axis) }",
    "fn f(x: Tensor, axis: Axis) -> Tensor { sum(x, axis) }",
    "fn f(x: Tensor, y: Tensor![..]) -> Tensor { maximum(x, y) / minimum(x * y, 0.7) }",
    "fn f(x: Tensor![v, d], i: IntTensor![b, n]) -> Tensor![b, d] { sum(at(exp(x), v = i), n) }",
    "fn f(x: Tensor![b], y: Tensor![b, n], i: IntTensor![b, m]) -> Tensor![b, m] { exp(at(select(y > 0.0, x, x), n = i)) }",
];

/// Each declaration with a gradient, and its graph.
fn differentiable() -> Vec<(String, Graph)> {
    let known = FORMULAS.iter().map(ToString::to_string);
    let sources = known.chain(declarations("tests/ops")).chain(declarations("../src/catalogue"));
    let graphs = sources.flat_map(|source| {
        let formulas = all_scheduled(&source).unwrap_or_else(|errors| panic!("{source}: {errors}"));
        let graph = |(forward, _): (Scheduled, _)| (source.clone(), forward.source.with_results(false));
        formulas.into_iter().map(graph).collect::<Vec<_>>()
    });
    let is_slope = |graph: &Graph| {
        let mut left_out = OTHER_SLOPE.iter().chain(&SOMETIMES_NAN);
        !left_out.any(|name| graph.name == *name || (name.ends_with('_') && graph.name.starts_with(name)))
    };
    let is_checked = |graph: &Graph| is_differentiable(graph) && work(graph) <= MOST_WORK && is_slope(graph);
    graphs.filter(|(_, graph)| is_checked(graph)).collect()
}

/// Ops whose gradient is not the slope of their results: it passes through what they round, or leaves out
/// some results or rows.
const OTHER_SLOPE: [&str; 7] = [
    "gumbel_softmax_hard",
    "stochastic_round",
    "fake_quantize_",
    "batch_norm_train_",
    "instance_norm_train_",
    "layer_norm_of_rows_",
    "embedding_with_padding",
];

/// Ops that are NaN for some of the samples here: functions of numbers up to 1, from 1 on, or above 0.
const SOMETIMES_NAN: [&str; 15] = [
    "binary_cross_entropy_with_weight_",
    "binary_cross_entropy_without_weight_",
    "cross_entropy_of_yes",
    "sigmoid_focal_loss_",
    "asin",
    "acos",
    "atanh",
    "acosh",
    "logit",
    "normal_quantile",
    "erfinv",
    "ndtri",
    "zeta_sum",
    "zeta",
    "polygamma",
];

/// Ops that are more work than this have tests of their gradients with the others of the catalogue alone:
/// without optimisation they take minutes here.
const MOST_WORK: usize = 1 << 17;

/// The values that a graph computes for all differences.
fn work(graph: &Graph) -> usize {
    let sizes = small_sizes(graph);
    let inputs = graph.nodes.iter().filter(|node| matches!(node.op, Op::Input(_)));
    let inputs: usize = inputs.map(|node| sizes.count(node.dims)).sum();
    inputs * graph.nodes.iter().map(|node| sizes.count(node.dims)).sum::<usize>()
}

#[test]
fn every_formula_is_here() {
    let missing = formulas::names().find(|name| !FORMULAS.iter().any(|f| f.contains(&format!("{name}("))));
    assert_eq!(missing, None);
}

#[test]
fn gradients_of_first_and_second_order_agree_with_differences() {
    for (_, graph) in differentiable() {
        let sizes = small_sizes(&graph);
        check_gradcheck(&graph, &sizes, &sample(&graph, &sizes, 1));
    }
}

#[test]
fn forward_mode_is_the_transpose_of_reverse_mode() {
    for (_, graph) in differentiable() {
        let sizes = small_sizes(&graph);
        (2..4).for_each(|seed| check_inner_product(&graph, &sizes, &sample(&graph, &sizes, seed)));
        // And of gradients, as a product with the Hessian takes it.
        let back = super::backward(&graph).expect("a gradient");
        check_inner_product(&back, &sizes, &backward_args(&graph, &sizes, 4));
    }
}

/// The formulas of a forward-mode derivative along these arguments.
fn tangents(source: &str, carries: &[bool]) -> String {
    crate::ir::formula(&jvp(&declared(source), carries).expect("a forward-mode derivative").graph)
}

#[test]
fn tangents_read_like_those_derived_by_hand() {
    assert_eq!(
        tangents("fn f(x: Tensor, y: Tensor) -> Tensor { x * y }", &[true, true]),
        "tangent_out = tangent_x * y + tangent_y * x"
    );
    assert_eq!(
        tangents("fn f(x: Tensor, y: Tensor) -> Tensor { x * y }", &[true, false]),
        "tangent_out = tangent_x * y"
    );
    assert_eq!(
        tangents("fn f(x: Tensor) -> Tensor { tanh(x) }", &[true]),
        "tangent_out = tangent_x * (1.0 - out * out)"
    );
    assert_eq!(
        tangents("fn f(x: Tensor![n]) -> Tensor![n] { softmax(x, n) }", &[true]),
        "let t0 = tangent_x * out;\ntangent_out = t0 - sum(t0, n) * out"
    );
    assert_eq!(
        tangents("fn f(x: Tensor![n], y: Tensor![n]) -> Tensor![n] { x + stop_grad(y) }", &[true, true]),
        "tangent_out = tangent_x"
    );
}

/// The gradient computes the length again, and that value is as stable as the formula.
#[test]
fn gradients_of_large_lengths_do_not_overflow() {
    let graph = declared("fn f(a: Tensor![n], c: Tensor![n]) -> Tensor![n] { hypot(a, c) }");
    let args = [vec![3e200, 3e-200], vec![4e200, 4e-200]];
    let found = crate::testing::gradients(&graph, &crate::testing::Sizes(vec![2]), &args, &[vec![1.0, 1.0]]);
    for (found, expected) in found.iter().zip([0.6, 0.8]) {
        assert!(found.iter().all(|x| (x - expected).abs() < 1e-14), "{found:?}");
    }
}

#[test]
fn a_rule_that_is_not_linear_has_no_forward_mode() {
    let clipped = declared("#[grad(x = clamp(grad, -1.0, 1.0))] fn f(x: Tensor) -> Tensor { x * 2.0 }");
    let errors = jvp(&clipped, &[true]).expect_err("clamp is not linear");
    assert!(errors[0].reason.contains("isn't linear in `grad`"), "{errors:?}");
    let shifted = declared("#[grad(x = grad + x)] fn f(x: Tensor) -> Tensor { x * 2.0 }");
    jvp(&shifted, &[true]).expect_err("a sum with something else is not linear");
}

#[test]
fn results_that_depend_on_no_tangent_have_none() {
    let source =
        "fn f(x: Tensor, y: Tensor) -> (Tensor, Tensor, Tensor) { (x * y, exp(y), y + stop_grad(x)) }";
    let of = |carries: &[bool]| jvp(&declared(source), carries).expect("a forward-mode derivative").of;
    assert_eq!(
        (of(&[true, false]), of(&[true, true]), of(&[false, false])),
        (vec![0], vec![0, 1, 2], vec![])
    );
}

#[test]
fn a_break_before_a_constant_is_none() {
    let graph = sketch("n", &[("x", "n"), ("y", "n")], |_, a| vec![(a[0] * a[1].map(Prim::Floor), "n")]);
    assert!(jvp(&graph, &[true, false]).is_ok() && jvp(&graph, &[true, true]).is_err());
}

#[test]
fn a_tangent_keeps_the_axes_of_its_result() {
    let source = "fn f(x: Tensor, axis: Axis) -> Tensor { stop_grad(x) + sum(x, axis) }";
    let forward = jvp(&declared(source), &[true, false]).expect("a forward-mode derivative").graph;
    let out = &forward.outputs[0];
    assert_eq!(forward.node(out.node).dims.len(), 2, "{forward}");
}

/// An int result that was stored in fewer bits than it was computed in may have become another number.
#[test]
fn a_gradient_takes_no_int_result_that_may_have_wrapped_around() {
    let takes_place = |place: &str| {
        let source = format!(
            "fn f(x: Tensor![m, n], #[no_grad] y: Tensor![m, n], ids: IntTensor![m]) -> (Tensor![m], IntTensor![m]) {{
                 let k = {place};
                 (square(at(x, n = k)) * cast(ids, float), k)
             }}"
        );
        let gradient = backward(&declared(&source)).expect("differentiable");
        gradient.args.iter().any(|arg| arg.role == Role::Output(1))
    };
    assert!(takes_place("argmax(y, n)"));
    assert!(!takes_place("max(cast(y, int), n) + ids"));
}
