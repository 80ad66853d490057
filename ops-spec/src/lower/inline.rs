//! Calls of declared ops: which value each argument takes and which dim each dim is, so that the op's graph can be spliced in.
//!
//! Dims go by name: `n` of the op is the formula's `n`, or what the call says, `n = d`. The op's `..` is what its values have beside. Two
//! dims of an op never become one, so that an inlined op means what it means when it is run.

use super::names::{did_you_mean, dims_text, nearest};
use super::reduce::{NamedDims, single};
use super::scope::Scope;
use super::splice::Splice;
use super::{Detached, Lower, Term};
use crate::ast::{Argument, Expr, ExprKind, OpCall};
use crate::ir::{ArgType, Axis, DimId, DimKind, DimSet, Graph, Kind, NodeId, Op, Scalar, ScalarType};
use proc_macro2::{Ident, Span};
use std::rc::Rc;
use syn::ext::IdentExt;

/// A call that was inlined, so that equal calls are one.
#[derive(Debug)]
pub(super) struct Instance {
    graph: Rc<Graph>,
    bound: Bound,
    results: Vec<NodeId>,
}

/// What the arguments and dims of an op are in the formula that calls it.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Bound {
    /// Per argument; `None` for an `Axis`.
    pub(super) values: Vec<Option<NodeId>>,
    /// Per dim: one dim, but any number for `..` and an `Axis`.
    pub(super) dims: Vec<DimSet>,
}

/// A call that is being read.
struct Call<'c> {
    name: String,
    span: Span,
    graph: &'c Graph,
    /// `n = d`.
    named: Vec<(&'c Ident, &'c Expr)>,
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

    /// The results of a call, for a tuple of this many names.
    pub(super) fn several(&mut self, scope: &Scope, count: usize, value: &Expr) -> Vec<Term> {
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
        let Some(graph) = self.callees.get(&name).cloned() else {
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
        let read = Call { name, span: call.span(), graph: &graph, named };
        let bound = self.bind_op(scope, &read, &plain)?;
        let known = |instance: &&Instance| instance.bound == bound && *instance.graph == graph;
        if let Some(known) = self.inlined.iter().find(known) {
            return Some(known.results.clone());
        }
        let results = self.splice(&read, &bound)?;
        self.inlined.push(Instance { graph: Rc::new(graph), bound, results: results.clone() });
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

    /// All arguments are looked at before a mistake ends the call.
    fn bind_op(&mut self, scope: &Scope, call: &Call<'_>, args: &[&Expr]) -> Option<Bound> {
        self.op_arity(call, args.len())?;
        let dims = self.named_dims(scope, call);
        let mut values = Vec::new();
        let mut axes: Vec<Option<Vec<NamedDims>>> = Vec::new();
        for (index, arg) in call.graph.args.iter().enumerate() {
            let what = format!("`{}` of `{}`", arg.name, call.name);
            let (value, axis) = match (&arg.ty, args.get(index)) {
                (ArgType::Tensor { kind, .. }, Some(e)) => (self.op_value(scope, e, *kind, &what), None),
                (ArgType::Scalar { ty, .. }, Some(e)) => (self.op_scalar(scope, e, *ty, &what), None),
                (ArgType::Scalar { default, .. }, None) => {
                    (default.map(|default| self.builder.literal(default).id), None)
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

    /// What has a default may be left out at the end; an `Axis` not, since its default is a number.
    fn op_arity(&mut self, call: &Call<'_>, given: usize) -> Option<()> {
        let has_default = |ty: &ArgType| matches!(ty, ArgType::Scalar { default: Some(_), .. });
        let args = &call.graph.args;
        let required = args.iter().rposition(|arg| !has_default(&arg.ty)).map_or(0, |last| last + 1);
        if (required..=args.len()).contains(&given) {
            return Some(());
        }
        let shown = given.clamp(required, args.len());
        let places: Vec<&str> = args.iter().take(shown).map(|arg| arg.name.as_str()).collect();
        let plural = if shown == 1 { "argument" } else { "arguments" };
        let message = format!(
            "`{0}` takes {shown} {plural} and has {given}: write `{0}({1})`",
            call.name,
            places.join(", ")
        );
        self.report(call.span, message);
        None
    }

    /// The dim that each named dim of the op is; empty for `..` and `Axis`.
    fn named_dims(&mut self, scope: &Scope, call: &Call<'_>) -> Option<Vec<DimSet>> {
        let is_named = |kind| matches!(kind, DimKind::Named | DimKind::Fixed(_) | DimKind::Sized(_));
        let own: Vec<&str> =
            call.graph.dims.iter().filter(|dim| is_named(dim.kind)).map(|dim| dim.name.as_str()).collect();
        for (place, (ident, _)) in call.named.iter().enumerate() {
            let name = ident.unraw().to_string();
            if !own.contains(&name.as_str()) {
                let hint = nearest(&name, own.iter().copied()).map(did_you_mean);
                let hint = hint.unwrap_or_else(|| match &own[..] {
                    [] => "it names none".to_string(),
                    own => format!("it has `{}`", own.join("`, `")),
                });
                self.report(ident.span(), format!("`{}` has no dim `{name}`: {hint}", call.name));
                return None;
            }
            if call.named[..place].iter().any(|(other, _)| other == ident) {
                self.report(ident.span(), format!("a second dim for `{name}`: remove one"));
                return None;
            }
        }
        let mut found: Vec<DimSet> = Vec::new();
        for dim in &call.graph.dims {
            let set = if is_named(dim.kind) { self.dim_of(scope, call, &dim.name)? } else { DimSet::EMPTY };
            if let Some(other) = found.iter().position(|other| !other.intersection(set).is_empty()) {
                let (other, text) = (&call.graph.dims[other].name, self.text_of(set));
                let message = format!(
                    "dims `{other}` and `{}` of `{}` would both be {text}: they are two",
                    dim.name, call.name
                );
                self.report(call.span, message);
                return None;
            }
            found.push(set);
        }
        Some(found)
    }

    /// The dim for a dim of this name.
    fn dim_of(&mut self, scope: &Scope, call: &Call<'_>, name: &str) -> Option<DimSet> {
        let given = call.named.iter().find(|(ident, _)| ident.unraw() == name);
        let Some((_, e)) = given else {
            let found = scope.dims(name).filter(|set| set.len() == 1);
            if found.is_none() {
                let message = format!(
                    "`{0}` has a dim `{name}`, and this formula has none: say which it is, as in `{0}(.., {name} = d)`",
                    call.name
                );
                self.report(call.span, message);
            }
            return found;
        };
        let set = match &e.kind {
            ExprKind::Name(_) => self.dim(scope, e)?,
            ExprKind::Error => return None,
            ExprKind::Group | ExprKind::Int(_) | ExprKind::Literal(_) | ExprKind::Operator(..) => {
                DimSet::EMPTY
            }
            ExprKind::Call(..) | ExprKind::OpCall(_) | ExprKind::Tuple(_) => DimSet::EMPTY,
        };
        if set.len() != 1 {
            self.report(e.span, format!("`{name}` is one dim: name one, as in `{name} = d`"));
            return None;
        }
        Some(set)
    }

    fn op_value(&mut self, scope: &Scope, e: &Expr, kind: Kind, what: &str) -> Option<NodeId> {
        let term = self.expr(scope, e);
        self.coerce(term, kind, what, e)
    }

    /// One number: of the right kind, and of no dims.
    fn op_scalar(&mut self, scope: &Scope, e: &Expr, ty: ScalarType, what: &str) -> Option<NodeId> {
        let value = self.op_value(scope, e, ty.kind(), what)?;
        let dims = self.dims_of(value);
        if !dims.is_empty() {
            let text = self.text_of(dims);
            self.report(e.span, format!("{what} is one number, and this varies over {text}"));
            return None;
        }
        if ty == ScalarType::Usize
            && matches!(self.builder.node(value).op, Op::Literal(Scalar::Int(i)) if i < 0)
        {
            self.report(e.span, format!("{what} is a `usize`, and this is negative"));
            return None;
        }
        Some(value)
    }

    /// Checks the dims of values, and fills in what `..` and each `Axis` stand for.
    fn op_dims(
        &mut self,
        call: &Call<'_>,
        args: &[&Expr],
        values: &[Option<NodeId>],
        axes: &[Option<Vec<NamedDims>>],
        dims: &mut [DimSet],
    ) -> Option<()> {
        let mut group = DimSet::EMPTY;
        for (index, arg) in call.graph.args.iter().enumerate() {
            if let (ArgType::Tensor { axes, .. }, Some(value)) = (&arg.ty, values[index]) {
                let what = format!("`{}` of `{}`", arg.name, call.name);
                let rest = self.beside(call.graph, axes, value, dims, &what, args[index])?;
                group = group.union(rest);
            }
        }
        for (index, dim) in call.graph.dims.iter().enumerate() {
            let DimKind::Axis(arg) = dim.kind else { continue };
            let given = axes[arg].as_deref().unwrap_or_default();
            let set = self.had(&call.name, given, group)?;
            if dims.iter().any(|other| !other.intersection(set).is_empty()) {
                let text = self.text_of(set);
                self.report(
                    args[arg].span,
                    format!("another argument names {text} too: two axes must differ"),
                );
                return None;
            }
            dims[index] = set;
        }
        let carved = dims.iter().fold(DimSet::EMPTY, |all, set| all.union(*set));
        if let Some(id) = call.graph.group() {
            dims[id.index()] = group.difference(carved);
        }
        Some(())
    }

    /// The dims of a value beside those that the type of its argument names.
    fn beside(
        &mut self,
        graph: &Graph,
        axes: &[Axis],
        value: NodeId,
        dims: &[DimSet],
        what: &str,
        e: &Expr,
    ) -> Option<DimSet> {
        let has = self.dims_of(value);
        let own = image(dims, graph.axes_dims(axes));
        let missing = own.difference(has);
        let rest = has.difference(own);
        let named = dims.iter().fold(DimSet::EMPTY, |all, set| all.union(*set));
        let is_group = |axis: &Axis| matches!(axis, Axis::Dim(d) if Some(*d) == graph.group());
        let message = if !missing.is_empty() {
            format!("{what} has {}, and this value has {}", self.text_of(missing), self.text_of(has))
        } else if !rest.is_empty() && !axes.iter().any(is_group) {
            format!("{what} has {}, and this value also has {}", self.text_of(own), self.text_of(rest))
        } else if let taken = rest.intersection(named)
            && !taken.is_empty()
        {
            format!("the `..` of {what} would have {}, which is another dim of the op", self.text_of(taken))
        } else {
            return Some(rest);
        };
        self.report(e.span, message);
        None
    }

    /// A dim of a written size is one of that size, and a dim of a given size is one of just that.
    fn sizes(
        &mut self,
        call: &Call<'_>,
        args: &[&Expr],
        values: &[Option<NodeId>],
        dims: &[DimSet],
    ) -> Option<()> {
        for (dim, set) in call.graph.dims.iter().zip(dims) {
            let Some(to) = single(*set) else { continue };
            let to_dim = self.builder.read(|graph| graph.dim(to).clone());
            let (name, op, to_name) = (&dim.name, &call.name, &to_dim.name);
            match dim.kind {
                DimKind::Group | DimKind::Named | DimKind::Axis(_) => {}
                DimKind::Fixed(size) if to_dim.kind == DimKind::Fixed(size) => {}
                DimKind::Fixed(size) => {
                    let message = format!(
                        "dim `{name}` of `{op}` has size {size}: write `{to_name} = {size}` where `{to_name}` is declared"
                    );
                    self.report(call.span, message);
                    return None;
                }
                DimKind::Sized(arg)
                    if values[arg].is_some_and(|value| self.is_size(value, to, to_dim.kind)) => {}
                DimKind::Sized(arg) => {
                    let span = args.get(arg).map_or(call.span, |e| e.span);
                    let message = format!(
                        "`{name}` of `{op}` is the size of its dim, which is `{to_name}` here: write `len({to_name})`"
                    );
                    self.report(span, message);
                    return None;
                }
            }
        }
        Some(())
    }

    /// Whether a value is the size of a dim, whatever the caller passes.
    fn is_size(&self, value: NodeId, dim: DimId, kind: DimKind) -> bool {
        match self.builder.node(value).op {
            Op::Len(dims) => dims == DimSet::one(dim),
            Op::Input(arg) => kind == DimKind::Sized(arg),
            Op::Literal(Scalar::Int(size)) => {
                usize::try_from(size).is_ok_and(|size| kind == DimKind::Fixed(size))
            }
            Op::Literal(_) | Op::Iota(_) | Op::Apply(..) | Op::Cast(_) | Op::Reduce(..) => false,
            Op::At { .. } | Op::ScatterAdd { .. } | Op::StopGrad(_) | Op::Given { .. } | Op::Seed(_) => false,
        }
    }

    fn note_detached(&mut self, call: &Call<'_>, args: &[&Expr], values: &[Option<NodeId>]) {
        for ((arg, e), value) in call.graph.args.iter().zip(args).zip(values) {
            if let (ArgType::Tensor { kind: Kind::Float, no_grad: true, .. }, Some(node)) = (&arg.ty, value) {
                let place = format!("`{}` of `{}`", arg.name, call.name);
                self.detached.push(Detached { node: *node, span: e.span, place });
            }
        }
    }

    fn text_of(&self, dims: DimSet) -> String {
        self.builder.read(|graph| dims_text(graph, dims))
    }
}

/// What dims of an op are in the formula that calls it.
pub(super) fn image(dims: &[DimSet], own: DimSet) -> DimSet {
    own.iter().fold(DimSet::EMPTY, |all, dim| all.union(dims[dim.index()]))
}
