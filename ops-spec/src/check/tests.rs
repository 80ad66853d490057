//! Declarations with one mistake: one message, at one token. How they look to a user is in `tests/ui` of the workspace.

use super::declaration;
use crate::diag::{Error, Errors};
use crate::{lower, parse};
use proc_macro2::TokenStream;

/// The mistakes of a declaration.
fn mistakes(source: &str) -> Vec<Error> {
    let mut errors = Errors::new();
    let tokens: TokenStream = source.parse().expect("tests are tokens");
    let item = parse::item(&mut errors, TokenStream::new(), tokens);
    if let Err(list) = errors.gate() {
        return list;
    }
    let item = item.expect("without mistakes there is a declaration");
    let lowered = lower::graph(&mut errors, &item);
    if let Err(list) = errors.gate() {
        return list;
    }
    declaration(&mut errors, &item, &lowered);
    errors.gate().err().unwrap_or_default()
}

/// A declaration on one line with one mistake, at the token after `«`.
#[track_caller]
fn check(marked: &str, message: &str) {
    let (before, after) = marked.split_once('«').expect("the token is marked");
    let found = mistakes(&format!("{before}{after}"));
    let found: Vec<_> = found.iter().map(|e| (e.span.start().column, e.message.as_str())).collect();
    assert_eq!(found, [(before.chars().count(), message)], "{marked}");
}

/// A declaration without mistakes.
#[track_caller]
fn fine(source: &str) {
    let found: Vec<String> = mistakes(source).into_iter().map(|e| e.message).collect();
    assert!(found.is_empty(), "{source}: {found:?}");
}

#[test]
fn functions_are_plain() {
    check("«async fn f(x: Tensor) -> Tensor { x }", "a formula is a plain function: remove `async`");
    check("«unsafe fn f(x: Tensor) -> Tensor { x }", "a formula is a plain function: remove `unsafe`");
    check("«const fn f(x: Tensor) -> Tensor { x }", "a formula is a plain function: remove `const`");
    check("«extern \"C\" fn f(x: Tensor) -> Tensor { x }", "a formula is a plain function: remove `extern`");
    let generic =
        "a formula has no generic parameters: tensors carry their element type and device at run time";
    check("fn f<«T>(x: T) -> Tensor { x }", generic);
    check("fn f<«T: ?Sized>(x: Tensor) -> Tensor { x }", generic);
    check("fn f<«'a>(x: Tensor) -> Tensor { x }", generic);
    check("«struct F;", "`#[tensor_op]` goes on a function");
    check("fn f(«self) -> Tensor { x }", "a formula is a free function: name the argument, `x: Tensor`");
    check(
        "fn «f() -> Tensor { 1.0 }",
        "a formula needs a tensor argument, which gives it its device: add `x: Tensor`",
    );
    check("fn f(x: Tensor, «x: Tensor) -> Tensor { x }", "a second argument named `x`: rename one");
    check(
        "fn f(«mut x: Tensor) -> Tensor { x }",
        "nothing changes in a formula: remove `mut` and give each value its name",
    );
}

#[test]
fn forms_that_the_language_lacks_say_what_to_write() {
    let body =
        |marked: &str, message: &str| check(&format!("fn f(x: Tensor) -> Tensor {{ {marked} }}"), message);
    body("«if x { x } else { x }", "a formula has no `if`: write `select(cond, a, b)`");
    body("«match x { y => y }", "a formula has no `match`: write `select(cond, a, b)`");
    body("«for i in 0..3 { y = x[i]; } x", "a formula has no loops: reduce over a dim, such as `sum(x, n)`");
    body("«while x { }", "a formula has no loops: reduce over a dim, such as `sum(x, n)`");
    body("«&x", "a formula has no references: write the value itself");
    body("«*x", "a formula has no references: remove `*`");
    body("exp(«\"x\")", "a formula has no strings");
    body("«return x", "a formula has no `return`: its last expression is the result");
    body("«return x;", "a formula has no `return`: its last expression is the result");
    body("x «as f32", "a formula has no `as`: write `cast(x, float)`, `cast(x, int)` or `cast(x, bool)`");
    body("x«[0]", "a formula has no `[..]` on values: write `at(x, n = i)` with the dim's name");
    body("«println!(\"x\"); x", "a formula has no macros: write the expression itself");
    body("«|y| y", "a formula has no closures: write the expression itself, or give it a name with `let`");
    body("x«.shape", "a value has no fields: write a call, such as `x.exp()`");
    body("exp(x)«?", "a formula has no `?`: its parts can't fail one by one");
    body("x «&& x", "bool values combine element by element: write `&`");
    body("x «^ 2", "no operator `^`: a power is `pow(x, y)`, and one of two bools `a != b`");
    body("y «+= x; y", "a formula has no assignment: give each value its name, `let y = ..;`");
}

#[test]
fn bodies_are_lets_and_a_result() {
    check("fn f(x: Tensor) -> Tensor «{ }", "an empty formula: write the expression of the result");
    check("fn f(x: Tensor) -> Tensor { x«; }", "a formula ends with its result: remove this `;`");
    check(
        "fn f(x: Tensor) -> Tensor { «let y = x; }",
        "a formula ends with its result: an expression without `;`",
    );
    check(
        "fn f(x: Tensor) -> Tensor { «exp(x); x }",
        "this value is dropped: give it a name, `let y = ..;`, or remove it",
    );
    check(
        "fn f(x: Tensor) -> Tensor { let y«: Tensor = x; y }",
        "a `let` has no type: its dims and kind follow from its value",
    );
    check(
        "fn f(x: Tensor) -> Tensor { let «(a, b) = x; a }",
        "a `let` of a formula is one name, such as `x`",
    );
    check("fn f(x: Tensor) -> Tensor { let «y = x; x }", "`y` is not used: use it or remove it");
    check("fn f(x: Tensor![n]) -> Tensor![n] { let «n = x; n }", "`n` is a dim: give the `let` its own name");
    fine("fn f(x: Tensor) -> Tensor { let x = exp(x); let x = x * x; x }");
}

#[test]
fn types() {
    check(
        "fn f(x: «&Tensor) -> Tensor { x }",
        "no reference is needed: the caller passes `&x` or `x` for a `Tensor`",
    );
    check(
        "fn f(x: «Tensor<f32>) -> Tensor { x }",
        "a tensor has no type parameters: its element type and device are known at run time",
    );
    check(
        "fn f(x: Tensor, n: «i32) -> Tensor { x }",
        "not a type of the language: an integer is `i64`, a size is `usize`",
    );
    check(
        "fn f(x: Tensor![.., m, «..]) -> Tensor![m] { x }",
        "`..` stands once and in front: the dims after it are named",
    );
    check(
        "fn f(x: Tensor![m, «..]) -> Tensor![m] { x }",
        "`..` stands once and in front: the dims after it are named",
    );
    check(
        "fn f(x: Tensor![n, «n]) -> Tensor![n] { x }",
        "dim `n` stands twice in one type: give the second its own name",
    );
    check("fn f(x: Tensor![«3, n]) -> Tensor![n] { x }", "a dim has a name: write `c = 3`");
    check(
        "fn f(x: Tensor![(«.., n)]) -> Tensor![n] { x }",
        "`..` is no part of an axis: write it in front of the axes",
    );
    check(
        "fn f(x: Tensor![(a, «(b, c))]) -> Tensor![n] { x }",
        "the parts of an axis are not nested: write `(a, b, c)`",
    );
    check(
        "fn f(x: Tensor![«(a)]) -> Tensor![a] { x }",
        "an axis in parentheses has at least two parts: `(g, c)`",
    );
    check(
        "fn f(x: Tensor![n «m]) -> Tensor![n] { x }",
        "an axis is `n`, `n = 3`, `(g, c)`, or `..` in front",
    );
    check(
        "fn f(x: Tensor) -> «f64 { x }",
        "a result is a `Tensor`, `IntTensor` or `BoolTensor`, or a tuple of them; one number is `Tensor![]`",
    );
    check("fn «f(x: Tensor) { x }", "a formula has a result: write `-> Tensor` or `-> Tensor![..]`");
    fine("fn f(x: tensor_op::Tensor![n]) -> tensor_op::Tensor![n] { x }");
}

#[test]
fn sizes_of_dims() {
    check(
        "fn f(x: Tensor![(a, «b)]) -> Tensor![a, b] { x }",
        "the sizes of both `a` and `b` are open: add an argument `a: usize`, or write `a = 2`",
    );
    check(
        "fn f(x: Tensor![(h = 2, d)]) -> Tensor![(«h = 3, d)] { x }",
        "dim `h` has size 2 above and 3 here: a dim has one size",
    );
    check(
        "fn f(x: Tensor![(«h = 2, d)], h: usize) -> Tensor![h, d] { x }",
        "the argument `h` gives this dim its size: remove `= 2`",
    );
    fine("fn f(x: Tensor![(a, b), c], b: usize) -> Tensor![a, b, c] { x }");
    fine("fn f(x: Tensor![(a, b)], y: Tensor![a]) -> Tensor![a, b] { x * y }");
    fine("fn f(x: Tensor![(a, b)], y: Tensor![(a, c)], z: Tensor![c]) -> Tensor![a, b, c] { x * y * z }");
    fine("fn f(x: IntTensor, n: usize) -> BoolTensor![.., n] { x == iota(n) }");
}

#[test]
fn a_dim_and_an_argument_of_one_name() {
    let message = |n: &str| {
        format!(
            "`{n}` names a dim, and an argument has the name too: rename one, or make the argument `usize` if it is the dim's size"
        )
    };
    check("fn f(x: Tensor![«n], n: f64) -> Tensor![n] { x * n }", &message("n"));
    check("fn f(x: Tensor![«x]) -> Tensor![x] { x }", &message("x"));
    check(
        "fn f(x: Tensor, y: Tensor![«k], k: Axis) -> Tensor { x * sum(y, k) }",
        "`k` names a dim, and an `Axis` argument has the name too: rename one",
    );
}

#[test]
fn axis_arguments_are_carved_out_of_plain_tensors() {
    check(
        "fn f(x: «Tensor![.., n], axis: Axis) -> Tensor { x }",
        "beside an `Axis` a type with `..` is plain: write `Tensor`, or name the dim of `axis`",
    );
    check(
        "fn f(x: Tensor![n], «axis: Axis) -> Tensor![n] { softmax(x, axis) }",
        "`axis` chooses a dim of a plain `Tensor`, and no argument is one: declare an argument as `Tensor`",
    );
    fine("fn f(x: Tensor, w: Tensor![n], axis: Axis) -> Tensor { sum(x, axis) * sum(w, n) }");
}

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
        "unknown function `frobnicate`: a formula calls primitives and named formulas only",
    );
    body("x.«powi(2)", "unknown function `powi`: write `pow(x, y)`");
    body("x.«clone()", "values are shared: remove `.clone()`");
    body("«add(x, x)", "`add` is written as an operator: `+`");
    body("x * «gat", "unknown name `gat`: did you mean `gate`?");
    body("x * «q", "unknown name `q`: there are `x`, `gate`");
    body("x * «exp", "`exp` is a function: call it, as in `exp(x)`");
    body("x * «n", "`n` is a dim, not a value: `iota(n)` is its index, `len(n)` its size");
    body("sum(x, «nn)", "unknown dim `nn`: did you mean `n`?");
    body("sum(x, «gate)", "`gate` is a value, and here is the place of a dim: name one, as in `sum(x, n)`");
    body("x * «std::f64::consts::PI", "a name is one word: an argument, a `let`, or a constant such as `PI`");
    check("fn f(x: Tensor![rows]) -> Tensor![«row] { x }", "unknown dim `row`: did you mean `rows`?");
    check(
        "fn f(x: Tensor![n]) -> «Tensor { x }",
        "no argument has `..`: name the dims of the result, as in `Tensor![n]`",
    );
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
    body("sum(x, «-1)", "here is the place of a dim: name one, as in `sum(x, n)`, or a tuple of them");
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
        "the formula gives 1 and the signature declares 2: write as many",
    );
    check(
        "fn f(x: Tensor) -> Tensor { («x, x) }",
        "the formula gives 2 and the signature declares 1: write as many",
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
fn attributes() {
    check(
        "#[«hot] fn f(x: Tensor) -> Tensor { x }",
        "unsupported attribute `hot`: an op takes grad, no_grad, kernel, doc, cfg, allow, expect, must_use, inline and deprecated",
    );
    check(
        "fn f(#[«hot] x: Tensor) -> Tensor { x }",
        "unsupported attribute `hot`: an argument takes default and no_grad",
    );
    check(
        "fn f(#[«default(1.0)] x: Tensor) -> Tensor { x }",
        "`x` is a tensor: only scalars and `Axis` have defaults",
    );
    check(
        "fn f(x: Tensor, #[default(«1.5)] axis: Axis) -> Tensor { sum(x, axis) }",
        "the default of `axis` is an integer, such as `-1`",
    );
    check(
        "fn f(x: Tensor, #[default(«-1)] n: usize) -> Tensor { x }",
        "the default of `n` is an integer of at least 0",
    );
    check(
        "fn f(#[«no_grad] x: IntTensor) -> IntTensor { x }",
        "only a `Tensor` has a gradient, and `x` is none: remove `#[no_grad]`",
    );
    check(
        "#[kernel(«gpu = fast)] fn f(x: Tensor) -> Tensor { x }",
        "no backend `gpu` takes kernels: write `#[kernel(cpu = path)]`",
    );
    fine(
        "#[doc = \"d\"] #[must_use] #[inline] #[kernel(cpu = a::fast)] fn f(x: Tensor, #[default(-1)] axis: Axis, #[default(1e-6)] e: f64) -> Tensor { sum(x, axis) + e }",
    );
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
