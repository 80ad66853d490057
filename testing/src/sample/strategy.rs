//! Plans for proptest: sizes that shrink to 1, values that shrink to few digits.

use super::plan::{Plan, Spread};
use proptest::prelude::*;
use tensor_op_spec::ir::Graph;

/// Small plans for an op; `largest` bounds each size.
pub(crate) fn plans(graph: &Graph, largest: usize) -> impl Strategy<Value = Plan> + use<> {
    let (dims, args) = (graph.dims.len(), graph.args.len());
    let spread = prop_oneof![3 => Just(Spread::Full), 1 => Just(Spread::Short), 1 => Just(Spread::Ones)];
    (
        prop::collection::vec(1..=largest, dims),
        prop::collection::vec(1..=largest.min(4), 0..=4),
        prop::collection::vec(spread, args),
        0..3usize,
        any::<bool>(),
        any::<bool>(),
        2..=40u32,
        any::<u64>().no_shrink(),
    )
        .prop_map(|(dims, group, spread, axis, from_end, other_scalars, bits, seed)| Plan {
            dims,
            group,
            spread,
            axis,
            from_end,
            other_scalars,
            bits,
            seed,
        })
}
