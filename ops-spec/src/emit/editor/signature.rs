//! Finds the parts of a declaration without a parser, and makes bindings of its arguments and dims.

use super::expression;
use crate::ast::{AXES, AXIS, Kinds, NUMBER};
use crate::ir::{Kind, ScalarType};
use crate::tokens::{flat, group, is_assignment, is_punct, is_word, split};
use proc_macro2::{Delimiter, Ident, Span, TokenStream, TokenTree};
use quote::quote;
use std::collections::BTreeSet;

/// The parts of a declaration that an editor needs.
#[derive(Default)]
pub(super) struct Function {
    /// The `#[cfg(..)]` attributes.
    pub(super) cfg: Vec<TokenStream>,
    /// `let`s for dims and arguments. A dim is bound where the signature names it for the first time. Where
    /// it is named again, it is mentioned as an expression.
    pub(super) bindings: Vec<TokenStream>,
    /// Names of dims and arguments.
    pub(super) bound: BTreeSet<String>,
    /// The parts of `#[grad(x = ..)]`.
    pub(super) rules: Vec<TokenStream>,
    /// The names in `#[save(..)]`.
    pub(super) kept: Vec<TokenTree>,
    /// `grad` and `out`, or `grad0`, `out0`, `grad1`, ..
    pub(super) grads: Vec<Ident>,
    /// The tokens inside of the braces.
    pub(super) body: TokenStream,
}

impl Function {
    /// Reads `#[..] pub fn name(x: Tensor![n]) -> Tensor![n] { .. }`.
    pub(super) fn read(item: TokenStream) -> Option<Function> {
        let tokens = flat(item);
        let start = tokens.iter().position(|token| is_word(token, "fn"))?;
        let args = start + tokens[start..].iter().position(is_parenthesised)?;
        let end = tokens.iter().rposition(|token| group(Some(token), Delimiter::Brace).is_some())?;
        let result = tokens.get(args + 1..end)?;
        let mut function =
            Function { body: group(tokens.get(end), Delimiter::Brace)?, ..Function::default() };
        let args = flat(group(tokens.get(args), Delimiter::Parenthesis)?);
        split(&args, ',').for_each(|arg| function.arg(arg));
        function.dims(result, 0);
        function.grads = grads(result);
        for (index, token) in tokens[..start].iter().enumerate().filter(|(_, token)| is_punct(token, '#')) {
            if let Some(attr) = group(tokens.get(index + 1), Delimiter::Bracket) {
                function.attr(token, attr);
            }
        }
        Some(function)
    }

    /// `#[default(1e-6)] eps: f64`.
    fn arg(&mut self, arg: &[TokenTree]) {
        let Some(colon) = arg.iter().position(|token| is_punct(token, ':')) else { return };
        if let (Some(names), Some(ty)) = (bracketed(arg[..colon].last()), bracketed(arg.get(colon + 1))) {
            return self.list(&flat(names), flat(ty).first());
        }
        let (Some(TokenTree::Ident(name)), [ty, dims @ ..]) = (arg[..colon].last(), &arg[colon + 1..]) else {
            return;
        };
        let is_known = |name: &str| ScalarType::from_name(name).is_some();
        let binding = match ty {
            TokenTree::Ident(option) if option == OPTION && !dims.is_empty() => {
                // The dims are those of the tensor between the brackets.
                let inner =
                    dims.iter().position(|token| matches!(token, TokenTree::Ident(ty) if is_foreign(ty)));
                let Some(at) = inner else { return };
                let (ty, dims) = (&dims[at], &dims[at + 1..]);
                self.dims(dims, 0);
                quote!(__editor::argument::<__editor::types::#ty>())
            }
            TokenTree::Ident(ty) if is_foreign(ty) => {
                self.dims(dims, 0);
                quote!(__editor::argument::<__editor::types::#ty>())
            }
            TokenTree::Ident(ty) if is_known(&ty.to_string()) => quote!(__editor::argument::<#ty>()),
            _ => {
                let rest = dims.iter();
                quote!(__editor::chosen::<#ty #(#rest)*>())
            }
        };
        let is_new = self.bound.insert(name.to_string());
        let name = if is_new { quote!(let #name =) } else { quote!(#name;) };
        self.bindings.push(quote!(#name #binding;));
    }

    /// `stride @ [sh, sw]: [usize; 2]`, of which the formula sees the elements.
    fn list(&mut self, names: &[TokenTree], ty: Option<&TokenTree>) {
        let Some(TokenTree::Ident(ty)) = ty else { return };
        for name in names.iter().filter(|token| matches!(token, TokenTree::Ident(_))) {
            let is_new = self.bound.insert(name.to_string());
            let name = if is_new { quote!(let #name =) } else { quote!(#name;) };
            self.bindings.push(quote!(#name __editor::argument::<#ty>();));
        }
    }

    /// Collects the types and dims of an argument type or a result.
    fn dims(&mut self, tokens: &[TokenTree], depth: usize) {
        for (index, token) in tokens.iter().enumerate() {
            match token {
                TokenTree::Ident(len)
                    if len == "len" && tokens.get(index + 1).is_some_and(is_parenthesised) =>
                {
                    self.bindings.push(quote!(__editor::functions::#len;));
                }
                TokenTree::Group(group) if depth < DEEPEST => self.dims(&flat(group.stream()), depth + 1),
                TokenTree::Ident(ty) if is_foreign(ty) => {
                    self.bindings.push(quote!(__editor::argument::<__editor::types::#ty>();));
                }
                TokenTree::Ident(dim) => {
                    let is_new = self.bound.insert(dim.to_string());
                    self.bindings.push(if is_new {
                        quote!(let #dim = __editor::dim();)
                    } else {
                        quote!(#dim;)
                    });
                }
                TokenTree::Group(_) | TokenTree::Punct(_) | TokenTree::Literal(_) => {}
            }
        }
    }

    fn attr(&mut self, sign: &TokenTree, attr: TokenStream) {
        let tokens = flat(attr.clone());
        let Some(TokenTree::Ident(name)) = tokens.first() else { return };
        let list = group(tokens.get(1), Delimiter::Parenthesis).map(flat).unwrap_or_default();
        match name.to_string().as_str() {
            "cfg" => self.cfg.push(quote!(#sign [#attr])),
            "grad" => self.rules.extend(split(&list, ',').map(rule)),
            "save" => self.kept.extend(list.into_iter().filter(|t| matches!(t, TokenTree::Ident(_)))),
            _ => {}
        }
    }
}

/// The type around that of an optional tensor.
const OPTION: &str = "Option";

/// Whether the language has this type and Rust has not.
fn is_foreign(ty: &Ident) -> bool {
    ty == NUMBER
        || ty == AXIS
        || ty == AXES
        || [ScalarType::Seed, ScalarType::Fraction].iter().any(|scalar| ty == scalar.name())
        || Kind::ALL.iter().any(|kind| ty == kind.tensor())
        || Kinds::ALL.iter().any(|kinds| ty == kinds.tensor())
}

/// The deepest groups in a type; real types have fewer.
const DEEPEST: usize = 8;

fn bracketed(token: Option<&TokenTree>) -> Option<TokenStream> {
    group(token, Delimiter::Bracket)
}

fn is_parenthesised(token: &TokenTree) -> bool {
    group(Some(token), Delimiter::Parenthesis).is_some()
}

/// `x = grad * y` as `x; grad * y`.
fn rule(tokens: &[TokenTree]) -> TokenStream {
    match tokens {
        [input, rest @ ..] if is_assignment(rest) => {
            let value = expression(rest[1..].iter().cloned().collect());
            quote!(#input; #value)
        }
        _ => expression(tokens.iter().cloned().collect()),
    }
}

/// The names that a rule may use in addition to arguments and `let`s.
fn grads(result: &[TokenTree]) -> Vec<Ident> {
    let several = result.iter().find(|token| is_parenthesised(token));
    let several = group(several, Delimiter::Parenthesis).map(flat).unwrap_or_default();
    let numbers: Vec<String> = match split(&several, ',').count() {
        0 => vec![String::new()],
        count => (0..count).map(|index| index.to_string()).collect(),
    };
    let names =
        ["grad", "out"].into_iter().flat_map(|stem| numbers.iter().map(move |n| format!("{stem}{n}")));
    names.map(|name| Ident::new(&name, Span::call_site())).collect()
}
