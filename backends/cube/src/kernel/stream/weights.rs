//! What the passes of a stream compute: the weights of sums over columns.

use crate::kernel::pass::{Dest, PassPlan};
use crate::kernel::plan::LoopPlan;
use crate::kernel::program::slot;
use crate::kernel::row::online::{Form, Online, is_uniform, operands, same};
use tensor_op_spec::ir::Kind;
use tensor_op_spec::prim::Prim;
use tensor_op_spec::schedule::ValueId;

/// How the weights follow from the scores. Passes are given by their number.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Weights {
    /// They are results of a pass: the place of each among the floats.
    Direct { pass: usize, slots: Vec<usize> },
    /// They are `exp(v - shift)`, where `v` is the result of a pass whose maximum is a statistic. The sum of
    /// the weights is the next statistic. `last` is the pass that gives weights.
    Relative { online: Online, last: usize },
}

/// A weight of a sum over columns.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Weight {
    /// Its number among the weights.
    pub(super) index: usize,
    /// What the finished sum is multiplied or divided by.
    pub(super) factors: Vec<RowFactor>,
}

/// A value of a row by which a sum is multiplied or divided: its place among the uniform floats of the pass
/// that gives weights.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum RowFactor {
    Multiply(usize),
    Divide(usize),
}

impl Weights {
    /// What is computed for the weights that these writes take, after passes that only fold. `None` if it has
    /// no known form.
    pub(super) fn find(plan: &LoopPlan, writes: &[usize]) -> Option<(Weights, Vec<Weight>)> {
        let along: Vec<usize> = (0..plan.passes.len()).filter(|at| !plan.passes[*at].per_row).collect();
        let (last, before) = along.split_last()?;
        let online = Online::find(plan).filter(|online| {
            online.form == Form::Exponentials && before.ends_with(&[online.pass, online.pass + 1])
        });
        online
            .and_then(|online| relative(plan, online, *last, writes))
            .or_else(|| direct(plan, *last, writes))
    }

    /// The pass whose results are evaluated at each score.
    pub(super) fn pass(&self) -> usize {
        match self {
            Weights::Direct { pass, .. } => *pass,
            Weights::Relative { online, .. } => online.pass,
        }
    }

    /// Whether this is a pass of the walk that gives the weights.
    pub(super) fn has_pass(&self, pass: usize) -> bool {
        match self {
            Weights::Direct { pass: own, .. } => *own == pass,
            Weights::Relative { online, last } => [online.pass, online.pass + 1, *last].contains(&pass),
        }
    }
}

fn direct(plan: &LoopPlan, pass: usize, writes: &[usize]) -> Option<(Weights, Vec<Weight>)> {
    let own = &plan.passes[pass];
    let place = |write: &usize| result(own, *write).map(|result| own.result_slot(result));
    let slots: Vec<usize> = writes.iter().map(place).collect::<Option<_>>()?;
    let weights = (0..slots.len()).map(|index| Weight { index, factors: Vec::new() }).collect();
    let has_folds = !own.folds().is_empty();
    (!has_folds).then_some((Weights::Direct { pass, slots }, weights))
}

fn relative(
    plan: &LoopPlan,
    online: Online,
    last: usize,
    writes: &[usize],
) -> Option<(Weights, Vec<Weight>)> {
    let (sum, own) = (&plan.passes[online.pass + 1], &plan.passes[last]);
    let weight = |write: &usize| {
        let value = own.program.results()[result(own, *write)?];
        Some(Weight { index: 0, factors: row_factors((sum, sum.program.results()[0]), own, value)? })
    };
    let weights = writes.iter().map(weight).collect::<Option<_>>()?;
    own.folds().is_empty().then_some((Weights::Relative { online, last }, weights))
}

/// The result of a pass that is a float and goes to a write.
fn result(pass: &PassPlan, write: usize) -> Option<usize> {
    let is_it = |dest: &Dest| matches!(dest, Dest::Element(to) if to.output == write);
    pass.results.iter().position(is_it).filter(|at| pass.result_kind(*at) == Kind::Float)
}

/// The factors of a value beside this one, if they are the same in all of a row.
fn row_factors(beside: (&PassPlan, ValueId), pass: &PassPlan, mut value: ValueId) -> Option<Vec<RowFactor>> {
    let program = &pass.program;
    let mut factors = Vec::new();
    while !same(beside, (pass, value)) {
        if let Some([left, right]) = operands(program, value, Prim::Div)
            && is_uniform(program, *right)
        {
            factors.push(RowFactor::Divide(slot(program, *right)));
            value = *left;
        } else if let Some([left, right]) = operands(program, value, Prim::Mul) {
            let (row, rest) = if is_uniform(program, *right) { (*right, *left) } else { (*left, *right) };
            if !is_uniform(program, row) {
                return None;
            }
            factors.push(RowFactor::Multiply(slot(program, row)));
            value = rest;
        } else {
            return None;
        }
    }
    Some(factors)
}
