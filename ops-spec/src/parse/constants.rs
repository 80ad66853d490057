//! Constants of the language, and what to write instead of those that it lacks.

const CONSTANTS: [(&str, f64); 6] = [
    ("PI", std::f64::consts::PI),
    ("E", std::f64::consts::E),
    ("LN_2", std::f64::consts::LN_2),
    ("SQRT_2", std::f64::consts::SQRT_2),
    ("INFINITY", f64::INFINITY),
    ("NAN", f64::NAN),
];

/// The value of the constant with this name.
pub(crate) fn value(name: &str) -> Option<f64> {
    CONSTANTS.iter().find(|(constant, _)| *constant == name).map(|(_, value)| *value)
}

/// Names of all constants.
pub(crate) fn names<'n>() -> impl Iterator<Item = &'n str> {
    CONSTANTS.iter().map(|(constant, _)| *constant)
}

/// Whether a name looks like the name of a Rust constant.
pub(crate) fn looks_like_one(name: &str) -> bool {
    name.len() > 1 && name.starts_with(char::is_uppercase) && !name.contains(char::is_lowercase)
}

/// What to write instead of a Rust constant. A macro can't see the values of other items.
pub(crate) fn unseen(name: &str) -> String {
    let argument = name.to_lowercase();
    format!(
        "a formula can't see the constant `{name}`: write its value, `let {argument} = 0.5;`, or pass it, with an argument `{argument}: f64`"
    )
}
