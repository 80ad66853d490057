//! Error bounds of scans. They hold for any cut into pieces, of which each is first combined by itself.

use super::terms::Terms;
use super::{Bounded, Rounding};
use tensor_op_core::{Domain, Plain, Result, recurrence};
use tensor_op_spec::ir::{Kind, Scalar};
use tensor_op_spec::prim::{Fold, Scan};

/// Each result is a reduction of what came so far, in any order.
pub(super) fn prefixes(
    rounding: &Rounding,
    (scan, fold): (Scan, Fold),
    elements: &[Bounded],
    kind: Kind,
) -> Result<Vec<Bounded>> {
    let values: Vec<Scalar> = elements.iter().map(|element| element.value).collect();
    let values = Plain.scan(scan, &[values], kind)?;
    let mut terms = Terms::none();
    let bounded = |(element, value): (&Bounded, Scalar)| {
        terms.push(rounding, element);
        let error = terms.bound(rounding, fold, value, kind).unwrap_or(f64::INFINITY);
        rounding.flushed(Bounded { value, error })
    };
    Ok(elements.iter().zip(values).map(bounded).collect())
}

/// Of a recurrence, a piece is the product of its factors, and what it adds. A result is a sum of products:
/// each term times all factors behind it. It is off by at most a unit of the sum of magnitudes for each
/// rounding: two multiplications and an addition at each element.
pub(super) fn linear(rounding: &Rounding, factors: &[Bounded], terms: &[Bounded]) -> Result<Vec<Bounded>> {
    let mut results = recurrence(rounding, factors, terms)?;
    if !rounding.rounds {
        return Ok(results);
    }
    let unit = rounding.unit();
    let (mut magnitude, mut carried, mut largest, mut growth) = (0.0_f64, 0.0_f64, 0.0_f64, 0.0_f64);
    for (at, result) in results.iter_mut().enumerate() {
        let [(a, of_a), (b, of_b)] = [factors[at], terms[at]].map(|x| (x.value.as_f64().abs(), x.error));
        if at == 0 {
            (magnitude, carried, largest) = (b, of_b, b);
            continue;
        }
        carried = a * carried + of_a * (magnitude + carried) + of_b;
        magnitude = a * magnitude + b;
        largest = largest.max(magnitude + carried);
        growth += a.ln().max(0.0);
        // A product of factors may underflow, and then leaves out what comes before it.
        let lost = rounding.format.min_positive() * (1.0 + largest) * (at + 1) as f64;
        let error = carried + 3.0 * (at + 1) as f64 * unit * (magnitude + carried) + lost;
        let fits = largest + error <= rounding.format.max && growth < rounding.format.max.ln();
        // Infinity times a product of factors that underflows is NaN.
        let error = if fits { error } else { f64::INFINITY };
        result.error = result.error.max(error);
    }
    Ok(results)
}
