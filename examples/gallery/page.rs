//! The page `docs/gallery.md` and its pictures.

use crate::ops::{FILES, OPS, Shown};
use std::fmt::Write as _;
use std::path::PathBuf;

/// Where the rates begin, which differ from run to run.
const RATES: &str = "\n## Rates\n";

/// A declaration as it stands in its file.
pub(crate) struct Declaration {
    /// The text of its doc comment.
    pub(crate) doc: String,
    /// From the attributes to the end of the function.
    pub(crate) code: String,
}

/// The declaration with a name in a file.
pub(crate) fn declaration(file: &str, name: &str) -> Option<Declaration> {
    let lines: Vec<&str> = file.lines().collect();
    let head = format!("pub(crate) fn {name}(");
    let function = lines.iter().position(|line| line.starts_with(&head))?;
    let end = function + lines[function..].iter().position(|line| *line == "}")?;
    let is_above = |line: &&&str| line.starts_with("///") || line.starts_with("#[");
    let start = function - lines[..function].iter().rev().take_while(is_above).count();
    let doc = lines[start..function].iter().filter_map(|line| line.strip_prefix("///"));
    let doc = doc.map(|line| line.strip_prefix(' ').unwrap_or(line)).collect::<Vec<_>>().join("\n");
    let code = lines[start..=end].iter().filter(|line| !line.starts_with("///"));
    Some(Declaration { doc, code: code.copied().collect::<Vec<_>>().join("\n") })
}

/// The folder of the docs.
pub(crate) fn docs() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("docs")
}

/// Where the picture of an op is, from the folder of the docs.
pub(crate) fn picture(op: &Shown) -> String {
    format!("gallery/{}.svg", op.name)
}

/// The page without its rates.
pub(crate) fn page() -> String {
    let mut page = "\
# Gallery

Ops of papers, in at most 12 lines each. All else is generated: kernels, gradients, tests, docs. This page is made by
[`examples/gallery`](../examples/gallery/main.rs), where the declarations stand. `cargo run --release --example gallery`
measures them on this machine, with `-- --write` it also writes this page and its pictures, and
`cargo test --example gallery` checks their gradients against differences and against PyTorch. An algorithm that
iterates, such as Sinkhorn's, is the op of one step; the loop is Rust.
"
    .to_string();
    for (subject, file) in FILES {
        let _ = write!(page, "\n## {subject}\n");
        for op in &OPS {
            if let Some(Declaration { doc, code }) = declaration(file, op.name) {
                let (name, picture) = (op.name, picture(op));
                let _ =
                    write!(page, "\n### {name}\n\n{doc}\n\n![{name}]({picture})\n\n```rust\n{code}\n```\n");
            }
        }
    }
    page
}

/// The page with its rates.
pub(crate) fn with_rates(table: &str) -> String {
    let (threads, arch) = (rayon::current_num_threads(), std::env::consts::ARCH);
    format!(
        "{}{RATES}
In f32 on {threads} threads of a processor ({arch}). A step is forward and backward. GB/s count each input, result and
gradient once, which is the least that must move: ops that multiply matrices or visit pairs are bound by arithmetic,
and ops with a sort or a state by what they store between. A copy of the same bytes ran beside each op.

{table}
",
        page()
    )
}

/// What of a page does not depend on a run.
#[cfg(test)]
pub(crate) fn without_rates(page: &str) -> &str {
    page.split(RATES).next().unwrap_or(page)
}
