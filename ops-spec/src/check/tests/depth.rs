//! Formulas that are too deep or too long for a stack, and formulas that just fit.

use super::check;
use crate::expand;
use proc_macro2::TokenStream;

/// Stack size of the thread in which rustc expands macros.
const STACK: usize = 8 << 20;
const MESSAGE: &str =
    "more than 256 brackets or 1024 operators inside of each other: give a part a name, `let y = ..;`";

/// Formulas with this many brackets or operators.
fn formulas(levels: usize, operators: usize) -> [String; 7] {
    [
        format!("{}x{}", "exp(".repeat(levels), ")".repeat(levels)),
        format!("{}x{}", "(".repeat(levels), ")".repeat(levels)),
        format!("{}x", "- ".repeat(operators)),
        format!("x{}", ".exp()".repeat(operators)),
        format!("x{}", " + x".repeat(operators)),
        format!("x{}", " * x".repeat(operators)),
        format!("{}x{}", "{".repeat(levels), "}".repeat(levels)),
    ]
}

/// The expansion of a declaration with this body, on a stack of this size.
fn expanded(stack: usize, body: String) -> String {
    let work = move || {
        let tokens: TokenStream = format!("fn f(x: Tensor) -> Tensor {{ {body} }}").parse().expect("tokens");
        expand(TokenStream::new(), tokens, "").to_string()
    };
    let thread = std::thread::Builder::new().stack_size(stack).spawn(work).expect("threads start");
    thread.join().expect("no panic")
}

#[test]
fn what_nests_too_deep_is_refused_at_its_token() {
    for formula in formulas(5000, 5000) {
        let code = expanded(STACK, formula);
        assert_eq!(code.matches("compile_error").count(), 1, "{}", &code[..code.len().min(500)]);
        assert!(code.contains(MESSAGE), "{code}");
    }
    // The brackets of the body count too.
    let at_the_token = || {
        let operators = " + x".repeat(1020);
        check(&format!("fn f(x: Tensor) -> Tensor {{ x{operators} «+ x }}"), MESSAGE);
        let (calls, closed) = ("exp(".repeat(255), ")".repeat(256));
        check(&format!("fn f(x: Tensor) -> Tensor {{ {calls}exp(«- x{closed} }}"), MESSAGE);
    };
    let thread = std::thread::Builder::new().stack_size(STACK).spawn(at_the_token).expect("threads start");
    thread.join().expect("no panic");
}

#[test]
fn what_nests_almost_too_deep_is_expanded() {
    for formula in formulas(250, 1000).into_iter().filter(|formula| !formula.contains('{')) {
        let code = expanded(STACK, formula);
        assert!(!code.contains("compile_error"), "{}", &code[..code.len().min(500)]);
    }
}

#[test]
fn lets_may_be_many() {
    let lets: String = (0..300).map(|i| format!("let a{} = tanh(a{i} + x);", i + 1)).collect();
    let code = expanded(STACK / 16, format!("let a0 = x; {lets} a300"));
    assert!(!code.contains("compile_error"));
}

/// As a list of factors, or of paths to an argument, it would be far too long.
#[test]
fn lets_may_use_a_value_twice() {
    for (last, operator) in [("sum(a64, n)", "a * a"), ("sum(max(a64, n) * x, n)", "maximum(a, -a)")] {
        let next =
            |i: usize| operator.replace('a', &format!("a{i}")).replace(&format!("ma{i}ximum"), "maximum");
        let lets: String = (0..64).map(|i| format!("let a{} = {};", i + 1, next(i))).collect();
        let tokens = format!("fn f(x: Tensor![m, n]) -> Tensor![m] {{ let a0 = x; {lets} {last} }}");
        let code = expand(TokenStream::new(), tokens.parse().expect("tokens"), "").to_string();
        assert!(!code.contains("compile_error"), "{code}");
    }
}

#[test]
fn sizes_that_overflow() {
    let f = "fn f(x: Tensor![a = 9223372036854775807, b = 2])";
    let message = "the product of these sizes does not fit into `i64`";
    check(&format!("{f} -> Tensor![] {{ sum(x * len(«(a, b)), (a, b)) }}"), message);
    check(
        &format!("{f} -> Tensor![] {{ «mean(x, (a, b)) }}"),
        "`mean` multiplies these sizes, and the product does not fit into `i64`",
    );
    // There is no message about values that no formula needs.
    let code =
        expand(TokenStream::new(), format!("{f} -> Tensor![a, b] {{ exp(x) }}").parse().expect("tokens"), "");
    assert!(!code.to_string().contains("compile_error"));
    // A sum over dims along which the value is constant is a product with a size that nobody wrote.
    let source = "fn f(x: Tensor![a = 9223372036854775807, b = 2], y: Tensor![]) -> Tensor![] { sum(x * 0.0 + y, (a, b)) }";
    let code = expand(TokenStream::new(), source.parse().expect("tokens"), "");
    assert!(!code.to_string().contains("compile_error"));
}
