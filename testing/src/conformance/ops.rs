//! Compares declared ops and their gradients, as the backend runs them, with the f64 reference interpreter,
//! within the derived bound.

use super::{Subject, Suite};
use crate::agree::Setting;
use crate::claims::both;
use crate::place::{Layout, Layouts};
use crate::sample::sizes::{LONG, broad, broadcasts, long};
use crate::sample::{Described, SamplePlan, fit};
use tensor_op_core::{Backend, DType, Device, Dynamic, Op};
use tensor_op_spec::ir::{ArgType, Graph, Kind};

/// How many elements all nodes have where all sizes are large together. This takes some milliseconds.
const BROAD_WORK: usize = 50_000;
/// Cases with more elements than this are smaller, or left out: an op of many dims has many elements even
/// where all sizes are 7.
const MOST_WORK: usize = 100_000;

/// The first cases are run in all dtypes.
const FIRST: usize = 3;

/// Runs the cases of an op whose floats are of this dtype, or whose ints if it has no floats. An op of bools
/// alone runs once, and one without tensors does not: it is on no device.
pub(super) fn run(suite: &mut Suite, op: &dyn Op, dtype: DType) {
    let graph = op.spec().graph();
    if !takes(graph, dtype) {
        return;
    }
    let device = suite.device;
    let is_of_floats = dtype.kind() == Kind::Float;
    let ints: &[DType] = match (is_of_floats, has(graph, Kind::Int)) {
        (true, true) => &[DType::I64, DType::I32, DType::U32, DType::U8],
        (true, false) => &[DType::I64],
        (false, _) => &[dtype],
    };
    for (turn, (plan, layout)) in
        possible(graph, &device).into_iter().enumerate().filter(|(turn, _)| has_turn(*turn, dtype))
    {
        let ints = ints.iter().copied().filter(|int| Dynamic::supports_dtype(&device, *int));
        let ints: Vec<DType> = ints.collect();
        // Each dtype of ints has its turn; in the first cases all have.
        let count = if turn < FIRST { ints.len() } else { 1 };
        for int in ints.iter().cycle().skip(turn).take(count.min(ints.len())).copied() {
            let setting = Setting { device, dtype, int, layout };
            let beside = if is_of_floats && ints.len() > 1 { format!(" {int}") } else { String::new() };
            let case = format!("{} {layout:?}{beside}", Described(&plan, graph));
            suite.check(Subject::Op(op.spec().name().to_string()), dtype, case, || {
                Ok(both(op, &plan, setting))
            });
        }
    }
}

/// The cases whose sizes the op takes. If it takes none of them, such as where one dim must be longer than
/// another, the nearest that it takes.
fn possible(graph: &Graph, device: &Device) -> Vec<(SamplePlan, Layouts)> {
    let all = cases(graph, device);
    let takes = |(plan, _): &(SamplePlan, Layouts)| plan.check(graph).is_ok();
    if all.iter().any(takes) {
        return all.into_iter().filter(takes).collect();
    }
    all.into_iter().map(|(plan, layout)| (fit(graph, &plan), layout)).filter(takes).collect()
}

/// Whether a case is run in a dtype: of the other floats than f32, each has every third case, and the first
/// ones.
fn has_turn(turn: usize, dtype: DType) -> bool {
    let place = match dtype {
        DType::F64 => 0,
        DType::F16 => 1,
        DType::BF16 => 2,
        DType::F32 | DType::I64 | DType::I32 | DType::U32 | DType::U8 | DType::Bool => return true,
    };
    turn < FIRST || turn % 3 == place
}

/// Whether the op's floats can be of this dtype, or its ints if it has no floats, or its bools if it has
/// neither.
fn takes(graph: &Graph, dtype: DType) -> bool {
    match dtype.kind() {
        Kind::Float => has(graph, Kind::Float),
        Kind::Int => has(graph, Kind::Int) && !has(graph, Kind::Float),
        Kind::Bool => has(graph, Kind::Bool) && !has(graph, Kind::Int) && !has(graph, Kind::Float),
    }
}

/// Whether the op has arguments of this kind.
fn has(graph: &Graph, wanted: Kind) -> bool {
    let of_kind = |ty: &ArgType| matches!(ty, ArgType::Tensor { kind, .. } if *kind == wanted);
    graph.args.iter().any(|arg| of_kind(&arg.ty))
}

/// The cases: sizes that are empty, 1, odd, in each dim in turn longer than a vector and a block, and all
/// large; broadcast arguments; every layout.
fn cases(graph: &Graph, device: &Device) -> Vec<(SamplePlan, Layouts)> {
    let is_small = |plan: &SamplePlan| plan.all_elements(graph) <= MOST_WORK;
    let uniform = |size: usize, group: &[usize], seed| {
        let plan = |size| SamplePlan::uniform(graph, size, group, seed);
        (2..=size).rev().map(plan).find(is_small).unwrap_or_else(|| plan(size.min(2)))
    };
    let mut plans = vec![
        uniform(1, &[], 1),
        uniform(3, &[2, 3], 2),
        uniform(7, &[5], 3),
        uniform(4, &[0, 3], 4),
        uniform(0, &[2], 5),
        // The last axis is empty; most ops reduce along it.
        uniform(2, &[3, 0], 10),
    ];
    plans.extend(long(graph, &LONG[1..], 6).into_iter().filter(is_small));
    plans.extend(broadcasts(graph, 7));
    plans.push(broad(graph, BROAD_WORK, 8));
    let contiguous = plans.into_iter().map(|plan| (plan, Layout::Contiguous.into()));
    let layouts = Layout::views(device).into_iter().map(Layouts::from).chain(Layouts::mixed(device));
    contiguous.chain(layouts.map(|layout| (uniform(6, &[3, 4], 9), layout))).collect()
}
