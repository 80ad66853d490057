//! The tokens of a formula as Rust of the same meaning for an editor. What differs from Rust is rewritten:
//!
//! | in a formula | for an editor | because |
//! |---|---|---|
//! | `exp(x)` | `functions::exp(x)` | a `let` may have the name of a function |
//! | `at(x, n = ids, or = 0.0)` | `at(x, ((n, ids), (constants::or, 0.0),))` | Rust has no arguments by name, and no functions of any number of them |
//! | `2.0` | `number(2.0)` | a number adapts to the kind that it meets |
//! | `a && b` | `(a) & (b)` | Rust's `&&` takes no other types than `bool` |
//! | `if a { x } else { y }` | `if condition(a) { x } else { y }` | the condition is a value too |
//! | `iota(m = n)` | `let m = dim();` before the statement, and `iota({ n; m })` | the formula names the dim first here |
//! | `self::f(x, n = d)` | `{ use self::f as _; x; d; value() }` | the function takes tensors, and returns a `Result` |

use super::{choice, made};
use crate::tokens::{flat, group, is_assignment, is_double, is_punct, is_word, split, split_double};
use proc_macro2::{Delimiter, Group, Ident, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use std::collections::BTreeSet;

/// The `let`s of a body, and its last expression. `bound` are the names that are known before it; `None` if
/// these are statements inside of another one, which binds the dims that they make.
pub(super) fn statements(
    writer: Writer,
    body: TokenStream,
    mut bound: Option<&mut BTreeSet<String>>,
) -> (Vec<TokenStream>, TokenStream) {
    let tokens = flat(body);
    // A statement ends at its `;`. An unfinished statement ends where the next one starts.
    let mut parts: Vec<&[TokenTree]> = Vec::new();
    for part in tokens.split(|token| is_punct(token, ';')) {
        let mut start = 0;
        for at in (1..part.len()).filter(|at| is_word(&part[*at], "let")) {
            parts.push(&part[start..at]);
            start = at;
        }
        parts.push(&part[start..]);
    }
    let last = parts.pop_if(|part| !part.first().is_some_and(|token| is_word(token, "let")));
    let mut lets = Vec::new();
    let mut made = |part| bound.as_deref_mut().map(|bound| made::bindings(part, bound)).unwrap_or_default();
    for part in parts.into_iter().filter(|part| !part.is_empty()) {
        lets.extend([made(part), writer.statement(part)]);
    }
    lets.extend(last.map(&mut made));
    (lets, last.map(|last| writer.expression(last)).unwrap_or_default())
}

/// Rewrites expressions.
#[derive(Clone, Copy, Default)]
pub(super) struct Writer {
    /// Number of groups around the tokens.
    pub(super) depth: usize,
    /// Whether the tokens are arguments of `cast`, whose second argument is a kind.
    pub(super) in_cast: bool,
}

/// Functions with arguments that may be left out: how many must be given, and how many there are.
const OPTIONAL: [(&str, [usize; 2]); 17] = [
    ("var", [2, 3]),
    ("std", [2, 3]),
    ("clamp", [1, 3]),
    ("cumsum", [2, 3]),
    ("cumprod", [2, 3]),
    ("cummax", [2, 3]),
    ("cummin", [2, 3]),
    ("linear_recurrence", [3, 4]),
    ("sort", [2, 3]),
    ("argsort", [2, 3]),
    ("searchsorted", [3, 4]),
    ("uniform", [2, 3]),
    ("normal", [2, 3]),
    ("exponential", [2, 3]),
    ("gumbel", [2, 3]),
    ("bernoulli", [3, 4]),
    ("dropout", [3, 5]),
];

/// Words that stand before a `=` and are no dims.
const SETTINGS: [&str; 8] = ["or", "reverse", "exclusive", "init", "stream", "descending", "first", "right"];

/// The arguments, with `()` in the place of those that were left out after so many.
fn with_option(args: &Group, [required, all]: [usize; 2], is_method: bool) -> Group {
    let mut args = args.stream();
    let tokens = flat(args.clone());
    let given = split(&tokens, ',').count() + usize::from(is_method);
    if (required..all).contains(&given) {
        let comma = tokens.last().is_some_and(|token| !is_punct(token, ',')).then(|| quote!(,));
        let missing = std::iter::repeat_n(quote!(()), all - given);
        args.extend(quote!(#comma #(#missing),*));
    }
    Group::new(Delimiter::Parenthesis, args)
}

/// The deepest groups that are rewritten. Formulas are never nested that deep; deeper groups are left
/// unchanged.
pub(super) const DEEPEST: usize = 128;

impl Writer {
    /// `let y = x;`, `let (a, b) = call;` or a single expression.
    fn statement(self, tokens: &[TokenTree]) -> TokenStream {
        let Some(sign) = (0..tokens.len()).find(|at| is_assignment(&tokens[*at..])) else {
            let expression = self.expression(tokens);
            return quote!(#expression;);
        };
        let (names, value) = (&tokens[..sign], self.expression(&tokens[sign + 1..]));
        let (names, sign) = (names.iter().cloned().collect::<TokenStream>(), &tokens[sign]);
        let several = names.clone().into_iter().find_map(|t| group(Some(&t), Delimiter::Parenthesis));
        let Some(several) = several else { return quote!(#names #sign #value;) };
        let count = split(&flat(several), ',').count();
        let each = std::iter::repeat_n(quote!(results), count);
        quote!(#names #sign { let results = #value; (#(#each,)*) };)
    }

    /// An expression.
    pub(super) fn expression(self, tokens: &[TokenTree]) -> TokenStream {
        if let Some(tokens) = choice::rewritten(self, tokens) {
            return self.expression(&tokens);
        }
        let all = |tokens: &[TokenTree]| self.joined(tokens, '&', |operands| self.operands(operands));
        self.joined(tokens, '|', all)
    }

    /// The operands between signs such as `&&`, put in parentheses, with a single sign between them.
    fn joined(
        self,
        tokens: &[TokenTree],
        sign: char,
        write: impl Fn(&[TokenTree]) -> TokenStream,
    ) -> TokenStream {
        let mut parts = split_double(tokens, sign).into_iter();
        let first = parts.next().map(|(_, part)| write(part)).unwrap_or_default();
        let mut parts = parts.peekable();
        if parts.peek().is_none() {
            return first;
        }
        let rest = parts.map(|(sign, part)| {
            let part = write(part);
            quote!(#sign (#part))
        });
        quote!((#first) #(#rest)*)
    }

    fn operands(self, tokens: &[TokenTree]) -> TokenStream {
        let mut written = TokenStream::new();
        let mut rest = tokens;
        let mut after_dot = false;
        while let Some(token) = rest.first() {
            let path = path_len(rest);
            let taken = match token {
                _ if path > 1 && !after_dot => self.op_call(rest, path, &mut written),
                TokenTree::Ident(name) if !after_dot => self.name(name, &rest[1..], &mut written),
                TokenTree::Ident(name) => {
                    name.to_tokens(&mut written);
                    1 + self.arguments_of(name, rest.get(1), true, &mut written)
                }
                TokenTree::Literal(number) if !after_dot => {
                    written.extend(quote!(__editor::number(#number)));
                    1
                }
                // A form that was rewritten before; groups without delimiters of the user were opened.
                TokenTree::Group(form) if form.delimiter() == Delimiter::None => {
                    written.extend(form.stream());
                    1
                }
                TokenTree::Group(group) => {
                    self.group(group, Writer { in_cast: false, ..self }).to_tokens(&mut written);
                    1
                }
                TokenTree::Literal(_) | TokenTree::Punct(_) => {
                    token.to_tokens(&mut written);
                    1
                }
            };
            // A range is not a method call.
            after_dot = is_punct(token, '.') && !after_dot;
            rest = &rest[taken..];
        }
        written
    }

    /// A name, or a call of a function. Returns the number of its tokens.
    fn name(self, name: &Ident, rest: &[TokenTree], written: &mut TokenStream) -> usize {
        let is_kind = self.in_cast && ["float", "int", "bool"].iter().any(|kind| name == kind);
        if group(rest.first(), Delimiter::Parenthesis).is_some() {
            written.extend(quote!(__editor::functions::));
        } else if is_kind {
            written.extend(quote!(__editor::constants::));
        }
        name.to_tokens(written);
        1 + self.arguments_of(name, rest.first(), false, written)
    }

    /// The arguments of a call, if there are any. Returns the number of their tokens.
    fn arguments_of(
        self,
        name: &Ident,
        token: Option<&TokenTree>,
        is_method: bool,
        written: &mut TokenStream,
    ) -> usize {
        let inside = Writer { depth: self.depth + 1, in_cast: false };
        if self.depth < DEEPEST
            && let Some(argument) = made::argument(inside, name, token)
        {
            written.extend(argument);
            return 1;
        }
        match token {
            Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Parenthesis => {
                let inside = Writer { in_cast: name == "cast", ..self };
                let group = self.group(group, inside);
                match OPTIONAL.iter().find(|(function, _)| name == function) {
                    Some((_, counts)) => with_option(&group, *counts, is_method).to_tokens(written),
                    None => group.to_tokens(written),
                }
                1
            }
            _ => 0,
        }
    }

    /// A group with rewritten contents and its own span.
    fn group(self, group: &Group, inside: Writer) -> Group {
        if self.depth >= DEEPEST {
            return group.clone();
        }
        let inside = Writer { depth: self.depth + 1, ..inside };
        let tokens = flat(group.stream());
        let parts: Vec<&[TokenTree]> = tokens.split(|token| is_punct(token, ',')).collect();
        let is_pair = |part: &&[TokenTree]| part.len() > 1 && is_assignment(&part[1..]);
        let plain = parts.iter().position(is_pair).unwrap_or(parts.len());
        let mut written = TokenStream::new();
        for (index, part) in parts[..plain].iter().enumerate() {
            if index > 0 {
                written.extend(quote!(,));
            }
            written.extend(inside.argument(part));
        }
        if plain < parts.len() {
            let comma = (plain > 0).then(|| quote!(,));
            let pairs = parts[plain..].iter().filter(|part| !part.is_empty());
            let pairs = pairs.map(|part| inside.argument(part));
            written.extend(quote!(#comma (#(#pairs,)*)));
        }
        let mut rewritten = Group::new(group.delimiter(), written);
        rewritten.set_span(group.span());
        rewritten
    }

    /// `x`, or `n = ids` as a pair.
    fn argument(self, tokens: &[TokenTree]) -> TokenStream {
        match tokens {
            [dim, rest @ ..] if is_assignment(rest) => {
                let value = self.expression(&rest[1..]);
                let is_setting = SETTINGS.iter().any(|word| is_word(dim, word));
                let of = is_setting.then(|| quote!(__editor::constants::));
                quote!((#of #dim, #value))
            }
            _ => self.expression(tokens),
        }
    }

    /// `self::f(x, n = d)`. Returns the number of its tokens.
    fn op_call(self, tokens: &[TokenTree], path: usize, written: &mut TokenStream) -> usize {
        let name = tokens[..path].iter().cloned().collect::<TokenStream>();
        let args = group(tokens.get(path), Delimiter::Parenthesis).filter(|_| self.depth < DEEPEST);
        let taken = path + usize::from(args.is_some());
        let inside = Writer { depth: self.depth + 1, in_cast: false };
        let args = args.map(flat).unwrap_or_default();
        // The dim on the left of `n = d` is a dim of the op.
        let arg = |tokens: &[TokenTree]| match tokens {
            [_, rest @ ..] if is_assignment(rest) => inside.expression(&rest[1..]),
            // A variant of an enum.
            [.., TokenTree::Ident(_)] if path_len(tokens) == tokens.len() => tokens.iter().cloned().collect(),
            _ => inside.expression(tokens),
        };
        let args = split(&args, ',').map(arg);
        written.extend(quote!(({ use #name as _; #(#args;)* __editor::value() })));
        taken
    }
}

/// The number of tokens in a path of several words, such as `self::f` or `::ops::f`. An unfinished path may
/// end with `::`.
fn path_len(tokens: &[TokenTree]) -> usize {
    let mut at = if is_double(tokens, ':') { 2 } else { 0 };
    let mut is_path = at > 0;
    while matches!(tokens.get(at), Some(TokenTree::Ident(_))) {
        at += 1;
        if !is_double(&tokens[at..], ':') {
            break;
        }
        at += 2;
        is_path = true;
    }
    if is_path { at } else { 0 }
}
