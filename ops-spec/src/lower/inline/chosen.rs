//! Which formula a call of an op of several formulas chooses.

use super::{Lower, Scope, Term};
use crate::ast::{Expr, ExprKind, Form, Kinds, OpCall};
use crate::choose::{last_word, path_text};
use crate::inline::{Callee, Param, ParamKind};
use crate::ir::{Graph, Kind, Scalar};
use std::rc::Rc;

/// The formula of a call.
pub(super) struct Chosen<'e> {
    pub(super) graph: Rc<Graph>,
    /// The arguments that it takes.
    pub(super) args: Vec<&'e Expr>,
    /// The values by whose kind it was chosen, for each of `args`.
    pub(super) terms: Vec<Option<Term>>,
}

impl Lower<'_> {
    pub(super) fn chosen<'e>(
        &mut self,
        scope: &Scope,
        call: &OpCall,
        callee: &Callee,
        args: Vec<&'e Expr>,
    ) -> Option<Chosen<'e>> {
        if let [graph] = &callee.formulas[..] {
            return Some(Chosen { graph: graph.clone(), args, terms: vec![] });
        }
        let params: Vec<(&str, bool)> =
            callee.params.iter().map(|param| (param.name.as_str(), param.kind.has_default())).collect();
        self.takes(&call.name(), call.span(), &params, args.len())?;
        let (mut picks, mut terms) = (Vec::new(), Vec::new());
        for (place, param) in callee.params.iter().enumerate() {
            let arg = args.get(place).copied();
            let term = arg.filter(|_| param.kind.is_kind()).map(|e| self.expr(scope, e));
            picks.push(self.pick(call, param, arg, term));
            terms.push(term);
        }
        let picks = picks.into_iter().collect::<Option<Vec<usize>>>()?;
        let index =
            callee.params.iter().zip(picks).fold(0, |at, (param, pick)| at * param.kind.count() + pick);
        let graph = callee.formulas[index].clone();
        let is_taken = |param: &Param| graph.args.iter().any(|arg| arg.name == param.name);
        let (taken, left): (Vec<_>, Vec<_>) =
            callee.params.iter().zip(args.into_iter().zip(terms)).partition(|(param, _)| is_taken(param));
        // The formula does not need these, but a mistake in one is a mistake all the same.
        for (_, (e, _)) in left.into_iter().filter(|(param, _)| param.kind.count() == 1) {
            self.expr(scope, e);
        }
        let (args, terms) = taken.into_iter().map(|(_, arg)| arg).unzip();
        Some(Chosen { graph, args, terms })
    }

    /// The index of the kind that a value has. A whole number may be either, and is an int.
    fn kind_of(&mut self, kinds: Kinds, what: &str, e: &Expr, term: Term) -> Option<usize> {
        let kind = match term {
            Term::Node(node) => self.builder.node(node).kind,
            Term::Number { .. } => Kind::Int,
            Term::Error => return None,
        };
        let found = kinds.list().iter().position(|known| *known == kind);
        if found.is_none() {
            self.report(e.span, format!("{what} takes numbers, and this is {kind}: write `cast(e, int)`"));
        }
        found
    }

    /// The index of the value that is passed. `term` is the value where its kind chooses.
    fn pick(
        &mut self,
        call: &OpCall,
        param: &Param,
        arg: Option<&Expr>,
        term: Option<Term>,
    ) -> Option<usize> {
        let what = format!("`{}` of `{}`", param.name, call.name());
        match (&param.kind, arg.map(|e| &e.kind)) {
            (ParamKind::Plain { .. }, _) => Some(0),
            (ParamKind::Kind(kinds), _) => self.kind_of(*kinds, &what, arg?, term?),
            (ParamKind::Optional, given) => {
                Some(usize::from(matches!(given, Some(ExprKind::Form(Form::Absent)))))
            }
            (ParamKind::Flag { default }, None) => default.map(|value| usize::from(!value)),
            (ParamKind::Flag { .. }, Some(ExprKind::Literal(Scalar::Bool(value)))) => {
                Some(usize::from(!value))
            }
            (ParamKind::Enum { variants, default }, None) => {
                variants.iter().position(|word| Some(word) == default.as_ref())
            }
            (ParamKind::Enum { variants, .. }, Some(ExprKind::Form(Form::Variant(path)))) => {
                let found = variants.iter().position(|word| *word == last_word(path));
                if found.is_none() {
                    let known: Vec<String> = variants.iter().map(|word| format!("`{word}`")).collect();
                    let message =
                        format!("{what} knows no `{}`: there are {}", path_text(path), known.join(", "));
                    self.report(arg.map_or(call.span(), |e| e.span), message);
                }
                found
            }
            (_, Some(ExprKind::Error)) => None,
            (ParamKind::Flag { .. } | ParamKind::Enum { .. }, Some(_)) => {
                let values =
                    if let ParamKind::Enum { .. } = param.kind { "a variant" } else { "`true` or `false`" };
                let message = format!(
                    "{what} chooses a formula: pass {values}, or an argument of this op that has the same type"
                );
                self.report(arg.map_or(call.span(), |e| e.span), message);
                None
            }
        }
    }
}
