//! What a node saves: exactly what the arguments of its backward op say, less what only gradients of untracked inputs need.
//!
//! An argument is [`Saved`] before the op runs, when inputs are still there, and [`Kept`] once its results are.

use crate::node::Like;
use crate::record::{is_float, no_gradient};
use tensor_op_core::{Backend, Error, Value};
use tensor_op_spec::ir::{ArgType, Graph, Op, Role, Scalar};

/// An argument of a backward op before the op runs. Outputs are counted among those that the caller wanted.
pub(crate) enum Saved<B: Backend> {
    Kept(Kept<B>),
    Output(usize, Part),
    Gradient(usize),
}

/// An argument of a backward op. Gradients are counted among those of float results.
pub(crate) enum Kept<B: Backend> {
    Value(Value<B::Tensor>),
    /// A tensor of any elements: no wanted gradient depends on them.
    Blank(Like<B>),
    Gradient(usize),
}

/// How much of a tensor is needed.
#[derive(Clone, Copy)]
pub(crate) enum Part {
    Elements,
    Shape,
    /// It has to be there, but nothing depends on it.
    Nothing,
}

impl<B: Backend> Saved<B> {
    /// The arguments of a backward graph, from those of the op, for the wanted gradients.
    pub(crate) fn of_args(
        backward: &Graph,
        wanted: &[bool],
        args: &[Value<B::Tensor>],
    ) -> Result<Vec<Saved<B>>, String> {
        let parts = parts(backward, wanted);
        let saved = backward.args.iter().zip(parts).map(|(arg, part)| match arg.role {
            Role::Forward(i) => match args.get(i) {
                Some(Value::Tensor(tensor)) => Ok(Saved::Kept(Kept::of(tensor, part))),
                Some(Value::Scalar(scalar)) => Ok(Saved::Kept(Kept::Value(Value::Scalar(*scalar)))),
                Some(Value::Shape(shape)) => Ok(Saved::Kept(Kept::Value(Value::Shape(shape.clone())))),
                None => Err(format!("its backward op asks for argument {i}, which was not passed")),
            },
            Role::Output(k) => Ok(Saved::Output(k, part)),
            Role::Grad(k) => Ok(Saved::Gradient(k)),
            Role::Tangent(i) => Err(format!("its backward op asks for the tangent of argument {i}")),
        });
        saved.collect()
    }

    /// The argument once the results are there.
    pub(crate) fn keep(self, outputs: &[&B::Tensor]) -> Result<Kept<B>, String> {
        let output =
            |k: usize| outputs.get(k).copied().ok_or_else(|| format!("its backward op asks for result {k}"));
        match self {
            Saved::Kept(kept) => Ok(kept),
            Saved::Output(k, part) => Ok(Kept::of(output(k)?, part)),
            Saved::Gradient(k) if is_float::<B>(output(k)?) => {
                Ok(Kept::Gradient(outputs[..k].iter().filter(|tensor| is_float::<B>(tensor)).count()))
            }
            Saved::Gradient(k) => {
                Err(format!("its backward op asks for the gradient of result {k}, which is no float"))
            }
        }
    }
}

impl<B: Backend> Kept<B> {
    fn of(tensor: &B::Tensor, part: Part) -> Kept<B> {
        match part {
            Part::Elements => Kept::Value(Value::Tensor(tensor.clone())),
            Part::Shape => Kept::Value(Value::Shape(B::shape(tensor))),
            Part::Nothing => Kept::Blank(Like::of(tensor)),
        }
    }

    /// The argument for the backward pass, which takes its gradient out of those that arrived.
    pub(crate) fn give(self, gradients: &mut [Option<B::Tensor>]) -> Result<Value<B::Tensor>, Error> {
        match self {
            Kept::Value(value) => Ok(value),
            Kept::Blank(like) => blank(&like).map(Value::Tensor),
            Kept::Gradient(slot) => {
                let gradient = gradients.get_mut(slot).and_then(Option::take);
                let twice = || no_gradient("backward", "two arguments of a backward op are one gradient");
                gradient.map(Value::Tensor).ok_or_else(twice)
            }
        }
    }
}

/// One element, repeated without storage.
fn blank<B: Backend>(like: &Like<B>) -> Result<B::Tensor, Error> {
    let ones = like.shape.iter().map(|_| 1).collect();
    B::expand(B::full(ones, Scalar::Bool(false), like.dtype, &like.device)?, like.shape.clone())
}

/// What the wanted results of a graph need of each argument.
fn parts(graph: &Graph, wanted: &[bool]) -> Vec<Part> {
    let mut used = vec![false; graph.nodes.len()];
    for (output, wanted) in graph.outputs.iter().zip(wanted) {
        used[output.node.0 as usize] |= *wanted;
    }
    let mut parts: Vec<Part> = graph.args.iter().map(|arg| untouched(&arg.ty)).collect();
    for id in graph.ids().rev() {
        if !used[id.0 as usize] {
            continue;
        }
        let node = graph.node(id);
        node.operands().iter().for_each(|operand| used[operand.0 as usize] = true);
        if let Op::Input(arg) = node.op {
            parts[arg] = Part::Elements;
        }
    }
    parts
}

fn untouched(ty: &ArgType) -> Part {
    match ty {
        ArgType::Shape { .. } => Part::Shape,
        ArgType::Tensor { .. } | ArgType::Scalar { .. } | ArgType::Axis { .. } => Part::Nothing,
    }
}
