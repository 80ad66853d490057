//! Gradients of an op: through `Autodiff` on a device, and by differences of its reference.

use crate::bound::{Bounded, Moved, Moving, Rounding};
use crate::claims::told;
use crate::place::{Layout, place_all};
use crate::sample::{backward_args, floats};
use std::collections::BTreeMap;
use std::sync::Arc;
use tensor_op_autodiff::{Autodiff, AutodiffTensor, Checkpointing, NoCheckpointing};
use tensor_op_core::{
    Backend, DType, Detached, Device, Dynamic, Evaluated, Op, Result, TensorData, Value, evaluate,
    evaluate_known, interpret, interpret_detached,
};
use tensor_op_spec::grad::without_given;
use tensor_op_spec::ir::{Arg, ArgType, Graph, Kind, Output, Role, Scalar};
use tensor_op_spec::prim::{Fold, Prim};

pub(crate) type Tape = Autodiff<Dynamic>;
pub(crate) type Tracked = AutodiffTensor<Dynamic>;

/// Indices of the arguments that have gradients.
pub(crate) fn inputs(graph: &Graph) -> Vec<usize> {
    let has = |arg: &usize| {
        matches!(graph.args[*arg].ty, ArgType::Tensor { kind: Kind::Float, no_grad: false, .. })
    };
    (0..graph.args.len()).filter(has).collect()
}

/// Random weights for the float results, one tensor for each result. The weighted sum of the results is
/// differentiated.
pub(crate) fn weights(results: &[TensorData], seed: u64) -> Result<Vec<Option<TensorData>>> {
    let of = |(k, data): (usize, &TensorData)| {
        let is_float = data.dtype().kind() == Kind::Float;
        if is_float { floats(data.shape(), &[seed, k as u64]).map(Some) } else { Ok(None) }
    };
    results.iter().enumerate().map(of).collect()
}

/// Gradients with bounds of their rounding, by the index of the argument.
pub(crate) type Gradients = BTreeMap<usize, Evaluated<Bounded>>;

/// The gradients of an op by its reference, for these weights of its results.
pub(crate) fn gradients(
    op: &dyn Op,
    args: &[Value<TensorData>],
    weights: &[Option<TensorData>],
    rounding: &Rounding,
) -> std::result::Result<Gradients, String> {
    let derived = || op.spec().derived_backward().ok().map(|op| op.clone() as Arc<dyn Op>);
    let Some(backward) = op.backward().or_else(derived) else { return Ok(Gradients::new()) };
    gradients_by(op.spec().graph(), backward.spec().graph(), args, weights, rounding).map_err(told)
}

/// Does the same as [`gradients`], for a graph and the graph of its gradient.
pub(crate) fn gradients_by(
    forward: &Graph,
    backward: &Graph,
    args: &[Value<TensorData>],
    weights: &[Option<TensorData>],
    rounding: &Rounding,
) -> Result<Gradients> {
    let gradients = bounded_gradient(forward, backward, args, weights, rounding)?;
    let input = |output: &Output| match backward.args[output.like?].role {
        Role::Forward(arg) => Some(arg),
        Role::Output(_) | Role::Grad(_) | Role::Tangent(_) => None,
    };
    let named = backward.outputs.iter().zip(gradients);
    Ok(named.filter_map(|(output, gradient)| Some((input(output)?, gradient))).collect())
}

/// The results of a gradient's graph for these weights of the forward results. If the gradient takes a
/// forward result, that result was already rounded, and this error counts too.
///
/// # Errors
///
/// Those of [`evaluate`].
pub fn bounded_gradient(
    forward: &Graph,
    backward: &Graph,
    args: &[Value<TensorData>],
    weights: &[Option<TensorData>],
    rounding: &Rounding,
) -> Result<Vec<Evaluated<Bounded>>> {
    let results = evaluate(forward, args, rounding)?;
    let at = backward_args(forward, backward, args, &interpret(forward, args)?, weights, DType::F64);
    let saved = |(index, arg): (usize, &Arg)| match (arg.role, &at[index]) {
        (Role::Output(k), Value::Tensor(_)) => Some((index, results[k].values.clone())),
        (Role::Output(_) | Role::Forward(_) | Role::Grad(_) | Role::Tangent(_), _) => None,
    };
    let saved = backward.args.iter().enumerate().filter_map(saved).collect();
    evaluate_known(backward, &at, rounding, &Detached::default(), &saved)
}

/// The graph without given rules, of which differences are taken, and the values that are detached at a
/// point.
pub(crate) struct Reference {
    graph: Graph,
    detached: Detached,
}

impl Reference {
    pub(crate) fn new(graph: &Graph, args: &[Value<TensorData>]) -> Result<Reference> {
        let graph = without_given(graph);
        let detached = Detached::new(&graph, args)?;
        Ok(Reference { graph, detached })
    }

    pub(crate) fn results(&self, args: &[Value<TensorData>]) -> Result<Vec<TensorData>> {
        interpret_detached(&self.graph, args, &self.detached)
    }

    /// The results after moving one element of an argument by `offset`.
    pub(crate) fn moved(
        &self,
        args: &[Value<TensorData>],
        input: usize,
        index: usize,
        offset: f64,
    ) -> Result<Vec<Evaluated<Moved>>> {
        let Some(data) = args[input].tensor() else { return Ok(vec![]) };
        let still = data.as_slice::<f64>()?.iter().map(|x| Moved::still(Scalar::Float(*x)));
        let mut values: Vec<Moved> = still.collect();
        values[index] = Moved::by(data.as_slice::<f64>()?[index], offset);
        let known = BTreeMap::from([(input, values)]);
        evaluate_known(&self.graph, args, &Moving::default(), &self.detached, &known)
    }

    /// The results after moving the arguments along their tangents by `offset`.
    pub(crate) fn along(
        &self,
        args: &[Value<TensorData>],
        tangents: &[Option<TensorData>],
        offset: f64,
    ) -> Result<Vec<Evaluated<Moved>>> {
        let mut known = BTreeMap::new();
        for (input, (arg, tangent)) in args.iter().zip(tangents).enumerate() {
            let (Some(data), Some(tangent)) = (arg.tensor(), tangent) else { continue };
            let pairs = data.as_slice::<f64>()?.iter().zip(tangent.as_slice::<f64>()?);
            known.insert(input, pairs.map(|(x, t)| Moved::by(*x, t * offset)).collect());
        }
        evaluate_known(&self.graph, args, &Moving::default(), &self.detached, &known)
    }
}

/// An op that was run on a device with tracked arguments.
pub(crate) struct Call {
    /// One for each argument; `None` for scalars and shapes.
    args: Vec<Option<Tracked>>,
    pub(crate) results: Vec<TensorData>,
    weights: Vec<Option<Tracked>>,
    loss: Tracked,
}

impl Call {
    /// Runs the op for its declared results with these arguments tracked. The loss is their weighted sum.
    /// With `second`, the weights are tracked too.
    pub(crate) fn new(
        op: &dyn Op,
        args: &[Value<TensorData>],
        tracked: &[usize],
        weights: &[Option<TensorData>],
        device: &Device,
        second: bool,
    ) -> Result<Call> {
        let weight = |weight: &Option<TensorData>| {
            let weight = weight.clone().map(|data| Tape::from_data(data, device)).transpose()?;
            Ok(weight.map(|weight| if second { weight.require_grad() } else { weight }))
        };
        let weights: Vec<Option<Tracked>> = weights.iter().map(weight).collect::<Result<_>>()?;
        let call = Call::with_loss::<NoCheckpointing>(op, args, tracked, device, |results| {
            weighted(results.iter().zip(&weights).filter_map(|(y, w)| Some((y, w.as_ref()?))), device)
        })?;
        Ok(Call { weights, ..call })
    }

    /// Runs the op for its declared results with these arguments tracked. `loss` computes a scalar from the
    /// results, which is differentiated.
    pub(crate) fn with_loss<C: Checkpointing>(
        op: &dyn Op,
        args: &[Value<TensorData>],
        tracked: &[usize],
        device: &Device,
        loss: impl FnOnce(&[Tracked]) -> Result<Tracked>,
    ) -> Result<Call> {
        let track = |(index, arg): (usize, Value<_>)| {
            arg.map(|tensor| {
                let tensor = Tracked::from_inner(tensor);
                if tracked.contains(&index) { tensor.require_grad() } else { tensor }
            })
        };
        let args: Vec<Value<Tracked>> =
            place_all(args, device, Layout::Contiguous)?.into_iter().enumerate().map(track).collect();
        let kept = args.iter().map(|arg| arg.tensor().cloned()).collect();
        let results: Vec<Tracked> = Autodiff::<Dynamic, C>::run(op, args, &op.spec().graph().visible())?
            .into_iter()
            .flatten()
            .collect();
        let loss = loss(&results)?;
        let results = results.into_iter().map(Tape::into_data).collect::<Result<_>>()?;
        Ok(Call { args: kept, results, weights: vec![], loss })
    }

    /// Whether the loss depends on a tracked tensor.
    pub(crate) fn is_tracked(&self) -> bool {
        self.loss.is_tracked()
    }

    /// The gradient of each argument, if it has one.
    pub(crate) fn gradients(&self) -> Result<Vec<Option<TensorData>>> {
        let found = self.loss.backward()?;
        let of = |arg: &Option<Tracked>| arg.as_ref().and_then(|arg| found.get(arg)).cloned();
        self.args.iter().map(|arg| of(arg).map(Dynamic::into_data).transpose()).collect()
    }

    /// Weights the gradients of `inputs` by `directions` and differentiates their sum again: by each
    /// argument, and by each weight.
    #[allow(clippy::type_complexity, reason = "two lists")]
    pub(crate) fn second_gradients(
        &self,
        inputs: &[usize],
        directions: &[Option<TensorData>],
        device: &Device,
    ) -> Result<(Vec<Option<TensorData>>, Vec<Option<TensorData>>)> {
        let first = self.loss.backward_tracked()?;
        let gradients = inputs.iter().map(|input| self.args[*input].as_ref().and_then(|arg| first.get(arg)));
        let mut pairs = vec![];
        for (gradient, direction) in gradients.zip(directions) {
            if let (Some(gradient), Some(direction)) = (gradient, direction) {
                pairs.push((gradient, Tape::from_data(direction.clone(), device)?));
            }
        }
        let loss = weighted(pairs.iter().map(|(gradient, direction)| (*gradient, direction)), device)?;
        if !loss.is_tracked() {
            return Ok((vec![None; self.args.len()], vec![None; self.weights.len()]));
        }
        let found = loss.backward()?;
        let of = |tensor: &Option<Tracked>| {
            tensor.as_ref().and_then(|tensor| found.get(tensor)).cloned().map(Dynamic::into_data).transpose()
        };
        Ok((
            self.args.iter().map(of).collect::<Result<_>>()?,
            self.weights.iter().map(of).collect::<Result<_>>()?,
        ))
    }
}

/// The sum of all elements, each with its weight.
pub(crate) fn weighted<'t>(
    pairs: impl Iterator<Item = (&'t Tracked, &'t Tracked)>,
    device: &Device,
) -> Result<Tracked> {
    let terms = pairs.map(|(tensor, weight)| Tape::apply(Prim::Mul, vec![tensor.clone(), weight.clone()]));
    sum_of_all(terms, device)
}

/// The sum of all elements of tensors.
pub(crate) fn sum_of_all(tensors: impl Iterator<Item = Result<Tracked>>, device: &Device) -> Result<Tracked> {
    let mut sum = Tape::from_data(TensorData::scalar(0.0), device)?;
    for tensor in tensors {
        let tensor = tensor?;
        let axes: Vec<usize> = (0..Tape::shape(&tensor).rank()).collect();
        sum = Tape::apply(Prim::Add, vec![sum, Tape::reduce(Fold::Sum, tensor, &axes)?])?;
    }
    Ok(sum)
}

#[cfg(test)]
mod tests {
    use super::*;
    use tensor_op_spec::grad::backward;

    /// The gradient of `rsqrt(x * x - 4)` takes the result, which has only few correct digits near 2.
    #[test]
    fn saved_results_are_as_far_off_as_they_were_rounded() {
        let text = "op f\ndim n named\narg x: float[n], forward 0\n%0 = input x : float[n]\n%1 = literal 4.0 : float[]\n\
            %2 = mul(%0, %0) : float[n]\n%3 = sub(%2, %1) : float[n]\n%4 = rsqrt(%3) : float[n]\nout out = %4 [n]";
        let graph = Graph::parse(text).unwrap();
        let x = 2.0 + 1e-10;
        let of = |data: Vec<f64>| TensorData::new(data, [1]).unwrap();
        let gradients = gradients_by(
            &graph,
            &backward(&graph).unwrap(),
            &[Value::Tensor(of(vec![x]))],
            &[Some(of(vec![1.0]))],
            &Rounding::new(DType::F64),
        );
        let found = gradients.unwrap()[&0].values[0];
        let relative = found.error / found.value.as_f64().abs();
        assert!((1e-6..1e-4).contains(&relative), "{found:?}");
    }
}
