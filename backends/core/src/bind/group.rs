//! The group `..`: NumPy broadcasting of the axes that tensors have in it, and the dims that `Axis` arguments
//! name inside it ("carved" dims).

use super::check::{Given, has_group};
use super::{AxisId, BoundAxis, declared_axes, disagree, is_group};
use crate::{Axes, Error, ErrorKind, Result, Shape};
use tensor_op_spec::ir::{DimId, DimKind, DimSet, Graph, Op, Role};

/// The broadcast group.
pub(super) struct Group {
    /// The axes of the group in order. A carved axis has the dim of its `Axis` argument.
    pub(super) axes: Vec<BoundAxis>,
    carvable: DimSet,
}

/// Where an argument's axes are in the group: they are aligned at the right, and carved axes
/// that the argument lacks are skipped.
#[derive(Clone, Copy)]
pub(super) struct Leading {
    lacking: DimSet,
    skipped: usize,
}

impl Leading {
    /// Positions of the argument's axes in the group.
    pub(super) fn positions(self, axes: &[BoundAxis]) -> impl Iterator<Item = usize> {
        (0..axes.len()).filter(move |at| !self.lacking.contains(axes[*at].axis.dim)).skip(self.skipped)
    }
}

impl Group {
    /// Broadcasts the axes that all arguments have in the group.
    pub(super) fn solve(graph: &Graph, all: &[Given]) -> Result<Group> {
        let Some(dim) = graph.group() else { return Ok(Group { axes: vec![], carvable: DimSet::EMPTY }) };
        let carvable = graph.axis_dims();
        let named = |dim| chosen(graph, all, dim).map_or(0, |axes| axes.len());
        let own_rank = |(arg, given): (usize, &Given)| {
            let own = in_group(graph, arg, given)?.len();
            Some(own + lacks(graph, carvable, arg)?.iter().map(named).sum::<usize>())
        };
        let rank = all.iter().enumerate().filter_map(own_rank).max().unwrap_or(0);
        let axes = carve(graph, dim, carvable, rank, all)?;
        let mut group = Group { axes, carvable };
        group.broadcast(graph, all)?;
        Ok(group)
    }

    /// The place of an argument. `None` if no node reads the argument, so that its axes are not known.
    pub(super) fn place(&self, graph: &Graph, arg: usize, given: &Given) -> Option<Leading> {
        let lacking = lacks(graph, self.carvable, arg)?;
        let own = in_group(graph, arg, given).map_or(0, <[usize]>::len);
        let has = self.axes.iter().filter(|bound| !lacking.contains(bound.axis.dim)).count();
        Some(Leading { lacking, skipped: has.saturating_sub(own) })
    }

    /// The number of the argument's axis at a position of the group.
    fn own_axis(&self, graph: &Graph, arg: usize, given: &Given, at: usize) -> usize {
        let axes = declared_axes(&graph.args[arg].ty).unwrap_or_default();
        let before = axes.iter().take_while(|axis| !is_group(graph, axis)).count();
        let place = self.place(graph, arg, given);
        before + place.map_or(0, |place| place.positions(&self.axes).take_while(|own| *own < at).count())
    }

    fn broadcast(&mut self, graph: &Graph, all: &[Given]) -> Result<()> {
        // For each axis, the argument that gave its size, counted from 1; 0 if there is none yet.
        let mut owner: Shape = self.axes.iter().map(|_| 0).collect();
        let mut broadcast: Shape = self.axes.iter().map(|_| 1).collect();
        for (arg, given) in all.iter().enumerate() {
            let (Some(place), Some(sizes)) = (self.place(graph, arg, given), in_group(graph, arg, given))
            else {
                continue;
            };
            for (at, size) in place.positions(&self.axes).zip(sizes) {
                let known = broadcast[at];
                if owner[at] == 0 || known == 1 {
                    (broadcast[at], owner[at]) = (*size, arg + 1);
                } else if *size != known && *size != 1 {
                    let own = |arg: usize| self.own_axis(graph, arg, &all[arg], at);
                    let (other, axis) = (owner[at] - 1, own(arg));
                    let message = format!(
                        "has size {size} at axis {axis}, but `{}` has {known} at axis {}; sizes must be equal or 1",
                        graph.args[other].name,
                        own(other)
                    );
                    let dim = &graph.dim(self.axes[at].axis.dim).name;
                    return Err(disagree(&graph.args[arg].name, dim, message));
                }
            }
        }
        self.axes.iter_mut().zip(broadcast.iter()).for_each(|(bound, size)| bound.size = *size);
        Ok(())
    }
}

/// The sizes of the axes that an argument has in the group; `None` if it does not have the group.
fn in_group<'a>(graph: &Graph, arg: usize, given: &'a Given) -> Option<&'a [usize]> {
    let axes = declared_axes(&graph.args[arg].ty)?;
    let before = axes.iter().position(|axis| is_group(graph, axis))?;
    let shape = given.shape()?;
    let after = axes.len() - before - 1;
    Some(&shape[before..shape.rank() - after])
}

/// The carved dims that an argument lacks. Results and their gradients lack the dims that the formula
/// reduced. The node that reads the argument tells which dims these are, so an argument that no node reads
/// has no place. A gradient that is differentiated again is like any other argument.
pub(super) fn lacks(graph: &Graph, carvable: DimSet, arg: usize) -> Option<DimSet> {
    let declared = &graph.args[arg];
    if carvable.is_empty() || !has_group(graph, &declared.ty) {
        return Some(DimSet::EMPTY);
    }
    let input = graph.nodes.iter().find(|node| node.op == Op::Input(arg));
    let lacking = input.map(|input| carvable.difference(input.dims));
    match declared.role {
        Role::Forward(_) | Role::Tangent(_) => Some(lacking.unwrap_or(DimSet::EMPTY)),
        Role::Output(_) | Role::Grad(_) => lacking,
    }
}

/// The axes of a group of this rank. All sizes are still 1. The positions that `Axis` arguments name get the
/// dims of these arguments.
fn carve(
    graph: &Graph,
    dim: DimId,
    carvable: DimSet,
    rank: usize,
    given: &[Given],
) -> Result<Vec<BoundAxis>> {
    let mut axes: Vec<BoundAxis> =
        (0..rank).map(|at| BoundAxis { axis: AxisId { dim, part: at as u32 }, size: 1 }).collect();
    for carved in (0..graph.dims.len()).map(DimId::new).filter(|d| carvable.contains(*d)) {
        let DimKind::Axis(arg) = graph.dim(carved).kind else { continue };
        let name = &graph.args[arg].name;
        let places = match chosen(graph, given, carved) {
            Some(numbers) => numbers.into_iter().map(|number| position(rank, number)).collect(),
            None => Ok((0..rank).collect()),
        };
        let mut places: Vec<usize> = places.map_err(|error: Error| error.with_arg(name))?;
        places.sort_unstable();
        for (part, at) in places.into_iter().enumerate() {
            let taken = axes[at].axis.dim;
            if taken != dim {
                let message = match taken == carved {
                    true => format!("names axis {at} twice, once from the start and once from the end"),
                    false => {
                        format!("names the same axis as `{}`; two axes must differ", graph.dim(taken).name)
                    }
                };
                return Err(Error::new(ErrorKind::Rank, message).with_arg(name));
            }
            axes[at].axis = AxisId { dim: carved, part: part as u32 };
        }
    }
    Ok(axes)
}

/// The numbers that an `Axis` or `Axes` argument names; `None` for all axes.
pub(super) fn chosen(graph: &Graph, given: &[Given], dim: DimId) -> Option<Vec<i64>> {
    let DimKind::Axis(arg) = graph.dim(dim).kind else { return Some(vec![]) };
    let number = given[arg].int().unwrap_or_default();
    if graph.has_one_size(dim) { Some(vec![number]) } else { Axes::from_code(number).numbers() }
}

/// The index of an axis, whose number may be negative.
fn position(rank: usize, axis: i64) -> Result<usize> {
    let rank = rank as i64;
    let at = if axis < 0 { axis.saturating_add(rank) } else { axis };
    if (0..rank).contains(&at) {
        return Ok(at as usize);
    }
    let range =
        if rank == 0 { "there are none".into() } else { format!("write one of {}..={}", -rank, rank - 1) };
    Err(Error::new(ErrorKind::Rank, format!("axis {axis} is out of range for {rank} axes: {range}")))
}
