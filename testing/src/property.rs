//! Checks properties of plans with proptest: the same seed gives the same plans, and a failure is the
//! smallest plan that fails.

use crate::claims::Outcome;
use crate::report::Tally;
use crate::sample::{Described, Plans, SamplePlan, Shrinking, fit};
use proptest::test_runner::{Config, RngAlgorithm, TestCaseError, TestError, TestRng, TestRunner};
use std::cell::RefCell;
use tensor_op_spec::ir::Graph;

/// Checks `holds` for `cases` plans with sizes up to `largest`.
pub(crate) fn for_plans(
    graph: &Graph,
    seed: u64,
    cases: u32,
    largest: usize,
    holds: impl Fn(&SamplePlan) -> Outcome,
) -> Outcome {
    let total = RefCell::new(Tally::default());
    let outcome = runner(seed, cases, REJECTED).run(&Plans::new(graph, largest), |plan| {
        let found = checked(graph, &plan, &holds)?;
        total.borrow_mut().add(found);
        Ok(())
    });
    told(graph, outcome).map(|()| total.into_inner())
}

/// Does the same as [`for_plans`], but for plans that compare something. A plan without anything to compare
/// is replaced by another one, up to [`REDRAWN`] times.
pub(crate) fn for_points(
    graph: &Graph,
    seed: u64,
    points: u32,
    largest: usize,
    holds: impl Fn(&SamplePlan) -> Outcome,
) -> Outcome {
    let total = RefCell::new(Tally::default());
    let mut runner = runner(seed, points, points * REDRAWN);
    let outcome = runner.run(&Plans::new(graph, largest), |plan| {
        let found = checked(graph, &plan, &holds)?;
        let is_empty = found.elements == 0;
        total.borrow_mut().add(found);
        if is_empty { Err(TestCaseError::reject("nothing to compare")) } else { Ok(()) }
    });
    match outcome {
        // Too many plans were rejected, so there are fewer points than wanted.
        Err(TestError::Abort(_)) => Ok(total.into_inner()),
        outcome => told(graph, outcome).map(|()| total.into_inner()),
    }
}

/// How many plans are drawn at most for one plan that compares something.
const REDRAWN: u32 = 4;

/// Checks `holds` for one plan. A failure names a smaller plan if that fails too.
pub(crate) fn for_plan(graph: &Graph, plan: SamplePlan, holds: impl Fn(&SamplePlan) -> Outcome) -> Outcome {
    let total = RefCell::new(Tally::default());
    let outcome = runner(plan.seed, 1, REJECTED).run_one(Shrinking::new(plan), |plan| {
        *total.borrow_mut() = checked(graph, &plan, &holds)?;
        Ok(())
    });
    told(graph, outcome).map(|_| total.into_inner())
}

/// How many plans may be rejected if every plan is checked.
const REJECTED: u32 = 0;

fn runner(seed: u64, cases: u32, max_global_rejects: u32) -> TestRunner {
    let config = Config {
        cases,
        max_global_rejects,
        failure_persistence: None,
        max_shrink_iters: 256,
        ..Config::default()
    };
    let mut key = [0; 32];
    key[..8].copy_from_slice(&seed.to_le_bytes());
    TestRunner::new_with_rng(config, TestRng::from_seed(RngAlgorithm::ChaCha, &key))
}

/// Checks `holds` at sizes for which indices are in range.
fn checked(
    graph: &Graph,
    plan: &SamplePlan,
    holds: impl Fn(&SamplePlan) -> Outcome,
) -> Result<Tally, TestCaseError> {
    holds(&fit(graph, plan)).map_err(TestCaseError::fail)
}

fn told<T>(graph: &Graph, outcome: Result<T, TestError<SamplePlan>>) -> Result<T, String> {
    outcome.map_err(|error| match error {
        TestError::Fail(what, plan) => {
            format!("smallest case: {}\n{what}", Described(&fit(graph, &plan), graph))
        }
        TestError::Abort(why) => format!("no case could be made: {why}"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;

    /// Runs a property that compares something only for every n-th plan.
    fn compared(every: usize) -> (Outcome, usize) {
        let graph = Graph::parse(
            "op f\ndim n named\narg x: float[n], forward 0\n%0 = input x : float[n]\nout out = %0 [n]",
        )
        .unwrap();
        let calls = Cell::new(0usize);
        let found = for_points(&graph, 0, 4, 3, |_| {
            calls.set(calls.get() + 1);
            let says = calls.get().is_multiple_of(every);
            Ok(if says { Tally { elements: 1, ..Tally::CASE } } else { Tally::nothing("no point") })
        });
        (found, calls.get())
    }

    #[test]
    fn plans_without_a_point_are_drawn_again_but_not_for_ever() {
        let (found, calls) = compared(3);
        assert_eq!((found.unwrap().elements, calls), (4, 12));
        let (found, calls) = compared(usize::MAX);
        assert!(found.unwrap().checked().is_err() && (4..=17).contains(&calls), "{calls}");
    }
}
