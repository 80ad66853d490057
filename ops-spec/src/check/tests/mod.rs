//! Declarations that pass the checks. Declarations that the checks refuse are in `docs/messages.md`.

mod depth;

use crate::compile::mistakes;

fn messages(source: &str) -> Vec<String> {
    mistakes(source.parse().expect("tests are tokens")).into_iter().map(|e| e.message).collect()
}

/// A declaration on one line with one mistake, at the token after `«`. It is not on the page because it is
/// too long, or one of many similar ones.
#[track_caller]
fn check(marked: &str, message: &str) {
    let (before, after) = marked.split_once('«').expect("the token is marked");
    let found = mistakes(format!("{before}{after}").parse().expect("tests are tokens"));
    let found: Vec<_> = found.iter().map(|e| (e.place.start.start().column, e.message.as_str())).collect();
    assert_eq!(found, [(before.chars().count(), message)], "{marked}");
}

/// A declaration without mistakes, after the ops that it calls.
#[track_caller]
fn fine(source: &str) {
    let found = messages(source);
    assert!(found.is_empty(), "{source}: {found:?}");
}

#[test]
fn names() {
    fine("fn f(x: Tensor![n], exp: Tensor![n]) -> Tensor![n] { let mean = mean(x, n); exp(x - mean) * exp }");
    fine("fn f(x: Tensor) -> Tensor { let x = exp(x); let x = x * x; x }");
    fine("fn f(x: tensor_op::Tensor![n]) -> tensor_op::Tensor![n] { x }");
}

#[test]
fn kinds_and_results() {
    fine(
        "fn f(x: Tensor![n], i: IntTensor![n]) -> (Tensor![n], IntTensor![n]) { (1 / len(n) * x - 2, i * 2 + len(n)) }",
    );
    fine("fn f(x: Tensor, axis: Axis) -> (Tensor, Tensor) { (sum(x, axis), x) }");
    fine("fn f(x: Tensor) -> Tensor { select(x > 0.0 && x < 1.0 || !(x < 9.0), x, 0.0) }");
}

/// A number is one of the kind that a call chooses, and 0 and 1 are bools too.
#[test]
fn numbers_of_the_chosen_kind() {
    fine("fn f(x: AnyTensor![n]) -> AnyTensor![m = n + 1] { select(iota(m) < 2, at(x, n = m, or = 0), 1) }");
    fine(
        "fn f(x: AnyTensor, y: Option<AnyTensor>) -> (AnyTensor, BoolTensor) { (select(x == 1, x, y.unwrap_or(0)), x == 0) }",
    );
    fine("fn f(x: NumTensor, least: Number) -> NumTensor { maximum(x, least) }");
    fine(
        "fn fill(x: AnyTensor, mask: BoolTensor, value: Number) -> AnyTensor { select(mask, value, x) }
         fn f(x: NumTensor, keep: BoolTensor, value: Number) -> (NumTensor, BoolTensor) {
             (self::fill(x, keep, value), self::fill(keep, keep, true))
         }",
    );
    // A rule is one of the floats.
    fine("#[grad(x = grad * 2)] fn f(x: NumTensor) -> NumTensor { x + x }");
}

/// Each argument is lowered once: with twice for each call, this would take days.
#[test]
fn calls_by_kind_nest() {
    let nested = (0..48).fold("x".to_string(), |inner, _| format!("self::g({inner})"));
    fine(&format!(
        "fn g(x: NumTensor![n]) -> NumTensor![n] {{ x + 1 }} fn f(x: Tensor![n]) -> Tensor![n] {{ {nested} }}"
    ));
}

#[test]
fn what_is_used() {
    fine("fn f(x: Tensor![n], like: Tensor![m]) -> Tensor![n, m] { x * cast(iota(m), float) }");
    fine("fn f(x: Tensor![(g, c)], g: usize) -> Tensor![g, c] { x }");
    fine("#[grad(x = grad * y)] fn f(x: Tensor, y: Tensor) -> Tensor { x }");
}

#[test]
fn sizes_and_axes() {
    fine("fn f(x: Tensor![(a, b), c], b: usize) -> Tensor![a, b, c] { x }");
    fine("fn f(x: Tensor![(a, b)], y: Tensor![a]) -> Tensor![a, b] { x * y }");
    fine("fn f(x: Tensor![(a, b)], y: Tensor![(a, c)], z: Tensor![c]) -> Tensor![a, b, c] { x * y * z }");
    fine("fn f(x: IntTensor, n: usize) -> BoolTensor![.., n] { x == iota(n) }");
    fine("fn f(x: Tensor, w: Tensor![n], axis: Axis) -> Tensor { sum(x, axis) * sum(w, n) }");
}

#[test]
fn gradients_that_are_given() {
    fine(
        "#[grad(gamma = sum(grad * x, ..))] fn f(x: Tensor![.., n], gamma: Tensor![n]) -> Tensor![.., n] { x * gamma }",
    );
    fine("#[grad(x = grad0 + out1 * grad1)] fn f(x: Tensor) -> (Tensor, Tensor) { (x, exp(x)) }");
    fine("#[grad(x = clamp(grad, -1.0, 1.0))] fn f(x: Tensor) -> Tensor { x * 2.0 }");
    fine(
        "#[grad(x = clamp(grad0, -1.0, 1.0))] fn f(x: Tensor) -> (Tensor, BoolTensor) { (x * 2.0, x > 0.0) }",
    );
}

#[test]
fn a_rule_of_several_results_is_linear_in_their_gradients() {
    const MESSAGE: &str = "the rule for `x` isn't linear in `grad0` and `grad1`: with several results it is a sum of these, each times what depends on none of them";
    let of = |rule: &str| {
        format!("#[grad(x = {rule})] fn f(x: Tensor![n]) -> (Tensor![n], Tensor![n]) {{ (x * 2, -x) }}")
    };
    let linear = [
        "grad0 * 2 - grad1",
        "0.0",
        "select(x > 0.0, grad0, 0.0) / (x + 3)",
        "grad0 + sum(grad1 * x, n)",
        "select(x > 0.0, grad0, -grad1)",
    ];
    linear.iter().for_each(|rule| fine(&of(rule)));
    let not = [
        "grad0 «+ 1.0",
        "grad0 «* grad1",
        "grad1 - «exp(grad0)",
        "«x",
        "grad0 + «max(grad1, n)",
        "x «/ grad0",
    ];
    not.iter().for_each(|rule| check(&of(rule), MESSAGE));
}

#[test]
fn gradients_that_are_derived() {
    fine("fn f(x: Tensor) -> Tensor { x - stop_grad(floor(x)) }");
    fine("fn f(x: Tensor) -> Tensor { select(floor(x) > 1.0, x, -x) }");
    fine("#[no_grad] fn f(x: Tensor) -> Tensor { floor(x) }");
    fine("fn f(#[no_grad] x: Tensor, y: Tensor) -> Tensor { floor(x) * y }");
    fine("#[grad(x = grad)] fn f(x: Tensor) -> Tensor { floor(x) }");
    fine("fn f(x: Tensor![n]) -> IntTensor![] { argmax(x, n) }");
}

#[test]
fn attributes() {
    let norm = "fn f(x: Tensor![.., n]) -> Tensor![.., n] { let mu = mean(x, n); let c = x - mu; c * rsqrt(mean(c * c, n)) }";
    fine(&format!("#[save(mu)] {norm}"));
    fine(&format!("#[save(c)] {norm}"));
    fine(&format!("#[recompute] {norm}"));
    let flat = "let y = floor(exp(x)); let z = w * stop_grad(y); z * z";
    fine(&format!("#[save(y)] fn f(x: Tensor![n], w: Tensor![n]) -> Tensor![n] {{ {flat} }}"));
    fine(
        "#[doc = \"d\"] #[must_use] #[inline] #[kernel(cpu = a::fast)] fn f(x: Tensor, #[default(-1)] axis: Axis, #[default(1e-6)] e: f64) -> Tensor { sum(x, axis) + e }",
    );
}

#[test]
fn calls_of_ops() {
    let fixed = |value: &str| {
        let head = "fn fixed(x: Tensor, #[no_grad] step: Tensor) -> Tensor { x * step } fn f(x: Tensor![m, n], y: Tensor![m], #[no_grad] z: Tensor![m]) -> Tensor![m, n]";
        fine(&format!("{head} {{ self::fixed(x, {value}) }}"));
    };
    fixed("stop_grad(y)) * (z");
    fixed("z) * (y");
    let itself = "`f` calls itself: a formula is a finite expression";
    assert_eq!(messages("#[grad(x = self::f(grad))] fn f(x: Tensor) -> Tensor { x }"), [itself]);
}

#[test]
fn several_mistakes_are_found_at_once() {
    assert_eq!(messages("fn f(x: Tensor) -> Tensor { expp(x) + lnn(x) }").len(), 2);
    assert_eq!(messages("fn f(x: Tensor) -> Tensor { let y = expp(x); let z = y * y; exp(z) + y }").len(), 1);
    assert_eq!(messages("fn f(x: Tensor, y: Tensor) -> Tensor { expp(x) }").len(), 1);
}

#[test]
fn an_op_has_at_most_64_dims() {
    let mark = |i: usize| if i == 64 { "«" } else { "" };
    let names: Vec<String> = (0..66).map(|i| format!("{}d{i}", mark(i))).collect();
    check(
        &format!("fn f(x: Tensor![{}]) -> Tensor![d0] {{ x }}", names.join(", ")),
        "an op has at most 64 dims",
    );
}
