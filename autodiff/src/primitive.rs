//! Adjoints of the primitives that compute. Each primitive is a graph of one node, and is differentiated like
//! any other op.
//!
//! Their backward ops are graphs that exist only at run time. They are made once for each form of a
//! primitive.

use crate::movement::exactly;
use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};
use tensor_op_core::{Backend, Error, ErrorKind, GraphOp, Result};
use tensor_op_spec::ir::{
    Arg, ArgType, Axis, Builder, Dim, DimId, DimKind, DimSet, Graph, IntSource, Kind, Output, Role, Scalar,
    ScalarType, Value,
};
use tensor_op_spec::prim::{Fold, Prim};

/// A primitive that computes, without its tensors.
#[derive(Clone)]
pub(crate) enum Primitive {
    Apply(Prim),
    Reduce(Fold, Vec<usize>),
    Matmul,
    Gather(usize),
    ScatterAdd { axis: usize, size: usize },
}

impl Primitive {
    /// Runs the primitive. `tensors` has as many as it takes.
    pub(crate) fn run<B: Backend>(&self, tensors: Vec<B::Tensor>) -> Result<B::Tensor> {
        match self {
            Primitive::Apply(prim) => B::apply(*prim, tensors),
            Primitive::Reduce(fold, axes) => {
                let [tensor] = exactly(tensors);
                B::reduce(*fold, tensor, axes)
            }
            Primitive::Matmul => {
                let [lhs, rhs] = exactly(tensors);
                B::matmul(lhs, rhs)
            }
            Primitive::Gather(axis) => {
                let [tensor, index] = exactly(tensors);
                B::gather(tensor, *axis, index)
            }
            Primitive::ScatterAdd { axis, size } => {
                let [source, index] = exactly(tensors);
                B::scatter_add(source, *axis, index, *size)
            }
        }
    }

    /// The op for the primitive on these tensors. The primitive has already run on them.
    pub(crate) fn op<B: Backend>(&self, tensors: &[&B::Tensor]) -> Result<Arc<GraphOp>> {
        self.form::<B>(tensors).op()
    }

    /// The arguments of this op.
    pub(crate) fn args<T>(&self, tensors: Vec<T>) -> Vec<tensor_op_core::Value<T>> {
        let size = match self {
            Primitive::ScatterAdd { size, .. } => {
                Some(tensor_op_core::Value::Scalar(Scalar::Int(*size as i64)))
            }
            Primitive::Apply(_) | Primitive::Reduce(..) | Primitive::Matmul | Primitive::Gather(_) => None,
        };
        tensors.into_iter().map(tensor_op_core::Value::Tensor).chain(size).collect()
    }

    /// The form of the primitive for these tensors.
    fn form<B: Backend>(&self, tensors: &[&B::Tensor]) -> Form {
        let kind = |tensor: &B::Tensor| B::dtype(tensor).kind();
        let rank = || B::shape(tensors[0]).rank();
        match self {
            Primitive::Apply(prim) => Form::Apply(*prim, tensors.iter().map(|tensor| kind(tensor)).collect()),
            Primitive::Reduce(fold, axes) => {
                Form::Reduce { fold: *fold, kind: kind(tensors[0]), rank: rank(), axes: axes.clone() }
            }
            Primitive::Matmul => Form::Matmul,
            Primitive::Gather(axis) => Form::Gather { rank: rank(), axis: *axis },
            Primitive::ScatterAdd { axis, .. } => Form::ScatterAdd { rank: rank(), axis: *axis },
        }
    }
}

/// The form of a primitive. Each form has a graph of its own.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Form {
    /// The primitive, and the kinds of its operands.
    Apply(Prim, Vec<Kind>),
    /// A reduction of a tensor of this kind and rank over these axes.
    Reduce { fold: Fold, kind: Kind, rank: usize, axes: Vec<usize> },
    /// `[b, m, k]` times `[b, k, n]`.
    Matmul,
    /// Tensors of this rank, indexed along this axis.
    Gather { rank: usize, axis: usize },
    /// Tensors of this rank. The size of the axis in the result is the last argument.
    ScatterAdd { rank: usize, axis: usize },
}

impl Form {
    /// The op of this form. An `Err` if there are more axes than a graph may have dims.
    pub(crate) fn op(self) -> Result<Arc<GraphOp>> {
        if self.dims() > DimId::MAX {
            let message = format!("gradients of tensors with {} axes or more are not supported", DimId::MAX);
            return Err(Error::new(ErrorKind::Unsupported, message));
        }
        static OPS: LazyLock<Mutex<HashMap<Form, Arc<GraphOp>>>> = LazyLock::new(Mutex::default);
        let mut ops = OPS.lock().unwrap_or_else(PoisonError::into_inner);
        let op = ops.entry(self).or_insert_with_key(|form| Arc::new(GraphOp::new(form.graph())));
        Ok(op.clone())
    }

    fn dims(&self) -> usize {
        match self {
            Form::Apply(..) => 1,
            Form::Reduce { rank, .. } => *rank,
            Form::Matmul => 4,
            Form::Gather { rank, .. } | Form::ScatterAdd { rank, .. } => rank + 1,
        }
    }
}

impl Form {
    fn graph(&self) -> Graph {
        match self {
            Form::Apply(prim, kinds) => {
                let all = [DimId::new(0)];
                let args = kinds.iter().enumerate().map(|(i, kind)| tensor(&format!("x{i}"), *kind, &all));
                let group = Dim { name: "..".into(), kind: DimKind::Group };
                build(prim.row().name, vec![group], args.collect(), &all, |args| {
                    args[0].builder().apply(*prim, args)
                })
            }
            Form::Reduce { fold, kind, rank, axes } => {
                let dims: Vec<DimId> = (0..*rank).map(DimId::new).collect();
                let kept: Vec<DimId> = dims.iter().copied().filter(|d| !axes.contains(&d.index())).collect();
                let reduced: DimSet = axes.iter().copied().map(DimId::new).collect();
                build("reduce", named(*rank), vec![tensor("x", *kind, &dims)], &kept, |args| {
                    args[0].reduce(*fold, reduced)
                })
            }
            Form::Matmul => {
                let [b, m, k, n] = [0, 1, 2, 3].map(DimId::new);
                let args =
                    vec![tensor("lhs", Kind::Float, &[b, m, k]), tensor("rhs", Kind::Float, &[b, k, n])];
                build("matmul", named(4), args, &[b, m, n], |args| {
                    (args[0] * args[1]).reduce(Fold::Sum, DimSet::one(k))
                })
            }
            Form::Gather { rank, axis } => {
                let (source, index) = indexed(*rank, *axis);
                let args = vec![tensor("x", Kind::Float, &source), tensor("index", Kind::Int, &index)];
                build("gather", named(rank + 1), args, &index, |args| args[0].at(source[*axis], args[1]))
            }
            Form::ScatterAdd { rank, axis } => {
                let (target, source) = indexed(*rank, *axis);
                let size = ArgType::Scalar { ty: ScalarType::Usize, default: None };
                let args = vec![
                    tensor("x", Kind::Float, &source),
                    tensor("index", Kind::Int, &source),
                    arg("size", size),
                ];
                let mut dims = named(rank + 1);
                dims[*axis].kind = DimKind::Sized(2);
                let all = target.iter().copied().collect();
                build("scatter_add", dims, args, &target, |args| {
                    args[0].scatter(Fold::Sum, target[*axis], args[1], all)
                })
            }
        }
    }
}

/// The axes of the indexed tensor, and those of the index, which has its own dim in place of `axis`.
fn indexed(rank: usize, axis: usize) -> (Vec<DimId>, Vec<DimId>) {
    let whole: Vec<DimId> = (0..rank).map(DimId::new).collect();
    let mut index = whole.clone();
    index[axis] = DimId::new(rank);
    (whole, index)
}

fn named(count: usize) -> Vec<Dim> {
    (0..count).map(|i| Dim { name: format!("d{i}"), kind: DimKind::Named }).collect()
}

fn tensor(name: &str, kind: Kind, dims: &[DimId]) -> Arg {
    arg(name, ArgType::Tensor { kind, axes: axes(dims), no_grad: kind != Kind::Float })
}

fn arg(name: &str, ty: ArgType) -> Arg {
    Arg { name: name.into(), list: None, like: None, ty, role: Role::Forward(0) }
}

fn axes(dims: &[DimId]) -> Vec<Axis> {
    dims.iter().copied().map(Axis::Dim).collect()
}

fn build(
    name: &str,
    dims: Vec<Dim>,
    mut args: Vec<Arg>,
    out: &[DimId],
    body: impl for<'b> FnOnce(&[Value<'b>]) -> Value<'b>,
) -> Graph {
    for (i, arg) in args.iter_mut().enumerate() {
        arg.role = Role::Forward(i);
    }
    let builder = Builder::new(Graph::new(name.into(), dims, args.clone()));
    let input = |(i, arg): (usize, &Arg)| match &arg.ty {
        ArgType::Tensor { kind, axes, .. } => builder.input(i, builder.read(|g| g.axes_dims(axes)), *kind),
        ArgType::Scalar { ty, .. } => builder.input(i, DimSet::EMPTY, ty.kind()),
        ArgType::Shape { .. } | ArgType::Axis { .. } => builder.input(i, DimSet::EMPTY, Kind::Int),
    };
    let inputs: Vec<Value<'_>> = args.iter().enumerate().map(input).collect();
    let node = body(&inputs).id;
    builder.declare(|g| {
        let ints = IntSource::default();
        g.outputs.push(Output { name: "out".into(), node, axes: axes(out), like: None, hidden: false, ints })
    });
    builder.finish()
}
