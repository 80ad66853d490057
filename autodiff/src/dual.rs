//! Forward mode: tensors that carry a tangent, and ops on them.
//!
//! Inside of `jvp` a tensor is a pair: its value, and its tangent, which is the derivative along a direction.
//! An op on pairs runs on the values. Its directional derivative is derived from the same graph, and runs on
//! values and tangents. Both are recorded like other ops, so that a tangent can be differentiated. Calls of
//! `jvp` nest: each call has a level, and an op first splits the pairs of the newest level among its
//! arguments. When no pairs are left, [`record`] runs the op.

use crate::directional::{Directional, directional};
use crate::error::no_gradient;
use crate::like::{Like, blank, is_float};
use crate::movement::Movement;
use crate::plan::check_carriers;
use crate::primitive::Primitive;
use crate::record;
use crate::tensor::{AutodiffTensor, Level};
use tensor_op_core::{Backend, Op, Result, Value};
use tensor_op_spec::ir::{Arg, ArgType, Role};

/// Runs and records an op.
pub(crate) fn run_op<B: Backend>(
    op: &dyn Op,
    args: Vec<Value<AutodiffTensor<B>>>,
    wanted: &[bool],
    recompute: bool,
) -> Result<Vec<Option<AutodiffTensor<B>>>> {
    let Some(level) = newest(args.iter().filter_map(Value::tensor)) else {
        return record::run_op(op, args, wanted, recompute);
    };
    let (values, tangents): (Vec<_>, Vec<_>) = args.into_iter().map(|arg| split_value(arg, level)).unzip();
    let outputs = run_op(op, values.clone(), wanted, recompute)?;
    let results: Vec<_> = outputs.iter().flatten().collect();
    let mut found = derive(op, wanted, &values, &tangents, &results, recompute)?.into_iter();
    let paired = outputs.into_iter().map(|output| {
        let output = output?;
        Some(match found.next().flatten() {
            Some(tangent) => AutodiffTensor::pair(level, output, tangent),
            None => output,
        })
    });
    Ok(paired.collect())
}

/// Runs and records a primitive that computes.
pub(crate) fn run_primitive<B: Backend>(
    call: Primitive,
    tensors: Vec<AutodiffTensor<B>>,
    recompute: bool,
) -> Result<AutodiffTensor<B>> {
    let Some(level) = newest(&tensors) else { return record::run_primitive(call, tensors, recompute) };
    let (values, tangents): (Vec<_>, Vec<_>) = tensors.into_iter().map(|tensor| tensor.split(level)).unzip();
    let output = run_primitive(call.clone(), values.clone(), recompute)?;
    let op = call.op::<B>(&values.iter().map(AutodiffTensor::inner).collect::<Vec<_>>())?;
    let found = derive(&*op, &[true], &call.args(values), &tangents, &[&output], recompute)?;
    let tangent = found.into_iter().flatten().next();
    Ok(match tangent {
        Some(tangent) => AutodiffTensor::pair(level, output, tangent),
        None => output,
    })
}

/// Moves tensors and records the movement. Tangents are moved in the same way as values.
pub(crate) fn run_movement<B: Backend>(
    movement: Movement<B::Device>,
    tensors: Vec<AutodiffTensor<B>>,
    recompute: bool,
) -> Result<AutodiffTensor<B>> {
    let Some(level) = newest(&tensors) else { return record::run_movement(movement, tensors, recompute) };
    let (values, tangents): (Vec<_>, Vec<_>) = tensors.into_iter().map(|tensor| tensor.split(level)).unzip();
    let filled = values.iter().zip(tangents).map(|(value, tangent)| tangent.map_or_else(|| zeros(value), Ok));
    let tangents = filled.collect::<Result<_>>()?;
    let output = run_movement(movement.clone(), values, recompute)?;
    if !is_float::<B>(output.inner()) {
        return Ok(output);
    }
    Ok(AutodiffTensor::pair(level, output, run_movement(movement, tangents, recompute)?))
}

/// The newest level among tensors, if one of them is a pair.
fn newest<'t, B: Backend>(tensors: impl IntoIterator<Item = &'t AutodiffTensor<B>>) -> Option<Level> {
    tensors.into_iter().filter_map(AutodiffTensor::level).max()
}

/// Zeros like a tensor, which take no storage for their elements.
fn zeros<B: Backend>(like: &AutodiffTensor<B>) -> Result<AutodiffTensor<B>> {
    blank::<B>(&Like::of::<B>(like.inner())).map(AutodiffTensor::from_inner)
}

fn split_value<B: Backend>(
    value: Value<AutodiffTensor<B>>,
    level: Level,
) -> (Value<AutodiffTensor<B>>, Option<AutodiffTensor<B>>) {
    match value {
        Value::Tensor(tensor) => {
            let (value, tangent) = tensor.split(level);
            (Value::Tensor(value), tangent)
        }
        Value::Scalar(scalar) => (Value::Scalar(scalar), None),
        Value::Shape(shape) => (Value::Shape(shape), None),
    }
}

/// The tangents of the wanted results of an op. A result that depends on no tangent has none.
fn derive<B: Backend>(
    op: &dyn Op,
    wanted: &[bool],
    values: &[Value<AutodiffTensor<B>>],
    tangents: &[Option<AutodiffTensor<B>>],
    results: &[&AutodiffTensor<B>],
    recompute: bool,
) -> Result<Vec<Option<AutodiffTensor<B>>>> {
    let mut paired = vec![None; results.len()];
    if !results.iter().any(|result| is_float::<B>(result.inner())) {
        return Ok(paired);
    }
    let name = op.spec().name();
    let carries: Vec<bool> = tangents.iter().map(Option::is_some).collect();
    let reason = |reason: String| no_gradient(name, &reason);
    check_carriers(op.spec().graph(), &carries).map_err(reason)?;
    let Directional { op: derivative, of } = directional(op, wanted, &carries).map_err(reason)?;
    if of.is_empty() {
        return Ok(paired);
    }
    let graph = derivative.spec().graph();
    let args = graph.args.iter().map(|arg| {
        let value = argument(arg, values, tangents, results);
        value.ok_or_else(|| {
            reason(format!("its directional derivative asks for `{}`, which is not there", arg.name))
        })
    });
    let all = vec![true; graph.outputs.len()];
    let found = run_op(&*derivative, args.collect::<Result<_>>()?, &all, recompute)?;
    if found.len() != of.len() {
        return Err(reason("its directional derivative gave another number of results than it has".into()));
    }
    for (result, tangent) in of.iter().zip(found) {
        paired[*result] = tangent;
    }
    Ok(paired)
}

/// An argument of a directional derivative.
fn argument<B: Backend>(
    arg: &Arg,
    values: &[Value<AutodiffTensor<B>>],
    tangents: &[Option<AutodiffTensor<B>>],
    results: &[&AutodiffTensor<B>],
) -> Option<Value<AutodiffTensor<B>>> {
    let value = match arg.role {
        Role::Forward(index) => values.get(index)?.clone(),
        Role::Output(index) => Value::Tensor((*results.get(index)?).clone()),
        Role::Tangent(index) => Value::Tensor(tangents.get(index)?.clone()?),
        Role::Grad(_) => return None,
    };
    Some(match (value, &arg.ty) {
        (Value::Tensor(tensor), ArgType::Shape { .. }) => Value::Shape(B::shape(tensor.inner())),
        (value, _) => value,
    })
}
