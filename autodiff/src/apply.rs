//! Calls of functions whose gradient is given: a call leaves one node, or gives a tangent.

use crate::backward::{Recorded, Root, backward};
use crate::error::no_gradient;
use crate::given::{Arrived, Function};
use crate::like::{Like, is_float, zeros};
use crate::node::{Edge, Given, Kept, Node, Placed, Saved, Step};
use crate::tensor::AutodiffTensor;
use std::collections::BTreeSet;
use std::sync::Arc;
use tensor_op_core::{Backend, Result};

/// A type whose tensors are those of an autodiff backend.
pub trait Tracked<B: Backend>: Clone + From<AutodiffTensor<B>> + Into<AutodiffTensor<B>> + 'static {}

impl<B: Backend, T: Clone + From<AutodiffTensor<B>> + Into<AutodiffTensor<B>> + 'static> Tracked<B> for T {}

/// Calls a function whose gradient is given. It is recorded if an input is tracked and a result is a float.
pub fn apply<B: Backend, T: Tracked<B>>(function: impl Function<T>, inputs: &[T]) -> Result<Vec<T>> {
    let inputs: Vec<AutodiffTensor<B>> = inputs.iter().cloned().map(Into::into).collect();
    let function: Arc<dyn Function<T>> = Arc::new(function);
    let results = call(&function, &inputs).map_err(|error| error.with_op(function.name()))?;
    Ok(results.into_iter().map(T::from).collect())
}

/// Calls the function on values, and adds tangents if inputs have them.
fn call<B: Backend, T: Tracked<B>>(
    function: &Arc<dyn Function<T>>,
    inputs: &[AutodiffTensor<B>],
) -> Result<Vec<AutodiffTensor<B>>> {
    let Some(level) = inputs.iter().filter_map(AutodiffTensor::level).max() else {
        return record(function, inputs);
    };
    let (values, tangents): (Vec<_>, Vec<_>) = inputs.iter().map(|input| input.clone().split(level)).unzip();
    let results = call(function, &values)?;
    let found = directional(&**function, &values, &results, tangents)?;
    let paired = results.into_iter().zip(found).map(|(result, tangent)| match tangent {
        Some(tangent) => AutodiffTensor::pair(level, result, tangent),
        None => result,
    });
    Ok(paired.collect())
}

/// Runs the function on constants, and leaves a node if gradients may flow through it.
fn record<B: Backend, T: Tracked<B>>(
    function: &Arc<dyn Function<T>>,
    inputs: &[AutodiffTensor<B>],
) -> Result<Vec<AutodiffTensor<B>>> {
    let constant = |tensor: &AutodiffTensor<B>| AutodiffTensor::from_inner(tensor.inner().clone());
    let constants: Vec<T> = inputs.iter().map(constant).map(T::from).collect();
    let results: Vec<AutodiffTensor<B>> = function.forward(&constants)?.into_iter().map(Into::into).collect();
    if let Some(index) = results.iter().position(|tensor| tensor.is_tracked() || tensor.level().is_some()) {
        let reason = format!(
            "result {index} was computed from a tracked tensor that is no input; pass that tensor as an input, or detach it"
        );
        return Err(no_gradient(function.name(), &reason));
    }
    let is_tracked = |input: &AutodiffTensor<B>| input.is_tracked();
    let is_result = |result: &AutodiffTensor<B>| is_float::<B>(result.inner());
    if !(inputs.iter().any(is_tracked) && results.iter().any(is_result)) {
        return Ok(results);
    }
    let kept = |tensor: &AutodiffTensor<B>| Kept::Tensor(tensor.inner().clone());
    let given = Given {
        name: function.name().to_string(),
        rule: rule(function.clone(), inputs.len()),
        saved: Saved::new(inputs.iter().chain(&results).map(kept).collect()),
        parents: numbered(inputs, is_tracked),
        slots: numbered(&results, is_result),
    };
    let (parents, slots) =
        (inputs.iter().filter_map(|input| input.edge().cloned()).collect(), given.slots.clone());
    let outputs = results.iter().filter(|result| is_result(result)).map(AutodiffTensor::inner);
    let node = Node::new(parents, outputs.map(Like::of::<B>).collect(), Step::Given(given));
    let placed = results.into_iter().zip(slots).map(|(result, slot)| {
        let edge = slot.map(|output| Edge { node: node.clone(), output });
        AutodiffTensor::new(result.into_inner(), edge)
    });
    Ok(placed.collect())
}

/// Numbers the tensors for which `counts` holds.
fn numbered<B: Backend>(
    tensors: &[AutodiffTensor<B>],
    counts: impl Fn(&AutodiffTensor<B>) -> bool,
) -> Vec<Option<usize>> {
    let mut numbers = 0..;
    tensors.iter().map(|tensor| counts(tensor).then(|| numbers.next()).flatten()).collect()
}

/// The gradient of a function as the rule of a node, whose file knows no tensors with a place.
fn rule<B: Backend, T: Tracked<B>>(function: Arc<dyn Function<T>>, count: usize) -> crate::node::Rule<B> {
    Box::new(move |call| {
        let of = |(tensor, edge): &Placed<B>| T::from(AutodiffTensor::new(tensor.clone(), edge.clone()));
        let (inputs, results): (Vec<T>, Vec<T>) =
            (call.inputs.iter().map(of).collect(), call.results.iter().map(of).collect());
        let gradients: Vec<Option<T>> =
            call.gradients.iter().map(|gradient| gradient.as_ref().map(of)).collect();
        let call = Arrived { inputs: &inputs, results: &results, gradients: &gradients, wanted: call.wanted };
        let found = backward_of::<B, T>(&*function, &call, count)?;
        let placed = found.into_iter().map(|gradient| {
            let Some(gradient) = gradient else { return Ok(None) };
            gradient.check_no_tangent(function.name())?;
            Ok(Some(gradient.into_parts()))
        });
        placed.collect()
    })
}

/// The gradients that a function gives, checked against its inputs. What is not wanted is left out.
fn backward_of<B: Backend, T: Tracked<B>>(
    function: &dyn Function<T>,
    call: &Arrived<'_, T>,
    count: usize,
) -> Result<Vec<Option<AutodiffTensor<B>>>> {
    let found = function.backward(call).map_err(|error| error.with_op(function.name()))?;
    if found.len() != count {
        let reason =
            format!("its backward returned {} gradients for {count} inputs; return one each", found.len());
        return Err(no_gradient(function.name(), &reason));
    }
    let mut checked = Vec::with_capacity(count);
    for (index, gradient) in found.into_iter().enumerate() {
        let gradient: Option<AutodiffTensor<B>> = gradient.filter(|_| call.wanted[index]).map(Into::into);
        if let Some(gradient) = &gradient {
            let input: AutodiffTensor<B> = call.inputs[index].clone().into();
            input.check_like(function.name(), &format!("gradient of input {index}"), gradient.inner())?;
        }
        checked.push(gradient);
    }
    Ok(checked)
}

/// The tangent of each result. The gradients of the inputs are linear in those of the results: their own
/// gradient, weighted by the tangents of the inputs, is the directional derivative.
fn directional<B: Backend, T: Tracked<B>>(
    function: &dyn Function<T>,
    inputs: &[AutodiffTensor<B>],
    results: &[AutodiffTensor<B>],
    tangents: Vec<Option<AutodiffTensor<B>>>,
) -> Result<Vec<Option<AutodiffTensor<B>>>> {
    let seed = |result: &AutodiffTensor<B>| {
        let float = is_float::<B>(result.inner()).then(|| zeros::<B>(&Like::of::<B>(result.inner())));
        float.transpose().map(|zeros| zeros.map(|zeros| AutodiffTensor::from_inner(zeros).require_grad()))
    };
    let seeds: Vec<Option<AutodiffTensor<B>>> = results.iter().map(seed).collect::<Result<_>>()?;
    let of = |tensor: &AutodiffTensor<B>| T::from(tensor.clone());
    let wanted: Vec<bool> = tangents
        .iter()
        .zip(inputs)
        .map(|(tangent, input)| tangent.is_some() && is_float::<B>(input.inner()))
        .collect();
    let call = Arrived {
        inputs: &inputs.iter().map(of).collect::<Vec<_>>(),
        results: &results.iter().map(of).collect::<Vec<_>>(),
        gradients: &seeds.iter().map(|seed| seed.as_ref().map(of)).collect::<Vec<_>>(),
        wanted: &wanted,
    };
    let mut roots = Vec::new();
    for (gradient, tangent) in backward_of(function, &call, inputs.len())?.into_iter().zip(tangents) {
        let Some((gradient, tangent)) = gradient.zip(tangent) else { continue };
        if gradient.level().is_some() || tangent.level().is_some() {
            let reason = "a function whose gradient is given has no `jvp` inside of a `jvp`; take the gradient of the `jvp` instead";
            return Err(no_gradient(function.name(), reason));
        }
        roots.extend(gradient.edge().map(|edge| Root { edge: edge.clone(), gradient: tangent }));
    }
    let targets: BTreeSet<_> = seeds.iter().flatten().filter_map(AutodiffTensor::node_id).collect();
    let mut found = backward::<B, Recorded<B>>(roots, Some(&targets))?;
    Ok(seeds.iter().map(|seed| found.remove(&seed.as_ref()?.node_id()?)).collect())
}
