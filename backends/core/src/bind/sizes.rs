//! Finds the sizes of the dims outside the group, in this order: declared sizes and `usize` arguments, axes
//! of tensors, and composite axes, where one part may be inferred.

use super::check::{Given, axis_text, is_used};
use super::{BoundAxis, by_axis, declared_axes, disagree};
use crate::{Error, ErrorKind, Result, Shape};
use tensor_op_spec::ir::{Axis, DimId, DimKind, Graph, Size};

/// The size of each dim. For the group it is the number of elements without carved dims.
pub(super) fn solve(graph: &Graph, given: &[Given], group: &[BoundAxis]) -> Result<Shape> {
    let mut sizes = Sizes { graph, known: vec![None; graph.dims.len()] };
    sizes.take_declared(given, group)?;
    let composites = sizes.take_axes(given)?;
    sizes.take_computed(given, false)?;
    sizes.take_composites(composites)?;
    sizes.take_computed(given, true)?;
    sizes.finish()
}

struct Sizes<'g> {
    graph: &'g Graph,
    known: Vec<Option<(usize, Owner)>>,
}

/// Where a size was found.
#[derive(Clone, Copy)]
enum Owner {
    /// In the declaration, or in the group.
    Declared,
    /// In the argument with this index: an axis of a tensor, or a `usize`.
    Arg(usize),
}

/// A composite axis of an argument.
struct Composite<'g> {
    arg: usize,
    axis: &'g Axis,
    parts: &'g [DimId],
    size: usize,
}

impl<'g> Sizes<'g> {
    fn take_declared(&mut self, given: &[Given], group: &[BoundAxis]) -> Result<()> {
        for index in 0..self.graph.dims.len() {
            let dim = DimId::new(index);
            self.known[index] = match &self.graph.dims[index].kind {
                DimKind::Group | DimKind::Axis(_) => {
                    let parts: Shape = group.iter().filter(|b| b.axis.dim == dim).map(|b| b.size).collect();
                    Some((parts.elements()?, Owner::Declared))
                }
                DimKind::Sized(arg) => {
                    let size = given[*arg].int().and_then(|n| usize::try_from(n).ok());
                    size.map(|size| (size, Owner::Arg(*arg)))
                }
                DimKind::Fixed(size) => Some((*size, Owner::Declared)),
                DimKind::Named | DimKind::Computed(_) => None,
            };
        }
        Ok(())
    }

    /// Takes the sizes of plain axes, and returns the composite axes.
    fn take_axes(&mut self, given: &[Given]) -> Result<Vec<Composite<'g>>> {
        let mut composites = vec![];
        let graph = self.graph;
        for (arg, given) in given.iter().enumerate() {
            let (Some(axes), Some(shape)) = (declared_axes(&graph.args[arg].ty), given.shape()) else {
                continue;
            };
            for (axis, found) in by_axis(graph, axes, shape) {
                match axis {
                    Axis::Dim(dim) if graph.dim(*dim).kind == DimKind::Group => {}
                    Axis::Dim(dim) => self.take(*dim, found[0], arg)?,
                    Axis::Parts(parts) => composites.push(Composite { arg, axis, parts, size: found[0] }),
                }
            }
        }
        Ok(composites)
    }

    /// Takes the sizes that are expressions. Before composite axes are solved, some may not be known yet.
    fn take_computed(&mut self, given: &[Given], all: bool) -> Result<()> {
        let graph = self.graph;
        for (index, dim) in graph.dims.iter().enumerate() {
            let DimKind::Computed(expression) = &dim.kind else { continue };
            let id = DimId::new(index);
            if !expression.dims().iter().all(|dim| self.known[dim.index()].is_some()) {
                if all && is_used(graph, id) && self.known[index].is_none() {
                    let message =
                        format!("= {} has no size: a part of it is unknown", expression.text(graph));
                    return Err(Error::new(ErrorKind::Shape, message).with_dim(&dim.name));
                }
                continue;
            }
            let len = |dim: DimId| i64::try_from(self.known[dim.index()]?.0).ok();
            let value = expression.value(&len, &|arg| given[arg].int());
            let size = value.and_then(|value| usize::try_from(value).ok());
            let Some(size) = size else { return Err(self.no_size(id, expression, value, given)) };
            match self.known[index] {
                None => self.known[index] = Some((size, Owner::Declared)),
                Some((known, Owner::Arg(arg))) if known != size => {
                    let text = expression.text(graph);
                    let message = format!("is {known}, but {size} as declared: {} = {text}", dim.name);
                    return Err(disagree(&graph.args[arg].name, &dim.name, message));
                }
                Some(_) => {}
            }
        }
        Ok(())
    }

    /// An expression for a size that gives none.
    fn no_size(&self, dim: DimId, expression: &Size, value: Option<i64>, given: &[Given]) -> Error {
        let graph = self.graph;
        let dims = expression.dims();
        let mut numbers: Vec<String> =
            (dims.iter().zip(dims.iter().filter_map(|dim| self.known[dim.index()])))
                .map(|(dim, (size, _))| format!("{} = {size}", graph.dim(dim).name))
                .collect();
        let mut args = expression.args();
        args.sort_unstable();
        args.dedup();
        let args = args.iter().filter_map(|arg| Some((&graph.args[*arg].name, given[*arg].int()?)));
        numbers.extend(args.map(|(name, value)| format!("{name} = {value}")));
        let result = match value {
            Some(value) => format!("{value}, which is negative"),
            None => "no number: it divides by zero, or it is too large".to_string(),
        };
        let text = expression.text(graph);
        let message = format!("has the size {text}, and with {} that is {result}", numbers.join(", "));
        Error::new(ErrorKind::Shape, message).with_dim(&graph.dim(dim).name)
    }

    fn take(&mut self, dim: DimId, size: usize, arg: usize) -> Result<()> {
        let Some((known, owner)) = self.known[dim.index()] else {
            self.known[dim.index()] = Some((size, Owner::Arg(arg)));
            return Ok(());
        };
        if known == size {
            return Ok(());
        }
        let by = match owner {
            Owner::Declared => format!("is {size}, but {known} as declared"),
            Owner::Arg(other) => format!("is {size}, but {known} in `{}`", self.graph.args[other].name),
        };
        Err(disagree(&self.graph.args[arg].name, &self.graph.dim(dim).name, by))
    }

    /// Takes composite axes in an order in which each has at most one unknown part.
    fn take_composites(&mut self, mut open: Vec<Composite<'g>>) -> Result<()> {
        while !open.is_empty() {
            let ready = open.iter().position(|c| self.unknown(c).count() <= 1);
            let Some(ready) = ready else { return Err(self.undetermined(&open[0])) };
            let composite = open.remove(ready);
            self.take_composite(&composite).map_err(|e| e.with_arg(&self.graph.args[composite.arg].name))?;
        }
        Ok(())
    }

    fn unknown(&self, composite: &Composite<'g>) -> impl Iterator<Item = DimId> {
        composite.parts.iter().copied().filter(|part| self.known[part.index()].is_none())
    }

    fn take_composite(&mut self, composite: &Composite<'g>) -> Result<()> {
        let (whole, text) = (composite.size, axis_text(self.graph, composite.axis));
        let known: Shape =
            composite.parts.iter().filter_map(|p| self.known[p.index()]).map(|(n, _)| n).collect();
        let product = known.elements()?;
        let Some(dim) = self.unknown(composite).next() else {
            if product == whole {
                return Ok(());
            }
            let message =
                format!("the axis {text} has size {whole}, but its parts are {known}, which makes {product}");
            return Err(Error::new(ErrorKind::Shape, message));
        };
        if product == 0 || whole % product != 0 {
            let why = if product == 0 {
                "a part of it is 0".into()
            } else {
                format!("{product} does not divide it")
            };
            let message = format!("can't be inferred from the axis {text} of size {whole}: {why}");
            return Err(Error::new(ErrorKind::Shape, message).with_dim(&self.graph.dim(dim).name));
        }
        self.take(dim, whole / product, composite.arg)
    }

    fn undetermined(&self, composite: &Composite<'g>) -> Error {
        let dims: Vec<&str> = self.unknown(composite).map(|dim| self.graph.dim(dim).name.as_str()).collect();
        let message = format!(
            "only one part of the axis {} can be inferred, but {} are unknown; give their sizes as arguments",
            axis_text(self.graph, composite.axis),
            dims.join(" and ")
        );
        Error::new(ErrorKind::Shape, message).with_arg(&self.graph.args[composite.arg].name)
    }

    /// Returns all sizes. If a dim has no size and nothing needs it, its size is 1.
    fn finish(self) -> Result<Shape> {
        let graph = self.graph;
        let size = |(index, known): (usize, Option<(usize, Owner)>)| match known {
            Some((size, _)) => Ok(size),
            None if is_used(graph, DimId::new(index)) => {
                let message = "has no size: no tensor argument carries it";
                Err(Error::new(ErrorKind::Shape, message).with_dim(&graph.dims[index].name))
            }
            None => Ok(1),
        };
        self.known.into_iter().enumerate().map(size).collect()
    }
}
