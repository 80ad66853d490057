//! Kernels that are written by hand replace kernels that there are.

use crate::ast::Item;
use crate::diag::Errors;
use crate::grad;
use crate::lower::Lowered;

/// Checks that there is a gradient, if a kernel is for it, and a kernel that saves, if it is said to.
pub(super) fn check(errors: &mut Errors, written: &Item, formulas: &[(&Item, &Lowered)]) {
    if let Some(span) = written.kernels.saves
        && written.kernels.list.iter().all(|kernel| kernel.is_backward)
    {
        errors.at(span, "`saves` is about kernels of the op itself, and there is none: remove it");
    }
    if formulas.iter().any(|(item, lowered)| !item.no_grad && grad::is_differentiable(&lowered.graph)) {
        return;
    }
    for kernel in written.kernels.list.iter().filter(|kernel| kernel.is_backward) {
        errors.at(kernel.span, "the op has no gradient that a kernel could compute: remove this one");
    }
}
