//! Binds named dims to sizes: computes the concrete axes of every value from a graph and the shapes of its
//! arguments.
//!
//! A [`Binding`] is made once per call, before anything runs. It refuses every call whose shapes don't fit,
//! so that kernels, interpreters and result shapes can rely on it. [`Dtypes`] does the same for dtypes.

mod check;
mod cut;
mod dtypes;
mod group;
mod scalar;
mod sizes;
#[cfg(test)]
mod tests;

pub use cut::{Cut, Positions};
pub use dtypes::{Dtypes, IntRule};
pub use scalar::without_axes;

use crate::{Error, ErrorKind, Result, Shape, Value};
use check::Given;
use group::Group;
use tensor_op_spec::ir::{ArgType, Axis, DimId, DimKind, DimSet, Graph, Place, Position};

/// One concrete axis. The group `..` and the dim of an `Axes` argument have several axes, which are their
/// parts; any other dim has one, part 0. A part of the group is a position among its axes after broadcasting.
/// A position that an `Axis` or `Axes` argument names ("carves out") belongs to the dim of that argument. The
/// parts of an `Axes` count its own axes.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct AxisId {
    /// The dim.
    pub dim: DimId,
    /// Which axis of the dim.
    pub part: u32,
}

/// An axis with its size.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub struct BoundAxis {
    /// The axis.
    pub axis: AxisId,
    /// Its size.
    pub size: usize,
}

/// The named dims of one call, with sizes.
#[derive(Clone, Debug)]
pub struct Binding {
    group_dim: Option<DimId>,
    /// The dims that have any number of axes: the group, and those of `Axes` arguments.
    wide: DimSet,
    /// One for each dim.
    sizes: Shape,
    group: Vec<BoundAxis>,
    given: Vec<Given>,
    /// The axes of all arguments, one after the other.
    arg_axes: Vec<BoundAxis>,
    /// For each argument, where its axes end in `arg_axes`.
    arg_ends: Shape,
    /// The parts of axes that are left. The sizes above are those of the parts.
    cuts: Vec<Cut>,
}

impl Binding {
    /// Binds the dims of a graph, given its arguments in declared order.
    pub fn new(graph: &Graph, args: &[Value<Shape>]) -> Result<Binding> {
        Binding::from_args(graph, args, Shape::clone)
    }

    /// Binds the dims of a graph, given arguments of any tensor type.
    pub fn from_args<T>(graph: &Graph, args: &[Value<T>], shape: impl Fn(&T) -> Shape) -> Result<Binding> {
        check::args(graph, args, shape)
            .and_then(|given| Binding::solve(graph, given))
            .map_err(|error| error.with_op(&graph.name))
    }

    fn solve(graph: &Graph, given: Vec<Given>) -> Result<Binding> {
        let group = Group::solve(graph, &given)?;
        let sizes = sizes::solve(graph, &given, &group.axes)?;
        let mut arg_axes = Vec::with_capacity(given.iter().filter_map(Given::shape).map(Shape::rank).sum());
        let mut arg_ends = Shape::scalar();
        for arg in 0..given.len() {
            push_arg_axes(graph, arg, &given, &group, &sizes, &mut arg_axes);
            arg_ends.push(arg_axes.len());
        }
        let (group_dim, group, cuts) = (graph.group(), group.axes, Vec::new());
        let wide = (0..graph.dims.len()).map(DimId::new).filter(|dim| !graph.has_one_size(*dim)).collect();
        let binding = Binding { group_dim, wide, sizes, group, given, arg_axes, arg_ends, cuts };
        check::counts(graph, &binding)?;
        check::folds(graph, &binding)?;
        check::windows(graph, &binding)?;
        check::orders(graph, &binding)?;
        Ok(binding)
    }

    /// The size of a dim. For the group it is the number of elements without carved dims.
    pub fn size(&self, dim: DimId) -> usize {
        self.sizes[dim.index()]
    }

    /// The product of the sizes of some dims. In a tile it is that of the whole.
    pub fn len(&self, dims: DimSet) -> Result<usize> {
        self.dims(dims).map(|dim| self.whole_size(dim)).collect::<Shape>().elements()
    }

    /// A position with the numbers of this call.
    pub fn place(&self, position: &Position) -> Result<Place> {
        let len = |dim: DimId| i64::try_from(self.whole_size(dim)).ok();
        Place::new(position, &len, &|arg| self.given[arg].int()).ok_or_else(|| {
            let message = "is read at a position that divides by zero, or that is too large to be counted";
            Error::new(ErrorKind::Overflow, message)
        })
    }

    /// The least and the greatest numerator of a position. None of its dims is empty.
    pub fn numerators(&self, place: &Place) -> Result<(i64, i64)> {
        place.range(|dim| self.whole_size(dim) as i64).ok_or_else(|| {
            Error::new(ErrorKind::Overflow, "is read at a position that is too large to be counted")
        })
    }

    /// The axes of a set of dims in canonical order: dims in the order of declaration, and parts of the group
    /// in order.
    pub fn axes(&self, dims: DimSet) -> Vec<BoundAxis> {
        let mut axes = Vec::with_capacity(dims.len() + self.group.len());
        for dim in self.dims(dims) {
            if self.wide.contains(dim) {
                axes.extend(self.group.iter().filter(|bound| bound.axis.dim == dim));
            } else {
                axes.push(self.bound(dim));
            }
        }
        axes
    }

    /// The axes of the tensor that was passed for an argument, in its memory order, with composite axes
    /// split. An axis has size 1 if the tensor is broadcast along it inside the group. There are no axes for
    /// a scalar, and for a gradient or result that no node reads.
    pub fn arg_axes(&self, arg: usize) -> &[BoundAxis] {
        let start = if arg == 0 { 0 } else { self.arg_ends[arg - 1] };
        &self.arg_axes[start..self.arg_ends[arg]]
    }

    /// The axes of a result in memory order, before composite axes are merged: all declared axes, but only
    /// those carved dims that are in `dims`.
    pub fn result_axes(&self, axes: &[Axis], dims: DimSet) -> Vec<BoundAxis> {
        let mut result = Vec::with_capacity(axes.len() + self.group.len());
        for axis in axes {
            match axis {
                Axis::Dim(dim) if Some(*dim) == self.group_dim => result.extend(self.kept_group(*dim, dims)),
                Axis::Dim(dim) => result.push(self.bound(*dim)),
                Axis::Parts(parts) => result.extend(parts.iter().map(|part| self.bound(*part))),
            }
        }
        result
    }

    /// The shape of a result, with composite axes merged.
    pub fn result_shape(&self, axes: &[Axis], dims: DimSet) -> Result<Shape> {
        let mut shape = Shape::scalar();
        for axis in axes {
            match axis {
                Axis::Dim(dim) if Some(*dim) == self.group_dim => {
                    self.kept_group(*dim, dims).for_each(|bound| shape.push(bound.size));
                }
                Axis::Dim(dim) => shape.push(self.size(*dim)),
                Axis::Parts(parts) => {
                    shape.push(parts.iter().map(|part| self.size(*part)).collect::<Shape>().elements()?);
                }
            }
        }
        shape.elements()?;
        Ok(shape)
    }

    /// The shape of the tensor that was passed for an argument. For a scalar it has no axes.
    pub fn like_shape(&self, arg: usize) -> Shape {
        self.given[arg].shape().cloned().unwrap_or_default()
    }

    /// The axes of the group, but only those carved axes that are in `dims`.
    fn kept_group(&self, group: DimId, dims: DimSet) -> impl Iterator<Item = BoundAxis> {
        let is_kept = move |axis: AxisId| axis.dim == group || dims.contains(axis.dim);
        self.group.iter().copied().filter(move |bound| is_kept(bound.axis))
    }

    fn bound(&self, dim: DimId) -> BoundAxis {
        BoundAxis { axis: AxisId { dim, part: 0 }, size: self.size(dim) }
    }

    fn dims(&self, dims: DimSet) -> impl Iterator<Item = DimId> {
        (0..self.sizes.len()).map(DimId::new).filter(move |dim| dims.contains(*dim))
    }
}

/// Appends the axes of an argument, with composite axes split.
fn push_arg_axes(
    graph: &Graph,
    arg: usize,
    given: &[Given],
    group: &Group,
    sizes: &[usize],
    result: &mut Vec<BoundAxis>,
) {
    let (Some(axes), Some(shape)) = (declared_axes(&graph.args[arg].ty), given[arg].shape()) else { return };
    let Some(place) = group.place(graph, arg, &given[arg]) else { return };
    for (axis, found) in by_axis(graph, axes, shape) {
        match axis {
            Axis::Dim(dim) if graph.dim(*dim).kind == DimKind::Group => {
                let parts = place.positions(&group.axes).zip(found);
                result.extend(parts.map(|(at, size)| BoundAxis { axis: group.axes[at].axis, size: *size }));
            }
            Axis::Dim(dim) => result.push(BoundAxis { axis: AxisId { dim: *dim, part: 0 }, size: found[0] }),
            Axis::Parts(parts) => result.extend(parts.iter().map(|dim| {
                let axis = AxisId { dim: *dim, part: 0 };
                BoundAxis { axis, size: sizes[dim.index()] }
            })),
        }
    }
}

/// Each declared axis with its sizes in a shape whose rank was checked: one size, or for the group all sizes
/// that are left.
fn by_axis<'g, 's>(
    graph: &'g Graph,
    axes: &'g [Axis],
    shape: &'s [usize],
) -> impl Iterator<Item = (&'g Axis, &'s [usize])> {
    let mut rest = shape;
    let mut declared_after = axes.len();
    axes.iter().map(move |axis| {
        declared_after -= 1;
        let taken = if is_group(graph, axis) { rest.len() - declared_after } else { 1 };
        let (found, after) = rest.split_at(taken);
        rest = after;
        (axis, found)
    })
}

fn is_group(graph: &Graph, axis: &Axis) -> bool {
    match axis {
        Axis::Dim(dim) => graph.dim(*dim).kind == DimKind::Group,
        Axis::Parts(_) => false,
    }
}

fn declared_axes(ty: &ArgType) -> Option<&[Axis]> {
    match ty {
        ArgType::Tensor { axes, .. } | ArgType::Shape { axes } => Some(axes),
        ArgType::Scalar { .. } | ArgType::Axis { .. } => None,
    }
}

/// An error about the size of a dim in an argument.
fn disagree(arg: &str, dim: &str, message: String) -> Error {
    Error::new(ErrorKind::Shape, message).with_arg(arg).with_dim(dim)
}
