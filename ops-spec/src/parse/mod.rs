//! Parses tokens to an [`ast`](crate::ast). Anything that is not part of the language is an error at its
//! token, which says what to write instead.
//!
//! The grammar is a part of Rust's, so syn reads the tokens first. A function must be plain (no generics,
//! async, unsafe, ..). Its body is `let`s and a last expression, or a tuple of expressions. After a mistake,
//! parsing continues with an error node.

mod attrs;
mod body;
pub(crate) mod constants;
mod defaults;
mod depth;
mod expr;
mod foreign;
mod form;
mod kernel;
mod list;
mod options;
mod types;

pub(crate) use depth::is_shallow;
pub(crate) use types::NOT_A_TYPE;

use crate::ast::{Arg, DEVICE, DTYPE, Item, Method, TensorType};
use crate::diag::{Errors, TokenRange};
use proc_macro2::{Ident, TokenStream};
use syn::ext::IdentExt;
use syn::spanned::Spanned;

/// Reads a declaration: the tokens inside `#[tensor_op(..)]` and the function under it. `None` if the item is
/// not a function.
pub(crate) fn item(errors: &mut Errors, attr: TokenStream, item: TokenStream) -> Option<Item> {
    if !is_shallow(errors, &attr) || !is_shallow(errors, &item) {
        return None;
    }
    let function = function(errors, item)?;
    let options::Options { tests, burn, method, associative } = options::options(errors, attr);
    let attrs = attrs::of_function(errors, &function.attrs);
    let generics = signature(errors, &function);
    let mut args = args(errors, &function.sig, &generics);
    defaults::resolve(errors, &mut args);
    let results = results(errors, &function.sig, &generics);
    let (lets, tail) = body::body(errors, &function.block);
    let item = Item {
        attrs: attrs.kept,
        vis: function.vis,
        name: function.sig.ident,
        kind: None,
        args,
        results,
        lets,
        tail,
        rules: attrs.rules,
        no_grad: attrs.no_grad,
        keep: attrs.keep,
        precision: attrs.precision,
        kernels: attrs.kernels,
        tests,
        burn,
        method: method.map_or(Method::No, |(method, _)| method),
        associative: associative.is_some(),
    };
    names_of_place(errors, &item);
    if let Some((_, place)) = method {
        options::method(errors, &item, place);
    }
    if let Some(place) = associative {
        options::associative(errors, &item, place);
    }
    Some(item)
}

/// The error of syn for `x > 0.0 & x < 1.0`, which Rust reads as `x > (0.0 & x) < 1.0`.
const CHAINED: &str = "comparison operators cannot be chained";

const PARENTHESES: &str = "comparisons can't be chained, and `&` and `|` bind tighter than they do: write `(x > 0.0) & (x < 1.0)`, or `x > 0.0 && x < 1.0`";

/// Reads a single expression.
#[cfg(test)]
pub(crate) fn expression(errors: &mut Errors, e: &syn::Expr) -> crate::ast::Expr {
    expr::expr(errors, e)
}

fn function(errors: &mut Errors, item: TokenStream) -> Option<syn::ItemFn> {
    match syn::parse2::<syn::ItemFn>(item.clone()) {
        Ok(function) => Some(function),
        Err(error) => {
            match syn::parse2::<syn::Item>(item.clone()) {
                Ok(syn::Item::Verbatim(_)) | Err(_) if error.to_string() == CHAINED => {
                    errors.at(error.span(), PARENTHESES);
                }
                Ok(syn::Item::Verbatim(_)) | Err(_) if foreign::report(errors, &item) => {}
                Ok(syn::Item::Verbatim(_)) | Err(_) => errors.syntax(&error),
                Ok(other) => errors.at(other.span(), "`#[tensor_op]` goes on a function"),
            }
            None
        }
    }
}

/// Refuses everything in a signature that a plain function doesn't have. Returns the names of generic
/// parameters. Their uses are not reported again.
fn signature(errors: &mut Errors, function: &syn::ItemFn) -> Vec<Ident> {
    let sig = &function.sig;
    let mut refuse = |token: Option<TokenRange>, message: &str| {
        if let Some(place) = token {
            errors.at(place, message);
        }
    };
    refuse(sig.constness.map(|t| t.span.into()), "a formula is a plain function: remove `const`");
    refuse(sig.asyncness.map(|t| t.span.into()), "a formula is a plain function: remove `async`");
    let default = function.modifiers.defaultness;
    refuse(default.map(|t| t.span.into()), "a formula is a plain function: remove `default`");
    let safety = match &sig.safety {
        syn::Safety::Safe(token) => Some(TokenRange::of(token)),
        syn::Safety::Unsafe(token) => Some(TokenRange::of(token)),
        syn::Safety::Default => None,
    };
    refuse(safety, "a formula is a plain function: remove `unsafe`");
    refuse(sig.abi.as_ref().map(TokenRange::of), "a formula is a plain function: remove `extern`");
    let first = sig.generics.params.first().map(TokenRange::of);
    refuse(
        first.or(sig.generics.lt_token.map(|t| t.span.into())),
        "a formula has no generic parameters: tensors carry their element type and device at run time",
    );
    let clause = sig.generics.where_clause.as_ref().filter(|_| first.is_none());
    refuse(clause.map(|w| w.where_token.span.into()), "a formula has no bounds: remove the `where` clause");
    let variadic = sig.variadic.as_ref().map(|v| TokenRange::of(&v.dots));
    refuse(variadic, "a formula has a fixed list of arguments: remove `...`");
    sig.generics.type_params().map(|p| p.ident.clone()).collect()
}

fn args(errors: &mut Errors, sig: &syn::Signature, generics: &[Ident]) -> Vec<Arg> {
    let (mut args, mut taken): (Vec<Arg>, Vec<Ident>) = (vec![], vec![]);
    for input in &sig.inputs {
        let typed = match input {
            syn::FnArg::Receiver(receiver) => {
                errors.at(
                    receiver.self_token.span,
                    "a formula is a free function: name the argument, `x: Tensor`",
                );
                continue;
            }
            syn::FnArg::Typed(typed) => typed,
        };
        let new = arg(errors, typed, generics);
        let list = new.first().and_then(|arg| arg.list.clone());
        for name in list.into_iter().chain(new.iter().map(|arg| arg.name.clone())) {
            if taken.contains(&name) {
                let message = format!("a second argument named `{}`: rename one", name.unraw());
                errors.at(name.span(), message);
            }
            taken.push(name);
        }
        args.extend(new);
    }
    args
}

/// Without a tensor among the arguments, the generated function takes what a tensor would have told it.
fn names_of_place(errors: &mut Errors, item: &Item) {
    let Some(place) = item.place() else { return };
    let float = place.is_float.then_some(DTYPE);
    for arg in item.args.iter().filter(|arg| arg.name == DEVICE || float.is_some_and(|name| arg.name == name))
    {
        let message = format!(
            "an op without tensors takes its `{}` as an argument of the generated function: rename this one",
            arg.name
        );
        errors.at(arg.name.span(), message);
    }
}

/// The argument, or the elements of a list.
fn arg(errors: &mut Errors, typed: &syn::PatType, generics: &[Ident]) -> Vec<Arg> {
    if let Some(elements) = list::elements(errors, typed) {
        return elements;
    }
    let Some(name) = plain_name(errors, &typed.pat, "an argument") else { return vec![] };
    let ty = types::arg(errors, &typed.ty, generics);
    let attrs::OfArg { default, argument, variant, no_grad } =
        attrs::of_arg(errors, &typed.attrs, &name, &ty);
    vec![Arg { name, list: None, ty, default, default_arg: argument, default_variant: variant, no_grad }]
}

/// The name in a pattern, for places where only a name is allowed.
fn plain_name(errors: &mut Errors, pat: &syn::Pat, what: &str) -> Option<Ident> {
    match pat {
        syn::Pat::Ident(p) if p.by_ref.is_none() && p.mutability.is_none() && p.subpat.is_none() => {
            return Some(p.ident.clone());
        }
        syn::Pat::Ident(syn::PatIdent { mutability: Some(token), .. }) => {
            errors.at(token.span, "nothing changes in a formula: remove `mut` and give each value its name");
        }
        syn::Pat::Type(typed) => {
            errors.at(typed.colon_token.span, "a `let` has no type: its dims and kind follow from its value");
        }
        other => errors.at(other.span(), format!("{what} is one name, such as `x`")),
    }
    None
}

fn results(errors: &mut Errors, sig: &syn::Signature, generics: &[Ident]) -> Vec<TensorType> {
    match &sig.output {
        syn::ReturnType::Default => {
            errors.at(sig.ident.span(), "a formula has a result: write `-> Tensor` or `-> Tensor![..]`");
            vec![]
        }
        syn::ReturnType::Type(_, ty) => types::results(errors, ty, generics),
    }
}
