//! Checks a lowered declaration: results are as declared, rules have the right dims, and nothing is
//! unused.
//!
//! The checks run on a graph without mistakes. Each check records its own mistakes.

mod detached;
pub(crate) mod kept;
mod reserved;
mod results;
mod rules;
mod unused;

#[cfg(test)]
mod tests;

use crate::ast::Item;
use crate::diag::Errors;
use crate::lower::Lowered;

/// Runs all checks.
pub(crate) fn declaration(errors: &mut Errors, item: &Item, lowered: &Lowered) {
    reserved::check(errors, item);
    results::check(errors, item, lowered);
    rules::check(errors, item, lowered);
    unused::check(errors, item, lowered);
    detached::check(errors, lowered);
    kept::check(errors, item, lowered);
}
