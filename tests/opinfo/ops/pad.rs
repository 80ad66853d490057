//! Padding by ops of the catalogue.

use super::Entry;
use crate::call::{Call, Outcome, Stop};
use crate::windows::padded;
use tensor_op::catalogue::padding::{
    circular_pad1d, circular_pad2d, circular_pad3d, constant_pad2d, constant_pad3d, pad, reflection_pad1d,
    reflection_pad2d, reflection_pad3d, replication_pad1d, replication_pad2d, replication_pad3d,
};
use tensor_op::prelude::*;

/// The sizes of a call: two for each axis, of which the last axis comes first.
fn sizes(call: &Call) -> Outcome<Vec<i64>> {
    Ok(call.list(1, "pad")?.unwrap_or_default())
}

fn too_many() -> Stop {
    Stop::Argument("there are one to three axes to pad".to_string())
}

/// `pad(sizes, mode, value)`, or `constant_pad_nd(sizes, value)`.
fn with_value(call: &Call, place: usize) -> Outcome {
    let value = call.number(place, "value")?.unwrap_or(0.0);
    let x = call.x()?;
    Ok(vec![match sizes(call)?[..] {
        [l, r] => pad(x, l, r, value)?,
        [l, r, t, b] => constant_pad2d(x, l, r, t, b, value)?,
        [l, r, t, b, f, k] => constant_pad3d(x, l, r, t, b, f, k, value)?,
        ref more => {
            let pairs: Vec<(i64, i64)> = more.chunks(2).rev().map(|pair| (pair[0], pair[1])).collect();
            padded(&x, x.rank() - pairs.len(), &pairs, value)?
        }
    }])
}

fn reflect(call: &Call) -> Outcome {
    let x = call.x()?;
    Ok(vec![match sizes(call)?[..] {
        [l, r] => reflection_pad1d(x, l, r)?,
        [l, r, t, b] => reflection_pad2d(x, l, r, t, b)?,
        [l, r, t, b, f, k] => reflection_pad3d(x, l, r, t, b, f, k)?,
        _ => return Err(too_many()),
    }])
}

fn replicate(call: &Call) -> Outcome {
    let x = call.x()?;
    Ok(vec![match sizes(call)?[..] {
        [l, r] => replication_pad1d(x, l, r)?,
        [l, r, t, b] => replication_pad2d(x, l, r, t, b)?,
        [l, r, t, b, f, k] => replication_pad3d(x, l, r, t, b, f, k)?,
        _ => return Err(too_many()),
    }])
}

/// Elements that are cut off are not repeated.
fn circular(call: &Call) -> Outcome {
    let sizes = sizes(call)?;
    let mut x = call.x()?;
    for (at, pair) in sizes.chunks(2).enumerate() {
        let axis = -(at as i64) - 1;
        let whole = x.shape()[x.shape().axis(axis)?] as i64;
        x = x.slice(axis, (-pair[0]).max(0)..whole + pair[1].min(0))?;
    }
    let sizes: Vec<usize> = sizes.iter().map(|size| *size.max(&0) as usize).collect();
    Ok(vec![match sizes[..] {
        [l, r] => circular_pad1d(x, l, r)?,
        [l, r, t, b] => circular_pad2d(x, l, r, t, b)?,
        [l, r, t, b, f, k] => circular_pad3d(x, l, r, t, b, f, k)?,
        _ => return Err(too_many()),
    }])
}

pub(super) fn table() -> Vec<Entry> {
    vec![
        Entry::new("constant_pad_nd", |call| with_value(call, 2)),
        Entry::new("nn.functional.pad circular", circular),
        Entry::new("nn.functional.pad constant", |call| with_value(call, 3)),
        Entry::new("nn.functional.pad reflect", reflect),
        Entry::new("nn.functional.pad replicate", replicate),
        Entry::new("nn.functional.pad replicate_negative", replicate),
    ]
}
