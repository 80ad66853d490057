//! Reductions of the elements that have one index: `scatter_add(x, n, s = ids)` adds each element along `n`
//! to the place `ids` along `s`.

use super::names::Scattering;
use super::scope::Scope;
use super::{Lower, Term};
use crate::ast::Argument;
use crate::ir::{DimSet, Kind, Value};
use crate::prim::{Fold, Prim};
use proc_macro2::Ident;
use syn::ext::IdentExt;

impl Lower<'_> {
    pub(super) fn scatter(
        &mut self,
        scattering: Scattering,
        scope: &Scope,
        name: &Ident,
        args: &[Argument],
    ) -> Term {
        let text = scattering.name();
        let [Argument::Plain(x), Argument::Plain(dims), Argument::Index(to, ids)] = args else {
            let message = format!(
                "`{text}` takes a value, the dims that it reduces, and an index along the dim of the result: write `{text}(x, n, s = ids)`"
            );
            return self.report(name.span(), message);
        };
        let (value, reduced) = (self.number(text, scope, x), self.dims(scope, dims));
        let index = self.expr(scope, ids);
        let index = self.coerce(index, Kind::Int, "an index", ids);
        let place = self.dim_named(scope, to).and_then(super::reduce::single);
        let place = place.and_then(|dim| self.is_one(dim, to.span()));
        let (Some(value), Some(reduced), Some(index), Some(to_dim)) = (value, reduced, index, place) else {
            return Term::Error;
        };
        let (value, index) = (self.builder.value(value), self.builder.value(index));
        let walked = value.dims().union(index.dims());
        let Some(reduced) = self.had(text, &reduced, walked) else { return Term::Error };
        let kept = walked.difference(reduced);
        if kept.contains(to_dim) {
            let n = to.unraw();
            let message = format!(
                "the elements vary along `{n}`: name it among the reduced dims, or give the result another dim"
            );
            return self.report(to.span(), message);
        }
        if !scattering.accepts(value.kind()) {
            return self
                .report(x.span, format!("`{text}` takes floats, and this is int: write `cast(e, float)`"));
        }
        let dims = kept.union(DimSet::one(to_dim));
        let scattered = |x: Value<'_>, fold| x.scatter(fold, to_dim, index, dims).id;
        Term::Node(match scattering {
            Scattering::By(fold) => scattered(value, fold),
            Scattering::Mean => {
                let sum = self.builder.value(scattered(value, Fold::Sum));
                let count = self.builder.value(scattered(self.builder.float(1.0), Fold::Sum));
                (sum / count.zip(Prim::Maximum, self.builder.float(1.0))).id
            }
        })
    }
}
