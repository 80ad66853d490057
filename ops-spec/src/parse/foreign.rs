//! What other languages write and Rust's grammar refuses: looked for once syn has given up, since its message only names a token.

use crate::diag::Errors;
use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};

/// Reports the first of these mistakes. `false` if there is none.
pub(super) fn report(errors: &mut Errors, item: &TokenStream) -> bool {
    let function =
        item.clone().into_iter().skip_while(|token| !matches!(token, TokenTree::Ident(word) if word == "fn"));
    let groups: Vec<Group> = function.filter_map(group).collect();
    let [arguments, .., body] = &groups[..] else { return false };
    argument(errors, arguments.stream()) || expression(errors, body.stream())
}

fn group(token: TokenTree) -> Option<Group> {
    if let TokenTree::Group(group) = token { Some(group) } else { None }
}

/// `eps: f64 = 1e-6`
fn argument(errors: &mut Errors, tokens: TokenStream) -> bool {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let mut list = tokens.split(|token| is_punct(token, ','));
    let found = list.find_map(|argument| {
        let place = argument.iter().position(|token| is_punct(token, '='))?;
        Some((argument, place))
    });
    let Some((argument, place)) = found else { return false };
    let text = |tokens: &[TokenTree]| tokens.iter().cloned().collect::<TokenStream>().to_string();
    let (typed, value) =
        (text(&argument[..place]).replace(" :", ":"), text(&argument[place + 1..]).replace("- ", "-"));
    errors.at(
        argument[place].span(),
        format!("a default is an attribute of the argument: write `#[default({value})] {typed}`"),
    );
    true
}

/// `x @ y` and `where(cond, a, b)`
fn expression(errors: &mut Errors, tokens: TokenStream) -> bool {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    tokens.iter().enumerate().any(|(place, token)| match token {
        TokenTree::Punct(punct) if punct.as_char() == '@' => {
            errors.at(
                punct.span(),
                "no operator `@`: a product of matrices is a sum over their shared dim, `sum(x * y, k)`",
            );
            true
        }
        TokenTree::Ident(name) if name == "where" && is_call(tokens.get(place + 1)) => {
            errors.at(name.span(), "`where` is a word of Rust: write `select(cond, a, b)`");
            true
        }
        TokenTree::Group(group) => expression(errors, group.stream()),
        TokenTree::Punct(_) | TokenTree::Ident(_) | TokenTree::Literal(_) => false,
    })
}

fn is_punct(token: &TokenTree, wanted: char) -> bool {
    matches!(token, TokenTree::Punct(punct) if punct.as_char() == wanted)
}

fn is_call(next: Option<&TokenTree>) -> bool {
    matches!(next, Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Parenthesis)
}
