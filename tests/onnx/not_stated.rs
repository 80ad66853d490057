//! Operators without an op, and why.

pub(crate) fn reason(op: &str) -> Option<&'static str> {
    REASONS.iter().find(|(_, ops)| ops.contains(&op)).map(|(reason, _)| *reason)
}

const REASONS: &[(&str, &[&str])] = &[
    ("a result whose size depends on values", &["Compress", "NonMaxSuppression", "NonZero", "Unique"]),
    ("reads the bytes of a tensor as those of another dtype", &["BitCast"]),
    ("random", &["Bernoulli"]),
    (
        "works on sequences, optional values or files, not on tensors",
        &["ImageDecoder", "OptionalGetElement", "OptionalHasElement", "SplitToSequence"],
    ),
    ("counts n-grams", &["TfIdfVectorizer"]),
    ("not declared yet: bilinear sampling at computed places", &["DeformConv", "RoiAlign"]),
];
