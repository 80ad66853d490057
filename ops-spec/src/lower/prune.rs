//! Drops nodes that no result needs: unused versions of literals, and nodes that only a dropped rule used.

use super::Lowered;
use crate::ir::{Node, NodeId};
use proc_macro2::Span;

pub(super) fn prune(mut lowered: Lowered) -> Lowered {
    let graph = &mut lowered.graph;
    let mut needed = vec![false; graph.nodes.len()];
    graph.outputs.iter().for_each(|o| needed[o.node.0 as usize] = true);
    lowered.values.iter().for_each(|v| needed[v.0 as usize] = true);
    for id in graph.ids().rev() {
        if needed[id.0 as usize] {
            graph.node(id).operands().iter().for_each(|o| needed[o.0 as usize] = true);
        }
    }
    let mut place = vec![NodeId(0); needed.len()];
    let mut nodes: Vec<Node> = Vec::new();
    let mut spans: Vec<Span> = Vec::new();
    for id in graph.ids().filter(|id| needed[id.0 as usize]) {
        place[id.0 as usize] = NodeId(nodes.len() as u32);
        nodes.push(graph.node(id).map_operands(|o| place[o.0 as usize]));
        spans.push(lowered.spans[id.0 as usize]);
    }
    graph.nodes = nodes;
    graph.outputs.iter_mut().for_each(|o| o.node = place[o.node.0 as usize]);
    lowered.values.iter_mut().for_each(|v| *v = place[v.0 as usize]);
    lowered.detached.retain(|d| needed[d.node.0 as usize]);
    lowered.detached.iter_mut().for_each(|d| d.node = place[d.node.0 as usize]);
    lowered.spans = spans;
    lowered
}
