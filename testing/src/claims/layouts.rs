//! Views of other tensors as arguments, and sizes at which loops change.

use super::forward::{both_at, dtypes};
use super::large::most;
use super::{Outcome, repeated, told};
use crate::agree::Setting;
use crate::place::{Layout, Layouts, devices};
use crate::property::for_plan;
use crate::report::Tally;
use crate::sample::sizes::{LONG, LONGER, broad, edges, long};
use crate::sample::{Plan, Point, sample};
use tensor_op_core::{Backend, DType, Device, Dynamic, ErrorKind, Op};
use tensor_op_spec::ir::{ArgType, DimId, DimKind, Graph};

/// Elements of all nodes that the reference computes along one of [`LONGER`], about a second without optimisation.
const WORK: usize = 300_000;
/// Elements of the largest node where arguments repeat themselves: enough for several tasks.
const MANY: usize = 100_003;

/// Each view agrees with the reference: in all dtypes at small sizes; beside arguments in other layouts, and at large sizes, in one dtype after the other.
pub(super) fn views(op: &dyn Op, seed: u64) -> Outcome {
    let graph = op.spec().graph();
    let mut tally = at(op, Plan::uniform(graph, 6, &[2, 3], seed), |device| {
        let dtypes = dtypes(graph, device);
        let all = Layout::views(device)
            .into_iter()
            .flat_map(|layout| dtypes.iter().map(move |dtypes| (*dtypes, Layouts::from(layout))));
        all.chain(dtypes.iter().copied().cycle().zip(mixed(graph, device))).collect()
    })?;
    tally.add(at(op, broad(graph, seed), |device| {
        let layouts = Layout::views(device).into_iter().map(Layouts::from);
        dtypes(graph, device).into_iter().cycle().zip(layouts.chain(mixed(graph, device))).collect()
    })?);
    Ok(tally)
}

/// Layouts that differ from argument to argument; none where there is one.
fn mixed(graph: &Graph, device: &Device) -> Vec<Layouts> {
    let tensors = graph.args.iter().filter(|arg| matches!(arg.ty, ArgType::Tensor { .. }));
    if tensors.count() < 2 { vec![] } else { Layouts::mixed(device) }
}

/// Sizes that the op takes agree with the reference: empty, 1, odd, long in each dim and large in all, and ranks of the group from 0 to 6. Sizes up
/// to 67 in one dtype, others in all, and sums of many elements in f64 too, whose bound is far below an element.
pub(super) fn shapes(op: &dyn Op, seed: u64) -> Outcome {
    let graph = op.spec().graph();
    let mut tally = Tally::default();
    for plan in edges(graph, seed) {
        tally.add(at(op, plan, |device| plain(vec![(ordinary(device), DType::I64)]))?);
    }
    for (turn, plan) in long(graph, &LONG[..1], seed).into_iter().enumerate() {
        tally.add(at(op, plan, |device| {
            plain(dtypes(graph, device).into_iter().cycle().skip(turn).take(1).collect())
        })?);
    }
    for plan in long(graph, &LONG[1..], seed).into_iter().chain([broad(graph, seed)]) {
        tally.add(at(op, plan, |device| plain(dtypes(graph, device)))?);
    }
    for plan in longer(op, seed).into_iter().filter(|plan| plan.check(graph).is_ok()) {
        tally.add(at(op, plan, |device| {
            let mut dtypes = vec![widest(device), ordinary(device)];
            dtypes.dedup();
            plain(dtypes.into_iter().map(|dtype| (dtype, DType::I64)).collect())
        })?);
    }
    for dim in repeated::dims(graph) {
        let base = repeated::with_size(graph, &Plan::uniform(graph, 2, &[1, 2], seed), dim, 1);
        let count = (MANY / most(graph, &base).max(1)).max(LONGER[LONGER.len() - 1]);
        let plan = repeated::with_size(graph, &base, dim, count);
        for device in devices() {
            let setting = Setting {
                device,
                dtype: ordinary(&device),
                int: DType::I64,
                layout: Layout::Contiguous.into(),
            };
            tally.add(for_plan(graph, plan.clone(), |plan| repeated::check(op, plan, dim, setting))?);
        }
    }
    Ok(tally)
}

/// Row-major arguments in each of these dtypes.
fn plain(dtypes: Vec<(DType, DType)>) -> Vec<((DType, DType), Layouts)> {
    dtypes.into_iter().map(|dtypes| (dtypes, Layout::Contiguous.into())).collect()
}

/// The op and its gradient at a plan, on each device in each of its settings.
fn at(op: &dyn Op, plan: Plan, settings: impl Fn(&Device) -> Vec<((DType, DType), Layouts)>) -> Outcome {
    let graph = op.spec().graph();
    for_plan(graph, plan, |plan| {
        let args = match sample(graph, plan, Point::Ordinary) {
            Ok(args) => args,
            Err(error) if error.kind() == ErrorKind::Index => {
                return Ok(Tally::nothing("sizes without a valid index"));
            }
            Err(error) => return Err(told(error)),
        };
        let mut tally = Tally::default();
        for device in devices() {
            for ((dtype, int), layout) in settings(&device) {
                tally.add(both_at(op, &args, Setting { device, dtype, int, layout }, plan.seed)?);
            }
        }
        Ok(tally)
    })
}

/// f32, or what a device has instead.
fn ordinary(device: &Device) -> DType {
    if Dynamic::supports_dtype(device, DType::F32) { DType::F32 } else { DType::F64 }
}

/// f64, or what a device has instead.
fn widest(device: &Device) -> DType {
    if Dynamic::supports_dtype(device, DType::F64) { DType::F64 } else { DType::F32 }
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
