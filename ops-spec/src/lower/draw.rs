//! Random numbers: `uniform(seed, n)`, `dropout(x, p, seed)` and all other formulas that draw.
//!
//! In `formulas.ops` the last arguments of such a formula are a `stream` and a `position`. A call has dims in
//! the place of the position, which counts along them row-major, in the order of the call. If the first
//! argument is called `x`, the dims may be left out: then they are those of `x`, in the order in which the
//! signature names them. The stream is a setting of the call, `stream = 1`.

use super::inline::{Bound, Call};
use super::scope::Scope;
use super::{Lower, Term};
use crate::ast::{Argument, Expr, ExprKind};
use crate::formulas;
use crate::ir::{ArgType, DimId, DimKind, DimSet, Graph, Kind, NodeId, Scalar};
use proc_macro2::Ident;
use std::rc::Rc;
use syn::ext::IdentExt;

impl Lower<'_> {
    /// The graph of a formula, if it draws.
    pub(super) fn drawing(&mut self, formula: &'static str) -> Option<Rc<Graph>> {
        let [kind] = formulas::kinds(formula)[..] else { return None };
        let graph = self.formula_graph(formula, kind)?;
        let draws =
            graph.args.iter().rev().zip(formulas::OF_DRAWS.iter().rev()).all(|(arg, name)| arg.name == *name);
        draws.then_some(graph)
    }

    /// A call of a formula that draws.
    pub(super) fn draw(&mut self, scope: &Scope, graph: &Rc<Graph>, name: &Ident, args: &[Argument]) -> Term {
        let plain: Vec<&Expr> = args.iter().filter_map(Argument::plain).collect();
        let own = &graph.args[..graph.args.len() - formulas::OF_DRAWS.len()];
        let is_of_x = own[0].name == "x";
        if !(is_of_x && args.len() == own.len() && plain.len() == own.len()) {
            let places: Vec<&str> = own.iter().map(|arg| arg.name.as_str()).chain(["n"]).collect();
            if !self.arity(name, &plain, &places) {
                return Term::Error;
            }
        }
        let values: Vec<Option<NodeId>> = own
            .iter()
            .zip(&plain)
            .map(|(arg, e)| {
                let term = self.expr(scope, e);
                self.coerce(term, kind(&arg.ty), &format!("`{}` of `{}`", arg.name, graph.name), e)
            })
            .collect();
        let Some(stream) = self.stream(graph, args) else { return Term::Error };
        let Some(mut values) = values.into_iter().collect::<Option<Vec<NodeId>>>() else {
            return Term::Error;
        };
        let dims: Vec<DimId> = match plain.get(own.len()) {
            Some(e) => match self.dims(scope, e) {
                Some(named) => named.iter().flat_map(|dims| dims.set.iter()).collect(),
                None => return Term::Error,
            },
            None => self.dims_of(values[0]).iter().collect(),
        };
        let builder = self.builder;
        values.push(builder.literal(Scalar::Int(stream)).id);
        values.push(builder.position_along(dims).id);
        let all = values.iter().fold(DimSet::EMPTY, |all, id| all.union(self.dims_of(*id)));
        let dims = graph.dims.iter().map(|dim| if dim.kind == DimKind::Group { all } else { DimSet::EMPTY });
        let bound = Bound { values: values.into_iter().map(Some).collect(), dims: dims.collect() };
        let call = Call { name: graph.name.clone(), span: name.span(), graph, named: vec![], terms: vec![] };
        match self.inlined(&call, bound).as_deref() {
            Some([value]) => Term::Node(*value),
            Some(_) | None => Term::Error,
        }
    }

    /// The number of the stream, which is 0 if the call does not say.
    fn stream(&mut self, graph: &Graph, args: &[Argument]) -> Option<i64> {
        let mut stream = 0;
        for arg in args {
            let Argument::Index(word, value) = arg else { continue };
            let text = word.unraw().to_string();
            match (text.as_str(), &value.kind) {
                ("stream", ExprKind::Int(number)) => stream = *number,
                ("stream", _) => {
                    self.report(value.span, "the stream is a whole number, as in `stream = 1`");
                    return None;
                }
                (_, _) => {
                    let message = format!(
                        "`{}` takes no `{text} = ..`: behind the dims it takes `stream = 1`",
                        graph.name
                    );
                    self.report(word.span(), message);
                    return None;
                }
            }
        }
        Some(stream)
    }
}

/// The kind of an argument of a formula that draws.
fn kind(ty: &ArgType) -> Kind {
    match ty {
        ArgType::Tensor { kind, .. } => *kind,
        ArgType::Scalar { ty, .. } => ty.kind(),
        ArgType::Shape { .. } | ArgType::Axis { .. } => Kind::Int,
    }
}
