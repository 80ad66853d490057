//! Arithmetic of sizes, their one form, and their text.

use super::{Size, SizeOp};
use crate::ir::{ArgType, DimId, DimKind, Graph, ScalarType};
use crate::testing::{declared, eval, point};

/// The size that is written behind `o =`, in a declaration with the dims `n` and `k` and the arguments `s`
/// and `i`, and the graph of this declaration.
fn declared_size(size: &str) -> (Size, Graph) {
    let graph = declared(&format!(
        "fn f(x: Tensor![n, k], s: usize, i: i64) -> Tensor![o = {size}] {{ sum(at(x, n = o * s + i, or = 0.0), k) }}"
    ));
    let dim = graph.dims.iter().find(|dim| dim.name == "o").expect("the dim is declared");
    let size = match &dim.kind {
        DimKind::Computed(size) => size.clone(),
        DimKind::Fixed(size) => Size::Literal(*size as i64),
        other => panic!("{other:?} is no size"),
    };
    (size, graph)
}

fn text(size: &str) -> String {
    let (size, graph) = declared_size(size);
    size.text(&graph).to_string()
}

/// The value where `n` is 7, `k` is 3, `s` is 2 and `i` is -4.
fn value(size: &str) -> Option<i64> {
    let (size, graph) = declared_size(size);
    let len = |dim: DimId| Some(if graph.dim(dim).name == "n" { 7 } else { 3 });
    let arg = |index: usize| match graph.args[index].ty {
        ArgType::Scalar { ty: ScalarType::Usize, .. } => Some(2),
        ArgType::Scalar { .. } => Some(-4),
        ArgType::Tensor { .. } | ArgType::Shape { .. } | ArgType::Axis { .. } => None,
    };
    size.value(&len, &arg)
}

#[test]
fn operators_bind_as_in_rust() {
    for size in [
        "n - k + 1",
        "n - (k + s) * 2",
        "(n + 2 * s - k) / s + 1",
        "n / (s * k)",
        "n / s / k",
        "n / (s / k)",
        "n * (k / s)",
        "(n + k) * (n - k)",
        "n - n / s",
        "i * i * n",
    ] {
        let read_again = text(&text(size));
        assert_eq!((text(size), value(size)), (read_again, value(&text(size))), "{size}");
    }
    assert_eq!(text("n * (k / s)"), "n * (k / s)");
    assert_eq!(text("(n + k) * (n - k)"), "(n + k) * (n - k)");
}

#[test]
fn values() {
    assert_eq!(value("(n + 2 * s - k) / s + 1"), Some(5));
    assert_eq!(value("n - k * s - 1"), Some(0));
    assert_eq!(value("len(n) * len(k)"), Some(21));
    assert_eq!(value("-i"), Some(4));
    assert_eq!(value("n / (i + 2 * s)"), None, "a division by zero");
    assert_eq!(value("n * 9223372036854775807"), None, "too large");
    assert_eq!(value("i - 9223372036854775807"), None, "too small");
}

/// A size rounds down, whatever the signs are. So does its node in a formula, where `/` rounds toward zero.
#[test]
fn division_rounds_down() {
    for (a, b, quotient) in
        [(7, 2, 3), (-7, 2, -4), (7, -2, -4), (-7, -2, 3), (-8, 2, -4), (0, 5, 0), (-1, 3, -1)]
    {
        assert_eq!(SizeOp::Div.of(a, b), Some(quotient), "{a} / {b}");
        let size = Size::Pair(SizeOp::Div, Box::new([Size::Literal(a), Size::Literal(b)]));
        assert_eq!(value_of_node(&size), quotient as f64, "{a} / {b}");
    }
    assert_eq!(SizeOp::Div.of(1, 0), None);
    assert_eq!(SizeOp::Div.of(i64::MIN, -1), None);
    assert_eq!(value("(i - 1) / s"), Some(-3));
}

fn value_of_node(size: &Size) -> f64 {
    let graph = crate::testing::sketch("", &[], |builder, _| vec![(size.node(builder), "")]);
    let (sizes, args) = point(&graph, "");
    eval(&graph, &sizes, &args)[0][0]
}

/// Sums have one form, by which a caller's size is compared with that of the op that it calls.
#[test]
fn equal_sums_are_one_size() {
    for (a, b) in [
        ("n + k - n", "k + 0 * s"),
        ("n + 2 * s - k", "n - k + s + s"),
        ("n - (k - s)", "n + s - k"),
        ("n * 2 + 1 - k * 3", "2 * n - 3 * k + 1"),
        ("2 * (n - k) + 2 * k", "n + n"),
        ("n - -k", "n + k"),
        ("(n + 1 - 1) / s", "n / s"),
        ("n / 1", "1 * n"),
        ("n + (4 - 1) / 2", "n + 1"),
        ("s * 2 - s - s + n", "n"),
    ] {
        // Terms stand in the order in which they were found.
        let sorted = |size: &str| {
            let text = text(size);
            let mut terms: Vec<String> = text.replace("- ", "+ -").split(" + ").map(str::to_string).collect();
            terms.sort();
            terms
        };
        assert_eq!(sorted(a), sorted(b), "{a} and {b}");
    }
    assert_ne!(text("n - k"), text("k - n"));
    assert_ne!(text("n / s + 1"), text("(n + 1) / s"));
}

#[test]
fn a_number_that_does_not_fit_stays_as_it_is_written() {
    let sum = |a, b| Size::pair(SizeOp::Add, Size::Literal(a), Size::Literal(b));
    assert_eq!(sum(1, 2), Size::Literal(3));
    assert_eq!(sum(i64::MAX, 1).value(&|_| None, &|_| None), None);
    assert_eq!(Size::Literal(i64::MIN).negative().value(&|_| None, &|_| None), None);
}

#[test]
fn graphs_with_sizes_are_read_as_they_are_printed() {
    for size in ["n", "3", "n - k + 1", "(n + 2 * s - k) / s + 1", "-i", "2 - n - k", "n * (k / i)"] {
        let (_, graph) = declared_size(size);
        let text = graph.to_string();
        assert_eq!(Graph::parse(&text).expect("printed graphs are graphs").to_string(), text, "{size}");
    }
    let deep = format!("op f\ndim n named\ndim o computed {}1{}\n", "(+ 1 ".repeat(100), ")".repeat(100));
    assert!(Graph::parse(&deep).is_err());
}
