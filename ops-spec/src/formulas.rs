//! The named formulas. They are written in the language itself, in `formulas.ops`. A formula is parsed when a
//! declaration first calls it.

use crate::ast::Item;
use crate::diag::Errors;
use crate::parse;
use proc_macro2::TokenStream;
use std::sync::LazyLock;

/// Functions separated by empty lines, with comments above them.
const SOURCE: &str = include_str!("formulas.ops");

/// Each formula's name and text.
static ALL: LazyLock<Vec<(&str, &str)>> = LazyLock::new(|| {
    let named = |text: &'static str| {
        let line = text.lines().find_map(|line| line.strip_prefix("fn "))?;
        Some((line.split('(').next()?, text))
    };
    SOURCE.split("\n\n").filter_map(named).collect()
});

/// Names of all formulas.
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    ALL.iter().map(|(name, _)| *name)
}

/// The formula's name, if a formula of this name exists.
pub(crate) fn name(name: &str) -> Option<&'static str> {
    names().find(|known| *known == name)
}

/// Parses the declaration of a formula.
pub(crate) fn parse(errors: &mut Errors, name: &str) -> Option<Item> {
    let (_, text) = ALL.iter().find(|(known, _)| *known == name)?;
    let tokens: TokenStream = text.parse().ok()?;
    parse::item(errors, TokenStream::new(), tokens)
}
