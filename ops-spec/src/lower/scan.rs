//! Scans: `cumsum(x, n)`, `cumsum(x, n, reverse = true, exclusive = true)`, and
//! `linear_recurrence(decay, x, n, init = h)`.

use super::reduce::{NamedDims, single};
use super::scope::Scope;
use super::{Lower, Term};
use crate::ast::{Argument, Expr, ExprKind};
use crate::ir::{Affine, DimId, DimSet, Kind, NodeId, Position, Scalar, Size, Value};
use crate::prim::{Prim, Scan};
use proc_macro2::Ident;
use syn::ext::IdentExt;

/// What may be said of a scan behind its dim.
#[derive(Default)]
struct Settings<'e> {
    reverse: bool,
    exclusive: bool,
    init: Option<&'e Expr>,
}

impl Lower<'_> {
    pub(super) fn scan(&mut self, scan: Scan, scope: &Scope, name: &Ident, args: &[Argument]) -> Term {
        let places: Vec<&str> = scan.row().operands.iter().copied().chain(["n"]).collect();
        let plain: Vec<&Expr> = args.iter().filter_map(Argument::plain).collect();
        if !self.arity(name, &plain, &places) {
            return Term::Error;
        }
        let Some(settings) = self.settings(scan, args) else { return Term::Error };
        let (operands, dim) = plain.split_at(scan.arity());
        let values: Option<Vec<NodeId>> = match scan {
            Scan::Sum | Scan::Prod | Scan::Max | Scan::Min => {
                self.number(scan.name(), scope, operands[0]).map(|id| vec![id])
            }
            Scan::Linear => operands.iter().map(|e| self.float(scan, scope, e)).collect(),
        };
        let init = settings.init.map(|e| self.float(scan, scope, e));
        let (Some(mut values), Some(dim)) = (values, self.one_dim(scan.name(), &places, scope, dim[0]))
        else {
            return Term::Error;
        };
        let builder = self.builder;
        let has = values.iter().fold(DimSet::EMPTY, |set, id| set.union(builder.value(*id).dims()));
        if self.had(scan.name(), &[dim.1], has).is_none() {
            return Term::Error;
        }
        match init {
            Some(Some(init)) => {
                let [decay, x] = [values[0], values[1]].map(|id| builder.value(id));
                values[1] = started(decay, x, builder.value(init), dim.0, settings.reverse).id;
            }
            Some(None) => return Term::Error,
            None => {}
        }
        let values: Vec<Value<'_>> = values.iter().map(|id| builder.value(*id)).collect();
        let result = builder.scan(scan, dim.0, settings.reverse, &values);
        match identity(scan).filter(|_| settings.exclusive) {
            Some(identity) => Term::Node(before(result, identity, dim.0, settings.reverse).id),
            None => Term::Node(result.id),
        }
    }

    fn settings<'e>(&mut self, scan: Scan, args: &'e [Argument]) -> Option<Settings<'e>> {
        let mut settings = Settings::default();
        for arg in args {
            let Argument::Index(word, value) = arg else { continue };
            let text = word.unraw().to_string();
            match text.as_str() {
                "reverse" => settings.reverse = self.literal_bool(word, value)?,
                "exclusive" if identity(scan).is_some() => {
                    settings.exclusive = self.literal_bool(word, value)?;
                }
                "init" if scan == Scan::Linear => settings.init = Some(value),
                "dim" | "axis" => {
                    let message = format!("dims go by name: write `{}(x, n)`", scan.name());
                    self.report(word.span(), message);
                    return None;
                }
                _ => {
                    let more = match scan {
                        Scan::Sum | Scan::Prod => " and `exclusive = true`",
                        Scan::Linear => " and `init = h`",
                        Scan::Max | Scan::Min => "",
                    };
                    let message = format!(
                        "`{}` takes no `{text} = ..`: behind the dim it takes `reverse = true`{more}",
                        scan.name()
                    );
                    self.report(word.span(), message);
                    return None;
                }
            }
        }
        Some(settings)
    }

    /// The direction is the same in every call, because it decides what the gradient is.
    pub(super) fn literal_bool(&mut self, word: &Ident, value: &Expr) -> Option<bool> {
        if let ExprKind::Literal(Scalar::Bool(value)) = value.kind {
            return Some(value);
        }
        let flag = if let ExprKind::Name(name) = &value.kind { name.unraw() } else { word.unraw() };
        let message = format!(
            "`{}` is `true` or `false`: for an argument of type `bool` write `if {flag} {{ .. }} else {{ .. }}`",
            word.unraw()
        );
        self.report(value.span, message);
        None
    }

    /// An operand that is a float or an int.
    pub(super) fn number(&mut self, text: &str, scope: &Scope, e: &Expr) -> Option<NodeId> {
        let term = self.expr(scope, e);
        let id = self.as_node(term)?;
        if self.builder.value(id).kind() != Kind::Bool {
            return Some(id);
        }
        self.report(e.span, format!("`{text}` takes numbers, and this is bool: write `cast(e, int)`"));
        None
    }

    fn float(&mut self, scan: Scan, scope: &Scope, e: &Expr) -> Option<NodeId> {
        let term = self.expr(scope, e);
        self.coerce(term, Kind::Float, &format!("`{}`", scan.name()), e)
    }

    /// The one dim along which a function goes that is called like this.
    pub(super) fn one_dim(
        &mut self,
        name: &str,
        places: &[&str],
        scope: &Scope,
        e: &Expr,
    ) -> Option<(DimId, NamedDims)> {
        let mut dims = self.dims(scope, e)?;
        let one = dims.first().and_then(|dim| single(dim.set)).filter(|_| dims.len() == 1);
        let Some(dim) = one else {
            let call = places.join(", ");
            self.report(e.span, format!("`{name}` goes along one dim: write `{name}({call})`"));
            return None;
        };
        Some((self.is_one(dim, e.span)?, dims.remove(0)))
    }
}

/// The result before the first element, if it is a number of each dtype.
fn identity(scan: Scan) -> Option<f64> {
    match scan {
        Scan::Sum => Some(0.0),
        Scan::Prod => Some(1.0),
        Scan::Max | Scan::Min | Scan::Linear => None,
    }
}

/// The result before each element.
fn before<'b>(result: Value<'b>, identity: f64, dim: DimId, reverse: bool) -> Value<'b> {
    let offset = Size::Literal(if reverse { 1 } else { -1 });
    let outside = Some(Scalar::Float(identity).cast(result.kind()));
    let index = Affine { offset, steps: vec![(dim, Size::Literal(1))] };
    result.window(dim, Position { index, divisor: Size::Literal(1), outside })
}

/// What a recurrence adds, if it starts from a value: that value, times the first factor, belongs to the
/// first element.
fn started<'b>(decay: Value<'b>, x: Value<'b>, init: Value<'b>, dim: DimId, reverse: bool) -> Value<'b> {
    let builder = x.builder();
    let int = |value| builder.literal(Scalar::Int(value));
    let first = if reverse { builder.len(DimSet::one(dim), Kind::Int) - int(1) } else { int(0) };
    let is_first = builder.iota(dim).zip(Prim::Eq, first);
    builder.select(is_first, decay * init + x, x)
}
