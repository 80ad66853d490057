//! Forward mode: tensors that carry a tangent, and ops on them.
//!
//! A tensor inside of `jvp` is a pair of its value and its tangent, the derivative along a direction. An op on pairs runs on the values, and
//! its directional derivative, derived from the same graph, on values and tangents. Both are recorded like other ops, so that a tangent
//! can be differentiated. Calls of `jvp` nest: each has a level, and an op takes the newest level of its arguments apart first.

use crate::AutodiffTensor;
use crate::movement::{self, Movement};
use crate::node::Like;
use crate::plan::directional;
use crate::primitive::{self, Call};
use crate::record::{is_float, no_gradient, run as run_op};
use crate::saved::blank;
use std::sync::atomic::{AtomicU64, Ordering};
use tensor_op_core::{Backend, Op, Result, Value};
use tensor_op_spec::ir::{Arg, ArgType, Role};

/// What makes a tensor a pair.
pub(crate) struct Dual<B: Backend> {
    level: Level,
    /// The tensor itself, which may be a pair of an older level; so may the tangent.
    value: AutodiffTensor<B>,
    tangent: AutodiffTensor<B>,
}

/// Tells nested directional derivatives apart; inner ones are newer.
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

    /// The pair with another value.
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

/// A value with its tangent.
pub(crate) fn pair<B: Backend>(
    level: Level,
    value: AutodiffTensor<B>,
    tangent: AutodiffTensor<B>,
) -> AutodiffTensor<B> {
    AutodiffTensor::dual(Dual { level, value: value.clone(), tangent }, value)
}

/// The value, and the tangent if there is one of this level.
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

/// Zeros like a tensor, without storage.
pub(crate) fn zeros<B: Backend>(like: &AutodiffTensor<B>) -> Result<AutodiffTensor<B>> {
    blank::<B>(&Like::of::<B>(like.inner())).map(AutodiffTensor::from_inner)
}

/// The newest level of tensors, if one is a pair.
pub(crate) fn newest<'t, B: Backend>(
    tensors: impl IntoIterator<Item = &'t AutodiffTensor<B>>,
) -> Option<Level> {
    tensors.into_iter().filter_map(AutodiffTensor::level).max()
}

/// Runs an op on pairs of this level, their newest.
pub(crate) fn run<B: Backend>(
    level: Level,
    op: &dyn Op,
    args: Values<B>,
    wanted: &[bool],
    recompute: bool,
) -> Result<Vec<Option<AutodiffTensor<B>>>> {
    let (values, tangents): (Vec<_>, Vec<_>) = args.into_iter().map(|arg| split_value(arg, level)).unzip();
    let outputs = run_op(op, values.clone(), wanted, recompute)?;
    if !outputs.iter().flatten().any(|output| is_float::<B>(output.inner())) {
        return Ok(outputs);
    }
    let mut found = derive(op, wanted, &values, &tangents, &outputs, recompute)?.into_iter();
    let paired = outputs.into_iter().map(|output| match output {
        Some(output) if is_float::<B>(output.inner()) => {
            let missing = || no_gradient(op.spec().name(), "its directional derivative gave too few results");
            let tangent = found.next().ok_or_else(missing)?;
            Ok(Some(pair(level, output, tangent)))
        }
        Some(_) | None => Ok(output),
    });
    paired.collect()
}

/// Moves pairs of this level: their tangents move likewise.
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
    if !is_float::<B>(output.inner()) {
        return Ok(output);
    }
    let op = call.op(&values)?;
    let outputs = [Some(output)];
    let found = derive(&*op, &[true], &call.args(values), &tangents, &outputs, recompute)?;
    let [output] = outputs;
    let paired = output.zip(found.into_iter().next()).map(|(output, tangent)| pair(level, output, tangent));
    paired.ok_or_else(|| no_gradient(op.spec().name(), "its directional derivative gave no result"))
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

/// The tangents of the float results of an op.
fn derive<B: Backend>(
    op: &dyn Op,
    wanted: &[bool],
    values: &[Value<AutodiffTensor<B>>],
    tangents: &[Option<AutodiffTensor<B>>],
    outputs: &[Option<AutodiffTensor<B>>],
    recompute: bool,
) -> Result<Vec<AutodiffTensor<B>>> {
    let name = op.spec().name();
    let derivative = directional(op, wanted).map_err(|reason| no_gradient(name, &reason))?;
    let graph = derivative.spec().graph();
    let takes = |index: usize| graph.args.iter().any(|arg| arg.role == Role::Tangent(index));
    if let Some(index) = (0..tangents.len()).find(|index| tangents[*index].is_some() && !takes(*index)) {
        let arg = &op.spec().graph().args[index].name;
        return Err(no_gradient(
            name,
            &format!("no derivative exists for `{arg}`; detach it if it is a constant here"),
        ));
    }
    let results: Vec<&AutodiffTensor<B>> = outputs.iter().flatten().collect();
    let args = graph.args.iter().map(|arg| {
        let value = argument(arg, values, tangents, &results)?;
        value.ok_or_else(|| {
            no_gradient(
                name,
                &format!("its directional derivative asks for `{}`, which is not there", arg.name),
            )
        })
    });
    let all = vec![true; graph.outputs.len()];
    let found = run_op(&*derivative, args.collect::<Result<_>>()?, &all, recompute)?;
    Ok(found.into_iter().flatten().collect())
}

/// An argument of a directional derivative.
fn argument<B: Backend>(
    arg: &Arg,
    values: &[Value<AutodiffTensor<B>>],
    tangents: &[Option<AutodiffTensor<B>>],
    results: &[&AutodiffTensor<B>],
) -> Result<Option<Value<AutodiffTensor<B>>>> {
    let value = match arg.role {
        Role::Forward(index) => values.get(index).cloned(),
        Role::Output(index) => results.get(index).map(|result| Value::Tensor((*result).clone())),
        Role::Tangent(index) => match (tangents.get(index), values.get(index)) {
            (Some(Some(tangent)), _) => Some(Value::Tensor(tangent.clone())),
            (Some(None), Some(Value::Tensor(value))) => Some(Value::Tensor(zeros(value)?)),
            (Some(None), Some(Value::Scalar(_) | Value::Shape(_)) | None) | (None, _) => None,
        },
        Role::Grad(_) => None,
    };
    Ok(value.map(|value| match (value, &arg.ty) {
        (Value::Tensor(tensor), ArgType::Shape { .. }) => Value::Shape(B::shape(tensor.inner())),
        (value, _) => value,
    }))
}
