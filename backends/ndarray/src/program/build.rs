//! From a pass of a schedule to a program: one walk over its nodes, then registers by how long values live.

use super::{Args, Init, Once, Place, Primitive, Program, Slot, Step};
use crate::block::{ByKind, PassFns};
use crate::bodies;
use std::collections::BTreeMap;
use tensor_op_core::{Error, ErrorKind, Result};
use tensor_op_spec::ir::{DimSet, Graph, Kind, NodeId, Op};
use tensor_op_spec::prim::Prim;
use tensor_op_spec::schedule::{Pass, PassResult};

impl Program {
    /// The program of a pass, in a loop with these dims along a row. `Err` if the pass reads what its schedule has no leaf for.
    pub(crate) fn new(graph: &Graph, inner: DimSet, pass: &Pass) -> Result<Program> {
        let mut builder = Builder {
            graph,
            inner,
            found: BTreeMap::new(),
            steps: Vec::new(),
            program: Program {
                once: Vec::new(),
                each: Vec::new(),
                scalars: ByKind::default(),
                spread: ByKind::default(),
                registers: ByKind::default(),
                given: Vec::new(),
            },
        };
        builder.bind_leaves(pass);
        for id in order(graph, pass, &builder.found) {
            builder.add(id)?;
        }
        builder.finish(pass)
    }
}

/// A value of the pass.
#[derive(Clone, Copy)]
enum Found {
    Scalar(usize),
    Element(usize),
    /// The result of the step with this index.
    Step(usize),
}

/// A step whose place is not known yet.
struct Draft {
    body: &'static PassFns,
    kind: Kind,
    args: Args<Operand>,
    /// A float scalar that the body takes as a uniform.
    scalar: Option<usize>,
    /// The result of the pass that it is.
    result: Option<usize>,
}

#[derive(Clone, Copy)]
enum Operand {
    Element(usize),
    Spread(usize),
    Step(usize),
}

struct Builder<'g> {
    graph: &'g Graph,
    inner: DimSet,
    found: BTreeMap<NodeId, Found>,
    steps: Vec<Draft>,
    program: Program,
}

impl Builder<'_> {
    fn bind_leaves(&mut self, pass: &Pass) {
        let uniforms = pass.uniforms_by_kind(self.graph);
        for leaves in [uniforms.floats, uniforms.ints, uniforms.bools] {
            for (index, leaf) in leaves.iter().enumerate() {
                let scalar = self.scalar(self.graph.node(leaf.node).kind, Init::Uniform(index));
                self.found.insert(leaf.node, Found::Scalar(scalar));
            }
        }
        let elements = pass.elements_by_kind(self.graph);
        for leaves in [elements.floats, elements.ints, elements.bools] {
            for (index, leaf) in leaves.iter().enumerate() {
                self.found.insert(leaf.node, Found::Element(index));
            }
        }
    }

    fn scalar(&mut self, kind: Kind, init: Init) -> usize {
        let scalars = self.program.scalars.of_mut(kind);
        scalars.push(init);
        scalars.len() - 1
    }

    /// Adds a node whose operands are there.
    fn add(&mut self, id: NodeId) -> Result<()> {
        let graph = self.graph;
        let node = graph.node(id);
        let found = match &node.op {
            Op::Literal(value) => Found::Scalar(self.scalar(node.kind, Init::Constant(*value))),
            Op::Apply(prim, args) => {
                let kind = args.last().map_or(node.kind, |last| graph.node(*last).kind);
                match self.scaled(*prim, args)? {
                    Some(found) => found,
                    None => {
                        let body = bodies::body(*prim, kind).ok_or_else(|| unexpected(graph, id))?;
                        self.step(id, body, args)?
                    }
                }
            }
            Op::Cast(value) => {
                let from = graph.node(*value).kind;
                if from == node.kind {
                    self.value(*value)?
                } else {
                    self.step(id, bodies::cast(from, node.kind), &[*value])?
                }
            }
            Op::StopGrad(value) | Op::Given { value, .. } => self.value(*value)?,
            Op::Input(_)
            | Op::Len(_)
            | Op::Iota(_)
            | Op::Reduce(..)
            | Op::At { .. }
            | Op::ScatterAdd { .. }
            | Op::Seed(_) => return Err(unexpected(graph, id)),
        };
        self.found.insert(id, found);
        Ok(())
    }

    fn value(&self, id: NodeId) -> Result<Found> {
        self.found.get(&id).copied().ok_or_else(|| unexpected(self.graph, id))
    }

    fn step(&mut self, id: NodeId, body: &'static PassFns, operands: &[NodeId]) -> Result<Found> {
        let node = self.graph.node(id);
        if node.dims.intersection(self.inner).is_empty() {
            let mut args = Args::default();
            for operand in operands {
                let Found::Scalar(scalar) = self.value(*operand)? else {
                    return Err(unexpected(self.graph, *operand));
                };
                args.of_mut(self.graph.node(*operand).kind).push(scalar);
            }
            let to = self.scalar(node.kind, Init::Step);
            self.program.once.push(Once { body: Primitive(body), kind: node.kind, to, args });
            return Ok(Found::Scalar(to));
        }
        let mut args = Args::default();
        for operand in operands {
            let kind = self.graph.node(*operand).kind;
            let found = self.value(*operand)?;
            args.of_mut(kind).push(self.operand(kind, found));
        }
        self.steps.push(Draft { body, kind: node.kind, args, scalar: None, result: None });
        Ok(Found::Step(self.steps.len() - 1))
    }

    /// A step on a float block and a scalar, which need not become a block, if there is a body for it.
    fn scaled(&mut self, prim: Prim, operands: &[NodeId]) -> Result<Option<Found>> {
        let &[a, b] = operands else { return Ok(None) };
        if self.graph.node(a).kind != Kind::Float {
            return Ok(None);
        }
        let (at, scalar, block) = match (self.value(a)?, self.value(b)?) {
            (Found::Scalar(scalar), block @ (Found::Element(_) | Found::Step(_))) => (0, scalar, block),
            (block @ (Found::Element(_) | Found::Step(_)), Found::Scalar(scalar)) => (1, scalar, block),
            (Found::Scalar(_), Found::Scalar(_)) => return Ok(None),
            (Found::Element(_) | Found::Step(_), Found::Element(_) | Found::Step(_)) => return Ok(None),
        };
        let Some(body) = bodies::scaled(prim, at) else { return Ok(None) };
        let mut args = Args::default();
        args.floats.push(self.operand(Kind::Float, block));
        self.steps.push(Draft { body, kind: Kind::Float, args, scalar: Some(scalar), result: None });
        Ok(Some(Found::Step(self.steps.len() - 1)))
    }

    fn operand(&mut self, kind: Kind, found: Found) -> Operand {
        match found {
            Found::Element(index) => Operand::Element(index),
            Found::Step(step) => Operand::Step(step),
            Found::Scalar(scalar) => {
                let spread = self.program.spread.of_mut(kind);
                let known = spread.iter().position(|own| *own == scalar);
                Operand::Spread(known.unwrap_or_else(|| {
                    spread.push(scalar);
                    spread.len() - 1
                }))
            }
        }
    }

    fn finish(mut self, pass: &Pass) -> Result<Program> {
        let results = pass.results_by_kind(self.graph);
        let kinds = [Kind::Float, Kind::Int, Kind::Bool];
        for (kind, results) in kinds.into_iter().zip([results.floats, results.ints, results.bools]) {
            for (index, PassResult { value, .. }) in results.into_iter().enumerate() {
                self.add_result(kind, index, value)?;
            }
        }
        self.program.each = self.places();
        Ok(self.program)
    }

    /// A step writes to the first result that it is; other results are copies.
    fn add_result(&mut self, kind: Kind, index: usize, value: NodeId) -> Result<()> {
        let found = self.value(value)?;
        match found {
            Found::Scalar(scalar) => self.program.given.push((kind, index, scalar)),
            Found::Step(step) if self.steps[step].result.is_none() => self.steps[step].result = Some(index),
            Found::Step(_) | Found::Element(_) => {
                let mut args = Args::default();
                args.of_mut(kind).push(self.operand(kind, found));
                self.steps.push(Draft {
                    body: bodies::identity(kind),
                    kind,
                    args,
                    scalar: None,
                    result: Some(index),
                });
            }
        }
        Ok(())
    }

    /// Gives each step a place: a result, or a register that no later step reads any more.
    fn places(&mut self) -> Vec<Step> {
        let drafts = std::mem::take(&mut self.steps);
        let mut last_use = vec![0; drafts.len()];
        for (at, draft) in drafts.iter().enumerate() {
            draft.steps().for_each(|step| last_use[step] = at);
        }
        let mut free: ByKind<Vec<usize>, Vec<usize>, Vec<usize>> = ByKind::default();
        let mut places: Vec<Place> = Vec::with_capacity(drafts.len());
        let mut steps = Vec::with_capacity(drafts.len());
        for (at, draft) in drafts.iter().enumerate() {
            let place = match draft.result {
                Some(result) => Place::Result(result),
                None => Place::Register(free.of_mut(draft.kind).pop().unwrap_or_else(|| {
                    let registers = self.program.registers.of_mut(draft.kind);
                    *registers += 1;
                    *registers - 1
                })),
            };
            places.push(place);
            let slot = |operand: &Operand| match *operand {
                Operand::Element(index) => Slot::Element(index),
                Operand::Spread(index) => Slot::Spread(index),
                Operand::Step(step) => Slot::Place(places[step]),
            };
            let args = ByKind {
                floats: draft.args.floats.iter().map(slot).collect(),
                ints: draft.args.ints.iter().map(slot).collect(),
                bools: draft.args.bools.iter().map(slot).collect(),
            };
            steps.push(Step {
                body: Primitive(draft.body),
                kind: draft.kind,
                to: place,
                args,
                scalar: draft.scalar,
            });
            let mut done: Vec<usize> = draft.steps().filter(|step| last_use[*step] == at).collect();
            done.sort_unstable();
            done.dedup();
            for step in done {
                if let Place::Register(register) = places[step] {
                    free.of_mut(drafts[step].kind).push(register);
                }
            }
        }
        steps
    }
}

impl Draft {
    /// The steps that it reads.
    fn steps(&self) -> impl Iterator<Item = usize> {
        let Args { floats, ints, bools } = &self.args;
        floats.iter().chain(ints).chain(bools).filter_map(|operand| match operand {
            Operand::Step(step) => Some(*step),
            Operand::Element(_) | Operand::Spread(_) => None,
        })
    }
}

/// The nodes between the leaves and the results of a pass, operands first.
fn order(graph: &Graph, pass: &Pass, leaves: &BTreeMap<NodeId, Found>) -> Vec<NodeId> {
    let mut order = Vec::new();
    let mut seen = vec![false; graph.nodes.len()];
    let mut stack: Vec<(NodeId, bool)> = pass.results.iter().rev().map(|r| (r.value, false)).collect();
    while let Some((id, operands_done)) = stack.pop() {
        if operands_done {
            order.push(id);
        } else if !leaves.contains_key(&id) && !std::mem::replace(&mut seen[id.0 as usize], true) {
            stack.push((id, true));
            stack.extend(needed(graph, id).into_iter().rev().map(|operand| (operand, false)));
        }
    }
    order
}

/// What the value of a node is computed from.
fn needed(graph: &Graph, id: NodeId) -> Vec<NodeId> {
    match &graph.node(id).op {
        Op::Given { value, .. } => vec![*value],
        Op::Input(_) | Op::Literal(_) | Op::Len(_) | Op::Iota(_) | Op::Apply(..) | Op::Cast(_) => {
            graph.node(id).operands()
        }
        Op::Reduce(..) | Op::At { .. } | Op::ScatterAdd { .. } | Op::StopGrad(_) | Op::Seed(_) => {
            graph.node(id).operands()
        }
    }
}

fn unexpected(graph: &Graph, id: NodeId) -> Error {
    let message = format!("value %{} of its graph is read inside of a kernel, where it is not known", id.0);
    Error::new(ErrorKind::Backend, message).with_op(&graph.name)
}
