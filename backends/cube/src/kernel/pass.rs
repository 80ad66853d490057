//! A pass in the form that a kernel is compiled for.

use super::body::Body;
use super::fold::FoldPlan;
use super::gathered::Gathered;
use super::program::{Digits, slot};
use super::window::Window;
use std::sync::Arc;
use tensor_op_spec::ir::Kind;
use tensor_op_spec::prim::Fold;
use tensor_op_spec::schedule::Program;

/// A pass in which only numbers are left open. Operands are numbered: first those that are read, then those
/// that are written.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct PassPlan {
    /// The computation.
    pub(crate) program: Arc<Program>,
    /// Where each uniform comes from.
    pub(crate) uniforms: Vec<Uniform>,
    /// Where each element comes from.
    pub(crate) elements: Vec<Element>,
    /// Where each result goes.
    pub(crate) results: Vec<Dest>,
    /// Whether it is evaluated only once per row.
    pub(crate) per_row: bool,
    /// How exact its functions are.
    pub(crate) digits: Digits,
    /// Whether it draws for lanes whose positions follow each other from a multiple of four on (`draws.rs`).
    pub(crate) neighbours: bool,
    /// What runs in place of the program. It gives the results of the program, and nothing else of it.
    pub(crate) body: Option<Body>,
}

/// Where a uniform comes from: a value that is the same in all of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Uniform {
    /// The scalar argument of the kernel with this number.
    Scalar(usize),
    /// An operand that is read once per row.
    Row(Element),
    /// The fold of an earlier pass. The number counts the folds whose results have the same kind.
    Statistic(usize),
}

/// An operand that is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Element {
    /// An input: its index among the buffers, and its number as an operand.
    Input { buffer: usize, operand: usize },
    /// The index along axes: how far the operand of this number has moved.
    Index(usize),
    /// An input that is read where a point is inside of it.
    Window(Window),
    /// An input that an index moves.
    Gathered(Gathered),
}

/// Where a result goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Dest {
    /// It is folded along the row; later passes can read it as a statistic.
    Fold(Fold),
    /// It is written at each point.
    Element(Output),
    /// It is written once per row.
    Row(Output),
    /// It is folded over the rows, into the column with this number.
    Column(usize),
    /// It is not needed.
    Nowhere,
}

/// An output: its index among the outputs, and its number as an operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Output {
    pub(crate) output: usize,
    pub(crate) operand: usize,
}

impl PassPlan {
    /// What is loaded at each vector.
    pub(crate) fn loads(&self) -> Vec<(Element, Kind)> {
        self.elements.iter().copied().zip(self.program.elements().iter().copied()).collect()
    }

    pub(crate) fn uniform_kind(&self, at: usize) -> Kind {
        self.program.uniforms()[at]
    }

    pub(crate) fn result_kind(&self, at: usize) -> Kind {
        self.program.kind(self.program.results()[at])
    }

    pub(crate) fn result_slot(&self, at: usize) -> usize {
        if self.body.is_none() {
            return slot(&self.program, self.program.results()[at]);
        }
        let kind = self.result_kind(at);
        let inputs = self.program.uniforms().iter().chain(self.program.elements());
        let before = (0..at).filter(|before| self.result_kind(*before) == kind).count();
        inputs.filter(|input| **input == kind).count() + before
    }

    /// The folds along the row.
    pub(crate) fn folds(&self) -> Vec<FoldPlan> {
        self.fold_results().map(|(at, fold)| FoldPlan { fold, kind: self.result_kind(at) }).collect()
    }

    /// For each of these folds, the index of the folded value among the values of its kind.
    pub(crate) fn fold_slots(&self) -> Vec<usize> {
        self.fold_results().map(|(at, _)| self.result_slot(at)).collect()
    }

    fn fold_results(&self) -> impl Iterator<Item = (usize, Fold)> {
        self.results.iter().enumerate().filter_map(|(at, dest)| match dest {
            Dest::Fold(fold) => Some((at, *fold)),
            Dest::Element(_) | Dest::Row(_) | Dest::Column(_) | Dest::Nowhere => None,
        })
    }

    /// The column that a result goes to.
    pub(crate) fn column_of(&self, at: usize) -> Option<usize> {
        match self.results[at] {
            Dest::Column(column) => Some(column),
            Dest::Fold(_) | Dest::Element(_) | Dest::Row(_) | Dest::Nowhere => None,
        }
    }
}

/// The loads that more than one pass needs. They need not be repeated if they are kept.
pub(crate) fn kept_loads(passes: &[PassPlan]) -> Vec<(Element, Kind)> {
    let all: Vec<(Element, Kind)> = passes.iter().flat_map(PassPlan::loads).collect();
    let is_first = |(at, load): &(usize, &(Element, Kind))| !all[..*at].contains(load);
    let again = |(at, load): &(usize, &(Element, Kind))| all[at + 1..].contains(load);
    all.iter().enumerate().filter(is_first).filter(again).map(|(_, load)| *load).collect()
}
