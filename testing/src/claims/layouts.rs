//! Views of other tensors as arguments, and sizes at which loops change.

use super::forward::{both_at, dtypes};
use super::large::most;
use super::{Outcome, repeated, told};
use crate::agree::Setting;
use crate::place::{Layout, devices};
use crate::property::for_plan;
use crate::report::Tally;
use crate::sample::{Plan, Point, Spread, sample};
use tensor_op_core::{Backend, DType, Dynamic, ErrorKind, Op};
use tensor_op_spec::ir::{DimId, DimKind, Graph};

/// Longer than a vector register, than a plane of a GPU; than a block of the CPU backend and a cube: primes, so that there is a tail.
const LONG: [usize; 2] = [67, 1103];
/// Longer than what the CPU backend cuts a row into, than several blocks: the first of which the reference need not compute more than
/// [`WORK`] elements.
const LONGER: [usize; 3] = [70_001, 9_001, 4_507];
/// Elements of all nodes, about a second without optimisation.
const WORK: usize = 300_000;
/// Elements of the largest node where arguments repeat themselves: enough for several tasks.
const MANY: usize = 100_003;

/// Each view agrees with the reference.
pub(super) fn views(op: &dyn Op, seed: u64) -> Outcome {
    let graph = op.spec().graph();
    let plan = Plan::uniform(graph, 6, &[2, 3], seed);
    for_plan(graph, plan, |plan| {
        let args = sample(graph, plan, Point::Ordinary).map_err(told)?;
        let mut tally = Tally::default();
        for device in devices() {
            for layout in Layout::views(&device) {
                for (dtype, int) in dtypes(graph, &device) {
                    tally.add(both_at(op, &args, Setting { device, dtype, int, layout }, seed)?);
                }
            }
        }
        Ok(tally)
    })
}

/// Sizes that the op takes agree with the reference: empty, 1, odd, long in each dim, and ranks of the group from 0 to 6.
pub(super) fn shapes(op: &dyn Op, seed: u64) -> Outcome {
    let graph = op.spec().graph();
    let mut tally = Tally::default();
    for device in devices() {
        let dtype = if Dynamic::supports_dtype(&device, DType::F32) { DType::F32 } else { DType::F64 };
        let setting = Setting { device, dtype, int: DType::I64, layout: Layout::Contiguous };
        let plans = plans(graph, seed).into_iter().chain(longer(op, seed));
        for plan in plans.filter(|plan| plan.check(graph).is_ok()) {
            tally.add(for_plan(graph, plan, |plan| {
                let args = match sample(graph, plan, Point::Ordinary) {
                    Ok(args) => args,
                    Err(error) if error.kind() == ErrorKind::Index => {
                        return Ok(Tally::nothing("sizes without a valid index"));
                    }
                    Err(error) => return Err(told(error)),
                };
                both_at(op, &args, setting, plan.seed)
            })?);
        }
        for dim in repeated::dims(graph) {
            let base = repeated::with_size(graph, &Plan::uniform(graph, 2, &[1, 2], seed), dim, 1);
            let count = (MANY / most(graph, &base).max(1)).max(LONGER[LONGER.len() - 1]);
            let plan = repeated::with_size(graph, &base, dim, count);
            tally.add(for_plan(graph, plan, |plan| repeated::check(op, plan, dim, setting))?);
        }
    }
    Ok(tally)
}

/// One plan for each dim that has no part in [`repeated::dims`]: longer than blocks, and than tasks where the graph has few nodes.
fn longer(op: &dyn Op, seed: u64) -> Vec<Plan> {
    let graph = op.spec().graph();
    let backward = op.backward();
    let nodes = graph.nodes.len() + backward.as_ref().map_or(0, |op| op.spec().graph().nodes.len());
    let fits = |size: &&usize| *size * nodes <= WORK;
    let size = LONGER.iter().find(fits).unwrap_or(&LONGER[LONGER.len() - 1]);
    let repeated = repeated::dims(graph);
    let is_also =
        |dim: DimId| backward.as_ref().is_none_or(|op| repeated::dims(op.spec().graph()).contains(&dim));
    let base = Plan::uniform(graph, 1, &[1], seed);
    let mut plans = vec![];
    for dim in (0..graph.dims.len()).map(DimId::new).filter(|dim| !repeated.contains(dim) || !is_also(*dim)) {
        match graph.dim(dim).kind {
            DimKind::Named | DimKind::Sized(_) => plans.push(repeated::with_size(graph, &base, dim, *size)),
            DimKind::Group | DimKind::Axis(_) => plans.push(Plan { group: vec![*size], ..base.clone() }),
            DimKind::Fixed(_) => {}
        }
    }
    plans.dedup();
    plans
}

pub(super) fn plans(graph: &Graph, seed: u64) -> Vec<Plan> {
    let base = Plan::uniform(graph, 2, &[2], seed);
    let mut plans = vec![];
    for size in [1, 3, 7] {
        plans.push(Plan { dims: vec![size; graph.dims.len()], ..base.clone() });
    }
    for (index, dim) in graph.dims.iter().enumerate() {
        match dim.kind {
            DimKind::Named | DimKind::Sized(_) => {}
            DimKind::Group | DimKind::Axis(_) | DimKind::Fixed(_) => continue,
        }
        for size in [0, 1, 17].into_iter().chain(LONG) {
            let mut plan = base.clone();
            plan.dims[index] = size;
            plans.push(plan);
        }
    }
    if graph.group().is_some() {
        let groups: [&[usize]; 11] = [
            &[],
            &[1],
            &[0],
            &[3, 0, 2],
            &[2, 3],
            &[2, 1, 3],
            &[2, 3, 1, 2],
            &[1, 2, 1, 3, 2],
            &[2, 1, 2, 1, 2, 3],
            &[LONG[0], 3],
            &[2, LONG[1]],
        ];
        plans.extend(groups.map(|group| Plan {
            group: group.to_vec(),
            axis: group.len().saturating_sub(1),
            ..base.clone()
        }));
        // The axis is the first: a column. And one that is counted from the end.
        plans.push(Plan { group: vec![LONG[1], 2], axis: 0, ..base.clone() });
        plans.push(Plan { group: vec![3, 5, 2], axis: 1, from_end: true, ..base.clone() });
        // Every other argument is broadcast inside the group, along leading axes and along others.
        plans.extend([Spread::Short, Spread::Ones].map(|spread| {
            let of = |arg: usize| if arg.is_multiple_of(2) { Spread::Full } else { spread };
            let spread = (0..graph.args.len()).map(of).collect();
            Plan { group: vec![3, 4, 2], axis: 1, spread, ..base.clone() }
        }));
    }
    plans
}
