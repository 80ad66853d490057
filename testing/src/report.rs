//! What a claim found: figures if it holds, the failing case if it doesn't.

use crate::bound::Found;
use crate::random::SEED_VARIABLE;
use crate::{Claim, random};
use std::fmt;

/// A claim that holds, or that does not apply to the op.
#[derive(Clone, Debug)]
pub struct Report {
    /// Name of the op.
    pub op: String,
    /// The claim that was checked.
    pub claim: Claim,
    /// The figures of what was compared.
    pub tally: Tally,
    /// The reason why the claim does not apply to the op.
    pub not_applicable: Option<String>,
}

/// Figures of the comparisons of a claim.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tally {
    /// Calls of the op.
    pub cases: usize,
    /// Elements that were compared.
    pub elements: usize,
    /// Elements without a bound, because of an overflow or a choice that rounding may change.
    pub unbounded: usize,
    /// The largest ratio of error to bound. It is 0 where nothing rounds, and at most 1 if the claim holds.
    pub ratio: f64,
    /// What was not checked, or checked in another way than usual, and why. Each note has the number of times
    /// that it was made.
    pub notes: Vec<(String, usize)>,
    /// What the device says of the first call that it refused.
    pub refused: Option<String>,
}

/// A claim that does not hold.
#[derive(Clone, Debug)]
pub struct Failure {
    /// Name of the op.
    pub op: String,
    /// The claim that was checked.
    pub claim: Claim,
    /// The smallest failing case that was found, with its results; or the reason why nothing could be
    /// compared.
    pub what: String,
    /// Whether a case fails. If false, nothing could be compared.
    pub is_wrong: bool,
}

/// Note for cases that the quick level leaves out.
const LEFT_OUT: &str = "a case that is left to TENSOR_OP_TESTS=full";

impl Tally {
    /// One call, in which nothing was compared.
    pub(crate) const CASE: Tally =
        Tally { cases: 1, elements: 0, unbounded: 0, ratio: 0.0, notes: vec![], refused: None };

    /// Nothing was checked, for this reason.
    pub(crate) fn nothing(why: impl Into<String>) -> Tally {
        Tally { notes: vec![(why.into(), 1)], ..Tally::default() }
    }

    /// A case that the level leaves out.
    pub(crate) fn left_out() -> Tally {
        Tally::nothing(LEFT_OUT)
    }

    pub(crate) fn add(&mut self, other: Tally) {
        self.cases += other.cases;
        self.elements += other.elements;
        self.unbounded += other.unbounded;
        self.ratio = self.ratio.max(other.ratio);
        self.refused = self.refused.take().or(other.refused);
        for (why, count) in other.notes {
            match self.notes.iter_mut().find(|(note, _)| *note == why) {
                Some((_, sum)) => *sum += count,
                None => self.notes.push((why, count)),
            }
        }
    }

    /// Returns an `Err` with the reasons if nothing was compared.
    pub(crate) fn checked(self) -> Result<Tally, String> {
        if self.elements > 0 {
            return Ok(self);
        }
        let free = format!("{} elements without a bound", self.unbounded);
        let free = (self.unbounded > 0).then_some(free);
        let why: Vec<String> = self.noted().chain(free).collect();
        let why = if why.is_empty() { "no result has an element".to_string() } else { why.join("; ") };
        Err(format!("nothing could be compared in {} calls: {why}", self.cases))
    }

    fn noted(&self) -> impl Iterator<Item = String> + '_ {
        self.notes.iter().map(|(why, count)| format!("{count} x {why}"))
    }

    pub(crate) fn add_found(&mut self, found: Found) {
        self.elements += found.bounded;
        self.unbounded += found.free;
        self.ratio = self.ratio.max(found.ratio);
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}: ", self.op, self.claim)?;
        if let Some(why) = &self.not_applicable {
            return write!(f, "not applicable: {why}");
        }
        let Tally { cases, elements, unbounded, ratio, .. } = &self.tally;
        write!(f, "{cases} calls, {elements} elements")?;
        if *unbounded > 0 {
            write!(f, " and {unbounded} without a bound")?;
        }
        write!(f, ", largest error over bound {ratio:.3}")?;
        self.tally.noted().try_for_each(|note| write!(f, "; {note}"))
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}: {} does not hold", self.op, self.claim)?;
        write!(f, "{}", self.what)?;
        // If the seed is not valid, nothing was run.
        let Ok(seed) = random::seed() else { return Ok(()) };
        let package =
            std::env::var("CARGO_PKG_NAME").map_or_else(|_| String::new(), |name| format!(" -p {name}"));
        write!(
            f,
            "\nto replay:\n{SEED_VARIABLE}={seed} cargo test{package} {}_tests::{}",
            self.op, self.claim
        )
    }
}

impl std::error::Error for Failure {}
