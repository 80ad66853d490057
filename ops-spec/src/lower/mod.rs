//! Lowers a declaration to its graph: resolves names, finds dims and kinds, and replaces calls of formulas
//! and of ops by their graphs.
//!
//! Values, dims and functions are separate namespaces; a `let` hides earlier values of the same name. Integer
//! literals and `len` adapt to the kind of the values that they are combined with. On their own they are int.
//! A mistake is reported once and gives [`Term::Error`], which causes no further messages. The graph is
//! meaningful only if there were no mistakes. The nodes of a called formula or op point at the call.

mod apply;
mod at;
mod bits;
mod border;
mod call;
mod draw;
mod elsewhere;
mod form;
mod given;
mod inline;
mod names;
mod prune;
mod reduce;
mod scan;
mod scatter;
mod scope;
mod signature;
mod sizes;
mod sort;
#[cfg(test)]
mod tests;

pub(crate) use names::dims_text;

use crate::ast::{ArgType, Expr, ExprKind, Item, Let};
use crate::diag::Errors;
use crate::inline::Callees;
use crate::ir::{Builder, DimSet, Graph, IntSource, Kind, NodeId, Op, Output, Scalar};
use crate::parse::constants;
use inline::Inlined;
use proc_macro2::{Ident, Span};
use scope::Scope;
use std::cell::Cell;
use std::fmt::Display;
use std::rc::Rc;
use syn::ext::IdentExt;

/// A declaration's graph, and what the checks need in addition.
#[derive(Clone, Debug)]
pub(crate) struct Lowered {
    /// The graph.
    pub(crate) graph: Graph,
    /// Where each node was written.
    pub(crate) spans: Vec<Span>,
    /// The value of each result, without its given gradients.
    pub(crate) values: Vec<NodeId>,
    /// The given gradients.
    pub(crate) rules: Vec<LoweredRule>,
    /// The names that the formula mentions.
    pub(crate) used: Used,
    /// Values that are passed to called ops as arguments without a gradient.
    pub(crate) detached: Vec<Detached>,
}

/// A value that is passed to a called op as an argument without a gradient.
#[derive(Clone, Debug)]
pub(crate) struct Detached {
    /// The value.
    pub(crate) node: NodeId,
    /// The position of the value in the call.
    pub(crate) span: Span,
    /// The argument and its op, as a message names them.
    pub(crate) place: String,
}

/// A given gradient.
#[derive(Clone, Debug)]
pub(crate) struct LoweredRule {
    /// Index of the argument.
    pub(crate) arg: usize,
    /// Dims of the rule's value.
    pub(crate) dims: DimSet,
    /// The token that stands for the rule's value.
    pub(crate) span: Span,
}

/// The names that a formula mentions.
#[derive(Clone, Debug)]
pub(crate) struct Used {
    /// Whether each argument is mentioned by name.
    pub(crate) args: Vec<bool>,
    /// The names of all `let`s, also of those in blocks, and whether each is mentioned.
    pub(crate) lets: Vec<(Ident, bool)>,
    /// Dims that are mentioned by name.
    pub(crate) dims: DimSet,
}

/// The value of an expression.
#[derive(Clone, Copy, Debug)]
enum Term {
    /// A value of a fixed kind.
    Node(NodeId),
    /// An integer literal or `len`, or arithmetic on these. It adapts to the kind of the values that it is
    /// combined with. `bool` is there for 0 and 1 in a formula that a call has chosen for bools.
    Number { float: NodeId, int: NodeId, bool: Option<NodeId> },
    /// A mistake that was reported.
    Error,
}

/// The state of lowering.
struct Lower<'a> {
    errors: &'a mut Errors,
    builder: &'a Builder,
    spans: Vec<Span>,
    callees: &'a Callees,
    inlined: Inlined,
    detached: Vec<Detached>,
    seeds: u32,
    /// In how many indices of `at` the walk is. There a dim stands for its own index.
    indices: usize,
    /// The kind that the call has chosen.
    kind: Option<Kind>,
    /// The `let`s so far, and where it is noted that they were used.
    lets: Vec<(Ident, Rc<Cell<bool>>)>,
}

/// Resolves a declaration. `callees` are the ops that it calls.
pub(crate) fn graph(errors: &mut Errors, item: &Item, callees: &Callees) -> Lowered {
    let before = errors.count();
    let declared = signature::declare(errors, item);
    if errors.count() > before {
        // If the signature is wrong, messages about the formula would only be misleading.
        return Lowered::empty(declared.graph);
    }
    let builder = Builder::new(declared.graph);
    let mut lower = Lower {
        errors,
        builder: &builder,
        spans: vec![],
        callees,
        inlined: Inlined::default(),
        detached: vec![],
        seeds: 0,
        indices: 0,
        kind: item.kind,
        lets: vec![],
    };
    let mut scope = Scope::new(declared.dims);
    lower.inputs(&mut scope, item, &declared.arg_dims);
    lower.lets(&mut scope, &item.lets);
    let values = lower.results(&mut scope, item);
    let (nodes, rules) = lower.rules(&mut scope, item, &values);
    let (spans, detached, used) = (lower.spans, lower.detached, scope.used(item, lower.lets));
    let names = output_names("out", item.results.len());
    let kept = |(axes, (ty, value)): (Vec<_>, (&_, &_))| {
        builder.read(|graph| form::kept_axes(graph, ty, axes, *value))
    };
    let axes = declared.results.into_iter().zip(item.results.iter().zip(&values)).map(kept);
    let outputs = names.into_iter().zip(nodes).zip(axes);
    let outputs = outputs
        .map(|((name, node), axes)| Output {
            name,
            node,
            axes,
            like: None,
            hidden: false,
            ints: IntSource::default(),
        })
        .collect::<Vec<_>>();
    builder.declare(|graph| graph.outputs = outputs);
    let graph = builder.finish().with_int_sources();
    prune::prune(Lowered { graph, spans, values, rules, used, detached })
}

impl Lowered {
    fn empty(graph: Graph) -> Lowered {
        let used = Used { args: vec![], lets: vec![], dims: DimSet::EMPTY };
        Lowered { graph, spans: vec![], values: vec![], rules: vec![], used, detached: vec![] }
    }
}

/// `out` for one result, `out0`, `out1`, .. for several.
fn output_names(stem: &str, count: usize) -> Vec<String> {
    if count == 1 { vec![stem.to_string()] } else { (0..count).map(|i| format!("{stem}{i}")).collect() }
}

impl<'a> Lower<'a> {
    #[track_caller]
    fn report(&mut self, span: Span, message: impl Display) -> Term {
        self.errors.at(span, message);
        Term::Error
    }

    /// Sets the span of the nodes that were built since the last call.
    fn mark(&mut self, span: Span) {
        let count = self.builder.read(|graph| graph.nodes.len());
        self.spans.resize(count, span);
    }

    fn dims_of(&self, node: NodeId) -> DimSet {
        self.builder.value(node).dims()
    }

    fn inputs(&mut self, scope: &mut Scope, item: &Item, dims: &[DimSet]) {
        for (index, arg) in item.args.iter().enumerate() {
            let term = match &arg.ty {
                ArgType::Tensor(ty) => Term::Node(self.builder.input(index, dims[index], ty.kind).id),
                ArgType::Scalar(ty) => Term::Node(self.builder.input(index, DimSet::EMPTY, ty.kind()).id),
                ArgType::Number => match item.kind {
                    Some(kind) => Term::Node(self.builder.input(index, DimSet::EMPTY, kind).id),
                    None => Term::Error,
                },
                ArgType::Axis | ArgType::Axes => continue,
                ArgType::Optional(_) | ArgType::Enum(_) | ArgType::Error => Term::Error,
            };
            scope.bind_arg(index, &arg.name, term);
            self.mark(arg.name.span());
        }
    }

    fn lets(&mut self, scope: &mut Scope, lets: &[Let]) {
        for binding in lets {
            let terms = match &binding.names[..] {
                [_] => vec![self.expr(scope, &binding.value)],
                several => self.several(scope, several.len(), &binding.value),
            };
            for (name, term) in binding.names.iter().zip(terms) {
                if let Some(name) = name {
                    self.bind_let(scope, name, term);
                }
            }
            if sizes::made(&binding.value).is_some() {
                self.use_last_let();
            }
        }
    }

    fn bind_let(&mut self, scope: &mut Scope, ident: &Ident, mut term: Term) {
        let name = ident.unraw().to_string();
        if scope.is_dim(&name) {
            term = self.report(ident.span(), format!("`{name}` is a dim: give the `let` its own name"));
        }
        if let Term::Node(id) = term
            && !matches!(self.builder.node(id).op, Op::Input(_) | Op::Literal(_))
        {
            self.builder.name(id, &name);
        }
        let used = scope.bind_let(ident, term);
        self.lets.push((ident.clone(), used));
    }

    /// A `let` that makes a dim is there for the dim.
    fn use_last_let(&self) {
        self.lets.iter().last().into_iter().for_each(|(_, used)| used.set(true));
    }

    /// The values of the results. After a mistake there are fewer than declared.
    fn results(&mut self, scope: &mut Scope, item: &Item) -> Vec<NodeId> {
        let terms: Vec<Term> = item.tail.iter().map(|e| self.expr(scope, e)).collect();
        if item.tail.len() != item.results.len() && !item.tail.is_empty() && !item.results.is_empty() {
            let (given, declared) = (item.tail.len(), item.results.len());
            let message = if declared == 1 {
                format!(
                    "the signature declares 1 result and the formula gives {given}: declare a tuple of {given}"
                )
            } else {
                format!(
                    "the signature declares {declared} results and the formula gives {given}: end it with a tuple of {declared}"
                )
            };
            self.report(item.tail[0].span, message);
            return vec![];
        }
        let each = terms.into_iter().zip(&item.tail).zip(&item.results);
        let nodes: Vec<_> = each
            .map(|((term, e), ty)| match term {
                Term::Number { .. } => self.coerce(term, ty.kind, "the result", e),
                Term::Node(id) => Some(id),
                Term::Error => None,
            })
            .collect();
        nodes.into_iter().collect::<Option<Vec<_>>>().unwrap_or_default()
    }

    /// The value of an expression.
    fn expr(&mut self, scope: &Scope, e: &Expr) -> Term {
        let term = match &e.kind {
            ExprKind::Name(name) => self.name(scope, name),
            ExprKind::Group => {
                self.report(e.span, "`..` is dims, not a value: name it in a reduction, as in `sum(x, ..)`")
            }
            ExprKind::Int(i) => Term::Number {
                float: self.builder.float(*i as f64).id,
                int: self.builder.literal(Scalar::Int(*i)).id,
                bool: match (self.kind, i) {
                    (Some(Kind::Bool), 0 | 1) => Some(self.builder.literal(Scalar::Bool(*i == 1)).id),
                    (Some(_) | None, _) => None,
                },
            },
            ExprKind::Literal(scalar) => Term::Node(self.builder.literal(*scalar).id),
            ExprKind::Operator(prim, operands) => {
                self.apply(*prim, scope, &operands.iter().collect::<Vec<_>>())
            }
            ExprKind::Call(name, args) => self.call(scope, name, args),
            ExprKind::OpCall(call) => self.op_call(scope, call),
            ExprKind::Tuple(_) => self.report(
                e.span,
                "a tuple names dims, as in `sum(x, (m, n))`, or lists the results: here is one value",
            ),
            ExprKind::Form(form) => self.form(scope, form, e.span),
            ExprKind::Error => Term::Error,
        };
        self.mark(e.span);
        term
    }

    fn name(&mut self, scope: &Scope, name: &Ident) -> Term {
        let text = name.unraw().to_string();
        if let Some(term) = scope.value(&text) {
            return term;
        }
        if self.indices > 0
            && let Some(dim) = scope.dims(&text).and_then(reduce::single)
        {
            let dim = self.is_one(dim, name.span());
            return dim.map_or(Term::Error, |dim| Term::Node(self.builder.iota(dim).id));
        }
        match constants::value(&text) {
            Some(value) => Term::Node(self.builder.float(value).id),
            None => {
                let message = names::unknown_value(scope, &text);
                self.report(name.span(), message)
            }
        }
    }
}
