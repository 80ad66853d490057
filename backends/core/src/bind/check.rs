//! Checks before and after binding: first the arguments, later the counts of elements and empty reductions.

use super::{Binding, declared_axes, is_group};
use crate::{Error, ErrorKind, Result, Shape, Value};
use tensor_op_spec::ir::{Arg, ArgType, Axis, DimId, DimKind, DimSet, Graph, Op, Scalar, ScalarType};

/// An argument, as binding sees it.
#[derive(Clone, Debug)]
pub(super) enum Given {
    /// The shape of a tensor, or an argument that is only a shape.
    Shape(Shape),
    /// A scalar or the number of an axis.
    Scalar(Scalar),
}

impl Given {
    pub(super) fn shape(&self) -> Option<&Shape> {
        match self {
            Given::Shape(shape) => Some(shape),
            Given::Scalar(_) => None,
        }
    }

    /// The number that sizes are made of: a bool counts as 0 or 1.
    pub(super) fn int(&self) -> Option<i64> {
        match self {
            Given::Scalar(Scalar::Int(value)) => Some(*value),
            Given::Scalar(Scalar::Bool(value)) => Some(i64::from(*value)),
            Given::Scalar(Scalar::Float(_)) | Given::Shape(_) => None,
        }
    }
}

/// Checks each argument by itself against its declaration.
pub(super) fn args<T>(graph: &Graph, args: &[Value<T>], shape: impl Fn(&T) -> Shape) -> Result<Vec<Given>> {
    if args.len() != graph.args.len() {
        let message = format!("takes {} arguments, but {} were given", graph.args.len(), args.len());
        return Err(Error::new(ErrorKind::Length, message));
    }
    let given = |(declared, arg): (&Arg, &Value<T>)| {
        let given = match arg {
            Value::Tensor(tensor) => Given::Shape(shape(tensor)),
            Value::Shape(shape) => Given::Shape(shape.clone()),
            Value::Scalar(scalar) => Given::Scalar(*scalar),
        };
        let is_tensor = matches!(arg, Value::Tensor(_));
        check_arg(graph, &declared.ty, &given, is_tensor).map_err(|error| error.with_arg(&declared.name))?;
        Ok(given)
    };
    graph.args.iter().zip(args).map(given).collect()
}

fn check_arg(graph: &Graph, ty: &ArgType, given: &Given, is_tensor: bool) -> Result<()> {
    match (ty, given) {
        (ArgType::Tensor { axes, .. }, Given::Shape(shape)) if is_tensor => check_rank(graph, axes, shape),
        (ArgType::Shape { axes }, Given::Shape(shape)) => check_rank(graph, axes, shape),
        (ArgType::Tensor { .. }, Given::Shape(_) | Given::Scalar(_)) => Err(wanted("a tensor")),
        (ArgType::Shape { .. }, Given::Scalar(_)) => Err(wanted("a shape")),
        (ArgType::Scalar { ty, .. }, Given::Scalar(value)) => check_scalar(*ty, *value),
        (ArgType::Scalar { ty, .. }, Given::Shape(_)) => Err(wanted(ty.name())),
        (ArgType::Axis { .. }, Given::Scalar(Scalar::Int(_))) => Ok(()),
        (ArgType::Axis { .. }, Given::Scalar(Scalar::Float(_) | Scalar::Bool(_)) | Given::Shape(_)) => {
            Err(wanted("the number of an axis"))
        }
    }
}

fn wanted(what: &str) -> Error {
    Error::new(ErrorKind::Unsupported, format!("this argument is {what}; something else was given"))
}

fn check_scalar(ty: ScalarType, value: Scalar) -> Result<()> {
    if value.kind() != ty.kind() {
        return Err(wanted(ty.name()));
    }
    match (ty, value) {
        (ScalarType::Usize, Scalar::Int(n)) if n < 0 => {
            Err(Error::new(ErrorKind::Shape, format!("{n} is negative; a usize is wanted")))
        }
        (ScalarType::Fraction, _) if !value.is_fraction() => {
            let message = format!("is {}, and a number from 0 to 1 is wanted", value.as_f64());
            Err(Error::new(ErrorKind::Unsupported, message))
        }
        (ScalarType::F64 | ScalarType::F32 | ScalarType::Fraction, _) => Ok(()),
        (ScalarType::I64 | ScalarType::Usize, _) => Ok(()),
        (ScalarType::Seed | ScalarType::Bool, _) => Ok(()),
    }
}

fn check_rank(graph: &Graph, axes: &[Axis], shape: &Shape) -> Result<()> {
    shape.elements()?;
    let has_group = axes.iter().any(|axis| is_group(graph, axis));
    let fixed = axes.len() - usize::from(has_group);
    if if has_group { shape.rank() >= fixed } else { shape.rank() == fixed } {
        return Ok(());
    }
    let least = if has_group { "at least " } else { "" };
    let message = format!(
        "shape {shape} has rank {}, but {} needs {least}rank {fixed}",
        shape.rank(),
        axes_text(graph, axes)
    );
    Err(Error::new(ErrorKind::Rank, message))
}

/// Declared axes, as they are written: `[.., (g, c), h]`.
pub(super) fn axes_text(graph: &Graph, axes: &[Axis]) -> String {
    let names: Vec<String> = axes.iter().map(|axis| axis_text(graph, axis)).collect();
    format!("[{}]", names.join(", "))
}

/// A declared axis, as it is written: `(g, c)`.
pub(super) fn axis_text(graph: &Graph, axis: &Axis) -> String {
    match axis {
        Axis::Dim(dim) => graph.dim(*dim).name.clone(),
        Axis::Parts(parts) => {
            let names: Vec<&str> = parts.iter().map(|part| graph.dim(*part).name.as_str()).collect();
            format!("({})", names.join(", "))
        }
    }
}

/// Checks that the number of points of every value can be counted.
pub(super) fn counts(graph: &Graph, binding: &Binding) -> Result<()> {
    if binding.sizes.iter().try_fold(1usize, |n, size| n.checked_mul((*size).max(1))).is_some_and(fits) {
        return Ok(());
    }
    let declared = graph.outputs.iter().map(|output| graph.axes_dims(&output.axes));
    let values = graph.nodes.iter().map(|node| node.dims);
    values
        .chain(declared)
        .try_for_each(|dims| binding.len(dims).map(|_| ()).map_err(|_| too_many(graph, binding, dims)))
}

fn too_many(graph: &Graph, binding: &Binding, dims: DimSet) -> Error {
    let axes = binding.axes(dims);
    let sized = axes.iter().map(|bound| format!("`{}` = {}", graph.dim(bound.axis.dim).name, bound.size));
    let message = format!(
        "a value over {} has more elements than can be counted",
        sized.collect::<Vec<_>>().join(", ")
    );
    Error::new(ErrorKind::Overflow, message)
}

fn fits(count: usize) -> bool {
    count <= isize::MAX as usize
}

/// Checks reductions over empty dims. Some folds have no value for no elements; no declared result may be
/// computed from such a reduction. Results without elements are not computed from anything. Hidden results
/// are not checked: they serve gradients, which are then sums over nothing.
pub(super) fn folds(graph: &Graph, binding: &Binding) -> Result<()> {
    let mut is_needed = None;
    for (at, node) in graph.nodes.iter().enumerate() {
        let Op::Reduce(fold, dims, value) = &node.op else { continue };
        let Some(dim) = empty_dim(binding, *dims).filter(|_| fold.needs_elements()) else { continue };
        // This is computed only for the few calls that come here, so the others don't pay for it.
        let is_needed = is_needed.get_or_insert(needed(graph, binding)?);
        if !is_needed[at] || binding.len(node.dims)? == 0 {
            continue;
        }
        let message = format!("is empty, and {} over no elements has no value", fold.name());
        let error = Error::new(ErrorKind::Empty, message).with_dim(&graph.dim(dim).name);
        if let Op::Input(arg) = graph.node(*value).op {
            return Err(error.with_arg(&graph.args[arg].name));
        }
        return Err(error);
    }
    Ok(())
}

/// Checks that no window without a value outside leaves its source. Results without elements, and windows
/// that no result is computed from, are not checked.
pub(super) fn windows(graph: &Graph, binding: &Binding) -> Result<()> {
    let mut is_needed = None;
    for (at, node) in graph.nodes.iter().enumerate() {
        let Op::Window { source, dim, position } = &node.op else { continue };
        let named = |error: Error| error.with_dim(&graph.dim(*dim).name);
        let place = binding.place(position).map_err(named)?;
        if position.outside.is_some() || binding.len(node.dims)? == 0 {
            continue;
        }
        let (low, high) = binding.numerators(&place).map_err(named)?;
        let size = binding.size(*dim);
        if low >= 0 && high < size as i64 {
            continue;
        }
        let is_needed = is_needed.get_or_insert(needed(graph, binding)?);
        if !is_needed[at] {
            continue;
        }
        if let (0, DimKind::Sized(arg)) = (size, &graph.dim(*dim).kind) {
            let message = "is 0, and an element along this dim is read: write 1 or more";
            return Err(Error::new(ErrorKind::Index, message).with_arg(&graph.args[*arg].name));
        }
        let range = if low == high { format!("{low}") } else { format!("{low} to {high}") };
        let message = format!("has size {size}, so that index {range} is out of range");
        let error = named(Error::new(ErrorKind::Index, message));
        return Err(match graph.node(*source).op {
            Op::Input(arg) => error.with_arg(&graph.args[arg].name),
            _ => error,
        });
    }
    Ok(())
}

/// Checks that no sort keeps more positions than there are elements.
pub(super) fn orders(graph: &Graph, binding: &Binding) -> Result<()> {
    for node in &graph.nodes {
        let Op::Order { order, dim, operands } = &node.op else { continue };
        let Some(to) = order.to() else { continue };
        let (kept, size) = (binding.size(to), binding.size(*dim));
        if kept <= size {
            continue;
        }
        let to = graph.dim(to);
        if let DimKind::Sized(arg) = to.kind {
            let dim = &graph.dim(*dim).name;
            let message = format!("is {kept}, but dim `{dim}` has size {size}: write {size} or less");
            return Err(Error::new(ErrorKind::Shape, message).with_arg(&graph.args[arg].name));
        }
        let to = &to.name;
        let message = format!("has size {size}, so that there are no first {kept} elements (`{to}`)");
        let error = Error::new(ErrorKind::Shape, message).with_dim(&graph.dim(*dim).name);
        return Err(match graph.node(operands[0]).op {
            Op::Input(arg) => error.with_arg(&graph.args[arg].name),
            _ => error,
        });
    }
    Ok(())
}

/// For each node, whether a declared result that has elements is computed from it.
fn needed(graph: &Graph, binding: &Binding) -> Result<Vec<bool>> {
    let mut needed = vec![false; graph.nodes.len()];
    for output in graph.outputs.iter().filter(|output| !output.hidden) {
        let shape = match output.like {
            Some(arg) => binding.like_shape(arg),
            None => binding.result_shape(&output.axes, graph.node(output.node).dims)?,
        };
        needed[output.node.0 as usize] |= !shape.contains(&0);
    }
    for at in (0..graph.nodes.len()).rev() {
        if needed[at] {
            // Rules are only for gradients.
            let node = &graph.nodes[at];
            let operands = if let Op::Given { value, .. } = node.op { vec![value] } else { node.operands() };
            operands.into_iter().for_each(|operand| needed[operand.0 as usize] = true);
        }
    }
    Ok(needed)
}

fn empty_dim(binding: &Binding, dims: DimSet) -> Option<DimId> {
    binding.dims(dims).find(|dim| binding.size(*dim) == 0)
}

/// Whether some node or result needs the dim's size.
pub(super) fn is_used(graph: &Graph, dim: DimId) -> bool {
    let by_op = |op: &Op| match op {
        Op::Len(dims) => dims.contains(dim),
        Op::Input(_) | Op::Literal(_) | Op::Iota(_) | Op::Apply(..) | Op::Cast(_) | Op::Reduce(..) => false,
        Op::Window { dim: own, position, .. } => *own == dim || position.all_dims().contains(dim),
        Op::Scan { dim: own, .. } => *own == dim,
        Op::Order { dim: own, order, .. } => *own == dim || order.to() == Some(dim),
        Op::At { .. } | Op::Scatter { .. } | Op::StopGrad(_) | Op::Given { .. } | Op::Seed(_) => false,
    };
    let sizes = |own: &DimId| match &graph.dim(*own).kind {
        DimKind::Computed(size) => size.dims().contains(dim),
        DimKind::Group | DimKind::Named | DimKind::Axis(_) | DimKind::Sized(_) | DimKind::Fixed(_) => false,
    };
    // A dim comes after those that its size is made of, so this ends.
    (0..graph.dims.len()).map(DimId::new).filter(sizes).any(|own| is_used(graph, own))
        || graph.nodes.iter().any(|node| node.dims.contains(dim) || by_op(&node.op))
        || graph.outputs.iter().any(|output| graph.axes_dims(&output.axes).contains(dim))
}

/// Whether the declared axes of an argument contain the group.
pub(super) fn has_group(graph: &Graph, ty: &ArgType) -> bool {
    declared_axes(ty).is_some_and(|axes| axes.iter().any(|axis| is_group(graph, axis)))
}
