//! The plain meaning of a graph: every node at every point of its dims, in f64, i64 and bool, on the host.
//!
//! Slow on purpose and independent of the schedule: kernels, the composed form and derived gradients are tested against it.

use crate::bind::{AxisId, Binding, BoundAxis, Dtypes};
use crate::{Element, Error, ErrorKind, Result, Shape, Storage, TensorData, Value};
use tensor_op_spec::ir::{DimId, DimSet, Graph, Kind, Node, NodeId, Op, Output, Scalar};
use tensor_op_spec::prim::{Fold, Prim};

#[cfg(test)]
mod tests;

/// Evaluates a graph. Results are f64, i64 and bool tensors of the declared shapes; a result that is `like` an argument is summed
/// to that argument's shape.
pub fn interpret(graph: &Graph, args: &[Value<TensorData>]) -> Result<Vec<TensorData>> {
    let binding = Binding::from_args(graph, args, |data| data.shape().clone())?;
    Dtypes::from_args(graph, args, TensorData::dtype)?;
    let mut machine = Machine { graph, binding: &binding, args, values: vec![None; graph.nodes.len()] };
    let mut outputs = || graph.outputs.iter().map(|output| machine.output(output)).collect();
    let outputs: Result<Vec<TensorData>> = outputs();
    outputs.map_err(|error| error.with_op(&graph.name))
}

struct Machine<'g> {
    graph: &'g Graph,
    binding: &'g Binding,
    args: &'g [Value<TensorData>],
    values: Vec<Option<Dense>>,
}

/// Values over axes, row-major.
#[derive(Clone)]
struct Dense {
    axes: Vec<BoundAxis>,
    values: Vec<Scalar>,
}

/// An index for each of some axes.
type Point = Vec<(AxisId, usize)>;

impl Dense {
    /// The value at a point. Axes that the value lacks don't matter; along an axis of size 1 it is broadcast.
    fn at(&self, point: &Point) -> Scalar {
        self.values[self.offset(point)]
    }

    fn offset(&self, point: &Point) -> usize {
        self.axes.iter().fold(0, |offset, bound| {
            let index = point.iter().find(|(axis, _)| *axis == bound.axis).map_or(0, |(_, index)| *index);
            offset * bound.size + if bound.size == 1 { 0 } else { index }
        })
    }
}

impl Machine<'_> {
    /// The value of a node, computed when first asked for.
    fn value(&mut self, id: NodeId) -> Result<Dense> {
        if let Some(value) = &self.values[id.0 as usize] {
            return Ok(value.clone());
        }
        let value = self.compute(self.graph.node(id))?;
        self.values[id.0 as usize] = Some(value.clone());
        Ok(value)
    }

    fn compute(&mut self, node: &Node) -> Result<Dense> {
        match &node.op {
            Op::Input(arg) => self.input(*arg),
            Op::Literal(value) => Ok(Dense { axes: vec![], values: vec![*value] }),
            Op::Len(dims) => {
                let len = Scalar::Int(self.binding.len(*dims)? as i64);
                Ok(Dense { axes: vec![], values: vec![len.cast(node.kind)] })
            }
            Op::Iota(dim) => {
                let indices = 0..self.binding.size(*dim) as i64;
                Ok(Dense { axes: self.binding.axes(node.dims), values: indices.map(Scalar::Int).collect() })
            }
            Op::Apply(prim, args) => self.apply(*prim, args, node),
            Op::Cast(x) => {
                let x = self.value(*x)?;
                Ok(Dense { values: x.values.iter().map(|v| v.cast(node.kind)).collect(), axes: x.axes })
            }
            Op::Reduce(fold, dims, x) => self.reduce(*fold, *dims, *x, node),
            Op::At { source, dim, index } => self.gather(*source, *dim, *index, node),
            Op::ScatterAdd { source, dim, index } => self.scatter(*source, *dim, *index, node),
            Op::StopGrad(x) => self.value(*x),
            Op::Given { value, .. } => self.value(*value),
            Op::Seed(_) => {
                Err(Error::new(ErrorKind::Gradient, "the gradient inside a given rule has no value forward"))
            }
        }
    }

    fn input(&self, arg: usize) -> Result<Dense> {
        let values = match &self.args[arg] {
            Value::Tensor(data) => scalars(data),
            Value::Scalar(value) => vec![*value],
            Value::Shape(_) => {
                return Err(Error::new(ErrorKind::Unsupported, "only the shape of it was given"));
            }
        };
        Ok(Dense { axes: self.binding.arg_axes(arg).to_vec(), values })
    }

    fn apply(&mut self, prim: Prim, args: &[NodeId], node: &Node) -> Result<Dense> {
        let args: Vec<Dense> = args.iter().map(|arg| self.value(*arg)).collect::<Result<_>>()?;
        self.tabulate(node.dims, |point| {
            let operands: Vec<Scalar> = args.iter().map(|arg| arg.at(point)).collect();
            prim.eval(&operands).ok_or_else(|| {
                Error::new(
                    ErrorKind::Unsupported,
                    format!("`{}` does not take operands of these kinds", prim.name()),
                )
            })
        })
    }

    fn reduce(&mut self, fold: Fold, dims: DimSet, x: NodeId, node: &Node) -> Result<Dense> {
        let x = self.value(x)?;
        let inner = points(&self.binding.axes(dims));
        self.tabulate(node.dims, |outer| {
            let elements = inner.iter().map(|inner| x.at(&[outer.as_slice(), inner].concat()));
            fold_all(fold, elements, node.kind)
        })
    }

    fn gather(&mut self, source: NodeId, dim: DimId, index: NodeId, node: &Node) -> Result<Dense> {
        let id = index;
        let (source, index) = (self.value(source)?, self.value(index)?);
        self.tabulate(node.dims, |point| {
            let position = self.position(index.at(point), dim, id)?;
            Ok(source.at(&replaced(point, dim, position)))
        })
    }

    fn scatter(&mut self, source: NodeId, dim: DimId, index: NodeId, node: &Node) -> Result<Dense> {
        let others = node.dims.difference(DimSet::one(dim));
        let over = self.graph.node(source).dims.union(self.graph.node(index).dims).union(others);
        let id = index;
        let (source, index) = (self.value(source)?, self.value(index)?);
        let mut result = self.tabulate(node.dims, |_| Ok(Scalar::Int(0).cast(node.kind)))?;
        for point in points(&self.binding.axes(over)) {
            let position = self.position(index.at(&point), dim, id)?;
            let offset = result.offset(&replaced(&point, dim, position));
            result.values[offset] = add(result.values[offset], source.at(&point));
        }
        Ok(result)
    }

    /// An index that was checked against the size of its dim.
    fn position(&self, index: Scalar, dim: DimId, node: NodeId) -> Result<usize> {
        let (index, size) = (i64::from_scalar(index), self.binding.size(dim));
        usize::try_from(index).ok().filter(|position| *position < size).ok_or_else(|| {
            let message = format!("has size {size}, so that index {index} is out of range");
            let error = Error::new(ErrorKind::Index, message).with_dim(&self.graph.dim(dim).name);
            if let Op::Input(arg) = self.graph.node(node).op {
                return error.with_arg(&self.graph.args[arg].name);
            }
            error
        })
    }

    /// A value over dims from its value at each point.
    fn tabulate(&self, dims: DimSet, at: impl FnMut(&Point) -> Result<Scalar>) -> Result<Dense> {
        let axes = self.binding.axes(dims);
        let values: Result<Vec<Scalar>> = points(&axes).iter().map(at).collect();
        Ok(Dense { axes, values: values? })
    }

    fn output(&mut self, output: &Output) -> Result<TensorData> {
        let node = self.graph.node(output.node);
        let value = self.value(output.node)?;
        if let Some(arg) = output.like {
            return self.sum_like(&value, arg, output, node.kind);
        }
        let axes = self.binding.result_axes(&output.axes, node.dims);
        let values = points(&axes).iter().map(|point| value.at(point)).collect();
        data(values, node.kind, self.binding.result_shape(&output.axes, node.dims)?)
    }

    /// The value broadcast over the declared axes, then summed to the shape of an argument.
    fn sum_like(&self, value: &Dense, arg: usize, output: &Output, kind: Kind) -> Result<TensorData> {
        let shape = self.binding.like_shape(arg);
        let zeros = vec![Scalar::Int(0).cast(kind); shape.elements()?];
        let mut result = Dense { axes: self.binding.arg_axes(arg).to_vec(), values: zeros };
        for point in points(&self.binding.axes(self.graph.output_dims(output))) {
            let offset = result.offset(&point);
            result.values[offset] = add(result.values[offset], value.at(&point));
        }
        data(result.values, kind, shape)
    }
}

/// All points of some axes, row-major.
fn points(axes: &[BoundAxis]) -> Vec<Point> {
    axes.iter().fold(vec![vec![]], |points: Vec<Point>, bound| {
        let extend = |point: &Point| {
            let point = point.clone();
            (0..bound.size).map(move |index| [point.as_slice(), &[(bound.axis, index)]].concat())
        };
        points.iter().flat_map(extend).collect()
    })
}

/// The point with the index along a dim replaced.
fn replaced(point: &Point, dim: DimId, index: usize) -> Point {
    let mut result: Point = point.iter().copied().filter(|(axis, _)| axis.dim != dim).collect();
    result.push((AxisId { dim, part: 0 }, index));
    result
}

fn fold_all(fold: Fold, mut elements: impl Iterator<Item = Scalar>, kind: Kind) -> Result<Scalar> {
    let empty = || Error::new(ErrorKind::Empty, format!("{} over no elements has no value", fold.name()));
    match fold {
        Fold::Sum => Ok(elements.fold(Scalar::Int(0).cast(kind), add)),
        Fold::Prod => Ok(elements.fold(Scalar::Int(1).cast(kind), |a, b| both(Prim::Mul, a, b))),
        Fold::Max => elements.reduce(|a, b| both(Prim::Maximum, a, b)).ok_or_else(empty),
        Fold::Min => elements.reduce(|a, b| both(Prim::Minimum, a, b)).ok_or_else(empty),
        Fold::ArgMax => first_best(elements, Prim::Gt).ok_or_else(empty),
        Fold::ArgMin => first_best(elements, Prim::Lt).ok_or_else(empty),
        Fold::Any => Ok(Scalar::Bool(elements.any(|x| x == Scalar::Bool(true)))),
        Fold::All => Ok(Scalar::Bool(elements.all(|x| x == Scalar::Bool(true)))),
    }
}

/// Index of the first element that no other beats; a NaN beats everything.
fn first_best(elements: impl Iterator<Item = Scalar>, beats: Prim) -> Option<Scalar> {
    let is_nan = |x: Scalar| matches!(x, Scalar::Float(x) if x.is_nan());
    let better = |new: Scalar, best: Scalar| {
        !is_nan(best) && (is_nan(new) || both(beats, new, best) == Scalar::Bool(true))
    };
    let best = elements.enumerate().reduce(|best, new| if better(new.1, best.1) { new } else { best });
    best.map(|(index, _)| Scalar::Int(index as i64))
}

fn add(a: Scalar, b: Scalar) -> Scalar {
    both(Prim::Add, a, b)
}

/// A primitive over two numbers of one kind, as the builder of graphs guarantees.
fn both(prim: Prim, a: Scalar, b: Scalar) -> Scalar {
    prim.eval(&[a, b]).expect("sums and comparisons take two numbers of one kind")
}

fn scalars(data: &TensorData) -> Vec<Scalar> {
    fn all<T: Element>(elements: &[T]) -> Vec<Scalar> {
        elements.iter().map(|x| x.to_scalar()).collect()
    }
    match data.storage() {
        Storage::F64(x) => all(x),
        Storage::F32(x) => all(x),
        Storage::F16(x) => all(x),
        Storage::BF16(x) => all(x),
        Storage::I64(x) => all(x),
        Storage::I32(x) => all(x),
        Storage::U8(x) => all(x),
        Storage::Bool(x) => all(x),
    }
}

fn data(values: Vec<Scalar>, kind: Kind, shape: Shape) -> Result<TensorData> {
    match kind {
        Kind::Float => TensorData::new(values.into_iter().map(f64::from_scalar).collect(), shape),
        Kind::Int => TensorData::new(values.into_iter().map(i64::from_scalar).collect(), shape),
        Kind::Bool => TensorData::new(values.into_iter().map(bool::from_scalar).collect(), shape),
    }
}
