//! The claims of the generated tests, for an op that is declared in the page.

use crate::Question;
use crate::compiled::op;
use tensor_op_testing::{Claim, Failure, Scope};

/// What became of a claim.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Checked {
    /// The claim in a sentence.
    pub claim: String,
    /// Whether it holds; `None` if nothing could be compared.
    pub holds: Option<bool>,
    /// What was compared, or the smallest case that fails.
    pub told: String,
}

/// The claims that are checked, in words.
const CLAIMS: [(Claim, &str); 2] = [
    (Claim::Gradcheck, "The gradient agrees with central differences in f64"),
    (Claim::Forward, "The kernels of the CPU agree with the formula in f64, in each dtype"),
];

/// Checks the gradient of an op and its kernels, as the generated tests do: at sizes and points that the
/// tests choose, within bounds that follow from the formula.
///
/// # Errors
///
/// Says in a sentence why there is no op.
pub fn check(question: &Question) -> Result<Vec<Checked>, String> {
    let op = op(&question.source, question.op)?;
    let scope = Scope::of_environment().map_err(|error| error.to_string())?;
    let of = |(claim, words): (Claim, &str)| {
        let (holds, told) = match claim.check_in(&op, &scope) {
            Ok(report) => match report.not_applicable {
                Some(why) => (None, why),
                None => (Some(true), figures(&report.tally)),
            },
            Err(Failure { what, is_wrong, .. }) => (is_wrong.then_some(false), what),
        };
        Checked { claim: words.to_string(), holds, told }
    };
    Ok(CLAIMS.into_iter().map(of).collect())
}

fn figures(tally: &tensor_op_testing::Tally) -> String {
    let notes = tally.notes.iter().map(|(why, count)| format!("; {count} x {why}"));
    let all: String = notes.collect();
    format!(
        "{} elements of {} calls were compared; the largest error is {:.3} of its bound{all}",
        tally.elements, tally.cases, tally.ratio
    )
}
