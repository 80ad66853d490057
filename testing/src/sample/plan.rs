//! The sizes of one case. A failure prints them, and they shrink.

use super::scalars::candidates;
use std::fmt;
use tensor_op_core::{Axes, Element, Result, Shape, Value};
use tensor_op_spec::ir::{ArgType, Axis, DimId, DimKind, DimSet, Graph, Scalar};

/// Sizes and choices for the arguments of an op.
#[derive(Clone, Debug, PartialEq)]
pub struct SamplePlan {
    /// Size of each dim, by its index. The entries of the group and of dims with a fixed size are not used.
    pub dims: Vec<usize>,
    /// The axes of the group, including the axes that `Axis` arguments name. If there are too few for those
    /// arguments, axes of size 1 are added in front.
    pub group: Vec<usize>,
    /// How each argument is broadcast inside the group.
    pub spread: Vec<Spread>,
    /// The axis that the first `Axis` argument names. Other `Axis` arguments name the axes after it.
    pub axis: usize,
    /// Whether axes are counted from the end.
    pub from_end: bool,
    /// For each scalar argument, the index of its value; 0 is the default.
    pub scalars: Vec<usize>,
    /// Binary digits of values after the point. With few digits a person can read the values.
    pub bits: u32,
    /// The seed of the values.
    pub seed: u64,
}

/// How an argument is broadcast inside the group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spread {
    /// It has all axes of the group.
    Full,
    /// It lacks the first axis.
    Short,
    /// Every other axis has size 1, starting with the last.
    Ones,
    /// The other axes have size 1: those that [`Spread::Ones`] keeps.
    Others,
}

impl SamplePlan {
    /// A plan in which all dims have one size, and the group has these axes.
    pub fn uniform(graph: &Graph, size: usize, group: &[usize], seed: u64) -> SamplePlan {
        SamplePlan {
            dims: vec![size; graph.dims.len()],
            group: group.to_vec(),
            spread: vec![Spread::Full; graph.args.len()],
            axis: group.len().saturating_sub(1),
            from_end: false,
            scalars: vec![0; graph.args.len()],
            bits: 40,
            seed,
        }
    }

    /// The size of a dim outside the group.
    pub fn size(&self, graph: &Graph, dim: DimId) -> usize {
        match &graph.dim(dim).kind {
            DimKind::Fixed(size) => *size,
            DimKind::Axis(arg) => {
                let axes = self.group_axes(graph);
                self.positions(graph, *arg).iter().map(|at| axes.get(*at).copied().unwrap_or(1)).product()
            }
            DimKind::Computed(size) => {
                let len = |dim| i64::try_from(self.size(graph, dim)).ok();
                let value = size.value(&len, &|arg| Some(i64::from_scalar(self.scalar(graph, arg))));
                value.and_then(|value| usize::try_from(value).ok()).unwrap_or(0)
            }
            DimKind::Group | DimKind::Named | DimKind::Sized(_) => self.dims[dim.index()],
        }
    }

    /// The shape of a tensor argument.
    pub fn shape(&self, graph: &Graph, arg: usize, axes: &[Axis]) -> Shape {
        let mut shape = Shape::scalar();
        for axis in axes {
            match axis {
                Axis::Dim(dim) if graph.dim(*dim).kind == DimKind::Group => {
                    self.in_group(graph, arg).into_iter().for_each(|size| shape.push(size));
                }
                Axis::Dim(dim) => shape.push(self.size(graph, *dim)),
                Axis::Parts(parts) => shape.push(parts.iter().map(|part| self.size(graph, *part)).product()),
            }
        }
        shape
    }

    /// The value of a scalar argument.
    pub fn scalar(&self, graph: &Graph, arg: usize) -> Scalar {
        let sized = graph.dims.iter().position(|dim| dim.kind == DimKind::Sized(arg));
        match (&graph.args[arg].ty, sized) {
            (_, Some(dim)) => Scalar::Int(self.dims[dim] as i64),
            (ArgType::Scalar { .. }, _) => {
                let candidates = candidates(graph, arg);
                let choice = self.scalars.get(arg).copied().unwrap_or_default();
                candidates.get(choice % candidates.len().max(1)).copied().unwrap_or(Scalar::Int(0))
            }
            (ArgType::Axis { several, .. }, _) => {
                let (rank, places) = (self.rank(graph) as i64, self.positions(graph, arg));
                let number = |at: &usize| *at as i64 - if self.from_end { rank } else { 0 };
                let numbers: Vec<i64> = places.iter().map(number).collect();
                // All axes are also passed as such.
                let all = self.from_end && places.len() == self.rank(graph);
                let axes = if all { Axes::all() } else { Axes::of(&numbers) };
                let code = if *several { axes.code().ok() } else { numbers.first().copied() };
                Scalar::Int(code.unwrap_or_default())
            }
            (ArgType::Tensor { .. } | ArgType::Shape { .. }, _) => Scalar::Int(0),
        }
    }

    /// Arguments without elements, as a binding takes them.
    pub fn shapes(&self, graph: &Graph) -> Vec<Value<Shape>> {
        let of = |(index, arg): (usize, &tensor_op_spec::ir::Arg)| match &arg.ty {
            ArgType::Tensor { axes, .. } => Value::Tensor(self.shape(graph, index, axes)),
            ArgType::Shape { axes } => Value::Shape(self.shape(graph, index, axes)),
            ArgType::Scalar { .. } | ArgType::Axis { .. } => Value::Scalar(self.scalar(graph, index)),
        };
        graph.args.iter().enumerate().map(of).collect()
    }

    /// Returns an error if the op can't be called with this plan.
    pub fn check(&self, graph: &Graph) -> Result<()> {
        tensor_op_core::Binding::new(graph, &self.shapes(graph)).map(|_| ())
    }

    fn rank(&self, graph: &Graph) -> usize {
        self.group.len().max(axis_args(graph).count())
    }

    fn group_axes(&self, graph: &Graph) -> Vec<usize> {
        let mut axes = vec![1; self.rank(graph) - self.group.len()];
        axes.extend(&self.group);
        axes
    }

    /// The indices in the group of the axes that an `Axis` or `Axes` argument names. The last `Axes` argument
    /// may also have the axes that no argument has, or no axes.
    fn positions(&self, graph: &Graph, arg: usize) -> Vec<usize> {
        let (rank, count) = (self.rank(graph), axis_args(graph).count());
        let place = axis_args(graph).position(|axis| axis == arg).unwrap_or_default();
        let several = axis_args(graph).filter(|arg| graph.args[*arg].ty.is_several_axes());
        let is_last = several.last() == Some(arg);
        let rest = count..rank;
        let taken = match self.scalars.get(arg).map_or(0, |choice| choice % 4) {
            _ if !is_last => vec![place],
            0 => [place].into_iter().chain(rest.take(1)).collect(),
            1 => vec![place],
            2 => [place].into_iter().chain(rest).collect(),
            _ => vec![],
        };
        taken.into_iter().map(|place| (self.axis + place) % rank.max(1)).collect()
    }

    /// Whether an argument has the axes of the group.
    pub(super) fn spans(graph: &Graph, arg: usize) -> bool {
        match (&graph.args[arg].ty, graph.group()) {
            (ArgType::Tensor { axes, .. } | ArgType::Shape { axes }, Some(group)) => {
                axes.contains(&Axis::Dim(group))
            }
            (ArgType::Scalar { .. } | ArgType::Axis { .. }, _) | (_, None) => false,
        }
    }

    /// The axes of an argument in the group. The shape of the group is the broadcast of all arguments. If
    /// none of its arguments has an axis in full, the first argument gets all of them.
    fn in_group(&self, graph: &Graph, arg: usize) -> Vec<usize> {
        let axes = self.group_axes(graph);
        let mut spanning = (0..graph.args.len()).filter(|arg| SamplePlan::spans(graph, *arg));
        let has = |wanted: Spread| spanning.clone().any(|arg| self.spread[arg] == wanted);
        let is_whole = has(Spread::Full) || has(Spread::Ones) && has(Spread::Others);
        let is_filled = !is_whole && spanning.next() == Some(arg);
        let ones = |axes: Vec<usize>, from_end: usize| {
            let rank = axes.len();
            let of = |(at, size)| if (rank - at) % 2 == from_end { 1 } else { size };
            axes.into_iter().enumerate().map(of).collect()
        };
        match if is_filled { Spread::Full } else { self.spread[arg] } {
            Spread::Full => axes,
            Spread::Short => axes.into_iter().skip(1).collect(),
            Spread::Ones => ones(axes, 1),
            Spread::Others => ones(axes, 0),
        }
    }

    /// The number of elements of each node.
    pub(crate) fn elements(&self, graph: &Graph) -> Vec<usize> {
        graph.nodes.iter().map(|node| self.elements_over(graph, node.dims)).collect()
    }

    /// The number of elements of all nodes together, or the largest number if there are more.
    pub(crate) fn all_elements(&self, graph: &Graph) -> usize {
        self.elements(graph).into_iter().fold(0, usize::saturating_add)
    }

    /// The number of elements of the largest node or result. A result may have dims that its node lacks.
    pub(crate) fn most_elements(&self, graph: &Graph) -> usize {
        let results = graph.outputs.iter().map(|output| self.elements_over(graph, graph.output_dims(output)));
        self.elements(graph).into_iter().chain(results).max().unwrap_or(0)
    }

    fn elements_over(&self, graph: &Graph, dims: DimSet) -> usize {
        let size = |dim| match graph.dim(dim).kind {
            DimKind::Group => {
                let carved: Vec<usize> =
                    axis_args(graph).flat_map(|arg| self.positions(graph, arg)).collect();
                let axes = self.group_axes(graph).into_iter().enumerate();
                axes.filter(|(at, _)| !carved.contains(at)).map(|(_, size)| size).product()
            }
            DimKind::Axis(_) | DimKind::Named | DimKind::Sized(_) | DimKind::Fixed(_) => {
                self.size(graph, dim)
            }
            DimKind::Computed(_) => self.size(graph, dim),
        };
        dims.iter().map(size).fold(1usize, usize::saturating_mul)
    }
}

/// The `Axis` arguments.
fn axis_args(graph: &Graph) -> impl Iterator<Item = usize> + '_ {
    (0..graph.args.len()).filter(|arg| matches!(graph.args[*arg].ty, ArgType::Axis { .. }))
}

/// The value of an `Axis` or `Axes` argument, as a caller writes it.
pub(crate) fn axes_text(value: Scalar, several: bool) -> String {
    match value {
        Scalar::Int(code) if several => Axes::from_code(code).to_string(),
        Scalar::Int(_) | Scalar::Float(_) | Scalar::Bool(_) => value.to_string(),
    }
}

/// A plan and its op, as a failure prints them.
pub struct Described<'p>(pub &'p SamplePlan, pub &'p Graph);

impl fmt::Display for Described<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Described(plan, graph) = self;
        let dims = (0..graph.dims.len()).map(DimId::new).filter(|dim| match graph.dim(*dim).kind {
            DimKind::Named | DimKind::Sized(_) | DimKind::Computed(_) => true,
            DimKind::Group | DimKind::Fixed(_) | DimKind::Axis(_) => false,
        });
        let dims = dims.map(|dim| format!("{} = {}", graph.dim(dim).name, plan.size(graph, dim)));
        // Other scalars are sizes, or may be drawn again if the formula is not finite.
        let args =
            graph.args.iter().zip(plan.shapes(graph)).filter_map(|(arg, value)| match (value, &arg.ty) {
                (Value::Tensor(shape) | Value::Shape(shape), _) => Some(format!("{}: {shape}", arg.name)),
                (Value::Scalar(value), ArgType::Axis { several, .. }) => {
                    Some(format!("{} = {}", arg.name, axes_text(value, *several)))
                }
                (Value::Scalar(_), _) => None,
            });
        let all: Vec<String> = dims.chain(args).collect();
        f.write_str(&all.join(", "))
    }
}
