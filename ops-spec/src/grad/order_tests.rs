//! Sorts: gradients through the permutation beside differences, forward mode beside reverse mode, what is
//! saved, and the text form.

use crate::ir::Graph;
use crate::testing::{
    check_gradcheck, check_inner_product, declared, eval, point, sample, scheduled, small_sizes,
};

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
    for source in ORDERS {
        let graph = declared(source);
        let sizes = small_sizes(&graph);
        check_gradcheck(&graph, &sizes, &sample(&graph, &sizes, 5));
        check_inner_product(&graph, &sizes, &sample(&graph, &sizes, 6));
    }
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
];

#[test]
fn gradients_of_scatters_agree_with_differences() {
    for source in SCATTERS {
        let graph = declared(source);
        let sizes = small_sizes(&graph);
        check_gradcheck(&graph, &sizes, &sample(&graph, &sizes, 5));
        check_inner_product(&graph, &sizes, &sample(&graph, &sizes, 6));
        assert_eq!(Graph::parse(&graph.to_string()).as_ref(), Ok(&graph), "{source}");
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
