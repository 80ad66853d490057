//! Windows, read at a point.

use super::{Plain, Point};
use tensor_op_core::BoundAxis;
use tensor_op_core::execute::Window;
use tensor_op_spec::ir::Scalar;

/// The element of a window at a point, or the value outside.
pub(super) fn at_window(window: &Window<Plain>, point: &Point) -> Scalar {
    let moved = |bound: &BoundAxis| if bound.size == 1 { 0 } else { point[&bound.axis] as i64 };
    let mut place: Vec<i64> = window.start.iter().map(|at| *at as i64).collect();
    for (bound, steps) in &window.axes {
        place.iter_mut().zip(steps).for_each(|(at, step)| *at += *step as i64 * moved(bound));
    }
    for guard in &window.guards {
        let steps = window.axes.iter().map(|(bound, _)| guard.step(bound.axis) * moved(bound));
        let number = guard.first + steps.sum::<i64>();
        if number % guard.divisor != 0 || !(0..guard.size as i64).contains(&(number / guard.divisor)) {
            return window.outside;
        }
        place[guard.at] = number / guard.divisor;
    }
    let strides = window.source.shape.strides();
    let at: usize = place.iter().zip(strides.iter()).map(|(at, stride)| *at as usize * stride).sum();
    window.source.numbers()[at]
}
