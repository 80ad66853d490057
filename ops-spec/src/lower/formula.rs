//! Calls of named formulas: lowers the body of the formula with the caller's values and dims.

use super::given::GivenFor;
use super::reduce::NamedDims;
use super::scope::{Dims, Scope};
use super::{Lower, Term};
use crate::ast::{ArgType, Expr, Item};
use crate::formulas;
use crate::ir::{DimSet, Kind, NodeId, Scalar};
use proc_macro2::Ident;
use std::collections::HashMap;
use std::rc::Rc;
use syn::ext::IdentExt;

/// The formulas that were parsed so far, and the results of their calls, so that equal calls are one node.
#[derive(Debug, Default)]
pub(super) struct Formulas {
    parsed: HashMap<&'static str, Rc<Item>>,
    instances: HashMap<(&'static str, Vec<Bound>), NodeId>,
}

/// What a parameter stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Bound {
    Value(NodeId),
    Dims(DimSet),
}

impl Lower<'_> {
    /// A call of the formula with this name.
    pub(super) fn formula(&mut self, name: &'static str, scope: &Scope, at: &Ident, args: &[&Expr]) -> Term {
        let Some(item) = self.parsed(name) else {
            return self.report(at.span(), format!("the formula `{name}` does not parse"));
        };
        let required = item.args.iter().filter(|a| a.default.is_none()).count();
        let places: Vec<String> = item.args.iter().map(|a| a.name.unraw().to_string()).collect();
        let shown = args.len().clamp(required, places.len());
        let places: Vec<&str> = places.iter().take(shown).map(String::as_str).collect();
        if !self.arity(at, args, &places) {
            return Term::Error;
        }
        if let [value, dims, ..] = args
            && matches!(item.args[1].ty, ArgType::Axis)
            && self.is_swapped(scope, value, dims)
        {
            return self.report(value.span, format!("the value stands first: write `{name}(x, n)`"));
        }
        let Some(bound) = self.bind(scope, &item, args) else { return Term::Error };
        let key = (name, bound);
        if let Some(known) = self.formulas.instances.get(&key) {
            return Term::Node(*known);
        }
        let outer = self.call;
        self.call = Some(outer.unwrap_or(at.span()));
        let result = self.body(&item, &key.1);
        self.mark(at.span());
        self.call = outer;
        match result {
            Some(id) => {
                self.formulas.instances.insert(key, id);
                Term::Node(id)
            }
            None => Term::Error,
        }
    }

    fn parsed(&mut self, name: &'static str) -> Option<Rc<Item>> {
        if let Some(item) = self.formulas.parsed.get(name) {
            return Some(item.clone());
        }
        let item = Rc::new(formulas::parse(self.errors, name)?);
        self.formulas.parsed.insert(name, item.clone());
        Some(item)
    }

    /// What each parameter stands for. All arguments are checked, even after a mistake in one of them.
    fn bind(&mut self, scope: &Scope, item: &Item, args: &[&Expr]) -> Option<Vec<Bound>> {
        let what = format!("`{}`", item.name);
        let mut named: Vec<NamedDims> = Vec::new();
        let mut bound: Vec<Option<Bound>> = Vec::new();
        for (index, param) in item.args.iter().enumerate() {
            let value = match (&param.ty, args.get(index)) {
                (ArgType::Axis, Some(e)) => {
                    let dims = self.dims(scope, e);
                    let set = dims.as_ref().map(|d| d.iter().fold(DimSet::EMPTY, |set, d| set.union(d.set)));
                    named.extend(dims.into_iter().flatten());
                    set.map(Bound::Dims)
                }
                (ArgType::Tensor(ty), Some(e)) => self.value_of(scope, e, ty.kind, &what),
                (ArgType::Scalar(ty), Some(e)) => self.value_of(scope, e, ty.kind(), &what),
                (_, None) => param.default.map(|default| self.default(default)),
                (ArgType::Error, Some(_)) => None,
            };
            bound.push(value);
        }
        let bound = bound.into_iter().collect::<Option<Vec<_>>>()?;
        if let Some(Bound::Value(first)) = bound.first() {
            self.had(&item.name.to_string(), &named, self.dims_of(*first))?;
        }
        Some(bound)
    }

    fn value_of(&mut self, scope: &Scope, e: &Expr, kind: Kind, what: &str) -> Option<Bound> {
        let term = self.expr(scope, e);
        self.coerce(term, kind, what, e).map(Bound::Value)
    }

    fn default(&self, default: Scalar) -> Bound {
        Bound::Value(self.builder.literal(default).id)
    }

    fn body(&mut self, item: &Item, bound: &[Bound]) -> Option<NodeId> {
        let params = || item.args.iter().zip(bound).enumerate();
        let dims = params().filter_map(|(_, (param, bound))| match bound {
            Bound::Dims(set) => Some(Dims::new(param.name.unraw().to_string(), *set)),
            Bound::Value(_) => None,
        });
        let mut scope = Scope::new(dims.collect());
        for (index, (param, bound)) in params() {
            if let Bound::Value(id) = bound {
                scope.bind_arg(index, &param.name, Term::Node(*id));
            }
        }
        self.lets(&mut scope, item);
        let value = *self.results(&mut scope, item).first()?;
        let (given, _) = self.given(&mut scope, item, &[value], GivenFor::Formula);
        given.first().copied()
    }
}
