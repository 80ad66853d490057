//! A pass as straight-line code: literals, primitives and casts over numbered values.
//!
//! The scheduler makes it ([`pass`](super::pass)). The macro prints it, and runtimes compile or interpret it
//! when an op is called. It names no node or argument, so that equal programs of different ops share what was
//! compiled for one of them.

use super::cost_model::is_scalar;
use crate::ir::{Kind, Scalar};
use crate::prim::Prim;
use std::collections::BTreeSet;
use std::fmt;
use std::hash::{DefaultHasher, Hash, Hasher};

/// Straight-line code. Its values have numbers. First come the uniforms, then the results of the steps that
/// are done once per row, then the elements, then the results of the other steps.
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

impl ValueId {
    /// The value with this number.
    pub(super) fn at(number: usize) -> ValueId {
        ValueId(number as u32)
    }
}

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
    /// Conversion to the step's kind, as [`Op::Cast`](crate::ir::Op::Cast) does.
    Cast(ValueId),
}

impl Compute {
    /// The values that it reads.
    pub fn operands(&self) -> &[ValueId] {
        match self {
            Compute::Literal(_) => &[],
            Compute::Apply(_, operands) => operands,
            Compute::Cast(operand) => std::slice::from_ref(operand),
        }
    }
}

impl Program {
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

    /// Kinds of the values that are one per row, in the order of [`Pass::uniforms`](super::Pass::uniforms).
    pub fn uniforms(&self) -> &[Kind] {
        &self.uniforms
    }

    /// Kinds of the values that vary along the row, in the order of
    /// [`Pass::elements`](super::Pass::elements).
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

    /// The values computed, in the order of [`Pass::targets`](super::Pass::targets).
    pub fn results(&self) -> &[ValueId] {
        &self.results
    }

    /// The value of the uniform with this index.
    pub fn uniform_value(&self, uniform: usize) -> ValueId {
        ValueId::at(uniform)
    }

    /// The value of the element with this index.
    pub fn element_value(&self, element: usize) -> ValueId {
        ValueId::at(self.uniforms.len() + self.hoisted + element)
    }

    /// The value of the step with this index.
    pub fn step_value(&self, step: usize) -> ValueId {
        let elements = if step < self.hoisted { 0 } else { self.elements.len() };
        ValueId::at(self.uniforms.len() + elements + step)
    }

    /// Number of values.
    pub fn value_count(&self) -> usize {
        self.uniforms.len() + self.elements.len() + self.steps.len()
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

    /// The values that change from row to row and not along a row, and that are read at each element.
    /// `changes` tells which uniforms change from row to row.
    pub fn of_row(&self, changes: &[bool]) -> Vec<ValueId> {
        let mut is_of_row = vec![false; self.value_count()];
        is_of_row[..changes.len()].copy_from_slice(changes);
        let (once, each) = self.steps.split_at(self.hoisted);
        for (at, step) in once.iter().enumerate() {
            let changes = step.compute.operands().iter().any(|operand| is_of_row[operand.0 as usize]);
            is_of_row[self.step_value(at).0 as usize] = changes;
        }
        let read = each.iter().flat_map(|step| step.compute.operands()).chain(&self.results);
        let read: BTreeSet<ValueId> = read.copied().filter(|value| is_of_row[value.0 as usize]).collect();
        read.into_iter().collect()
    }

    /// Whether a CPU computes it one element at a time: one primitive that is not vectorised keeps the whole
    /// loop of a body from it, and a program just its own.
    pub fn has_scalar_loop(&self) -> bool {
        self.steps.iter().any(|step| match step.compute {
            Compute::Apply(prim, _) => is_scalar(prim, step.kind),
            Compute::Literal(_) | Compute::Cast(_) => false,
        })
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::Graph;
    use crate::schedule::{CostModel, schedule};
    use std::sync::Arc;

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

    fn programs(text: &str) -> Vec<Arc<Program>> {
        let graph = Graph::parse(text).expect("a graph in text form");
        schedule(&graph, CostModel::CPU).passes().map(|pass| pass.program.clone()).collect()
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
        assert_eq!(program.of_row(&[true, false]), [program.step_value(1)]);
        assert_eq!(program.of_row(&[false, false]), []);
    }
}
