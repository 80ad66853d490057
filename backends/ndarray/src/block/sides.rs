//! Folds of rows that lie side by side: each function takes one more element for each of many lanes.
//!
//! A row has the lanes that it has in [`fold`](super::fold), which are joined in the same order, so it gets
//! the same bits.

use super::fold::Fold;
use super::multiversion::multiversion;

multiversion! {
    /// Adds an element to each lane.
    pub fn sum<E: Fold>(lanes: &'b mut [E], values: &'a [E]) {
        lanes.iter_mut().zip(values).for_each(|(lane, value)| *lane = E::add(*lane, *value));
    }

    /// Multiplies each lane by an element.
    pub fn prod<E: Fold>(lanes: &'b mut [E::Wide], values: &'a [E]) {
        lanes.iter_mut().zip(values).for_each(|(lane, value)| *lane = E::mul_wide(*lane, value.widen()));
    }

    /// Keeps the larger element in each lane; NaN if either is NaN.
    pub fn max<E: Fold>(lanes: &'b mut [E], values: &'a [E]) {
        for (lane, value) in lanes.iter_mut().zip(values) {
            *lane = if lane.is_nan() { *lane } else { lane.larger(*value) };
        }
    }

    /// Keeps the smaller element in each lane; NaN if either is NaN.
    pub fn min<E: Fold>(lanes: &'b mut [E], values: &'a [E]) {
        for (lane, value) in lanes.iter_mut().zip(values) {
            *lane = if lane.is_nan() { *lane } else { lane.smaller(*value) };
        }
    }
}
