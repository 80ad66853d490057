//! Two folds of a row in one pass, although the second fold needs the result of the first.
//!
//! If a row does not stay in registers, each pass reads it again. A maximum and the sum of exponentials below
//! it (`exponentials.rs`), or a sum and the sum of squares around the mean (`squares.rs`), read the row only
//! once. This file finds such passes.

use crate::kernel::pass::{Dest, Element, PassPlan, Uniform};
use crate::kernel::plan::LoopPlan;
use crate::kernel::program::slot;
use tensor_op_spec::ir::{Kind, Scalar};
use tensor_op_spec::prim::{Fold, Prim};
use tensor_op_spec::schedule::{Compute, Origin, Program, ValueId};

/// Two passes that run as one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Online {
    /// The number of the first pass.
    pub(crate) pass: usize,
    /// The values that the second pass folds.
    pub(crate) form: Form,
    /// The index, among the uniform floats of the second pass, of the value that it subtracts.
    pub(crate) shift: usize,
}

/// The values that are summed after the first fold, computed from the same values `v`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Form {
    /// `exp(v - shift)`, after a maximum.
    Exponentials,
    /// `(v - mean) * (v - mean)`, after a sum.
    Squares,
}

impl Online {
    /// The first two passes that can run as one.
    pub(crate) fn find(plan: &LoopPlan) -> Option<Online> {
        let online = |pass: usize| {
            let (form, shift) = form(plan, pass)?;
            Some(Online { pass, form, shift })
        };
        (0..plan.passes.len().saturating_sub(1)).filter_map(online).next()
    }
}

/// The form of the values that the next pass folds, if it is a known one, and the value that it subtracts
/// from the values of this pass.
fn form(plan: &LoopPlan, pass: usize) -> Option<(Form, usize)> {
    let (first, second) = (&plan.passes[pass], &plan.passes[pass + 1]);
    let sum = &second.program;
    let ([Dest::Fold(fold)], [Dest::Fold(Fold::Sum)]) = (&first.results[..], &second.results[..]) else {
        return None;
    };
    // Nothing is known of what bodies compute.
    if first.result_kind(0) != Kind::Float || first.body.is_some() || second.body.is_some() {
        return None;
    }
    let result = sum.results()[0];
    let (form, difference) = match fold {
        Fold::Max => (Form::Exponentials, *operands(sum, result, Prim::Exp)?.first()?),
        Fold::Sum => {
            let [a, b] = operands(sum, result, Prim::Mul)? else { return None };
            if a != b {
                return None;
            }
            (Form::Squares, *a)
        }
        Fold::Prod | Fold::Min | Fold::ArgMax | Fold::ArgMin | Fold::Any | Fold::All => return None,
    };
    let [value, shift] = operands(sum, difference, Prim::Sub)? else { return None };
    let is_same = is_uniform(sum, *shift) && same((first, first.program.results()[0]), (second, *value));
    // For squares, only the mean may be subtracted. If a value is infinite, its distance from the running
    // mean is NaN, but the squares around any other point than the mean would be infinite.
    let is_whole = form != Form::Squares || is_mean(plan, pass, *shift);
    (is_same && is_whole).then(|| (form, slot(sum, *shift)))
}

/// Whether a value of the next pass is the sum of this pass divided by the length of the row.
fn is_mean(plan: &LoopPlan, pass: usize, value: ValueId) -> bool {
    let next = &plan.passes[pass + 1];
    let uniform = |value: ValueId| match next.program.origin(value) {
        Origin::Uniform(at) => Some(next.uniforms[at]),
        Origin::Element(_) | Origin::Step(_) => None,
    };
    let Some([sum, count]) = operands(&next.program, value, Prim::Div) else { return false };
    let folds = plan.passes[..pass].iter().filter(|pass| !pass.per_row).flat_map(PassPlan::folds);
    let before = folds.filter(|fold| fold.result_kind() == Kind::Float).count();
    let length = Scalar::Float(plan.inner.len() as f64);
    let is_length = |uniform| matches!(uniform, Uniform::Scalar(at) if plan.scalars[at] == length);
    uniform(*sum) == Some(Uniform::Statistic(before)) && uniform(*count).is_some_and(is_length)
}

/// Whether a value is the same in all of a row.
pub(crate) fn is_uniform(program: &Program, value: ValueId) -> bool {
    match program.origin(value) {
        Origin::Uniform(_) => true,
        Origin::Step(step) => step < program.hoisted(),
        Origin::Element(_) => false,
    }
}

/// The operands of a value, if this primitive computes it.
pub(crate) fn operands(program: &Program, value: ValueId, prim: Prim) -> Option<&[ValueId]> {
    let Origin::Step(step) = program.origin(value) else { return None };
    match &program.steps()[step].compute {
        Compute::Apply(own, operands) if *own == prim => Some(operands),
        Compute::Apply(_, _) | Compute::Literal(_) | Compute::Cast(_) => None,
    }
}

/// Whether the values of two passes are computed in the same way.
pub(crate) fn same(a: (&PassPlan, ValueId), b: (&PassPlan, ValueId)) -> bool {
    let ((a, x), (b, y)) = (a, b);
    match (a.program.origin(x), b.program.origin(y)) {
        (Origin::Uniform(i), Origin::Uniform(j)) => a.uniforms[i] == b.uniforms[j],
        (Origin::Element(i), Origin::Element(j)) => {
            let of = |pass: &PassPlan, at: usize| -> (Element, Kind) { pass.loads()[at] };
            of(a, i) == of(b, j)
        }
        (Origin::Step(i), Origin::Step(j)) => {
            let (i, j) = (&a.program.steps()[i], &b.program.steps()[j]);
            let operands = match (&i.compute, &j.compute) {
                (Compute::Literal(x), Compute::Literal(y)) => return x == y && i.kind == j.kind,
                (Compute::Apply(p, x), Compute::Apply(q, y)) if p == q => (x.as_slice(), y.as_slice()),
                (Compute::Cast(x), Compute::Cast(y)) => (std::slice::from_ref(x), std::slice::from_ref(y)),
                (Compute::Literal(_) | Compute::Apply(_, _) | Compute::Cast(_), _) => return false,
            };
            let (x, y) = operands;
            i.kind == j.kind && x.len() == y.len() && x.iter().zip(y).all(|(x, y)| same((a, *x), (b, *y)))
        }
        (Origin::Uniform(_) | Origin::Element(_) | Origin::Step(_), _) => false,
    }
}
