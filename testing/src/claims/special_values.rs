//! One special value among ordinary ones, in each argument: zeros of either sign, infinities, NaN, the smallest and largest numbers, and the
//! points at which a primitive of the formula has a kink or is singular. Then all elements alike, which makes every tie.

use super::forward::both_at;
use super::{Outcome, told};
use crate::agree::Setting;
use crate::bound::Format;
use crate::place::{Layout, devices};
use crate::random::Random;
use crate::report::Tally;
use crate::sample::{Plan, Point, is_float, sample};
use tensor_op_core::{Backend, DType, Dynamic, Element, Op, TensorData, Value};
use tensor_op_spec::ir::{Graph, Op as NodeOp};

pub(super) fn check(op: &dyn Op, seed: u64) -> Outcome {
    let graph = op.spec().graph();
    let plan = Plan::uniform(graph, 3, &[2], seed);
    let args = sample(graph, &plan, Point::Ordinary).map_err(told)?;
    let mut tally = Tally::default();
    for device in devices() {
        for dtype in
            [DType::F64, DType::F32, DType::F16].into_iter().filter(|d| Dynamic::supports_dtype(&device, *d))
        {
            let setting = Setting { device, dtype, int: DType::I64, layout: Layout::Contiguous };
            for args in cases(graph, &args, dtype, seed) {
                tally.add(both_at(op, &args, setting, seed)?);
            }
        }
    }
    Ok(tally)
}

fn cases(graph: &Graph, args: &[Value<TensorData>], dtype: DType, seed: u64) -> Vec<Vec<Value<TensorData>>> {
    let mut random = Random::new(&[seed]);
    let mut cases = vec![];
    for arg in 0..args.len() {
        for special in special(graph, dtype) {
            let mut args = args.to_vec();
            if let Value::Tensor(data) = &mut args[arg]
                && let Ok(values) = data.as_mut_slice::<f64>()
                && !values.is_empty()
            {
                values[random.below(values.len() as u64) as usize] = special;
                cases.push(args);
            }
        }
    }
    let alike = |data: TensorData| match is_float(&data) {
        true => TensorData::full(data.shape(), 1.0f64.to_scalar(), DType::F64).unwrap_or(data),
        false => data,
    };
    cases.push(args.iter().cloned().map(|arg| arg.map(alike)).collect());
    cases
}

/// The values of a dtype that stand out, and the special points of the graph's primitives.
fn special(graph: &Graph, dtype: DType) -> Vec<f64> {
    let format = Format::of(dtype);
    let least = format.ulp(0.0);
    let mut special = vec![0.0, -0.0, f64::INFINITY, f64::NEG_INFINITY, f64::NAN];
    special.extend([least, -least, format.min_positive(), format.max, -format.max]);
    for node in &graph.nodes {
        if let NodeOp::Apply(prim, _) = &node.op {
            special.extend(prim.row().special);
        }
    }
    let mut distinct: Vec<f64> = vec![];
    for value in special {
        if !distinct.iter().any(|other| other.to_bits() == value.to_bits()) {
            distinct.push(value);
        }
    }
    distinct
}
