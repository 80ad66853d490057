//! Mistakes in the meaning of a formula.

use super::{check, fine, mistakes};

#[test]
fn names() {
    let body = |marked: &str, message: &str| {
        check(
            &format!("fn f(x: Tensor![m, n], gate: Tensor![m, n]) -> Tensor![m, n] {{ gate * {marked} }}"),
            message,
        )
    };
    body("«expp(x)", "unknown function `expp`: did you mean `exp`?");
    body("x.«sofmax(n)", "unknown function `sofmax`: did you mean `softmax`?");
    body(
        "«frobnicate(x)",
        "unknown function `frobnicate`: an op is called by its path, as in `self::frobnicate(..)`",
    );
    body("x.«powi(2)", "unknown function `powi`: write `pow(x, y)`");
    body("x.«clone()", "values are shared: remove `.clone()`");
    body("«add(x, x)", "`add` is written as an operator: `+`");
    body("x * «gat", "unknown name `gat`: did you mean `gate`?");
    body("x * «q", "unknown name `q`: there are `x`, `gate`");
    body("x * «exp", "`exp` is a function: call it, as in `exp(x)`");
    body("x * «n", "`n` is a dim, not a value: `iota(n)` is its index, `len(n)` its size");
    body("sum(x, «nn)", "unknown dim `nn`: did you mean `n`?");
    body("sum(x, «gate)", "`gate` is a value, not a dim: write a dim, as in `sum(x, n)`");
    body("x * «std::f64::consts::PI", "a name is one word: an argument, a `let`, or a constant such as `PI`");
    check("fn f(x: Tensor![rows]) -> Tensor![«row] { x }", "unknown dim `row`: did you mean `rows`?");
    check(
        "fn f(x: Tensor![n]) -> «Tensor { x }",
        "no argument has `..`: name the dims of the result, as in `Tensor![n]`",
    );
}

#[test]
fn values_and_functions_are_apart() {
    fine("fn f(x: Tensor![n], exp: Tensor![n]) -> Tensor![n] { let mean = mean(x, n); exp(x - mean) * exp }");
}

#[test]
fn calls() {
    let body = |marked: &str, message: &str| {
        check(&format!("fn f(x: Tensor![m, n], y: Tensor![m]) -> Tensor![m] {{ y + {marked} }}"), message)
    };
    body("«exp(y, y)", "`exp` takes 1 argument and has 2: write `exp(x)`");
    body("«pow(y)", "`pow` takes 2 arguments and has 1: write `pow(a, b)`");
    body("«mean(x)", "`mean` takes 2 arguments and has 1: write `mean(x, d)`");
    body("«var(x, n, 1, 2)", "`var` takes 3 arguments and has 4: write `var(x, d, correction)`");
    body("«max(x)", "`max` reduces over dims: write `max(x, n)` or `max(x, (m, n))`");
    body(
        "max(y, «0.0)",
        "`max` reduces over dims, and this is a value: the larger of two is `maximum(a, b)`",
    );
    body("y.min(«y)", "`min` reduces over dims, and this is a value: the smaller of two is `minimum(a, b)`");
    body("sum(x, m, «n)", "several dims stand in a tuple: `sum(x, (m, n))`");
    body("sum(x, (n, «n))", "this dim stands twice: remove one");
    body("sum(x, «-1)", "dims go by name: write one, as in `sum(x, n)`, or a tuple of them");
    body("sum(x, «())", "no dims: name at least one");
    body("sum(x, «..)", "no argument has `..`");
    body("sum(y, «n)", "`sum` needs dim `n`, and the value has dim `m`");
    body("softmax(y, «n)", "`softmax` needs dim `n`, and the value has dim `m`");
    body("at(y, «n = 0)", "`at` needs dim `n`, and the value has dim `m`");
    body("«at(x, 0)", "`at` takes a value and one index: write `at(x, n = ids)`");
    body("exp(«n = y)", "`exp` takes no `n = ..`: only `at(x, n = ids)` does");
    body("cast(y, «f32)", "a value is cast to `float`, `int` or `bool`: did you mean `float`?");
    body(
        "exp(«(y, y))",
        "a tuple names dims, as in `sum(x, (m, n))`, or lists the results: here is one value",
    );
}

#[test]
fn kinds() {
    let body = |marked: &str, message: &str| {
        check(
            &format!(
                "fn f(x: Tensor![n], i: IntTensor![n], b: BoolTensor![n], k: usize) -> Tensor![n] {{ select(b, x, cast(i + k, float)) + {marked} }}"
            ),
            message,
        )
    };
    body("«i", "`+` has a float on its other side, and this is int: write `cast(i, float)`");
    body("exp(«k)", "`exp` takes float, and this is int: write `cast(k, float)`");
    body("x * «b", "`*` has a float on its other side, and this is bool: write `cast(b, float)`");
    body(
        "select(«x, x, x)",
        "the condition of `select` takes bool, and this is float: compare it, such as `x > 0`",
    );
    body(
        "select(b, x, «i)",
        "`select` has a float on its other side, and this is int: write `cast(i, float)`",
    );
    body("select(b & «i, x, x)", "`&` takes bool, and this is int: compare it, such as `i > 0`");
    body(
        "select(«b < b, x, x)",
        "`<` takes numbers, and this is bool: write `cast(b, float)` or `select(b, a, b)`",
    );
    body("select(any(«x, n), x, x)", "`any` takes bool, and this is a number: compare it, such as `x > 0`");
    body("sum(«b, n)", "`sum` takes numbers, and this is bool: write `cast(e, int)`");
    body("at(x, n = «1.5)", "an index takes int, and this is float: write `cast(e, int)`");
    check(
        "fn f(x: IntTensor) -> Tensor { «x }",
        "the result is declared float and this is int: write `cast(e, float)` or declare `IntTensor`",
    );
    fine(
        "fn f(x: Tensor![n], i: IntTensor![n]) -> (Tensor![n], IntTensor![n]) { (1 / len(n) * x - 2, i * 2 + len(n)) }",
    );
}

#[test]
fn results() {
    check(
        "fn f(x: Tensor![m, k]) -> «Tensor![m] { x }",
        "the formula also has dim `k`: reduce it, as in `sum(e, k)`, or declare it in the result",
    );
    check(
        "fn f(x: Tensor![m], y: Tensor![k]) -> Tensor![m, «k] { x + sum(y, k) }",
        "the formula gives no dim `k`: it has dim `m`; remove it from the result",
    );
    check(
        "fn f(x: Tensor![m, k], y: Tensor![j]) -> Tensor![m, «j] { x * sum(y, j) }",
        "the formula gives dims `m`, `k` and no dim `j`",
    );
    check(
        "fn f(x: Tensor![.., n]) -> Tensor![«.., n] { sum(x, ..) }",
        "the formula gives no dim `..`: it has dim `n`; remove it from the result",
    );
    check(
        "fn f(x: Tensor) -> (Tensor, Tensor) { «x }",
        "the signature declares 2 results and the formula gives 1: end it with a tuple of 2",
    );
    check(
        "fn f(x: Tensor) -> Tensor { («x, x) }",
        "the signature declares 1 result and the formula gives 2: declare a tuple of 2",
    );
    fine("fn f(x: Tensor, axis: Axis) -> (Tensor, Tensor) { (sum(x, axis), x) }");
}

#[test]
fn unused_arguments() {
    check(
        "fn f(x: Tensor, «y: Tensor) -> Tensor { x }",
        "argument `y` is not used: use it in the formula or remove it",
    );
    check(
        "fn f(x: Tensor, «_y: f64) -> Tensor { x }",
        "argument `_y` is not used: use it in the formula or remove it",
    );
    check(
        "fn f(x: Tensor, «axis: Axis) -> Tensor { x }",
        "argument `axis` is not used: use it in the formula or remove it",
    );
    check(
        "fn f(x: Tensor![n], «y: Tensor![n]) -> Tensor![n] { x * len(n) }",
        "argument `y` is not used: use it in the formula or remove it",
    );
    fine("fn f(x: Tensor![n], like: Tensor![m]) -> Tensor![n, m] { x * cast(iota(m), float) }");
    fine("fn f(x: Tensor![(g, c)], g: usize) -> Tensor![g, c] { x }");
    fine("#[grad(x = grad * y)] fn f(x: Tensor, y: Tensor) -> Tensor { x }");
}

#[test]
fn given_gradients() {
    check(
        "#[grad(«gat = grad)] fn f(gate: Tensor) -> Tensor { gate }",
        "no argument `gat`: did you mean `gate`?",
    );
    check(
        "#[grad(gamma = grad «* x)] fn f(x: Tensor![.., n], gamma: Tensor![n]) -> Tensor![.., n] { x * gamma }",
        "the gradient of `gamma` has dim `..`, which `gamma` lacks: sum it, as in `sum(e, ..)`",
    );
    check(
        "#[grad(x = grad, «x = grad)] fn f(x: Tensor) -> Tensor { x }",
        "a second rule for `x`: remove one",
    );
    check(
        "#[grad(«e = grad)] fn f(x: Tensor, e: f64) -> Tensor { x * e }",
        "`e` is no tensor and has no gradient: remove its rule",
    );
    check(
        "#[grad(«x = grad)] fn f(#[no_grad] x: Tensor) -> Tensor { x }",
        "`#[no_grad]` says that `x` has no gradient: remove that or this rule",
    );
    check(
        "#[grad(x = grad)] fn f(x: Tensor, «out: Tensor) -> Tensor { x * out }",
        "`out` has its own meaning in `#[grad(..)]`: give this another name",
    );
    check(
        "#[grad(x = 1 «> 2)] fn f(x: Tensor) -> Tensor { x }",
        "a gradient takes float, and this is bool: write `cast(e, float)`",
    );
    check(
        "#[«grad] fn f(x: Tensor) -> Tensor { x }",
        "write `#[grad(x = grad * ..)]`, with the argument's name on the left",
    );
    fine(
        "#[grad(gamma = sum(grad * x, ..))] fn f(x: Tensor![.., n], gamma: Tensor![n]) -> Tensor![.., n] { x * gamma }",
    );
    fine("#[grad(x = grad0 + out1 * grad1)] fn f(x: Tensor) -> (Tensor, Tensor) { (x, exp(x)) }");
}

#[test]
fn differentiability() {
    check(
        "fn f(x: Tensor) -> Tensor { x - «floor(x) }",
        "`floor` is flat wherever it has a derivative: write `stop_grad(floor(..))`",
    );
    check(
        "fn f(x: Tensor![m, n]) -> Tensor![m] { at(x, n = «argmax(x, n)) }",
        "`argmax` gives an index and has no derivative: write `argmax(stop_grad(x), n)`",
    );
    check(
        "fn f(x: Tensor) -> Tensor { x * cast(x «> 0.5, float) }",
        "`>` is a choice and has no derivative: choose with `select`, or detach its operands, as in `stop_grad(x)`",
    );
    check(
        "fn f(x: Tensor) -> Tensor { cast(«cast(x, int), float) }",
        "a cast to int has no derivative: detach its operand, as in `cast(stop_grad(x), int)`",
    );
    fine("fn f(x: Tensor) -> Tensor { x - stop_grad(floor(x)) }");
    fine("fn f(x: Tensor) -> Tensor { select(floor(x) > 1.0, x, -x) }");
    fine("#[no_grad] fn f(x: Tensor) -> Tensor { floor(x) }");
    fine("fn f(#[no_grad] x: Tensor, y: Tensor) -> Tensor { floor(x) * y }");
    fine("#[grad(x = grad)] fn f(x: Tensor) -> Tensor { floor(x) }");
    fine("fn f(x: Tensor![n]) -> IntTensor![] { argmax(x, n) }");
}

#[test]
fn one_mistake_is_one_message() {
    check(
        "fn f(x: Tensor) -> Tensor { let y = «expp(x); let z = y * y; exp(z) + y }",
        "unknown function `expp`: did you mean `exp`?",
    );
    check(
        "fn f(x: Tensor, y: Tensor) -> Tensor { «expp(x) }",
        "unknown function `expp`: did you mean `exp`?",
    );
    assert_eq!(mistakes("fn f(x: Tensor) -> Tensor { expp(x) + lnn(x) }").len(), 2);
}
