//! Differences and integrals of neighbours.

use super::Entry;
use crate::call::{Argument, Call, Outcome};
use tensor_op::Axes;
use tensor_op::catalogue::calculus::{Spacing, gradient, trapezoid};
use tensor_op::catalogue::movement;
use tensor_op::prelude::*;

/// `diff(n, dim, prepend, append)`.
fn diff(call: &Call) -> Outcome {
    let (times, axis) = (call.int(1, "n")?.map(|times| times as usize), call.int(2, "dim")?);
    let (before, behind) = (call.optional(3, "prepend")?, call.optional(4, "append")?);
    Ok(vec![movement::diff(call.x()?, times, axis, before, behind)?])
}

fn area(call: &Call) -> Outcome {
    let (x, dx) = (call.optional(1, "x")?, call.number(usize::MAX, "dx")?);
    Ok(vec![trapezoid(call.x()?, x, dx, call.int(usize::MAX, "dim")?)?])
}

/// `gradient(spacing, dim, edge_order)`: a distance, or distances or points for each axis.
fn slopes(call: &Call) -> Outcome {
    let x = call.x()?;
    let (mut widths, mut points) = (vec![], vec![]);
    if let Argument::List(list) = call.get(usize::MAX, "spacing") {
        for one in list {
            match one {
                Argument::Float(width) => widths.push(*width),
                Argument::Int(width) => widths.push(*width as f64),
                Argument::Tensor(places) => points.push(places.clone()),
                _ => return Err(call.wrong("spacing", "distances or points")),
            }
        }
    }
    let spacing = if !points.is_empty() {
        Some(Spacing::Points(&points))
    } else if !widths.is_empty() {
        Some(Spacing::EvenEach(&widths))
    } else {
        call.number(usize::MAX, "spacing")?.map(Spacing::Even)
    };
    let axes = call.list(usize::MAX, "dim")?.map_or_else(Axes::all, |axes| Axes::of(&axes));
    let order = call.int(usize::MAX, "edge_order")?.map(|order| order as usize);
    Ok(gradient(x, spacing, axes, order)?)
}

pub(super) fn table() -> Vec<Entry> {
    vec![
        Entry::new("diff", diff),
        Entry::new("gradient", slopes),
        Entry::new("trapezoid", area),
        Entry::new("trapz", area),
    ]
}
