//! Lists of tokens and how to split them, for code that reads a declaration that may not parse.

use proc_macro2::{Delimiter, Spacing, TokenStream, TokenTree};

/// The tokens of a stream. `macro_rules!` puts groups without delimiters around its arguments; these groups
/// are opened.
pub(crate) fn flat(tokens: TokenStream) -> Vec<TokenTree> {
    let mut found = Vec::new();
    let mut open = vec![tokens.into_iter()];
    while let Some(tokens) = open.last_mut() {
        match tokens.next() {
            Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::None => {
                open.push(group.stream().into_iter());
            }
            Some(token) => found.push(token),
            None => drop(open.pop()),
        }
    }
    found
}

/// The parts between commas or semicolons. An empty part after the last separator is left out.
pub(crate) fn split(tokens: &[TokenTree], separator: char) -> impl Iterator<Item = &[TokenTree]> {
    let mut parts: Vec<&[TokenTree]> = tokens.split(|token| is_punct(token, separator)).collect();
    if parts.last().is_some_and(|part| part.is_empty()) {
        parts.pop();
    }
    parts.into_iter()
}

/// The parts between double signs such as `&&`. Each part comes with the second sign of the pair before it.
pub(crate) fn split_double(tokens: &[TokenTree], sign: char) -> Vec<(Option<&TokenTree>, &[TokenTree])> {
    let mut parts = Vec::new();
    let (mut before, mut start, mut at) = (None, 0, 0);
    while at < tokens.len() {
        if at > start && is_double(&tokens[at..], sign) {
            parts.push((before, &tokens[start..at]));
            before = Some(&tokens[at + 1]);
            (start, at) = (at + 2, at + 2);
        } else {
            at += 1;
        }
    }
    parts.push((before, &tokens[start..]));
    parts
}

/// Whether a token is this sign.
pub(crate) fn is_punct(token: &TokenTree, sign: char) -> bool {
    matches!(token, TokenTree::Punct(punct) if punct.as_char() == sign)
}

/// Whether a token is this word.
pub(crate) fn is_word(token: &TokenTree, word: &str) -> bool {
    matches!(token, TokenTree::Ident(ident) if ident == word)
}

/// Whether these tokens begin with the same sign twice, such as `&&` or `::`.
pub(crate) fn is_double(tokens: &[TokenTree], sign: char) -> bool {
    matches!(
        tokens,
        [TokenTree::Punct(a), TokenTree::Punct(b), ..]
            if a.as_char() == sign && b.as_char() == sign && a.spacing() == Spacing::Joint
    )
}

/// Whether these tokens begin with `=`, and not with `==`.
pub(crate) fn is_assignment(tokens: &[TokenTree]) -> bool {
    tokens.first().is_some_and(|token| is_punct(token, '=')) && !is_double(tokens, '=')
}

/// The tokens inside a group with these delimiters.
pub(crate) fn group(token: Option<&TokenTree>, delimiter: Delimiter) -> Option<TokenStream> {
    match token {
        Some(TokenTree::Group(group)) if group.delimiter() == delimiter => Some(group.stream()),
        _ => None,
    }
}
