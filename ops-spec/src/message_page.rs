//! `docs/messages.md`: wrong declarations, each with its single message under the token at fault. The page is
//! also the table of test cases: its code blocks hold declarations, separated by empty lines, and the message
//! under each is checked. A new case is a new line;
//! `UPDATE=1 cargo test -p tensor-op-spec messages_are_documented` writes its message.
//!
//! A case may begin with ops that its last declaration calls, as `self::f(x)`.

use crate::compile::mistakes;
use crate::diag::{Error, sites};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Places of the source code that no case on the page can reach, identified by their file or a part of their
/// text. Each has the reason, and the test that covers it.
const NOT_ON_THE_PAGE: [(&str, &str); 5] = [
    ("parse/depth.rs", "needs 1024 operators: `check::tests::depth` has it"),
    ("an op has at most", "needs 65 dims: `check::tests` has it"),
    ("has a mistake", "a mistake in `formulas.ops`, which tests compile"),
    ("is known", "rustc resolves paths first: `ops-macros/tests/ui/ops/unknown_op.rs`"),
    (
        "map_or_else(|| item.name.span(), OpCall::span)",
        "needs two releases: `ops-macros/tests/ui/ops/other_version.rs`",
    ),
];

fn page() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/messages.md")
}

#[test]
fn messages_are_documented() {
    let found = std::fs::read_to_string(page()).expect("the page is in the repository");
    let text = rendered(&found);
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(page(), &text).expect("the folder is in the repository");
    }
    let wrong = found.lines().zip(text.lines()).find(|(found, right)| found != right);
    assert!(
        std::env::var_os("UPDATE").is_some() || found == text,
        "docs/messages.md is out of date: read what `UPDATE=1` makes of it. It differs first at {wrong:?}"
    );
    let reached = sites::reached();
    let missing: Vec<String> = sites_of_the_source()
        .into_iter()
        .filter(|(file, line, _)| !reached.contains(&(file.clone(), *line)))
        .map(|(file, line, text)| format!("{file}:{line}: {text}"))
        .filter(|site| NOT_ON_THE_PAGE.iter().all(|(part, _)| !site.contains(part)))
        .collect();
    assert!(
        missing.is_empty(),
        "messages that no case has: add one to docs/messages.md, or say in NOT_ON_THE_PAGE why there is none:\n{}",
        missing.join("\n")
    );
}

/// The page, with the actual messages of its cases.
fn rendered(page: &str) -> String {
    let mut out = String::new();
    let mut case: Option<Vec<&str>> = None;
    for line in page.lines() {
        match &mut case {
            None => {
                case = (line == "```text").then(Vec::new);
                out += &format!("{line}\n");
            }
            Some(_) if line.trim_start().starts_with('^') => {}
            Some(lines) if !line.is_empty() && line != "```" => lines.push(line),
            Some(lines) => {
                out += &answered(lines);
                out += &format!("{line}\n");
                case = (line != "```").then(Vec::new);
            }
        }
    }
    out
}

/// A case, with its actual message under the token.
fn answered(lines: &[&str]) -> String {
    let source = lines.join("\n");
    let tokens = source.parse().unwrap_or_else(|error| panic!("{error}: {source}"));
    let found = mistakes(tokens);
    let [Error { place, message }] = &found[..] else {
        panic!("one mistake is one message, and here are {}: {found:?}\n{source}", found.len());
    };
    let (start, end) = (place.start.start(), place.end.end());
    let mut out = String::new();
    for (index, line) in lines.iter().enumerate() {
        out += &format!("{line}\n");
        if index + 1 == start.line {
            let width = if end.line == start.line { end.column - start.column } else { 1 };
            out += &format!("{}{} {message}\n", " ".repeat(start.column), "^".repeat(width.max(1)));
        }
    }
    out
}

/// The places where the source code records a mistake: file, line, and the text from there on.
fn sites_of_the_source() -> Vec<(String, u32, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut found = Vec::new();
    for part in ["parse", "lower", "lower/inline", "check", "choose"] {
        for entry in std::fs::read_dir(root.join(part)).expect("a folder of the source") {
            collect(&entry.expect("readable").path(), &mut found);
        }
    }
    ["compile.rs", "inline.rs"].iter().for_each(|file| collect(&root.join(file), &mut found));
    found.sort();
    assert!(found.len() > 100, "{} places", found.len());
    found
}

fn collect(path: &Path, found: &mut Vec<(String, u32, String)>) {
    if path.extension().is_none_or(|extension| extension != "rs") || path.ends_with("tests.rs") {
        return;
    }
    let source = std::fs::read_to_string(path).expect("readable");
    let source = source.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
    let file = path.file_name().expect("a file").to_string_lossy().into_owned();
    let folder = path.parent().and_then(Path::file_name).expect("a folder").to_string_lossy().into_owned();
    for call in ["at(", "report(", "refuse(", "syntax("] {
        for (offset, _) in source.match_indices(call) {
            let before = source[..offset].trim_end();
            let is_site = match call {
                "refuse(" => source[offset + call.len()..].trim_start().starts_with("errors,"),
                "report(" => before.ends_with("self."),
                _ => before.trim_end_matches('.').trim_end().ends_with("errors") && before.ends_with('.'),
            };
            // A function that passes its caller's place on does not count as a place.
            let function = source[..offset].rfind("fn ").unwrap_or(0);
            let hands_on = source[..function].lines().rev().take(2).any(|line| line.contains("track_caller"));
            if is_site && !hands_on {
                let line = source[..offset].matches('\n').count() as u32 + 1;
                let text: String = source[offset..]
                    .split_whitespace()
                    .collect::<Vec<_>>()
                    .join(" ")
                    .chars()
                    .take(220)
                    .collect();
                found.push((format!("{folder}/{file}"), line, text));
            }
        }
    }
}

/// The cases of the page. No case may be there twice.
#[test]
fn every_case_of_the_page_is_another() {
    let text = std::fs::read_to_string(page()).expect("the page is in the repository");
    let mut seen = BTreeSet::new();
    let blocks = text.split("```text\n").skip(1).filter_map(|block| block.split("```").next());
    for case in blocks.flat_map(|block| block.split("\n\n")) {
        assert!(seen.insert(case.trim()), "twice: {case}");
    }
}
