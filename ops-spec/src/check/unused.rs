//! Checks that every argument and `let` is used: by name, or for the size of a dim. An op of several formulas
//! uses what one of them uses.

use crate::ast::{self, ArgType, Item};
use crate::diag::{Errors, place};
use crate::ir::{DimKind, DimSet, Graph, Size};
use crate::lower::Lowered;
use proc_macro2::Ident;
use syn::ext::IdentExt;

/// Reports the names that no formula uses.
pub(super) fn check<'a>(errors: &mut Errors, formulas: &[(&'a Item, &'a Lowered)]) {
    let mut names: Vec<Name<'a>> = Vec::new();
    for (item, lowered) in formulas {
        let lets = lowered.used.lets.iter().map(|(name, used)| Name { name, is_arg: false, used: *used });
        let args = item.args.iter().enumerate().map(|(index, arg)| Name {
            name: &arg.name,
            is_arg: true,
            used: is_used(lowered, item, index, arg),
        });
        for new in lets.chain(args) {
            let is_it = |known: &&mut Name<'_>| {
                known.name == new.name && place(known.name.span()) == place(new.name.span())
            };
            match names.iter_mut().find(is_it) {
                Some(known) => known.used |= new.used,
                None => names.push(new),
            }
        }
    }
    for Name { name, is_arg, .. } in names.iter().filter(|name| !name.used) {
        let (text, span) = (name.unraw(), name.span());
        if *is_arg {
            errors.at(span, format!("argument `{text}` is not used: use it in the formula or remove it"));
        } else {
            errors.at(span, format!("`{text}` is not used: use it or remove it"));
        }
    }
}

/// A name of an argument or of a `let`.
struct Name<'a> {
    name: &'a Ident,
    is_arg: bool,
    used: bool,
}

/// The declaration without the arguments that its formula does not use. One tensor is left in any case, which
/// gives the op its device.
pub(crate) fn without_unused(item: &Item, lowered: &Lowered) -> Item {
    let mut item = item.clone();
    let mut used: Vec<bool> =
        item.args.iter().enumerate().map(|(index, arg)| is_used(lowered, &item, index, arg)).collect();
    let is_tensor = |index: &usize| matches!(item.args[*index].ty, ArgType::Tensor(_));
    let tensors: Vec<usize> = (0..used.len()).filter(is_tensor).collect();
    if let (Some(first), true) = (tensors.first(), tensors.iter().all(|index| !used[*index])) {
        used[*first] = true;
    }
    let dropped: Vec<Ident> =
        item.args.iter().zip(&used).filter(|(_, used)| !**used).map(|(arg, _)| arg.name.clone()).collect();
    item.args.retain(|arg| !dropped.contains(&arg.name));
    item.rules.retain(|rule| !dropped.contains(&rule.input));
    item
}

fn is_used(lowered: &Lowered, item: &Item, index: usize, arg: &ast::Arg) -> bool {
    let (graph, used) = (&lowered.graph, &lowered.used);
    let is_kind = |kind: DimKind| graph.dims.iter().any(|d| d.kind == kind);
    used.args[index]
        || match &arg.ty {
            ArgType::Tensor(_) => {
                let others = (0..item.args.len()).filter(|i| *i != index && used.args[*i]);
                let bound = others.fold(DimSet::EMPTY, |set, i| set.union(dims(graph, i)));
                !dims(graph, index).intersection(used.dims).difference(bound).is_empty()
            }
            ArgType::Scalar(_) | ArgType::Number => {
                is_kind(DimKind::Sized(index)) || is_in_a_size(graph, index)
            }
            ArgType::Axis | ArgType::Axes => {
                used.dims.iter().any(|d| graph.dim(d).kind == DimKind::Axis(index))
            }
            ArgType::Optional(_) | ArgType::Enum(_) | ArgType::Error => true,
        }
}

/// Whether an argument is part of an expression for the size of a dim.
fn is_in_a_size(graph: &Graph, arg: usize) -> bool {
    graph.computed_sizes().flat_map(Size::args).any(|own| own == arg)
}

fn dims(graph: &Graph, arg: usize) -> DimSet {
    use crate::ir::ArgType;
    match &graph.args[arg].ty {
        ArgType::Tensor { axes, .. } | ArgType::Shape { axes } => graph.axes_dims(axes),
        ArgType::Scalar { .. } | ArgType::Axis { .. } => DimSet::EMPTY,
    }
}
