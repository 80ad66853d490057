//! Checks the memory that a call writes and reads: it writes only its results, and reads only its arguments.

use super::large::{bits, both, each, same};
use super::{Outcome, told};
use crate::case::Case;
use crate::place::{Layout, devices, is_cpu, place, place_all, run_placed};
use crate::property::for_plan;
use crate::report::Tally;
use crate::sample::sizes::{LONG, edges, long};
use crate::sample::{SamplePlan, any};
use crate::scope::{Scope, work};
use tensor_op_core::{Backend, DType, Device, DynTensor, Dynamic, Op, Result, Shape, TensorData, Value};
use tensor_op_ndarray::guards::{Fill, watch};
use tensor_op_spec::ir::Scalar;

/// Arguments and the memory around them stay unchanged, and nothing around results is written. A result does
/// not depend on who holds the arguments, or on what its memory held before.
pub(super) fn check(op: &dyn Op, scope: &Scope) -> Outcome {
    let mut tally = each(op, scope, |op, args, device| {
        let owned =
            run_placed(op, place_all(args, device, Layout::Contiguous).map_err(told)?).map_err(told)?;
        let case = Case::new(op.spec().graph(), args, device);
        let mut tally = Tally::CASE;
        dirty(&owned, device).map_err(told)?;
        let shared = place_all(args, device, Layout::Contiguous).map_err(told)?;
        let found = run_placed(op, shared.clone()).map_err(told)?;
        let how = "with arguments that others hold, in memory that was used before";
        tally.add(same(&case, &owned, &found, how)?);
        unchanged(&case, &shared)?;
        tally.add(around_arguments(op, args, device)?);
        // Guard words exist only in the memory of the CPU backend.
        if is_cpu(device) {
            tally.add(around_results(op, args, device)?);
        }
        Ok(tally)
    })?;
    tally.add(small(op, scope)?);
    Ok(tally)
}

/// Checks sizes at which loops change, where a tail may be written too far.
fn small(op: &dyn Op, scope: &Scope) -> Outcome {
    let graph = op.spec().graph();
    let seed = scope.seed();
    let mut tally = Tally::default();
    let Some(cpu) = devices().into_iter().find(is_cpu) else { return Ok(tally) };
    let dtypes: Vec<DType> = [DType::F32, DType::F16, DType::F64]
        .into_iter()
        .filter(|dtype| scope.has(&cpu, *dtype))
        .take(2)
        .collect();
    for (turn, plan) in edges(graph, seed).into_iter().chain(long(graph, &LONG, seed)).enumerate() {
        let work = work(op, &plan);
        if scope.is_too_much(work) {
            tally.add(Tally::left_out());
            continue;
        }
        let check = |plan: &SamplePlan| {
            let mut tally = Tally::default();
            for dtype in scope.in_turn(turn, dtypes.clone()) {
                let args = any(graph, plan, dtype).map_err(told)?;
                tally.add(both(op, &args, &cpu, dtype, seed, |op, args| around_results(op, args, &cpu))?);
            }
            Ok(tally)
        };
        tally.add(scope.spend(work, || for_plan(graph, plan, check))?);
    }
    Ok(tally)
}

/// Runs the op between guard words: with arguments that others hold too, and with arguments whose memory the
/// results may take.
fn around_results(op: &dyn Op, args: &[Value<TensorData>], device: &Device) -> Outcome {
    let case = Case::new(op.spec().graph(), args, device);
    let run = |is_shared: bool| {
        let placed = place_all(args, device, Layout::Contiguous).map_err(told)?;
        let held = if is_shared { placed.clone() } else { vec![] };
        let results = run_placed(op, placed).map_err(told)?;
        unchanged(&case, &held)?;
        Ok::<_, String>(results)
    };
    let mut tally = Tally::CASE;
    let mut first: Option<Vec<TensorData>> = None;
    for (fill, is_shared) in [(Fill::Zeros, true), (Fill::Ones, true), (Fill::Ones, false)] {
        let (found, written) = watch(fill, || run(is_shared));
        if let Some(written) = written.first() {
            return Err(case.told(&format!("memory that is no tensor's is changed by the call: {written}")));
        }
        let found = found?;
        match &first {
            Some(first) => tally.add(same(&case, first, &found, "in memory that held other numbers before")?),
            None => first = Some(found),
        }
    }
    Ok(tally)
}

/// Runs the op on arguments that are views into larger tensors.
fn around_arguments(op: &dyn Op, args: &[Value<TensorData>], device: &Device) -> Outcome {
    let run = || {
        let (buffers, views) = surrounded(args, device)?;
        let before = read(&buffers)?;
        run_placed(op, views)?;
        Ok((before, read(&buffers)?))
    };
    // With guard words, a kernel that is wrong on purpose may write beyond its memory without harm.
    let (before, after) = watch(Fill::Zeros, run).0.map_err(told)?;
    for ((before, after), arg) in before.iter().zip(&after).zip(&op.spec().graph().args) {
        if before.as_ref().map(bits) != after.as_ref().map(bits) {
            let case = Case::new(op.spec().graph(), args, device);
            return Err(case.told(&format!("memory around `{}` is changed by the call", arg.name)));
        }
    }
    Ok(Tally::CASE)
}

/// Leaves behind memory of the results' size that is full of NaN, so that the next results are written into
/// it.
fn dirty(results: &[TensorData], device: &Device) -> Result<()> {
    let like = |data: &TensorData| {
        let value = Scalar::Float(f64::NAN).cast(data.dtype().kind());
        Dynamic::full(data.shape().clone(), value, data.dtype(), device)
    };
    let tensors: Vec<DynTensor> = results.iter().chain(results).map(like).collect::<Result<_>>()?;
    drop(tensors);
    Ok(())
}

fn unchanged(case: &Case<'_>, held: &[Value<DynTensor>]) -> std::result::Result<(), String> {
    for ((held, arg), declared) in held.iter().zip(case.args).zip(&case.graph.args) {
        let (Some(held), Some(data)) = (held.tensor(), arg.tensor()) else { continue };
        if bits(&Dynamic::into_data(held.clone()).map_err(told)?) != bits(data) {
            return Err(case.told(&format!("`{}` is changed by the call", declared.name)));
        }
    }
    Ok(())
}

/// For each argument, a larger tensor on a device that contains it.
type Buffers = Vec<Option<DynTensor>>;

/// Larger tensors with other values at their borders, and the arguments as views into these tensors.
fn surrounded(args: &[Value<TensorData>], device: &Device) -> Result<(Buffers, Vec<Value<DynTensor>>)> {
    let mut buffers = vec![];
    let mut views = vec![];
    for arg in args {
        let mut buffer = None;
        views.push(arg.clone().try_map(|data| {
            let larger: Shape = data.shape().iter().map(|size| size + 2).collect();
            let ranges: Vec<_> = data.shape().iter().map(|size| (1, size + 1, 1)).collect();
            let guard = Scalar::Float(7.0).cast(data.dtype().kind());
            let filled = TensorData::full(larger, guard, data.dtype())?;
            let filled = place(filled, device, Layout::Contiguous)?;
            let written = Dynamic::slice_assign(filled, &ranges, Dynamic::from_data(data, device)?)?;
            buffer = Some(written.clone());
            Dynamic::slice(written, &ranges)
        })?);
        buffers.push(buffer);
    }
    Ok((buffers, views))
}

fn read(buffers: &Buffers) -> Result<Vec<Option<TensorData>>> {
    buffers.iter().map(|buffer| buffer.clone().map(Dynamic::into_data).transpose()).collect()
}
