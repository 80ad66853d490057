//! Scatters: gradients beside differences, forward mode beside reverse mode, and the text form.

use crate::grad::backward;
use crate::ir::Graph;
use crate::testing::{check_derivatives, declared};

const SCATTERS: &[&str] = &[
    "fn f(x: Tensor![n, d], ids: IntTensor![n], s: usize) -> Tensor![s, d] { exp(scatter_add(x, n, s = ids)) }",
    "fn f(x: Tensor![n, d], ids: IntTensor![n], s: usize) -> Tensor![s, d] { scatter_mul(x, n, s = ids) }",
    "fn f(x: Tensor![n, d], ids: IntTensor![n], w: Tensor![s]) -> Tensor![n] {
        let largest = scatter_max(x * x, n, s = ids);
        sum(x * at(w * largest, s = ids), d)
    }",
    "fn f(x: Tensor![n], y: Tensor![d], ids: IntTensor![n], s: usize) -> Tensor![s] { scatter_add(x * y, (n, d), s = ids) }",
    "fn f(x: Tensor![b, n], ids: IntTensor![b, n], w: Tensor![s]) -> Tensor![b, s] {
        square(scatter_mean(x, n, s = ids)) * w
    }",
    // The softmax of the elements that have one index.
    "fn f(x: Tensor![n], ids: IntTensor![n], w: Tensor![s]) -> Tensor![n] {
        let e = exp(x - at(stop_grad(scatter_max(x, n, s = ids)), s = ids));
        e / at(scatter_add(e, n, s = ids), s = ids) * at(w, s = ids)
    }",
    "fn f(x: Tensor![d], ids: IntTensor![n], w: Tensor![s]) -> Tensor![d] { sum(scatter_min(x, n, s = ids % 2) * select(iota(s) < 2, w, 0.0), s) }",
    "fn f(x: Tensor![n, d], i: IntTensor![n], j: IntTensor![n], s: usize, t: usize) -> Tensor![t, d, s] {
        exp(scatter_add(x, n, s = i, t = j))
    }",
    "fn f(x: Tensor![n], i: IntTensor![n], j: IntTensor![b, n], k: IntTensor![n], w: Tensor![r, t]) -> Tensor![b, t, s = 2] {
        sum(scatter_mul(x, n, s = i % 2, t = j, r = k) * w, r)
    }",
    "fn f(x: Tensor![b, n], i: IntTensor![n], w: Tensor![s, t]) -> Tensor![n, b] {
        let j = iota(b) % len(t);
        let largest = scatter_max(x * x, (b, n), s = i, t = j) + w;
        x * at(largest, s = i, t = j) + at(scatter_min(x, b, s = 0, t = 1), s = 0, t = 1)
    }",
    "fn f(x: Tensor![n], i: IntTensor![n], j: IntTensor![n], s: usize, t: usize) -> Tensor![s] {
        sum(square(scatter_mean(x, n, s = i, t = j)), t)
    }",
    "fn f(x: Tensor![m, n], #[no_grad] key: Tensor![n, m]) -> Tensor![m, n] { exp(scatter_add(x, n, n = argsort(key, n))) }",
];

#[test]
fn gradients_of_scatters_agree_with_differences() {
    check_derivatives(SCATTERS);
}

#[test]
fn scatters_are_read_as_they_are_printed() {
    for source in SCATTERS {
        let graph = declared(source);
        assert_eq!(Graph::parse(&graph.to_string()).as_ref(), Ok(&graph), "{source}");
    }
}

/// A window would read the gradient at each place for each index along the other dim.
#[test]
fn the_gradient_of_several_indices_sums_over_none() {
    let graph = declared(
        "fn f(x: Tensor![n], i: IntTensor![n], j: IntTensor![n], s: usize, t: usize) -> Tensor![s, t] {
            scatter_add(x, n, s = i, t = j)
        }",
    );
    let back = backward(&graph).expect("a gradient").to_string();
    assert!(!back.contains("sum(") && !back.contains("window("), "{back}");
}

/// What is known of the order holds in the gradient, which gets the order from the op.
#[test]
fn a_gradient_that_goes_back_through_an_order_is_put_once() {
    for (formula, once) in [
        ("sort(x, n) * y", true),
        ("at(x, n = argsort(key, n, descending = true)) * y", true),
        ("scatter_add(x * y, n, n = argsort(key, n))", false),
        ("at(x, n = argsort(key, n) / 2) * y", false),
        ("at(x, n = at(argsort(key, n), n = 0)) * y", false),
    ] {
        let graph = declared(&format!(
            "fn f(x: Tensor![n], y: Tensor![n], #[no_grad] key: Tensor![n]) -> Tensor![n] {{ {formula} + key }}"
        ));
        let back = backward(&graph).expect("a gradient").to_string();
        assert_eq!(back.contains("; once)"), once, "{back}");
    }
    let batch = declared(
        "fn f(x: Tensor![n], #[no_grad] key: Tensor![b, n]) -> Tensor![b, n] { at(x, n = argsort(key, n)) }",
    );
    let back = backward(&batch).expect("a gradient").to_string();
    assert!(!back.contains("once"), "several rows add to one place\n{back}");
}
