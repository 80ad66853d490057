//! Calls of declared ops and of the language's named formulas, which are declarations too: which value each
//! argument takes and which dim of the caller each dim of the op is, so that the op's graph can be spliced
//! in.
//!
//! Dims go by name: the op's `n` is the formula's `n`, or the dim that the call gives, `n = d`. When a
//! formula calls an op, the op's `..` stands for all dims of the passed values that the argument's type does
//! not name. Two dims of an op never become one dim of the formula, so that an inlined op means the same as
//! the op when it is run by itself.
//!
//! A passed value may lack dims that the op's argument has at run time, where the value would be broadcast.
//! So a sum over such a dim multiplies by its size, other reductions over it are refused, and a given rule is
//! summed over it.
//!
//! A given rule covers all ways from its result to its argument. In the op these ways end at the argument. In
//! the formula of a caller, other arguments may depend on the value that is passed for it. Therefore such an
//! argument becomes a node of its own.

mod chosen;
mod dims;
mod lists;
mod made;
mod splice;

use super::reduce::NamedDims;
use super::scope::Scope;
use super::{Detached, Lower, Term};
use crate::ast::{Argument, Expr, ExprKind, Form, OpCall};
use crate::diag::Errors;
use crate::formulas;
use crate::inline::Callees;
use crate::ir::{ArgType, DimId, DimSet, Graph, Kind, NodeId, Op, Scalar, ScalarType};
use crate::prim::Prim;
use chosen::Chosen;
use proc_macro2::{Ident, Span};
use splice::Splice;
use std::collections::BTreeMap;
use std::rc::Rc;

/// What was inlined so far.
#[derive(Debug, Default)]
pub(super) struct Inlined {
    /// The graphs of the named formulas that were called.
    formulas: BTreeMap<(&'static str, Kind), Rc<Graph>>,
    instances: Vec<Instance>,
    /// Dims that called ops make.
    made: Vec<DimId>,
}

/// A call that was inlined. It is kept so that equal calls are inlined once.
#[derive(Debug)]
struct Instance {
    graph: Rc<Graph>,
    /// Without the dims that the op makes.
    bound: Bound,
    results: Vec<NodeId>,
}

/// What the arguments and dims of an op stand for in the formula that calls it.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Bound {
    /// The value of each argument; `None` for an `Axis`.
    pub(super) values: Vec<Option<NodeId>>,
    /// The dims that each dim of the op stands for: one dim, but any number for `..` and an `Axis`, and none
    /// yet for a dim that the op makes.
    pub(super) dims: Vec<DimSet>,
}

/// A call that is being lowered.
pub(super) struct Call<'c> {
    pub(super) name: String,
    pub(super) span: Span,
    pub(super) graph: &'c Rc<Graph>,
    /// Dims that the call names: `n = d`.
    pub(super) named: Vec<(&'c Ident, &'c Expr)>,
    /// The values of arguments that are known already, by their index.
    pub(super) terms: Vec<Option<Term>>,
}

impl Lower<'_> {
    /// A call with one result.
    pub(super) fn op_call(&mut self, scope: &Scope, call: &OpCall) -> Term {
        match self.results_of(scope, call).as_deref() {
            None => Term::Error,
            Some([one]) => Term::Node(*one),
            Some(several) => {
                let names: Vec<String> = (0..several.len()).map(|k| format!("y{k}")).collect();
                let message = format!(
                    "`{0}` has {1} results: name them first, `let ({2}) = {0}(..);`",
                    call.name(),
                    several.len(),
                    names.join(", ")
                );
                self.report(call.span(), message)
            }
        }
    }

    /// A call of a named formula.
    pub(super) fn formula_call(
        &mut self,
        scope: &Scope,
        name: &'static str,
        at: &Ident,
        args: &[&Expr],
    ) -> Term {
        let (kind, terms) = match formulas::kinds(name)[..] {
            [kind] => (kind, vec![]),
            [..] => {
                let terms: Vec<Term> = args.iter().map(|arg| self.expr(scope, arg)).collect();
                if terms.iter().any(|term| matches!(term, Term::Error)) {
                    return Term::Error;
                }
                let is_float = terms.iter().any(|term| self.kind(*term) == Some(Kind::Float));
                (if is_float { Kind::Float } else { Kind::Int }, terms.into_iter().map(Some).collect())
            }
        };
        let Some(graph) = self.formula_graph(name, kind) else {
            return self.report(at.span(), format!("the formula `{name}` has a mistake"));
        };
        let call = Call { name: name.to_string(), span: at.span(), graph: &graph, named: vec![], terms };
        match self.inline(scope, &call, args).as_deref() {
            Some([value]) => Term::Node(*value),
            Some(_) | None => Term::Error,
        }
    }

    /// The graph of a named formula, which is lowered like a declaration when it is first called.
    pub(super) fn formula_graph(&mut self, name: &'static str, kind: Kind) -> Option<Rc<Graph>> {
        if let Some(known) = self.inlined.formulas.get(&(name, kind)) {
            return Some(known.clone());
        }
        let mut errors = Errors::new();
        let mut item = formulas::parse(&mut errors, name, kind);
        // That a formula has no derivative is said where a gradient needs one. So `stop_grad` may stand
        // around the call.
        item.iter_mut().for_each(|item| item.no_grad = false);
        let lowered = item.map(|item| super::graph(&mut errors, &item, &Callees::new()));
        errors.gate().ok()?;
        let graph = Rc::new(lowered?.graph);
        self.inlined.formulas.insert((name, kind), graph.clone());
        Some(graph)
    }

    /// The results of a call, for a tuple of this many names.
    pub(super) fn several(&mut self, scope: &Scope, count: usize, value: &Expr) -> Vec<Term> {
        if let ExprKind::Form(Form::Block(lets, value)) = &value.kind {
            let mut inner = scope.clone();
            self.lets(&mut inner, lets);
            return self.several(&inner, count, value);
        }
        let ExprKind::OpCall(call) = &value.kind else { return vec![Term::Error; count] };
        let results = self.results_of(scope, call).unwrap_or_default();
        self.mark(value.span);
        if !results.is_empty() && results.len() != count {
            let plural = if results.len() == 1 { "result" } else { "results" };
            let message =
                format!("`{}` has {} {plural}, and here are {count} names", call.name(), results.len());
            self.report(call.span(), message);
        } else if results.len() == count {
            return results.into_iter().map(Term::Node).collect();
        }
        vec![Term::Error; count]
    }

    fn results_of(&mut self, scope: &Scope, call: &OpCall) -> Option<Vec<NodeId>> {
        let name = call.name();
        let callees = self.callees;
        let Some(callee) = callees.get(&name) else {
            self.report(call.span(), format!("no op `{name}` is known"));
            return None;
        };
        let (mut plain, mut named) = (Vec::new(), Vec::new());
        for arg in &call.args {
            match arg {
                Argument::Plain(e) => plain.push(e),
                Argument::Index(dim, e) => named.push((dim, e)),
            }
        }
        let plain = self.elements(call, callee, plain)?;
        let Chosen { graph, args, terms } = self.chosen(scope, call, callee, plain)?;
        self.inline(scope, &Call { name, span: call.span(), graph: &graph, named, terms }, &args)
    }

    /// The results of a call.
    fn inline(&mut self, scope: &Scope, call: &Call<'_>, args: &[&Expr]) -> Option<Vec<NodeId>> {
        let bound = self.bind_op(scope, call, args)?;
        self.inlined(call, bound)
    }

    /// The results of a call whose arguments and dims are known: those of an equal call before, if there is
    /// one.
    pub(super) fn inlined(&mut self, call: &Call<'_>, bound: Bound) -> Option<Vec<NodeId>> {
        let known = |instance: &&Instance| instance.bound == bound && instance.graph == *call.graph;
        if let Some(known) = self.inlined.instances.iter().find(known) {
            return Some(known.results.clone());
        }
        let mut with_made = bound.clone();
        self.made_dims(call, &mut with_made)?;
        let results = self.splice(call, &with_made)?;
        self.inlined.instances.push(Instance { graph: call.graph.clone(), bound, results: results.clone() });
        Some(results)
    }

    fn splice(&mut self, call: &Call<'_>, bound: &Bound) -> Option<Vec<NodeId>> {
        let spliced = Splice::new(self.builder, call.graph, bound, &mut self.seeds).results();
        self.mark(call.span);
        match spliced {
            Ok(results) => Some(results),
            Err(message) => {
                self.report(call.span, format!("`{}` {message}", call.name));
                None
            }
        }
    }

    /// Finds what arguments and dims stand for. All arguments are checked, even after a mistake in one of
    /// them.
    fn bind_op(&mut self, scope: &Scope, call: &Call<'_>, args: &[&Expr]) -> Option<Bound> {
        self.op_arity(call, args.len())?;
        if let [value, dims, ..] = args
            && matches!(call.graph.args[1].ty, ArgType::Axis { .. })
            && self.is_swapped(scope, value, dims)
        {
            self.report(value.span, format!("the value stands first: write `{}(x, n)`", call.name));
            return None;
        }
        let dims = self.named_dims(scope, call);
        let mut values: Vec<Option<NodeId>> = Vec::new();
        let mut axes: Vec<Option<Vec<NamedDims>>> = Vec::new();
        for (index, arg) in call.graph.args.iter().enumerate() {
            let what = format!("`{}` of `{}`", arg.name, call.name);
            let (value, axis) = match (&arg.ty, args.get(index)) {
                (ArgType::Tensor { kind, .. }, Some(e)) => {
                    let known = call.terms.get(index).copied().flatten();
                    let term = known.unwrap_or_else(|| self.expr(scope, e));
                    (self.coerce(term, *kind, &what, e), None)
                }
                (ArgType::Scalar { ty, .. }, Some(e)) => (self.op_scalar(scope, e, *ty, &what), None),
                (ArgType::Scalar { default, .. }, None) => {
                    let like =
                        call.graph.args.iter().position(|other| arg.like.as_ref() == Some(&other.name));
                    let like = like.and_then(|at| values.get(at).copied().flatten());
                    (like.or_else(|| default.map(|default| self.builder.literal(default).id)), None)
                }
                (ArgType::Axis { .. }, Some(e)) => (None, self.dims(scope, e)),
                (ArgType::Tensor { .. } | ArgType::Axis { .. }, None) | (ArgType::Shape { .. }, _) => {
                    (None, None)
                }
            };
            values.push(value);
            axes.push(axis);
        }
        let is_axis = |index: usize| matches!(call.graph.args[index].ty, ArgType::Axis { .. });
        let complete =
            (0..values.len()).all(|i| if is_axis(i) { axes[i].is_some() } else { values[i].is_some() });
        let mut dims = dims.filter(|_| complete)?;
        self.op_dims(call, args, &values, &axes, &mut dims)?;
        self.sizes(call, args, &values, &dims)?;
        self.note_detached(call, args, &values);
        Some(Bound { values, dims })
    }

    fn op_arity(&mut self, call: &Call<'_>, given: usize) -> Option<()> {
        let args: Vec<(&str, bool)> =
            call.graph.args.iter().map(|arg| (arg.name.as_str(), arg.has_default())).collect();
        self.takes(&call.name, call.span, &args, given)
    }

    /// Checks the number of arguments, which come with their names and whether they have a default. Scalars
    /// with a default may be left out at the end. An `Axis` may not, because its default is a number.
    fn takes(&mut self, name: &str, span: Span, args: &[(&str, bool)], given: usize) -> Option<()> {
        let required = args.iter().rposition(|(_, has_default)| !has_default).map_or(0, |last| last + 1);
        if (required..=args.len()).contains(&given) {
            return Some(());
        }
        let shown = given.clamp(required, args.len());
        let places: Vec<&str> = args.iter().take(shown).map(|(name, _)| *name).collect();
        let plural = if shown == 1 { "argument" } else { "arguments" };
        let places = places.join(", ");
        let message = format!("`{name}` takes {shown} {plural} and has {given}: write `{name}({places})`");
        self.report(span, message);
        None
    }

    /// A scalar argument: its value must have the right kind and no dims.
    fn op_scalar(&mut self, scope: &Scope, e: &Expr, ty: ScalarType, what: &str) -> Option<NodeId> {
        let term = self.expr(scope, e);
        let value = self.coerce(term, ty.kind(), what, e)?;
        let dims = self.dims_of(value);
        if !dims.is_empty() {
            let text = self.text_of(dims);
            self.report(e.span, format!("{what} is one number, and this varies over {text}"));
            return None;
        }
        let written = self.written(value);
        if ty == ScalarType::Usize && written.is_some_and(|number| number < 0.0) {
            self.report(e.span, format!("{what} is a `usize`, and this is negative"));
            return None;
        }
        if ty == ScalarType::Fraction && written.is_some_and(|number| !Scalar::Float(number).is_fraction()) {
            self.report(e.span, format!("{what} is a `Fraction`, a number from 0 to 1, and this is none"));
            return None;
        }
        Some(value)
    }

    /// The number, if a value is a literal; in the graph this may be a literal under a minus.
    fn written(&self, value: NodeId) -> Option<f64> {
        let literal = |id: NodeId| {
            let Op::Literal(scalar) = self.builder.node(id).op else { return None };
            Some(scalar.as_f64())
        };
        let Op::Apply(Prim::Neg, operands) = &self.builder.node(value).op else { return literal(value) };
        literal(operands[0]).map(|number| -number)
    }

    fn note_detached(&mut self, call: &Call<'_>, args: &[&Expr], values: &[Option<NodeId>]) {
        for ((arg, e), value) in call.graph.args.iter().zip(args).zip(values) {
            if let (ArgType::Tensor { kind: Kind::Float, no_grad: true, .. }, Some(node)) = (&arg.ty, value) {
                let place = format!("`{}` of `{}`", arg.name, call.name);
                self.detached.push(Detached { node: *node, span: e.span, place });
            }
        }
    }
}
