//! The two loops of a loop over short rows: one over rows, one over elements.

use super::split::Split;
use crate::block::rows::Rows;
use crate::block::{BLOCK, ByKind};
use crate::kernel::plan::{Base, Body, Dest, LoopPlan, PassPlan, UniformSource};
use crate::kernel::real::Real;
use crate::nest::Nest;
use tensor_op_core::Result;
use tensor_op_spec::ir::Kind;

/// Rows of more elements run one by one.
const LONGEST: usize = 128;
/// Fewer rows are not worth the programs that are made for them.
const FEWEST: usize = 64;

/// The programs of a loop over short rows: for each pass those that it is split into, if it needs that.
pub(crate) struct Splits(Vec<Option<Split>>);

impl Splits {
    /// `None` if the loop has no short rows, or if it is not known what its bodies compute.
    pub(crate) fn of<E>(plan: &LoopPlan<E>) -> Result<Option<Splits>> {
        let depends_on_rows = |pass: &PassPlan<E>| pass.per_row || !pass.row_uniforms.is_empty();
        let folds = plan.statistics > 0 || !plan.columns.is_empty();
        let has_rows = folds || plan.passes.iter().any(depends_on_rows);
        if !has_rows || !(1..=LONGEST).contains(&plan.inner.len()) || plan.outer.len() < FEWEST {
            return Ok(None);
        }
        let split = |pass: &PassPlan<E>| match &pass.program {
            _ if !depends_on_rows(pass) => Some(Ok(None)),
            Some(program) => Some(Split::new(pass, program).map(Some)),
            None => None,
        };
        let splits: Option<Result<Vec<_>>> = plan.passes.iter().map(split).collect();
        Ok(splits.transpose()?.map(Splits))
    }
}

/// A loop over short rows.
pub(crate) struct Short<'s, E> {
    /// What is computed once per row: all rows of the loop are one row of it.
    pub(super) of_rows: LoopPlan<E>,
    /// What is computed at each element: all elements of the loop are one row of it.
    pub(super) each: LoopPlan<E>,
    pub(super) passes: Vec<ShortPass<'s>>,
    /// How rows lie in a block.
    pub(super) rows: Rows,
    /// Number of groups of rows that lie side by side, and how many of them are a block.
    pub(super) groups: usize,
    pub(super) per_block: usize,
}

/// A pass: its numbers in both loops.
pub(super) struct ShortPass<'s> {
    pub(super) of_rows: Option<(usize, &'s Split)>,
    pub(super) each: Option<usize>,
}

impl<'s, E: Real> Short<'s, E> {
    /// Rows one after the other.
    pub(crate) fn new(plan: &LoopPlan<E>, splits: &'s Splits) -> Short<'s, E> {
        let mut inner = plan.outer.clone();
        inner.append(&plan.inner);
        Short::over(plan, splits, inner, 1)
    }

    /// Rows that lie side by side in memory, a few at a time, as in a reduction over the middle of three
    /// axes. `None` if rows don't lie so.
    pub(crate) fn side_by_side(plan: &LoopPlan<E>, splits: &'s Splits) -> Option<Short<'s, E>> {
        let (mut inner, sides, side_strides) = plan.outer.split_inner();
        if plan.inner.rank() != 1 || plan.inner.len() * sides > BLOCK {
            return None;
        }
        let strides = plan.inner.strides(0).iter().zip(&side_strides);
        let mut moving = strides.zip(&plan.operands).filter(|((along, side), operand)| {
            **along != 0 && **side != 0 && !matches!(operand.base, Base::Iota(_))
        });
        let is_outside = |(along, side): (&isize, &isize)| along.unsigned_abs() > side.unsigned_abs();
        let first = moving.next()?;
        if !is_outside(first.0) || !moving.all(|(strides, _)| is_outside(strides)) {
            return None;
        }
        inner.append(&plan.inner);
        inner.push(sides, side_strides.into_iter());
        Some(Short::over(plan, splits, inner, sides))
    }

    fn over(plan: &LoopPlan<E>, splits: &'s Splits, mut inner: Nest, sides: usize) -> Short<'s, E> {
        inner.merge();
        let (mut of_rows, mut each, mut passes) = (Vec::new(), Vec::new(), Vec::new());
        for (pass, split) in plan.passes.iter().zip(&splits.0) {
            let number = split.as_ref().map(|split| (of_rows.len(), split));
            of_rows.extend(split.as_ref().map(|split| over_rows(pass, split)));
            let elements = over_elements(pass, split.as_ref());
            passes.push(ShortPass { of_rows: number, each: elements.as_ref().map(|_| each.len()) });
            each.extend(elements);
        }
        let with = |inner: Nest, passes| LoopPlan {
            operands: plan.operands.clone(),
            outer: Nest::new(plan.operands.len()),
            inner,
            passes,
            statistics: plan.statistics,
            columns: plan.columns.clone(),
            windows: plan.windows.clone(),
        };
        let rows = Rows { len: plan.inner.len(), inner: sides };
        Short {
            of_rows: with(plan.outer.clone(), of_rows),
            each: with(inner, each),
            passes,
            rows,
            groups: plan.outer.len() / sides,
            per_block: (BLOCK / rows.span()).max(1),
        }
    }
}

impl<E> Short<'_, E> {
    /// The most rows of a block.
    pub(super) fn rows_of_block(&self) -> usize {
        self.per_block * self.rows.inner
    }
}

impl ShortPass<'_> {
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
    let body = Body::Program(split.each.clone()?);
    let (elements, results) = (pass.elements.clone(), pass.results.clone());
    let uniforms = fixed(pass);
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
