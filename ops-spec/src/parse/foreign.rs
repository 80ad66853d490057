//! What other languages write and Rust's grammar refuses: looked for once syn has given up, since its message
//! only names a token.

use crate::diag::Errors;
use crate::tokens::{flat, group, is_punct, is_word, split};
use proc_macro2::{Delimiter, TokenStream, TokenTree};

/// Reports the first of these mistakes. `false` if there is none.
pub(super) fn report(errors: &mut Errors, item: &TokenStream) -> bool {
    let tokens = flat(item.clone());
    let function = tokens.iter().skip_while(|token| !is_word(token, "fn"));
    let arguments = function.clone().find_map(|token| group(Some(token), Delimiter::Parenthesis));
    arguments.is_some_and(|arguments| argument(errors, arguments))
        || group(function.last(), Delimiter::Brace).is_some_and(|body| expression(errors, body))
}

/// `eps: f64 = 1e-6`
fn argument(errors: &mut Errors, tokens: TokenStream) -> bool {
    let tokens = flat(tokens);
    let found = split(&tokens, ',').find_map(|argument| {
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
    let tokens = flat(tokens);
    tokens.iter().enumerate().any(|(place, token)| match token {
        TokenTree::Punct(sign) if sign.as_char() == '@' => {
            errors.at(
                sign.span(),
                "no operator `@`: a product of matrices is a sum over their shared dim, `sum(x * y, k)`",
            );
            true
        }
        TokenTree::Ident(name)
            if name == "where" && group(tokens.get(place + 1), Delimiter::Parenthesis).is_some() =>
        {
            errors.at(name.span(), "`where` is a word of Rust: write `select(cond, a, b)`");
            true
        }
        TokenTree::Group(group) => expression(errors, group.stream()),
        TokenTree::Punct(_) | TokenTree::Ident(_) | TokenTree::Literal(_) => false,
    })
}
