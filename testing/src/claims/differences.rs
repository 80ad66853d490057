//! Compares gradients with slopes, which are differences of a reference. They may be as far apart as the
//! bounds of both allow.

use super::Outcome;
use crate::bound::Bounded;
use crate::case::{Case, ElementOf, number};
use crate::claims::told;
use crate::random::Random;
use crate::report::Tally;
use crate::slope::{Slope, step};
use crate::tape::{Gradients, Reference};
use tensor_op_core::{Result, TensorData, Value};

/// Note for an element whose difference is too inexact to say anything.
const LOST: &str = "a slope less than the bound of its difference";
/// Note for an element whose gradient is infinite or NaN by the formula.
const SINGULAR: &str = "a gradient that is no number, by convention, as in a branch that is not chosen";

/// A function at a point, and its gradients by the reference.
pub(super) struct Differences<'d> {
    pub(super) reference: &'d Reference,
    pub(super) args: &'d [Value<TensorData>],
    /// Weights of the results. The weighted sum is differentiated.
    pub(super) weights: &'d [Option<TensorData>],
    pub(super) derived: &'d Gradients,
    /// The call of the op, for the text of a failure.
    pub(super) case: Case<'d>,
    pub(super) seed: u64,
    /// The largest number of elements of a tensor that are moved.
    pub(super) moved: usize,
}

/// An element of a gradient.
struct Entry {
    index: usize,
    found: f64,
    slope: Slope,
    derived: Bounded,
}

impl Differences<'_> {
    /// Compares a gradient with the slopes for elements of one argument of the reference. `name` and `place`
    /// are for the text of a failure.
    pub(super) fn compare(
        &self,
        input: usize,
        found: Option<&TensorData>,
        name: &str,
        place: ElementOf,
    ) -> Outcome {
        let entries = self.entries(input, found).map_err(told)?;
        // If the bound of an element is larger than the largest element of the gradient, the comparison says
        // nothing.
        let sizes = entries.iter().flat_map(|entry| [entry.found.abs(), entry.slope.value.abs()]);
        let size = sizes.filter(|size| size.is_finite()).fold(0.0, f64::max);
        let mut tally = Tally::default();
        for Entry { index, found, slope, derived } in entries {
            if !found.is_finite() && !derived.value.as_f64().is_finite() {
                tally.add(Tally { unbounded: 1, ..Tally::nothing(SINGULAR) });
                continue;
            }
            // The error of the gradient counts twice: once for the compared gradient, and once because the
            // value that stands still in differences is rounded in the gradient too.
            let bound = slope.error + 2.0 * derived.error;
            if bound == f64::INFINITY {
                tally.unbounded += 1;
                continue;
            }
            let distance = (found - slope.value).abs();
            let ratio = if distance == 0.0 { 0.0 } else { distance / bound };
            if ratio.is_nan() || ratio > 1.0 {
                let [is, slope, bound] = [found, slope.value, bound].map(number);
                let what = format!("is {is}, differences give {slope}; the bound is {bound}");
                return Err(self.case.told_at(name, place, index, &what));
            }
            if bound > size {
                tally.add(Tally { unbounded: 1, ..Tally::nothing(LOST) });
                continue;
            }
            tally.elements += 1;
            tally.ratio = tally.ratio.max(ratio);
        }
        Ok(tally)
    }

    fn entries(&self, input: usize, found: Option<&TensorData>) -> Result<Vec<Entry>> {
        let Some(data) = self.args[input].tensor() else { return Ok(vec![]) };
        let (x, found) = (data.as_slice::<f64>()?, found.map(TensorData::as_slice::<f64>).transpose()?);
        let derived = self.derived.get(&input);
        let zero = Bounded::of_float(0.0);
        let entry = |index: usize| {
            let at = |offset: f64| self.reference.moved(self.args, input, index, offset);
            Ok(Entry {
                index,
                found: found.map_or(0.0, |found| found[index]),
                slope: Slope::of(step(x[index]), self.weights, at)?,
                derived: derived.and_then(|derived| derived.values.get(index)).copied().unwrap_or(zero),
            })
        };
        self.indices(input, x.len()).into_iter().map(entry).collect()
    }

    /// The indices of the elements that are moved.
    fn indices(&self, input: usize, elements: usize) -> Vec<usize> {
        if elements <= self.moved {
            return (0..elements).collect();
        }
        let mut random = Random::new(&[self.seed, input as u64]);
        (0..self.moved).map(|_| random.below(elements as u64) as usize).collect()
    }
}
