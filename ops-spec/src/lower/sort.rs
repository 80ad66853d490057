//! What depends on the order of elements: `sort(x, n)`, `argsort(x, n, first = k, descending = true)` and
//! `searchsorted(sorted, x, n, right = true)`.

use super::names::Sorting;
use super::scope::Scope;
use super::{Lower, Term};
use crate::ast::{Argument, Expr};
use crate::ir::{DimId, DimSet, Kind, NodeId};
use proc_macro2::Ident;
use syn::ext::IdentExt;

/// The setting that says which dim the result has.
pub(super) const FIRST: &str = "first";

/// What may be said behind the dim.
#[derive(Default)]
struct Settings<'e> {
    descending: bool,
    right: bool,
    first: Option<(&'e Ident, &'e Expr)>,
}

impl Lower<'_> {
    pub(super) fn sorting(
        &mut self,
        sorting: Sorting,
        scope: &Scope,
        name: &Ident,
        args: &[Argument],
    ) -> Term {
        let plain: Vec<&Expr> = args.iter().filter_map(Argument::plain).collect();
        if !self.arity(name, &plain, sorting.places()) {
            return Term::Error;
        }
        let Some(settings) = self.sorting_settings(sorting, args) else { return Term::Error };
        let (operands, dim) = plain.split_at(plain.len() - 1);
        let values: Vec<Option<NodeId>> =
            operands.iter().map(|e| self.number(sorting.name(), scope, e)).collect();
        let dim = self.one_dim(sorting.name(), sorting.places(), scope, dim[0]);
        let to = settings.first.map(|(_, e)| self.one_dim(sorting.name(), sorting.places(), scope, e));
        let (Some(values), Some((dim, named))) = (values.into_iter().collect::<Option<Vec<_>>>(), dim) else {
            return Term::Error;
        };
        let to = match to {
            Some(Some((to, _))) => to,
            Some(None) => return Term::Error,
            None => dim,
        };
        let has = self.dims_of(values[0]);
        if self.had(sorting.name(), &[named], has).is_none() || !self.is_new(settings.first, to, dim, has) {
            return Term::Error;
        }
        let builder = self.builder;
        let x = builder.value(values[0]);
        match sorting {
            Sorting::ArgSort => Term::Node(builder.argsort(x, dim, to, settings.descending).id),
            Sorting::Sort => {
                let order = builder.argsort(x.stop_grad(), dim, to, settings.descending);
                Term::Node(x.at(dim, order).id)
            }
            Sorting::Search => match self.looked_up(values[1], x.kind(), operands[1]) {
                Some(value) => {
                    Term::Node(builder.searchsorted(x, builder.value(value), dim, settings.right).id)
                }
                None => Term::Error,
            },
        }
    }

    /// Whether the elements vary along no other dim of the name.
    fn is_new(&mut self, first: Option<(&Ident, &Expr)>, to: DimId, dim: DimId, has: DimSet) -> bool {
        let Some((word, e)) = first else { return true };
        let is_new = to == dim || !has.contains(to);
        if !is_new {
            let text = self.builder.read(|graph| graph.dim(to).name.clone());
            let message = format!(
                "the elements already vary along `{text}`: `{}` takes another dim, such as one that a `usize` argument sizes",
                word.unraw()
            );
            self.report(e.span, message);
        }
        is_new
    }

    /// What is looked up has the kind of the sorted elements.
    fn looked_up(&mut self, value: NodeId, kind: Kind, e: &Expr) -> Option<NodeId> {
        if self.builder.value(value).kind() == kind {
            return Some(value);
        }
        let message = format!("the sorted elements are {kind}, and this is not: write `cast(e, {kind})`");
        self.report(e.span, message);
        None
    }

    fn sorting_settings<'e>(&mut self, sorting: Sorting, args: &'e [Argument]) -> Option<Settings<'e>> {
        let mut settings = Settings::default();
        for arg in args {
            let Argument::Index(word, value) = arg else { continue };
            let text = word.unraw().to_string();
            match (text.as_str(), sorting) {
                ("descending", Sorting::Sort | Sorting::ArgSort) => {
                    settings.descending = self.literal_bool(word, value)?;
                }
                (FIRST, Sorting::Sort | Sorting::ArgSort) => settings.first = Some((word, value)),
                ("right", Sorting::Search) => settings.right = self.literal_bool(word, value)?,
                ("dim" | "axis", _) => {
                    let call = sorting.places().join(", ");
                    let message = format!("dims go by name: write `{}({call})`", sorting.name());
                    self.report(word.span(), message);
                    return None;
                }
                (_, _) => {
                    let name = sorting.name();
                    let message = match sorting {
                        Sorting::Sort | Sorting::ArgSort => format!(
                            "`{name}` takes no `{text} = ..`: behind the dim it takes `descending = true` and `{FIRST} = k`"
                        ),
                        Sorting::Search => {
                            format!("`{name}` takes no `{text} = ..`: behind the dim it takes `right = true`")
                        }
                    };
                    self.report(word.span(), message);
                    return None;
                }
            }
        }
        Some(settings)
    }
}
