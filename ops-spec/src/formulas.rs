//! The named formulas. They are written in the language itself, in `formulas.ops`. A formula is parsed when a
//! declaration first calls it.

use crate::ast::Item;
use crate::diag::Errors;
use crate::ir::Kind;
use crate::parse;
use proc_macro2::TokenStream;
use std::sync::LazyLock;

/// Functions separated by empty lines, with comments above them.
const SOURCE: &str = include_str!("formulas.ops");

/// The last arguments of a formula that draws random numbers. A call has dims in their place.
pub(crate) const OF_DRAWS: [&str; 2] = ["stream", "position"];

/// A formula. Two may share a name: one of floats, and one of ints.
struct Formula {
    name: &'static str,
    kind: Kind,
    text: &'static str,
}

static ALL: LazyLock<Vec<Formula>> = LazyLock::new(|| {
    let formula = |text: &'static str| {
        let line = text.lines().find_map(|line| line.strip_prefix("fn "))?;
        let kind = if line.contains(": IntTensor") { Kind::Int } else { Kind::Float };
        Some(Formula { name: line.split('(').next()?, kind, text })
    };
    SOURCE.split("\n\n").filter_map(formula).collect()
});

/// Name and kind of each formula.
#[cfg(test)]
pub(crate) fn all() -> impl Iterator<Item = (&'static str, Kind)> {
    ALL.iter().map(|formula| (formula.name, formula.kind))
}

/// Names of all formulas.
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    let is_first = |at: &usize| ALL[..*at].iter().all(|before| before.name != ALL[*at].name);
    (0..ALL.len()).filter(is_first).map(|at| ALL[at].name)
}

/// The formula's name, if a formula of this name exists.
pub(crate) fn name(name: &str) -> Option<&'static str> {
    names().find(|known| *known == name)
}

/// The kinds of operands for which there is a formula of this name.
pub(crate) fn kinds(name: &str) -> Vec<Kind> {
    ALL.iter().filter(|formula| formula.name == name).map(|formula| formula.kind).collect()
}

/// Parses the declaration of a formula.
pub(crate) fn parse(errors: &mut Errors, name: &str, kind: Kind) -> Option<Item> {
    let formula = ALL.iter().find(|formula| formula.name == name && formula.kind == kind)?;
    let tokens: TokenStream = formula.text.parse().ok()?;
    parse::item(errors, TokenStream::new(), tokens)
}
