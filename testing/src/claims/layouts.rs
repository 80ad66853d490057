//! Checks views of other tensors as arguments, and sizes at which loops change.

use super::forward::{NO_INDEX, both_at, sampled};
use super::{Outcome, repeated};
use crate::agree::Setting;
use crate::place::{Layout, Layouts, devices};
use crate::property::for_plan;
use crate::report::Tally;
use crate::sample::SamplePlan;
use crate::sample::sizes::{LONG, LONGER, TAILS, broad, edges, long};
use crate::scope::{Scope, work};
use tensor_op_core::{DType, Device, Op};
use tensor_op_spec::ir::{ArgType, DimId, DimKind, Graph};

/// How many elements of all nodes the reference computes along one of [`LONGER`], by level. The larger number
/// takes about a second without optimisation.
const WORK: [usize; 2] = [60_000, 300_000];
/// How many elements all nodes have in a plan where all sizes are large together, by level.
const BROAD_WORK: [usize; 2] = [10_000, 50_000];
/// How many elements the largest node has where arguments repeat themselves, by level: enough for several
/// tasks.
const MANY: [usize; 2] = [20_011, 100_003];
/// Sizes for all dims. The first one that is affordable is taken.
const UNIFORM: [usize; 4] = [6, 4, 3, 2];

/// Calls with views agree with the reference. Small sizes are run in all dtypes. Views beside arguments in
/// other layouts, and large sizes, take turns with the dtypes.
pub(super) fn views(op: &dyn Op, scope: &Scope) -> Outcome {
    let graph = op.spec().graph();
    let seed = scope.seed();
    let plan = SamplePlan::uniform(graph, scope.largest(op, UNIFORM), &[2, 3], seed);
    let mut tally = at(op, scope, plan, |device| {
        let dtypes = scope.dtypes(graph, device);
        let views = Layout::views(device).into_iter().enumerate();
        let all = views.flat_map(|(turn, layout)| {
            let settings = dtypes.iter().map(|dtypes| (*dtypes, Layouts::from(layout)));
            scope.in_turn(turn, settings.collect())
        });
        all.chain(dtypes.iter().copied().cycle().zip(mixed(graph, device))).collect()
    })?;
    tally.add(at(op, scope, broad(graph, scope.of(BROAD_WORK[0], BROAD_WORK[1]), seed), |device| {
        let layouts = Layout::views(device).into_iter().map(Layouts::from);
        let mixed = scope.of(vec![], mixed(graph, device));
        scope.dtypes(graph, device).into_iter().cycle().zip(layouts.chain(mixed)).collect()
    })?);
    Ok(tally)
}

/// Layouts that differ from argument to argument. There are none if the op has only one tensor.
fn mixed(graph: &Graph, device: &Device) -> Vec<Layouts> {
    let tensors = graph.args.iter().filter(|arg| matches!(arg.ty, ArgType::Tensor { .. }));
    if tensors.count() < 2 { vec![] } else { Layouts::mixed(device) }
}

/// Checks that results agree with the reference for all sizes that the op takes: empty, 1, odd, long in one
/// dim, large in all dims, and groups of rank 0 to 6. Sizes up to 67 are run in one dtype, others in all.
/// Sums of many elements are run in f64 too, where the bound is far below the size of one element.
pub(super) fn shapes(op: &dyn Op, scope: &Scope) -> Outcome {
    let graph = op.spec().graph();
    let seed = scope.seed();
    let ordinary = |device: &Device| -> Vec<_> {
        scope.ordinary(device).map(|dtype| (dtype, int(scope, device))).into_iter().collect()
    };
    let mut tally = Tally::default();
    let part = scope.part();
    for plan in edges(graph, seed) {
        tally.add(at(op, &part, plan, |device| plain(ordinary(device)))?);
    }
    let part = scope.part();
    for (turn, plan) in long(graph, &TAILS, seed).into_iter().chain(long(graph, &LONG[..1], seed)).enumerate()
    {
        tally.add(at(op, &part, plan, |device| {
            plain(scope.dtypes(graph, device).into_iter().cycle().skip(turn).take(1).collect())
        })?);
    }
    let part = scope.part();
    let work = scope.of(BROAD_WORK[0], BROAD_WORK[1]);
    for (turn, plan) in
        [broad(graph, work, seed)].into_iter().chain(long(graph, &LONG[1..], seed)).enumerate()
    {
        tally.add(at(op, &part, plan, |device| plain(scope.in_turn(turn, scope.dtypes(graph, device))))?);
    }
    tally.add(rows(op, scope)?);
    tally.add(repeats(op, scope)?);
    Ok(tally)
}

/// Checks rows of many elements.
fn rows(op: &dyn Op, scope: &Scope) -> Outcome {
    let graph = op.spec().graph();
    let mut tally = Tally::default();
    for (turn, plan) in longer(op, scope).into_iter().filter(|plan| plan.check(graph).is_ok()).enumerate() {
        // Each row has an allowance of its own: one long row is worth more than many short ones.
        tally.add(at(op, &scope.part(), plan, |device| {
            let mut dtypes: Vec<DType> =
                scope.widest(graph, device).into_iter().chain(scope.ordinary(device)).collect();
            dtypes.dedup();
            let dtypes = scope.in_turn(turn, dtypes).into_iter();
            plain(dtypes.map(|dtype| (dtype, int(scope, device))).collect())
        })?);
    }
    Ok(tally)
}

/// Checks many elements along each dim along which arguments can repeat themselves.
fn repeats(op: &dyn Op, scope: &Scope) -> Outcome {
    let graph = op.spec().graph();
    let mut tally = Tally::default();
    for dim in repeated::dims(graph) {
        let base = repeated::with_size(graph, &SamplePlan::uniform(graph, 2, &[1, 2], scope.seed()), dim, 1);
        // The reference computes only one period.
        if scope.is_too_much(work(op, &repeated::with_size(graph, &base, dim, repeated::PERIOD))) {
            tally.add(Tally::left_out());
            continue;
        }
        let many = scope.of(MANY[0], MANY[1]);
        let least = scope.of(LONG[0], LONGER[LONGER.len() - 1]);
        let count = (many / base.most_elements(graph).max(1)).max(least);
        let plan = repeated::with_size(graph, &base, dim, count);
        for device in devices() {
            let Some(dtype) = scope.ordinary(&device) else { continue };
            let setting =
                Setting { device, dtype, int: int(scope, &device), layout: Layout::Contiguous.into() };
            tally.add(for_plan(graph, plan.clone(), |plan| repeated::check(op, plan, dim, setting))?);
        }
    }
    Ok(tally)
}

/// The int dtype of the setting: i64, or the first one that the scope allows.
fn int(scope: &Scope, device: &Device) -> DType {
    let others = [DType::I64, DType::I32, DType::U32, DType::U8].into_iter();
    others.clone().find(|dtype| scope.has(device, *dtype)).unwrap_or(DType::I64)
}

/// Settings with row-major arguments in each of these dtypes.
fn plain(dtypes: Vec<(DType, DType)>) -> Vec<((DType, DType), Layouts)> {
    dtypes.into_iter().map(|dtypes| (dtypes, Layout::Contiguous.into())).collect()
}

/// Checks the op and its gradient at a plan, on each device in each of its settings, as far as the scope
/// allows.
fn at(
    op: &dyn Op,
    scope: &Scope,
    plan: SamplePlan,
    settings: impl Fn(&Device) -> Vec<((DType, DType), Layouts)>,
) -> Outcome {
    let graph = op.spec().graph();
    let work = work(op, &plan);
    if scope.is_too_much(work) {
        return Ok(Tally::left_out());
    }
    for_plan(graph, plan, |plan| {
        let Some(args) = sampled(graph, plan)? else { return Ok(Tally::nothing(NO_INDEX)) };
        let mut tally = Tally::default();
        for device in devices() {
            for ((dtype, int), layout) in settings(&device) {
                let setting = Setting { device, dtype, int, layout };
                tally.add(scope.spend(work, || both_at(op, &args, setting, plan.seed))?);
            }
        }
        Ok(tally)
    })
}

/// One plan for each dim that [`repeated::dims`] does not cover. Its size is longer than a block, and longer
/// than a task if the graph has few nodes.
fn longer(op: &dyn Op, scope: &Scope) -> Vec<SamplePlan> {
    let graph = op.spec().graph();
    let most = scope.of(WORK[0], WORK[1]);
    let backward = op.backward();
    let nodes = graph.nodes.len() + backward.as_ref().map_or(0, |op| op.spec().graph().nodes.len());
    let fits = |size: &&usize| *size * nodes <= most;
    let size = LONGER.iter().find(fits).unwrap_or(&LONGER[LONGER.len() - 1]);
    let repeated = repeated::dims(graph);
    let is_also =
        |dim: DimId| backward.as_ref().is_none_or(|op| repeated::dims(op.spec().graph()).contains(&dim));
    let base = SamplePlan::uniform(graph, 1, &[1], scope.seed());
    let mut plans = vec![];
    for dim in (0..graph.dims.len()).map(DimId::new).filter(|dim| !repeated.contains(dim) || !is_also(*dim)) {
        match graph.dim(dim).kind {
            DimKind::Named | DimKind::Sized(_) => plans.push(repeated::with_size(graph, &base, dim, *size)),
            DimKind::Group | DimKind::Axis(_) => {
                plans.push(SamplePlan { group: vec![*size], ..base.clone() })
            }
            DimKind::Fixed(_) | DimKind::Computed(_) => {}
        }
    }
    plans.dedup();
    plans
}
