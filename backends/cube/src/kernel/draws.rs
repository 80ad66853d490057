//! Draws whose lanes are neighbours, so that a vector needs one counter for each four lanes.
//!
//! Four positions share a counter of the random numbers. A kernel can compare the positions of its lanes, but
//! the comparison takes as long as a part of the draw, and a branch keeps the compiler from finding that two
//! passes draw the same numbers. Here it is found out before a kernel is compiled, for positions that are
//! sums and products of indices and of what a row has once.

use super::nest::{Axis, Nest};
use super::pass::{Element, PassPlan, Uniform};
use super::plan::{LoopPlan, Read};
use tensor_op_spec::ir::{Kind, Scalar};
use tensor_op_spec::prim::{Arithmetic, Group, Prim};
use tensor_op_spec::schedule::{Compute, Origin, ValueId};

/// The positions that share a counter.
const SHARED: usize = 4;

/// A pass of a plan, which knows whether the lanes of its draws are neighbours. Vectors of this width lie
/// along rows.
pub(super) fn with_neighbours(plan: &LoopPlan, pass: &PassPlan, width: usize) -> PassPlan {
    let mut steps = pass.program.steps().iter();
    let draws = steps.any(|step| match &step.compute {
        Compute::Apply(prim, _) => matches!(prim.group(), Group::Draw(_)),
        Compute::Literal(_) | Compute::Cast(_) => false,
    });
    let may_be = draws && width.is_multiple_of(SHARED);
    PassPlan { neighbours: may_be && Ints { plan, pass, width }.are_neighbours(), ..pass.clone() }
}

/// The lanes of a vector of ints.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Lanes {
    /// They are equal.
    Same(Multiple),
    /// Each is one more than the lane before it. The first is this multiple.
    Next(Multiple),
    /// Nothing is known.
    Any,
}

/// 1, 2 or 4: a number of which an int is a multiple.
type Multiple = usize;

fn multiple_of(number: usize) -> Multiple {
    1 << number.trailing_zeros().min(SHARED.trailing_zeros())
}

struct Ints<'p> {
    plan: &'p LoopPlan,
    pass: &'p PassPlan,
    width: usize,
}

impl Ints<'_> {
    /// Whether all draws of the pass are of neighbours from a multiple of four on.
    fn are_neighbours(&self) -> bool {
        let program = &self.pass.program;
        let mut lanes: Vec<Lanes> = Vec::new();
        let mut draws = Vec::new();
        for value in 0..program.steps().len() + program.uniforms().len() + program.elements().len() {
            let (own, is_draw) = self.lanes(ValueId(value as u32), &lanes);
            lanes.push(own);
            draws.extend(is_draw);
        }
        draws.into_iter().all(|is_of_neighbours| is_of_neighbours)
    }

    /// The lanes of a value, from those of the values before it. Of a draw also, whether it is of neighbours.
    fn lanes(&self, value: ValueId, before: &[Lanes]) -> (Lanes, Option<bool>) {
        let program = &self.pass.program;
        let step = match program.origin(value) {
            Origin::Uniform(at) => return (Lanes::Same(self.uniform(self.pass.uniforms[at])), None),
            Origin::Element(at) => return (self.element(self.pass.elements[at]), None),
            Origin::Step(step) => &program.steps()[step],
        };
        let (prim, operands) = match &step.compute {
            Compute::Literal(Scalar::Int(number)) => {
                return (Lanes::Same(multiple_of(*number as usize)), None);
            }
            Compute::Literal(_) => return (Lanes::Same(1), None),
            Compute::Cast(operand) => return (before[operand.0 as usize].as_any_kind(), None),
            Compute::Apply(prim, operands) => (*prim, operands),
        };
        let operands: Vec<Lanes> = operands.iter().map(|operand| before[operand.0 as usize]).collect();
        match operands[..] {
            [Lanes::Same(_), Lanes::Same(_), position] if matches!(prim.group(), Group::Draw(_)) => {
                (Lanes::Any, Some(position == Lanes::Next(SHARED)))
            }
            _ if matches!(prim.group(), Group::Draw(_)) => (Lanes::Any, Some(false)),
            _ if step.kind == Kind::Int => (of_ints(prim, &operands), None),
            _ => (Lanes::Any, None),
        }
    }

    fn uniform(&self, uniform: Uniform) -> Multiple {
        match uniform {
            Uniform::Scalar(at) => match self.plan.scalars[at] {
                Scalar::Int(number) => multiple_of(number as usize),
                Scalar::Float(_) | Scalar::Bool(_) => 1,
            },
            Uniform::Row(Element::Index(operand)) => self.start_of_row(operand),
            Uniform::Row(Element::Input { .. } | Element::Window(_) | Element::Gathered(_)) => 1,
            Uniform::Statistic(_) => 1,
        }
    }

    fn element(&self, element: Element) -> Lanes {
        let Element::Index(operand) = element else { return Lanes::Any };
        let Some((last, others)) = self.plan.inner.axes.split_last() else { return Lanes::Any };
        let others = steps(others, operand).min(self.start_of_row(operand));
        match last.steps[operand] {
            0 => Lanes::Same(others),
            // Vectors begin at multiples of their width.
            1 => Lanes::Next(others.min(multiple_of(self.width))),
            _ => Lanes::Any,
        }
    }

    fn start_of_row(&self, operand: usize) -> Multiple {
        let Read::Index(first) = self.plan.reads[operand] else { return 1 };
        let Nest { axes } = &self.plan.outer;
        steps(axes, operand).min(multiple_of(first))
    }
}

impl Lanes {
    /// After a cast: equal lanes are still equal.
    fn as_any_kind(self) -> Lanes {
        match self {
            Lanes::Same(_) => Lanes::Same(1),
            Lanes::Next(_) | Lanes::Any => Lanes::Any,
        }
    }
}

fn steps(axes: &[Axis], operand: usize) -> Multiple {
    axes.iter().map(|axis| multiple_of(axis.steps[operand])).min().unwrap_or(SHARED)
}

/// The lanes of a primitive's result, which is an int.
fn of_ints(prim: Prim, operands: &[Lanes]) -> Lanes {
    match (prim.group(), operands) {
        (Group::Arithmetic(Arithmetic::Add | Arithmetic::Sub), [Lanes::Same(a), Lanes::Same(b)]) => {
            Lanes::Same(*a.min(b))
        }
        (Group::Arithmetic(Arithmetic::Add), [Lanes::Same(a), Lanes::Next(b)])
        | (Group::Arithmetic(Arithmetic::Add | Arithmetic::Sub), [Lanes::Next(a), Lanes::Same(b)]) => {
            Lanes::Next(*a.min(b))
        }
        (Group::Arithmetic(Arithmetic::Mul), [Lanes::Same(a), Lanes::Same(b)]) => {
            Lanes::Same((a * b).min(SHARED))
        }
        (_, operands) if operands.iter().all(|lanes| matches!(lanes, Lanes::Same(_))) => Lanes::Same(1),
        (_, _) => Lanes::Any,
    }
}

#[cfg(test)]
mod tests {
    use super::Lanes::{Any, Next, Same};
    use super::*;

    #[test]
    fn sums_and_products_of_lanes() {
        assert_eq!([0, 1, 2, 6, 8, usize::MAX - 3].map(multiple_of), [4, 1, 2, 2, 4, 4]);
        let of = |prim, a, b| of_ints(prim, &[a, b]);
        assert_eq!(of(Prim::Add, Same(4), Next(4)), Next(4));
        assert_eq!(of(Prim::Sub, Next(4), Same(2)), Next(2));
        assert_eq!(of(Prim::Sub, Same(4), Next(4)), Any);
        assert_eq!(of(Prim::Add, Next(4), Next(4)), Any);
        assert_eq!(of(Prim::Mul, Same(2), Same(2)), Same(4));
        assert_eq!(of(Prim::Mul, Same(4), Next(4)), Any);
        assert_eq!(of(Prim::Shl, Same(4), Same(4)), Same(1));
    }
}
