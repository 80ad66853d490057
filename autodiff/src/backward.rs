//! The backward pass. It takes tensors and the gradients that arrive at them, and computes the gradients of
//! the tensors that require one.
//!
//! A pass runs backward ops either on the wrapped backend or on the autodiff backend. On the wrapped backend
//! it frees what was saved for these ops. The autodiff backend records them, so that the gradients can be
//! differentiated again; then nothing is freed.

use crate::backend::Autodiff;
use crate::checkpoint::Values;
use crate::distributed::DistributedParams;
use crate::error::no_gradient;
use crate::given::Arrived;
use crate::graph::{above, awaited, reach};
use crate::like::{Like, zeros};
use crate::node::{Edge, Given, Kept, Node, NodeId, Placed, Step};
use crate::plan::{BackwardPlan, Hidden, Take};
use crate::saved::reorder;
use crate::tensor::AutodiffTensor;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::marker::PhantomData;
use std::sync::Arc;
use tensor_op_core::{Backend, Result, Value};
use tensor_op_spec::prim::Prim;

/// How a pass computes gradients.
pub(crate) trait Mode<B: Backend> {
    /// The backend that runs the backward ops.
    type Run: Backend<Device = B::Device>;
    /// Whether saved values are freed, since no later pass goes through the same nodes.
    const FREES: bool;

    /// Makes a gradient tensor of a saved value that has this place in the graph.
    fn lift(tensor: B::Tensor, edge: Option<Edge<B>>) -> Gradient<B, Self>;
    /// The tensor of the wrapped backend, and its place in the graph if the mode records.
    fn place(tensor: Gradient<B, Self>) -> Placed<B>;
    /// Reduces the complete gradient of a distributed parameter.
    fn reduce(params: &DistributedParams<B>, gradient: Gradient<B, Self>) -> Result<Gradient<B, Self>>;
}

/// The type of a gradient during the pass.
pub(crate) type Gradient<B, M> = <<M as Mode<B>>::Run as Backend>::Tensor;

/// The mode that frees the saved values it uses.
pub(crate) struct Plain<B>(PhantomData<B>);

/// The mode that records the backward ops it runs.
pub(crate) struct Recorded<B>(PhantomData<B>);

impl<B: Backend> Mode<B> for Plain<B> {
    type Run = B;
    const FREES: bool = true;

    fn lift(tensor: B::Tensor, _: Option<Edge<B>>) -> B::Tensor {
        tensor
    }
    fn place(tensor: B::Tensor) -> Placed<B> {
        (tensor, None)
    }
    fn reduce(params: &DistributedParams<B>, gradient: B::Tensor) -> Result<B::Tensor> {
        params.reduce(gradient)
    }
}

impl<B: Backend> Mode<B> for Recorded<B> {
    type Run = Autodiff<B>;
    const FREES: bool = false;

    fn lift(tensor: B::Tensor, edge: Option<Edge<B>>) -> AutodiffTensor<B> {
        AutodiffTensor::new(tensor, edge)
    }
    fn place(tensor: AutodiffTensor<B>) -> Placed<B> {
        tensor.into_parts()
    }
    fn reduce(_: &DistributedParams<B>, _: AutodiffTensor<B>) -> Result<AutodiffTensor<B>> {
        Err(no_gradient(
            "backward",
            "the gradient of a distributed parameter can't be tracked, since its reduction has none; run the pass for other tensors",
        ))
    }
}

/// The start of a pass: the place of a tensor, and its gradient.
pub(crate) struct Root<B: Backend, M: Mode<B> + ?Sized> {
    pub(crate) edge: Edge<B>,
    pub(crate) gradient: Gradient<B, M>,
}

/// Sends gradients from the roots through the graph. If there are `targets`, only their gradients are
/// computed.
pub(crate) fn backward<B: Backend, M: Mode<B>>(
    roots: Vec<Root<B, M>>,
    targets: Option<&BTreeSet<NodeId>>,
) -> Result<BTreeMap<NodeId, Gradient<B, M>>> {
    let edges = || roots.iter().map(|root| &root.edge);
    let needed = targets.map(|targets| above(edges(), targets));
    let is_needed = |id: NodeId| needed.as_ref().is_none_or(|needed| needed.contains(&id));
    let distributed = reach(edges(), |node| node.distributed && is_needed(node.id));
    let awaited = awaited(edges().map(|edge| edge.node.id), &distributed, is_needed);
    let mut pass = Pass::<B, M> {
        frontier: BTreeMap::new(),
        complete: VecDeque::new(),
        found: BTreeMap::new(),
        values: Values::new(),
        targets,
        needed,
        awaited,
    };
    for Root { edge, gradient } in roots {
        if pass.is_needed(&edge) {
            pass.deliver(&edge, gradient)?;
        }
    }
    pass.run()
}

struct Pass<'t, B: Backend, M: Mode<B>> {
    /// Nodes that a gradient has reached. Parents have smaller ids, so the newest of these nodes has got all
    /// of its gradients.
    frontier: BTreeMap<NodeId, Waiting<B, M>>,
    /// Distributed parameters at which all gradients have arrived, in the order in which this happened.
    complete: VecDeque<NodeId>,
    found: BTreeMap<NodeId, Gradient<B, M>>,
    /// Values that were computed again.
    values: Values<B>,
    /// Tensors whose gradient is wanted; `None` stands for all.
    targets: Option<&'t BTreeSet<NodeId>>,
    /// The nodes through which gradients reach the targets.
    needed: Option<BTreeSet<NodeId>>,
    /// How many gradients each distributed parameter still waits for.
    awaited: BTreeMap<NodeId, usize>,
}

/// Why it is a node's turn.
enum Order {
    /// All newer nodes are done.
    Newest,
    /// The node is a distributed parameter that is complete. Newer nodes may still be waiting.
    Early,
}

/// A node that waits for the gradients of its outputs.
struct Waiting<B: Backend, M: Mode<B>> {
    node: Arc<Node<B>>,
    gradients: Vec<Option<Gradient<B, M>>>,
}

impl<B: Backend, M: Mode<B>> Pass<'_, B, M> {
    fn run(mut self) -> Result<BTreeMap<NodeId, Gradient<B, M>>> {
        while let Some((Waiting { node, gradients }, order)) = self.next() {
            let needed: Vec<bool> = node.parents.iter().map(|parent| self.is_needed(parent)).collect();
            let passed = self.step(&node, gradients, &needed)?;
            match order {
                Order::Newest => self.values.forget_from(node.id),
                Order::Early => {}
            }
            if M::FREES {
                node.forget_recipe();
            }
            let parents = node.parents.iter().zip(needed).filter(|(_, needed)| *needed);
            for ((parent, _), gradient) in parents.zip(passed) {
                self.deliver(parent, gradient)?;
            }
        }
        Ok(self.found)
    }

    fn next(&mut self) -> Option<(Waiting<B, M>, Order)> {
        match self.complete.pop_front() {
            Some(id) => self.frontier.remove(&id).map(|waiting| (waiting, Order::Early)),
            None => self.frontier.pop_last().map(|(_, waiting)| (waiting, Order::Newest)),
        }
    }

    /// The gradients of those parents that need one.
    fn step(
        &mut self,
        node: &Arc<Node<B>>,
        mut gradients: Vec<Option<Gradient<B, M>>>,
        needed: &[bool],
    ) -> Result<Vec<Gradient<B, M>>> {
        match &node.step {
            Step::Keep(params) => {
                let gradient = arrived::<B, M>(node, &mut gradients, 0)?;
                let passed = needed.iter().filter(|needed| **needed).map(|_| gradient.clone()).collect();
                if self.targets.is_none_or(|targets| targets.contains(&node.id)) {
                    let reduced = match params {
                        Some(params) => M::reduce(params, gradient)?,
                        None => gradient,
                    };
                    self.found.insert(node.id, reduced);
                }
                Ok(passed)
            }
            Step::Op(plan, saved) => {
                let saved = if M::FREES { saved.take(&plan.name) } else { saved.share(&plan.name) }?;
                if is_empty::<B, M>(&gradients) {
                    return no_change::<B, M>(node, needed);
                }
                self.differentiate(node, plan, saved, gradients, needed)
            }
            Step::Given(given) => {
                let saved =
                    if M::FREES { given.saved.take(&given.name) } else { given.saved.share(&given.name) }?;
                if is_empty::<B, M>(&gradients) {
                    return no_change::<B, M>(node, needed);
                }
                self.follow(node, given, saved, gradients, needed)
            }
            Step::Move(moved) => moved.adjoint::<M::Run>(&arrived::<B, M>(node, &mut gradients, 0)?, needed),
            Step::Refuse { op, reason } => Err(no_gradient(op, reason)),
        }
    }

    /// Runs the backward op of a node.
    fn differentiate(
        &mut self,
        node: &Arc<Node<B>>,
        plan: &BackwardPlan,
        mut saved: Vec<Kept<B>>,
        mut gradients: Vec<Option<Gradient<B, M>>>,
        needed: &[bool],
    ) -> Result<Vec<Gradient<B, M>>> {
        let mut plan = plan;
        let reached = |hidden: &&Hidden| gradients.iter().skip(hidden.first()).any(Option::is_some);
        if let Some(hidden) = plan.hidden.as_ref().filter(reached) {
            let other = hidden.plan().map_err(|reason| no_gradient(&plan.name, &reason))?;
            saved = reorder(plan, &saved, &node.outputs, other)?;
            plan = other;
        }
        let mut args = Vec::with_capacity(plan.args.len());
        for (take, kept) in plan.args.iter().zip(saved) {
            args.push(match (self.values.get(kept)?, *take) {
                (Some(Value::Tensor(tensor)), take) => Value::Tensor(M::lift(tensor, place(node, take))),
                (Some(Value::Scalar(scalar)), _) => Value::Scalar(scalar),
                (Some(Value::Shape(shape)), _) => Value::Shape(shape),
                (None, Take::Gradient { slot }) => {
                    Value::Tensor(arrived::<B, M>(node, &mut gradients, slot)?)
                }
                (None, Take::Arg { .. } | Take::Result { .. } | Take::Absent { .. }) => {
                    return Err(no_gradient(&plan.name, "nothing was saved for its backward op"));
                }
            });
        }
        run::<B, M>(plan, args, needed)
    }

    /// Runs the rule of a function whose gradient is given.
    fn follow(
        &mut self,
        node: &Arc<Node<B>>,
        given: &Given<B>,
        saved: Vec<Kept<B>>,
        mut gradients: Vec<Option<Gradient<B, M>>>,
        needed: &[bool],
    ) -> Result<Vec<Gradient<B, M>>> {
        let parents = given.parents.iter().map(|parent| parent.map(|parent| node.parents[parent].clone()));
        let own = |slot: &Option<usize>| slot.map(|output| Edge { node: node.clone(), output });
        let edges = parents.chain(given.slots.iter().map(own));
        let mut placed = Vec::with_capacity(saved.len());
        for (kept, edge) in saved.into_iter().zip(edges) {
            let Some(Value::Tensor(tensor)) = self.values.get(kept)? else {
                return Err(no_gradient(&given.name, "a tensor was not saved for its backward"));
            };
            placed.push(M::place(M::lift(tensor, edge)));
        }
        let (inputs, results) = placed.split_at(given.parents.len());
        let arrived = given.slots.iter().map(|slot| gradients[(*slot)?].take().map(M::place));
        let arrived: Vec<Option<Placed<B>>> = arrived.collect();
        let wanted = given.parents.iter().map(|parent| parent.is_some_and(|parent| needed[parent]));
        let wanted: Vec<bool> = wanted.collect();
        let found = (given.rule)(&Arrived { inputs, results, gradients: &arrived, wanted: &wanted })?;
        let wanted = found.into_iter().zip(inputs).zip(wanted).filter(|(_, wanted)| *wanted);
        let gradient = |(gradient, input): (Option<Placed<B>>, &Placed<B>)| match gradient {
            Some((tensor, edge)) => Ok(M::lift(tensor, edge)),
            None => zeros::<M::Run>(&Like::of::<B>(&input.0)),
        };
        wanted.map(|(found, _)| gradient(found)).collect()
    }

    /// Adds a gradient to the sum of those that have arrived at the same output.
    fn deliver(&mut self, edge: &Edge<B>, gradient: Gradient<B, M>) -> Result<()> {
        let id = edge.node.id;
        let waiting = self.frontier.entry(id).or_insert_with(|| Waiting {
            node: edge.node.clone(),
            gradients: vec![None; edge.node.outputs.len()],
        });
        let arrived = &mut waiting.gradients[edge.output];
        *arrived = Some(match arrived.take() {
            Some(sum) => M::Run::apply(Prim::Add, vec![sum, gradient])?,
            None => gradient,
        });
        if let Some(count) = self.awaited.get_mut(&id) {
            *count -= 1;
            if *count == 0 {
                self.complete.push_back(id);
            }
        }
        Ok(())
    }

    fn is_needed(&self, edge: &Edge<B>) -> bool {
        self.needed.as_ref().is_none_or(|needed| needed.contains(&edge.node.id))
    }
}

/// Whether no gradient has an element. A sum over no elements has the gradient zero, whatever the formula
/// would give for them.
fn is_empty<B: Backend, M: Mode<B>>(gradients: &[Option<Gradient<B, M>>]) -> bool {
    let has_elements = |gradient: &Gradient<B, M>| !M::Run::shape(gradient).contains(&0);
    !gradients.iter().flatten().any(has_elements)
}

/// Zeros for the parents that need a gradient.
fn no_change<B: Backend, M: Mode<B>>(node: &Node<B>, needed: &[bool]) -> Result<Vec<Gradient<B, M>>> {
    let needed = node.parents.iter().zip(needed).filter(|(_, needed)| **needed);
    let like = needed.map(|(parent, _)| &parent.node.outputs[parent.output]);
    like.map(zeros::<M::Run>).collect()
}

/// The place of a saved value in the graph.
fn place<B: Backend>(node: &Arc<Node<B>>, take: Take) -> Option<Edge<B>> {
    match take {
        Take::Arg { parent, .. } => node.parents.get(parent?).cloned(),
        Take::Result { slot, .. } => Some(Edge { node: node.clone(), output: slot? }),
        Take::Absent { .. } | Take::Gradient { .. } => None,
    }
}

/// The gradient of an output. It is zero if no gradient has arrived there.
fn arrived<B: Backend, M: Mode<B>>(
    node: &Node<B>,
    gradients: &mut [Option<Gradient<B, M>>],
    slot: usize,
) -> Result<Gradient<B, M>> {
    gradients[slot].take().map_or_else(|| zeros::<M::Run>(&node.outputs[slot]), Ok)
}

/// Runs a backward op, and returns the gradients of those parents that need one.
fn run<B: Backend, M: Mode<B>>(
    plan: &BackwardPlan,
    args: Vec<Value<Gradient<B, M>>>,
    needed: &[bool],
) -> Result<Vec<Gradient<B, M>>> {
    let mut needed = needed.iter().copied();
    let wanted: Vec<bool> = plan.wanted.iter().map(|wanted| *wanted && needed.next() == Some(true)).collect();
    let found: Vec<_> = M::Run::run(&*plan.backward, args, &wanted)?.into_iter().flatten().collect();
    let count = wanted.iter().filter(|wanted| **wanted).count();
    if found.len() == count {
        return Ok(found);
    }
    let reason = format!("{count} gradients were asked for, {} were given", found.len());
    Err(no_gradient(plan.backward.spec().name(), &reason))
}
