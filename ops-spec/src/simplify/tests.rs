use super::{reduce_over, simplify, strip};
use crate::grad::backward;
use crate::ir::{Builder, GivenRule, Graph, Kind, Op, Role, Scalar, Value, formula};
use crate::prim::{Fold, Prim};
use crate::testing::{check_gradient, declared, one, set, sketch};

fn softmax() -> Graph {
    sketch("b n", &[("x", "b n")], |b, a| {
        let n = set(b, "n");
        let e = (a[0] - a[0].reduce(Fold::Max, n).stop_grad()).map(Prim::Exp);
        vec![(e / e.reduce(Fold::Sum, n), "b n")]
    })
}

fn mean<'b>(b: &'b Builder, x: Value<'b>, dims: &str) -> Value<'b> {
    x.reduce(Fold::Sum, set(b, dims)) / b.len(set(b, dims), Kind::Float)
}

fn rms_norm() -> Graph {
    sketch("b n", &[("x", "b n"), ("gamma", "n"), ("eps", "f64")], |b, a| {
        let r = (mean(b, a[0] * a[0], "n") + a[2]).map(Prim::Rsqrt);
        vec![(a[0] * r * a[1], "b n")]
    })
}

fn layer_norm() -> Graph {
    let args = [("x", "b n"), ("gamma", "n"), ("beta", "n"), ("eps", "f64")];
    sketch("b n", &args, |b, a| {
        let d = a[0] - mean(b, a[0], "n");
        let r = (mean(b, d * d, "n") + a[3]).map(Prim::Rsqrt);
        vec![(d * r * a[1] + a[2], "b n")]
    })
}

fn cross_entropy() -> Graph {
    sketch("b v", &[("x", "b v"), ("t", "int b")], |b, a| {
        let v = set(b, "v");
        let m = a[0].reduce(Fold::Max, v).stop_grad();
        let lse = (a[0] - m).map(Prim::Exp).reduce(Fold::Sum, v).map(Prim::Ln) + m;
        vec![(lse - a[0].at(one(b, "v"), a[1]), "b")]
    })
}

/// The gradient in the form that is run.
fn gradient(graph: &Graph) -> String {
    formula(&strip(&backward(graph).expect("a gradient")))
}

#[test]
fn gradients_read_as_derived_by_hand() {
    assert_eq!(gradient(&softmax()), "grad_x = (grad_out - sum(grad_out * out, n)) * out");
    assert_eq!(
        gradient(&cross_entropy()),
        "let t0 = exp(x - max(x, v));\n\
         grad_x = (t0 / sum(t0, v) - select(iota(v) == t, 1.0, 0.0)) * grad_out"
    );
    assert_eq!(
        gradient(&rms_norm()),
        "let t0 = rsqrt(sum(x * x, n) / len(n) + eps);\n\
         let t1 = x * t0;\n\
         let t2 = grad_out * gamma;\n\
         grad_x = t2 * t0 - sum(t2 * x, n) * t0 * t0 / len(n) * t1\n\
         grad_gamma = sum(grad_out * t1, b)"
    );
    assert_eq!(
        gradient(&layer_norm()),
        "let t0 = x - sum(x, n) / len(n);\n\
         let t1 = rsqrt(sum(t0 * t0, n) / len(n) + eps);\n\
         let t2 = t0 * t1;\n\
         let t3 = grad_out * gamma;\n\
         let t4 = t3 * t1;\n\
         grad_x = t4 - sum(t3 * t0, n) * t1 * t1 / len(n) * t2 - sum(t4, n) / len(n)\n\
         grad_gamma = sum(grad_out * t2, b)\n\
         grad_beta = sum(grad_out, b)"
    );
}

#[test]
fn they_are_right_too_in_both_orders() {
    for graph in [softmax(), cross_entropy(), rms_norm(), layer_norm()] {
        check_gradient(&graph, &[2, 3]);
    }
}

#[test]
fn relu_of_a_product_needs_its_result_not_the_product() {
    let graph = sketch("m k n", &[("a", "m k"), ("b", "k n")], |b, a| {
        let t = (a[0] * a[1]).reduce(Fold::Sum, set(b, "k"));
        vec![(b.select(t.zip(Prim::Le, b.float(0.0)), b.float(0.0), t), "m n")]
    });
    assert_eq!(
        gradient(&graph),
        "let t0 = select(out <= 0.0, 0.0, grad_out);\ngrad_a = sum(t0 * b, n)\ngrad_b = sum(t0 * a, m)"
    );
}

#[test]
fn products_of_matrices_stay_products() {
    let matmul = sketch("m k n", &[("a", "m k"), ("b", "k n")], |b, a| {
        vec![((a[0] * a[1]).reduce(Fold::Sum, set(b, "k")), "m n")]
    });
    assert_eq!(gradient(&matmul), "grad_a = sum(grad_out * b, n)\ngrad_b = sum(grad_out * a, m)");
    let attention = sketch("i j d e", &[("q", "i d"), ("k", "j d"), ("v", "j e")], |b, a| {
        let s = (a[0] * a[1]).reduce(Fold::Sum, set(b, "d")) * 0.125;
        let e = (s - s.reduce(Fold::Max, set(b, "j")).stop_grad()).map(Prim::Exp);
        let p = e / e.reduce(Fold::Sum, set(b, "j"));
        vec![((p * a[2]).reduce(Fold::Sum, set(b, "j")), "i e")]
    });
    check_gradient(&attention, &[2, 3, 2, 2]);
    assert_eq!(
        gradient(&attention),
        "let t0 = sum(q * k, d) * 0.125;\n\
         let t1 = exp(t0 - max(t0, j));\n\
         let t2 = sum(t1, j);\n\
         let t3 = t1 / t2;\n\
         let t4 = sum(grad_out * v, e);\n\
         let t5 = (t4 - sum(t4 * t1, j) / t2) * t3;\n\
         grad_q = 0.125 * sum(t5 * k, j)\n\
         grad_k = 0.125 * sum(t5 * q, i)\n\
         grad_v = sum(grad_out * t3, i)"
    );
}

/// The simplified form of a forward formula over `x, y [b, n]`, `c [b]` and `w [n]`.
fn simple(build: for<'b> fn(&'b Builder, &[Value<'b>]) -> Value<'b>) -> String {
    let args = [("x", "b n"), ("y", "b n"), ("c", "b"), ("w", "n")];
    let text = formula(&simplify(sketch("b n", &args, |b, a| vec![(build(b, a), "b n")])));
    text.replace("out = ", "")
}

/// The simplified form of the same formula in a gradient.
fn simple_in_gradient(build: for<'b> fn(&'b Builder, &[Value<'b>]) -> Value<'b>) -> String {
    let args = [("x", "b n"), ("y", "b n"), ("c", "b"), ("w", "n")];
    let mut graph = sketch("b n", &args, |b, a| vec![(build(b, a), "b n")]);
    graph.args.iter_mut().enumerate().for_each(|(index, arg)| arg.role = Role::Grad(index));
    formula(&simplify(graph)).replace("out = ", "")
}

#[test]
fn neutral_elements_and_signs_go() {
    assert_eq!(simple(|_, a| a[0] * 1.0 + 0.0), "x");
    assert_eq!(simple(|_, a| 1.0 * (a[0] - 0.0) / 1.0), "x");
    assert_eq!(simple(|_, a| -(-a[0])), "x");
    assert_eq!(simple(|_, a| a[0] + -a[1]), "x - y");
    assert_eq!(simple(|_, a| -a[0] + a[1]), "y - x");
    assert_eq!(simple(|_, a| a[0] - -a[1]), "x + y");
    assert_eq!(simple(|_, a| -a[0] * -a[1]), "x * y");
    assert_eq!(simple(|_, a| a[0] * -1.0), "-x");
    assert_eq!(simple(|_, a| a[0] / -a[1]), "-(x / y)");
    assert_eq!(simple(|_, a| 2.0 * (0.5 * a[0])), "x");
    assert_eq!(simple(|_, a| a[0] * 0.0), "x * 0.0", "zero times infinity is not zero");
    assert_eq!(simple(|_, a| a[0] - a[0]), "x - x", "infinity minus infinity is not zero");
}

#[test]
fn constants_are_computed() {
    assert_eq!(simple(|b, a| a[0] * b.float(2.0).map(Prim::Exp2)), "x * 4.0");
    assert_eq!(simple(|b, a| a[0] + b.literal(Scalar::Int(3)).cast(Kind::Float)), "x + 3.0");
    assert_eq!(simple(|b, a| a[0].zip(Prim::Pow, b.float(2.0))), "x * x");
    assert_eq!(simple(|b, a| a[0].zip(Prim::Pow, b.float(0.5))), "pow(x, 0.5)");
}

#[test]
fn choices_that_are_none_go() {
    assert_eq!(simple(|b, a| b.select(a[0].zip(Prim::Lt, a[1]), a[0], a[0])), "x");
    assert_eq!(simple(|b, a| b.select(b.float(0.0).zip(Prim::Lt, b.float(1.0)), a[0], a[1])), "x");
    assert_eq!(
        simple(|b, a| b.select(a[0].map(Prim::IsNan).map(Prim::Not), a[0], a[1])),
        "select(is_nan(x), y, x)"
    );
    assert_eq!(simple(|_, a| a[0].zip(Prim::Maximum, a[0])), "x");
    let size = |b: &Builder| b.len(set(b, "n"), Kind::Int).zip(Prim::Maximum, b.literal(Scalar::Int(0))).id;
    let graph = sketch("n", &[("x", "n")], |b, a| vec![(a[0] / b.value(size(b)).cast(Kind::Float), "n")]);
    assert_eq!(formula(&simplify(graph)), "out = x / len(n)", "a size is never negative");
}

#[test]
fn equal_values_are_computed_once() {
    assert_eq!(
        simple(|_, a| (a[0] * a[1]).map(Prim::Exp) + (a[1] * a[0]).map(Prim::Exp)),
        "let t0 = exp(x * y);\nt0 + t0"
    );
}

fn sum_n<'b>(b: &'b Builder, x: Value<'b>) -> Value<'b> {
    x.reduce(Fold::Sum, set(b, "n"))
}

/// A rewrite is not made if it could overflow where the formula does not: `x / len(n)` near the largest
/// float, and so on.
#[test]
fn a_formula_overflows_only_where_it_was_written_to() {
    assert_eq!(simple(|b, a| sum_n(b, a[0] / b.len(set(b, "n"), Kind::Float))), "sum(x / len(n), n)");
    assert_eq!(simple(|b, a| sum_n(b, (a[0] * 1e-30).square())), "let t0 = x * 1e-30;\nsum(t0 * t0, n)");
    assert_eq!(simple(|b, a| sum_n(b, (a[0] / a[2]).square())), "let t0 = x / c;\nsum(t0 * t0, n)");
    assert_eq!(simple(|b, a| sum_n(b, a[0] * (a[1] / a[2]))), "sum(x * (y / c), n)");
    assert_eq!(simple(|_, a| 1e200 * (1e200 * a[0])), "1e200 * (1e200 * x)");
    assert_eq!(simple(|_, a| 1e-25 * (1e-25 * a[0])), "1e-25 * (1e-25 * x)");
    assert_eq!(
        simple(|b, a| a[0].reduce(Fold::Sum, set(b, "n")).reduce(Fold::Sum, set(b, "b"))),
        "sum(sum(x, n), b)"
    );
    assert_eq!(simple(|b, a| (-a[0]).reduce(Fold::Sum, set(b, "n"))), "-sum(x, n)", "signs are exact");
    assert_eq!(simple(|_, a| 0.25 * (0.5 * a[0])), "0.125 * x", "and so is what the constants make");
}

/// The same for gradients: a factor is moved only if it is moderate, or if the rest is a value that was
/// computed before.
#[test]
fn a_gradient_overflows_only_where_its_chain_rule_does() {
    assert_eq!(simple_in_gradient(|b, a| sum_n(b, a[0] * a[2] * a[1])), "sum(x * c * y, n)");
    assert_eq!(simple_in_gradient(|b, a| sum_n(b, a[0] * a[1] * a[2])), "sum(x * y * c, n)");
    assert_eq!(simple_in_gradient(|_, a| a[0] * a[2] / a[1] / a[2]), "x * c / y / c");
    assert_eq!(simple_in_gradient(|_, a| a[0] * a[1] * a[2] + a[0] * a[3]), "x * y * c + x * w");
    assert_eq!(simple_in_gradient(|_, a| a[0] * a[3] - a[1] * a[3]), "x * w - y * w");
    let bounded = simple_in_gradient(|_, a| a[0] * a[1].map(Prim::Tanh) + a[0]);
    assert_eq!(bounded, "(tanh(y) + 1.0) * x", "what the formula bounds can't overflow");
    assert_eq!(simple_in_gradient(|_, a| 1e30 * (1e30 * a[0])), "1e30 * (1e30 * x)");
    assert_eq!(simple_in_gradient(|_, a| a[0] / 1e12 * a[1]), "x / 1000000000000.0 * y");
}

#[test]
fn what_does_not_vary_leaves_a_sum_in_gradients() {
    assert_eq!(simple_in_gradient(|b, a| sum_n(b, a[0] / 2.0)), "sum(x, n) / 2.0");
    assert_eq!(simple_in_gradient(|b, a| sum_n(b, a[2] * a[0])), "sum(c * x, n)");
    assert_eq!(simple_in_gradient(|b, a| sum_n(b, a[0] * 3.0)), "3.0 * sum(x, n)");
    assert_eq!(simple_in_gradient(|b, a| sum_n(b, a[0]).reduce(Fold::Sum, set(b, "b"))), "sum(x, (b, n))");
    let softmax = simple_in_gradient(|b, a| {
        let e = (a[0] - a[0].reduce(Fold::Max, set(b, "n")).stop_grad()).map(Prim::Exp);
        sum_n(b, e * (a[1] / sum_n(b, e)))
    });
    assert!(softmax.ends_with("sum(t0 * y, n) / sum(t0, n)"), "between 1 and the size: {softmax}");
}

#[test]
fn a_sum_over_dims_that_one_factor_lacks_is_two_sums_in_gradients() {
    let mut graph = sketch("m k n", &[("a", "m k"), ("b", "k n")], |b, a| {
        vec![((a[0] * a[1]).reduce(Fold::Sum, set(b, "k n")), "m")]
    });
    assert_eq!(formula(&simplify(graph.clone())), "out = sum(a * b, (k, n))");
    graph.args[0].role = Role::Grad(0);
    assert_eq!(formula(&simplify(graph)), "out = sum(sum(b, n) * a, k)");
    assert_eq!(
        simple_in_gradient(|b, a| (a[0] * a[3]).reduce(Fold::Sum, set(b, "b n"))),
        "sum(x * w, (b, n))"
    );
}

#[test]
fn sizes_cancel_in_gradients() {
    assert_eq!(simple_in_gradient(|b, a| mean(b, a[2] * a[0], "n")), "sum(c * x, n) / len(n)");
    assert_eq!(
        simple_in_gradient(|b, a| a[2] * b.len(set(b, "n"), Kind::Float) / b.len(set(b, "n"), Kind::Float)),
        "c"
    );
}

#[test]
fn sums_of_products_are_gathered_in_gradients() {
    assert_eq!(simple_in_gradient(|_, a| a[0] / 3.0 - a[1] / 3.0), "x / 3.0 - y / 3.0");
    let bounded = simple_in_gradient(|b, a| {
        let near_one = b.float(1.0) + a[2].map(Prim::Sin) * 0.5;
        a[0] / near_one - a[1] / near_one
    });
    assert_eq!(bounded, "(x - y) / (1.0 + sin(c) * 0.5)", "between 0.5 and 1.5");
    assert_eq!(simple_in_gradient(|_, a| a[0] * a[1] + a[1] * a[0]), "2.0 * (x * y)");
    assert_eq!(simple_in_gradient(|_, a| (a[0] + 2.0 * a[1]) + a[1] * 0.5), "x + 2.5 * y");
    assert_eq!(simple(|_, a| a[0] / a[2] - a[1] / a[2]), "x / c - y / c", "a formula stays as written");
}

#[test]
fn what_was_scattered_sums_to_its_source() {
    let graph = sketch("b v", &[("x", "b v"), ("t", "int b"), ("g", "b")], |b, a| {
        let scattered = a[2].scatter(Fold::Sum, one(b, "v"), a[1], a[0].dims());
        vec![(reduce_over(Fold::Sum, set(b, "v"), scattered), "b"), (scattered, "b v")]
    });
    assert_eq!(formula(&simplify(graph)), "out0 = g\nout1 = select(iota(v) == t, g, 0.0)");
}

#[test]
fn deviations_from_the_mean_sum_to_zero_in_gradients() {
    assert_eq!(
        simple_in_gradient(|b, a| (a[0] + (a[1] - mean(b, a[1], "n")) * a[2]).reduce(Fold::Sum, set(b, "n"))),
        "sum(x, n)"
    );
}

#[test]
fn a_formula_stays_as_it_was_written() {
    for graph in [softmax(), rms_norm(), layer_norm(), cross_entropy()] {
        assert_eq!(formula(&simplify(graph.clone())), formula(&graph));
    }
}

#[test]
fn what_a_gradient_takes_of_the_formula_stays_as_it_was_written() {
    let mut graph = sketch("n", &[("x", "n"), ("c", "n"), ("g", "n")], |_, a| {
        vec![(a[2] * (a[0] / a[1] - a[1] / a[1]).map(Prim::Exp), "n")]
    });
    graph.args[2].role = Role::Grad(0);
    assert_eq!(formula(&simplify(graph)), "out = g * exp(x / c - c / c)");
}

#[test]
fn stripped_graphs_hold_nothing_of_differentiation() {
    let graph = sketch("n", &[("x", "n")], |b, a| {
        let value = a[0].map(Prim::Floor);
        let seed = b.seed(0, value.dims());
        let rules = vec![GivenRule { input: a[0].id, rule: (seed * 2.0).id, seed: seed.id }];
        vec![(b.given(value.id, rules) * a[0].stop_grad(), "n")]
    });
    let stripped = strip(&graph);
    let is_marker = |op: &Op| matches!(op, Op::StopGrad(_) | Op::Given { .. } | Op::Seed(_));
    assert!(!stripped.nodes.iter().any(|node| is_marker(&node.op)), "{stripped}");
    assert_eq!(formula(&stripped), "out = floor(x) * x");
}

#[test]
fn simplification_ends() {
    for graph in [softmax(), rms_norm(), layer_norm(), cross_entropy()] {
        let back = backward(&graph).expect("a gradient");
        assert_eq!(simplify(back.clone()), back);
    }
}

/// A second gradient may get only the shape of a result, which lacks the axis that was reduced.
#[test]
fn shapes_keep_their_dims() {
    let text = "op f\ndim .. group\ndim axis axis axis\narg x: float[..], forward 0\narg axis: axis, forward 1\n\
        %0 = input x : float[.., axis]\n%1 = max(%0; axis) : float[..]\nout out = %1 [..]\n";
    let first = backward(&Graph::parse(text).unwrap()).unwrap();
    let second = backward(&first).unwrap();
    let stripped = strip(&second);
    let dims = |graph: &Graph| (0..graph.args.len()).map(|arg| graph.arg_dims(arg)).collect::<Vec<_>>();
    assert_eq!(dims(&stripped), dims(&second), "{second}{stripped}");
}

/// A second gradient starts from the simplified graph. A cast of a comparison has no derivative.
#[test]
fn what_is_detached_stays_detached() {
    for detached in ["stop_grad(x > 0.5)", "stop_grad(x) > 0.5", "stop_grad(cast(x, int))"] {
        let graph = declared(&format!("fn f(x: Tensor![n]) -> Tensor![n] {{ x * cast({detached}, float) }}"));
        let errors = backward(&simplify(graph)).err();
        assert!(errors.is_none(), "{detached}: {errors:?}");
    }
}
