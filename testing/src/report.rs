//! What a claim found: figures if it holds, the case if it doesn't.

use crate::bound::Found;
use crate::random::SEED_VARIABLE;
use crate::{Claim, random};
use std::fmt;

/// A claim that holds.
#[derive(Clone, Debug)]
pub struct Report {
    /// Name of the op.
    pub op: String,
    /// What was claimed.
    pub claim: Claim,
    /// What was compared.
    pub tally: Tally,
}

/// Figures of the comparisons of a claim.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Tally {
    /// Calls of the op.
    pub cases: usize,
    /// Elements that were compared.
    pub elements: usize,
    /// Elements for which no bound could be given: overflow on the way, or a choice that rounding may change.
    pub unbounded: usize,
    /// The largest error over its bound. 0 where nothing rounds, at most 1 if the claim holds.
    pub ratio: f64,
}

/// A claim that does not hold.
#[derive(Clone, Debug)]
pub struct Failure {
    /// Name of the op.
    pub op: String,
    /// What was claimed.
    pub claim: Claim,
    /// The smallest case that was found, and what came out.
    pub what: String,
}

impl Tally {
    /// One call, without comparisons.
    pub(crate) const CASE: Tally = Tally { cases: 1, elements: 0, unbounded: 0, ratio: 0.0 };

    pub(crate) fn add(&mut self, other: Tally) {
        self.cases += other.cases;
        self.elements += other.elements;
        self.unbounded += other.unbounded;
        self.ratio = self.ratio.max(other.ratio);
    }

    pub(crate) fn add_found(&mut self, found: Found) {
        self.elements += found.bounded;
        self.unbounded += found.free;
        self.ratio = self.ratio.max(found.ratio);
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Tally { cases, elements, unbounded, ratio } = self.tally;
        write!(f, "{}: {}: {cases} calls, {elements} elements", self.op, self.claim)?;
        if unbounded > 0 {
            write!(f, " and {unbounded} without a bound")?;
        }
        write!(f, ", largest error over bound {ratio:.3}")
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let seed = random::seed().unwrap_or_default();
        writeln!(f, "{}: {} does not hold", self.op, self.claim)?;
        writeln!(f, "{}", self.what)?;
        write!(f, "to replay: {SEED_VARIABLE}={seed} cargo test {}_tests::{}", self.op, self.claim)
    }
}

impl std::error::Error for Failure {}
