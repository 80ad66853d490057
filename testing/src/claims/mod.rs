//! The claims about an op, one module for each.

mod associative;
mod buffers;
mod checkpoint;
mod differences;
mod forward;
mod given_rule;
mod grad_layouts;
mod gradcheck;
mod guards;
mod jvp;
mod lanes;
mod large;
mod layouts;
mod masks;
mod repeatable;
mod repeated;
mod special_values;

pub(crate) use forward::both;
pub(crate) use large::bits;

use crate::place::unopened;
use crate::report::{Failure, Report, Tally};
use crate::sample::{Point, SamplePlan, sample};
use crate::scope::Scope;
use crate::tape::inputs;
use std::fmt;
use tensor_op_core::{DType, Error, ErrorKind, Op, TensorData, Value};
use tensor_op_spec::ir::Graph;

/// A property that every declared op should have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Claim {
    /// The op and its gradient agree with the f64 reference interpreter, on each device and dtype, within the
    /// derived bound.
    Forward,
    /// Gradients through `Autodiff` agree with differences.
    Gradcheck,
    /// Gradients of gradients agree with differences too.
    Gradgradcheck,
    /// Derivatives along a direction, in forward mode, agree with differences and with the gradient.
    Jvp,
    /// A rule given by `#[grad(..)]` agrees with the derived rule.
    GivenRule,
    /// Gradients are the same, whichever arguments are tracked.
    Masks,
    /// Gradients are the same to the bit, whether results are kept or computed again in the backward pass.
    Checkpoint,
    /// The incoming gradient may be a view: transposed, stepped, or broadcast with stride 0.
    GradLayouts,
    /// Arguments may be views: transposed, sliced with an offset and a step, broadcast with stride 0, or
    /// backwards.
    Views,
    /// Sizes may be 0, 1, odd and prime, longer than a register, a block, a plane or a cube; `..` of rank 0
    /// to 6.
    Shapes,
    /// Zeros of either sign, infinities, NaN, the smallest and largest numbers, kinks, singular points and
    /// ties follow the reference.
    SpecialValues,
    /// Equal elements give equal results to the bit, in whole vectors and in the tail.
    Lanes,
    /// If the same memory holds new values, a call gives the results of the new values.
    SameBuffers,
    /// Results are the same to the bit from run to run and for any number of threads.
    Repeatable,
    /// A call writes nothing outside of its results, and nothing outside of its arguments has an effect.
    Guards,
    /// An op that is declared as `associative` combines three tuples to the same, whichever two it combines
    /// first. Other ops have no such claim, and it is not in [`Claim::ALL`].
    Associative,
}

/// The figures of one claim; `Err` is the text of the case that fails.
pub(crate) type Outcome = Result<Tally, String>;

impl Claim {
    /// Every claim that can be made about any op.
    pub const ALL: &[Claim] = &[
        Claim::Forward,
        Claim::Gradcheck,
        Claim::Gradgradcheck,
        Claim::Jvp,
        Claim::GivenRule,
        Claim::Masks,
        Claim::Checkpoint,
        Claim::GradLayouts,
        Claim::Views,
        Claim::Shapes,
        Claim::SpecialValues,
        Claim::Lanes,
        Claim::SameBuffers,
        Claim::Repeatable,
        Claim::Guards,
    ];

    /// The name of the generated test.
    pub fn name(self) -> &'static str {
        match self {
            Claim::Forward => "forward",
            Claim::Gradcheck => "gradcheck",
            Claim::Gradgradcheck => "gradgradcheck",
            Claim::Jvp => "jvp",
            Claim::GivenRule => "given_rule",
            Claim::Masks => "masks",
            Claim::Checkpoint => "checkpoint",
            Claim::GradLayouts => "grad_layouts",
            Claim::Views => "views",
            Claim::Shapes => "shapes",
            Claim::SpecialValues => "special_values",
            Claim::Lanes => "lanes",
            Claim::SameBuffers => "same_buffers",
            Claim::Repeatable => "repeatable",
            Claim::Guards => "guards",
            Claim::Associative => "associative",
        }
    }

    /// Checks the claim for an op, at the level of the environment and in all dtypes. If the claim does not
    /// apply to the op (for example, the op has no gradients), the report says so.
    ///
    /// # Errors
    ///
    /// The smallest case that fails, or why nothing could be compared.
    pub fn check(self, op: &dyn Op) -> Result<Report, Failure> {
        let scope = Scope::of_environment().map_err(|error| Failure {
            op: op.spec().name().to_string(),
            claim: self,
            what: told(error),
            is_wrong: true,
        })?;
        self.check_in(op, &scope)
    }

    /// Does the same as [`Claim::check`], in a given scope.
    ///
    /// # Errors
    ///
    /// Those of [`Claim::check`].
    pub fn check_in(self, op: &dyn Op, scope: &Scope) -> Result<Report, Failure> {
        let name = op.spec().name().to_string();
        if let Some(why) = self.not_applicable(op, scope) {
            let tally = Tally::default();
            return Ok(Report { op: name, claim: self, tally, not_applicable: Some(why) });
        }
        let scope = &scope.part();
        let outcome = match self {
            Claim::Forward => forward::check(op, scope),
            Claim::Gradcheck => gradcheck::first(op, scope),
            Claim::Gradgradcheck => gradcheck::second(op, scope),
            Claim::Jvp => jvp::check(op, scope),
            Claim::GivenRule => given_rule::check(op, scope),
            Claim::Masks => masks::check(op, scope),
            Claim::Checkpoint => checkpoint::check(op, scope),
            Claim::GradLayouts => grad_layouts::check(op, scope),
            Claim::Views => layouts::views(op, scope),
            Claim::Shapes => layouts::shapes(op, scope),
            Claim::SpecialValues => special_values::check(op, scope),
            Claim::Lanes => lanes::check(op, scope),
            Claim::SameBuffers => buffers::check(op, scope),
            Claim::Repeatable => repeatable::check(op, scope),
            Claim::Guards => guards::check(op, scope),
            Claim::Associative => associative::check(op, scope),
        };
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

    /// The reason why the claim does not apply to an op, or in a scope.
    fn not_applicable(self, op: &dyn Op, scope: &Scope) -> Option<String> {
        let has_gradient = op.backward().is_some() && !inputs(op.spec().graph()).is_empty();
        let no_gradient = (!has_gradient).then(|| "no argument has a gradient".to_string());
        // Gradients are compared in f64.
        let no_f64 = || (!scope.takes(DType::F64)).then(|| "the tests of the op are not in f64".to_string());
        match self {
            Claim::Forward | Claim::Views | Claim::Shapes | Claim::SpecialValues => None,
            Claim::SameBuffers | Claim::Repeatable | Claim::Guards => None,
            Claim::Associative => associative::not_applicable(op),
            Claim::Lanes => lanes::not_applicable(op),
            Claim::Masks | Claim::Gradcheck | Claim::Checkpoint | Claim::GradLayouts => {
                no_gradient.or_else(no_f64)
            }
            Claim::Jvp => no_gradient.or_else(no_f64).or_else(|| jvp::not_applicable(op)),
            Claim::Gradgradcheck => no_gradient.or_else(no_f64).or_else(|| gradcheck::no_second(op)),
            Claim::GivenRule => no_gradient.or_else(|| given_rule::not_applicable(op)),
        }
    }
}

impl fmt::Display for Claim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The text of a failure for an error of the op.
pub(crate) fn told(error: Error) -> String {
    format!("error: {error}")
}

/// A point for differences. `None` if the sizes leave none, such as one element for a standard deviation.
fn smooth_point(graph: &Graph, plan: &SamplePlan) -> Result<Option<Vec<Value<TensorData>>>, String> {
    match sample(graph, plan, Point::Smooth) {
        Ok(args) => Ok(Some(args)),
        Err(error) if error.kind() == ErrorKind::Unsupported => Ok(None),
        Err(error) => Err(told(error)),
    }
}

/// Note for such sizes.
const NO_POINT: &str = "sizes at which no point is away from kinks and singular points";
