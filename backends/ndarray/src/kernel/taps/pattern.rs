//! Which folds have loops of their own.

use crate::kernel::plan::{PassPlan, UniformSource};
use crate::layout::Few;
use tensor_op_spec::ir::Kind;
use tensor_op_spec::prim::{Fold, Prim};
use tensor_op_spec::schedule::{Compute, Origin, Program, ValueId};

/// What is folded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Folded {
    /// Sums.
    Sums,
    /// Sums of products of two operands.
    Products,
    /// Sums of products with a number for each row of a run, which is the second operand.
    Scaled,
    /// How many pairs are equal.
    Equals,
    /// Sums of elements where a pair is equal.
    Chosen,
    /// Maxima.
    Largest,
    /// Minima.
    Smallest,
}

/// What a pass folds, with its operands.
pub(super) fn folded<E>(pass: &PassPlan<E>, fold: Fold) -> Option<(Folded, Few<usize>)> {
    let program = pass.program.as_deref()?;
    let [result] = program.results() else { return None };
    let value = |value: &ValueId| operand(pass, program, *value);
    let computed = |id: &ValueId| match program.origin(*id) {
        Origin::Step(step) => Some(&program.steps()[step].compute),
        Origin::Uniform(_) | Origin::Element(_) => None,
    };
    let pair = |id: &ValueId| match computed(id)? {
        Compute::Cast(id) => match computed(id)? {
            Compute::Apply(Prim::Eq, pair) => pair.iter().map(value).collect::<Option<Few<usize>>>(),
            Compute::Apply(..) | Compute::Literal(_) | Compute::Cast(_) => None,
        },
        Compute::Apply(..) | Compute::Literal(_) => None,
    };
    if let Some(value) = value(result) {
        let fold = match fold {
            Fold::Sum => Folded::Sums,
            Fold::Max => Folded::Largest,
            Fold::Min => Folded::Smallest,
            Fold::Prod | Fold::ArgMax | Fold::ArgMin | Fold::Any | Fold::All => return None,
        };
        return Some((fold, [value].into_iter().collect()));
    }
    match computed(result)? {
        _ if fold != Fold::Sum => None,
        Compute::Cast(_) => Some((Folded::Equals, pair(result)?)),
        Compute::Apply(Prim::Mul, factors) => {
            let [a, b] = &factors[..] else { return None };
            match (value(a), value(b)) {
                (Some(a), Some(b)) => Some((Folded::Products, [a, b].into_iter().collect())),
                (Some(x), None) => Some((Folded::Chosen, [x].into_iter().chain(pair(b)?).collect())),
                (None, Some(x)) => Some((Folded::Chosen, [x].into_iter().chain(pair(a)?).collect())),
                (None, None) => None,
            }
        }
        Compute::Apply(..) | Compute::Literal(_) => None,
    }
}

/// The operand that is this value of a pass.
fn operand<E>(pass: &PassPlan<E>, program: &Program, value: ValueId) -> Option<usize> {
    let slot = |kinds: &[Kind], at: usize| {
        let before = kinds[..at].iter().filter(|kind| **kind == Kind::Float).count();
        (kinds[at] == Kind::Float).then_some(before)
    };
    match program.origin(value) {
        Origin::Element(at) => Some(pass.elements.floats[slot(program.elements(), at)?]),
        Origin::Uniform(at) => {
            let slot = slot(program.uniforms(), at)?;
            let own = pass.row_uniforms.iter().find(|own| own.kind == Kind::Float && own.slot == slot)?;
            match own.source {
                UniformSource::Operand(operand) => Some(operand),
                UniformSource::Statistic(_) => None,
            }
        }
        Origin::Step(_) => None,
    }
}
