//! What is claimed of an op, one module per claim.

mod differences;
mod forward;
mod given_rule;
mod gradcheck;
mod guards;
mod large;
mod layouts;
mod masks;
mod repeatable;
mod repeated;
mod special_values;

pub(crate) use forward::both;
pub(crate) use large::bits;

use crate::place::unopened;
use crate::random;
use crate::report::{Failure, Report, Tally};
use crate::sample::{Plan, Point, sample};
use crate::tape::inputs;
use std::fmt;
use tensor_op_core::{Error, ErrorKind, Op, TensorData, Value};
use tensor_op_spec::ir::Graph;

/// Something that holds of every declared op.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Claim {
    /// The op and its gradient agree with the f64 reference interpreter, on each device and dtype, within the derived bound.
    Forward,
    /// Gradients through `Autodiff` agree with differences.
    Gradcheck,
    /// So do their gradients.
    Gradgradcheck,
    /// A rule that `#[grad(..)]` gives agrees with the derived one.
    GivenRule,
    /// Gradients are the same whichever arguments are tracked.
    Masks,
    /// Arguments may be views: transposed, sliced with an offset and a step, broadcast with stride 0, backwards.
    Views,
    /// Sizes may be 0, 1, odd and prime, longer than a register, a block, a plane or a cube; `..` of rank 0 to 6.
    Shapes,
    /// Zeros of either sign, infinities, NaN, the smallest and largest numbers, kinks, singular points and ties follow the reference.
    SpecialValues,
    /// Results are the same to the bit from run to run and for any number of threads.
    Repeatable,
    /// Nothing outside of the results is written, and nothing outside of the arguments has an effect.
    Guards,
}

/// What one claim found; `Err` is the case that fails.
pub(crate) type Outcome = Result<Tally, String>;

impl Claim {
    /// Every claim.
    pub const ALL: &[Claim] = &[
        Claim::Forward,
        Claim::Gradcheck,
        Claim::Gradgradcheck,
        Claim::GivenRule,
        Claim::Masks,
        Claim::Views,
        Claim::Shapes,
        Claim::SpecialValues,
        Claim::Repeatable,
        Claim::Guards,
    ];

    /// Name of the generated test.
    pub fn name(self) -> &'static str {
        match self {
            Claim::Forward => "forward",
            Claim::Gradcheck => "gradcheck",
            Claim::Gradgradcheck => "gradgradcheck",
            Claim::GivenRule => "given_rule",
            Claim::Masks => "masks",
            Claim::Views => "views",
            Claim::Shapes => "shapes",
            Claim::SpecialValues => "special_values",
            Claim::Repeatable => "repeatable",
            Claim::Guards => "guards",
        }
    }

    /// Checks the claim for an op. The report of a claim that is not about such an op says so, as of gradients that it doesn't have. An `Err`
    /// is the smallest case that fails, or says why nothing could be compared.
    pub fn check(self, op: &dyn Op) -> Result<Report, Failure> {
        let name = op.spec().name().to_string();
        if let Some(why) = self.not_applicable(op) {
            let tally = Tally::default();
            return Ok(Report { op: name, claim: self, tally, not_applicable: Some(why) });
        }
        let outcome = random::seed().map_err(told).and_then(|seed| match self {
            Claim::Forward => forward::check(op, seed),
            Claim::Gradcheck => gradcheck::first(op, seed),
            Claim::Gradgradcheck => gradcheck::second(op, seed),
            Claim::GivenRule => given_rule::check(op, seed),
            Claim::Masks => masks::check(op, seed),
            Claim::Views => layouts::views(op, seed),
            Claim::Shapes => layouts::shapes(op, seed),
            Claim::SpecialValues => special_values::check(op, seed),
            Claim::Repeatable => repeatable::check(op, seed),
            Claim::Guards => guards::check(op, seed),
        });
        let outcome = match outcome {
            Ok(mut tally) => {
                unopened().into_iter().for_each(|why| tally.add(Tally::nothing(why)));
                tally.checked().map_err(|why| (why, false))
            }
            Err(what) => Err((what, true)),
        };
        match outcome {
            Ok(tally) => Ok(Report { op: name, claim: self, tally, not_applicable: None }),
            Err((what, is_wrong)) => Err(Failure { op: name, claim: self, what, is_wrong }),
        }
    }

    /// Why the claim is not about an op.
    fn not_applicable(self, op: &dyn Op) -> Option<String> {
        let has_gradient = op.backward().is_some() && !inputs(op.spec().graph()).is_empty();
        let no_gradient = (!has_gradient).then(|| "no argument has a gradient".to_string());
        match self {
            Claim::Forward | Claim::Views | Claim::Shapes | Claim::SpecialValues => None,
            Claim::Repeatable | Claim::Guards => None,
            Claim::Masks | Claim::Gradcheck => no_gradient,
            Claim::Gradgradcheck => no_gradient.or_else(|| gradcheck::no_second(op)),
            Claim::GivenRule => no_gradient.or_else(|| given_rule::not_applicable(op)),
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

/// A point for differences; none where sizes leave none, as of a standard deviation of one element.
fn smooth_point(graph: &Graph, plan: &Plan) -> Result<Option<Vec<Value<TensorData>>>, String> {
    match sample(graph, plan, Point::Smooth) {
        Ok(args) => Ok(Some(args)),
        Err(error) if error.kind() == ErrorKind::Unsupported => Ok(None),
        Err(error) => Err(told(error)),
    }
}

/// What is said of such sizes.
const NO_POINT: &str = "sizes at which no point is away from kinks and singular points";
