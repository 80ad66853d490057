//! Checks that each result has the declared kind and the declared dims. The order of the dims doesn't matter.

use crate::ast::{Axis, Expr, Item, TensorType};
use crate::diag::Errors;
use crate::ir::{DimKind, DimSet, NodeId, Output};
use crate::lower::{Lowered, dims_text};
use syn::ext::IdentExt;

pub(super) fn check(errors: &mut Errors, item: &Item, lowered: &Lowered) {
    let results = lowered.graph.outputs.iter().zip(&lowered.values).zip(&item.results).zip(&item.tail);
    for (((output, value), ty), tail) in results {
        kind(errors, lowered, *value, ty, tail);
        dims(errors, lowered, output, *value, ty);
    }
}

/// Reports an axis of a result that no formula of the op gives.
pub(super) fn axes(errors: &mut Errors, written: &Item, formulas: &[(&Item, &Lowered)]) {
    for (place, ty) in written.results.iter().enumerate() {
        for (name, span) in ty.axes.iter().filter_map(first_dim) {
            let gives = |(_, lowered): &(&Item, &Lowered)| {
                let (graph, output) = (&lowered.graph, &lowered.graph.outputs[place]);
                graph.axes_dims(&output.axes).iter().any(|dim| graph.dim(dim).name == name)
            };
            if !formulas.iter().any(gives) {
                errors
                    .at(span, format!("no formula of this op gives dim `{name}`: remove it from the result"));
            }
        }
    }
}

/// The name of an axis, or of its first part.
fn first_dim(axis: &Axis) -> Option<(String, proc_macro2::Span)> {
    match axis {
        Axis::Group(span) => Some(("..".to_string(), *span)),
        Axis::Dim(dim) => Some((dim.name.unraw().to_string(), dim.name.span())),
        Axis::Parts(parts) => parts.first().map(|dim| (dim.name.unraw().to_string(), dim.name.span())),
    }
}

fn kind(errors: &mut Errors, lowered: &Lowered, value: NodeId, ty: &TensorType, tail: &Expr) {
    let found = lowered.graph.node(value).kind;
    if found == ty.kind {
        return;
    }
    let declare = found.tensor();
    let message = format!(
        "the result is declared {} and this is {found}: write `cast(e, {})` or declare `{declare}`",
        ty.kind, ty.kind
    );
    errors.at(tail.span, message);
}

fn dims(errors: &mut Errors, lowered: &Lowered, output: &Output, value: NodeId, ty: &TensorType) {
    let graph = &lowered.graph;
    let declared = graph.axes_dims(&output.axes);
    let has = graph.node(value).dims;
    // A plain result may have been reduced over an `Axis`.
    let optional = if ty.has_group() { graph.axis_dims() } else { DimSet::EMPTY };
    let missing = declared.difference(has).difference(optional);
    let left = has.difference(declared);
    let message = match (missing.is_empty(), left.is_empty()) {
        (true, true) => return,
        (false, true) => format!(
            "the formula gives no {}: it has {}; remove it from the result",
            dims_text(graph, missing),
            dims_text(graph, has)
        ),
        (true, false) => format!(
            "the formula also has {}: reduce it, as in `sum(e, {})`, or declare it in the result",
            dims_text(graph, left),
            names(lowered, left)
        ),
        (false, false) => {
            format!("the formula gives {} and no {}", dims_text(graph, has), dims_text(graph, missing))
        }
    };
    errors.at(span_of(lowered, ty, missing), message);
}

/// The span of a dim of the set in the type. If the type names none of them, the span of the type itself.
fn span_of(lowered: &Lowered, ty: &TensorType, dims: DimSet) -> proc_macro2::Span {
    let graph = &lowered.graph;
    let named = ty.dims().find(|dim| dims.iter().any(|d| dim.name.unraw() == graph.dim(d).name.as_str()));
    let group = ty.axes.iter().find_map(|axis| match axis {
        Axis::Group(span) => Some(*span),
        Axis::Dim(_) | Axis::Parts(_) => None,
    });
    let in_group = dims.iter().any(|d| graph.dim(d).kind == DimKind::Group);
    match named {
        Some(dim) => dim.name.span(),
        None => group.filter(|_| in_group).unwrap_or(ty.span),
    }
}

/// The dims in the form that a reduction takes them.
fn names(lowered: &Lowered, dims: DimSet) -> String {
    let list: Vec<&str> = dims.iter().map(|d| lowered.graph.dim(d).name.as_str()).collect();
    if list.len() == 1 { list[0].to_string() } else { format!("({})", list.join(", ")) }
}
