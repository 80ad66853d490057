//! Limits the nesting of a declaration. Every phase, syn and rustc process an expression recursively, and
//! their stack is finite.

use crate::diag::Errors;
use proc_macro2::{Span, TokenStream, TokenTree};

/// The most operators that may be nested in each other.
const MOST_LEVELS: usize = 1024;
/// How much more stack a bracket takes than an operator. Without optimisation it is about ten kilobytes.
const LEVELS_OF_A_BRACKET: usize = 4;

/// Reports the token at which the nesting becomes too deep, if there is one. Returns whether the tokens may
/// be parsed.
pub(crate) fn is_shallow(errors: &mut Errors, tokens: &TokenStream) -> bool {
    let found = too_deep(tokens.clone(), 0);
    if let Some(span) = found {
        let message = format!(
            "more than {} brackets or {MOST_LEVELS} operators inside of each other: give a part a name, `let y = ..;`",
            MOST_LEVELS / LEVELS_OF_A_BRACKET
        );
        errors.at(span, message);
    }
    found.is_none()
}

/// The token at which `tokens`, which are at this level, nest too deep. Operators of one expression count as
/// nested, because `a + b + c` is `(a + b) + c`.
fn too_deep(tokens: TokenStream, level: usize) -> Option<Span> {
    let mut here = level;
    for token in tokens {
        let span = token.span();
        match token {
            TokenTree::Group(group) => {
                if let Some(span) = too_deep(group.stream(), here + LEVELS_OF_A_BRACKET) {
                    return Some(span);
                }
            }
            TokenTree::Punct(punct) => match punct.as_char() {
                ',' | ';' => here = level,
                ':' | '#' => {}
                // There are no expressions outside of brackets.
                other if level == 0 && other != '<' => {}
                _ => here += 1,
            },
            TokenTree::Ident(word) => {
                here += usize::from(["else", "return", "break"].iter().any(|known| word == known));
            }
            TokenTree::Literal(_) => {}
        }
        if here > MOST_LEVELS {
            return Some(span);
        }
    }
    None
}
