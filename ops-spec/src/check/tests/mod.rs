//! Declarations with one mistake: one message, at one token. How they look to a user is in `tests/ui` of the workspace.

mod formulas;
mod ops;
mod signatures;

use super::declaration;
use crate::diag::{Error, Errors};
use crate::inline::Callees;
use crate::testing::declared;
use crate::{lower, parse};
use proc_macro2::TokenStream;

/// The mistakes of a declaration.
fn mistakes(source: &str) -> Vec<Error> {
    mistakes_with(source, &[])
}

/// The mistakes of a declaration that may call these ops.
fn mistakes_with(source: &str, ops: &[&str]) -> Vec<Error> {
    let mut errors = Errors::new();
    let tokens: TokenStream = source.parse().expect("tests are tokens");
    let item = parse::item(&mut errors, TokenStream::new(), tokens);
    if let Err(list) = errors.gate() {
        return list;
    }
    let item = item.expect("without mistakes there is a declaration");
    let lowered = lower::graph(&mut errors, &item, &callees(ops));
    if let Err(list) = errors.gate() {
        return list;
    }
    declaration(&mut errors, &item, &lowered);
    errors.gate().err().unwrap_or_default()
}

/// Graphs of declarations, as `self::` and their name.
fn callees(ops: &[&str]) -> Callees {
    let graph = |op: &&str| {
        let graph = declared(op);
        (format!("self::{}", graph.name), graph)
    };
    ops.iter().map(graph).collect()
}

/// A declaration on one line with one mistake, at the token after `«`.
#[track_caller]
fn check(marked: &str, message: &str) {
    let (before, after) = marked.split_once('«').expect("the token is marked");
    let found = mistakes(&format!("{before}{after}"));
    let found: Vec<_> = found.iter().map(|e| (e.place.start.start().column, e.message.as_str())).collect();
    assert_eq!(found, [(before.chars().count(), message)], "{marked}");
}

/// A declaration without mistakes.
#[track_caller]
fn fine(source: &str) {
    let found: Vec<String> = mistakes(source).into_iter().map(|e| e.message).collect();
    assert!(found.is_empty(), "{source}: {found:?}");
}
