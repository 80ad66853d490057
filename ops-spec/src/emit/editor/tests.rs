//! What an editor is given, for correct formulas and for unfinished ones.

use super::{CONSTANTS, Function, Writer, expression, item, statements};
use crate::formulas;
use crate::prim::{Fold, Prim, Scan};
use crate::testing::scheduled;
use crate::tokens::flat;
use proc_macro2::{TokenStream, TokenTree};
use std::collections::BTreeSet;
use std::path::Path;

fn tokens(text: &str) -> TokenStream {
    text.parse().expect("tests are tokens")
}

/// The text without spaces, which don't matter here, and without the name of the module.
fn text(tokens: &TokenStream) -> String {
    tokens.to_string().replace("__editor :: ", "").replace([' ', '\n'], "")
}

/// Checks what an editor reads for an expression of a formula.
#[track_caller]
fn check(formula: &str, wanted: &str) {
    assert_eq!(text(&expression(tokens(formula))), text(&tokens(wanted)));
}

/// Checks what an editor reads for a body.
#[track_caller]
fn check_body(body: &str, wanted: &str) {
    let (lets, last) = statements(Writer::default(), tokens(body), Some(&mut BTreeSet::new()));
    assert_eq!(text(&lets.into_iter().chain([last]).collect()), text(&tokens(wanted)));
}

#[test]
fn expressions() {
    check("x * -y", "x * -y");
    check("exp(x)", "functions::exp(x)");
    check("x.sum((m, n)).exp()", "x.sum((m, n)).exp()");
    check("2.0 * x", "number(2.0) * x");
    check("at(x, n = ids + 1)", "functions::at(x, ((n, ids + number(1)),))");
    check("at(x, n = ids,)", "functions::at(x, ((n, ids),))");
    check("x.at(n = ids)", "x.at(((n, ids),))");
    check(
        "at(x, m = i, n = div_exact(j, 2), or = 0.5)",
        "functions::at(x, ((m, i), (n, functions::div_exact(j, number(2))), (constants::or, number(0.5)),))",
    );
    check(
        "at(x, m = wrap(i), n = clamp(j))",
        "functions::at(x, ((m, functions::wrap(i)), (n, functions::clamp(j, (), ())),))",
    );
    check("clamp(x, 0.0, 1.0)", "functions::clamp(x, number(0.0), number(1.0))");
    check("sum(x, ..)", "functions::sum(x, ..)");
    check("a == b", "a == b");
    check("a < b && c || d", "((a < b) & (c)) | (d)");
    check("cast(int, float)", "functions::cast(constants::int, constants::float)");
    check("x.cast(int) * float", "x.cast(constants::int) * float");
    check("var(x, n) + var(x, n, 1)", "functions::var(x, n, ()) + functions::var(x, n, number(1))");
    check("x.std(n,) / x.std(n, 1)", "x.std(n, ()) / x.std(n, number(1))");
    check("self::f(x, 2.0, n = d) * y", "({ use self::f as _; x; number(2.0); d; value() }) * y");
    check("f(::a::g(x))", "functions::f(({ use ::a::g as _; x; value() }))");
}

/// Choices are Rust's own, so that an editor knows the variants of an enum.
#[test]
fn choices() {
    check("if a && b { x } else { -x }", "if condition((a) & (b)) { x } else { -x }");
    check(
        "if a { 1.0 } else if b.is_some() { let y = x; y } else { exp(x) }",
        "if condition(a) { number(1.0) } else if condition(b.is_some()) { let y = x; y } else { functions::exp(x) }",
    );
    check(
        "2 * match r { R::A | R::B => x, R::C => { let y = x; y } R::D => 1.0 }",
        "number(2) * (match r { R::A | R::B => x, R::C => { let y = x; y } R::D => number(1.0) })",
    );
    check("match a { true => x, false => y, }", "match condition(a) { true => x, false => y, }");
    check("self::f(x, None, R::A)", "({ use self::f as _; x; None; R::A; value() })");
    check("b.unwrap_or(0.0)", "b.unwrap_or(number(0.0))");
}

/// For an unfinished formula an editor gets the part that is there.
#[test]
fn unfinished_expressions() {
    check("x + ", "x +");
    check("x.", "x.");
    check("exp(x, )", "functions::exp(x, )");
    check("at(x, n = )", "functions::at(x, ((n, ),))");
    check("self::", "({ use self:: as _; value() })");
    check("x if { y }", "x (if condition() { y })");
    check("if a", "if a");
    check("match a { b => }", "match a { b => }");
    check("match a { b }", "match a { b }");
    check("if a { b } else", "if condition(a) { b } else");
    check("a && ", "(a) & ()");
    check("", "");
}

#[test]
fn bodies() {
    check_body("let y = x; y", "let y = x; y");
    check_body(
        "let (a, _) = self::f(x); a",
        "let (a, _) = { let results = ({ use self::f as _; x; value() }); (results, results,) }; a",
    );
    check_body("let y = let z = x; z", "let y =; let z = x; z");
    check_body("let y", "let y;");
    check_body(
        "let y = at(x, n = iota(m = len(n))); sum(y + iota(m = n) * iota(k = ), m)",
        "let m = dim(); let y = functions::at(x, ((n, functions::iota({ functions::len(n); m })),)); \
         let k = dim(); functions::sum(y + functions::iota({ n; m }) * functions::iota({ ; k }), m)",
    );
    check_body("x; y", "x; y");
    check_body("", "");
}

/// A name is bound where it occurs first, and mentioned where it occurs again.
#[test]
fn dims_and_arguments_are_bound_once() {
    let source = "#[grad(x = grad0 + out1)] #[save(y)] #[cfg(unix)] pub fn f(x: Tensor![.., (g, c = 2)], g: usize, #[default(1.0)] e: f64, a: Axes)
        -> (Tensor![g], NumTensor) { let y = x; y }";
    let Function { cfg, bindings, rules, kept, grads, .. } =
        Function::read(tokens(source)).expect("a function");
    let wanted = "let g = dim(); let c = dim(); let x = argument::<types::Tensor>(); g; argument::<usize>();
        let e = argument::<f64>(); let a = argument::<types::Axes>(); argument::<types::Tensor>(); g; argument::<types::NumTensor>();";
    assert_eq!(text(&bindings.into_iter().collect()), text(&tokens(wanted)));
    assert_eq!(text(&rules.into_iter().collect()), "x;grad0+out1");
    assert_eq!(text(&cfg.into_iter().collect()), "#[cfg(unix)]");
    assert_eq!(kept.iter().map(ToString::to_string).collect::<Vec<_>>(), ["y"]);
    assert_eq!(grads, ["grad0", "grad1", "out0", "out1"]);
    let source = "fn f(x: Tensor, b: Option<Tensor![n]>, side: crate::Side, c: bool) -> Tensor { x }";
    let Function { bindings, .. } = Function::read(tokens(source)).expect("a function");
    let wanted = "let x = argument::<types::Tensor>(); let n = dim(); let b = argument::<types::Tensor>();
        let side = chosen::<crate::Side>(); let c = argument::<bool>(); argument::<types::Tensor>();";
    assert_eq!(text(&bindings.into_iter().collect()), text(&tokens(wanted)));
    assert!(item(&tokens("struct S { x: f64 }")).is_empty());
}

/// The names in a size are arguments and dims, but `len` is a function.
#[test]
fn sizes_mention_names() {
    let source = "fn f(x: Tensor![n], s: usize) -> Tensor![o = (len(n) - 1) / s] { x }";
    let Function { bindings, .. } = Function::read(tokens(source)).expect("a function");
    let wanted = "let n = dim(); let x = argument::<types::Tensor>(); let s = argument::<usize>();
        argument::<types::Tensor>(); let o = dim(); functions::len; n; s;";
    let found = text(&bindings.into_iter().collect());
    assert_eq!(found, text(&tokens(wanted)));
}

/// Constants are in scope unless they are bound: `E` may be a dim.
#[test]
fn names_of_constants_are_free() {
    let found = item(&tokens("fn f(x: Tensor![E]) -> Tensor![E] { x }"));
    assert!(text(&found).contains("PI,LN_2") && !text(&found).contains("PI,E"), "{found}");
    for name in CONSTANTS.iter().filter(|name| name.starts_with(char::is_uppercase)) {
        assert!(scheduled(&format!("fn f(x: Tensor) -> Tensor {{ x * {name} }}")).is_ok(), "{name}");
    }
}

/// Every word of the user is kept.
#[test]
fn tokens_are_kept() {
    let text = "fn f(x: Tensor![.., n], eps: f64) -> Tensor![..] { let y = x.exp() + eps; sum(y, n) }";
    let found = words(&flat(item(&tokens(text))));
    for word in ["x", "n", "eps", "y", "exp", "sum", "Tensor", "f64"] {
        assert!(found.contains(word), "no {word}");
    }
}

fn words(tokens: &[TokenTree]) -> BTreeSet<String> {
    let words = |token: &TokenTree| match token {
        TokenTree::Group(group) => words(&flat(group.stream())),
        TokenTree::Ident(word) => [word.to_string()].into(),
        TokenTree::Punct(_) | TokenTree::Literal(_) => BTreeSet::new(),
    };
    tokens.iter().flat_map(words).collect()
}

/// Groups and lists may have any length.
#[test]
fn large_formulas() {
    let deep = format!("{}x{}", "(".repeat(120), ")".repeat(120));
    assert_eq!(expression(tokens(&deep)).to_string(), tokens(&deep).to_string());
    let long = vec!["a && b || c"; 20_000].join(" && ");
    assert!(!expression(tokens(&long)).is_empty());
}

/// The module that the names lead to has all functions of the language, and no others.
#[test]
fn every_function_is_documented() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../src/editor/functions.rs");
    let text = std::fs::read_to_string(path).expect("the file is in the repository");
    let name = |line: &str| {
        let line = line.trim_start();
        let declared = line.strip_prefix("pub fn ").or(Some(line).filter(|line| line.ends_with(");")))?;
        Some(declared.split_once('(')?.0.to_string())
    };
    let documented: BTreeSet<String> =
        text.lines().filter_map(name).filter(|name| !name.contains('$')).collect();
    let prims = Prim::ALL.iter().filter(|prim| prim.written() == prim.name()).map(|prim| prim.name());
    let folds = Fold::ALL.iter().map(|fold| fold.name());
    let scans = Scan::ALL.iter().map(|scan| scan.name());
    let orders = ["argsort", "searchsorted", "sort"];
    let scatters = ["scatter_add", "scatter_max", "scatter_mean", "scatter_min", "scatter_mul"];
    let forms =
        ["at", "cast", "div_exact", "iota", "is_some", "len", "reflect", "stop_grad", "unwrap_or", "wrap"];
    let known =
        prims.chain(folds).chain(scans).chain(orders).chain(scatters).chain(forms).chain(formulas::names());
    assert_eq!(documented, known.map(str::to_string).collect());
}
