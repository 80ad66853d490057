//! From values of a graph to a pass: one walk that finds what the pass reads and lists the steps that it
//! computes.
//!
//! The walk also decides what is done once per row: every step that does not vary along the row. Nobody
//! decides this again, so that compiled bodies, programs of the CPU and kernels of a GPU give the same bits.

use super::{Compute, Pass, Program, Source, Step, Target, ValueId};
use crate::ir::{DimSet, Graph, Kind, NodeId, Op};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The pass over rows of these dims that computes these values. `source` tells where a value can be read, if
/// it need not be computed.
pub(super) fn pass(
    graph: &Graph,
    inner: DimSet,
    results: &[(NodeId, Target)],
    source: impl Fn(NodeId) -> Option<Source>,
) -> Pass {
    let mut walk = Walk {
        graph,
        inner,
        source,
        found: BTreeMap::new(),
        leaves: [vec![], vec![]],
        steps: [vec![], vec![]],
    };
    results.iter().for_each(|(value, _)| walk.visit(*value));
    let Walk { found, leaves: [uniforms, elements], steps: [once, each], .. } = walk;
    let number = |value: NodeId| match found[&behind_markers(graph, value, &found)] {
        Found::Uniform(at) => ValueId::at(at),
        Found::Once(at) => ValueId::at(uniforms.len() + at),
        Found::Element(at) => ValueId::at(uniforms.len() + once.len() + at),
        Found::Each(at) => ValueId::at(uniforms.len() + once.len() + elements.len() + at),
    };
    let kinds = |leaves: &[(NodeId, Source)]| -> Vec<Kind> {
        leaves.iter().map(|(id, _)| graph.node(*id).kind).collect()
    };
    let program = Program::from_parts(
        [kinds(&uniforms), kinds(&elements)],
        once.iter().chain(&each).map(|id| step(graph, *id, number)).collect(),
        once.len(),
        results.iter().map(|(value, _)| number(*value)).collect(),
    );
    let ids = |leaves: &[(NodeId, Source)]| -> Vec<NodeId> { leaves.iter().map(|(id, _)| *id).collect() };
    let sources = |leaves: &[(NodeId, Source)]| leaves.iter().map(|(_, source)| *source).collect();
    Pass {
        program: Arc::new(program),
        uniforms: sources(&uniforms),
        elements: sources(&elements),
        targets: results.iter().map(|(_, target)| *target).collect(),
        nodes: [ids(&uniforms), once, ids(&elements), each].concat(),
    }
}

/// The state of the walk.
struct Walk<'g, S> {
    graph: &'g Graph,
    inner: DimSet,
    source: S,
    found: BTreeMap<NodeId, Found>,
    /// Uniforms and elements.
    leaves: [Vec<(NodeId, Source)>; 2],
    /// Steps that do not vary along the row, and the others.
    steps: [Vec<NodeId>; 2],
}

/// What a node is in the pass, and its place in its list.
#[derive(Clone, Copy)]
enum Found {
    Uniform(usize),
    Element(usize),
    Once(usize),
    Each(usize),
}

impl<S: Fn(NodeId) -> Option<Source>> Walk<'_, S> {
    /// Lists what a value is computed from, then the value.
    fn visit(&mut self, id: NodeId) {
        // Each node is met twice: its operands are listed in between.
        let mut open = vec![(id, false)];
        while let Some((id, operands_are_listed)) = open.pop() {
            if self.found.contains_key(&id) {
                continue;
            }
            let varies = !self.graph.node(id).dims.intersection(self.inner).is_empty();
            if let Some(source) = (self.source)(id) {
                let list = &mut self.leaves[usize::from(varies)];
                let at = list.len();
                list.push((id, source));
                self.found.insert(id, if varies { Found::Element(at) } else { Found::Uniform(at) });
            } else if let Some(value) = marked(self.graph, id) {
                open.push((value, false));
            } else if operands_are_listed {
                let list = &mut self.steps[usize::from(varies)];
                let at = list.len();
                list.push(id);
                self.found.insert(id, if varies { Found::Each(at) } else { Found::Once(at) });
            } else {
                open.push((id, true));
                open.extend(self.graph.node(id).operands().into_iter().rev().map(|operand| (operand, false)));
            }
        }
    }
}

/// The value of a node that only derivatives see.
fn marked(graph: &Graph, id: NodeId) -> Option<NodeId> {
    match &graph.node(id).op {
        Op::StopGrad(value) | Op::Given { value, .. } => Some(*value),
        Op::Input(_)
        | Op::Literal(_)
        | Op::Len(_)
        | Op::Iota(_)
        | Op::Apply(..)
        | Op::Cast(_)
        | Op::Reduce(..)
        | Op::Scan { .. }
        | Op::Order { .. }
        | Op::At { .. }
        | Op::Window { .. }
        | Op::Scatter { .. }
        | Op::Seed(_) => None,
    }
}

/// The value behind nodes that only derivatives see.
fn behind_markers(graph: &Graph, mut id: NodeId, found: &BTreeMap<NodeId, Found>) -> NodeId {
    while let (false, Some(value)) = (found.contains_key(&id), marked(graph, id)) {
        id = value;
    }
    id
}

fn step(graph: &Graph, id: NodeId, number: impl Fn(NodeId) -> ValueId) -> Step {
    let node = graph.node(id);
    let compute = match &node.op {
        Op::Literal(literal) => Compute::Literal(*literal),
        Op::Apply(prim, args) => Compute::Apply(*prim, args.iter().map(|arg| number(*arg)).collect()),
        Op::Cast(operand) => Compute::Cast(number(*operand)),
        Op::Input(_)
        | Op::Len(_)
        | Op::Iota(_)
        | Op::Reduce(..)
        | Op::Scan { .. }
        | Op::Order { .. }
        | Op::At { .. }
        | Op::Window { .. }
        | Op::Scatter { .. }
        | Op::StopGrad(_)
        | Op::Given { .. }
        | Op::Seed(_) => unreachable!("the scheduler stores barriers before a pass reads them"),
    };
    Step { compute, kind: node.kind }
}
