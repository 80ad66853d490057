//! The sizes at which claims and the conformance suite run: sizes at which loops change, and broadcast
//! arguments. Both use this one table.
//!
//! ```text
//! edges        empty, 1, odd; groups of rank 0 to 6
//! broadcasts   each argument in turn smaller than the others, and two that are both smaller
//! long         one dim longer than a vector register, a plane, a block, a cube
//! vectors      one dim longer than a vector register alone
//! broad        all dims larger than a tile of a kernel, where that is not too much
//! longer       one dim longer than what is cut into tasks
//! ```

use super::plan::{Described, SamplePlan, Spread};
use std::collections::BTreeSet;
use tensor_op_spec::ir::{DimId, DimKind, Graph};

/// The first is longer than a vector register and a plane of a GPU, the second than a block of the CPU
/// backend and a cube. They are primes, so that there is a tail.
pub(crate) const LONG: [usize; 2] = [67, 1103];
/// Numbers next to the widths of vector registers and of their blocks, so that the tails go from one element
/// to all but one.
pub(crate) const TAILS: [usize; 6] = [15, 16, 31, 33, 63, 65];
/// Longer than the pieces into which the CPU backend cuts a row, or than several blocks; the last one is for
/// formulas that are not small.
pub(crate) const LONGER: [usize; 3] = [70_001, 9_001, 4_507];
/// Sizes that the dims take in turn. The first row that does not make too many elements is used.
const BROAD: [[usize; 3]; 5] = [[33, 65, 17], [17, 19, 11], [9, 8, 10], [5, 3, 4], [3, 2, 3]];
/// How two arguments are broadcast in a group: each in turn beside a full one, along leading axes and along
/// other axes, and then both.
const BROADCASTS: [[Spread; 2]; 5] = [
    [Spread::Full, Spread::Short],
    [Spread::Short, Spread::Full],
    [Spread::Full, Spread::Ones],
    [Spread::Ones, Spread::Full],
    [Spread::Ones, Spread::Others],
];

/// Small sizes: empty, 1 and odd for one dim after the other, and groups of rank 0 to 6.
pub(crate) fn edges(graph: &Graph, seed: u64) -> Vec<SamplePlan> {
    let base = base(graph, seed);
    let mut plans: Vec<SamplePlan> =
        [1, 3, 7].map(|size| SamplePlan { dims: vec![size; graph.dims.len()], ..base.clone() }).into();
    for dim in own(graph) {
        plans.extend([0, 1, 17].map(|size| with(&base, dim, size)));
    }
    if graph.group().is_some() {
        let groups: [&[usize]; 9] = [
            &[],
            &[1],
            &[0],
            &[3, 0, 2],
            &[2, 3],
            &[2, 1, 3],
            &[2, 3, 1, 2],
            &[1, 2, 1, 3, 2],
            &[2, 1, 2, 1, 2, 3],
        ];
        plans.extend(groups.map(|group| grouped(&base, group)));
        // A named axis that is counted from the end.
        plans.push(SamplePlan { group: vec![3, 5, 2], axis: 1, from_end: true, ..base.clone() });
    }
    plans.extend(broadcasts(graph, seed));
    distinct(graph, plans)
}

/// Plans with arguments that are broadcast inside the group. There are none if the op has no group, or only
/// one argument in it.
pub(crate) fn broadcasts(graph: &Graph, seed: u64) -> Vec<SamplePlan> {
    let base = base(graph, seed);
    let members: Vec<usize> = (0..graph.args.len()).filter(|arg| SamplePlan::spans(graph, *arg)).collect();
    if members.len() < 2 {
        return vec![];
    }
    let of = |spreads: [Spread; 2]| {
        let mut plan = SamplePlan { group: vec![3, 4, 2], axis: 1, ..base.clone() };
        members.iter().zip(spreads.into_iter().cycle()).for_each(|(arg, spread)| plan.spread[*arg] = spread);
        plan
    };
    BROADCASTS.into_iter().map(of).collect()
}

/// Plans in which one dim after the other has one of these sizes, while the others are small. In the group,
/// the long axis is once the last and once the first.
pub(crate) fn long(graph: &Graph, sizes: &[usize], seed: u64) -> Vec<SamplePlan> {
    let base = base(graph, seed);
    let mut plans = vec![];
    for size in sizes {
        plans.extend(own(graph).map(|dim| with(&base, dim, *size)));
        if graph.group().is_some() {
            plans.push(grouped(&base, &[2, *size]));
            // The first axis is long, and it is the named one: a column.
            plans.push(SamplePlan { group: vec![*size, 3], axis: 0, ..base.clone() });
        }
    }
    distinct(graph, plans)
}

/// Plans in which one dim after the other is longer than a vector register. A group has one axis.
pub(crate) fn vectors(graph: &Graph, seed: u64) -> Vec<SamplePlan> {
    let base = base(graph, seed);
    let mut plans: Vec<SamplePlan> = own(graph).map(|dim| with(&base, dim, LONG[0])).collect();
    plans.extend(graph.group().map(|_| grouped(&base, &[LONG[0]])));
    distinct(graph, plans)
}

/// A plan in which all dims are large together and most sizes differ. They are as large as this number of
/// elements of all nodes allows.
pub(crate) fn broad(graph: &Graph, work: usize, seed: u64) -> SamplePlan {
    let of = |sizes: &[usize; 3]| {
        let mut plan = base(graph, seed);
        let mut next = sizes.iter().cycle();
        own(graph).zip(&mut next).for_each(|(dim, size)| plan.dims[dim] = *size);
        let group = if own(graph).next().is_none() { vec![sizes[0], sizes[1]] } else { vec![3] };
        grouped(&plan, &group)
    };
    let plans = BROAD.each_ref().map(of);
    let fits = plans.iter().find(|plan| plan.all_elements(graph) <= work);
    fits.unwrap_or(&plans[BROAD.len() - 1]).clone()
}

/// The plan in which all sizes are 2.
fn base(graph: &Graph, seed: u64) -> SamplePlan {
    SamplePlan::uniform(graph, 2, &[2], seed)
}

/// The indices of the dims that have a size of their own.
fn own(graph: &Graph) -> impl Iterator<Item = usize> + '_ {
    let is_own = |dim: &usize| match graph.dim(DimId::new(*dim)).kind {
        DimKind::Named | DimKind::Sized(_) => true,
        DimKind::Computed(_) => false,
        DimKind::Group | DimKind::Axis(_) | DimKind::Fixed(_) => false,
    };
    (0..graph.dims.len()).filter(is_own)
}

fn with(plan: &SamplePlan, dim: usize, size: usize) -> SamplePlan {
    let mut plan = plan.clone();
    plan.dims[dim] = size;
    plan
}

fn grouped(plan: &SamplePlan, group: &[usize]) -> SamplePlan {
    SamplePlan { group: group.to_vec(), axis: group.len().saturating_sub(1), ..plan.clone() }
}

/// The plans that the op accepts, without duplicates.
fn distinct(graph: &Graph, plans: Vec<SamplePlan>) -> Vec<SamplePlan> {
    let mut known = BTreeSet::new();
    let taken = plans.into_iter().filter(|plan| plan.check(graph).is_ok());
    taken.filter(|plan| known.insert(Described(plan, graph).to_string())).collect()
}
