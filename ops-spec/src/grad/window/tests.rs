//! Windows of every family: gradients of both orders beside differences, forward mode beside reverse mode,
//! and no kernel that scatters or gathers.

use crate::testing::{
    CONV, TRANSPOSED, WINDOWS, check_gradcheck, check_inner_product, declarations, declared, point, scheduled,
};

#[test]
fn gradients_of_windows_agree_with_differences() {
    for (source, points) in WINDOWS {
        let graph = declared(source);
        for numbers in *points {
            let (sizes, args) = point(&graph, numbers);
            check_gradcheck(&graph, &sizes, &args);
            check_inner_product(&graph, &sizes, &args);
        }
    }
}

/// The kernels of a declaration and of its gradient.
fn kernels(source: &str) -> [String; 2] {
    let (forward, gradient) = scheduled(source).unwrap_or_else(|errors| panic!("{source}: {errors}"));
    let gradient = gradient.expect("a gradient");
    [forward.schedule.explain(&forward.graph), gradient.schedule.explain(&gradient.graph)]
}

/// In the catalogue too: what is an affine index there is a view, in the op and in its gradient.
#[test]
fn convolutions_scatter_and_gather_nothing() {
    let windows =
        ["conv", "causal_conv", "max_pool", "avg_pool", "unfold", "fold", "pad", "flip", "diff", "diagonal"];
    let is_window = |source: &String| windows.iter().any(|name| source.contains(&format!("fn {name}")));
    let catalogue: Vec<String> = declarations("../src/catalogue").into_iter().filter(is_window).collect();
    assert!(catalogue.len() >= 15, "{}", catalogue.len());
    for source in catalogue.iter().map(String::as_str).chain([CONV, TRANSPOSED]) {
        for text in kernels(source) {
            assert!(!text.contains("scatter") && !text.contains("gather"), "{source}\n{text}");
        }
    }
}

/// The gradient of the window is a sum over the dim that the window goes along.
#[test]
fn a_window_of_a_sum_over_its_own_dim() {
    let source = "fn f(x: Tensor![h], y: Tensor![p], w: Tensor![p]) -> Tensor![p] \
        { w * sum(at(x, h = 2 * p, or = 0.0) * exp(tanh(y)) / exp(tanh(y)), p) }";
    let graph = declared(source);
    let (sizes, args) = point(&graph, "h=5 p=3");
    check_gradcheck(&graph, &sizes, &args);
    check_inner_product(&graph, &sizes, &args);
}

/// Of a filter that adds channels up, the weights have a dim that the gradient lacks. It is a sum of nine
/// products for each element, and no product of matrices with a matrix for each place.
#[test]
fn a_factor_is_not_stored_for_each_place_of_a_window() {
    let source = "fn f(x: Tensor![b, c, h, w], k: Tensor![c, m, n]) -> Tensor![b, h, w] \
        { sum(at(x, h = h + m - 1, w = w + n - 1, or = 0.0) * k, (c, m, n)) }";
    let [_, gradient] = kernels(source);
    assert!(!gradient.contains("contraction"), "{gradient}");
}

/// Products with a number for each place of a window, in one to three dims: neither they nor their sums along
/// one dim are stored.
#[test]
fn gradients_of_scaled_windows_are_one_kernel_each() {
    let sources = [
        "fn f(x: Tensor![b, c, t], k: Tensor![c, n]) -> Tensor![b, c, t] \
            { sum(at(x, t = t + n - len(n) + 1, or = 0.0) * k, n) }",
        "fn f(x: Tensor![b, c, h, w], k: Tensor![c, m, n], s: usize) \
            -> Tensor![b, c, p = (h - m) / s + 1, q = (w - n) / s + 1] \
            { sum(at(x, h = p * s + m, w = q * s + n - 1, or = 0.0) * k, (m, n)) }",
        "fn f(x: Tensor![c, d, h, w], k: Tensor![c, l, m, n]) -> Tensor![c, d, h, w] \
            { sum(at(x, d = d + l, h = h + m, w = w + n, or = 0.0) * k, (l, m, n)) }",
    ];
    for source in sources {
        let [_, gradient] = kernels(source);
        let stored = |line: &&str| line.contains("<-") && !line.contains("view of");
        let computing = gradient.lines().filter(stored).count();
        assert_eq!(computing, 2, "{source}\n{gradient}");
    }
}
