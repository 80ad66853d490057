//! Gives the values of a program scalars and registers, by how long they live.

use super::{Args, Cell, Init, Once, Primitive, Registers, Slot, Step};
use crate::block::{ByKind, PassFns};
use crate::bodies;
use tensor_op_core::{Error, ErrorKind, Result};
use tensor_op_spec::ir::Kind;
use tensor_op_spec::schedule::{self, Compute, Program, ValueId};

impl Registers {
    /// Gives the values of a program registers. `Err` if it applies a primitive to a kind that has no such
    /// primitive.
    pub(crate) fn new(program: &Program) -> Result<Registers> {
        let mut builder = Builder {
            program,
            found: Vec::with_capacity(program.value_count()),
            steps: Vec::new(),
            code: Registers {
                once: Vec::new(),
                each: Vec::new(),
                scalars: ByKind::default(),
                spread: ByKind::default(),
                registers: ByKind::default(),
                given: Vec::new(),
            },
        };
        builder.add_uniforms();
        let (once, each) = program.steps().split_at(program.hoisted());
        once.iter().try_for_each(|step| builder.add_once(step))?;
        builder.add_elements();
        each.iter().try_for_each(|step| builder.add_each(step))?;
        builder.add_results();
        builder.code.each = builder.places();
        Ok(builder.code)
    }
}

/// What a value of the program is.
#[derive(Clone, Copy)]
enum Found {
    Scalar(usize),
    Element(usize),
    /// The result of the draft with this index.
    Draft(usize),
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
    Draft(usize),
}

struct Builder<'p> {
    program: &'p Program,
    /// Where each value so far is, in the order of the values.
    found: Vec<Found>,
    steps: Vec<Draft>,
    code: Registers,
}

impl Builder<'_> {
    fn add_uniforms(&mut self) {
        for kind in self.program.uniforms() {
            let index = self.code.scalars.of_mut(*kind).len();
            let scalar = self.scalar(*kind, Init::Uniform(index));
            self.found.push(Found::Scalar(scalar));
        }
    }

    fn add_elements(&mut self) {
        let mut next: ByKind<usize, usize, usize> = ByKind::default();
        for kind in self.program.elements() {
            let index = next.of_mut(*kind);
            self.found.push(Found::Element(*index));
            *index += 1;
        }
    }

    fn scalar(&mut self, kind: Kind, init: Init) -> usize {
        let scalars = self.code.scalars.of_mut(kind);
        scalars.push(init);
        scalars.len() - 1
    }

    /// Adds a step that is done once per row.
    fn add_once(&mut self, step: &schedule::Step) -> Result<()> {
        let found = match &step.compute {
            Compute::Literal(value) => self.scalar(step.kind, Init::Constant(*value)),
            Compute::Apply(..) | Compute::Cast(_) => {
                let body = self.body(step)?;
                let mut args = Args::default();
                for operand in step.compute.operands() {
                    let Found::Scalar(scalar) = self.value(*operand) else {
                        return Err(unexpected("reads an element in a step that is done once per row"));
                    };
                    args.of_mut(self.program.kind(*operand)).push(scalar);
                }
                let to = self.scalar(step.kind, Init::Step);
                self.code.once.push(Once { body: Primitive(body), kind: step.kind, to, args });
                to
            }
        };
        self.found.push(Found::Scalar(found));
        Ok(())
    }

    /// Adds a step over blocks.
    fn add_each(&mut self, step: &schedule::Step) -> Result<()> {
        let found = match (&step.compute, self.scaled(&step.compute)) {
            (_, Some(draft)) => self.draft(draft),
            (Compute::Literal(value), None) => Found::Scalar(self.scalar(step.kind, Init::Constant(*value))),
            (Compute::Apply(..) | Compute::Cast(_), None) => {
                let body = self.body(step)?;
                let mut args = Args::default();
                for operand in step.compute.operands() {
                    let kind = self.program.kind(*operand);
                    let found = self.value(*operand);
                    args.of_mut(kind).push(self.operand(kind, found));
                }
                self.draft(Draft { body, kind: step.kind, args, scalar: None, result: None })
            }
        };
        self.found.push(found);
        Ok(())
    }

    fn draft(&mut self, draft: Draft) -> Found {
        self.steps.push(draft);
        Found::Draft(self.steps.len() - 1)
    }

    fn value(&self, id: ValueId) -> Found {
        self.found[id.0 as usize]
    }

    fn body(&self, step: &schedule::Step) -> Result<&'static PassFns> {
        let kind = |id: &ValueId| self.program.kind(*id);
        match &step.compute {
            Compute::Literal(_) => Ok(bodies::identity(step.kind)),
            Compute::Cast(operand) => Ok(bodies::cast(kind(operand), step.kind)),
            Compute::Apply(prim, operands) => {
                let kind = operands.last().map_or(step.kind, kind);
                let missing = || unexpected(&format!("applies {} to the kind {}", prim.name(), kind.name()));
                bodies::body(*prim, kind).ok_or_else(missing)
            }
        }
    }

    /// A step on a float block and a scalar, which need not become a block, if there is a body for it.
    fn scaled(&mut self, compute: &Compute) -> Option<Draft> {
        let Compute::Apply(prim, operands) = compute else { return None };
        let &[a, b] = &operands[..] else { return None };
        if self.program.kind(a) != Kind::Float {
            return None;
        }
        let (at, scalar, block) = match (self.value(a), self.value(b)) {
            (Found::Scalar(scalar), block @ (Found::Element(_) | Found::Draft(_))) => (0, scalar, block),
            (block @ (Found::Element(_) | Found::Draft(_)), Found::Scalar(scalar)) => (1, scalar, block),
            (Found::Scalar(_), Found::Scalar(_)) => return None,
            (Found::Element(_) | Found::Draft(_), Found::Element(_) | Found::Draft(_)) => return None,
        };
        let body = bodies::scaled(*prim, at)?;
        let mut args = Args::default();
        args.floats.push(self.operand(Kind::Float, block));
        Some(Draft { body, kind: Kind::Float, args, scalar: Some(scalar), result: None })
    }

    fn operand(&mut self, kind: Kind, found: Found) -> Operand {
        match found {
            Found::Element(index) => Operand::Element(index),
            Found::Draft(draft) => Operand::Draft(draft),
            Found::Scalar(scalar) => {
                let spread = self.code.spread.of_mut(kind);
                let known = spread.iter().position(|own| *own == scalar);
                Operand::Spread(known.unwrap_or_else(|| {
                    spread.push(scalar);
                    spread.len() - 1
                }))
            }
        }
    }

    fn add_results(&mut self) {
        let mut next: ByKind<usize, usize, usize> = ByKind::default();
        for value in self.program.results() {
            let kind = self.program.kind(*value);
            let index = next.of_mut(kind);
            let result = *index;
            *index += 1;
            self.add_result(kind, result, self.value(*value));
        }
    }

    /// A step writes to the first result that it is; other results are copies.
    fn add_result(&mut self, kind: Kind, index: usize, found: Found) {
        match found {
            Found::Scalar(scalar) => self.code.given.push((kind, index, scalar)),
            Found::Draft(draft) if self.steps[draft].result.is_none() => {
                self.steps[draft].result = Some(index)
            }
            Found::Draft(_) | Found::Element(_) => {
                let mut args = Args::default();
                args.of_mut(kind).push(self.operand(kind, found));
                let body = bodies::identity(kind);
                self.steps.push(Draft { body, kind, args, scalar: None, result: Some(index) });
            }
        }
    }

    /// Gives each step a place: a result, or a register that no later step reads any more.
    fn places(&mut self) -> Vec<Step> {
        let drafts = std::mem::take(&mut self.steps);
        let mut last_use = vec![0; drafts.len()];
        for (at, draft) in drafts.iter().enumerate() {
            draft.steps().for_each(|step| last_use[step] = at);
        }
        let mut free: ByKind<Vec<usize>, Vec<usize>, Vec<usize>> = ByKind::default();
        let mut places: Vec<Cell> = Vec::with_capacity(drafts.len());
        let mut steps = Vec::with_capacity(drafts.len());
        for (at, draft) in drafts.iter().enumerate() {
            let place = match draft.result {
                Some(result) => Cell::Result(result),
                None => Cell::Register(free.of_mut(draft.kind).pop().unwrap_or_else(|| {
                    let registers = self.code.registers.of_mut(draft.kind);
                    *registers += 1;
                    *registers - 1
                })),
            };
            places.push(place);
            let slot = |operand: &Operand| match *operand {
                Operand::Element(index) => Slot::Element(index),
                Operand::Spread(index) => Slot::Spread(index),
                Operand::Draft(draft) => Slot::Cell(places[draft]),
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
                if let Cell::Register(register) = places[step] {
                    free.of_mut(drafts[step].kind).push(register);
                }
            }
        }
        steps
    }
}

impl Draft {
    /// The drafts that it reads.
    fn steps(&self) -> impl Iterator<Item = usize> {
        let Args { floats, ints, bools } = &self.args;
        floats.iter().chain(ints).chain(bools).filter_map(|operand| match operand {
            Operand::Draft(draft) => Some(*draft),
            Operand::Element(_) | Operand::Spread(_) => None,
        })
    }
}

fn unexpected(what: &str) -> Error {
    Error::new(ErrorKind::Backend, format!("a program of its schedule {what}"))
}
