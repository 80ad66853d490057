//! Names for what kernels read and write: arguments, results, and the values between them.

use super::plan::Plan;
use crate::ir::{self, ArgType, Axis, DimId, DimSet, Graph, NodeId};
use crate::schedule::{BufferId, Loop, Source, Target};
use std::collections::BTreeSet;

/// What a value in memory is to the op.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// The caller passes it.
    Argument,
    /// A kernel passes it to a later one.
    Between,
    /// The gradient takes it from the forward pass.
    Kept,
    /// The caller gets it.
    Result,
}

/// The names of the buffers of a schedule.
pub(crate) struct Names<'p> {
    op: Plan<'p>,
    buffers: Vec<String>,
    taken: BTreeSet<String>,
}

impl<'p> Names<'p> {
    pub(crate) fn new(op: Plan<'p>) -> Names<'p> {
        let graph = op.graph;
        let fixed = graph.args.iter().map(|arg| &arg.name).chain(graph.dims.iter().map(|dim| &dim.name));
        let fixed = fixed.chain(graph.outputs.iter().map(|output| &output.name));
        let mut names = Names { op, buffers: vec![], taken: fixed.cloned().collect() };
        for buffer in &op.schedule.buffers {
            let name = match buffer.outputs.first() {
                Some(output) => graph.outputs[*output].name.clone(),
                None => names.fresh(graph.node(buffer.node).name.as_deref().unwrap_or("value")),
            };
            names.buffers.push(name);
        }
        names
    }

    /// The name itself, or with the first number that makes it new.
    fn fresh(&mut self, stem: &str) -> String {
        let numbered = (1..).map(|number| format!("{stem}{number}"));
        let mut names = std::iter::once(stem.to_string()).chain(numbered);
        let name = names.find(|name| !self.taken.contains(name)).unwrap_or_else(|| stem.to_string());
        self.taken.insert(name.clone());
        name
    }

    /// Names for what a loop folds along its rows, in order, with the nodes that they are.
    pub(crate) fn statistics(&mut self, nest: &Loop) -> Vec<(String, NodeId)> {
        let folds = nest.passes.iter().flat_map(|pass| &pass.targets).filter_map(|target| match target {
            Target::Fold { fold, node } => Some((*fold, *node)),
            Target::Kept(_) | Target::Element(_) | Target::Row(_) | Target::Column { .. } => None,
        });
        let named = folds.map(|(fold, node)| {
            let name = self.op.graph.node(node).name.clone();
            let stem = name.unwrap_or_else(|| format!("row_{}", fold.name()));
            (self.fresh(&stem), node)
        });
        named.collect()
    }

    /// Names for what passes of a loop keep for later ones, with the nodes that they are.
    pub(crate) fn kept(&mut self, nest: &Loop) -> Vec<(String, NodeId)> {
        let kept = nest.passes.iter().flat_map(|pass| &pass.targets).filter_map(|target| match target {
            Target::Kept(kept) => Some(kept.node),
            Target::Fold { .. } | Target::Element(_) | Target::Row(_) | Target::Column { .. } => None,
        });
        let named = kept.map(|node| {
            let name = self.op.graph.node(node).name.clone();
            (self.fresh(name.as_deref().unwrap_or("elements")), node)
        });
        named.collect()
    }

    pub(crate) fn buffer(&self, id: BufferId) -> &str {
        &self.buffers[id.0 as usize]
    }

    /// The name of a value in memory.
    pub(crate) fn source(&self, source: Source) -> String {
        match source {
            Source::Arg(arg) => self.op.graph.args[arg].name.clone(),
            Source::Buffer(id) => self.buffer(id).to_string(),
            Source::Len(dims) => format!("len{}", dims_text(self.op.graph, dims)),
            Source::Iota(dim) => format!("iota({})", self.op.graph.dim(dim).name),
            Source::Statistic(_) => "a statistic of the row".to_string(),
            Source::Kept(_) => "a value of an earlier pass".to_string(),
        }
    }

    /// The dims of a value in memory, in the order of its axes if they are declared: `[.., n]`.
    pub(crate) fn shape(&self, source: Source) -> String {
        let graph = self.op.graph;
        match source {
            Source::Arg(arg) => match &graph.args[arg].ty {
                ArgType::Tensor { axes, .. } | ArgType::Shape { axes } => {
                    axes_text(graph, axes, graph.arg_dims(arg))
                }
                ArgType::Scalar { .. } | ArgType::Axis { .. } => String::new(),
            },
            Source::Buffer(id) => {
                let buffer = self.op.schedule.buffer(id);
                match buffer.outputs.first() {
                    Some(output) => axes_text(graph, &graph.outputs[*output].axes, buffer.dims),
                    None => dims_text(graph, buffer.dims),
                }
            }
            Source::Len(_) | Source::Iota(_) | Source::Statistic(_) | Source::Kept(_) => String::new(),
        }
    }

    pub(crate) fn role(&self, source: Source) -> Role {
        let id = match source {
            Source::Buffer(id) => id,
            Source::Arg(arg) => {
                return match self.op.graph.args[arg].role {
                    ir::Role::Output(_) => Role::Kept,
                    ir::Role::Forward(_) | ir::Role::Grad(_) | ir::Role::Tangent(_) => Role::Argument,
                };
            }
            Source::Len(_) | Source::Iota(_) => return Role::Argument,
            Source::Statistic(_) | Source::Kept(_) => return Role::Argument,
        };
        let outputs = &self.op.schedule.buffer(id).outputs;
        let is_declared = |output: &usize| !self.op.graph.outputs[*output].hidden;
        match outputs.first() {
            None => Role::Between,
            Some(_) if outputs.iter().any(is_declared) => Role::Result,
            Some(_) => Role::Kept,
        }
    }
}

/// `[.., n]`.
pub(crate) fn dims_text(graph: &Graph, dims: DimSet) -> String {
    let names: Vec<&str> = dims.iter().map(|dim| graph.dim(dim).name.as_str()).collect();
    format!("[{}]", names.join(", "))
}

/// `[(groups, o), c, k]`: declared axes of a value with these dims. The group includes those of its axes that
/// an argument chooses.
pub fn axes_text(graph: &Graph, axes: &[Axis], dims: DimSet) -> String {
    let name = |dim: &DimId| graph.dim(*dim).name.clone();
    let axis = |axis: &Axis| match axis {
        Axis::Dim(dim) if graph.group() == Some(*dim) => {
            let carved = graph.axis_dims().intersection(dims);
            std::iter::once(*dim).chain(carved.iter()).map(|dim| name(&dim)).collect::<Vec<_>>().join(", ")
        }
        Axis::Dim(dim) => name(dim),
        Axis::Parts(parts) => format!("({})", parts.iter().map(name).collect::<Vec<_>>().join(", ")),
    };
    format!("[{}]", axes.iter().map(axis).collect::<Vec<_>>().join(", "))
}
