//! Mistakes that syntax and the signature show.

use super::{check, fine};

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
    check("fn f(x: Tensor) -> Tensor { let (a, «[b]) = x; a }", "a result of an op is one name, such as `x`");
    check("fn f(x: Tensor) -> Tensor { let «y = x; x }", "`y` is not used: use it or remove it");
    check("fn f(x: Tensor![n]) -> Tensor![n] { let «n = x; n }", "`n` is a dim: give the `let` its own name");
    fine("fn f(x: Tensor) -> Tensor { let x = exp(x); let x = x * x; x }");
}

#[test]
fn types() {
    check(
        "fn f(x: «&Tensor) -> Tensor { x }",
        "no reference is needed: a caller keeps its tensor with `&x`, on Burn's tensors with `x.clone()`",
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
fn an_op_has_at_most_64_dims() {
    let names: Vec<String> =
        (0..66).map(|i| if i == 64 { "«d64".to_string() } else { format!("d{i}") }).collect();
    let message = "an op has at most 64 dims";
    check(&format!("fn f(x: Tensor![{}]) -> Tensor![d0] {{ x }}", names.join(", ")), message);
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
        "an `Axis` chooses among the dims of plain tensors: write `Tensor` here, or name the dim in place of `axis`",
    );
    check(
        "fn f(x: Tensor![n], «axis: Axis) -> Tensor![n] { softmax(x, axis) }",
        "`axis` chooses a dim of a plain `Tensor`, and no argument is one: declare an argument as `Tensor`",
    );
    fine("fn f(x: Tensor, w: Tensor![n], axis: Axis) -> Tensor { sum(x, axis) * sum(w, n) }");
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
    fine("#[grad(x = clamp(grad, -1.0, 1.0))] fn f(x: Tensor) -> Tensor { x * 2.0 }");
    fine(
        "#[grad(x = clamp(grad0, -1.0, 1.0))] fn f(x: Tensor) -> (Tensor, BoolTensor) { (x * 2.0, x > 0.0) }",
    );
}

#[test]
fn what_is_kept_for_the_gradient() {
    let norm = "fn f(x: Tensor![.., n]) -> Tensor![.., n] { let mu = mean(x, n); let c = x - mu; c * rsqrt(mean(c * c, n)) }";
    fine(&format!("#[save(mu)] {norm}"));
    fine(&format!("#[save(c, mu)] {norm}"));
    fine(&format!("#[recompute] {norm}"));
    check(&format!("#[save(«nu)] {norm}"), "no `let` is named `nu`: `#[save(..)]` takes the formula's own");
    check(
        "#[save(«y)] fn f(x: Tensor) -> Tensor { let y = x; exp(y) }",
        "`y` is no value of its own, but an argument, a constant or another `let`",
    );
    check(
        "#[save(«e)] fn f(x: IntTensor) -> IntTensor { let e = x * x; e }",
        "no input has a gradient, so that nothing is kept: remove the attribute",
    );
    check(&format!("#[save(mu, c, «mu)] {norm}"), "`mu` is saved already: name it once");
    check(&format!("#[recompute] #[«save(mu)] {norm}"), "a second word on what is kept: remove one");
    check(
        &format!("#[kernel(cpu = by_hand)] #[save(«mu)] {norm}"),
        "a hand-written kernel gives declared results only: remove `#[save(..)]`",
    );
}

#[test]
fn attributes() {
    check(
        "#[«hot] fn f(x: Tensor) -> Tensor { x }",
        "unsupported attribute `hot`: an op takes grad, no_grad, save, recompute, kernel, doc, cfg, allow, expect, must_use, inline and deprecated",
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
        "fn f(x: Tensor, #[default(2)] #[«default(3)] n: i64) -> Tensor { x * n }",
        "a second default: remove one",
    );
    check(
        "#[kernel(cpu = a, «cpu = b)] fn f(x: Tensor) -> Tensor { x }",
        "a second kernel for the same backend: remove one",
    );
    check(
        "#[kernel(«gpu = fast)] fn f(x: Tensor) -> Tensor { x }",
        "no backend `gpu` takes kernels: write `#[kernel(cpu = path)]`",
    );
    fine(
        "#[doc = \"d\"] #[must_use] #[inline] #[kernel(cpu = a::fast)] fn f(x: Tensor, #[default(-1)] axis: Axis, #[default(1e-6)] e: f64) -> Tensor { sum(x, axis) + e }",
    );
}
