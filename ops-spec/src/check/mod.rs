//! Checks a lowered declaration: results are as declared, rules have the right dims, and nothing is
//! unused.
//!
//! The checks run on a graph without mistakes. Each check records its own mistakes.

mod by_hand;
mod detached;
pub(crate) mod kept;
mod reserved;
mod results;
mod rules;
pub(crate) mod unused;

#[cfg(test)]
mod tests;

use crate::ast::Item;
use crate::diag::Errors;
use crate::lower::Lowered;

/// Runs the checks of one formula.
pub(crate) fn declaration(errors: &mut Errors, item: &Item, lowered: &Lowered) {
    reserved::check(errors, item);
    results::check(errors, item, lowered);
    rules::check(errors, item, lowered);
    detached::check(errors, lowered);
}

/// Runs the checks of all formulas of an op together: what one of them uses is used. `written` is the
/// declaration of which they were chosen.
pub(crate) fn of_all(errors: &mut Errors, written: &Item, formulas: Vec<(&Item, &Lowered)>) {
    by_hand::check(errors, written, &formulas);
    results::axes(errors, written, &formulas);
    unused::check(errors, &formulas);
    kept::check(errors, &formulas);
}
