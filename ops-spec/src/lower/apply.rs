//! Elementwise primitives: the kinds of their operands, and how literals adapt to them.

use super::scope::Scope;
use super::{Lower, Term};
use crate::ast::{Expr, ExprKind};
use crate::ir::{Kind, NodeId};
use crate::prim::{Group, Logic, Prim};
use syn::ext::IdentExt;

/// The kind that operands share.
enum Shared {
    Kind(Kind),
    /// All operands adapt.
    Any,
    /// The operands share no kind.
    Reported,
}

impl Lower<'_> {
    /// Applies a primitive to as many expressions as it takes.
    pub(super) fn apply(&mut self, prim: Prim, scope: &Scope, operands: &[&Expr]) -> Term {
        let terms: Vec<Term> = operands.iter().map(|e| self.expr(scope, e)).collect();
        if terms.iter().any(|t| matches!(t, Term::Error)) {
            return Term::Error;
        }
        let mut prim = prim;
        let shared = match prim.group() {
            Group::Function(_) | Group::Rounding(_) | Group::FloatBinary(_) | Group::Test(_) => {
                Shared::Kind(Kind::Float)
            }
            Group::Draw(_) => Shared::Kind(Kind::Int),
            Group::Logic(Logic::Not) if self.is_int(terms[0]) => return self.complement(terms[0]),
            Group::Logic(Logic::Not) => Shared::Kind(Kind::Bool),
            Group::Logic(Logic::And | Logic::Or) if self.are_bools(prim, &terms, operands) => {
                Shared::Kind(Kind::Bool)
            }
            Group::Logic(Logic::And | Logic::Or) => Shared::Reported,
            Group::Bits(bits) => {
                let Some((meant, kind)) = self.bits(bits, &terms, operands) else { return Term::Error };
                prim = meant;
                Shared::Kind(kind)
            }
            Group::Unary(_) | Group::Arithmetic(_) => self.shared(prim, &terms, operands, false),
            Group::Comparison(_) => self.shared(prim, &terms, operands, false).or(Kind::Int),
            Group::Equality(_) => self.shared(prim, &terms, operands, true).or(Kind::Int),
            Group::Choice(_) => return self.select(&terms, operands),
        };
        match shared {
            Shared::Kind(kind) => {
                let what = format!("`{}`", prim.written());
                let each = terms.iter().zip(operands);
                let nodes: Option<Vec<_>> =
                    each.map(|(term, e)| self.coerce(*term, kind, &what, e)).collect();
                nodes.map_or(Term::Error, |nodes| Term::Node(self.build(prim, &nodes)))
            }
            Shared::Any => {
                let build = |kind| {
                    self.build(prim, &terms.iter().filter_map(|t| t.adapted(kind)).collect::<Vec<_>>())
                };
                Term::Number { float: build(Kind::Float), int: build(Kind::Int), bool: None }
            }
            Shared::Reported => Term::Error,
        }
    }

    fn select(&mut self, terms: &[Term], operands: &[&Expr]) -> Term {
        let is_bool = |term: Term| self.kind(term) == Some(Kind::Bool);
        if !is_bool(terms[0]) && is_bool(terms[2]) && !is_bool(terms[1]) {
            return self.report(operands[0].span, "the condition stands first: write `select(cond, a, b)`");
        }
        let cond = self.coerce(terms[0], Kind::Bool, "the condition of `select`", operands[0]);
        let shared = self.shared(Prim::Select, &terms[1..], &operands[1..], true);
        let Some(cond) = cond else { return Term::Error };
        let (yes, no) = (terms[1], terms[2]);
        match shared {
            Shared::Kind(kind) => {
                let yes = self.coerce(yes, kind, "`select`", operands[1]);
                let no = self.coerce(no, kind, "`select`", operands[2]);
                yes.zip(no)
                    .map_or(Term::Error, |(yes, no)| Term::Node(self.build(Prim::Select, &[cond, yes, no])))
            }
            Shared::Any => {
                let build = |kind| {
                    let sides = [yes, no].into_iter().filter_map(|t| t.adapted(kind));
                    self.build(Prim::Select, &std::iter::once(cond).chain(sides).collect::<Vec<_>>())
                };
                Term::Number { float: build(Kind::Float), int: build(Kind::Int), bool: None }
            }
            Shared::Reported => Term::Error,
        }
    }

    pub(super) fn build(&self, prim: Prim, nodes: &[NodeId]) -> NodeId {
        let values: Vec<_> = nodes.iter().map(|id| self.builder.value(*id)).collect();
        self.builder.apply(prim, &values).id
    }

    /// The one kind that all operands share, apart from those that adapt.
    fn shared(&mut self, prim: Prim, terms: &[Term], operands: &[&Expr], bools: bool) -> Shared {
        let kinds: Vec<Option<Kind>> = terms.iter().map(|t| self.kind(*t)).collect();
        // Kinds are ordered: float, int, bool. So in a mix of float and int the message asks to convert the
        // int.
        let Some(kind) = kinds.iter().flatten().min().copied() else { return Shared::Any };
        let name = prim.written();
        if kind == Kind::Bool && !bools {
            let place = kinds.iter().position(|k| *k == Some(Kind::Bool)).unwrap_or(0);
            let text = text(operands[place]);
            self.report(
                operands[place].span,
                format!("`{name}` takes numbers, and this is bool: write `cast({text}, float)` or `select({text}, a, b)`"),
            );
            return Shared::Reported;
        }
        let odd = kinds.iter().zip(terms).position(|(k, term)| match k {
            Some(other) => *other != kind,
            None => term.adapted(kind).is_none(),
        });
        let Some(odd) = odd else { return Shared::Kind(kind) };
        let found = kinds[odd].unwrap_or(Kind::Int);
        let hint = match kind {
            Kind::Bool => "write `true` or `false`".into(),
            Kind::Float | Kind::Int if prim == Prim::Mul && found == Kind::Bool => {
                masked(kind, operands[odd], operands[1 - odd])
            }
            Kind::Float | Kind::Int => conversion(kind, operands[odd]),
        };
        self.report(
            operands[odd].span,
            format!(
                "`{name}` has {} {kind} on its other side, and this is {found}: {hint}",
                if kind == Kind::Int { "an" } else { "a" }
            ),
        );
        Shared::Reported
    }

    /// The kind of a term. `None` if it adapts.
    pub(super) fn kind(&self, term: Term) -> Option<Kind> {
        match term {
            Term::Node(id) => Some(self.builder.value(id).kind()),
            Term::Number { .. } | Term::Error => None,
        }
    }

    /// The term as a node of this kind. `what` names the function or place that needs this kind, for the
    /// message.
    pub(super) fn coerce(&mut self, term: Term, kind: Kind, what: &str, e: &Expr) -> Option<NodeId> {
        let found = match term {
            Term::Error => return None,
            Term::Number { .. } => Kind::Int,
            Term::Node(id) => self.builder.value(id).kind(),
        };
        let node = term.adapted(kind).filter(|id| self.builder.value(*id).kind() == kind);
        if node.is_none() {
            let hint = conversion(kind, e);
            self.report(e.span, format!("{what} takes {kind}, and this is {found}: {hint}"));
        }
        node
    }
}

impl Shared {
    /// If all operands adapt, they are of this kind.
    fn or(self, kind: Kind) -> Shared {
        match self {
            Shared::Any => Shared::Kind(kind),
            Shared::Kind(_) | Shared::Reported => self,
        }
    }
}

impl Term {
    /// The node. If the term adapts, it is the version for this kind.
    pub(super) fn adapted(self, kind: Kind) -> Option<NodeId> {
        match (self, kind) {
            (Term::Node(id), _) => Some(id),
            (Term::Number { float, .. }, Kind::Float) => Some(float),
            (Term::Number { int, .. }, Kind::Int) => Some(int),
            (Term::Number { bool, .. }, Kind::Bool) => bool,
            (Term::Error, _) => None,
        }
    }
}

/// How to get a value of this kind.
fn conversion(kind: Kind, e: &Expr) -> String {
    let text = text(e);
    match kind {
        Kind::Float | Kind::Int => format!("write `cast({text}, {kind})`"),
        Kind::Bool => format!("compare it, such as `{text} > 0`"),
    }
}

/// What to write instead of a number times a condition. In `select` there is no `0 * NaN`.
fn masked(kind: Kind, cond: &Expr, number: &Expr) -> String {
    let zero = if kind == Kind::Int { "0" } else { "0.0" };
    let value = if let ExprKind::Name(name) = &number.kind { name.unraw().to_string() } else { "a".into() };
    let cond = text(cond);
    format!("write `select({cond}, {value}, {zero})`, or `cast({cond}, {kind})`")
}

/// The name of a value, to be quoted in a message; `e` for an expression.
fn text(e: &Expr) -> String {
    match &e.kind {
        ExprKind::Name(name) => name.unraw().to_string(),
        ExprKind::Group | ExprKind::Int(_) | ExprKind::Literal(_) | ExprKind::Operator(..) => "e".to_string(),
        ExprKind::Call(..) | ExprKind::OpCall(_) | ExprKind::Form(_) => "e".to_string(),
        ExprKind::Tuple(_) | ExprKind::Error => "e".to_string(),
    }
}
