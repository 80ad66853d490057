//! The argument that an op without tensors has for its device and dtype.

use super::{Arg, ArgType, Graph, Kind, Op, Role};

/// The name of this argument in graphs.
const PLACE: &str = "device";

impl Graph {
    /// Adds a tensor without axes as the last argument. No node reads it. The op runs where it is, and if it
    /// is a float, its dtype is that of the op's floats.
    pub fn add_place(&mut self, is_float: bool) {
        let kind = if is_float { Kind::Float } else { Kind::Bool };
        let ty = ArgType::Tensor { kind, axes: vec![], no_grad: true };
        self.args.push(Arg {
            name: PLACE.to_string(),
            list: None,
            like: None,
            ty,
            role: Role::Forward(self.args.len()),
        });
    }

    /// Whether the last argument was added by [`Graph::add_place`]. It is the only tensor, and no formula
    /// could leave a tensor without axes unused.
    pub fn has_place(&self) -> bool {
        let Some((last, others)) = self.args.split_last() else { return false };
        let is_bare = matches!(&last.ty, ArgType::Tensor { axes, no_grad: true, .. } if axes.is_empty());
        let is_tensor = |arg: &Arg| matches!(arg.ty, ArgType::Tensor { .. } | ArgType::Shape { .. });
        let is_read = self.nodes.iter().any(|node| node.op == Op::Input(others.len()));
        last.name == PLACE && is_bare && !is_read && !others.iter().any(is_tensor)
    }

    /// The arguments that the declaration has.
    pub fn declared_args(&self) -> &[Arg] {
        &self.args[..self.args.len() - usize::from(self.has_place())]
    }

    /// The graph that callers inline, which run it where they run themselves.
    pub fn without_place(mut self) -> Graph {
        self.args.truncate(self.declared_args().len());
        self
    }
}
