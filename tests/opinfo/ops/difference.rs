//! Differences and integrals of neighbours.

use super::Entry;
use crate::call::{Argument, Call, Outcome};
use crate::windows::on_last;
use tensor_op::Axes;
use tensor_op::catalogue::calculus::{Spacing, gradient, trapezoid};
use tensor_op::catalogue::movement;
use tensor_op::prelude::*;

/// `diff(n, dim, prepend, append)`.
fn diff(call: &Call) -> Outcome {
    let (x, times, axis) = (call.x()?, call.int(1, "n")?.unwrap_or(1), call.int(2, "dim")?.unwrap_or(-1));
    if times == 0 {
        return Ok(vec![x]);
    }
    let around = [call.optional(3, "prepend")?, Some(x), call.optional(4, "append")?];
    let mut x = Tensor::cat(&around.into_iter().flatten().collect::<Vec<_>>(), axis)?;
    for _ in 0..times {
        if x.shape()[x.shape().axis(axis)?] == 0 {
            break;
        }
        x = on_last(&x, axis, movement::diff)?;
    }
    Ok(vec![x])
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
