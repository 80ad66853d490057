//! Operators without a declaration, and why.

pub(crate) fn reason(op: &str) -> Option<&'static str> {
    REASONS.iter().find(|(_, ops)| ops.contains(&op)).map(|(reason, _)| *reason)
}

const REASONS: &[(&str, &[&str])] = &[
    (
        "needs a scatter: values are written to indices",
        &["index_add", "index_copy", "index_put", "scatter", "scatter_add"],
    ),
    (
        "needs a scatter that reduces what meets at an index",
        &[
            "scatter_reduce amax",
            "scatter_reduce amin",
            "scatter_reduce mean",
            "scatter_reduce prod",
            "scatter_reduce sum",
        ],
    ),
    (
        "needs segments: rows of lengths that are known at run time",
        &["_segment_reduce lengths", "_segment_reduce offsets"],
    ),
];
