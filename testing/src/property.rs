//! Properties of plans by proptest: the same plans for the same seed, and the smallest one that fails.

use crate::claims::Outcome;
use crate::report::Tally;
use crate::sample::{Described, Plan, Plans, Shrinking, fit};
use proptest::test_runner::{Config, RngAlgorithm, TestCaseError, TestError, TestRng, TestRunner};
use std::cell::RefCell;
use tensor_op_spec::ir::Graph;

/// Checks `holds` for so many plans of sizes up to `largest`.
pub(crate) fn for_plans(
    graph: &Graph,
    seed: u64,
    cases: u32,
    largest: usize,
    holds: impl Fn(&Plan) -> Outcome,
) -> Outcome {
    let total = RefCell::new(Tally::default());
    let outcome = runner(seed, cases).run(&Plans::new(graph, largest), |plan| {
        let found = checked(graph, &plan, &holds)?;
        total.borrow_mut().add(found);
        Ok(())
    });
    told(graph, outcome).map(|()| total.into_inner())
}

/// Checks `holds` for one plan, or says for which smaller one it does not hold.
pub(crate) fn for_plan(graph: &Graph, plan: Plan, holds: impl Fn(&Plan) -> Outcome) -> Outcome {
    let total = RefCell::new(Tally::default());
    let outcome = runner(plan.seed, 1).run_one(Shrinking::new(plan), |plan| {
        *total.borrow_mut() = checked(graph, &plan, &holds)?;
        Ok(())
    });
    told(graph, outcome).map(|_| total.into_inner())
}

fn runner(seed: u64, cases: u32) -> TestRunner {
    let config = Config { cases, failure_persistence: None, max_shrink_iters: 256, ..Config::default() };
    let mut key = [0; 32];
    key[..8].copy_from_slice(&seed.to_le_bytes());
    TestRunner::new_with_rng(config, TestRng::from_seed(RngAlgorithm::ChaCha, &key))
}

/// At sizes under which indices are in range.
fn checked(graph: &Graph, plan: &Plan, holds: impl Fn(&Plan) -> Outcome) -> Result<Tally, TestCaseError> {
    holds(&fit(graph, plan)).map_err(TestCaseError::fail)
}

fn told<T>(graph: &Graph, outcome: Result<T, TestError<Plan>>) -> Result<T, String> {
    outcome.map_err(|error| match error {
        TestError::Fail(what, plan) => {
            format!("smallest case: {}\n{what}", Described(&fit(graph, &plan), graph))
        }
        TestError::Abort(why) => format!("no case could be made: {why}"),
    })
}
