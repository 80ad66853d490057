//! Dims that no name of the formula means: those that the formula of a called op makes, and those that hold
//! several indices as one.

use super::super::reduce::one_axis;
use super::{Bound, Call, Lower};
use crate::ir::{Dim, DimId, DimKind, DimSet};
use proc_macro2::Span;

impl Lower<'_> {
    /// Adds the dims that the op makes. No value outside of the op has such a dim, so several calls may have
    /// it in common.
    pub(super) fn made_dims(&mut self, call: &Call<'_>, bound: &mut Bound) -> Option<()> {
        for dim in call.graph.made_dims().iter() {
            let Some(size) = call.graph.own_size(dim) else { continue };
            let name = &call.graph.dim(dim).name;
            let is_wide = |own: &DimId| one_axis(self.builder, bound.dims[own.index()]).is_none();
            let wide = size.dims().iter().find(is_wide);
            let message = match (wide, bound.size(self.builder, &size)) {
                (None, Some(size)) => {
                    let number = size.literal().and_then(|size| usize::try_from(size).ok());
                    let kind = number.map_or(DimKind::Computed(size), DimKind::Fixed);
                    let is_taken = |dim: DimId| bound.dims.iter().any(|set| set.contains(dim));
                    let made = self.made_dim(name, kind, is_taken, call.span)?;
                    bound.dims[dim.index()] = DimSet::one(made);
                    continue;
                }
                (Some(wide), _) => {
                    let wide = &call.graph.dim(wide).name;
                    format!("`{}` takes one dim for `{wide}`: it makes a dim of its size", call.name)
                }
                (None, None) => {
                    format!("`{}` {}", call.name, bound.not_a_number(self.builder, call.graph, &size))
                }
            };
            self.report(call.span, message);
            return None;
        }
        Some(())
    }

    /// A dim of this kind that no name of the formula means. It may be one that is there already, unless that
    /// is taken.
    pub(in super::super) fn made_dim(
        &mut self,
        name: &str,
        kind: DimKind,
        is_taken: impl Fn(DimId) -> bool,
        span: Span,
    ) -> Option<DimId> {
        let has_kind = |dim: DimId| self.builder.read(|graph| graph.dim(dim).kind == kind);
        let known = self.inlined.made.iter().copied().find(|dim| !is_taken(*dim) && has_kind(*dim));
        if known.is_some() {
            return known;
        }
        let name = self.builder.read(|graph| {
            let is_free = |name: &String| {
                graph.dims.iter().all(|dim| dim.name != *name)
                    && graph.args.iter().all(|arg| arg.name != *name)
            };
            let numbered = (1..).map(|number| format!("{name}{number}"));
            std::iter::once(name.to_string()).chain(numbered).find(is_free)
        })?;
        let count = self.builder.read(|graph| graph.dims.len());
        if count == DimId::MAX {
            self.report(span, format!("an op has at most {} dims", DimId::MAX));
            return None;
        }
        self.builder.declare(|graph| graph.dims.push(Dim { name, kind }));
        let dim = DimId::new(count);
        self.inlined.made.push(dim);
        Some(dim)
    }
}
