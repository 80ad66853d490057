//! Scans: gradients of both orders beside differences, forward mode beside reverse mode, and what is made of
//! them.

use crate::ir::Graph;
use crate::testing::{check_derivatives, check_gradcheck, declared, eval, point, scheduled};

const SCANS: &[&str] = &[
    "fn f(x: Tensor![b, n]) -> Tensor![b, n] { square(cumsum(x, n)) }",
    "fn f(x: Tensor![n, b]) -> Tensor![n, b] { exp(cumsum(x, n, reverse = true)) }",
    "fn f(x: Tensor![b, n], y: Tensor![b, n]) -> Tensor![b, n] { y * cumsum(x * y, n, exclusive = true) }",
    "fn f(x: Tensor![b, n]) -> Tensor![b, n] { cumprod(x, n) }",
    "fn f(x: Tensor![b, n]) -> Tensor![b, n] { cumprod(x, n, reverse = true, exclusive = true) }",
    "fn f(x: Tensor![b, n]) -> Tensor![b, n] { square(cummax(x, n)) }",
    "fn f(x: Tensor![b, n]) -> Tensor![b, n] { exp(cummin(x, n, reverse = true)) }",
    "fn f(x: Tensor![b, n]) -> Tensor![b, n] { logcumsumexp(x, n) }",
    "fn f(a: Tensor![b, n], x: Tensor![b, n]) -> Tensor![b, n] { square(linear_recurrence(a, x, n)) }",
    "fn f(a: Tensor![b, n], x: Tensor![b, n]) -> Tensor![b] { sum(exp(linear_recurrence(a, x, n, reverse = true)), n) }",
    // Operands that lack a dim, and a state that the caller passes.
    "fn f(a: Tensor![b], x: Tensor![n, b], h: Tensor![b]) -> Tensor![n, b] { linear_recurrence(a, x, n, init = h) }",
    "fn f(a: Tensor![n], x: Tensor![b], h: f64) -> Tensor![b, n] { linear_recurrence(a, x, n, init = h, reverse = true) }",
    "fn f(x: Tensor![b, n], decay: f64) -> Tensor![b, n] { linear_recurrence(decay, (1.0 - decay) * x, n) }",
    // Along an axis that the caller chooses, and scans of scans.
    "fn f(x: Tensor, dim: Axis) -> Tensor { square(cumsum(x, dim)) }",
    "fn f(x: Tensor![m, n]) -> Tensor![m, n] { cumsum(cumsum(square(x), m), n) }",
    // A selective scan in one line: the state has a dim of its own.
    "fn f(u: Tensor![t, d], delta: Tensor![t, d], a: Tensor![d, s], b: Tensor![t, s], c: Tensor![t, s]) -> Tensor![t, d] {
        sum(linear_recurrence(exp(delta * a), delta * b * u, t) * c, s)
    }",
];

#[test]
fn gradients_of_scans_agree_with_differences() {
    check_derivatives(SCANS);
}

/// Prefixes of a product go on behind a zero.
#[test]
fn gradients_of_a_product_are_right_beside_zeros() {
    let graph = declared("fn f(x: Tensor![n]) -> Tensor![n] { cumprod(x, n) }");
    for zeros in [&[1][..], &[0, 2], &[3]] {
        let (sizes, mut args) = point(&graph, "n=4");
        zeros.iter().for_each(|at| args[0][*at] = 0.0);
        check_gradcheck(&graph, &sizes, &args);
    }
}

#[test]
fn scans_are_read_as_they_are_printed() {
    for source in SCANS {
        let (forward, gradient) = scheduled(source).unwrap_or_else(|errors| panic!("{source}: {errors}"));
        for graph in [forward.graph, gradient.expect("a gradient").graph] {
            assert_eq!(Graph::parse(&graph.to_string()).as_ref(), Ok(&graph), "{source}");
        }
    }
}

/// The formulas of the gradient, as a user reads them.
fn gradient(source: &str) -> String {
    crate::ir::formula(&super::super::backward(&declared(source)).expect("a gradient"))
}

#[test]
fn gradients_are_scans_in_the_other_direction() {
    assert_eq!(
        gradient("fn f(x: Tensor![n]) -> Tensor![n] { cumsum(x, n) }"),
        "grad_x = cumsum(grad_out, n, reverse = true)"
    );
    let source = "fn f(a: Tensor![n], x: Tensor![n]) -> Tensor![n] { linear_recurrence(a, x, n) }";
    assert_eq!(
        gradient(source),
        "let t0 = linear_recurrence(at(a, n = iota(n) + 1, or = 0.0), grad_out, n, reverse = true);
grad_a = t0 * at(out, n = iota(n) - 1, or = 0.0)
grad_x = t0"
    );
}

/// Infinities and elements that are all small have a sum of exponentials.
#[test]
fn a_sum_of_exponentials_does_not_overflow() {
    let graph = declared("fn f(x: Tensor![n]) -> Tensor![n] { logcumsumexp(x, n) }");
    let check = |x: [f64; 3], expected: [f64; 3]| {
        let (sizes, _) = point(&graph, "n=3");
        let found = &eval(&graph, &sizes, &[x.to_vec()])[0];
        let is_near = |(a, b): (&f64, &f64)| a == b || (a - b).abs() < 1e-12 * b.abs();
        assert!(found.iter().zip(&expected).all(is_near), "{x:?}: {found:?}");
    };
    let (ln2, inf) = (std::f64::consts::LN_2, f64::INFINITY);
    check([1000.0, 1000.0, -1000.0], [1000.0, 1000.0 + ln2, 1000.0 + ln2]);
    check([-inf, -1000.0, -1000.0], [-inf, -1000.0, -1000.0 + ln2]);
    check([3.0, inf, 5.0], [3.0, inf, inf]);
    check([-inf, -inf, inf], [-inf, -inf, inf]);
}
