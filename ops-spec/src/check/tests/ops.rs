//! Mistakes in calls of declared ops.

use super::mistakes_with;

const OPS: [&str; 12] = [
    "fn act(x: Tensor) -> Tensor { x * sigmoid(x) }",
    "fn norm_rows(x: Tensor![.., n], gamma: Tensor![n], #[default(1e-6)] eps: f64) -> Tensor![.., n] { x * gamma * eps }",
    "fn soft(x: Tensor, axis: Axis) -> Tensor { softmax(x, axis) }",
    "fn total(x: Tensor, #[default(-1)] axis: Axis) -> Tensor { sum(x, axis) }",
    "fn larger(x: Tensor, y: Tensor, axis: Axis) -> Tensor { max(x, axis) + y }",
    "fn outer(x: Tensor![i], y: Tensor![j]) -> Tensor![i, j] { x * y }",
    "fn rows(weight: Tensor![v, d], ids: IntTensor) -> Tensor![.., d] { at(weight, v = ids) }",
    "fn both(x: Tensor) -> (Tensor, Tensor) { (x, -x) }",
    "fn fixed(x: Tensor, #[no_grad] step: Tensor) -> Tensor { x * step }",
    "fn halves(x: Tensor![(half = 2, c)]) -> Tensor![c] { sum(x, half) }",
    "fn groups(x: Tensor![(g, c)], g: usize) -> Tensor![c] { sum(x, g) }",
    "fn place(x: Tensor, axis: Axis) -> Tensor { x + cast(iota(axis), float) }",
];

/// A call in `fn f(x: Tensor![m, n], y: Tensor![m], ids: IntTensor![m], k: usize) -> Tensor![..]`, of the result that it needs.
#[track_caller]
fn check(result: &str, marked: &str, message: &str) {
    let (before, after) = marked.split_once('«').expect("the token is marked");
    let head = format!("fn f(x: Tensor![m, n], y: Tensor![m], ids: IntTensor![m], k: usize) -> {result} {{ ");
    let used = " + 0 * (sum(x, (m, n)) + sum(y, m) + cast(sum(ids, m) + k, float)) }";
    let found = mistakes_with(&format!("{head}{before}{after}{used}"), &OPS);
    let found: Vec<_> = found.iter().map(|e| (e.place.start.start().column, e.message.as_str())).collect();
    assert_eq!(found, [(head.chars().count() + before.chars().count(), message)], "{marked}");
}

#[test]
fn a_declaration_that_calls_itself() {
    let mistake =
        |source: &str| crate::compile::source_graph(source.parse().expect("tokens")).expect_err("a circle");
    let message = "`f` calls itself: a formula is a finite expression";
    assert_eq!(mistake("fn f(x: Tensor) -> Tensor { x + self::f(x) }"), message);
    assert_eq!(mistake("#[grad(x = self::f(grad))] fn f(x: Tensor) -> Tensor { x }"), message);
}

#[test]
fn arguments() {
    let x = "Tensor![m, n]";
    check(
        x,
        "self::«norm_rows(x)",
        "`self::norm_rows` takes 2 arguments and has 1: write `self::norm_rows(x, gamma)`",
    );
    check(x, "self::«act(x, y)", "`self::act` takes 1 argument and has 2: write `self::act(x)`");
    check(
        x,
        "self::act(«ids) + x",
        "`x` of `self::act` takes float, and this is int: write `cast(ids, float)`",
    );
    check(
        "Tensor![m]",
        "self::norm_rows(y, y, «y, n = m)",
        "`eps` of `self::norm_rows` is one number, and this varies over dim `m`",
    );
    check(
        "Tensor![m]",
        "self::«total(x)",
        "`self::total` takes 2 arguments and has 1: write `self::total(x, axis)`",
    );
    check(x, "self::norm_rows(x, «expp(x))", "unknown function `expp`: did you mean `exp`?");
    check(
        x,
        "self::«both(x)",
        "`self::both` has 2 results: name them first, `let (y0, y1) = self::both(..);`",
    );
    check(x, "let (a, b) = self::«act(x); a + b", "`self::act` has 1 result, and here are 2 names");
    check(
        x,
        "let (a, b) = «x; a + b",
        "only a call of an op, such as `self::f(x)`, has several results: give each value its own `let`",
    );
    check(x, "self::«missing(x)", "no op `self::missing` is known");
    check(
        x,
        "«self::act::<f64>(x)",
        "a formula calls functions by one word, such as `exp(x)`, and ops by their path, such as `self::f(x)`",
    );
    check(
        x,
        "self::«line(x)",
        "`line!` is a macro of Rust, and an op of that name can't be called in a formula",
    );
}

#[test]
fn dims() {
    let x = "Tensor![m, n]";
    check(
        "Tensor![m, n]",
        "self::«outer(y, y)",
        "`self::outer` has a dim `i`, and this formula has none: say which it is, as in `self::outer(.., i = d)`",
    );
    check(
        "Tensor![m]",
        "self::«outer(y, y, i = m, j = m)",
        "dims `i` and `j` of `self::outer` would both be dim `m`: they are two",
    );
    check(x, "self::norm_rows(«y, y)", "`x` of `self::norm_rows` has dim `n`, and this value has dim `m`");
    check(
        x,
        "self::norm_rows(x, «x)",
        "`gamma` of `self::norm_rows` has dim `n`, and this value also has dim `m`",
    );
    check(x, "self::norm_rows(x, y, «nn = m)", "`self::norm_rows` has no dim `nn`: did you mean `n`?");
    check(x, "self::act(x, «axis = m)", "`self::act` has no dim `axis`: it names none");
    check(x, "self::norm_rows(x, y, n = m, «n = m)", "a second dim for `n`: remove one");
    check(x, "self::norm_rows(x, y, n = «(m, n))", "`n` is one dim: name one, as in `n = d`");
    check(x, "self::norm_rows(x, y, n = «q)", "unknown dim `q`: there are `m`, `n`");
    check(
        x,
        "self::rows(x, «ids, v = n, d = m)",
        "the `..` of `ids` of `self::rows` would have dim `m`, which is another dim of the op",
    );
    check(x, "self::soft(y, «n) + x", "`self::soft` needs dim `n`, and the value has dim `m`");
    check(x, "self::soft(x, «2)", "dims go by name: write one, as in `sum(x, n)`, or a tuple of them");
    check(
        x,
        "self::«larger(y, x, n)",
        "`self::larger` takes the max over `n`, along which the value given to it is constant",
    );
    check(x, "self::«place(x, (m, n))", "`self::place` takes one dim for `axis`");
}

#[test]
fn sizes() {
    check(
        "Tensor![m]",
        "self::«halves(x, half = n, c = m)",
        "dim `half` of `self::halves` has size 2: write `n = 2` where `n` is declared",
    );
    check(
        "Tensor![m]",
        "self::groups(x, «k, g = n, c = m)",
        "`g` of `self::groups` is the size of its dim, which is `n` here: write `len(n)`",
    );
}

#[test]
fn gradients() {
    check(
        "Tensor![m, n]",
        "self::fixed(x, «y)",
        "`step` of `self::fixed` has no gradient, and one flows to this: write `stop_grad(..)` around it",
    );
    let fine = |body: &str| {
        let source = format!(
            "fn f(x: Tensor![m, n], y: Tensor![m], #[no_grad] z: Tensor![m]) -> Tensor![m, n] {{ {body} }}"
        );
        let found: Vec<String> = mistakes_with(&source, &OPS).into_iter().map(|e| e.message).collect();
        assert!(found.is_empty(), "{body}: {found:?}");
    };
    fine("self::fixed(x, stop_grad(y)) * z");
    fine("self::fixed(x, z) * y");
}
