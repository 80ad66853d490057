//! Sorts: gradients through the permutation beside differences, forward mode beside reverse mode, what is
//! saved, and the text form.

use crate::ir::Graph;
use crate::testing::{check_derivatives, declared, eval, point, scheduled};

const ORDERS: &[&str] = &[
    "fn f(x: Tensor![b, n]) -> Tensor![b, n] { exp(sort(x, n)) }",
    "fn f(x: Tensor![n, b]) -> Tensor![b, n] { square(sort(x, n, descending = true)) }",
    "fn f(x: Tensor![b, n], k: usize) -> Tensor![b, k] { exp(sort(x, n, first = k, descending = true)) }",
    "fn f(x: Tensor![b, n], k: usize) -> (Tensor![b, k], IntTensor![b, k]) {
        let order = argsort(stop_grad(x), n, first = k);
        (at(x, n = order), order)
    }",
    "fn f(x: Tensor, dim: Axis) -> Tensor { exp(sort(x, dim)) }",
    "fn f(x: Tensor![b, n], y: Tensor![n]) -> Tensor![b, n] { at(y, n = argsort(stop_grad(x), n)) * x }",
    // A value that follows its rank, and the sort of a sort.
    "fn f(x: Tensor![b, n]) -> Tensor![b, n] { x * cast(argsort(argsort(stop_grad(x), n), n), float) }",
    "fn f(x: Tensor![m, n]) -> Tensor![m, n] { square(sort(sort(x * x, m), n)) }",
    // Linear between the points that a table has.
    "fn f(x: Tensor![i], edges: Tensor![n], y: Tensor![n]) -> Tensor![i] {
        let place = minimum(maximum(searchsorted(stop_grad(sort(edges, n)), stop_grad(x), n), 1), len(n) - 1);
        x * at(y, n = place) - at(y, n = place - 1)
    }",
];

#[test]
fn gradients_of_sorts_agree_with_differences() {
    check_derivatives(ORDERS);
}

#[test]
fn sorts_are_read_as_they_are_printed() {
    for source in ORDERS {
        let (forward, gradient) = scheduled(source).unwrap_or_else(|errors| panic!("{source}: {errors}"));
        for graph in [forward.graph, gradient.expect("a gradient").graph] {
            assert_eq!(Graph::parse(&graph.to_string()).as_ref(), Ok(&graph), "{source}");
        }
    }
}

/// The gradient of a sort takes the order from the op.
#[test]
fn a_gradient_does_not_sort_again() {
    for source in &ORDERS[..3] {
        let (forward, gradient) = scheduled(source).expect("a declaration");
        let gradient = gradient.expect("a gradient");
        let kernels = |schedule: &crate::schedule::Schedule| {
            schedule.kernels.iter().filter(|kernel| kernel.name() == "argsort").count()
        };
        assert_eq!((kernels(&forward.schedule), kernels(&gradient.schedule)), (1, 0), "{source}");
    }
}

#[test]
fn values_are_in_their_order() {
    let check = |source: &str, at: &str, x: &[f64], wanted: &[f64]| {
        let graph = declared(source);
        let (sizes, mut args) = point(&graph, at);
        args[0] = x.to_vec();
        assert_eq!(eval(&graph, &sizes, &args)[0], wanted, "{source}");
    };
    let x = [3.0, 1.0, 3.0, 2.0];
    check("fn f(x: Tensor![n]) -> Tensor![n] { sort(x, n) }", "n=4", &x, &[1.0, 2.0, 3.0, 3.0]);
    check("fn f(x: Tensor![n]) -> IntTensor![n] { argsort(x, n) }", "n=4", &x, &[1.0, 3.0, 0.0, 2.0]);
    let descending = "fn f(x: Tensor![n]) -> IntTensor![n] { argsort(x, n, descending = true) }";
    check(descending, "n=4", &x, &[0.0, 2.0, 3.0, 1.0]);
    check("fn f(x: Tensor![n]) -> Tensor![] { median(x, n) }", "n=4", &x, &[2.0]);
    check("fn f(x: Tensor![n]) -> Tensor![] { quantile(x, 0.5, n) }", "n=4", &x, &[2.5]);
}
