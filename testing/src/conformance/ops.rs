//! Declared ops and their gradients, as the backend runs them, against the f64 reference interpreter within the derived bound.

use super::Suite;
use crate::agree::Setting;
use crate::claims::both;
use crate::place::Layout;
use crate::sample::{Described, Plan, Spread};
use tensor_op_core::{DType, Op};
use tensor_op_spec::ir::{ArgType, Graph, Kind};

/// Runs the cases of an op whose floats, or whose ints if it has no floats, are of this dtype.
pub(super) fn run(suite: &mut Suite, op: &dyn Op, dtype: DType) {
    let graph = op.spec().graph();
    if !takes(graph, dtype) {
        return;
    }
    for (plan, layout) in cases(graph) {
        if plan.check(graph).is_err() {
            continue;
        }
        let setting = Setting { device: suite.device, dtype, layout };
        let case = format!("{} {layout:?}", Described(&plan, graph));
        suite.check(op.spec().name(), dtype, case, || Ok(both(op, &plan, setting).map(drop)));
    }
}

/// Whether the op has arguments of this dtype; ops of ints are run with i64.
fn takes(graph: &Graph, dtype: DType) -> bool {
    let has = |wanted: Kind| {
        let of_kind = |ty: &ArgType| matches!(ty, ArgType::Tensor { kind, .. } if *kind == wanted);
        graph.args.iter().any(|arg| of_kind(&arg.ty))
    };
    match dtype.kind() {
        Kind::Float => has(Kind::Float),
        Kind::Int => dtype == DType::I64 && !has(Kind::Float),
        Kind::Bool => false,
    }
}

/// Sizes that are empty, 1, prime, odd, and longer than a vector; broadcast arguments; every layout.
fn cases(graph: &Graph) -> Vec<(Plan, Layout)> {
    let plain = |size, group: &[usize], seed| (Plan::uniform(graph, size, group, seed), Layout::Contiguous);
    let mut cases = vec![
        plain(1, &[], 1),
        plain(3, &[2, 3], 2),
        plain(17, &[5], 3),
        plain(64, &[33], 4),
        plain(1031, &[2], 5),
        plain(4, &[0, 3], 6),
        plain(0, &[2], 7),
    ];
    for spread in [Spread::Short, Spread::Ones] {
        let (mut plan, layout) = plain(5, &[2, 3], 8);
        // Every other argument, so that full ones meet those that are broadcast.
        plan.spread.iter_mut().step_by(2).for_each(|own| *own = spread);
        cases.push((plan, layout));
    }
    cases.extend(Layout::VIEWS.map(|layout| (Plan::uniform(graph, 6, &[3, 4], 9), layout)));
    cases
}
