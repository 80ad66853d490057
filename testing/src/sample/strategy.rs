//! A proptest strategy for plans that shrink.

use super::plan::{SamplePlan, Spread};
use super::shrink::Shrinking;
use proptest::prelude::*;
use proptest::strategy::{NewTree, ValueTree};
use proptest::test_runner::TestRunner;
use tensor_op_spec::ir::Graph;

/// Small plans for an op.
#[derive(Clone, Debug)]
pub(crate) struct Plans {
    dims: usize,
    args: usize,
    largest: usize,
}

impl Plans {
    /// `largest` is the largest size.
    pub(crate) fn new(graph: &Graph, largest: usize) -> Plans {
        Plans { dims: graph.dims.len(), args: graph.args.len(), largest }
    }
}

impl Strategy for Plans {
    type Tree = Shrinking;
    type Value = SamplePlan;

    fn new_tree(&self, runner: &mut TestRunner) -> NewTree<Plans> {
        Ok(Shrinking::new(any_plan(self).new_tree(runner)?.current()))
    }
}

fn any_plan(&Plans { dims, args, largest }: &Plans) -> impl Strategy<Value = SamplePlan> {
    let spread = prop_oneof![
        3 => Just(Spread::Full),
        1 => Just(Spread::Short),
        1 => Just(Spread::Ones),
        1 => Just(Spread::Others),
    ];
    (
        prop::collection::vec(1..=largest, dims),
        prop::collection::vec(1..=largest.min(4), 0..=4),
        prop::collection::vec(spread, args),
        0..6usize,
        any::<bool>(),
        prop::collection::vec(0..24usize, args),
        2..=40u32,
        any::<u64>(),
    )
        .prop_map(|(dims, group, spread, axis, from_end, scalars, bits, seed)| SamplePlan {
            dims,
            group,
            spread,
            axis,
            from_end,
            scalars,
            bits,
            seed,
        })
}
