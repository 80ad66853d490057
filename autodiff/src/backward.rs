//! The backward pass: from a tensor and the gradient that arrives at it to the gradients of the tensors that require one.

use crate::AutodiffTensor;
use crate::node::{Edge, Node, NodeId, Taken};
use std::collections::BTreeMap;
use std::sync::Arc;
use tensor_op_core::{Backend, Result};
use tensor_op_spec::ir::Scalar;
use tensor_op_spec::prim::Prim;

/// The gradients that a backward pass found, by the tensors that require them.
#[derive(Clone, Debug)]
pub struct Gradients<B: Backend> {
    found: BTreeMap<NodeId, B::Tensor>,
}

/// A node that waits for the gradients of its outputs.
struct Waiting<B: Backend> {
    node: Arc<Node<B>>,
    gradients: Vec<Option<B::Tensor>>,
}

/// Nodes that a gradient has reached. Parents have smaller ids, so that all gradients of the newest node are there.
type Frontier<B> = BTreeMap<NodeId, Waiting<B>>;

/// Sends `seed` from a tensor through the graph.
pub(crate) fn backward<B: Backend>(root: &Edge<B>, seed: B::Tensor) -> Result<Gradients<B>> {
    let mut found = BTreeMap::new();
    let mut frontier = Frontier::new();
    deliver(&mut frontier, root, seed)?;
    while let Some((id, Waiting { node, gradients })) = frontier.pop_last() {
        let mut gradients = fill_missing(&node, gradients)?;
        let passed = match node.take()? {
            Taken::Run(adjoint) => adjoint(gradients)?,
            Taken::Keep => {
                found.extend(gradients.first().map(|gradient| (id, gradient.clone())));
                gradients.drain(..node.parents.len()).collect()
            }
        };
        for (parent, gradient) in node.parents.iter().zip(passed) {
            deliver(&mut frontier, parent, gradient)?;
        }
    }
    Ok(Gradients { found })
}

/// Adds a gradient to what has arrived at the same output.
fn deliver<B: Backend>(frontier: &mut Frontier<B>, edge: &Edge<B>, gradient: B::Tensor) -> Result<()> {
    let waiting = frontier.entry(edge.node.id).or_insert_with(|| Waiting {
        node: edge.node.clone(),
        gradients: vec![None; edge.node.outputs.len()],
    });
    let arrived = &mut waiting.gradients[edge.output];
    *arrived = Some(match arrived.take() {
        Some(sum) => B::apply(Prim::Add, vec![sum, gradient])?,
        None => gradient,
    });
    Ok(())
}

/// An output that nothing was computed from has the gradient zero.
fn fill_missing<B: Backend>(node: &Node<B>, gradients: Vec<Option<B::Tensor>>) -> Result<Vec<B::Tensor>> {
    let outputs = node.outputs.iter();
    let filled = gradients.into_iter().zip(outputs).map(|(gradient, like)| match gradient {
        Some(gradient) => Ok(gradient),
        None => B::full(like.shape.clone(), Scalar::Float(0.0), like.dtype, &like.device),
    });
    filled.collect()
}

impl<B: Backend> Gradients<B> {
    /// The gradient of a tensor that requires one, if the backward pass reached it.
    pub fn get(&self, tensor: &AutodiffTensor<B>) -> Option<&B::Tensor> {
        self.found.get(&tensor.node_id()?)
    }

    /// Takes the gradient of a tensor out.
    pub fn remove(&mut self, tensor: &AutodiffTensor<B>) -> Option<B::Tensor> {
        self.found.remove(&tensor.node_id()?)
    }

    /// All gradients, by the [`AutodiffTensor::node_id`] of the tensors that require them.
    pub fn into_nodes(self) -> impl Iterator<Item = (NodeId, B::Tensor)> {
        self.found.into_iter()
    }
}
