//! The values that a node saves. They are exactly what the arguments of its backward op need, without what
//! only gradients of untracked inputs need.

use crate::error::no_gradient;
use crate::like::Like;
use crate::node::{Edge, Kept, Recipe};
use crate::plan::{BackwardPlan, Part, Take};
use std::sync::Arc;
use tensor_op_core::composed::common_device;
use tensor_op_core::{Backend, Binding, Dtypes, Result, Value};
use tensor_op_spec::ir::Graph;

impl<B: Backend> Kept<B> {
    /// Keeps an argument of an op. With `recompute`, a value that has a recipe is kept as its recipe.
    pub(crate) fn arg(value: &Value<B::Tensor>, edge: Option<&Edge<B>>, recompute: bool) -> Kept<B> {
        match value {
            Value::Tensor(tensor) => match edge.filter(|_| recompute).and_then(Edge::recipe) {
                Some((recipe, output)) => Kept::Recomputed(recipe, output),
                None => Kept::Tensor(tensor.clone()),
            },
            Value::Scalar(scalar) => Kept::Scalar(*scalar),
            Value::Shape(shape) => Kept::Shape(shape.clone()),
        }
    }

    fn shape(value: &Value<B::Tensor>) -> Kept<B> {
        match value {
            Value::Tensor(tensor) => Kept::Shape(B::shape(tensor)),
            Value::Scalar(scalar) => Kept::Scalar(*scalar),
            Value::Shape(shape) => Kept::Shape(shape.clone()),
        }
    }

    fn blank(value: &Value<B::Tensor>) -> Kept<B> {
        match value {
            Value::Tensor(tensor) => Kept::Blank(Like::of::<B>(tensor)),
            Value::Scalar(scalar) => Kept::Scalar(*scalar),
            Value::Shape(shape) => Kept::Shape(shape.clone()),
        }
    }
}

/// The values that a plan saves of the arguments, before the op runs. If the plan has hidden results, all
/// arguments follow, without their elements.
pub(crate) fn save_args<B: Backend>(
    plan: &BackwardPlan,
    forward: &Graph,
    args: &[Value<B::Tensor>],
    edges: &[Option<Edge<B>>],
    recompute: bool,
) -> Result<Vec<Kept<B>>> {
    let save = |take: &Take| match *take {
        Take::Arg { index, part: Part::Elements, .. } => {
            Ok(Kept::arg(&args[index], edges[index].as_ref(), recompute))
        }
        Take::Arg { index, part: Part::Shape, .. } => Ok(Kept::shape(&args[index])),
        Take::Arg { index, part: Part::Nothing, .. } => Ok(Kept::blank(&args[index])),
        Take::Absent { output } => result_like::<B>(forward, output, args).map(Kept::Blank),
        Take::Result { .. } | Take::Gradient { .. } => Ok(Kept::Later),
    };
    let bare = plan.hidden.iter().flat_map(|_| args.iter().map(|arg| Ok(Kept::blank(arg))));
    plan.saved().map(save).chain(bare).collect()
}

/// Shape, dtype and device that a result of an op would have for these arguments.
fn result_like<B: Backend>(
    forward: &Graph,
    output: usize,
    args: &[Value<B::Tensor>],
) -> Result<Like<B::Device>> {
    let binding = Binding::from_args(forward, args, B::shape)?;
    let dtypes = Dtypes::from_args(forward, args, B::dtype)?;
    let dtype = dtypes.of_result(forward, output);
    let output = &forward.outputs[output];
    let node = forward.node(output.node);
    Ok(Like {
        shape: binding.result_shape(&output.axes, node.dims)?,
        dtype,
        device: common_device::<B>(forward, args)?.unwrap_or_default(),
    })
}

/// Adds the values that a plan saves of the results. If there is a recipe, visible results are computed
/// again. Hidden results never are, because they are small or costly.
pub(crate) fn save_results<B: Backend>(
    plan: &BackwardPlan,
    saved: &mut [Kept<B>],
    results: &[&B::Tensor],
    recipe: Option<&Arc<Recipe<B>>>,
) {
    for (take, kept) in plan.saved().zip(saved) {
        let Take::Result { index, part, slot } = *take else { continue };
        let is_visible = |slot: &usize| plan.hidden.as_ref().is_none_or(|hidden| *slot < hidden.first());
        let slot = slot.filter(is_visible);
        *kept = match (part, recipe.zip(slot)) {
            (Part::Elements, Some((recipe, slot))) => Kept::Recomputed(recipe.clone(), slot),
            (Part::Elements, None) => Kept::Tensor(results[index].clone()),
            (Part::Shape, _) => Kept::Shape(B::shape(results[index])),
            (Part::Nothing, _) => Kept::Blank(Like::of::<B>(results[index])),
        };
    }
}

/// The values that were saved for a plan with hidden results, in the order of another plan.
pub(crate) fn reorder<B: Backend>(
    plan: &BackwardPlan,
    saved: &[Kept<B>],
    results: &[Like<B::Device>],
    other: &BackwardPlan,
) -> Result<Vec<Kept<B>>> {
    let (saved, bare) = saved.split_at(plan.saved().count());
    let find = |wanted: &dyn Fn(&Take) -> bool| Some(saved[plan.saved().position(wanted)?].clone());
    let order = |take: &Take| match *take {
        Take::Gradient { .. } => Some(Kept::Later),
        // The other plan computes all results, so none is absent.
        Take::Absent { .. } => None,
        Take::Arg { index, part, .. } => match (part, &bare[index]) {
            (Part::Elements, Kept::Blank(_)) => find(&|take| take.is_arg(index)),
            (Part::Shape, Kept::Blank(like)) => Some(Kept::Shape(like.shape.clone())),
            (Part::Shape | Part::Elements | Part::Nothing, kept) => Some(kept.clone()),
        },
        Take::Result { index, part: Part::Elements, .. } => find(&|take| take.is_result(index)),
        Take::Result { part: Part::Shape, slot, .. } => Some(Kept::Shape(results[slot?].shape.clone())),
        Take::Result { part: Part::Nothing, slot, .. } => Some(Kept::Blank(results[slot?].clone())),
    };
    let missing =
        "its gradient can't be differentiated, since a value is not saved; use `Autodiff<Autodiff<..>>`";
    other.args.iter().map(|take| order(take).ok_or_else(|| no_gradient(&plan.name, missing))).collect()
}
