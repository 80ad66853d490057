//! Functions that take names of dims: reductions, `len`, `iota`.

use super::call::KEEPDIM;
use super::names::{dims_text, unknown_dim};
use super::scope::Scope;
use super::{Lower, Term};
use crate::ast::{Expr, ExprKind};
use crate::ir::{Builder, DimId, DimKind, DimSet, Kind, NodeId, Scalar};
use crate::prim::Fold;
use proc_macro2::{Ident, Span};
use syn::ext::IdentExt;

/// The dims that one word of a formula names.
pub(super) struct NamedDims {
    pub(super) set: DimSet,
    pub(super) span: Span,
}

impl Lower<'_> {
    /// `sum(x, n)`, `sum(x, (m, n))`.
    pub(super) fn reduce(&mut self, fold: Fold, scope: &Scope, name: &Ident, args: &[&Expr]) -> Term {
        let text = fold.name();
        let (value, dims) = match args {
            [value, dims] => (value, dims),
            [] | [_] => {
                let message = format!(
                    "`{text}` reduces over dims: write `{text}(x, n)` or `{text}(x, (m, n))`, and `{text}(x, ..)` for all of a plain `Tensor`"
                );
                return self.report(name.span(), message);
            }
            [_, _, third, ..] if matches!(third.kind, ExprKind::Literal(Scalar::Bool(_))) => {
                return self.report(third.span, KEEPDIM);
            }
            [_, _, third, ..] => {
                let message = format!("several dims stand in a tuple: `{text}(x, (m, n))`");
                return self.report(third.span, message);
            }
        };
        if self.is_swapped(scope, value, dims) {
            return self.report(value.span, format!("the value stands first: write `{text}(x, n)`"));
        }
        let term = self.expr(scope, value);
        if let Some(message) = pairwise(fold).filter(|_| self.is_value(scope, dims)) {
            return self.report(dims.span, message);
        }
        let dims = self.dims(scope, dims);
        let Some((id, dims)) = self.as_node(term).zip(dims) else { return Term::Error };
        let operand = self.builder.value(id);
        if !fold.accepts(operand.kind()) {
            let hint = match operand.kind() {
                Kind::Bool => "takes numbers, and this is bool: write `cast(e, int)`",
                Kind::Float | Kind::Int => "takes bool, and this is a number: compare it, such as `x > 0`",
            };
            return self.report(value.span, format!("`{text}` {hint}"));
        }
        match self.had(text, &dims, operand.dims()) {
            Some(set) => Term::Node(operand.reduce(fold, set).id),
            None => Term::Error,
        }
    }

    /// The dims as one set. Reports an error if the value lacks one of them.
    pub(super) fn had(&mut self, function: &str, dims: &[NamedDims], value: DimSet) -> Option<DimSet> {
        let lacking = dims.iter().find(|d| !d.set.is_subset(value));
        if let Some(dim) = lacking {
            let text = self.builder.read(|graph| {
                let (lacks, has) = (dims_text(graph, dim.set.difference(value)), dims_text(graph, value));
                let sized = single(dim.set).map(|dim| graph.dim(dim)).filter(|dim| match dim.kind {
                    DimKind::Sized(_) => true,
                    DimKind::Group | DimKind::Named | DimKind::Axis(_) => false,
                    DimKind::Fixed(_) | DimKind::Computed(_) => false,
                });
                // In an index the name of the argument is its value.
                let hint = sized.map(|dim| format!(": the index along it is `iota({})`", dim.name));
                format!("`{function}` needs {lacks}, and the value has {has}{}", hint.unwrap_or_default())
            });
            self.report(dim.span, text);
            return None;
        }
        Some(dims.iter().fold(DimSet::EMPTY, |set, dim| set.union(dim.set)))
    }

    /// A dim, `..`, or a tuple of them.
    pub(super) fn dims(&mut self, scope: &Scope, e: &Expr) -> Option<Vec<NamedDims>> {
        let parts = match &e.kind {
            ExprKind::Tuple(parts) => &parts[..],
            ExprKind::Error => return None,
            ExprKind::Name(_) | ExprKind::Group => std::slice::from_ref(e),
            ExprKind::Int(_)
            | ExprKind::Literal(_)
            | ExprKind::Operator(..)
            | ExprKind::Call(..)
            | ExprKind::OpCall(_)
            | ExprKind::Form(_) => {
                self.report(e.span, "dims go by name: write one, as in `sum(x, n)`, or a tuple of them");
                return None;
            }
        };
        if parts.is_empty() {
            self.report(e.span, "no dims: name at least one");
            return None;
        }
        let mut found: Vec<NamedDims> = Vec::new();
        for part in parts {
            let set = self.dim(scope, part)?;
            if found.iter().any(|f| !f.set.intersection(set).is_empty()) {
                self.report(part.span, "this dim stands twice: remove one");
                return None;
            }
            found.push(NamedDims { set, span: part.span });
        }
        Some(found)
    }

    pub(super) fn dim(&mut self, scope: &Scope, e: &Expr) -> Option<DimSet> {
        match &e.kind {
            ExprKind::Name(name) => self.dim_named(scope, name),
            ExprKind::Group => {
                let group = scope.dims("..");
                if group.is_none() {
                    self.report(e.span, "no argument has `..`");
                }
                group
            }
            ExprKind::Error => None,
            ExprKind::Tuple(_) | ExprKind::Int(_) | ExprKind::Literal(_) => self.no_dim(e),
            ExprKind::Operator(..) | ExprKind::Call(..) => self.no_dim(e),
            ExprKind::OpCall(_) | ExprKind::Form(_) => self.no_dim(e),
        }
    }

    fn no_dim(&mut self, e: &Expr) -> Option<DimSet> {
        self.report(e.span, "dims go by name: write one");
        None
    }

    pub(super) fn dim_named(&mut self, scope: &Scope, name: &Ident) -> Option<DimSet> {
        let text = name.unraw().to_string();
        let found = scope.dims(&text);
        if found.is_none() {
            self.report(name.span(), unknown_dim(scope, &text));
        }
        found
    }

    /// `len(n)`, `len((m, n))`.
    pub(super) fn len(&mut self, scope: &Scope, dims: &Expr) -> Term {
        let span = dims.span;
        let Some(dims) = self.dims(scope, dims) else { return Term::Error };
        let set = dims.iter().fold(DimSet::EMPTY, |set, dim| set.union(dim.set));
        if self.builder.read(|graph| graph.fixed_size(set)).is_none() {
            return self.report(span, "the product of these sizes does not fit into `i64`");
        }
        let len = |kind| self.builder.len(set, kind).id;
        Term::Number { float: len(Kind::Float), int: len(Kind::Int), bool: None }
    }

    /// `iota(n)`, `iota((m, n))`, `iota(..)`.
    pub(super) fn iota(&mut self, scope: &Scope, dims: &Expr) -> Term {
        let Some(dims) = self.dims(scope, dims) else { return Term::Error };
        Term::Node(self.builder.position_along(dims.iter().flat_map(|dims| dims.set.iter())).id)
    }

    /// The dim, if it is one in every call.
    pub(super) fn is_one(&mut self, dim: DimId, span: Span) -> Option<DimId> {
        let several = self.builder.read(|graph| {
            let is_one = graph.has_one_size(dim);
            (!is_one).then(|| graph.dim(dim).name.clone())
        });
        let Some(name) = several else { return Some(dim) };
        let axis = if name == ".." { "dim" } else { &name };
        let message =
            format!("`{name}` is any number of dims and has no one index: declare one as `{axis}: Axis`");
        self.report(span, message);
        None
    }

    /// The node of a term whose kind nothing decides: literals are int.
    pub(super) fn as_node(&self, term: Term) -> Option<NodeId> {
        term.adapted(Kind::Int)
    }

    /// Whether a dim is in the place of the value, and a value in the place of the dims.
    pub(super) fn is_swapped(&self, scope: &Scope, value: &Expr, dims: &Expr) -> bool {
        let is_dim = match &value.kind {
            ExprKind::Name(name) => {
                let text = name.unraw().to_string();
                scope.is_dim(&text) && !scope.is_value(&text)
            }
            ExprKind::Group => true,
            ExprKind::Int(_) | ExprKind::Literal(_) | ExprKind::Operator(..) => false,
            ExprKind::Call(..) | ExprKind::OpCall(_) | ExprKind::Form(_) => false,
            ExprKind::Tuple(_) | ExprKind::Error => false,
        };
        is_dim && self.is_value(scope, dims)
    }

    /// Whether an expression in the place of dims is a value.
    fn is_value(&self, scope: &Scope, e: &Expr) -> bool {
        match &e.kind {
            ExprKind::Name(name) => {
                let text = name.unraw().to_string();
                !scope.is_dim(&text) && scope.is_value(&text)
            }
            ExprKind::Int(_) | ExprKind::Literal(_) | ExprKind::Operator(..) => true,
            ExprKind::Call(..) | ExprKind::OpCall(_) | ExprKind::Form(_) => true,
            ExprKind::Tuple(_) | ExprKind::Group | ExprKind::Error => false,
        }
    }
}

/// The only dim of a set that has just one.
pub(super) fn single(set: DimSet) -> Option<DimId> {
    set.iter().next().filter(|_| set.len() == 1)
}

/// The only dim of a set that has just one, if it is one axis in every call.
pub(super) fn one_axis(builder: &Builder, set: DimSet) -> Option<DimId> {
    single(set).filter(|dim| builder.read(|graph| graph.has_one_size(*dim)))
}

/// What to write instead if a reduction was called with two values.
fn pairwise(fold: Fold) -> Option<&'static str> {
    match fold {
        Fold::Max => {
            Some("`max` reduces over dims, and this is a value: the larger of two is `maximum(a, b)`")
        }
        Fold::Min => {
            Some("`min` reduces over dims, and this is a value: the smaller of two is `minimum(a, b)`")
        }
        Fold::Sum | Fold::Prod | Fold::ArgMax | Fold::ArgMin | Fold::Any | Fold::All => None,
    }
}
