//! `if` and `match` of a formula for an editor: those of Rust, with a condition made of values, and with arms
//! that are rewritten as formulas.

use super::expr::{DEEPEST, Writer, statements};
use crate::tokens::{flat, group, is_punct, is_word};
use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};
use quote::quote;

/// The tokens with the first `if` or `match` rewritten, in a group without delimiters. `None` if there is no
/// finished one.
pub(super) fn rewritten(writer: Writer, tokens: &[TokenTree]) -> Option<Vec<TokenTree>> {
    let start = tokens.iter().position(|token| is_word(token, "if") || is_word(token, "match"))?;
    let (form, taken) = form(writer, &tokens[start..])?;
    let is_whole = start == 0 && taken == tokens.len();
    let form = if is_whole { form } else { quote!((#form)) };
    let form = TokenTree::Group(Group::new(Delimiter::None, form));
    Some(
        tokens[..start]
            .iter()
            .cloned()
            .chain([form])
            .chain(tokens[start + taken..].iter().cloned())
            .collect(),
    )
}

/// The form at the front, and the number of its tokens.
fn form(writer: Writer, tokens: &[TokenTree]) -> Option<(TokenStream, usize)> {
    let [word, rest @ ..] = tokens else { return None };
    let at = rest.iter().position(is_block).filter(|_| writer.depth < DEEPEST)?;
    let on = writer.expression(&rest[..at]);
    let Some(TokenTree::Group(braces)) = rest.get(at) else { return None };
    let inside = Writer { depth: writer.depth + 1, in_cast: false };
    if is_word(word, "match") {
        let tokens = flat(braces.stream());
        let is_bool = tokens.first().is_some_and(|token| is_word(token, "true") || is_word(token, "false"));
        let on = if is_bool { quote!(__editor::condition(#on)) } else { on };
        let arms = with_tokens(braces, arms(inside, &tokens));
        return Some((quote!(#word #on #arms), at + 2));
    }
    let then = block(inside, braces);
    let (mut written, mut taken) = (quote!(#word __editor::condition(#on) #then), at + 2);
    if let Some(other) = tokens.get(taken).filter(|token| is_word(token, "else")) {
        taken += 1;
        match tokens.get(taken) {
            Some(TokenTree::Group(braces)) if braces.delimiter() == Delimiter::Brace => {
                let block = block(inside, braces);
                written.extend(quote!(#other #block));
                taken += 1;
            }
            Some(token) if is_word(token, "if") => {
                let (next, length) = form(inside, &tokens[taken..])?;
                written.extend(quote!(#other #next));
                taken += length;
            }
            Some(_) | None => written.extend(quote!(#other)),
        }
    }
    Some((written, taken))
}

fn is_block(token: &TokenTree) -> bool {
    group(Some(token), Delimiter::Brace).is_some()
}

fn block(inside: Writer, braces: &Group) -> Group {
    let (lets, last) = statements(inside, braces.stream(), None);
    with_tokens(braces, quote!(#(#lets)* #last))
}

fn with_tokens(group: &Group, tokens: TokenStream) -> Group {
    let mut written = Group::new(group.delimiter(), tokens);
    written.set_span(group.span());
    written
}

/// `A | B => x, C => { y }`. What is unfinished is left as it is.
fn arms(inside: Writer, tokens: &[TokenTree]) -> TokenStream {
    let mut written = TokenStream::new();
    let mut rest = tokens;
    while let Some(arrow) =
        (1..rest.len()).find(|at| is_punct(&rest[at - 1], '=') && is_punct(&rest[*at], '>'))
    {
        let (pattern, body) = (&rest[..=arrow], &rest[arrow + 1..]);
        written.extend(pattern.iter().cloned());
        if let Some(TokenTree::Group(braces)) = body.first().filter(|token| is_block(token)) {
            let block = block(inside, braces);
            let comma = body.get(1).filter(|token| is_punct(token, ','));
            written.extend(quote!(#block #comma));
            rest = &body[1 + usize::from(comma.is_some())..];
        } else {
            let end = body.iter().position(|token| is_punct(token, ',')).unwrap_or(body.len());
            let value = inside.expression(&body[..end]);
            let comma = body.get(end);
            written.extend(quote!(#value #comma));
            rest = &body[(end + 1).min(body.len())..];
        }
    }
    written.extend(rest.iter().cloned());
    written
}
