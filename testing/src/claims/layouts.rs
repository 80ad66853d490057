//! Views of other tensors as arguments, and sizes at which loops change.

use super::forward::{both_at, dtypes};
use super::{Outcome, told};
use crate::agree::Setting;
use crate::place::{Layout, devices};
use crate::property::for_plan;
use crate::report::Tally;
use crate::sample::{Plan, Point, Spread, sample};
use tensor_op_core::{Backend, DType, Dynamic, ErrorKind, Op};
use tensor_op_spec::ir::{DimKind, Graph};

/// Longer than a vector register, than a plane of a GPU; than a block of the CPU backend and a cube: primes, so that there is a tail.
const LONG: [usize; 2] = [67, 1103];

/// Each view agrees with the reference.
pub(super) fn views(op: &dyn Op, seed: u64) -> Outcome {
    let graph = op.spec().graph();
    let plan = Plan::uniform(graph, 6, &[2, 3], seed);
    for_plan(graph, plan, |plan| {
        let args = sample(graph, plan, Point::Ordinary).map_err(told)?;
        let mut tally = Tally::default();
        for device in devices() {
            for layout in Layout::VIEWS {
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
        for plan in plans(graph, seed).into_iter().filter(|plan| plan.check(graph).is_ok()) {
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
    }
    Ok(tally)
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
