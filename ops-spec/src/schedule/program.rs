//! A pass as straight-line code: literals, primitives and casts over numbered values.
//!
//! Comes from a graph and a pass of its schedule; goes to runtimes that compile or interpret passes when an op is called. It names no
//! node or argument, so that equal programs of different ops share what was compiled for one of them.

use super::{Leaf, Loop, Pass, Schedule};
use crate::ir::{DimSet, Graph, Kind, NodeId, Op, Scalar};
use crate::prim::Prim;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::hash::{DefaultHasher, Hash, Hasher};

/// Straight-line code. Its values are, in order, the uniforms of the pass, what the steps compute that are done once per row, the
/// elements of the pass, and what the other steps compute.
#[derive(Clone)]
pub struct Program {
    uniforms: Vec<Kind>,
    elements: Vec<Kind>,
    steps: Vec<Step>,
    hoisted: usize,
    results: Vec<ValueId>,
    hash: u64,
}

/// A value of a [`Program`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ValueId(pub u32);

/// What a value of a program is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// The uniform with this index.
    Uniform(usize),
    /// The element with this index.
    Element(usize),
    /// Computed by the step with this index.
    Step(usize),
}

/// What computes a value.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Step {
    /// What is done.
    pub compute: Compute,
    /// Kind of the value.
    pub kind: Kind,
}

/// What a step does with values before it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Compute {
    /// A constant of the step's kind.
    Literal(Scalar),
    /// A primitive over operands of kinds that it takes.
    Apply(Prim, Vec<ValueId>),
    /// Conversion to the step's kind, as [`Op::Cast`] does.
    Cast(ValueId),
}

impl Program {
    /// The program of a pass of a loop.
    pub fn new(graph: &Graph, nest: &Loop, pass: &Pass) -> Program {
        let mut builder = Builder::new(graph, nest.inner, pass);
        pass.results.iter().for_each(|result| builder.visit(result.value));
        builder.finish(pass)
    }

    /// A program from its parts, of which the first `hoisted` steps use no element, nor a step that does.
    pub fn from_parts(
        [uniforms, elements]: [Vec<Kind>; 2],
        steps: Vec<Step>,
        hoisted: usize,
        results: Vec<ValueId>,
    ) -> Program {
        let mut hasher = DefaultHasher::new();
        (&uniforms, &elements, &steps, hoisted, &results).hash(&mut hasher);
        Program { uniforms, elements, steps, hoisted, results, hash: hasher.finish() }
    }

    /// Kinds of the values that are one per row, in the order of [`Pass::uniforms`].
    pub fn uniforms(&self) -> &[Kind] {
        &self.uniforms
    }

    /// Kinds of the values that vary along the row, in the order of [`Pass::elements`].
    pub fn elements(&self) -> &[Kind] {
        &self.elements
    }

    /// All steps in order.
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// How many of the first steps need to be done only once per row.
    pub fn hoisted(&self) -> usize {
        self.hoisted
    }

    /// The values computed, in the order of [`Pass::results`].
    pub fn results(&self) -> &[ValueId] {
        &self.results
    }

    /// The value of the step with this index.
    pub fn step_value(&self, step: usize) -> ValueId {
        let elements = if step < self.hoisted { 0 } else { self.elements.len() };
        ValueId((self.uniforms.len() + elements + step) as u32)
    }

    /// Kind of a value.
    pub fn kind(&self, value: ValueId) -> Kind {
        match self.origin(value) {
            Origin::Uniform(at) => self.uniforms[at],
            Origin::Element(at) => self.elements[at],
            Origin::Step(at) => self.steps[at].kind,
        }
    }

    /// What a value is.
    pub fn origin(&self, value: ValueId) -> Origin {
        let (at, uniforms, elements) = (value.0 as usize, self.uniforms.len(), self.elements.len());
        let once = uniforms + self.hoisted;
        match at {
            _ if at < uniforms => Origin::Uniform(at),
            _ if at < once => Origin::Step(at - uniforms),
            _ if at < once + elements => Origin::Element(at - once),
            _ => Origin::Step(at - uniforms - elements),
        }
    }

    fn names(&self, values: &[ValueId]) -> String {
        values.iter().map(|value| self.name(*value)).collect::<Vec<_>>().join(", ")
    }

    fn name(&self, value: ValueId) -> String {
        match self.origin(value) {
            Origin::Uniform(at) => format!("u{at}"),
            Origin::Element(at) => format!("e{at}"),
            Origin::Step(at) => format!("%{at}"),
        }
    }
}

impl Schedule {
    /// The programs of all passes, in the order of [`Schedule::passes`].
    pub fn programs(&self, graph: &Graph) -> Vec<Program> {
        self.passes().map(|(nest, pass)| Program::new(graph, nest, pass)).collect()
    }
}

/// A line for the leaves, one for each step, and one for the results.
impl fmt::Debug for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let leaves = |prefix: &str, kinds: &[Kind]| {
            let named = kinds.iter().enumerate().map(|(at, kind)| format!("{prefix}{at}: {}", kind.name()));
            named.collect::<Vec<_>>().join(", ")
        };
        let [uniforms, elements] = [leaves("u", &self.uniforms), leaves("e", &self.elements)];
        writeln!(f, "uniforms ({uniforms}), elements ({elements})")?;
        for (at, step) in self.steps.iter().enumerate() {
            let once = if at < self.hoisted { " once" } else { "" };
            let name = self.name(self.step_value(at));
            match &step.compute {
                Compute::Literal(value) => writeln!(f, "  {name} = {value}{once}")?,
                Compute::Apply(prim, args) => {
                    writeln!(f, "  {name} = {}({}){once}", prim.name(), self.names(args))?
                }
                Compute::Cast(value) => {
                    writeln!(f, "  {name} = {}({}){once}", step.kind.name(), self.name(*value))?
                }
            }
        }
        write!(f, "  give {}", self.names(&self.results))
    }
}

impl PartialEq for Program {
    fn eq(&self, other: &Program) -> bool {
        let parts = |p: &Program| {
            (p.hash, p.hoisted, p.uniforms.len(), p.elements.len(), p.steps.len(), p.results.len())
        };
        parts(self) == parts(other)
            && self.uniforms == other.uniforms
            && self.elements == other.elements
            && self.steps == other.steps
            && self.results == other.results
    }
}

impl Eq for Program {}

/// Of the contents, made once: a program is part of the key under which a kernel is found at every call.
impl Hash for Program {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.hash.hash(state);
    }
}

/// The values of a pass in the order in which they are computed. Operands are nodes until all steps are known.
struct Builder<'a> {
    graph: &'a Graph,
    inner: DimSet,
    leaves: [Vec<NodeId>; 2],
    /// The nodes of `leaves`.
    is_leaf: BTreeSet<NodeId>,
    /// Those that do not vary along the row, and the rest.
    steps: [Vec<NodeId>; 2],
    /// The nodes of `steps`.
    is_step: BTreeSet<NodeId>,
}

impl<'a> Builder<'a> {
    fn new(graph: &'a Graph, inner: DimSet, pass: &Pass) -> Builder<'a> {
        let nodes = |leaves: &[Leaf]| leaves.iter().map(|leaf| leaf.node).collect();
        let leaves: [Vec<NodeId>; 2] = [nodes(&pass.uniforms), nodes(&pass.elements)];
        let is_leaf = leaves.iter().flatten().copied().collect();
        Builder { graph, inner, leaves, is_leaf, steps: [Vec::new(), Vec::new()], is_step: BTreeSet::new() }
    }

    /// Lists what a value needs, then the value.
    fn visit(&mut self, id: NodeId) {
        // A node is met twice: its operands are listed in between.
        let mut open = vec![(id, false)];
        while let Some((id, has_operands)) = open.pop() {
            let id = self.behind_markers(id);
            if self.is_leaf(id) || self.is_step.contains(&id) {
                continue;
            }
            if has_operands {
                let varies = usize::from(!self.graph.node(id).dims.intersection(self.inner).is_empty());
                self.steps[varies].push(id);
                self.is_step.insert(id);
            } else {
                open.push((id, true));
                open.extend(self.graph.node(id).operands().into_iter().rev().map(|operand| (operand, false)));
            }
        }
    }

    /// The value behind what only derivatives see.
    fn behind_markers(&self, mut id: NodeId) -> NodeId {
        while let (false, Op::StopGrad(value) | Op::Given { value, .. }) =
            (self.is_leaf(id), &self.graph.node(id).op)
        {
            id = *value;
        }
        id
    }

    fn is_leaf(&self, id: NodeId) -> bool {
        self.is_leaf.contains(&id)
    }

    fn finish(self, pass: &Pass) -> Program {
        let [[uniforms, elements], [once, each]] = [&self.leaves, &self.steps];
        let order = uniforms.iter().chain(once).chain(elements).chain(each).enumerate();
        let values: BTreeMap<NodeId, ValueId> = order.map(|(at, id)| (*id, ValueId(at as u32))).collect();
        let value = |id: &NodeId| values[&self.behind_markers(*id)];
        let steps = once.iter().chain(each).map(|id| {
            let node = self.graph.node(*id);
            let compute = match &node.op {
                Op::Literal(literal) => Compute::Literal(*literal),
                Op::Apply(prim, args) => Compute::Apply(*prim, args.iter().map(value).collect()),
                Op::Cast(operand) => Compute::Cast(value(operand)),
                Op::Input(_)
                | Op::Len(_)
                | Op::Iota(_)
                | Op::Reduce(..)
                | Op::At { .. }
                | Op::ScatterAdd { .. }
                | Op::StopGrad(_)
                | Op::Given { .. }
                | Op::Seed(_) => unreachable!("the scheduler makes these leaves of the pass"),
            };
            Step { compute, kind: node.kind }
        });
        let kinds =
            |leaves: &[Leaf]| leaves.iter().map(|leaf| self.graph.node(leaf.node).kind).collect::<Vec<_>>();
        let results = pass.results.iter().map(|result| value(&result.value)).collect();
        Program::from_parts(
            [kinds(&pass.uniforms), kinds(&pass.elements)],
            steps.collect(),
            once.len(),
            results,
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schedule::schedule;

    const NORM: &str = "op norm
dim .. group
dim n named
arg x: float[.., n], forward 0
arg eps: f64, forward 1
%0 = input x : float[.., n]
%1 = input eps : float[]
%2 = mul(%0, %0) : float[.., n]
%3 = sum(%2; n) : float[..]
%4 = add(%3, %1) : float[..]
%5 = rsqrt(%4) : float[..]
%6 = mul(%0, %5) : float[.., n]
out out = %6 [.., n]
";

    fn programs(text: &str) -> Vec<Program> {
        let graph = Graph::parse(text).expect("a graph in text form");
        schedule(&graph).programs(&graph)
    }

    #[test]
    fn what_does_not_vary_along_the_row_is_done_once() {
        let texts: Vec<String> = programs(NORM).iter().map(|program| format!("{program:?}")).collect();
        let expected = [
            "uniforms (), elements (e0: float)
  %0 = mul(e0, e0)
  give %0",
            "uniforms (u0: float, u1: float), elements (e0: float)
  %0 = add(u0, u1) once
  %1 = rsqrt(%0) once
  %2 = mul(e0, %1)
  give %2",
        ];
        assert_eq!(texts, expected);
    }

    /// Whatever the nodes are called, and whichever op they belong to.
    #[test]
    fn equal_programs_of_different_ops_are_one() {
        let renamed = NORM.replace("op norm", "op other").replace("%2 =", "%2 square =");
        assert_eq!(programs(NORM), programs(&renamed));
        let doubled = NORM.replace("mul(%0, %0)", "add(%0, %0)");
        assert_ne!(programs(NORM)[0], programs(&doubled)[0]);
    }

    #[test]
    fn values_are_numbered_uniforms_once_elements_each() {
        let program = &programs(NORM)[1];
        let origins: Vec<Origin> = (0..6).map(|at| program.origin(ValueId(at))).collect();
        let [u, s] = [Origin::Uniform, Origin::Step];
        assert_eq!(origins, [u(0), u(1), s(0), s(1), Origin::Element(0), s(2)]);
        assert_eq!(program.results(), [program.step_value(2)]);
    }
}
