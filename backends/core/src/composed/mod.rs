//! Runs any op on any backend, by composing the op's graph from the backend's structural primitives.
//!
//! Operands are aligned by their named axes (permute, reshape, expand), so that every primitive sees tensors
//! of one shape. Halves compute in f32 and ints in i64, as in kernels. Only values that the wanted outputs
//! need are computed. A value is moved out at its last use, so that a backend can reuse its storage.

mod align;
mod draw;
mod index;
mod order;
mod scan;
mod window;

use crate::bind::{Binding, BoundAxis, Dtypes};
use crate::{Backend, DType, Error, ErrorKind, Op, Result, Shape, TensorData, Value, memory};
use align::Aligned;
use tensor_op_spec::ir::{self, DimId, DimSet, Graph, Kind, Node, NodeId, Output, Scalar};
use tensor_op_spec::prim::{Draw, Fold, Group, Order, Prim};

#[cfg(test)]
mod tests;

/// Runs an op as a composition; see [`Backend::run`].
pub fn run<B: Backend>(
    op: &dyn Op,
    args: Vec<Value<B::Tensor>>,
    wanted: &[bool],
) -> Result<Vec<Option<B::Tensor>>> {
    let graph = op.spec().graph();
    run_graph::<B>(graph, args, wanted).map_err(|error| error.with_op(&graph.name))
}

/// Runs a graph as a composition.
pub fn run_graph<B: Backend>(
    graph: &Graph,
    args: Vec<Value<B::Tensor>>,
    wanted: &[bool],
) -> Result<Vec<Option<B::Tensor>>> {
    if wanted.len() != graph.outputs.len() {
        let message =
            format!("gives {} results, but {} flags say which are wanted", graph.outputs.len(), wanted.len());
        return Err(Error::new(ErrorKind::Length, message));
    }
    let binding = Binding::from_args(graph, &args, B::shape)?;
    let dtypes = Dtypes::from_args(graph, &args, B::dtype)?;
    let device = common_device::<B>(graph, &args)?.unwrap_or_default();
    let uses = uses(graph, wanted);
    let values = vec![None; graph.nodes.len()];
    let mut machine = Machine::<B> { graph, binding, dtypes, device, args, uses, values };
    for id in graph.ids() {
        if machine.uses[index(id)] > 0 {
            machine.values[index(id)] = Some(machine.compute(id)?);
        }
    }
    let outputs = wanted.iter().enumerate();
    outputs.map(|(index, wanted)| if *wanted { machine.output(index).map(Some) } else { Ok(None) }).collect()
}

/// The device of all tensor arguments, if there are any. An `Err` if they are on several devices.
pub fn common_device<B: Backend>(graph: &Graph, args: &[Value<B::Tensor>]) -> Result<Option<B::Device>> {
    let mut common: Option<(usize, B::Device)> = None;
    for (at, arg) in args.iter().enumerate() {
        let Value::Tensor(tensor) = arg else { continue };
        let device = B::device(tensor);
        match &common {
            None => common = Some((at, device)),
            Some((_, first)) if *first == device => {}
            Some((other, first)) => {
                let (found, other, first) = (B::name(&device), &graph.args[*other].name, B::name(first));
                let message = format!("is on {found}, but `{other}` is on {first}; move one of them");
                return Err(Error::new(ErrorKind::Device, message)
                    .with_arg(&graph.args[at].name)
                    .with_op(&graph.name));
            }
        }
    }
    Ok(common.map(|(_, device)| device))
}

struct Machine<'g, B: Backend> {
    graph: &'g Graph,
    binding: Binding,
    dtypes: Dtypes,
    device: B::Device,
    args: Vec<Value<B::Tensor>>,
    /// For each node, how often it will still be read.
    uses: Vec<usize>,
    values: Vec<Option<Aligned<B>>>,
}

impl<B: Backend> Machine<'_, B> {
    fn compute(&mut self, id: NodeId) -> Result<Aligned<B>> {
        let graph = self.graph;
        let node = graph.node(id);
        match &node.op {
            ir::Op::Input(arg) => self.input(id, *arg),
            ir::Op::Literal(value) => self.scalar(*value),
            ir::Op::Len(dims) => self.scalar(Scalar::Int(self.binding.len(*dims)? as i64).cast(node.kind)),
            ir::Op::Iota(_) => {
                let indices = iota::<B>(self.binding.len(node.dims)?, &self.device)?;
                let axes = self.binding.axes(node.dims);
                let shape: Shape = axes.iter().map(|bound| bound.size).collect();
                let indices = if axes.len() == 1 { indices } else { B::reshape(indices, shape)? };
                Ok(Aligned::new(indices, axes))
            }
            ir::Op::Apply(prim, args) => self.apply(*prim, args, node.dims),
            ir::Op::Cast(x) => {
                let dtype = self.dtypes.compute(node.kind);
                self.take(*x)?.map(|tensor| cast::<B>(tensor, dtype))
            }
            ir::Op::Reduce(fold, dims, x) => match contraction(graph, *fold, *dims, *x) {
                Some(factors) => self.contract(factors, *dims),
                None => self.reduce(*fold, *dims, *x),
            },
            ir::Op::Scan { scan, dim, reverse, operands } => {
                let values = operands.iter().map(|id| self.take(*id)).collect::<Result<_>>()?;
                let (binding, scan, dim, reverse) = (&self.binding, *scan, *dim, *reverse);
                scan::Scanned { binding, scan, dim, reverse, node }.run(values)
            }
            ir::Op::Order { order, dim, operands } => self.order(*order, *dim, operands, node),
            ir::Op::At { source, dim, index } => {
                let id = *index;
                let (source_dims, index_dims) = (graph.node(*source).dims, graph.node(*index).dims);
                let (source, index) = (self.take(*source)?, self.take(*index)?);
                let gather = index::At { binding: &self.binding, dim: *dim, source_dims, index_dims };
                gather.run(source, index).map_err(|error| name_index(graph, *dim, id, error))
            }
            ir::Op::Window { source, dim, position } => {
                let source_dims = graph.node(*source).dims;
                let source = self.take(*source)?;
                let binding = &self.binding;
                let window = window::Window { binding, dim: *dim, source_dims, position, node };
                window.run(source, &self.device)
            }
            ir::Op::Scatter { fold, source, dim, index, .. } => {
                let id = *index;
                let dims = graph.node(*source).dims.union(graph.node(*index).dims);
                let (source, index) = (self.take(*source)?, self.take(*index)?);
                let (binding, fold, dim, result) = (&self.binding, *fold, *dim, node.dims);
                let scatter = index::Scatter { binding, fold, dim, over: dims, result };
                scatter.run(source, index).map_err(|error| name_index(graph, dim, id, error))
            }
            ir::Op::StopGrad(x) => self.take(*x),
            ir::Op::Given { value, .. } => self.take(*value),
            ir::Op::Seed(_) => {
                Err(Error::new(ErrorKind::Gradient, "the gradient inside a given rule has no value forward"))
            }
        }
    }

    fn order(&mut self, order: Order, dim: DimId, operands: &[NodeId], node: &Node) -> Result<Aligned<B>> {
        let mut values = operands.iter().map(|id| self.take(*id)).collect::<Result<Vec<_>>>()?;
        let first = values.remove(0);
        let sorted = self.graph.node(operands[0]).dims;
        let ordered = order::Ordered::<B> { binding: &self.binding, device: &self.device, sorted, dim, node };
        match order {
            Order::Sort { to, descending } => ordered.sort(first, to, descending),
            Order::Search { right } => ordered.search(first, values.remove(0), right),
        }
    }

    /// The value of a node. At its last use it is moved out.
    fn take(&mut self, id: NodeId) -> Result<Aligned<B>> {
        let (uses, value) = (&mut self.uses[index(id)], &mut self.values[index(id)]);
        *uses = uses.saturating_sub(1);
        let taken = if *uses == 0 { value.take() } else { value.clone() };
        taken.ok_or_else(|| {
            Error::new(ErrorKind::Unsupported, "the graph reads a value before it is computed")
        })
    }

    fn input(&mut self, id: NodeId, arg: usize) -> Result<Aligned<B>> {
        let is_last = self.graph.nodes[index(id) + 1..].iter().all(|later| later.op != ir::Op::Input(arg));
        let spent = Value::Scalar(Scalar::Int(0));
        let value =
            if is_last { std::mem::replace(&mut self.args[arg], spent) } else { self.args[arg].clone() };
        match value {
            Value::Tensor(tensor) => {
                let axes = self.binding.arg_axes(arg).to_vec();
                let dtype = B::dtype(&tensor).compute();
                let tensor = align::reshape::<B>(cast::<B>(tensor, dtype)?, align::sizes(&axes))?;
                Ok(Aligned::new(tensor, axes))
            }
            Value::Scalar(value) => self.scalar(value),
            Value::Shape(_) => Err(Error::new(ErrorKind::Unsupported, "only the shape of it was given")
                .with_arg(&self.graph.args[arg].name)),
        }
    }

    fn scalar(&self, value: Scalar) -> Result<Aligned<B>> {
        let dtype = self.dtypes.compute(value.kind());
        Ok(Aligned::new(B::full(crate::Shape::scalar(), value, dtype, &self.device)?, vec![]))
    }

    fn apply(&mut self, prim: Prim, args: &[NodeId], dims: DimSet) -> Result<Aligned<B>> {
        let axes = self.binding.axes(dims);
        let operand = |arg: &NodeId| self.take(*arg)?.align(&axes);
        if let Group::Draw(Draw::Random) = prim.group() {
            let operands = args.iter().map(|arg| self.take(*arg)).collect::<Result<_>>()?;
            let dtype = self.dtypes.compute(Kind::Float);
            return Ok(Aligned::new(draw::draw(operands, &axes, dtype, &self.device)?, axes));
        }
        let operands = args.iter().map(operand).collect::<Result<_>>()?;
        Ok(Aligned::new(B::apply(prim, operands)?, axes))
    }

    fn reduce(&mut self, fold: Fold, dims: DimSet, x: NodeId) -> Result<Aligned<B>> {
        let mut axes = self.binding.axes(self.graph.node(x).dims);
        let mut tensor = self.take(x)?.align(&axes)?;
        let mut reduced: Vec<usize> =
            (0..axes.len()).filter(|at| dims.contains(axes[*at].axis.dim)).collect();
        if reduced.is_empty() {
            // A group without axes has one element, so an axis of size 1 is reduced.
            let shape = align::sizes(&axes).chain([1]);
            tensor = align::reshape::<B>(tensor, shape)?;
            reduced.push(axes.len());
        }
        let is_empty = reduced.iter().any(|at| axes.get(*at).is_some_and(|bound| bound.size == 0));
        axes.retain(|bound| !dims.contains(bound.axis.dim));
        if is_empty && fold.needs_elements() {
            // Binding has made sure that no result with elements is computed from this.
            let kind = self.graph.node(x).kind;
            let dtype = self.dtypes.compute(fold.result_kind(kind));
            let shape = align::sizes(&axes).collect();
            return Ok(Aligned::new(B::full(shape, fold.of_nothing(kind), dtype, &self.device)?, axes));
        }
        Ok(Aligned::new(B::reduce(fold, tensor, &reduced)?, axes))
    }

    /// Computes a sum of a product as a batched matrix product.
    fn contract(&mut self, (lhs, rhs): (NodeId, NodeId), k: DimSet) -> Result<Aligned<B>> {
        let (lhs_dims, rhs_dims) = (self.graph.node(lhs).dims, self.graph.node(rhs).dims);
        let axes = |dims: DimSet| self.binding.axes(dims.difference(k));
        let batch = axes(lhs_dims.intersection(rhs_dims));
        let (m, n) = (axes(lhs_dims.difference(rhs_dims)), axes(rhs_dims.difference(lhs_dims)));
        let k = self.binding.axes(k);
        let lhs = self.take(lhs)?.group(&[&batch, &m, &k])?;
        let rhs = self.take(rhs)?.group(&[&batch, &k, &n])?;
        let axes = [batch, m, n].concat();
        let product = align::reshape::<B>(B::matmul(lhs, rhs)?, align::sizes(&axes))?;
        Ok(Aligned::new(product, axes))
    }

    fn output(&mut self, index: usize) -> Result<B::Tensor> {
        let output = &self.graph.outputs[index];
        let node = self.graph.node(output.node);
        let value = self.take(output.node)?;
        let (tensor, shape) = match output.like {
            Some(arg) => (self.sum_like(value, arg, output)?, self.binding.like_shape(arg)),
            None => {
                let axes = self.binding.result_axes(&output.axes, node.dims);
                (value.align(&axes)?, self.binding.result_shape(&output.axes, node.dims)?)
            }
        };
        let tensor = align::reshape::<B>(tensor, shape.iter().copied())?;
        cast::<B>(tensor, self.dtypes.of_result(self.graph, index))
    }

    /// Broadcasts the value over the declared axes, then sums it over the axes along which the argument is
    /// broadcast.
    fn sum_like(&self, value: Aligned<B>, arg: usize, output: &Output) -> Result<B::Tensor> {
        let target = self.binding.arg_axes(arg);
        let axes = self.binding.axes(self.graph.output_dims(output));
        let is_whole = |bound: &BoundAxis| target.contains(bound);
        let summed: Vec<usize> = (0..axes.len()).filter(|at| !is_whole(&axes[*at])).collect();
        let mut tensor = value.align(&axes)?;
        if !summed.is_empty() {
            tensor = B::reduce(Fold::Sum, tensor, &summed)?;
        }
        let kept: Vec<BoundAxis> = axes.into_iter().filter(is_whole).collect();
        Aligned::<B>::new(tensor, kept).align(target)
    }
}

/// For each node, the number of reads by other nodes and by the wanted outputs. It is 0 if no wanted output
/// needs the node.
fn uses(graph: &Graph, wanted: &[bool]) -> Vec<usize> {
    let mut uses = vec![0; graph.nodes.len()];
    for (output, _) in graph.outputs.iter().zip(wanted).filter(|(_, wanted)| **wanted) {
        uses[index(output.node)] += 1;
    }
    for id in graph.ids().rev() {
        if uses[index(id)] > 0 {
            operands(graph, id).iter().for_each(|operand| uses[index(*operand)] += 1);
        }
    }
    uses
}

/// The nodes that are read to compute a node.
fn operands(graph: &Graph, id: NodeId) -> Vec<NodeId> {
    let node = graph.node(id);
    match &node.op {
        ir::Op::Given { value, .. } => vec![*value],
        ir::Op::Reduce(fold, dims, x) => match contraction(graph, *fold, *dims, *x) {
            Some((lhs, rhs)) => vec![lhs, rhs],
            None => vec![*x],
        },
        ir::Op::Input(_) | ir::Op::Literal(_) | ir::Op::Len(_) | ir::Op::Iota(_) | ir::Op::Apply(..) => {
            node.operands()
        }
        ir::Op::Order { .. } => node.operands(),
        ir::Op::Cast(_) | ir::Op::Scan { .. } | ir::Op::At { .. } | ir::Op::Window { .. } => node.operands(),
        ir::Op::Scatter { .. } | ir::Op::StopGrad(_) | ir::Op::Seed(_) => node.operands(),
    }
}

/// The two factors of a matrix product: the reduction must sum a float product over dims that both factors
/// have, and at least one factor must have other dims.
fn contraction(graph: &Graph, fold: Fold, dims: DimSet, x: NodeId) -> Option<(NodeId, NodeId)> {
    let product = graph.node(x);
    let ir::Op::Apply(Prim::Mul, factors) = &product.op else { return None };
    let &[lhs, rhs] = factors.as_slice() else { return None };
    let (lhs_dims, rhs_dims) = (graph.node(lhs).dims, graph.node(rhs).dims);
    let shared = dims.is_subset(lhs_dims.intersection(rhs_dims));
    (fold == Fold::Sum && product.kind == Kind::Float && shared && lhs_dims != rhs_dims).then_some((lhs, rhs))
}

/// Adds the dim to the error of an index out of range, and the argument if the index is one.
fn name_index(graph: &Graph, dim: DimId, index: NodeId, error: Error) -> Error {
    if error.kind() != ErrorKind::Index {
        return error;
    }
    let message = format!("has no such index: {}", error.message());
    let error = Error::new(ErrorKind::Index, message).with_dim(&graph.dim(dim).name);
    if let ir::Op::Input(arg) = graph.node(index).op {
        return error.with_arg(&graph.args[arg].name);
    }
    error
}

/// The indices along an axis of this size.
fn iota<B: Backend>(size: usize, device: &B::Device) -> Result<B::Tensor> {
    let mut indices = memory::reserved::<i64>(size)?;
    indices.extend(0..size as i64);
    B::from_data(TensorData::new(indices, [size])?, device)
}

fn cast<B: Backend>(tensor: B::Tensor, dtype: DType) -> Result<B::Tensor> {
    if B::dtype(&tensor) == dtype { Ok(tensor) } else { B::cast(tensor, dtype) }
}

fn index(id: NodeId) -> usize {
    id.0 as usize
}
