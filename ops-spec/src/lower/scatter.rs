//! Reductions of the elements that have one index: `scatter_add(x, n, s = ids)` adds each element along `n`
//! to the place `ids` along `s`.
//!
//! Several indices, `scatter_add(x, n, s = i, t = j)`, are one index along a dim that holds `s` and `t`
//! row-major. What is read of it afterwards is a view.

use super::names::Scattering;
use super::scope::Scope;
use super::{Lower, Term};
use crate::ast::Argument;
use crate::ir::{DimId, DimKind, DimSet, Kind, NodeId, Position, Size, SizeOp, Value};
use crate::prim::{Fold, Prim};
use proc_macro2::{Ident, Span};
use syn::ext::IdentExt;

/// Where elements go along one dim of the result.
#[derive(Clone, Copy)]
struct Place<'e> {
    /// As it is written.
    word: &'e Ident,
    dim: DimId,
    index: NodeId,
}

impl Lower<'_> {
    pub(super) fn scatter(
        &mut self,
        scattering: Scattering,
        scope: &Scope,
        name: &Ident,
        args: &[Argument],
    ) -> Term {
        let text = scattering.name();
        let [Argument::Plain(x), Argument::Plain(dims), first @ Argument::Index(..), more @ ..] = args else {
            let message = format!(
                "`{text}` takes a value, the dims that it reduces, and an index along the dim of the result: write `{text}(x, n, s = ids)`"
            );
            return self.report(name.span(), message);
        };
        let (value, reduced) = (self.number(text, scope, x), self.dims(scope, dims));
        let given = std::iter::once(first).chain(more);
        let places: Vec<Option<Place<'_>>> = given.map(|arg| self.place(text, scope, arg)).collect();
        let places: Option<Vec<Place<'_>>> = places.into_iter().collect();
        let (Some(value), Some(reduced), Some(places)) = (value, reduced, places) else {
            return Term::Error;
        };
        let value = self.builder.value(value);
        let has = |dims: DimSet, place: &Place<'_>| dims.union(self.dims_of(place.index));
        let walked = places.iter().fold(value.dims(), has);
        let Some(reduced) = self.had(text, &reduced, walked) else { return Term::Error };
        let kept = walked.difference(reduced);
        if let Some(term) = self.misplaced(&places, kept) {
            return term;
        }
        if value.kind() == Kind::Int && !scattering.takes_ints() {
            return self
                .report(x.span, format!("`{text}` takes floats, and this is int: write `cast(e, float)`"));
        }
        let Some((dim, index)) = self.one_index(&places, name.span()) else { return Term::Error };
        let index = self.builder.value(index);
        let scattered = scattered(scattering, value, dim, index, kept.union(DimSet::one(dim)));
        Term::Node(self.split(scattered, dim, &places).id)
    }

    fn place<'e>(&mut self, text: &str, scope: &Scope, arg: &'e Argument) -> Option<Place<'e>> {
        let (word, e) = match arg {
            Argument::Index(word, e) => (word, e),
            Argument::Plain(e) => {
                let message = format!("an index has the name of its dim: write `{text}(x, n, s = i, t = j)`");
                self.report(e.span, message);
                return None;
            }
        };
        let index = self.expr(scope, e);
        let index = self.coerce(index, Kind::Int, "an index", e);
        let dim = self.dim_named(scope, word).and_then(super::reduce::single);
        let dim = dim.and_then(|dim| self.is_one(dim, word.span()));
        Some(Place { word, dim: dim?, index: index? })
    }

    /// Each dim is addressed once, and no element has a position along it.
    fn misplaced(&mut self, places: &[Place<'_>], kept: DimSet) -> Option<Term> {
        for (at, place) in places.iter().enumerate() {
            let n = place.word.unraw();
            let message = if kept.contains(place.dim) {
                format!(
                    "the elements vary along `{n}`: name it among the reduced dims, or give the result another dim"
                )
            } else if places[..at].iter().any(|other| other.dim == place.dim) {
                format!("a second index along `{n}`: remove one")
            } else {
                continue;
            };
            return Some(self.report(place.word.span(), message));
        }
        None
    }

    /// The dim and the index by which elements are combined. Each of several indices is checked by itself:
    /// one that is out of range must not reach the next row.
    fn one_index(&mut self, places: &[Place<'_>], span: Span) -> Option<(DimId, NodeId)> {
        let builder = self.builder;
        if let [place] = places {
            return Some((place.dim, place.index));
        }
        let lens = places.iter().map(|place| Size::Len(place.dim));
        let size = lens.reduce(|a, b| Size::pair(SizeOp::Mul, a, b))?;
        let words: Vec<String> = places.iter().map(|place| place.word.unraw().to_string()).collect();
        let dim = self.made_dim(&words.join("_"), DimKind::Computed(size), |_| false, span)?;
        let checked = places
            .iter()
            .map(|place| (place.dim, builder.iota(place.dim).at(place.dim, builder.value(place.index))));
        let index = checked.reduce(|(_, before), (dim, index)| {
            (dim, before * builder.len(DimSet::one(dim), Kind::Int) + index)
        });
        index.map(|(_, index)| (dim, index.id))
    }

    /// The result of several indices, with the dims that they address.
    fn split<'v>(&self, value: Value<'v>, dim: DimId, places: &[Place<'_>]) -> Value<'v> {
        let builder = value.builder();
        let position = builder.position_along(places.iter().map(|place| place.dim));
        let index = builder.read(|graph| graph.as_affine(position.id));
        match index.filter(|_| places.len() > 1) {
            Some(index) => value.window(dim, Position { index, divisor: Size::Literal(1), outside: None }),
            None => value,
        }
    }
}

fn scattered<'v>(
    scattering: Scattering,
    value: Value<'v>,
    dim: DimId,
    index: Value<'v>,
    dims: DimSet,
) -> Value<'v> {
    let builder = value.builder();
    match scattering {
        Scattering::By(fold) => value.scatter(fold, dim, index, dims),
        Scattering::Mean => {
            let sum = value.scatter(Fold::Sum, dim, index, dims);
            let count = builder.float(1.0).scatter(Fold::Sum, dim, index, dims);
            sum / count.zip(Prim::Maximum, builder.float(1.0))
        }
    }
}
