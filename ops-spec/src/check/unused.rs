//! Checks that every argument and `let` is used: by name, or for the size of a dim.

use crate::ast::{self, ArgType, Item};
use crate::diag::Errors;
use crate::ir::{DimKind, DimSet, Graph, Size};
use crate::lower::Lowered;
use syn::ext::IdentExt;

pub(super) fn check(errors: &mut Errors, item: &Item, lowered: &Lowered) {
    for (name, used) in item.let_names().zip(&lowered.used.lets) {
        if !used {
            let (name, span) = (name.unraw(), name.span());
            errors.at(span, format!("`{name}` is not used: use it or remove it"));
        }
    }
    for (index, arg) in item.args.iter().enumerate() {
        if !is_used(lowered, item, index, arg) {
            let name = arg.name.unraw();
            errors.at(
                arg.name.span(),
                format!("argument `{name}` is not used: use it in the formula or remove it"),
            );
        }
    }
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
            ArgType::Scalar(_) => is_kind(DimKind::Sized(index)) || is_in_a_size(graph, index),
            ArgType::Axis | ArgType::Axes => {
                used.dims.iter().any(|d| graph.dim(d).kind == DimKind::Axis(index))
            }
            ArgType::Error => true,
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
