//! The two loops of a loop: one over rows, one over elements.

use super::programs::Split;
use crate::block::ByKind;
use crate::kernel::plan::{Body, Dest, LoopPlan, PassPlan, UniformSource};
use crate::kernel::real::Real;
use crate::nest::Nest;
use tensor_op_core::Result;
use tensor_op_spec::ir::Kind;

/// The programs of a loop that computes many rows at once: for each pass those that it is split into, if it
/// needs that.
pub(crate) struct Splits(Vec<Option<Split>>);

impl Splits {
    /// `None` if it is not known what the bodies of the loop compute.
    pub(crate) fn new<E>(plan: &LoopPlan<E>) -> Result<Option<Splits>> {
        let split = |pass: &PassPlan<E>| match &pass.program {
            _ if !pass.depends_on_rows() => Some(Ok(None)),
            Some(program) => Some(Split::new(pass, program).map(Some)),
            None => None,
        };
        let splits: Option<Result<Vec<_>>> = plan.passes.iter().map(split).collect();
        Ok(splits.transpose()?.map(Splits))
    }
}

/// A loop as two loops.
pub(crate) struct SplitLoop<'s, E> {
    /// What is computed once per row: all rows of the loop are one row of it.
    pub(super) of_rows: LoopPlan<E>,
    /// What is computed at each element: all elements of the loop are one row of it.
    pub(crate) each: LoopPlan<E>,
    pub(crate) passes: Vec<SplitPass<'s>>,
}

/// A pass: its numbers in both loops.
pub(crate) struct SplitPass<'s> {
    pub(super) of_rows: Option<(usize, &'s Split)>,
    pub(crate) each: Option<usize>,
}

impl<'s, E: Real> SplitLoop<'s, E> {
    /// The loops over these rows and these elements.
    pub(crate) fn new(
        plan: &LoopPlan<E>,
        splits: &'s Splits,
        rows: Nest,
        elements: Nest,
    ) -> SplitLoop<'s, E> {
        let (mut of_rows, mut each, mut passes) = (Vec::new(), Vec::new(), Vec::new());
        for (pass, split) in plan.passes.iter().zip(&splits.0) {
            let number = split.as_ref().map(|split| (of_rows.len(), split));
            of_rows.extend(split.as_ref().map(|split| over_rows(pass, split)));
            let own = over_elements(pass, split.as_ref());
            passes.push(SplitPass { of_rows: number, each: own.as_ref().map(|_| each.len()) });
            each.extend(own);
        }
        let with = |inner: Nest, passes| LoopPlan {
            operands: plan.operands.clone(),
            outer: Nest::new(plan.operands.len()),
            inner,
            passes,
            statistics: plan.statistics,
            columns: plan.columns.clone(),
            windows: plan.windows.clone(),
            kept: plan.kept,
        };
        SplitLoop { of_rows: with(rows, of_rows), each: with(elements, each), passes }
    }
}

impl SplitPass<'_> {
    /// How many values of a kind are spread over rows.
    pub(super) fn spread(&self, kind: Kind) -> usize {
        let spread = self.each.and(self.of_rows).map_or(&[][..], |(_, split)| &split.spread);
        spread.iter().filter(|own| **own == kind).count()
    }
}

/// What a pass computes once per row.
fn over_rows<E: Real>(pass: &PassPlan<E>, split: &Split) -> PassPlan<E> {
    let mut elements = ByKind::<Vec<usize>, Vec<usize>, Vec<usize>>::default();
    for uniform in &split.row_uniforms {
        if let UniformSource::Operand(operand) = uniform.source {
            elements.of_mut(uniform.kind).push(operand);
        }
    }
    let results = if pass.per_row {
        let at_rows = |dests: &Vec<Dest>| dests.iter().map(|dest| dest.of_row()).collect();
        let ByKind { floats, ints, bools } = &pass.results;
        ByKind { floats: at_rows(floats), ints: at_rows(ints), bools: at_rows(bools) }
    } else {
        let spread = |kind| split.spread.iter().filter(|own| **own == kind).map(|_| Dest::Nowhere).collect();
        ByKind { floats: spread(Kind::Float), ints: spread(Kind::Int), bools: spread(Kind::Bool) }
    };
    let (body, uniforms) = (Body::Program(split.rows.clone()), fixed(pass));
    PassPlan { body, program: None, per_row: false, uniforms, row_uniforms: Vec::new(), elements, results }
}

/// What a pass computes at each element.
fn over_elements<E: Real>(pass: &PassPlan<E>, split: Option<&Split>) -> Option<PassPlan<E>> {
    let Some(split) = split else { return Some(pass.clone()) };
    let body = split.each.clone()?;
    let (elements, results) = (pass.elements.clone(), pass.results.clone());
    let uniforms = if let Body::OfRows(_) = body { pass.uniforms.clone() } else { fixed(pass) };
    Some(PassPlan {
        body,
        program: None,
        per_row: false,
        uniforms,
        row_uniforms: Vec::new(),
        elements,
        results,
    })
}

/// The uniforms that are the same in all rows.
fn fixed<E: Copy>(pass: &PassPlan<E>) -> ByKind<Vec<E>, Vec<i64>, Vec<bool>> {
    fn keep<E, T: Copy>(pass: &PassPlan<E>, kind: Kind, values: &[T]) -> Vec<T> {
        let changes =
            |slot| pass.row_uniforms.iter().any(|uniform| (uniform.kind, uniform.slot) == (kind, slot));
        (0..values.len()).filter(|slot| !changes(*slot)).map(|slot| values[slot]).collect()
    }
    let uniforms = &pass.uniforms;
    ByKind {
        floats: keep(pass, Kind::Float, &uniforms.floats),
        ints: keep(pass, Kind::Int, &uniforms.ints),
        bools: keep(pass, Kind::Bool, &uniforms.bools),
    }
}

impl Dest {
    /// Where a result goes that is one per row, in a loop over rows.
    fn of_row(self) -> Dest {
        match self {
            Dest::Row(operand) => Dest::Element(operand),
            Dest::Fold { .. } | Dest::Element(_) | Dest::Column(_) | Dest::Nowhere => Dest::Nowhere,
        }
    }
}
