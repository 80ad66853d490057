//! Padding.

use super::Entry;
use crate::call::{Call, Outcome};
use tensor_op::Number;
use tensor_op::catalogue::padding::PadMode;

/// `pad(sizes, mode, value)`, or `constant_pad_nd(sizes, value)`. The sizes are two for each axis, of which
/// the last axis comes first.
fn padded(call: &Call, mode: PadMode, place: usize) -> Outcome {
    let sizes = call.list(1, "pad")?.unwrap_or_default();
    let pairs: Vec<(i64, i64)> = sizes.chunks(2).map(|pair| (pair[0], pair[1])).collect();
    Ok(vec![call.x()?.pad(pairs, mode, call.number(place, "value")?.map(Number::Float))?])
}

pub(super) fn table() -> Vec<Entry> {
    vec![
        Entry::new("constant_pad_nd", |call| padded(call, PadMode::Constant, 2)),
        Entry::new("nn.functional.pad circular", |call| padded(call, PadMode::Circular, 3)),
        Entry::new("nn.functional.pad constant", |call| padded(call, PadMode::Constant, 3)),
        Entry::new("nn.functional.pad reflect", |call| padded(call, PadMode::Reflect, 3)),
        Entry::new("nn.functional.pad replicate", |call| padded(call, PadMode::Replicate, 3)),
        Entry::new("nn.functional.pad replicate_negative", |call| padded(call, PadMode::Replicate, 3)),
    ]
}
