//! The options in `#[tensor_op(..)]`: which tests are generated, the function on Burn's tensors, the method,
//! the scan.

use super::attrs::list;
use crate::ast::{ArgType, Burn, Item, Method, TestClaim, TestDtype, Tests};
use crate::diag::Errors;
use proc_macro2::{Ident, Span, TokenStream};
use std::collections::BTreeSet;
use syn::ext::IdentExt;
use syn::parse::{Parse, ParseStream, Parser};
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::{Token, parenthesized};

const HINT: &str =
    "`#[tensor_op]` takes `tests = false`, `tests(..)`, `method`, `associative`, `burn` and `burn = name`";
const IN_TESTS: &str = "`tests(..)` takes `skip = name` and `dtypes = name`, of several `(a, b)`";
const METHOD: &str = "write `method`, or `method(inherent)` in the crate that defines `Tensor`";

const ALONE: &str = "an associative op combines tensors alone: remove this argument, or `associative`";
const TUPLES: &str = "an associative op combines two tuples of tensors into one: it takes the tensors of the left one, then those of the right one, and returns as many of the same kinds, as `fn f(a: Tensor, n: IntTensor, next_a: Tensor, next_n: IntTensor) -> (Tensor, IntTensor)` does";

/// The options in `#[tensor_op(..)]`.
#[derive(Default)]
pub(super) struct Options {
    /// Which tests are generated.
    pub(super) tests: Tests,
    /// Whether there is a function on Burn's tensors.
    pub(super) burn: Burn,
    /// Whether the op is a method, and the place where this is said.
    pub(super) method: Option<(Method, Span)>,
    /// The place of `associative`.
    pub(super) associative: Option<Span>,
}

/// The option whose parentheses hold settings.
const TESTS: &str = "tests";

/// `name`, `name = value` or `name(..)`.
struct Choice {
    name: Ident,
    value: Option<Value>,
}

enum Value {
    Expr(syn::Expr),
    Tests(Punctuated<TestOption, Token![,]>),
    Words(Punctuated<Ident, Token![,]>),
}

impl Parse for Choice {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let name = input.call(Ident::parse_any)?;
        let value = if input.parse::<Option<Token![=]>>()?.is_some() {
            Some(Value::Expr(input.parse()?))
        } else if input.peek(syn::token::Paren) {
            let inside;
            parenthesized!(inside in input);
            Some(match name == TESTS {
                true => Value::Tests(Punctuated::parse_terminated(&inside)?),
                false => Value::Words(Punctuated::parse_terminated(&inside)?),
            })
        } else {
            None
        };
        Ok(Choice { name, value })
    }
}

/// `skip = given_rule` or `dtypes = (f32, f16)`.
struct TestOption {
    name: Ident,
    words: Vec<Ident>,
}

impl Parse for TestOption {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let name = input.call(Ident::parse_any)?;
        input.parse::<Token![=]>()?;
        if !input.peek(syn::token::Paren) {
            return Ok(TestOption { name, words: vec![input.parse()?] });
        }
        let inside;
        parenthesized!(inside in input);
        let words = Punctuated::<Ident, Token![,]>::parse_terminated(&inside)?;
        Ok(TestOption { name, words: words.into_iter().collect() })
    }
}

/// Reads the options in `#[tensor_op(..)]`.
pub(super) fn options(errors: &mut Errors, attr: TokenStream) -> Options {
    let mut options = Options::default();
    let mut chosen = BTreeSet::new();
    for Choice { name, value } in
        list(errors, Punctuated::<Choice, Token![,]>::parse_terminated.parse2(attr), HINT)
    {
        if !chosen.insert(name.to_string()) {
            errors.at(name.span(), format!("a second `{name}`: remove one"));
            continue;
        }
        match (name.to_string().as_str(), value) {
            ("tests", Some(Value::Expr(syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Bool(value), .. })))) => {
                options.tests.generated = value.value;
            }
            ("tests", Some(Value::Tests(list))) => tests(errors, name.span(), &mut options.tests, list),
            ("tests", None) => errors.at(name.span(), "write `tests = false`, or `tests(skip = name)`"),
            ("tests", Some(Value::Expr(value))) => {
                errors.at(value.span(), "write `tests = false` or `tests = true`")
            }
            ("burn", None) => options.burn = Burn::Instead,
            ("burn", Some(Value::Expr(syn::Expr::Path(path)))) if path.path.get_ident().is_some() => {
                options.burn = path.path.get_ident().cloned().map_or(Burn::No, Burn::Beside);
            }
            ("burn", Some(value)) => {
                let place = if let Value::Expr(value) = value { value.span() } else { name.span() };
                errors.at(place, "`burn = ..` is the name of the function on Burn's tensors, one word");
            }
            ("method", None) => options.method = Some((Method::Extension, name.span())),
            ("method", Some(Value::Words(words))) if is_inherent(&words) => {
                options.method = Some((Method::Inherent, name.span()));
            }
            ("method", Some(_)) => errors.at(name.span(), METHOD),
            ("associative", None) => options.associative = Some(name.span()),
            ("associative", Some(_)) => errors.at(name.span(), "write `associative` alone"),
            _ => errors.at(name.span(), format!("unknown option `{name}`: {HINT}")),
        }
    }
    options
}

fn is_inherent(words: &Punctuated<Ident, Token![,]>) -> bool {
    words.len() == 1 && words.iter().all(|word| word == "inherent")
}

/// Checks that the op can be a method: its first argument becomes `self`.
pub(super) fn method(errors: &mut Errors, item: &Item, place: Span) {
    let first = item.args.first();
    match first.map(|arg| &arg.ty) {
        Some(ArgType::Tensor(_) | ArgType::Error) => {}
        Some(
            ArgType::Optional(_)
            | ArgType::Enum(_)
            | ArgType::Scalar(_)
            | ArgType::Number
            | ArgType::Axis
            | ArgType::Axes,
        )
        | None => {
            let place = first.map_or(place, |arg| arg.name.span());
            errors.at(place, "a method is called on a tensor: begin with one, or remove `method`");
        }
    }
    // The method calls the function, and an argument of that name would hide it.
    if let Some(arg) = item.args.iter().skip(1).find(|arg| arg.name == item.name) {
        let message = format!("the method calls the function `{}`: rename this argument", item.name);
        errors.at(arg.name.span(), message);
    }
    if let (Method::Inherent, Burn::Instead) = (item.method, &item.burn) {
        let message = "`burn` leaves no function on `Tensor` that a method could call: write `burn = name`";
        errors.at(place, message);
    }
}

/// Checks that the op takes two tuples of tensors and returns one such tuple.
pub(super) fn associative(errors: &mut Errors, item: &Item, place: Span) {
    let half = item.args.len() / 2;
    let mut kinds = vec![];
    for arg in &item.args {
        match &arg.ty {
            ArgType::Tensor(ty) => kinds.push((ty.kind, ty.kinds)),
            ArgType::Error => return,
            ArgType::Optional(_)
            | ArgType::Enum(_)
            | ArgType::Scalar(_)
            | ArgType::Number
            | ArgType::Axis
            | ArgType::Axes => return errors.at(arg.name.span(), ALONE),
        }
    }
    let results: Vec<_> = item.results.iter().map(|result| (result.kind, result.kinds)).collect();
    if results.is_empty() || kinds[..half] != kinds[half..] || results != kinds[..half] {
        errors.at(place, TUPLES);
    }
    // The scan calls the function, and an argument of that name would hide it.
    if let Some(arg) = item.args[..half].iter().find(|arg| arg.name == item.name) {
        let message = format!("the scan calls the function `{}`: rename this argument", item.name);
        errors.at(arg.name.span(), message);
    }
    match item.burn {
        Burn::No => {}
        Burn::Instead | Burn::Beside(_) => {
            errors.at(place, "`associative` gives a scan of our own tensors: remove it, or `burn`");
        }
    }
}

fn tests(errors: &mut Errors, place: Span, tests: &mut Tests, options: Punctuated<TestOption, Token![,]>) {
    if options.is_empty() {
        errors.at(place, IN_TESTS);
    }
    let mut chosen = BTreeSet::new();
    for TestOption { name, words } in options {
        if !chosen.insert(name.to_string()) {
            errors.at(name.span(), format!("a second `{name}`: remove one"));
            continue;
        }
        if words.is_empty() {
            errors.at(name.span(), format!("`{name}` names nothing: remove it"));
            continue;
        }
        match name.to_string().as_str() {
            "skip" => {
                tests.skip = chosen_of(errors, &words, &TestClaim::ALL, TestClaim::test, "generated test")
            }
            "dtypes" => {
                tests.dtypes = chosen_of(errors, &words, &TestDtype::ALL, TestDtype::name, "dtype of tests")
            }
            _ => errors.at(name.span(), format!("unknown option `{name}`: {IN_TESTS}")),
        }
    }
}

/// The values that the words stand for.
fn chosen_of<T: Copy + PartialEq>(
    errors: &mut Errors,
    words: &[Ident],
    all: &[T],
    name: fn(T) -> &'static str,
    what: &str,
) -> Vec<T> {
    let mut found = vec![];
    for word in words {
        let text = word.to_string();
        match all.iter().find(|one| name(**one) == text) {
            Some(one) if found.contains(one) => {
                errors.at(word.span(), format!("a second `{text}`: remove one"));
            }
            Some(one) => found.push(*one),
            None => {
                let all: Vec<&str> = all.iter().map(|one| name(*one)).collect();
                errors.at(word.span(), format!("there is no {what} `{text}`; there are {}", all.join(", ")));
            }
        }
    }
    found
}
