//! The operands of a fold: those of all rows, in some columns of a run.

use super::pattern::Folded;
use super::source::{Line, Row, Source, period};
use crate::block::taps::{Rows, Tap};
use crate::kernel::plan::LoopPlan;
use crate::kernel::real::Real;
use crate::layout::Few;
use std::array::from_fn;
use std::ops::Range;

/// Sums of so few rows are kept in the type of the elements.
const FEW: usize = 32;

/// What is folded.
pub(super) struct Operands<'p, E> {
    plan: &'p LoopPlan<E>,
    pub(super) fold: Folded,
    sources: Vec<Source<'p, E>>,
    /// Whether each row has a number by which it is multiplied, and both are zero at the same places outside.
    is_guarded: bool,
    /// The number of phases.
    pub(super) period: usize,
}

/// What a task has of the operands.
pub(super) struct Taken<'s, E, const OPERANDS: usize> {
    operands: &'s Operands<'s, E>,
    /// How each row moves each operand.
    rows: &'s [Vec<Row>],
    /// The operands in the columns that are folded, and the one that has a number for each row.
    lines: [Line<'s, E>; OPERANDS],
    factor: Option<Line<'s, E>>,
    taps: Vec<[Tap<E>; OPERANDS]>,
    /// A number for each row.
    factors: Vec<E>,
    /// Elements that are not read where they are.
    buffer: Vec<E>,
}

impl<'p, E: Real> Operands<'p, E> {
    /// The operands of a pass. `None` if some are no memory, or windows with phases that do not agree.
    pub(super) fn of(
        plan: &'p LoopPlan<E>,
        (fold, operands): (Folded, Few<usize>),
    ) -> Option<Operands<'p, E>> {
        let period = period(plan, &operands)?;
        let sources = operands.iter().map(|operand| Source::of(plan, *operand, period));
        let (fold, sources) = scaled_by_row(fold, sources.collect::<Option<Vec<_>>>()?);
        let is_guarded = fold == Folded::Scaled && sources[1].has_guards();
        Some(Operands { plan, fold, sources, is_guarded, period })
    }

    /// Whether any is a window that reaches outside.
    pub(super) fn are_windows(&self) -> bool {
        self.sources.iter().any(Source::has_guards)
    }

    /// Whether there are no phases, and neighbouring columns of at least one operand are neighbours in
    /// memory. Others may be copied.
    pub(super) fn one_is_beside(&self) -> bool {
        self.period == 1 && self.sources.iter().any(Source::is_beside)
    }

    /// Whether products are left out where both factors are zero outside.
    #[cfg(test)]
    pub(super) fn is_guarded(&self) -> bool {
        self.is_guarded
    }

    pub(super) fn count(&self) -> usize {
        self.sources.len()
    }

    /// How some rows move each operand.
    pub(super) fn rows(&self, range: Range<usize>) -> Vec<Vec<Row>> {
        self.sources.iter().map(|source| source.rows(&self.plan.outer, range.clone())).collect()
    }

    /// The operands for a task that folds at most so many columns at once.
    pub(super) fn take<'s, const OPERANDS: usize>(
        &'s self,
        rows: &'s [Vec<Row>],
        columns: usize,
    ) -> Taken<'s, E, OPERANDS> {
        let count = rows[0].len();
        Taken {
            operands: self,
            rows,
            lines: from_fn(|at| self.sources[at].line(count)),
            factor: self.sources.get(OPERANDS).map(|source| source.line(0)),
            taps: Vec::with_capacity(count),
            factors: Vec::with_capacity(count),
            buffer: vec![E::default(); count * OPERANDS * columns],
        }
    }

    /// Whether a row in which the first operand has no elements changes no result.
    fn adds_nothing(&self, factor: Option<E>) -> bool {
        let outside = self.sources[0].outside;
        match self.fold {
            Folded::Sums | Folded::Chosen => outside == E::default(),
            Folded::Scaled => factor.is_some_and(|factor| outside * factor == E::default()),
            Folded::Products | Folded::Equals => false,
            Folded::Largest => outside == E::LOWEST,
            Folded::Smallest => outside == E::HIGHEST,
        }
    }
}

impl<E: Real, const OPERANDS: usize> Taken<'_, E, OPERANDS> {
    /// Reads columns of a phase, for the offsets of all operands at the start of the run: all rows, without
    /// those that add nothing.
    pub(super) fn read(&mut self, run: &[isize], phase: usize, columns: &Range<usize>) {
        let Taken { operands, rows, lines, factor, taps, factors, buffer } = self;
        lines.iter_mut().zip(*rows).for_each(|(line, rows)| line.move_to(rows, run, phase, columns));
        factor.iter_mut().for_each(|line| line.move_to(&[], run, phase, columns));
        taps.clear();
        factors.clear();
        let mut rest = &mut buffer[..];
        for (row, first) in rows[0].iter().enumerate() {
            let first = lines[0].part(row, first);
            // Where it has no elements, the factor may have none either.
            if first.is_empty() && operands.is_guarded {
                continue;
            }
            let factor = factor.as_ref().map(|line| line.value(&rows[OPERANDS][row]));
            if first.is_empty() && operands.adds_nothing(factor) {
                continue;
            }
            let mut factor = factor.unwrap_or_default();
            taps.push(from_fn(|at| {
                let part = if at == 0 { first } else { lines[at].part(row, &rows[at][row]) };
                if lines[at].is_direct(&part) {
                    return lines[at].tap(&part, None);
                }
                let (buffer, others) = std::mem::take(&mut rest).split_at_mut(columns.len());
                rest = others;
                lines[at].fill(&part, buffer);
                if operands.is_guarded {
                    factor = multiplied(&mut buffer[part.inside()], factor);
                }
                lines[at].tap(&part, Some(buffer))
            }));
            factors.push(factor);
        }
    }

    /// What was read last.
    pub(super) fn folded(&self) -> Rows<'_, E, OPERANDS> {
        Rows {
            taps: &self.taps,
            factors: &self.factors,
            outside: from_fn(|at| self.operands.sources[at].outside),
            leaves_out: self.operands.is_guarded,
            is_narrow: self.rows[0].len() <= FEW,
        }
    }
}

/// Of products, one operand may be the same along runs. If it has guards, a product is left out where both
/// operands are zero.
fn scaled_by_row<'p, E: Real>(fold: Folded, mut sources: Vec<Source<'p, E>>) -> (Folded, Vec<Source<'p, E>>) {
    if fold != Folded::Products {
        return (fold, sources);
    }
    sources.sort_by_key(Source::is_same);
    let [x, factor] = &sources[..] else { return (fold, sources) };
    let is_zero = [x, factor].iter().all(|source| source.outside == E::default());
    let has_numbers = !factor.has_guards() || is_zero && x.is_inside_with(factor);
    (if factor.is_same() && has_numbers { Folded::Scaled } else { fold }, sources)
}

/// The factor of elements beside zeros that are not to be multiplied. If it is finite, these stay zeros. Else
/// the elements are multiplied at once, and are left with the factor 1.
fn multiplied<E: Real>(elements: &mut [E], factor: E) -> E {
    if factor * E::default() == E::default() {
        return factor;
    }
    elements.iter_mut().for_each(|x| *x = *x * factor);
    E::narrow(E::ONE)
}
