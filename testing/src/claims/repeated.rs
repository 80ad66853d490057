//! Checks many elements along a dim at the cost of a few. If every node is pointwise along the dim, arguments
//! that repeat themselves give results that repeat themselves too, and the reference computes only one
//! period.

use super::{Outcome, told};
use crate::agree::{Setting, against};
use crate::bound::Bounded;
use crate::case::Case;
use crate::place::run;
use crate::report::Tally;
use crate::sample::{Point, SamplePlan, backward_args, sample};
use crate::tape::weights;
use tensor_op_core::{
    Binding, BoundAxis, Evaluated, Op, Result, Shape, TensorData, Value, interpret, match_dtype,
};
use tensor_op_spec::ir::{ArgType, DimId, DimKind, Graph, Op as Node};

/// The length of a period. No size of a block, task or piece is a multiple of it.
pub(super) const PERIOD: usize = 61;

/// Checks the op, and its gradient if that is pointwise along the dim too. The dim's size in the plan is the
/// number of elements after repetition.
pub(super) fn check(op: &dyn Op, plan: &SamplePlan, dim: DimId, setting: Setting) -> Outcome {
    let graph = op.spec().graph();
    let of_group = plan.group.first().filter(|_| graph.group() == Some(dim));
    let count = of_group.copied().unwrap_or(plan.dims[dim.index()]);
    let args =
        sample(graph, &with_size(graph, plan, dim, count.min(PERIOD)), Point::Ordinary).map_err(told)?;
    let args: Vec<_> = args.into_iter().map(|arg| arg.map(|data| setting.stored(data))).collect();
    let mut tally = along(op, &args, dim, count, setting)?;
    if let Some(backward) = op.backward()
        && is_pointwise(backward.spec().graph(), dim)
    {
        let results = interpret(graph, &args).map_err(told)?;
        let weights = weights(&results, plan.seed).map_err(told)?;
        let args = backward_args(graph, backward.spec().graph(), &args, &results, &weights, setting.dtype);
        let found = along(&*backward, &args, dim, count, setting);
        tally.add(found.map_err(|what| format!("in the gradient, {what}"))?);
    }
    Ok(tally)
}

/// The dims along which every node is pointwise, and whose arguments can therefore repeat themselves.
pub(super) fn dims(graph: &Graph) -> Vec<DimId> {
    let is_free = |dim: &DimId| match graph.dim(*dim).kind {
        DimKind::Group | DimKind::Named => is_pointwise(graph, *dim),
        DimKind::Axis(_) | DimKind::Sized(_) | DimKind::Fixed(_) | DimKind::Computed(_) => false,
    };
    (0..graph.dims.len()).map(DimId::new).filter(is_free).collect()
}

/// The plan with another size for a dim. If the dim is the group, its first axis gets the size.
pub(super) fn with_size(graph: &Graph, plan: &SamplePlan, dim: DimId, size: usize) -> SamplePlan {
    let mut plan = plan.clone();
    match plan.group.first_mut() {
        Some(first) if graph.group() == Some(dim) => *first = size,
        Some(_) | None => plan.dims[dim.index()] = size,
    }
    plan
}

/// Whether a graph is pointwise along a dim: no node reduces or indexes the dim, or depends on its size or
/// positions, and all results have the dim.
fn is_pointwise(graph: &Graph, dim: DimId) -> bool {
    let has = |id| graph.node(id).dims.contains(dim);
    let keeps = |node: &tensor_op_spec::ir::Node| match &node.op {
        Node::Iota(own) => *own != dim,
        Node::Len(dims) => !dims.contains(dim),
        Node::At { dim: own, .. } | Node::Scatter { dim: own, .. } if *own == dim => false,
        Node::Scan { dim: own, .. } if *own == dim => false,
        Node::Order { dim: own, order, .. } if *own == dim || order.to() == Some(dim) => false,
        Node::Window { dim: own, position, .. } if *own == dim || position.all_dims().contains(dim) => false,
        Node::Input(_)
        | Node::Literal(_)
        | Node::Apply(..)
        | Node::Cast(_)
        | Node::Reduce(..)
        | Node::Scan { .. }
        | Node::Order { .. }
        | Node::At { .. }
        | Node::Window { .. }
        | Node::Scatter { .. }
        | Node::StopGrad(_)
        | Node::Given { .. }
        | Node::Seed(_) => node.dims.contains(dim) || !node.operands().into_iter().any(has),
    };
    let likes = |output: &tensor_op_spec::ir::Output| {
        output.like.is_none_or(|arg| graph.arg_dims(arg).contains(dim))
            && graph.output_dims(output).contains(dim)
    };
    let is_in_a_size = graph.computed_sizes().any(|size| size.dims().contains(dim));
    !is_in_a_size && graph.nodes.iter().all(keeps) && graph.outputs.iter().all(likes)
}

/// Runs the op on arguments that repeat themselves along the dim.
fn along(op: &dyn Op, args: &[Value<TensorData>], dim: DimId, count: usize, setting: Setting) -> Outcome {
    let graph = op.spec().graph();
    let binding = Binding::from_args(graph, args, |data| data.shape().clone()).map_err(told)?;
    let repeat = Repeat { dim, period: count.min(PERIOD), count };
    let Some(larger) = repeat.args(graph, &binding, args).map_err(told)? else { return Ok(Tally::default()) };
    let expected = setting.expected(graph, args).map_err(told)?;
    let mut repeated = vec![];
    for (output, expected) in graph.outputs.iter().zip(expected) {
        let axes = match output.like {
            Some(arg) => binding.arg_axes(arg).to_vec(),
            None => binding.result_axes(&output.axes, graph.node(output.node).dims),
        };
        let Some(result) = repeat.result(expected, &axes) else { return Ok(Tally::default()) };
        repeated.push(result);
    }
    let case = Case { graph, args: &larger, device: Some(setting.device), layout: setting.layout };
    against(&case, run(op, &larger, &setting.device, setting.layout), Ok(repeated))
}

/// Extends one period along a dim to `count` elements.
pub(super) struct Repeat {
    pub(super) dim: DimId,
    pub(super) period: usize,
    pub(super) count: usize,
}

impl Repeat {
    /// Extends all arguments; `None` if the dim is a part of an axis.
    pub(super) fn args(
        &self,
        graph: &Graph,
        binding: &Binding,
        args: &[Value<TensorData>],
    ) -> Result<Option<Vec<Value<TensorData>>>> {
        let of = |(at, arg): (usize, &Value<TensorData>)| {
            let axes = match graph.args[at].ty {
                ArgType::Tensor { .. } | ArgType::Shape { .. } => binding.arg_axes(at),
                ArgType::Scalar { .. } | ArgType::Axis { .. } => &[],
            };
            self.value(arg, axes)
        };
        args.iter().enumerate().map(of).collect()
    }

    /// Extends one argument; `None` if the dim is a part of an axis.
    fn value(&self, arg: &Value<TensorData>, axes: &[BoundAxis]) -> Result<Option<Value<TensorData>>> {
        Ok(match arg {
            Value::Scalar(scalar) => Some(Value::Scalar(*scalar)),
            Value::Shape(shape) => self.shape(shape, axes).map(Value::Shape),
            Value::Tensor(data) => match self.shape(data.shape(), axes) {
                Some(shape) => {
                    let inner = self.inner(axes);
                    let repeated = match_dtype!(data.dtype(), T => {
                        TensorData::new(self.elements(data.as_slice::<T>()?, inner), shape)
                    });
                    Some(Value::Tensor(repeated?))
                }
                None => None,
            },
        })
    }

    fn result(&self, one: Evaluated<Bounded>, axes: &[BoundAxis]) -> Option<Evaluated<Bounded>> {
        let shape = self.shape(&one.shape, axes)?;
        Some(Evaluated { shape, kind: one.kind, values: self.elements(&one.values, self.inner(axes)) })
    }

    /// The index of the axis that is repeated.
    fn place(&self, axes: &[BoundAxis]) -> Option<usize> {
        axes.iter().position(|bound| bound.axis.dim == self.dim && bound.size == self.period)
    }

    fn shape(&self, shape: &Shape, axes: &[BoundAxis]) -> Option<Shape> {
        if shape.len() != axes.len() {
            return None;
        }
        let place = self.place(axes);
        let size = |(at, size): (usize, &usize)| if Some(at) == place { self.count } else { *size };
        Some(shape.iter().enumerate().map(size).collect())
    }

    /// The number of elements in one step along the repeated axis, if there is such an axis.
    fn inner(&self, axes: &[BoundAxis]) -> Option<usize> {
        self.place(axes).map(|place| axes[place + 1..].iter().map(|bound| bound.size).product())
    }

    fn elements<T: Clone>(&self, elements: &[T], inner: Option<usize>) -> Vec<T> {
        let Some(inner) = inner else { return elements.to_vec() };
        let mut repeated = Vec::with_capacity(elements.len() / self.period * self.count);
        for block in elements.chunks((self.period * inner).max(1)) {
            repeated.extend(block.iter().cycle().take(self.count * inner).cloned());
        }
        repeated
    }
}
