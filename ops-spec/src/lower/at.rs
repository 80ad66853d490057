//! `at(x, h = i * stride + k - pad, w = ids, or = 0.0)`: reads a value at given indices along dims.
//!
//! An index that is an affine function of the indices along dims becomes a window, which is a view of the
//! value. Any other index is read from memory. Several indices are applied one after the other.

use super::border::{self, Border};
use super::names::dims_text;
use super::reduce::{NamedDims, single};
use super::scope::Scope;
use super::{Lower, Term};
use crate::ast::{Argument, Expr, ExprKind};
use crate::ir::{Affine, Builder, DimId, DimSet, Kind, NodeId, Op, Position, Scalar, Size, Value};
use crate::prim::Prim;
use proc_macro2::Ident;
use syn::ext::IdentExt;

/// The word for the value outside.
pub(super) const OR: &str = "or";
/// The division whose result must be whole.
pub(super) const DIV_EXACT: &str = "div_exact";

/// An index along a dim.
struct Index {
    dim: DimId,
    /// The index, or the numerator of an exact division.
    node: NodeId,
    divisor: Option<Size>,
    /// Whether it was brought inside, so that nothing lies outside.
    is_inside: bool,
}

/// An index as it is written.
enum Form<'e> {
    Plain(&'e Expr),
    DivExact(&'e Expr, &'e Expr),
    Border(Border, &'e Expr),
}

impl Lower<'_> {
    pub(super) fn at(&mut self, scope: &Scope, name: &Ident, args: &[Argument]) -> Term {
        let [Argument::Plain(source), rest @ ..] = args else {
            return self.report(name.span(), "`at` takes a value and indices: write `at(x, n = ids)`");
        };
        let mut given: Vec<(&Ident, &Expr)> = vec![];
        let mut or = None;
        for arg in rest {
            match arg {
                Argument::Index(word, _) if word == OR && or.is_some() => {
                    return self.report(word.span(), "a second `or`: remove one");
                }
                Argument::Index(word, e) if word == OR => or = Some((word, e)),
                Argument::Index(dim, e) => given.push((dim, e)),
                Argument::Plain(e) => {
                    return self.report(e.span, "an index has the name of its dim: write `at(x, n = ids)`");
                }
            }
        }
        if given.is_empty() {
            return self.report(name.span(), "`at` takes a value and indices: write `at(x, n = ids)`");
        }
        let source = self.expr(scope, source);
        let indices: Vec<Option<Index>> =
            given.iter().map(|(dim, e)| self.index(scope, dim, e, or.is_some())).collect();
        let outside = match or {
            Some((_, e)) => self.outside(scope, e, source).map(Some),
            None => Some(None),
        };
        let (Some(source), Some(indices), Some(outside)) =
            (self.as_node(source), indices.into_iter().collect::<Option<Vec<_>>>(), outside)
        else {
            return Term::Error;
        };
        if let Some((word, _)) = or
            && indices.iter().all(|index| index.is_inside)
        {
            return self
                .report(word.span(), "no index is outside here, as each is brought inside: remove `or`");
        }
        let has = self.dims_of(source);
        for ((dim, _), index) in given.iter().zip(&indices) {
            let named = NamedDims { set: DimSet::one(index.dim), span: dim.span() };
            if self.had("at", &[named], has).is_none() {
                return Term::Error;
            }
        }
        match self.tangled(&given, &indices) {
            Some(term) => term,
            None => Term::Node(self.read(source, &indices, outside)),
        }
    }

    /// An index that uses the index along a dim which another index replaces would read the new one.
    fn tangled(&mut self, given: &[(&Ident, &Expr)], indices: &[Index]) -> Option<Term> {
        for (place, index) in indices.iter().enumerate() {
            if indices[..place].iter().any(|other| other.dim == index.dim) {
                let text = format!("a second index along `{}`: remove one", given[place].0.unraw());
                return Some(self.report(given[place].0.span(), text));
            }
            let dims = self.dims_of(index.node);
            let later = indices[place + 1..].iter().find(|later| dims.contains(later.dim));
            if let Some(later) = later {
                let name = self.builder.read(|graph| dims_text(graph, DimSet::one(later.dim)));
                let text = if self.dims_of(later.node).contains(index.dim) {
                    "these indices use each other's dims: give the result dims of its own, such as `i = n`, and index by `i`".to_string()
                } else {
                    format!(
                        "this index uses {name}, which a later index replaces: write the later index first"
                    )
                };
                return Some(self.report(given[place].1.span, text));
            }
        }
        None
    }

    fn index(&mut self, scope: &Scope, dim: &Ident, e: &Expr, has_or: bool) -> Option<Index> {
        let form = self.index_form(e, has_or)?;
        let (Form::Plain(value) | Form::DivExact(value, _) | Form::Border(_, value)) = form;
        let node = self.index_value(scope, value);
        let divisor = match form {
            Form::DivExact(_, e) => Some(self.divisor(scope, e)?),
            Form::Plain(_) | Form::Border(..) => None,
        };
        let named = self.dim_named(scope, dim).and_then(single);
        let named = named.and_then(|one| self.is_one(one, dim.span()));
        let (dim, node) = (named?, node?);
        let Form::Border(border, _) = form else {
            return Some(Index { dim, node, divisor, is_inside: false });
        };
        let builder = self.builder;
        let stays = builder
            .read(|graph| graph.as_affine(node).is_some_and(|affine| border::is_inside(graph, &affine, dim)));
        let len = builder.len(DimSet::one(dim), Kind::Int);
        let node = if stays { node } else { border.inside(builder.value(node), len).id };
        Some(Index { dim, node, divisor, is_inside: true })
    }

    fn index_form<'e>(&mut self, e: &'e Expr, has_or: bool) -> Option<Form<'e>> {
        let ExprKind::Call(name, args) = &e.kind else { return Some(Form::Plain(e)) };
        let name = name.unraw().to_string();
        let border = Border::from_name(&name);
        let message = match (&args[..], border) {
            ([Argument::Plain(value)], Some(border)) => return Some(Form::Border(border, value)),
            (_, Some(Border::Wrap | Border::Reflect)) => {
                format!("`{name}` takes one index: write `{name}(i)`")
            }
            (_, Some(Border::Clamp)) => return Some(Form::Plain(e)),
            (_, None) if name != DIV_EXACT => return Some(Form::Plain(e)),
            ([Argument::Plain(a), Argument::Plain(b)], None) if has_or => {
                return Some(Form::DivExact(a, b));
            }
            ([Argument::Plain(_), Argument::Plain(_)], None) => {
                "`div_exact(a, b)` needs a value for where `b` does not divide `a`: write `at(x, n = div_exact(a, b), or = 0.0)`".to_string()
            }
            (_, None) => "`div_exact` takes two numbers: write `div_exact(a, b)`".to_string(),
        };
        self.report(e.span, message);
        None
    }

    /// The value of an index, in which a dim stands for its own index.
    fn index_value(&mut self, scope: &Scope, e: &Expr) -> Option<NodeId> {
        self.indices += 1;
        let term = self.expr(scope, e);
        self.indices -= 1;
        self.coerce(term, Kind::Int, "an index", e)
    }

    fn divisor(&mut self, scope: &Scope, e: &Expr) -> Option<Size> {
        let node = self.index_value(scope, e)?;
        let size = self.builder.read(|graph| graph.as_size(node));
        let message = match &size {
            None => {
                "`div_exact` divides by one number for all elements: write it with integers, integer arguments and `len(n)`, by `+ - *`"
            }
            Some(Size::Literal(0)) => "this divides by 0: write another number",
            Some(_) => return size,
        };
        self.report(e.span, message);
        None
    }

    /// The value outside, of the kind of the source.
    fn outside(&mut self, scope: &Scope, e: &Expr, source: Term) -> Option<NodeId> {
        let kind = self.builder.value(self.as_node(source)?).kind();
        let term = self.expr(scope, e);
        self.coerce(term, kind, "the value outside", e)
    }

    fn read(&mut self, source: NodeId, indices: &[Index], outside: Option<NodeId>) -> NodeId {
        let builder = self.builder;
        let zero = Scalar::Bool(false).cast(builder.value(source).kind());
        let literal = outside.and_then(|id| literal(builder, id));
        let affine: Vec<Option<Affine>> =
            indices.iter().map(|index| builder.read(|graph| graph.as_affine(index.node))).collect();
        // A window can hold the value outside, if it is a constant. Otherwise it is chosen by a condition.
        let in_window = |(index, affine): (&Index, &Option<Affine>)| index.is_inside || affine.is_some();
        let fill =
            literal.filter(|value| indices.iter().zip(&affine).all(in_window) && fits_all_dtypes(*value));
        let mut value = builder.value(source);
        let mut inside: Option<Value<'_>> = None;
        for (index, affine) in indices.iter().zip(affine) {
            let outside = outside.filter(|_| !index.is_inside).map(|_| fill.unwrap_or(zero));
            let divisor = index.divisor.clone().unwrap_or(Size::Literal(1));
            let (next, hit) = match affine {
                Some(affine) => {
                    let position = Position { index: affine, divisor, outside };
                    let hit =
                        (fill.is_none() && outside.is_some()).then(|| position.values(builder, index.dim).1);
                    (value.window(index.dim, position), hit)
                }
                None => self.gathered(value, index, outside.is_some()),
            };
            value = next;
            inside = match (inside, hit) {
                (Some(a), Some(b)) => Some(a.zip(Prim::And, b)),
                (a, b) => a.or(b),
            };
        }
        match (inside, outside) {
            (Some(inside), Some(outside)) => builder.select(inside, value, builder.value(outside)).id,
            _ => value.id,
        }
    }

    /// The source at an index from memory; and where the index is inside, if it may be outside.
    fn gathered<'v>(
        &self,
        source: Value<'v>,
        index: &Index,
        may_be_outside: bool,
    ) -> (Value<'v>, Option<Value<'v>>) {
        let builder = source.builder();
        let node = builder.value(index.node);
        if !may_be_outside {
            return (source.at(index.dim, node), None);
        }
        let int = |value| builder.literal(Scalar::Int(value));
        let (zero, len) = (int(0), builder.len(DimSet::one(index.dim), Kind::Int));
        let (node, is_whole) = match &index.divisor {
            Some(divisor) => {
                let divisor = divisor.node(builder);
                let rest = node.zip(Prim::Rem, divisor);
                (node / divisor, Some(rest.zip(Prim::Eq, zero)))
            }
            None => (node, None),
        };
        let inside = node.zip(Prim::Ge, zero).zip(Prim::And, node.zip(Prim::Lt, len));
        let inside = is_whole.map_or(inside, |whole| inside.zip(Prim::And, whole));
        let safe = node.zip(Prim::Maximum, zero).zip(Prim::Minimum, len - int(1));
        (source.at(index.dim, safe), Some(inside))
    }
}

/// Whether each dtype of its kind has the number. A window has the dtype of its source, which is known only
/// when the op is called, and numbers of a formula are not rounded to it.
fn fits_all_dtypes(value: Scalar) -> bool {
    // The digits of bf16, and the range of f16.
    let has_few_digits = |x: f64| x.to_bits().trailing_zeros() >= 52 - 7;
    match value {
        Scalar::Bool(_) => true,
        Scalar::Int(value) => (0..=i64::from(i8::MAX)).contains(&value),
        Scalar::Float(x) if x == 0.0 || !x.is_finite() => true,
        Scalar::Float(x) => (6.2e-5..=65504.0).contains(&x.abs()) && has_few_digits(x),
    }
}

/// The number that a value is, if it is written as one, with or without a minus.
fn literal(builder: &Builder, id: NodeId) -> Option<Scalar> {
    match builder.node(id).op {
        Op::Literal(value) => Some(value),
        Op::Apply(Prim::Neg, args) => match builder.node(args[0]).op {
            Op::Literal(Scalar::Float(value)) => Some(Scalar::Float(-value)),
            Op::Literal(Scalar::Int(value)) => value.checked_neg().map(Scalar::Int),
            _ => None,
        },
        _ => None,
    }
}
