//! The mistakes of all variants as those of the declaration: each is reported once.

use super::{Choice, Variant};
use crate::diag::{Error, place};

/// Each mistake once, in the order of the variants. A mistake that only some variants have says which.
pub(crate) fn merged(choices: &[Choice], variants: &[Variant], found: &[Vec<Error>]) -> Vec<Error> {
    let key = |error: &Error| (place(error.place.start), error.message.clone());
    let mut merged: Vec<Error> = Vec::new();
    let mut seen = Vec::new();
    for error in found.iter().flatten() {
        if seen.contains(&key(error)) {
            continue;
        }
        seen.push(key(error));
        let having: Vec<&Variant> = variants
            .iter()
            .zip(found)
            .filter(|(_, errors)| errors.iter().any(|other| key(other) == key(error)))
            .map(|(variant, _)| variant)
            .collect();
        let mut error = error.clone();
        let only = only(choices, &having);
        if !only.is_empty() {
            error.message += &format!(" (where {})", only.join(" and "));
        }
        merged.push(error);
    }
    merged
}

/// The values that all of these variants share and others have not.
fn only(choices: &[Choice], having: &[&Variant]) -> Vec<String> {
    let value = |(place, choice): (usize, &Choice)| {
        let pick = having.first()?.picks[place];
        having.iter().all(|variant| variant.picks[place] == pick).then(|| choice.text(pick))
    };
    choices.iter().enumerate().filter_map(value).collect()
}
