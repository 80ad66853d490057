//! The arguments that a gradient keeps: values it reads, shapes that bind its dims or its results, scalars, and all gradients.

use super::axes;
use crate::ir::{ArgType, Axis, DimId, DimKind, DimSet, Graph, Op, Role};

/// Drops what is not needed of the first `forward` arguments and of the results; gradients stay.
pub(super) fn keep_needed(graph: Graph, forward: usize) -> Graph {
    let mut graph = graph;
    let uses = choose(&graph, forward);
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
        }
    }
    for dim in &mut graph.dims {
        match &mut dim.kind {
            DimKind::Axis(arg) | DimKind::Sized(arg) => *arg = new_index[*arg],
            DimKind::Group | DimKind::Named | DimKind::Fixed(_) => {}
        }
    }
    graph.outputs.iter_mut().for_each(|output| output.like = output.like.map(|arg| new_index[arg]));
    graph
}

#[derive(Clone, Copy, PartialEq)]
enum Use {
    None,
    Shape,
    Value,
}

fn choose(graph: &Graph, forward: usize) -> Vec<Use> {
    let mut uses = vec![Use::None; graph.args.len()];
    for (arg, used) in graph.args.iter().zip(&mut uses) {
        if matches!(arg.role, Role::Grad(_)) {
            *used = Use::Value;
        }
    }
    for output in &graph.outputs {
        output.like.iter().for_each(|arg| uses[*arg] = Use::Shape);
    }
    for dim in &graph.dims {
        match dim.kind {
            DimKind::Axis(arg) | DimKind::Sized(arg) => uses[arg] = Use::Value,
            DimKind::Group | DimKind::Named | DimKind::Fixed(_) => {}
        }
    }
    for node in &graph.nodes {
        if let Op::Input(arg) = node.op {
            uses[arg] = Use::Value;
        }
    }
    bind_dims(graph, &mut uses, forward);
    uses
}

/// Adds shapes of forward arguments until every dim in use has a size.
fn bind_dims(graph: &Graph, uses: &mut [Use], forward: usize) {
    let spans_group = |arg: usize| {
        let group = graph.group().map(Axis::Dim);
        group.zip(axes(&graph.args[arg].ty)).is_some_and(|(group, axes)| axes.contains(&group))
    };
    // Results and their gradients have the whole group; an argument may be broadcast along a part of it.
    let bound = (forward..graph.args.len()).any(|arg| uses[arg] != Use::None && spans_group(arg));
    if !bound {
        (0..forward).filter(|arg| spans_group(*arg)).for_each(|arg| add_shape(&mut uses[arg]));
    }
    loop {
        let needed = needed_dims(graph, uses);
        let missing = needed.difference(bound_dims(graph, uses));
        let helps = |arg: &usize| {
            uses[*arg] == Use::None
                && axes(&graph.args[*arg].ty)
                    .is_some_and(|a| !graph.axes_dims(a).intersection(missing).is_empty())
        };
        match (0..forward).find(helps) {
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
            Op::Iota(dim) | Op::At { dim, .. } | Op::ScatterAdd { dim, .. } => needed.insert(*dim),
            Op::Input(_) | Op::Literal(_) | Op::Apply(..) | Op::Cast(_) | Op::StopGrad(_) => {}
            Op::Given { .. } | Op::Seed(_) => {}
        }
    }
    let used = graph.args.iter().zip(uses).filter(|(_, used)| **used != Use::None);
    let of_args = used.filter_map(|(arg, _)| axes(&arg.ty)).chain(graph.outputs.iter().map(|o| &o.axes[..]));
    of_args.fold(needed, |set, axes| set.union(graph.axes_dims(axes)))
}

/// Dims whose size follows from the arguments in use: a composite axis gives its last unknown part.
fn bound_dims(graph: &Graph, uses: &[Use]) -> DimSet {
    let is_written = |d: &DimId| match graph.dim(*d).kind {
        DimKind::Fixed(_) | DimKind::Sized(_) => true,
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
