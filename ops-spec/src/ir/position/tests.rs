//! Which indices are windows, where these read, and how they combine.

use super::{Place, Position};
use crate::ir::{DimId, Graph, Op};
use crate::testing::{declared, eval, point, scheduled};

/// A declaration that reads `x` at this index along `n`.
fn at(index: &str) -> String {
    format!(
        "fn f(x: Tensor![n, m], s: usize, i: i64, ids: IntTensor![]) -> Tensor![m, o = n, q = n, d = s] \
         {{ at(x, n = {index}, or = 0.5) + cast(iota(o) + iota(q) + iota(d) + i + ids, float) }}"
    )
}

fn positions(graph: &Graph) -> Vec<(DimId, Position)> {
    let window = |node: &crate::ir::Node| match &node.op {
        Op::Window { dim, position, .. } => Some((*dim, position.clone())),
        _ => None,
    };
    graph.nodes.iter().filter_map(window).collect()
}

/// The position of an index, as it is printed; `None` if the index is read from memory.
fn affine(index: &str) -> Option<String> {
    let graph = declared(&at(index));
    let (_, position) = positions(&graph).into_iter().next()?;
    let text = position.index.text(&graph);
    let divisor = position.divisor.formula(&graph).to_string();
    Some(if divisor == "1" { text } else { format!("{text} over {divisor}") })
}

#[test]
fn indices_that_are_affine_are_windows() {
    for (index, expected) in [
        ("o", "iota(o)"),
        ("3", "3"),
        ("i", "i"),
        ("-o", "-iota(o)"),
        ("o + q", "iota(o) + iota(q)"),
        ("o - o", "0"),
        ("o + o - q * 0", "iota(o) * 2"),
        ("len(n) - 1 - o", "len(n) - 1 - iota(o)"),
        ("o * s + q * i - 1", "iota(o) * s + iota(q) * i - 1"),
        ("s * (o - q) + s", "iota(o) * s + s - iota(q) * s"),
        ("(o + 1) * (s + i)", "iota(o) * (s + i) + s + i"),
        ("-(-(o - s))", "iota(o) - s"),
        ("m + o", "iota(m) + iota(o)"),
        ("len((n, m)) - o", "len(n) * len(m) - iota(o)"),
        ("div_exact(o + 1, s)", "iota(o) + 1 over s"),
        ("div_exact(o, 1)", "iota(o)"),
        ("div_exact(q - o, len(n) * 2)", "iota(q) - iota(o) over len(n) * 2"),
    ] {
        assert_eq!(affine(index).as_deref(), Some(expected), "{index}");
    }
}

#[test]
fn other_indices_are_read_from_memory() {
    for index in ["o * q", "o / 2", "o % s", "minimum(o, s)", "ids", "o + ids", "abs(o - s)", "o * o"] {
        assert_eq!(affine(index), None, "{index}");
    }
}

/// Printed windows are declarations with the same meaning: dims, numbers, signs and divisors are all there.
#[test]
fn windows_are_read_as_they_are_printed() {
    for index in
        ["o", "i", "-o - i", "s - o * i", "(o + 1) * (s + i)", "div_exact(q - o, s)", "len(n) - 1 - o"]
    {
        let graph = declared(&at(index));
        let text = graph.to_string();
        assert_eq!(Graph::parse(&text).expect("printed graphs are graphs").to_string(), text, "{index}");
        let again = declared(&at(&affine(index)
            .expect("a window")
            .replace("iota(q) - iota(o) over s", "div_exact(iota(q) - iota(o), s)")));
        assert_eq!(again.to_string(), text, "{index}");
    }
    let kinds = "fn f(x: IntTensor![n], y: BoolTensor![n], z: Tensor![n]) -> (IntTensor![o = n], BoolTensor![o], Tensor![o], Tensor![o]) \
        { (at(x, n = o + 1, or = 7), at(y, n = o + 1, or = true), at(z, n = o, or = NAN), at(z, n = o, or = -INFINITY)) }";
    let text = declared(kinds).to_string();
    for outside in ["or 7)", "or true)", "or NaN)", "or -inf)"] {
        assert!(text.contains(outside), "{outside}: {text}");
    }
    assert_eq!(Graph::parse(&text).expect("printed graphs are graphs").to_string(), text);
}

/// A window holds the value outside only if the source has it in every dtype: -1 is no u8.
#[test]
fn a_value_outside_that_some_dtype_lacks_is_chosen_by_a_condition() {
    let outside = |kind: &str, value: &str| {
        let graph =
            declared(&format!("fn f(x: {kind}![n]) -> {kind}![o = n] {{ at(x, n = o + 1, or = {value}) }}"));
        positions(&graph)[0].1.outside.map(|value| value.to_string())
    };
    for (kind, value, held) in [
        ("IntTensor", "0", "0"),
        ("IntTensor", "127", "127"),
        ("IntTensor", "-1", "0"),
        ("IntTensor", "128", "0"),
        ("Tensor", "0.5", "0.5"),
        ("Tensor", "-255.0", "-255.0"),
        ("Tensor", "257.0", "0.0"),
        ("Tensor", "0.1", "0.0"),
        ("Tensor", "1e9", "0.0"),
        ("Tensor", "1e-6", "0.0"),
        ("Tensor", "-INFINITY", "-inf"),
        ("BoolTensor", "true", "true"),
    ] {
        assert_eq!(outside(kind, value).as_deref(), Some(held), "{kind}, {value}");
    }
}

/// What a window reads, element by element, beside the same index from memory.
#[test]
fn a_window_reads_what_its_index_says() {
    for (numbers, index, expected) in [
        ("n=4 m=1 s=2 i=-1", "o + i", [-1, 0, 1, 2]),
        ("n=4 m=1 s=2 i=-1", "len(n) + i - o", [3, 2, 1, 0]),
        ("n=4 m=1 s=2 i=-1", "o * s - 3", [-3, -1, 1, 3]),
        ("n=4 m=1 s=2 i=-1", "div_exact(o - 1, s)", [9, 0, 9, 1]),
        ("n=4 m=1 s=2 i=-2", "div_exact(o - 2, i)", [1, 9, 0, 9]),
        ("n=4 m=1 s=2 i=3", "i", [3, 3, 3, 3]),
        ("n=4 m=1 s=2 i=4", "i", [9, 9, 9, 9]),
    ] {
        let source = format!(
            "fn f(x: Tensor![n, m], s: usize, i: i64) -> Tensor![m, o = n] {{ at(x, n = {index}, or = 0.5) * cast(s * i, float) * cast(iota(o) * 0 + 1, float) }}"
        );
        let graph = declared(&source);
        let (sizes, args) = point(&graph, numbers);
        let factor = args[1][0] * args[2][0];
        let inside =
            |at: i64| usize::try_from(at).ok().and_then(|at| args[0].get(at)).copied().unwrap_or(0.5);
        let expected: Vec<f64> = expected.iter().map(|at| inside(*at) * factor).collect();
        let simplified = scheduled(&source).unwrap_or_else(|errors| panic!("{errors}")).0.graph;
        for graph in [&graph, &simplified] {
            assert_eq!(eval(graph, &sizes, &args)[0], expected, "{index}\n{graph}");
        }
    }
}

/// The place of a call has a positive divisor; numbers that do not fit give none.
#[test]
fn places() {
    let place = |index: &str, s: i64, i: i64| {
        let graph = declared(&at(index));
        let (_, position) = positions(&graph).remove(0);
        Place::new(&position, &|_| Some(5), &|arg| Some(if graph.args[arg].name == "s" { s } else { i }))
    };
    let numbers = |place: Option<Place>| place.map(|p| (p.offset, p.steps[0].1, p.divisor));
    assert_eq!(numbers(place("o * i - s", 2, -3)), Some((-2, -3, 1)));
    assert_eq!(numbers(place("div_exact(o + 1, i)", 2, -3)), Some((-1, -1, 3)));
    assert_eq!(numbers(place("div_exact(o + 1, i)", 2, 0)), None);
    assert_eq!(numbers(place("o * i * 2", 2, i64::MAX)), None);
    let divided = place("div_exact(o + 1, s)", 3, 0).expect("a place");
    assert_eq!(
        (-1..8).map(|at| divided.element(at, 2)).collect::<Vec<_>>(),
        [None, Some(0), None, None, Some(1), None, None, None, None]
    );
    let reversed = place("s - o * 2", 3, 0).expect("a place");
    assert_eq!(reversed.range(|_| 5), Some((-5, 3)));
    assert_eq!(place("o * i", 2, i64::MAX).expect("a place").range(|_| 5), None);
}

/// The index of a gradient, and the window of a window.
#[test]
fn positions_are_solved_and_composed() {
    let graph = declared(&at("o * s + q - i"));
    let dim = |name: &str| DimId::new(graph.dims.iter().position(|dim| dim.name == name).expect("a dim"));
    let (n, position) = positions(&graph).remove(0);
    let text = |position: Option<Position>| {
        let position = position?;
        Some(format!("({}) / {}", position.index.text(&graph), position.divisor.formula(&graph)))
    };
    assert_eq!(text(position.solved(n, dim("o"))).as_deref(), Some("(iota(n) + i - iota(q)) / s"));
    assert_eq!(text(position.solved(n, dim("q"))).as_deref(), Some("(iota(n) + i - iota(o) * s) / 1"));
    assert_eq!(text(position.solved(n, dim("m"))), None);
    let inverse = position.solved(n, dim("o")).expect("solved");
    // At the place that was solved for, the position is the index itself.
    assert_eq!(text(position.at(dim("o"), &inverse)).as_deref(), Some("(iota(n)) / 1"));
    assert_eq!(text(position.at(dim("q"), &inverse)), None, "a step that is no multiple of the divisor");
    assert_eq!(
        text(position.at(dim("q"), &position)).as_deref(),
        Some("(iota(o) * (2 * s) + iota(q) - 2 * i) / 1")
    );
}
