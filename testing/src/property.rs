//! Properties of plans by proptest: the same plans for the same seed, and the smallest one that fails.

use crate::claims::Outcome;
use crate::report::Tally;
use crate::sample::{Described, Plan, plans};
use proptest::test_runner::{Config, RngAlgorithm, TestCaseError, TestError, TestRng, TestRunner};
use std::cell::Cell;
use tensor_op_spec::ir::Graph;

/// Checks `holds` for so many plans of sizes up to `largest`.
pub(crate) fn for_plans(
    graph: &Graph,
    seed: u64,
    cases: u32,
    largest: usize,
    holds: impl Fn(&Plan) -> Outcome,
) -> Outcome {
    let config = Config { cases, failure_persistence: None, max_shrink_iters: 256, ..Config::default() };
    let mut key = [0; 32];
    key[..8].copy_from_slice(&seed.to_le_bytes());
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &key);
    let mut runner = TestRunner::new_with_rng(config, rng);
    let total = Cell::new(Tally::default());
    let outcome = runner.run(&plans(graph, largest), |plan| match holds(&plan) {
        Ok(tally) => {
            let mut sum = total.get();
            sum.add(tally);
            total.set(sum);
            Ok(())
        }
        Err(what) => Err(TestCaseError::fail(what)),
    });
    match outcome {
        Ok(()) => Ok(total.get()),
        Err(TestError::Fail(what, plan)) => {
            Err(format!("smallest case: {}\n{what}", Described(&plan, graph)))
        }
        Err(TestError::Abort(why)) => Err(format!("no case could be made: {why}")),
    }
}
