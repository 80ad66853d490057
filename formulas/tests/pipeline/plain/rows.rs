//! Passes over a row.

use super::{Plain, Point, fold, joined, points, read, set};
use std::collections::BTreeMap;
use tensor_op_core::execute::{BoundLoop, BoundPass, Dest, Uniform};
use tensor_op_spec::ir::Scalar;
use tensor_op_spec::schedule::{Compute, Program, ValueId};

/// What passes over a row leave for later ones: folds, and kept values by place and point.
#[derive(Default)]
pub(super) struct RowState {
    statistics: Vec<Scalar>,
    kept: BTreeMap<(usize, Point), Scalar>,
}

/// Runs a pass over a row: the folds along it. What is folded over the rows is added to `columns`, by write
/// and place.
pub(super) fn run_pass(
    nest: &BoundLoop<'_, Plain>,
    pass: &BoundPass<'_>,
    row: &Point,
    state: &mut RowState,
    columns: &mut BTreeMap<(usize, Point), Vec<Scalar>>,
) {
    let program = &pass.pass.program;
    let uniform = |uniform: &Uniform| match *uniform {
        Uniform::Scalar(value) => value,
        Uniform::Read(at) => read(nest, at, row),
        Uniform::Statistic(at) => state.statistics[at],
    };
    let uniforms: Vec<Scalar> = pass.uniforms.iter().map(uniform).collect();
    let inner = if pass.pass.is_per_row() { vec![Point::new()] } else { points(&nest.inner) };
    let mut folded = vec![Vec::new(); pass.dests.len()];
    for along in inner {
        let point = joined(row, &along);
        let element = |at: &usize| match nest.reads[*at].kept() {
            Some(place) => state.kept[&(place, along.clone())],
            None => read(nest, *at, &point),
        };
        let elements: Vec<Scalar> = pass.elements.iter().map(element).collect();
        let results = evaluate(program, &uniforms, &elements);
        for ((dest, result), folded) in pass.dests.iter().zip(results).zip(&mut folded) {
            match *dest {
                Dest::Fold(_) => folded.push(result),
                Dest::Kept(place) => {
                    state.kept.insert((place, along.clone()), result);
                }
                Dest::Element(write) | Dest::Row(write) => set(&nest.writes[write].value, &point, result),
                Dest::Column(_, write) => columns.entry((write, along.clone())).or_default().push(result),
                Dest::Nowhere => {}
            }
        }
    }
    for ((dest, folded), result) in pass.dests.iter().zip(folded).zip(program.results()) {
        if let Dest::Fold(how) = dest {
            state.statistics.push(fold(*how, &folded, program.kind(*result)));
        }
    }
}

/// The results of a program at one point.
fn evaluate(program: &Program, uniforms: &[Scalar], elements: &[Scalar]) -> Vec<Scalar> {
    let mut values = vec![Scalar::Bool(false); program.value_count()];
    let mut keep = |id: ValueId, value| values[id.0 as usize] = value;
    uniforms.iter().enumerate().for_each(|(at, value)| keep(program.uniform_value(at), *value));
    elements.iter().enumerate().for_each(|(at, value)| keep(program.element_value(at), *value));
    for (at, step) in program.steps().iter().enumerate() {
        let operands: Vec<Scalar> = step.compute.operands().iter().map(|id| values[id.0 as usize]).collect();
        values[program.step_value(at).0 as usize] = match &step.compute {
            Compute::Literal(value) => *value,
            Compute::Apply(prim, _) => prim.eval(&operands).expect("operands of the right kinds"),
            Compute::Cast(_) => operands[0].cast(step.kind),
        };
    }
    program.results().iter().map(|id| values[id.0 as usize]).collect()
}
