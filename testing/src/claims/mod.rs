//! What is claimed of an op, one module per claim.

mod forward;
mod given_rule;

use crate::random;
use crate::report::{Failure, Report, Tally};
use std::fmt;
use tensor_op_core::{Error, Op};

/// Something that holds of every declared op.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Claim {
    /// The op and its gradient agree with the f64 reference interpreter, on each device and dtype, within the derived bound.
    Forward,
    /// A rule that `#[grad(..)]` gives agrees with the derived one.
    GivenRule,
}

/// What one claim found; `Err` is the case that fails.
pub(crate) type Outcome = Result<Tally, String>;

impl Claim {
    /// Every claim.
    pub const ALL: &[Claim] = &[Claim::Forward, Claim::GivenRule];

    /// Name of the generated test.
    pub fn name(self) -> &'static str {
        match self {
            Claim::Forward => "forward",
            Claim::GivenRule => "given_rule",
        }
    }

    /// Checks the claim for an op.
    pub fn check(self, op: &dyn Op) -> Result<Report, Failure> {
        let name = op.spec().name().to_string();
        let outcome = random::seed().map_err(told).and_then(|seed| match self {
            Claim::Forward => forward::check(op, seed),
            Claim::GivenRule => given_rule::check(op, seed),
        });
        match outcome {
            Ok(tally) => Ok(Report { op: name, claim: self, tally }),
            Err(what) => Err(Failure { op: name, claim: self, what }),
        }
    }
}

impl fmt::Display for Claim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// An error of the op, as a failure.
pub(crate) fn told(error: Error) -> String {
    format!("error: {error}")
}
