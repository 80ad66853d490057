//! Which values a pass keeps for later ones.

use super::{CostModel, Source, Target, schedule};
use crate::testing::scheduled;

/// Checks what the passes of the forward kernels read from earlier passes, by the names of values.
fn check(source: &str, expected: &[&[&str]]) {
    let (forward, _) = scheduled(source).unwrap_or_else(|errors| panic!("{source}: {errors}"));
    let graph = forward.graph;
    let name = |source: &Source| match source {
        Source::Kept(kept) => {
            let name = graph.node(kept.node).name.clone();
            Some(name.unwrap_or_else(|| format!("%{}", kept.node.0)))
        }
        Source::Arg(_) | Source::Buffer(_) | Source::Len(_) | Source::Iota(_) | Source::Statistic(_) => None,
    };
    let kernels = schedule(&graph, CostModel::CPU);
    let passes = kernels.passes().filter(|pass| !pass.is_per_row());
    let kept = passes.map(|pass| pass.elements.iter().filter_map(name).collect::<Vec<_>>());
    assert_eq!(kept.collect::<Vec<_>>(), expected, "{}", kernels.explain(&graph));
    let kernels = schedule(&graph, CostModel::GPU);
    assert!(kernels.passes().all(|pass| pass.elements.iter().all(|source| name(source).is_none())));
}

#[test]
fn the_largest_value_that_takes_long_is_kept() {
    check(
        "fn f(x: Tensor![m, n]) -> Tensor![m, n] { let y = 2.0 * exp(x) + x; y / sum(y, n) }",
        &[&[], &["y"]],
    );
    check(
        "fn f(x: Tensor![m, n]) -> Tensor![m, n] {
            let c = cos(x);
            let e = exp(c - max(c, n));
            e / sum(e, n)
        }",
        &[&[], &["c"], &["e"]],
    );
}

#[test]
fn values_that_share_what_takes_long_are_computed_from_it() {
    check(
        "fn f(x: Tensor![m, n]) -> (Tensor![m, n], Tensor![m, n]) {
            let e = exp(x);
            let y = e + x;
            let z = e - x;
            (y * sum(y, n), z * sum(z, n))
        }",
        &[&[], &["e"]],
    );
}

#[test]
fn many_cheap_values_are_kept_as_one() {
    let sum = |count: usize| {
        let terms: String = (0..count).map(|i| format!(" + {i}.5 * x")).collect();
        format!("fn f(x: Tensor![m, n]) -> Tensor![m, n] {{ let y = abs(x){terms}; y - max(y, n) }}")
    };
    check(&sum(3), &[&[], &[]]);
    check(&sum(16), &[&[], &["y"]]);
}

#[test]
fn cheap_values_are_computed_again() {
    check(
        "fn f(x: Tensor![m, n]) -> Tensor![m, n] {
            let c = abs(2.0 * x) - mean(x, n);
            c * rsqrt(mean(c * c, n) + 0.1)
        }",
        &[&[], &[], &[]],
    );
}

#[test]
fn only_floats_are_kept() {
    check(
        "fn f(x: Tensor![m, n]) -> BoolTensor![m, n] {
            let i = cast(exp(stop_grad(x)), int);
            i * 2 > sum(i, n)
        }",
        &[&[], &["%1"]],
    );
}

#[test]
fn what_does_not_vary_along_a_row_is_no_kept_value() {
    check(
        "fn f(x: Tensor![m, n], y: Tensor![m]) -> Tensor![m, n] { let z = x * exp(y); z - max(z, n) }",
        &[&[], &[]],
    );
}

#[test]
fn a_place_is_used_again_after_its_last_read() {
    let centred = "fn f(x: Tensor![m, n]) -> Tensor![m, n] {
        let a = tanh(x - mean(x, n));
        let b = tanh(a - mean(a, n));
        let c = tanh(b - mean(b, n));
        let d = tanh(c - mean(c, n));
        a + d - mean(d, n)
    }";
    check(centred, &[&[], &[], &["a"], &["b"], &["c"], &["a", "d"]]);
    let (forward, _) = scheduled(centred).expect("it compiles");
    let kernels = schedule(&forward.graph, CostModel::CPU);
    let places = kernels.passes().flat_map(|pass| &pass.targets).filter_map(|target| match target {
        Target::Kept(kept) => Some(kept.place),
        Target::Fold { .. } | Target::Element(_) | Target::Row(_) | Target::Column { .. } => None,
    });
    assert_eq!(places.collect::<Vec<_>>(), [0, 1, 2, 1], "{}", kernels.explain(&forward.graph));
}
