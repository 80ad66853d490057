//! Elements for arguments, at several scales, so that every formula meets its domain at one of them.

use super::plan::Plan;
use crate::random::Random;
use tensor_op_core::{Result, Shape, TensorData, Value};
use tensor_op_spec::ir::{ArgType, DimId, Graph, Kind, NodeId, Op};

/// Ranges that floats are drawn from: both signs, positive, the open unit interval on both sides, beyond 1, close to 0.
pub(super) const SCALES: [(f64, f64); 6] =
    [(-2.0, 2.0), (0.25, 1.75), (-0.95, 0.95), (0.05, 0.95), (1.1, 3.0), (-0.25, 0.25)];

/// Arguments for a plan: floats in f64, ints in i64. Each float argument takes the scale that is given for it.
pub(super) fn values(
    graph: &Graph,
    plan: &Plan,
    scales: &[usize],
    attempt: u64,
) -> Result<Vec<Value<TensorData>>> {
    let of = |(arg, value): (usize, Value<Shape>)| match value {
        Value::Tensor(shape) => {
            let mut random = Random::new(&[plan.seed, attempt, arg as u64]);
            tensor(graph, plan, arg, shape, SCALES[scales[arg]], &mut random).map(Value::Tensor)
        }
        Value::Shape(shape) => Ok(Value::Shape(shape)),
        Value::Scalar(scalar) => Ok(Value::Scalar(scalar)),
    };
    plan.shapes(graph).into_iter().enumerate().map(of).collect()
}

fn tensor(
    graph: &Graph,
    plan: &Plan,
    arg: usize,
    shape: Shape,
    scale: (f64, f64),
    random: &mut Random,
) -> Result<TensorData> {
    let kind = match &graph.args[arg].ty {
        ArgType::Tensor { kind, .. } => *kind,
        ArgType::Shape { .. } | ArgType::Scalar { .. } | ArgType::Axis { .. } => Kind::Float,
    };
    let count = 0..shape.elements()?;
    match kind {
        Kind::Float => TensorData::new(count.map(|_| float(scale, plan.bits, random)).collect(), shape),
        Kind::Int => {
            let range = int_range(graph, plan, arg);
            let size = (range.end - range.start).max(1) as u64;
            TensorData::new(count.map(|_| range.start + random.below(size) as i64).collect(), shape)
        }
        Kind::Bool => TensorData::new(count.map(|_| random.below(3) != 0).collect(), shape),
    }
}

/// A multiple of 2^-bits in the range.
pub(super) fn float((low, high): (f64, f64), bits: u32, random: &mut Random) -> f64 {
    let grid = (1u64 << bits) as f64;
    let x = low + (high - low) * random.unit();
    let rounded = (x * grid).round() / grid;
    if rounded < low || rounded > high { x } else { rounded }
}

/// Ints that index stay inside of every dim that they index; others are small, of both signs.
fn int_range(graph: &Graph, plan: &Plan, arg: usize) -> std::ops::Range<i64> {
    match index_bound(graph, plan, arg) {
        Some(size) => 0..size,
        None => -3..6,
    }
}

/// The smallest size of the dims that an int argument indexes, if it does.
pub(super) fn index_bound(graph: &Graph, plan: &Plan, arg: usize) -> Option<i64> {
    let indexed = graph.nodes.iter().filter_map(|node| match node.op {
        Op::At { dim, index, .. } | Op::ScatterAdd { dim, index, .. } => {
            depends(graph, index, arg).then_some(dim)
        }
        Op::Input(_) | Op::Literal(_) | Op::Len(_) | Op::Iota(_) | Op::Apply(..) | Op::Cast(_) => None,
        Op::Reduce(..) | Op::StopGrad(_) | Op::Given { .. } | Op::Seed(_) => None,
    });
    let size = |dim: DimId| plan.size(graph, dim) as i64;
    indexed.map(size).min()
}

fn depends(graph: &Graph, id: NodeId, arg: usize) -> bool {
    let node = graph.node(id);
    node.op == Op::Input(arg) || node.operands().into_iter().any(|operand| depends(graph, operand, arg))
}
