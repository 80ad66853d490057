//! The plain meaning of a graph: every node is computed at every point of its dims, in f64, i64 and bool, on
//! the host.
//!
//! It is slow on purpose, and independent of the schedule: kernels, the composed form and derived gradients
//! are tested against it. The same walk over a graph can use other arithmetic, such as one that bounds
//! errors; see [`Domain`]. That is told which values are factors of matrix products.

mod dense;
mod domain;
mod indexing;
mod order;
mod scan;
#[cfg(test)]
mod tests;

pub use domain::{Domain, Plain, recurrence};
pub use order::lower_bound;
pub(crate) use order::{is_before, sorted};

use crate::bind::{Binding, BoundAxis, Dtypes};
use crate::{Error, ErrorKind, Result, Shape, TensorData, Value};
use dense::{Dense, offsets, walk, walk_many};
use std::collections::BTreeMap;
use std::rc::Rc;
use tensor_op_spec::ir::{DimSet, Graph, Kind, Node, NodeId, Op, Output, Scalar};
use tensor_op_spec::prim::{Fold, Prim};
use tensor_op_spec::schedule::contraction_operands;

/// Evaluates a graph. Results are f64, i64 and bool tensors of the declared shapes. A result that is `like`
/// an argument is summed to that argument's shape.
pub fn interpret(graph: &Graph, args: &[Value<TensorData>]) -> Result<Vec<TensorData>> {
    interpret_detached(graph, args, &Detached::default())
}

/// Does the same as [`interpret`], but the values that `stop_grad` detaches come from another point.
/// Differences need this to agree with the gradient.
pub fn interpret_detached(
    graph: &Graph,
    args: &[Value<TensorData>],
    detached: &Detached,
) -> Result<Vec<TensorData>> {
    let results = run(graph, args, &Plain, detached, &BTreeMap::new(), |machine| machine.outputs())?;
    results
        .into_iter()
        .map(|result| TensorData::from_scalars(result.values, result.kind, result.shape))
        .collect()
}

/// The values behind `stop_grad` at some point, by node.
#[derive(Clone, Debug, Default)]
pub struct Detached(BTreeMap<NodeId, Rc<Dense<Scalar>>>);

impl Detached {
    /// The detached values of a graph for these arguments.
    pub fn new(graph: &Graph, args: &[Value<TensorData>]) -> Result<Detached> {
        run(graph, args, &Plain, &Detached::default(), &BTreeMap::new(), |machine| {
            let detached = graph.ids().filter(|id| matches!(graph.node(*id).op, Op::StopGrad(_)));
            detached.map(|id| Ok((id, machine.value(id)?))).collect::<Result<_>>().map(Detached)
        })
    }
}

/// A result of [`evaluate`], row-major.
#[derive(Clone, Debug)]
pub struct Evaluated<V> {
    /// The declared shape.
    pub shape: Shape,
    /// Kind of the elements.
    pub kind: Kind,
    /// The elements.
    pub values: Vec<V>,
}

/// Evaluates a graph in the caller's own domain.
pub fn evaluate<D: Domain>(
    graph: &Graph,
    args: &[Value<TensorData>],
    domain: &D,
) -> Result<Vec<Evaluated<D::Value>>> {
    evaluate_known(graph, args, domain, &Detached::default(), &BTreeMap::new())
}

/// Does the same as [`evaluate`], with values behind `stop_grad` from another point. In addition `known` has,
/// for some arguments by index, elements of the domain in place of plain ones: elements that move, or results
/// of a graph that was evaluated before. They are row-major, as many as the argument in `args` has.
pub fn evaluate_known<D: Domain>(
    graph: &Graph,
    args: &[Value<TensorData>],
    domain: &D,
    detached: &Detached,
    known: &BTreeMap<usize, Vec<D::Value>>,
) -> Result<Vec<Evaluated<D::Value>>> {
    run(graph, args, domain, detached, known, |machine| machine.outputs())
}

fn run<D: Domain, R>(
    graph: &Graph,
    args: &[Value<TensorData>],
    domain: &D,
    detached: &Detached,
    known: &BTreeMap<usize, Vec<D::Value>>,
    read: impl FnOnce(&mut Machine<'_, D>) -> Result<R>,
) -> Result<R> {
    let binding = Binding::from_args(graph, args, |data| data.shape().clone())?;
    Dtypes::from_args(graph, args, TensorData::dtype)?;
    let values = vec![None; graph.nodes.len()];
    let mut machine = Machine { graph, binding: &binding, args, domain, detached, known, values };
    read(&mut machine).map_err(|error| error.with_op(&graph.name))
}

struct Machine<'g, D: Domain> {
    graph: &'g Graph,
    binding: &'g Binding,
    args: &'g [Value<TensorData>],
    domain: &'g D,
    detached: &'g Detached,
    known: &'g BTreeMap<usize, Vec<D::Value>>,
    values: Vec<Option<Rc<Dense<D::Value>>>>,
}

impl<D: Domain> Machine<'_, D> {
    fn outputs(&mut self) -> Result<Vec<Evaluated<D::Value>>> {
        let graph = self.graph;
        graph.outputs.iter().map(|output| self.output(output)).collect()
    }

    /// The value of a node. It is computed at first use.
    fn value(&mut self, id: NodeId) -> Result<Rc<Dense<D::Value>>> {
        if let Some(value) = &self.values[id.0 as usize] {
            return Ok(value.clone());
        }
        let value = match self.detached.0.get(&id) {
            Some(detached) => Rc::new(Dense {
                axes: detached.axes.clone(),
                values: detached.values.iter().map(|value| self.domain.exact(*value)).collect(),
            }),
            None => self.compute(id)?,
        };
        self.values[id.0 as usize] = Some(value.clone());
        Ok(value)
    }

    fn compute(&mut self, id: NodeId) -> Result<Rc<Dense<D::Value>>> {
        let node = self.graph.node(id);
        let single = |value| Dense { axes: vec![], values: vec![value] };
        let value = match &node.op {
            Op::Input(arg) => self.input(*arg)?,
            Op::Literal(value) => single(self.domain.constant(*value)),
            Op::Len(dims) => {
                let len = Scalar::Int(self.binding.len(*dims)? as i64);
                single(self.domain.exact(len.cast(node.kind)))
            }
            Op::Iota(_) => {
                let indices = 0..self.binding.len(node.dims)? as i64;
                let values = indices.map(|index| self.domain.exact(Scalar::Int(index))).collect();
                Dense { axes: self.binding.axes(node.dims), values }
            }
            Op::Apply(prim, args) => {
                let args = args.iter().map(|arg| self.value(*arg)).collect::<Result<Vec<_>>>()?;
                self.apply(*prim, &args, node)?
            }
            Op::Cast(x) => {
                let x = self.value(*x)?;
                let values = x.values.iter().map(|v| self.domain.cast(v, node.kind)).collect();
                Dense { axes: x.axes.clone(), values }
            }
            Op::Reduce(fold, dims, x) => {
                let x = match contraction_operands(self.graph, id) {
                    Some(factors) => self.product(factors, self.graph.node(*x))?,
                    None => self.value(*x)?,
                };
                self.reduce(*fold, *dims, &x, node)?
            }
            Op::Scan { scan, dim, reverse, operands } => self.scan(*scan, *dim, *reverse, operands, node)?,
            Op::Order { order, dim, operands } => self.order(*order, *dim, operands, node)?,
            Op::At { source, dim, index } => self.gather(*source, *dim, *index, node)?,
            Op::Window { source, dim, position } => self.window(*source, *dim, position, node)?,
            Op::Scatter { fold, source, dim, index, .. } => {
                self.scatter(*fold, *source, *dim, *index, node)?
            }
            Op::StopGrad(x) | Op::Given { value: x, .. } => return self.value(*x),
            Op::Seed(_) => {
                let message = "the gradient inside a given rule has no value forward";
                return Err(Error::new(ErrorKind::Gradient, message));
            }
        };
        Ok(Rc::new(value))
    }

    fn input(&self, arg: usize) -> Result<Dense<D::Value>> {
        let values = match (&self.args[arg], self.known.get(&arg)) {
            (Value::Tensor(data), Some(known)) if known.len() == data.elements() => known.clone(),
            (Value::Tensor(_), Some(known)) => {
                let message = format!("{} elements stand in for another number", known.len());
                return Err(Error::new(ErrorKind::Length, message));
            }
            (Value::Tensor(data), None) => {
                data.to_scalars().into_iter().map(|value| self.domain.input(value)).collect()
            }
            (Value::Scalar(value), _) => vec![self.domain.constant(*value)],
            (Value::Shape(_), _) => {
                return Err(Error::new(ErrorKind::Unsupported, "only the shape of it was given"));
            }
        };
        Ok(Dense { axes: self.binding.arg_axes(arg).to_vec(), values })
    }

    fn apply(&self, prim: Prim, args: &[Rc<Dense<D::Value>>], node: &Node) -> Result<Dense<D::Value>> {
        let axes = self.binding.axes(node.dims);
        let strides: Vec<Vec<usize>> = args.iter().map(|arg| arg.strides(&axes)).collect();
        let strides: Vec<&[usize]> = strides.iter().map(Vec::as_slice).collect();
        let mut values = Some(vec![]);
        let mut operands = Vec::with_capacity(args.len());
        walk_many(&axes, &strides, |offsets| {
            operands.clear();
            operands.extend(args.iter().zip(offsets).map(|(arg, offset)| arg.values[*offset].clone()));
            let value = self.domain.apply(prim, &operands);
            match (value, &mut values) {
                (Some(value), Some(values)) => values.push(value),
                (None, values) => *values = None,
                (Some(_), None) => {}
            }
        });
        let values = values.ok_or_else(|| {
            let message = format!("`{}` does not take operands of these kinds", prim.name());
            Error::new(ErrorKind::Unsupported, message)
        });
        Ok(Dense { axes, values: values? })
    }

    /// The products that a contraction sums.
    fn product(&mut self, factors: [NodeId; 2], node: &Node) -> Result<Rc<Dense<D::Value>>> {
        let factors = factors.map(|id| {
            let Dense { axes, values } = &*self.value(id)?;
            let values = values.iter().map(|value| self.domain.factor(value)).collect();
            Ok(Rc::new(Dense { axes: axes.clone(), values }))
        });
        let [lhs, rhs] = factors;
        Ok(Rc::new(self.apply(Prim::Mul, &[lhs?, rhs?], node)?))
    }

    fn reduce(&self, fold: Fold, dims: DimSet, x: &Dense<D::Value>, node: &Node) -> Result<Dense<D::Value>> {
        let inner = self.binding.axes(dims);
        let inner = offsets(&inner, &x.strides(&inner));
        let axes = self.binding.axes(node.dims);
        let outer = offsets(&axes, &x.strides(&axes));
        if inner.is_empty() && fold.needs_elements() {
            // Binding has made sure that no result with elements is computed from this.
            let nothing = self.domain.exact(fold.of_nothing(node.kind));
            return Ok(Dense { axes, values: vec![nothing; outer.len()] });
        }
        let of = |start: &usize| {
            let mut elements = inner.iter().map(|step| x.values[start + step].clone());
            self.domain.fold(fold, &mut elements, node.kind)
        };
        let values: Result<Vec<D::Value>> = outer.iter().map(of).collect();
        Ok(Dense { axes, values: values? })
    }

    /// An empty list of terms for each point, to be summed later.
    fn sums(&self, axes: Vec<BoundAxis>) -> Dense<Vec<D::Value>> {
        let count = axes.iter().map(|bound| bound.size).product();
        Dense { axes, values: vec![vec![]; count] }
    }

    /// The reductions of lists of elements.
    fn folded(&self, fold: Fold, sums: Dense<Vec<D::Value>>, kind: Kind) -> Result<Dense<D::Value>> {
        let reduce = |terms: Vec<D::Value>| match terms.is_empty() {
            true => Ok(self.domain.exact(fold.of_nothing(kind))),
            false => self.domain.fold(fold, &mut terms.into_iter(), kind),
        };
        let values: Result<Vec<D::Value>> = sums.values.into_iter().map(reduce).collect();
        Ok(Dense { axes: sums.axes, values: values? })
    }

    fn output(&mut self, output: &Output) -> Result<Evaluated<D::Value>> {
        let node = self.graph.node(output.node);
        let value = self.value(output.node)?;
        if let Some(arg) = output.like {
            return self.sum_like(&value, arg, output, node.kind);
        }
        let axes = self.binding.result_axes(&output.axes, node.dims);
        let places = offsets(&axes, &value.strides(&axes));
        let values = places.into_iter().map(|offset| value.values[offset].clone()).collect();
        let shape = self.binding.result_shape(&output.axes, node.dims)?;
        Ok(Evaluated { shape, kind: node.kind, values })
    }

    /// Broadcasts the value over the declared axes, then sums it to the shape of an argument.
    fn sum_like(
        &self,
        value: &Dense<D::Value>,
        arg: usize,
        output: &Output,
        kind: Kind,
    ) -> Result<Evaluated<D::Value>> {
        let shape = self.binding.like_shape(arg);
        shape.elements()?;
        let mut sums = self.sums(self.binding.arg_axes(arg).to_vec());
        let over = self.binding.axes(self.graph.output_dims(output));
        walk(&over, [&sums.strides(&over), &value.strides(&over)], |[to, from]| {
            sums.values[to].push(value.values[from].clone());
        });
        Ok(Evaluated { shape, kind, values: self.folded(Fold::Sum, sums, kind)?.values })
    }
}
