//! A pass whose uniforms change from row to row, as two programs: one over rows, which computes what does not
//! vary along a row, and one over elements, which takes that as elements. If the pass was compiled for many
//! rows at once, it takes the place of the second one.
//!
//! The steps are those of the pass, so results have the same bits.

use crate::block::ByKind;
use crate::kernel::plan::{Body, PassPlan, RowUniform, UniformSource};
use crate::program::Registers;
use std::sync::Arc;
use tensor_op_core::Result;
use tensor_op_spec::ir::Kind;
use tensor_op_spec::schedule::{Compute, Program, Step, ValueId};

/// The two programs.
#[derive(Debug)]
pub(crate) struct Split {
    /// Over rows. Its elements are [`row_uniforms`](Split::row_uniforms). If the pass is evaluated once per
    /// row, it gives the results of the pass.
    pub(super) rows: Arc<Registers>,
    /// The uniforms of the pass that change from row to row: operands, then statistics.
    pub(super) row_uniforms: Vec<RowUniform>,
    /// The kinds of what `rows` gives to `each`.
    pub(super) spread: Vec<Kind>,
    /// Over elements: those of the pass, then what is spread. `None` if the pass is evaluated once per row.
    pub(super) each: Option<Body>,
}

impl Split {
    pub(super) fn new<E>(pass: &PassPlan<E>, program: &Program) -> Result<Split> {
        let is_statistic = |uniform: &RowUniform| matches!(uniform.source, UniformSource::Statistic(_));
        let mut row_uniforms = pass.row_uniforms.clone();
        row_uniforms.sort_by_key(is_statistic);
        let values = Values::new(program, &row_uniforms);
        let spread = if pass.per_row { program.results().to_vec() } else { values.spread() };
        let rows = Arc::new(Registers::new(&values.over_rows(&spread))?);
        let each = match pass.body {
            _ if pass.per_row => None,
            Body::Compiled(fns) if fns.takes_rows() => Some(Body::OfRows(fns)),
            Body::Compiled(_) | Body::OfRows(_) | Body::Program(_) => {
                Some(Body::Program(Arc::new(Registers::new(&values.over_elements(&spread))?)))
            }
        };
        let spread = spread.iter().map(|value| program.kind(*value)).collect();
        Ok(Split { rows, row_uniforms, spread, each })
    }
}

/// The values of a program, and which of them vary in which way.
struct Values<'p> {
    program: &'p Program,
    /// The uniforms that are the same in all rows.
    fixed: Vec<ValueId>,
    /// The uniforms that change from row to row.
    changing: Vec<ValueId>,
    /// Whether each value changes from row to row and not along a row.
    is_of_row: Vec<bool>,
}

impl<'p> Values<'p> {
    fn new(program: &'p Program, row_uniforms: &[RowUniform]) -> Values<'p> {
        let mut next: ByKind<usize, usize, usize> = ByKind::default();
        let places: Vec<(Kind, usize)> = program
            .uniforms()
            .iter()
            .map(|kind| {
                let slot = next.of_mut(*kind);
                *slot += 1;
                (*kind, *slot - 1)
            })
            .collect();
        let value = |uniform: &RowUniform| {
            let at = places.iter().position(|place| *place == (uniform.kind, uniform.slot));
            program.uniform_value(at.expect("a plan has the uniforms of its program"))
        };
        let changing: Vec<ValueId> = row_uniforms.iter().map(value).collect();
        let mut is_of_row = vec![false; program.value_count()];
        changing.iter().for_each(|value| is_of_row[value.0 as usize] = true);
        for (at, step) in program.steps()[..program.hoisted()].iter().enumerate() {
            let reads = step.compute.operands().iter().any(|operand| is_of_row[operand.0 as usize]);
            is_of_row[program.step_value(at).0 as usize] = reads;
        }
        let fixed = (0..places.len())
            .map(|at| program.uniform_value(at))
            .filter(|value| !changing.contains(value))
            .collect();
        Values { program, fixed, changing, is_of_row }
    }

    /// The values of the row that are read at each element.
    fn spread(&self) -> Vec<ValueId> {
        let uniforms = (0..self.program.uniforms().len()).map(|at| self.program.uniform_value(at));
        let changes: Vec<bool> = uniforms.map(|value| self.changing.contains(&value)).collect();
        self.program.of_row(&changes)
    }

    /// The steps that are the same in all rows, and those that are done for each row.
    fn hoisted(&self) -> [Vec<usize>; 2] {
        let is_fixed = |at: &usize| !self.is_of_row[self.program.step_value(*at).0 as usize];
        let (fixed, of_row) = (0..self.program.hoisted()).partition(is_fixed);
        [fixed, of_row]
    }

    fn over_rows(&self, results: &[ValueId]) -> Program {
        let [fixed, of_row] = self.hoisted();
        self.build(&self.changing, [&fixed, &of_row], results)
    }

    fn over_elements(&self, spread: &[ValueId]) -> Program {
        let program = self.program;
        let own = (0..program.elements().len()).map(|at| program.element_value(at));
        let elements: Vec<ValueId> = own.chain(spread.iter().copied()).collect();
        let each: Vec<usize> = (program.hoisted()..program.steps().len()).collect();
        self.build(&elements, [&self.hoisted()[0], &each], program.results())
    }

    /// A program of some of the steps, whose elements are these values.
    fn build(&self, elements: &[ValueId], [once, each]: [&[usize]; 2], results: &[ValueId]) -> Program {
        let program = self.program;
        let step_value = |at: &usize| program.step_value(*at);
        let order = self.fixed.iter().copied().chain(once.iter().map(step_value));
        let order = order.chain(elements.iter().copied()).chain(each.iter().map(step_value));
        let mut numbers = vec![None; program.value_count()];
        order
            .enumerate()
            .for_each(|(number, value)| numbers[value.0 as usize] = Some(ValueId(number as u32)));
        let number = |value: &ValueId| {
            numbers[value.0 as usize].expect("what a step reads is an element, fixed, or computed before")
        };
        let step = |at: &usize| {
            let Step { compute, kind } = &program.steps()[*at];
            let compute = match compute {
                Compute::Literal(value) => Compute::Literal(*value),
                Compute::Apply(prim, operands) => {
                    Compute::Apply(*prim, operands.iter().map(number).collect())
                }
                Compute::Cast(operand) => Compute::Cast(number(operand)),
            };
            Step { compute, kind: *kind }
        };
        let kinds = |values: &[ValueId]| values.iter().map(|value| program.kind(*value)).collect();
        Program::from_parts(
            [kinds(&self.fixed), kinds(elements)],
            once.iter().chain(each).map(step).collect(),
            once.len(),
            results.iter().map(number).collect(),
        )
    }
}
