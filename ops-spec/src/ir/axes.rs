//! The dims that axes span, and those that `Axis` and `Axes` arguments choose.

use super::{ArgType, Axis, DimId, DimKind, DimSet, Graph, Op, Output};

/// The value of an `Axes` argument that stands for all axes.
pub const ALL_AXES: i64 = -1;

impl ArgType {
    /// Whether it is an `Axes` argument.
    pub fn is_several_axes(&self) -> bool {
        match self {
            ArgType::Axis { several, .. } => *several,
            ArgType::Tensor { .. } | ArgType::Shape { .. } | ArgType::Scalar { .. } => false,
        }
    }
}

impl Graph {
    /// All dims that a list of declared axes spans. If it has the group, that includes the `Axis` dims.
    pub fn axes_dims(&self, axes: &[Axis]) -> DimSet {
        let mut set = DimSet::EMPTY;
        for axis in axes {
            match axis {
                Axis::Dim(d) => {
                    set.insert(*d);
                    if self.dim(*d).kind == DimKind::Group {
                        set = set.union(self.axis_dims());
                    }
                }
                Axis::Parts(parts) => parts.iter().for_each(|p| set.insert(*p)),
            }
        }
        set
    }

    /// The dims that an output is stored over: the declared ones, without the `Axis` dims that were reduced
    /// in its node, or in the argument whose shape it takes.
    pub fn output_dims(&self, output: &Output) -> DimSet {
        let kept = output.like.map_or_else(|| self.node(output.node).dims, |arg| self.arg_dims(arg));
        self.axes_dims(&output.axes).difference(self.axis_dims().difference(kept))
    }

    /// The dims of a tensor or shape argument. An argument that is a result or gradient lacks the `Axis` dims
    /// that were reduced; the node that reads the argument says which ones it has.
    pub fn arg_dims(&self, arg: usize) -> DimSet {
        let input = self.nodes.iter().find(|node| node.op == Op::Input(arg));
        let declared = || match &self.args[arg].ty {
            ArgType::Tensor { axes, .. } | ArgType::Shape { axes } => self.axes_dims(axes),
            ArgType::Scalar { .. } | ArgType::Axis { .. } => DimSet::EMPTY,
        };
        input.map_or_else(declared, |input| input.dims)
    }

    /// Whether a dim is one axis in every call: it is neither the group nor a set of axes.
    pub fn has_one_size(&self, dim: DimId) -> bool {
        match self.dim(dim).kind {
            DimKind::Group => false,
            // Where a text is read, the argument may be missing.
            DimKind::Axis(arg) => !self.args.get(arg).is_some_and(|arg| arg.ty.is_several_axes()),
            DimKind::Named | DimKind::Sized(_) | DimKind::Fixed(_) | DimKind::Computed(_) => true,
        }
    }

    /// The dims of the group that `Axis` arguments choose.
    pub fn axis_dims(&self) -> DimSet {
        (0..self.dims.len())
            .map(DimId::new)
            .filter(|d| matches!(self.dim(*d).kind, DimKind::Axis(_)))
            .collect()
    }
}
