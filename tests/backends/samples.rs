//! Makes arguments for any op from its graph: sizes for its dims, and tensors for its arguments, in a layout.

use tensor_op::backend::{ArgType, Axis, Backend, DimId, DimKind, Graph, Kind, Node, NodeOp, Scalar, Value};
use tensor_op::{DType, Op, Result, Shape, TensorData};

/// How the elements of a tensor lie in memory.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Layout {
    /// Row-major.
    Contiguous,
    /// The last axis comes first in memory.
    Transposed,
    /// Every other element of a larger tensor, starting with the second.
    Sliced,
    /// Stride 0 along the first axis.
    Broadcast,
}

/// Arguments for an op, on the host.
pub(crate) struct Sample {
    args: Vec<Value<TensorData>>,
    dtype: DType,
}

impl Sample {
    /// Deterministic arguments. Named dims have sizes around `size`, all different; the group is `[2, 3]`.
    pub(crate) fn new(op: &dyn Op, dtype: DType, size: usize) -> Sample {
        let graph = op.spec().graph();
        let args = graph.args.iter().enumerate().map(|(index, arg)| match &arg.ty {
            ArgType::Tensor { kind, axes, .. } => Value::Tensor(tensor(graph, index, *kind, axes, size)),
            ArgType::Shape { axes } => Value::Shape(shape(graph, index, axes, size)),
            ArgType::Scalar { .. } | ArgType::Axis { .. } => Value::Scalar(scalar(graph, index, size)),
        });
        Sample { args: args.collect(), dtype }
    }

    /// The arguments on a backend.
    pub(crate) fn args<B: Backend>(&self, layout: Layout) -> Result<Vec<Value<B::Tensor>>> {
        let args = self.args.iter().cloned();
        args.map(|arg| arg.try_map(|data| place::<B>(cast_float(data, self.dtype), layout))).collect()
    }
}

fn cast_float(data: TensorData, dtype: DType) -> TensorData {
    if data.dtype().kind() == Kind::Float { data.cast(dtype) } else { data }
}

fn shape(graph: &Graph, index: usize, axes: &[Axis], size: usize) -> Shape {
    // If a result was reduced over the axis, its gradient lacks the axis.
    let read = graph.nodes.iter().find(|node| node.op == NodeOp::Input(index));
    let carved =
        graph.axis_dims().iter().filter(|dim| read.is_none_or(|node| node.dims.contains(*dim))).count();
    let mut sizes = Vec::new();
    for axis in axes {
        match axis {
            Axis::Dim(dim) if graph.dim(*dim).kind == DimKind::Group => {
                sizes.extend([2, 3]);
                // The last axis of a plain tensor is the one that the caller chooses.
                sizes.extend(std::iter::repeat_n(size, carved));
            }
            Axis::Dim(dim) => sizes.push(dim_size(graph, *dim, size)),
            Axis::Parts(parts) => sizes.push(parts.iter().map(|dim| dim_size(graph, *dim, size)).product()),
        }
    }
    Shape::new(&sizes)
}

/// The size of its dim, or the default.
fn scalar(graph: &Graph, arg: usize, size: usize) -> Scalar {
    let sized = graph.dims.iter().position(|dim| dim.kind == DimKind::Sized(arg));
    match (&graph.args[arg].ty, sized) {
        (_, Some(dim)) => Scalar::Int(dim_size(graph, DimId::new(dim), size) as i64),
        (ArgType::Scalar { ty, default }, None) => default.unwrap_or(match ty.kind() {
            Kind::Float => Scalar::Float(0.5),
            Kind::Int => Scalar::Int(1),
            Kind::Bool => Scalar::Bool(true),
        }),
        (ArgType::Axis { .. } | ArgType::Tensor { .. } | ArgType::Shape { .. }, None) => Scalar::Int(-1),
    }
}

/// A dim that is read in windows is longer than others.
fn dim_size(graph: &Graph, dim: DimId, size: usize) -> usize {
    let is_read = |node: &Node| matches!(node.op, NodeOp::Window { dim: own, .. } if own == dim);
    match &graph.dim(dim).kind {
        DimKind::Fixed(fixed) => *fixed,
        DimKind::Computed(expression) => {
            let int = |arg: usize| match scalar(graph, arg, size) {
                Scalar::Int(value) => Some(value),
                Scalar::Bool(flag) => Some(i64::from(flag)),
                Scalar::Float(_) => None,
            };
            let value = expression.value(&|dim| i64::try_from(dim_size(graph, dim, size)).ok(), &int);
            value.and_then(|value| usize::try_from(value).ok()).expect("a size that is not negative")
        }
        DimKind::Named if graph.nodes.iter().any(is_read) => 3 * size + dim.index() % 3,
        DimKind::Group | DimKind::Named | DimKind::Axis(_) | DimKind::Sized(_) => size + dim.index() % 3,
    }
}

/// Numbers that are neither large nor close to a kink.
fn tensor(graph: &Graph, index: usize, kind: Kind, axes: &[Axis], size: usize) -> TensorData {
    let shape = shape(graph, index, axes, size);
    let count: usize = shape.iter().product();
    let number = |i: usize| ((i * 37 + index * 11) % 101) as f64 / 40.0 - 1.26;
    let data = match kind {
        Kind::Float => TensorData::new((0..count).map(number).collect::<Vec<f64>>(), shape),
        Kind::Int => {
            let limit = index_limit(graph, index, size);
            TensorData::new((0..count).map(|i| (i * 7 % limit.max(1)) as i64).collect::<Vec<i64>>(), shape)
        }
        Kind::Bool => TensorData::new((0..count).map(|i| i % 3 != 0).collect::<Vec<bool>>(), shape),
    };
    data.expect("as many elements as the shape says")
}

/// The size of the dim that an int argument indexes.
fn index_limit(graph: &Graph, arg: usize, size: usize) -> usize {
    let indexed = graph.nodes.iter().find_map(|node| match &node.op {
        NodeOp::At { dim, index, .. } | NodeOp::Scatter { dim, index, .. } => {
            (graph.node(*index).op == NodeOp::Input(arg)).then_some(*dim)
        }
        _ => None,
    });
    indexed.map_or(size, |dim| dim_size(graph, dim, size))
}

fn place<B: Backend>(data: TensorData, layout: Layout) -> Result<B::Tensor> {
    let device = B::Device::default();
    let shape = data.shape().clone();
    let rank = shape.rank();
    let tensor = B::from_data(data, &device)?;
    if rank == 0 {
        return Ok(tensor);
    }
    match layout {
        Layout::Contiguous => Ok(tensor),
        Layout::Transposed => {
            let last_first: Vec<usize> = (0..rank).rev().collect();
            let turned = B::permute(tensor, &last_first)?;
            let data = B::into_data(turned)?;
            B::permute(B::from_data(data, &device)?, &last_first)
        }
        Layout::Sliced => {
            let doubled = Shape::new(&shape.iter().map(|size| size * 2 + 1).collect::<Vec<_>>());
            let ranges: Vec<(usize, usize, usize)> = shape.iter().map(|size| (1, size * 2, 2)).collect();
            let zero = match B::dtype(&tensor).kind() {
                Kind::Float => Scalar::Float(0.0),
                Kind::Int => Scalar::Int(0),
                Kind::Bool => Scalar::Bool(false),
            };
            let larger = B::full(doubled, zero, B::dtype(&tensor), &device)?;
            B::slice(B::slice_assign(larger, &ranges, tensor)?, &ranges)
        }
        Layout::Broadcast => {
            let mut ranges: Vec<(usize, usize, usize)> = shape.iter().map(|size| (0, *size, 1)).collect();
            ranges[0] = (0, 1, 1);
            B::expand(B::slice(tensor, &ranges)?, shape)
        }
    }
}
