//! Checks that a given gradient varies only over dims of its input.

use crate::ast::Item;
use crate::diag::Errors;
use crate::ir::{ArgType, DimSet};
use crate::lower::{Lowered, dims_text};
use syn::ext::IdentExt;

pub(super) fn check(errors: &mut Errors, item: &Item, lowered: &Lowered) {
    let graph = &lowered.graph;
    for rule in &lowered.rules {
        let dims = match &graph.args[rule.arg].ty {
            ArgType::Tensor { axes, .. } | ArgType::Shape { axes } => graph.axes_dims(axes),
            ArgType::Scalar { .. } | ArgType::Axis { .. } => DimSet::EMPTY,
        };
        let extra = rule.dims.difference(dims);
        if extra.is_empty() {
            continue;
        }
        let name = item.args[rule.arg].name.unraw();
        let list: Vec<&str> = extra.iter().map(|d| graph.dim(d).name.as_str()).collect();
        let sum = if list.len() == 1 { list[0].to_string() } else { format!("({})", list.join(", ")) };
        let message = format!(
            "the gradient of `{name}` has {}, which `{name}` lacks: sum it, as in `sum(e, {sum})`",
            dims_text(graph, extra)
        );
        errors.at(rule.span, message);
    }
}
