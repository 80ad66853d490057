//! Passes made by hand: copies, folds and single primitives, for the structural primitives and second kernels.

use super::pass::{Dest, Element, Output, PassPlan, Uniform};
use std::sync::Arc;
use tensor_op_spec::ir::Kind;
use tensor_op_spec::prim::Fold;
use tensor_op_spec::schedule::{Compute, Program, Step, ValueId};

/// A pass that does one thing with elements, and where its result goes.
pub(crate) fn step(compute: Compute, kind: Kind, elements: Vec<(Element, Kind)>, dest: Dest) -> PassPlan {
    let (elements, kinds): (Vec<Element>, Vec<Kind>) = elements.into_iter().unzip();
    let result = ValueId(kinds.len() as u32);
    let program = Program::from_parts([vec![], kinds], vec![Step { compute, kind }], 0, vec![result]);
    PassPlan { program: Arc::new(program), uniforms: vec![], elements, results: vec![dest], per_row: false }
}

/// A pass that moves elements.
pub(crate) fn copy(kind: Kind, element: Element, dest: Dest) -> PassPlan {
    let program = Program::from_parts([vec![], vec![kind]], vec![], 0, vec![ValueId(0)]);
    PassPlan {
        program: Arc::new(program),
        uniforms: vec![],
        elements: vec![element],
        results: vec![dest],
        per_row: false,
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
    }
}

/// Passes that fold elements along the row and store what comes out.
pub(crate) fn fold_passes(fold: Fold, kind: Kind, element: Element, to: Output) -> Vec<PassPlan> {
    let folded = copy(kind, element, Dest::Fold(fold));
    vec![folded, store_uniform(fold.result_kind(kind), Uniform::Statistic(0), Dest::Row(to))]
}
