//! Checks what an op keeps for its gradient: the `let`s in `#[save(..)]` must exist, have values of their
//! own, and be needed.

use crate::ast::{Item, Keep};
use crate::diag::Errors;
use crate::grad::{self, Pair};
use crate::ir::{NodeId, Role};
use crate::lower::Lowered;
use proc_macro2::Ident;
use syn::ext::IdentExt;

/// Refuses attributes about kept values that have no effect in any formula of the op.
pub(super) fn check(errors: &mut Errors, formulas: &[(&Item, &Lowered)]) {
    let Some((item, _)) = formulas.first() else { return };
    let span = match &item.keep {
        Keep::Cheapest => return,
        Keep::Nothing(span) => *span,
        Keep::Lets(names) => {
            let Some(first) = names.first() else { return };
            first.span()
        }
    };
    if formulas.iter().all(|(_, lowered)| !grad::is_differentiable(&lowered.graph)) {
        errors.at(span, "no input has a gradient, so that nothing is kept: remove the attribute");
        return;
    }
    let Keep::Lets(names) = &item.keep else { return };
    if item.has_bare_kernel() {
        errors.at(span, "a hand-written kernel gives declared results only: remove `#[save(..)]`, or let the kernel give what is saved too and write `#[kernel(.., saves)]`");
        return;
    }
    for name in (0..names.len()).filter(|at| names[..*at].contains(&names[*at])).map(|at| &names[at]) {
        errors.at(name.span(), format!("`{}` is saved already: name it once", name.unraw()));
    }
    let is_nowhere = |name: &&Ident| formulas.iter().all(|(_, lowered)| value(lowered, name).is_none());
    for name in names.iter().filter(is_nowhere) {
        let text = name.unraw();
        errors.at(
            name.span(),
            if formulas.iter().any(|(item, _)| item.let_names().any(|known| known == name)) {
                format!("`{text}` is no value of its own, but an argument, a constant or another `let`")
            } else {
                format!("no `let` is named `{text}`: `#[save(..)]` takes the formula's own")
            },
        );
    }
}

/// What the gradient may take. A hand-written kernel computes declared results only, if it does not say more.
pub(crate) fn keep(item: &Item, lowered: &Lowered) -> grad::Keep {
    match &item.keep {
        Keep::Cheapest if item.has_bare_kernel() => grad::Keep::Results,
        Keep::Cheapest => grad::Keep::Cheapest,
        Keep::Nothing(_) => grad::Keep::Inputs,
        Keep::Lets(names) => {
            grad::Keep::Values(names.iter().filter_map(|name| value(lowered, name)).collect())
        }
    }
}

/// The node that a `let` names.
pub(crate) fn value(lowered: &Lowered, name: &Ident) -> Option<NodeId> {
    let text = name.unraw().to_string();
    lowered.graph.ids().find(|id| lowered.graph.node(*id).name.as_ref() == Some(&text))
}

/// Checks that the gradient takes all values that `#[save(..)]` names.
pub(crate) fn is_needed(errors: &mut Errors, item: &Item, pair: &Pair) {
    let Keep::Lets(names) = &item.keep else { return };
    for name in names {
        let text = name.unraw().to_string();
        let is_it = |index: usize| {
            let output = &pair.forward.outputs[index];
            output.hidden && pair.forward.node(output.node).name.as_ref() == Some(&text)
        };
        let is_taken = pair.backward.args.iter().any(|arg| match arg.role {
            Role::Output(index) => is_it(index),
            Role::Forward(_) | Role::Grad(_) | Role::Tangent(_) => false,
        });
        if !is_taken {
            errors
                .at(name.span(), format!("the gradient doesn't need `{text}`: remove it from `#[save(..)]`"));
        }
    }
}
