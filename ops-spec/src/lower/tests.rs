//! Lowers declarations to graphs, and compares the text of the graphs.

use crate::diag::Errors;
use crate::ir::Kind;
use crate::{formulas, lower, parse};
use proc_macro2::TokenStream;

fn graph(source: &str) -> crate::ir::Graph {
    let mut errors = Errors::new();
    let item = parse::item(&mut errors, TokenStream::new(), source.parse().expect("tests are tokens"));
    let lowered = item.map(|item| lower::graph(&mut errors, &item, &Default::default()));
    let messages: Vec<String> = errors.gate().err().into_iter().flatten().map(|e| e.message).collect();
    assert!(messages.is_empty(), "{source}: {messages:?}");
    let lowered = lowered.expect("without mistakes there is a graph");
    assert_eq!(lowered.spans.len(), lowered.graph.nodes.len());
    lowered.graph
}

/// Checks that the text of the declaration's graph ends with `expected`, apart from indentation.
#[track_caller]
fn check(source: &str, expected: &str) {
    let text = graph(source).to_string();
    let trim = |text: &str| {
        text.lines().map(str::trim).filter(|l| !l.is_empty()).map(|l| format!("{l}\n")).collect::<String>()
    };
    let (found, expected) = (trim(&text), trim(expected));
    assert!(found.ends_with(&expected), "{source}\n--- found\n{found}--- expected\n{expected}");
}

#[test]
fn equal_values_are_one_node_and_lets_name_it() {
    check(
        "fn f(x: Tensor![m, n], y: Tensor![n]) -> Tensor![m] { let p = x * y; sum(p, n) + sum(x * y, n) }",
        "%0 = input x : float[m, n]
         %1 = input y : float[n]
         %2 p = mul(%0, %1) : float[m, n]
         %3 = sum(%2; n) : float[m]
         %4 = add(%3, %3) : float[m]
         out out = %4 [m]",
    );
}

#[test]
fn integer_literals_and_len_adapt_to_the_kind_they_meet() {
    check(
        "fn f(x: Tensor![n], k: usize) -> Tensor![n] { (1 / 2 * x + len(n)) / cast(len(n) - k, float) }",
        "%0 = input x : float[n]
         %1 = input k : int[]
         %2 = literal 1.0 : float[]
         %3 = literal 2.0 : float[]
         %4 = div(%2, %3) : float[]
         %5 = mul(%4, %0) : float[n]
         %6 = len(n) : float[]
         %7 = len(n) : int[]
         %8 = add(%5, %6) : float[n]
         %9 = sub(%7, %1) : int[]
         %10 = cast(%9) : float[]
         %11 = div(%8, %10) : float[n]
         out out = %11 [n]",
    );
    check(
        "fn f(x: IntTensor![n]) -> IntTensor![n] { select(x > 1, 1, 2) + x % 3 }",
        "%1 = literal 1 : int[]
         %2 = gt(%0, %1) : bool[n]
         %3 = literal 2 : int[]
         %4 = select(%2, %1, %3) : int[n]
         %5 = literal 3 : int[]
         %6 = rem(%0, %5) : int[n]
         %7 = add(%4, %6) : int[n]
         out out = %7 [n] of(x)",
    );
}

/// What decides the dtype of each int result; literals and scalars decide nothing.
#[test]
fn int_results_know_where_they_come_from() {
    check(
        "fn f(x: IntTensor![n], y: IntTensor![n], k: i64) -> (IntTensor![n], IntTensor![n], IntTensor![n]) {
             (maximum(x, y) * k, select(x < y, 1, 2), at(x, n = y))
         }",
        "out out0 = %4 [n] of(x, y)
         out out1 = %8 [n]
         out out2 = %9 [n] of(x)",
    );
    check(
        "fn f(x: IntTensor![n], y: IntTensor![n]) -> (IntTensor![], IntTensor![], IntTensor![n], IntTensor![]) {
             (max(x, n), sum(x, n), y + argmax(x, n), prod(x, n) + len(n))
         }",
        "out out0 = %2 [] of(x)
         out out1 = %3 [] of(x) sums
         out out2 = %5 [n] of(y) counts
         out out3 = %8 [] of(x) sums counts",
    );
}

#[test]
fn dims_have_sizes_from_tensors_arguments_and_the_type() {
    check(
        "fn f(x: Tensor![b, (g, c), (half = 2, d)], g: usize) -> Tensor![b, (g, c), half, d] { x }",
        "op f
         dim b named
         dim g sized g
         dim c named
         dim half fixed 2
         dim d named
         arg x: float[b, (g, c), (half, d)], forward 0
         arg g: usize, forward 1
         %0 = input x : float[b, g, c, half, d]
         out out = %0 [b, (g, c), half, d]",
    );
    check(
        "fn f(ids: IntTensor, n: usize) -> BoolTensor![.., n] { ids == iota(n) }",
        "op f
         dim .. group
         dim n sized n
         arg ids: int[..] no_grad, forward 0
         arg n: usize, forward 1
         %0 = input ids : int[..]
         %1 = iota(n) : int[n]
         %2 = eq(%0, %1) : bool[.., n]
         out out = %2 [.., n]",
    );
}

#[test]
fn an_axis_is_a_dim_of_plain_tensors() {
    check(
        "fn f(x: Tensor, #[default(-1)] axis: Axis) -> Tensor { sum(x, axis) }",
        "op f
         dim .. group
         dim axis axis axis
         arg x: float[..], forward 0
         arg axis: axis = -1, forward 1
         %0 = input x : float[.., axis]
         %1 = sum(%0; axis) : float[..]
         out out = %1 [..]",
    );
}

#[test]
fn indexing_replaces_a_dim() {
    check(
        "fn f(x: Tensor![b, n], ids: IntTensor![m]) -> Tensor![b, m] { x.at(n = ids) }",
        "%0 = input x : float[b, n]
         %1 = input ids : int[m]
         %2 = at(%0; n = %1) : float[b, m]
         out out = %2 [b, m]",
    );
}

/// Each index is checked along its own dim.
#[test]
fn several_indices_of_a_scatter_are_one() {
    check(
        "fn f(x: Tensor![n], i: IntTensor![n], j: IntTensor![n], s: usize, t: usize) -> Tensor![t, s] {
            scatter_add(x, n, s = i, t = j)
         }",
        "%0 = input x : float[n]
         %1 = input i : int[n]
         %2 = input j : int[n]
         %3 = iota(s) : int[s]
         %4 = at(%3; s = %1) : int[n]
         %5 = iota(t) : int[t]
         %6 = at(%5; t = %2) : int[n]
         %7 = len(t) : int[]
         %8 = mul(%4, %7) : int[n]
         %9 = add(%8, %6) : int[n]
         %10 = scatter_add(%0; s_t = %9) : float[s_t]
         %11 = window(%10; s_t = 0, t 1, s len(t) / 1) : float[t, s]
         out out = %11 [t, s]",
    );
}

/// Whatever the sizes are, these indices lie inside: they stay windows.
#[test]
fn an_index_that_is_inside_is_not_brought_inside() {
    for (signature, index) in [
        ("x: Tensor![n]) -> Tensor![n]", "len(n) - 1 - n"),
        ("x: Tensor![n]) -> Tensor![o = n - 1]", "o + 1"),
        ("x: Tensor![half = 2]) -> Tensor![half]", "1 - half"),
        ("x: Tensor![o = 5], k: usize) -> Tensor![k, i = 6 - k]", "i + iota(k) - 1"),
    ] {
        let dim = ["n", "half", "o"].into_iter().find(|dim| signature.contains(&format!("Tensor![{dim}")));
        let dim = dim.expect("the source has one");
        for border in ["wrap", "clamp", "reflect"] {
            let text = graph(&format!("fn f({signature} {{ at(x, {dim} = {border}({index})) }}")).to_string();
            let is_inside = !index.ends_with("- 1");
            assert_eq!(text.contains("window"), is_inside, "{text}");
        }
    }
}

#[test]
fn equal_calls_of_a_formula_are_one_instance() {
    check(
        "fn f(x: Tensor![n]) -> Tensor![n] { sigmoid(2 * x) + sigmoid(2 * x) }",
        "%3 = literal 1.0 : float[]
         %4 = neg(%2) : float[n]
         %5 = exp(%4) : float[n]
         %6 = add(%3, %5) : float[n]
         %7 = recip(%6) : float[n]
         %8 = seed 0 : float[n]
         %9 = mul(%8, %7) : float[n]
         %10 = sub(%3, %7) : float[n]
         %11 = mul(%9, %10) : float[n]
         %12 = given(%7; %2 <- %11 by %8) : float[n]
         %13 = add(%12, %12) : float[n]
         out out = %13 [n]",
    );
}

#[test]
fn the_rule_of_a_formula_is_summed_to_the_dims_of_its_input() {
    let text = graph("fn f(x: Tensor![m], y: Tensor![n]) -> Tensor![m, n] { logaddexp(x, y) }").to_string();
    let given = text.lines().find(|line| line.contains("given")).expect("the formula has rules");
    let rules: Vec<&str> = given.split("<- ").skip(1).filter_map(|rule| rule.split(' ').next()).collect();
    let sums: Vec<&str> = rules
        .iter()
        .filter_map(|rule| text.lines().find(|line| line.starts_with(&format!("{rule} = "))))
        .filter_map(|line| line.split(" = ").nth(1))
        .map(|line| line.split('(').next().unwrap_or_default())
        .collect();
    assert_eq!(sums, ["sum", "sum"], "{text}");
}

#[test]
fn a_rule_over_several_results_is_split_by_their_gradients() {
    check(
        "#[grad(a = grad0 * b - grad1, b = grad0 * a)]
         fn f(a: Tensor![n], b: Tensor![n]) -> (Tensor![n], Tensor![n]) { (a * b, -a) }",
        "%2 = mul(%0, %1) : float[n]
         %3 = neg(%0) : float[n]
         %4 = seed 0 : float[n]
         %5 = seed 1 : float[n]
         %6 = mul(%4, %1) : float[n]
         %7 = mul(%4, %0) : float[n]
         %8 = literal 0.0 : float[]
         %9 = given(%2; %0 <- %6 by %4; %1 <- %7 by %4) : float[n]
         %10 = neg(%5) : float[n]
         %11 = given(%3; %0 <- %10 by %5; %1 <- %8 by %5) : float[n]
         out out0 = %9 [n]
         out out1 = %11 [n]",
    );
}

#[test]
fn a_scalar_beside_the_input_of_a_rule_is_no_other_way() {
    let ops = "#[grad(x = grad * k)] fn scale(x: Tensor, k: f64) -> Tensor { x * k }
               fn f(x: Tensor) -> Tensor { self::scale(exp(x), 2.0) }";
    let text = crate::stages(ops.parse().expect("tokens")).expect("without mistakes").source;
    assert_eq!(text.matches("given(").count(), 1, "{text}");
}

#[test]
fn a_rule_sees_lets_and_its_input_even_if_a_let_hides_it() {
    check(
        "#[grad(x = grad * s)] fn f(x: Tensor, w: Tensor) -> Tensor { let s = w * w; let x = x * s; x }",
        "%2 s = mul(%1, %1) : float[..]
         %3 x = mul(%0, %2) : float[..]
         %4 = seed 0 : float[..]
         %5 = mul(%4, %2) : float[..]
         %6 = given(%3; %0 <- %5 by %4) : float[..]
         out out = %6 [..]",
    );
}

/// `d7` is `d0` 128 times, each of what the one before gives.
fn nested(first: &str, depth: usize) -> Vec<String> {
    let next = |k: usize| format!("fn d{k}(x: Tensor) -> Tensor {{ self::d{0}(self::d{0}(x)) }}", k - 1);
    std::iter::once(format!("fn d0(x: Tensor) -> Tensor {{ {first} }}"))
        .chain((1..=depth).map(next))
        .collect()
}

/// A debug build on a busy machine takes many seconds. Without bounds on products, the first of these would
/// take minutes, and the second would never end.
#[test]
fn long_formulas_take_as_long_as_they_are() {
    let start = std::time::Instant::now();
    for source in [nested("exp(x) * sin(x)", 7), nested("x * x", 5)] {
        crate::stages(source.join("\n").parse().expect("tokens")).expect("without mistakes");
    }
    assert!(start.elapsed().as_secs() < 20, "{:?}", start.elapsed());
}

#[test]
fn every_formula_lowers_and_its_rules_cover_all_tensors() {
    for (name, kind) in formulas::all().filter(|(_, kind)| *kind == Kind::Float) {
        let mut errors = Errors::new();
        let item = formulas::parse(&mut errors, name, kind).expect("formulas parse");
        errors.gate().expect("formulas have no mistakes");
        let has_gradient = |arg: &&crate::ast::Arg| arg.ty.is_float_tensor() && !arg.no_grad;
        let tensors = item.args.iter().filter(has_gradient).count();
        assert!(
            item.rules.is_empty() || item.rules.len() == tensors,
            "{name}: a rule for each tensor or none"
        );
        graph(&crate::gradient_table::of_formula((name, kind)));
    }
}
