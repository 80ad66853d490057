//! Operators without a declaration, and why.

pub(crate) fn reason(op: &str) -> Option<&'static str> {
    REASONS.iter().find(|(_, ops)| ops.contains(&op)).map(|(reason, _)| *reason)
}

const REASONS: &[(&str, &[&str])] = &[];
