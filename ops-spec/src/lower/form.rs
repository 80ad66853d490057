//! What is left of the forms that speak of choices, once a formula was chosen; and the axes of a result that
//! its formula has reduced.

use super::scope::Scope;
use super::{Lower, Term};
use crate::ast::{Form, TensorType};
use crate::ir::{Axis, DimSet, Graph, NodeId, Op};
use proc_macro2::Span;
use quote::ToTokens;
use syn::ext::IdentExt;

impl Lower<'_> {
    pub(super) fn form(&mut self, scope: &Scope, form: &Form, span: Span) -> Term {
        match form {
            Form::Block(lets, value) => {
                let mut inner = scope.clone();
                self.lets(&mut inner, lets);
                self.expr(&inner, value)
            }
            Form::Instead(name, kind, value) => {
                let term = self.expr(scope, value);
                let what = format!("what stands for `{}`", name.unraw());
                self.coerce(term, *kind, &what, value).map_or(Term::Error, Term::Node)
            }
            Form::Absent => self.report(
                span,
                "`None` is for an optional argument of an op, as in `self::linear(x, w, None)`: here is a value, such as `0.0`",
            ),
            Form::Variant(path) => {
                let path = path.to_token_stream().to_string().replace(' ', "");
                let message = format!(
                    "`{path}` is for an argument that chooses a formula: write `match` over an argument, or pass it to an op"
                );
                self.report(span, message)
            }
            // Reported before a formula was chosen.
            Form::If(_) | Form::Match(..) | Form::UnwrapOr(_) | Form::IsSome(_) => Term::Error,
        }
    }
}

/// The axes of a result without those that the formula has reduced, if the result may lack any.
pub(super) fn kept_axes(graph: &Graph, ty: &TensorType, axes: Vec<Axis>, value: NodeId) -> Vec<Axis> {
    if !ty.may_lack {
        return axes;
    }
    let (has, reduced) = (graph.node(value).dims, reduced(graph, value));
    let is_kept = |axis: &Axis| {
        let dims = graph.axes_dims(std::slice::from_ref(axis));
        !dims.intersection(has).is_empty() || !dims.is_subset(reduced)
    };
    axes.into_iter().filter(is_kept).collect()
}

/// The dims over which a value is reduced on its way.
fn reduced(graph: &Graph, value: NodeId) -> DimSet {
    let mut needed = vec![false; graph.nodes.len()];
    needed[value.0 as usize] = true;
    let mut reduced = DimSet::EMPTY;
    for id in graph.ids().rev().filter(|id| id.0 <= value.0) {
        if !needed[id.0 as usize] {
            continue;
        }
        let node = graph.node(id);
        if let Op::Reduce(_, dims, _) = &node.op {
            reduced = reduced.union(*dims);
        }
        node.operands().iter().for_each(|operand| needed[operand.0 as usize] = true);
    }
    reduced
}
