//! Graphs without dims of one element.

use super::{CostModel, Kernel, products_of_windows, removable, schedule, without};
use crate::ir::{DimId, DimSet, Graph};
use crate::testing::scheduled;

/// A convolution with groups.
const CONVOLUTION: &str = "fn conv(x: Tensor![b, (g, c), n], weight: Tensor![(g, o), c, k], g: usize)
    -> Tensor![b, (g, o), l = n - k + 1] {
    sum(at(x, n = l + k) * weight, (c, k))
}";

fn dims(graph: &Graph, names: &[&str]) -> DimSet {
    (0..graph.dims.len()).map(DimId::new).filter(|dim| names.contains(&&*graph.dim(*dim).name)).collect()
}

fn products(graph: &Graph) -> usize {
    let schedule = schedule(graph, CostModel::GPU);
    schedule.kernels.iter().filter(|kernel| matches!(kernel, Kernel::Contraction(_))).count()
}

fn forward_and_backward(source: &str) -> [Graph; 2] {
    let (forward, backward) = scheduled(source).unwrap_or_else(|errors| panic!("{source}: {errors}"));
    [forward.graph, backward.expect("it has a gradient").graph]
}

#[test]
fn a_convolution_of_single_channels_has_no_product() {
    let [forward, backward] = forward_and_backward(CONVOLUTION);
    assert_eq!(products_of_windows(&forward), [[dims(&forward, &["b", "l"]), dims(&forward, &["o"])]]);
    for (graph, products_before) in [(forward, 1), (backward, 2)] {
        let one = dims(&graph, &["o"]);
        assert!(one.is_subset(removable(&graph)));
        assert_eq!(products(&graph), products_before);
        let slim = without(&graph, one);
        assert_eq!(products(&slim), 0, "{slim}");
        assert_eq!((&slim.args, &slim.dims), (&graph.args, &graph.dims));
    }
}

/// The windows, and one loop that fills the result.
#[test]
fn nothing_is_stored_beside_the_result() {
    let [forward, _] = forward_and_backward(CONVOLUTION);
    let slim = without(&forward, dims(&forward, &["o"]));
    let schedule = schedule(&slim, CostModel::GPU);
    let names: Vec<&str> = schedule.kernels.iter().map(Kernel::name).collect();
    assert_eq!(names, ["view", "column"], "{}", schedule.explain(&slim));
    assert_eq!(schedule.buffers.iter().filter(|buffer| buffer.outputs.is_empty()).count(), 1, "the windows");
}

/// A window moves along `l` and reads along `n`; the place of a maximum along `o` is 0.
#[test]
fn what_goes_along_a_dim_keeps_it_or_is_constant() {
    let source =
        "#[no_grad] fn places(x: Tensor![b, n, c], weight: Tensor![c, o]) -> Tensor![b, o, l = n - 1] {
        sum(at(x, n = l + 1) * weight, c) + cast(argmax(sum(weight, c), o) + iota(o) * len(o), float)
    }";
    let (forward, _) = scheduled(source).unwrap_or_else(|errors| panic!("{source}: {errors}"));
    let graph = forward.graph;
    assert_eq!(removable(&graph), dims(&graph, &["b", "c", "o"]));
    let text = without(&graph, dims(&graph, &["c", "o"])).to_string();
    for gone in ["argmax", "iota(o)", "len(o)", "sum"] {
        assert!(!text.contains(gone), "{gone} in {text}");
    }
}
