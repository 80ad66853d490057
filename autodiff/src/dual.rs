//! Forward mode: tensors that carry a tangent, and ops on them.
//!
//! Inside of `jvp` a tensor is a pair: its value, and its tangent, which is the derivative along a direction.
//! An op on pairs runs on the values. Its directional derivative is derived from the same graph, and runs on
//! values and tangents. Both are recorded like other ops, so that a tangent can be differentiated. Calls of
//! `jvp` nest: each call has a level, and an op first splits the pairs of the newest level among its
//! arguments.

use crate::AutodiffTensor;
use crate::movement::{self, Movement};
use crate::node::Like;
use crate::plan::{Directional, check_carriers, directional};
use crate::primitive::{self, Call};
use crate::record::{is_float, no_gradient, run as run_op};
use crate::saved::blank;
use std::sync::atomic::{AtomicU64, Ordering};
use tensor_op_core::{Backend, Op, Result, Value};
use tensor_op_spec::ir::{Arg, ArgType, Role};

/// A value and its tangent.
pub(crate) struct Dual<B: Backend> {
    level: Level,
    /// The value. It may be a pair of an older level, and so may the tangent.
    value: AutodiffTensor<B>,
    tangent: AutodiffTensor<B>,
}

/// Distinguishes nested directional derivatives. An inner call has a newer level.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Level(u64);

type Values<B> = Vec<Value<AutodiffTensor<B>>>;

impl Level {
    pub(crate) fn next() -> Level {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        Level(NEXT.fetch_add(1, Ordering::Relaxed))
    }
}

impl<B: Backend> Dual<B> {
    pub(crate) fn level(&self) -> Level {
        self.level
    }

    pub(crate) fn value(&self) -> &AutodiffTensor<B> {
        &self.value
    }

    /// Replaces the value of the pair.
    pub(crate) fn map(
        self,
        change: impl FnOnce(AutodiffTensor<B>) -> AutodiffTensor<B>,
    ) -> AutodiffTensor<B> {
        pair(self.level, change(self.value), self.tangent)
    }
}

impl<B: Backend> Clone for Dual<B> {
    fn clone(&self) -> Dual<B> {
        Dual { level: self.level, value: self.value.clone(), tangent: self.tangent.clone() }
    }
}

/// A pair of a value and its tangent.
pub(crate) fn pair<B: Backend>(
    level: Level,
    value: AutodiffTensor<B>,
    tangent: AutodiffTensor<B>,
) -> AutodiffTensor<B> {
    AutodiffTensor::dual(Dual { level, value, tangent })
}

/// The value of a tensor, and its tangent if the tensor is a pair of this level.
pub(crate) fn split<B: Backend>(
    tensor: AutodiffTensor<B>,
    level: Level,
) -> (AutodiffTensor<B>, Option<AutodiffTensor<B>>) {
    match tensor.level() {
        Some(own) if own == level => match tensor.into_dual() {
            Ok(Dual { value, tangent, .. }) => (value, Some(tangent)),
            Err(tensor) => (tensor, None),
        },
        Some(_) | None => (tensor, None),
    }
}

/// Zeros like a tensor, which take no storage for their elements.
pub(crate) fn zeros<B: Backend>(like: &AutodiffTensor<B>) -> Result<AutodiffTensor<B>> {
    blank::<B>(&Like::of::<B>(like.inner())).map(AutodiffTensor::from_inner)
}

/// The newest level among tensors, if one of them is a pair.
pub(crate) fn newest<'t, B: Backend>(
    tensors: impl IntoIterator<Item = &'t AutodiffTensor<B>>,
) -> Option<Level> {
    tensors.into_iter().filter_map(AutodiffTensor::level).max()
}

/// Runs an op on pairs of this level, which is the newest among the arguments.
pub(crate) fn run<B: Backend>(
    level: Level,
    op: &dyn Op,
    args: Values<B>,
    wanted: &[bool],
    recompute: bool,
) -> Result<Vec<Option<AutodiffTensor<B>>>> {
    let (values, tangents): (Vec<_>, Vec<_>) = args.into_iter().map(|arg| split_value(arg, level)).unzip();
    let outputs = run_op(op, values.clone(), wanted, recompute)?;
    let results: Vec<_> = outputs.iter().flatten().collect();
    let mut found = derive(op, wanted, &values, &tangents, &results, recompute)?.into_iter();
    let paired = outputs.into_iter().map(|output| {
        let output = output?;
        Some(match found.next().flatten() {
            Some(tangent) => pair(level, output, tangent),
            None => output,
        })
    });
    Ok(paired.collect())
}

/// Moves pairs of this level. Their tangents are moved in the same way.
pub(crate) fn movement<B: Backend>(
    level: Level,
    movement: Movement<B::Device>,
    tensors: Vec<AutodiffTensor<B>>,
    recompute: bool,
) -> Result<AutodiffTensor<B>> {
    let (values, tangents): (Vec<_>, Vec<_>) = tensors.into_iter().map(|tensor| split(tensor, level)).unzip();
    let filled = values.iter().zip(tangents).map(|(value, tangent)| tangent.map_or_else(|| zeros(value), Ok));
    let tangents = filled.collect::<Result<_>>()?;
    let output = movement::record(movement.clone(), values, recompute)?;
    if !is_float::<B>(output.inner()) {
        return Ok(output);
    }
    Ok(pair(level, output, movement::record(movement, tangents, recompute)?))
}

/// Runs a primitive on pairs of this level.
pub(crate) fn primitive<B: Backend>(
    level: Level,
    call: Call,
    tensors: Vec<AutodiffTensor<B>>,
    recompute: bool,
) -> Result<AutodiffTensor<B>> {
    let (values, tangents): (Vec<_>, Vec<_>) = tensors.into_iter().map(|tensor| split(tensor, level)).unzip();
    let output = primitive::record(call.clone(), values.clone(), recompute)?;
    let op = call.op(&values)?;
    let found = derive(&*op, &[true], &call.args(values), &tangents, &[&output], recompute)?;
    let tangent = found.into_iter().flatten().next();
    Ok(match tangent {
        Some(tangent) => pair(level, output, tangent),
        None => output,
    })
}

fn split_value<B: Backend>(
    value: Value<AutodiffTensor<B>>,
    level: Level,
) -> (Value<AutodiffTensor<B>>, Option<AutodiffTensor<B>>) {
    match value {
        Value::Tensor(tensor) => {
            let (value, tangent) = split(tensor, level);
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
