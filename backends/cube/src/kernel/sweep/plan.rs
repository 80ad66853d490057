//! What the kernel of a sweep is compiled for.

use crate::kernel::fold::cells_before;
use crate::kernel::fold::merge::Team;
use crate::kernel::pass::{Element, Output, PassPlan};
use crate::kernel::program::Digits;
use crate::kernel::space::Space;
use tensor_op_spec::ir::Kind;
use tensor_op_spec::prim::Fold;
use tensor_op_spec::schedule::{Compute, Cost, Step};

/// What a sweep is compiled for.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct SweepPlan {
    pub(super) space: Space,
    /// The passes of a step. What they give to the scans goes nowhere else.
    pub(super) passes: Vec<PassPlan>,
    pub(super) carried: Vec<CarriedPlan>,
    pub(super) reverse: bool,
    /// Units that share a row: a power of two. `None` if there is one row, of which each unit has a vector.
    pub(super) lanes: Option<usize>,
    /// Vectors of a row that a unit has.
    pub(super) kept: usize,
    /// The operands that are the same at all steps: a unit reads them once.
    pub(super) fixed: Vec<usize>,
    /// Steps whose elements a unit reads at once. It divides the number of steps.
    pub(super) ahead: usize,
    /// Whether every vector exists that a unit may have.
    pub(super) full: bool,
    /// Whether each unit has a row.
    pub(super) whole: bool,
    /// Units of a cube.
    pub(super) units: usize,
    /// Number of units that exchange values without shared memory; 1 if the device can't do that.
    pub(super) plane: usize,
}

/// What goes from step to step.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct CarriedPlan {
    pub(super) how: How,
    /// What passes load to read it, if they read it.
    pub(super) value: Option<Element>,
    /// The pass that gives what it takes.
    pub(super) pass: usize,
    /// What it takes: the places among the results of that pass.
    pub(super) operands: Vec<usize>,
    /// Where it is stored.
    pub(super) out: Option<Output>,
    /// Whether it is stored at the last step alone.
    pub(super) is_last: bool,
}

/// How a value goes from step to step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum How {
    /// It is the reduction of what it has taken so far.
    Fold(Fold),
    /// It is a linear recurrence.
    Linear,
    /// It is what the step before has given. At the first step it is the number with these bits.
    Delay(u64),
}

/// About how many instructions a step of a program takes.
fn instructions(step: &Step, digits: Digits) -> usize {
    let Compute::Apply(prim, _) = step.compute else { return 1 };
    match (Cost::of(prim), digits) {
        (Cost::Cheap, _) => 1,
        (Cost::Division, _) => 4,
        (Cost::Exponential, Digits::All) => 16,
        (Cost::Exponential, Digits::FunctionsOfHalves | Digits::OfHalves) => 6,
        (Cost::Large, _) => 64,
    }
}

impl SweepPlan {
    /// What a unit loads at each step and vector: all elements of all passes that memory holds, but those
    /// that are fixed.
    pub(super) fn loads(&self) -> Vec<(Element, Kind)> {
        self.all_loads().into_iter().filter(|load| !self.is_fixed(*load)).collect()
    }

    /// What a unit loads once at each vector.
    pub(super) fn fixed_loads(&self) -> Vec<(Element, Kind)> {
        self.all_loads().into_iter().filter(|load| self.is_fixed(*load)).collect()
    }

    fn all_loads(&self) -> Vec<(Element, Kind)> {
        let mut loads = Vec::new();
        for load in self.passes.iter().flat_map(PassPlan::loads) {
            if self.carried_of(load.0).is_none() && !loads.contains(&load) {
                loads.push(load);
            }
        }
        loads
    }

    pub(super) fn is_fixed(&self, load: (Element, Kind)) -> bool {
        match load.0 {
            Element::Input { operand, .. } | Element::Index(operand) => self.fixed.contains(&operand),
            Element::Window(_) | Element::Gathered(_) => false,
        }
    }

    /// What goes from step to step as this element.
    pub(super) fn carried_of(&self, element: Element) -> Option<usize> {
        self.carried.iter().position(|carried| carried.value == Some(element))
    }

    /// Whether the uniforms of the first pass can be read together with the elements of a step.
    pub(super) fn reads_uniforms_ahead(&self) -> bool {
        self.passes.first().is_some_and(|pass| !pass.per_row)
    }

    /// About how many instructions the passes of a step take.
    pub(super) fn instructions(&self, width: usize) -> usize {
        let of_pass = |pass: &PassPlan| {
            let (once, each) = pass.program.steps().split_at(pass.program.hoisted());
            let of = |step: &Step| instructions(step, pass.digits);
            let of_steps = |steps: &[Step]| steps.iter().map(of).sum::<usize>();
            of_steps(once) + of_steps(each) * self.kept * width
        };
        self.passes.iter().map(of_pass).sum()
    }

    pub(super) fn team(&self) -> Team {
        Team { lanes: self.lanes.unwrap_or(1), distance: 1, units: self.units, plane: self.plane }
    }

    /// Elements of shared memory for floats and ints of folds. At least one of each.
    pub(super) fn shared(&self) -> [usize; 2] {
        let cells = self.passes.iter().map(PassPlan::folds).map(|folds| cells_before(&folds, folds.len()));
        let most = cells.fold([0, 0], |most, cells| [most[0].max(cells[0]), most[1].max(cells[1])]);
        most.map(|cells| (cells * self.team().places()).max(1))
    }
}
