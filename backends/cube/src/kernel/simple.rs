//! Passes that are made by hand: copies, folds and single primitives. The structural primitives and the
//! second kernels use them.

use super::pass::{Dest, Element, Output, PassPlan, Uniform};
use super::program::Digits;
use std::sync::Arc;
use tensor_op_spec::ir::{Kind, Scalar};
use tensor_op_spec::prim::{Fold, Prim};
use tensor_op_spec::schedule::{Compute, Program, Step, ValueId};

/// A pass that applies one step to elements and stores the result in `dest`.
pub(crate) fn step(compute: Compute, kind: Kind, elements: Vec<(Element, Kind)>, dest: Dest) -> PassPlan {
    let (elements, kinds): (Vec<Element>, Vec<Kind>) = elements.into_iter().unzip();
    let result = ValueId(kinds.len() as u32);
    let program = Program::from_parts([vec![], kinds], vec![Step { compute, kind }], 0, vec![result]);
    PassPlan {
        program: Arc::new(program),
        uniforms: vec![],
        elements,
        results: vec![dest],
        per_row: false,
        digits: Digits::All,
        neighbours: false,
        body: None,
    }
}

/// A pass that copies elements.
pub(crate) fn copy(kind: Kind, element: Element, dest: Dest) -> PassPlan {
    let program = Program::from_parts([vec![], vec![kind]], vec![], 0, vec![ValueId(0)]);
    PassPlan {
        program: Arc::new(program),
        uniforms: vec![],
        elements: vec![element],
        results: vec![dest],
        per_row: false,
        digits: Digits::All,
        neighbours: false,
        body: None,
    }
}

/// A pass that stores a uniform: once per row, or at each point.
pub(crate) fn store_uniform(kind: Kind, uniform: Uniform, dest: Dest) -> PassPlan {
    let program = Program::from_parts([vec![kind], vec![]], vec![], 0, vec![ValueId(0)]);
    let per_row = matches!(dest, Dest::Row(_));
    PassPlan {
        program: Arc::new(program),
        uniforms: vec![uniform],
        elements: vec![],
        results: vec![dest],
        per_row,
        digits: Digits::All,
        neighbours: false,
        body: None,
    }
}

/// Passes that fold elements along the row and store the results.
pub(crate) fn fold_passes(fold: Fold, kind: Kind, element: Element, to: Output) -> Vec<PassPlan> {
    let folded = copy(kind, element, Dest::Fold(fold));
    vec![folded, store_uniform(fold.result_kind(kind), Uniform::Statistic(0), Dest::Row(to))]
}

/// Passes that find the index of the extremum of a row, from the extrema of its parts and their indices in
/// the row. The parts are numbered in order, so among equal extrema, the one in the first part has the
/// smallest index.
pub(crate) fn index_passes(
    fold: Fold,
    (values, kind): (Element, Kind),
    indices: Element,
    number: Element,
    to: Output,
) -> Vec<PassPlan> {
    let best = copy(kind, values, Dest::Fold(fold));
    let [best_part, part, index, is_best, zero, kept] = [0, 1, 2, 3, 4, 5].map(ValueId);
    let steps = vec![
        Step { compute: Compute::Apply(Prim::Eq, vec![best_part, part]), kind: Kind::Bool },
        Step { compute: Compute::Literal(Scalar::Int(0)), kind: Kind::Int },
        Step { compute: Compute::Apply(Prim::Select, vec![is_best, index, zero]), kind: Kind::Int },
    ];
    let program = Program::from_parts([vec![Kind::Int], vec![Kind::Int; 2]], steps, 0, vec![kept]);
    let picked = PassPlan {
        program: Arc::new(program),
        uniforms: vec![Uniform::Statistic(0)],
        elements: vec![number, indices],
        results: vec![Dest::Fold(Fold::Sum)],
        per_row: false,
        digits: Digits::All,
        neighbours: false,
        body: None,
    };
    vec![best, picked, store_uniform(Kind::Int, Uniform::Statistic(1), Dest::Row(to))]
}
