//! Dims that a formula makes by `iota(m = size)`. For an editor they are bound before the statement that
//! makes them.

use super::expr::Writer;
use crate::tokens::{flat, group, is_assignment, is_word};
use proc_macro2::{Delimiter, Ident, TokenStream, TokenTree};
use quote::quote;
use std::collections::BTreeSet;

/// The deepest groups that are searched; real formulas have fewer.
const DEEPEST: usize = 128;

/// Bindings of the dims that some tokens make, except for names that are bound already.
pub(super) fn bindings(tokens: &[TokenTree], bound: &mut BTreeSet<String>) -> TokenStream {
    let mut found = Vec::new();
    collect(tokens, 0, &mut found);
    let new = found.into_iter().filter(|dim| bound.insert(dim.to_string()));
    new.map(|dim| quote!(let #dim = __editor::dim();)).collect()
}

fn collect(tokens: &[TokenTree], depth: usize, found: &mut Vec<Ident>) {
    for (index, token) in tokens.iter().enumerate() {
        let TokenTree::Group(inner) = token else { continue };
        let inner = flat(inner.stream());
        let is_iota = index > 0 && is_word(&tokens[index - 1], "iota");
        if let Some((dim, _)) = made(&inner).filter(|_| is_iota) {
            found.push(dim.clone());
        }
        if depth < DEEPEST {
            collect(&inner, depth + 1, found);
        }
    }
}

/// The dim in `m = size`, and the size.
fn made(tokens: &[TokenTree]) -> Option<(&Ident, &[TokenTree])> {
    match tokens {
        [TokenTree::Ident(dim), rest @ ..] if is_assignment(rest) => Some((dim, &rest[1..])),
        _ => None,
    }
}

/// The arguments of `iota(m = size)` as `({ size; m })`. `None` if these are others.
pub(super) fn argument(writer: Writer, name: &Ident, args: Option<&TokenTree>) -> Option<TokenStream> {
    let args = group(args, Delimiter::Parenthesis).filter(|_| name == "iota").map(flat)?;
    let (dim, size) = made(&args)?;
    let size = writer.expression(size);
    Some(quote!(({ #size; #dim })))
}
