//! What a call reads and writes: nothing but its results, the same bits each time.

use super::{Outcome, told};
use crate::place::{Layout, devices, place, place_all, run_placed};
use crate::report::Tally;
use crate::sample::{Plan, any, backward_args};
use tensor_op_core::{Backend, DType, Device, DynTensor, Dynamic, Op, Result, Shape, TensorData, Value};
use tensor_op_spec::ir::{DimKind, DimSet, Graph, Scalar};

/// Values that a call computes at some node: enough for threads, and for buffers that are recycled.
const MANY: usize = 40_000;

/// The same bits from run to run, and for any number of threads.
pub(super) fn repeatable(op: &dyn Op, seed: u64) -> Outcome {
    each(op, seed, |op, args, device| {
        let run = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
            let pool = pool.map_err(|error| format!("no threads: {error}"))?;
            pool.install(|| run_placed(op, place_all(args, device, Layout::Contiguous)?)).map_err(told)
        };
        let first = run(1)?;
        let mut tally = Tally::CASE;
        for threads in [1, 2, 3] {
            tally.add(same(op, &first, &run(threads)?, &format!("with {threads} threads instead of 1"))?);
        }
        Ok(tally)
    })
}

/// Arguments stay as they are, with all that lies around them; neither who holds them nor what memory held before changes a result.
pub(super) fn guards(op: &dyn Op, seed: u64) -> Outcome {
    each(op, seed, |op, args, device| {
        let owned =
            run_placed(op, place_all(args, device, Layout::Contiguous).map_err(told)?).map_err(told)?;
        let mut tally = Tally::CASE;
        dirty(&owned, device).map_err(told)?;
        let shared = place_all(args, device, Layout::Contiguous).map_err(told)?;
        let found = run_placed(op, shared.clone()).map_err(told)?;
        tally.add(same(
            op,
            &owned,
            &found,
            "with arguments that others hold, in memory that was used before",
        )?);
        unchanged(op, &shared, args).map_err(|what| format!("{what} by the call"))?;

        let (buffers, views) = surrounded(args, device).map_err(told)?;
        let before = read(&buffers).map_err(told)?;
        run_placed(op, views).map_err(told)?;
        let after = read(&buffers).map_err(told)?;
        tally.cases += 1;
        for ((before, after), arg) in before.iter().zip(&after).zip(&op.spec().graph().args) {
            if before.as_ref().map(bits) != after.as_ref().map(bits) {
                return Err(format!("memory around `{}` is changed by the call", arg.name));
            }
        }
        Ok(tally)
    })
}

/// The op and its gradient, on each device, at sizes that reach [`MANY`].
fn each(
    op: &dyn Op,
    seed: u64,
    holds: impl Fn(&dyn Op, &[Value<TensorData>], &Device) -> Outcome,
) -> Outcome {
    let graph = op.spec().graph();
    let plan = large(graph, seed);
    let args = any(graph, &plan, DType::F32).map_err(told)?;
    let mut tally = Tally::default();
    for device in devices().iter().filter(|device| Dynamic::supports_dtype(device, DType::F32)) {
        tally.add(holds(op, &args, device)?);
        if let Some(backward) = op.backward() {
            let all =
                run_placed(op, place_all(&args, device, Layout::Contiguous).map_err(told)?).map_err(told)?;
            let weights = crate::tape::weights(&all, seed).map_err(told)?;
            let args = backward_args(graph, backward.spec().graph(), &args, &all, &weights, DType::F32);
            tally.add(holds(&*backward, &args, device).map_err(|what| format!("the gradient: {what}"))?);
        }
    }
    Ok(tally)
}

/// The smallest uniform plan some node of which has [`MANY`] elements.
fn large(graph: &Graph, seed: u64) -> Plan {
    let mut size = 4;
    loop {
        let plan = Plan::uniform(graph, size, &[3, size + 1], seed);
        let count = |dims: DimSet| {
            let of = |dim| match graph.dim(dim).kind {
                DimKind::Group => 3 * if graph.axis_dims().is_empty() { size + 1 } else { 1 },
                DimKind::Axis(_) | DimKind::Named | DimKind::Sized(_) | DimKind::Fixed(_) => {
                    plan.size(graph, dim)
                }
            };
            dims.iter().map(of).fold(1usize, usize::saturating_mul)
        };
        let most = graph.nodes.iter().map(|node| count(node.dims)).max().unwrap_or(0);
        if most >= MANY || size > MANY {
            return plan;
        }
        size += 1 + size / 4;
    }
}

/// Bit for bit.
fn same(op: &dyn Op, expected: &[TensorData], found: &[TensorData], how: &str) -> Outcome {
    let mut tally = Tally { cases: 1, ..Tally::default() };
    for ((expected, found), output) in expected.iter().zip(found).zip(&op.spec().graph().outputs) {
        let (a, b) = (bits(expected), bits(found));
        if let Some(index) = (0..a.len().max(b.len())).find(|index| a.get(*index) != b.get(*index)) {
            return Err(format!("`{}` differs {how}, first at element {index}", output.name));
        }
        tally.elements += a.len();
    }
    Ok(tally)
}

/// All NaNs count as one.
fn bits(data: &TensorData) -> Vec<u64> {
    let numbers = data.clone().cast(DType::F64).into_vec::<f64>().unwrap_or_default();
    numbers.into_iter().map(|x| if x.is_nan() { f64::NAN.to_bits() } else { x.to_bits() }).collect()
}

/// Leaves memory of the size of results full of NaN, for the next results to be written in.
fn dirty(results: &[TensorData], device: &Device) -> Result<()> {
    let like = |data: &TensorData| {
        let value = Scalar::Float(f64::NAN).cast(data.dtype().kind());
        Dynamic::full(data.shape().clone(), value, data.dtype(), device)
    };
    let tensors: Vec<DynTensor> = results.iter().chain(results).map(like).collect::<Result<_>>()?;
    drop(tensors);
    Ok(())
}

fn unchanged(
    op: &dyn Op,
    held: &[Value<DynTensor>],
    args: &[Value<TensorData>],
) -> std::result::Result<(), String> {
    for ((held, arg), declared) in held.iter().zip(args).zip(&op.spec().graph().args) {
        let (Some(held), Some(data)) = (held.tensor(), arg.tensor()) else { continue };
        if bits(&Dynamic::into_data(held.clone()).map_err(told)?) != bits(data) {
            return Err(format!("`{}` is changed", declared.name));
        }
    }
    Ok(())
}

/// Tensors on a device, larger ones around the arguments.
type Buffers = Vec<Option<DynTensor>>;

/// Larger tensors with other values around, and the arguments as views into them.
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
