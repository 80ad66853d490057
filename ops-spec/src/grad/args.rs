//! The arguments that a derivative keeps: the values that it reads, the shapes that bind its dims or its
//! results, scalars, and all gradients or tangents.

use super::axes;
use crate::ir::{ArgType, Axis, DimId, DimKind, DimSet, Graph, Kind, Node, Op, Role, Size};

/// Drops the arguments of `forward`, which come first, and the results of `forward` that are not needed.
/// Gradients and tangents stay.
pub(super) fn keep_needed(graph: Graph, forward: &Graph) -> Graph {
    let mut graph = graph;
    let uses = choose(&graph, forward);
    read_incomplete(&mut graph, &uses, forward);
    let mut new_index = vec![0; graph.args.len()];
    let mut args = vec![];
    for (index, (arg, used)) in std::mem::take(&mut graph.args).into_iter().zip(&uses).enumerate() {
        new_index[index] = args.len();
        match (used, &arg.ty) {
            (Use::None, _) => {}
            (Use::Shape, ArgType::Tensor { axes, .. }) => {
                args.push(crate::ir::Arg { ty: ArgType::Shape { axes: axes.clone() }, ..arg });
            }
            (Use::Shape | Use::Value, _) => args.push(arg),
        }
    }
    graph.args = args;
    for node in &mut graph.nodes {
        if let Op::Input(arg) = &mut node.op {
            *arg = new_index[*arg];
        } else if let Op::Window { position, .. } = &mut node.op {
            position.sizes_mut().for_each(|size| size.renumber(&new_index));
        }
    }
    for dim in &mut graph.dims {
        match &mut dim.kind {
            DimKind::Axis(arg) | DimKind::Sized(arg) => *arg = new_index[*arg],
            DimKind::Computed(size) => size.renumber(&new_index),
            DimKind::Group | DimKind::Named | DimKind::Fixed(_) => {}
        }
    }
    graph.outputs.iter_mut().for_each(|output| output.like = output.like.map(|arg| new_index[arg]));
    graph
}

/// If a shape lacks `Axis` dims and no node reads it, adds a node that does: only a node says which dims it
/// has.
fn read_incomplete(graph: &mut Graph, uses: &[Use], forward: &Graph) {
    for arg in (0..forward.args.len()).filter(|arg| uses[*arg] == Use::Shape) {
        let dims = forward.arg_dims(arg);
        if dims != graph.arg_dims(arg) {
            graph.nodes.push(Node { op: Op::Input(arg), dims, kind: Kind::Float, name: None });
        }
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Use {
    None,
    Shape,
    Value,
}

fn choose(graph: &Graph, forward: &Graph) -> Vec<Use> {
    let mut uses = vec![Use::None; graph.args.len()];
    for (arg, used) in graph.args.iter().zip(&mut uses) {
        match arg.role {
            Role::Grad(_) | Role::Tangent(_) => *used = Use::Value,
            Role::Forward(_) | Role::Output(_) => {}
        }
    }
    for output in &graph.outputs {
        output.like.iter().for_each(|arg| uses[*arg] = Use::Shape);
    }
    for dim in &graph.dims {
        match &dim.kind {
            DimKind::Axis(arg) | DimKind::Sized(arg) => uses[*arg] = Use::Value,
            DimKind::Computed(size) => size.args().into_iter().for_each(|arg| uses[arg] = Use::Value),
            DimKind::Group | DimKind::Named | DimKind::Fixed(_) => {}
        }
    }
    for node in &graph.nodes {
        match &node.op {
            Op::Input(arg) => uses[*arg] = Use::Value,
            Op::Window { position, .. } => {
                position.sizes().flat_map(Size::args).for_each(|arg| uses[arg] = Use::Value);
            }
            Op::Literal(_) | Op::Len(_) | Op::Iota(_) | Op::Apply(..) | Op::Cast(_) | Op::Reduce(..) => {}
            Op::At { .. } | Op::Scan { .. } | Op::Order { .. } | Op::Scatter { .. } | Op::StopGrad(_) => {}
            Op::Given { .. } | Op::Seed(_) => {}
        }
    }
    bind_dims(graph, &mut uses, forward);
    uses
}

/// Adds shapes of forward arguments until every dim in use has a size.
fn bind_dims(graph: &Graph, uses: &mut [Use], forward: &Graph) {
    let spans_group = |arg: usize| {
        let group = graph.group().map(Axis::Dim);
        group.zip(axes(&graph.args[arg].ty)).is_some_and(|(group, axes)| axes.contains(&group))
    };
    let count = forward.args.len();
    // Results and their gradients have the whole group. An argument, its tangent, and a result that is like
    // an argument may be broadcast along a part of the group. A tensor that lacks `Axis` dims does not say
    // how long these are. If no node reads it, it does not even say which ones it lacks.
    let carved = graph.axis_dims();
    let has_carved = |arg: usize| {
        let input = graph.nodes.iter().find(|node| node.op == Op::Input(arg));
        carved.is_empty() || input.is_some_and(|input| carved.is_subset(input.dims))
    };
    let is_whole = |arg: usize| match graph.args[arg].role {
        Role::Output(k) | Role::Grad(k) => {
            let is_like = forward.outputs[k].like.is_some();
            uses[arg] != Use::None && spans_group(arg) && has_carved(arg) && !is_like
        }
        Role::Forward(_) | Role::Tangent(_) => false,
    };
    let bound = (count..graph.args.len()).any(is_whole);
    if !bound {
        (0..count).filter(|arg| spans_group(*arg)).for_each(|arg| add_shape(&mut uses[arg]));
    }
    loop {
        let needed = needed_dims(graph, uses);
        let missing = needed.difference(bound_dims(graph, uses));
        let helps = |arg: &usize| {
            uses[*arg] == Use::None
                && axes(&graph.args[*arg].ty)
                    .is_some_and(|a| !graph.axes_dims(a).intersection(missing).is_empty())
        };
        match (0..count).find(helps) {
            Some(arg) => add_shape(&mut uses[arg]),
            None => return,
        }
    }
}

fn add_shape(used: &mut Use) {
    if *used == Use::None {
        *used = Use::Shape;
    }
}

fn needed_dims(graph: &Graph, uses: &[Use]) -> DimSet {
    let mut needed = DimSet::EMPTY;
    for node in &graph.nodes {
        needed = needed.union(node.dims);
        match &node.op {
            Op::Len(dims) | Op::Reduce(_, dims, _) => needed = needed.union(*dims),
            Op::Iota(dim) | Op::Scan { dim, .. } | Op::At { dim, .. } | Op::Scatter { dim, .. } => {
                needed.insert(*dim);
            }
            Op::Order { dim, order, .. } => {
                needed.insert(*dim);
                order.to().into_iter().for_each(|to| needed.insert(to));
            }
            Op::Window { dim, position, .. } => {
                needed.insert(*dim);
                needed = needed.union(position.all_dims());
            }
            Op::Input(_) | Op::Literal(_) | Op::Apply(..) | Op::Cast(_) | Op::StopGrad(_) => {}
            Op::Given { .. } | Op::Seed(_) => {}
        }
    }
    let used = graph.args.iter().zip(uses).filter(|(_, used)| **used != Use::None);
    let of_args = used.filter_map(|(arg, _)| axes(&arg.ty)).chain(graph.outputs.iter().map(|o| &o.axes[..]));
    let needed = of_args.fold(needed, |set, axes| set.union(graph.axes_dims(axes)));
    // An expression for a size uses sizes of dims that come before.
    let dims = (0..graph.dims.len()).rev().map(DimId::new);
    dims.fold(needed, |all, dim| match &graph.dim(dim).kind {
        DimKind::Computed(size) if all.contains(dim) => all.union(size.dims()),
        DimKind::Computed(_) | DimKind::Group | DimKind::Named | DimKind::Axis(_) => all,
        DimKind::Sized(_) | DimKind::Fixed(_) => all,
    })
}

/// Dims whose size follows from the arguments in use. If all parts of a composite axis but one are known, the
/// size of the last part follows too.
fn bound_dims(graph: &Graph, uses: &[Use]) -> DimSet {
    let is_written = |d: &DimId| match graph.dim(*d).kind {
        DimKind::Fixed(_) | DimKind::Sized(_) | DimKind::Computed(_) => true,
        DimKind::Group | DimKind::Named | DimKind::Axis(_) => false,
    };
    let mut bound: DimSet = (0..graph.dims.len()).map(DimId::new).filter(is_written).collect();
    let used = || graph.args.iter().zip(uses).filter(|(_, used)| **used != Use::None);
    loop {
        let before = bound;
        for axis in used().filter_map(|(arg, _)| axes(&arg.ty)).flatten() {
            match axis {
                Axis::Dim(_) => bound = bound.union(graph.axes_dims(std::slice::from_ref(axis))),
                Axis::Parts(parts) => {
                    let mut unknown = parts.iter().filter(|part| !bound.contains(**part));
                    if let (Some(part), None) = (unknown.next(), unknown.next()) {
                        bound.insert(*part);
                    }
                }
            }
        }
        if bound == before {
            return bound;
        }
    }
}
