//! Habits of the code base that no compiler checks: how long files and functions are, how wide comments are,
//! where tokens are quoted, what may panic, and which files use each other. And what stands beside the
//! manifests: tables of features and dependencies, and licences. Links of pages lead somewhere, and snippets
//! for editors are ops.

#[path = "habits/cargo.rs"]
mod cargo;
#[path = "habits/circles.rs"]
mod circles;
#[path = "habits/licences.rs"]
mod licences;
#[path = "habits/links.rs"]
mod links;
#[path = "habits/snippets/mod.rs"]
mod snippets;
#[path = "habits/tables.rs"]
mod tables;

use std::fs;
use std::path::{Path, PathBuf};

/// Lines of a file. A longer file answers more than one question.
const LONGEST_FILE: usize = 400;
/// Lines of a function: it fits on a screen.
const LONGEST_FUNCTION: usize = 60;
/// Characters of a line of comments: `max_width` of rustfmt.toml.
const WIDEST: usize = 110;
/// Files in which a panic is right: Burn's operations return no `Result`, and pages of docs are made by
/// tests, out of declarations of our own.
const MAY_PANIC: [&str; 6] = [
    "burn/src/autodiff/backward.rs",
    "burn/src/autodiff/chain.rs",
    "burn/src/autodiff/retro.rs",
    "burn/src/function.rs",
    "ops-spec/src/gradient_table.rs",
    "ops-spec/src/message_page.rs",
];
/// Kernels for a GPU that are longer. Their state is what a part of them would take as arguments.
const LONG_KERNELS: [&str; 4] = ["one_row", "one_pass", "fold_exponentials", "fold_squares"];
/// What tools have written.
const GENERATED: [&str; 2] = ["formulas/tests/compiled/declarations.rs", "benches/families/declarations.rs"];

/// A source file of the repository, by its path from the root.
struct Source {
    path: String,
    text: String,
}

fn sources() -> Vec<Source> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut found = Vec::new();
    let mut open: Vec<PathBuf> = vec![root.to_path_buf()];
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(&folder).expect("a folder of the repository").flatten() {
            let path = entry.path();
            let name = entry.file_name().to_string_lossy().into_owned();
            if path.is_dir() && name != "target" && !name.starts_with('.') {
                open.push(path);
            } else if name.ends_with(".rs") {
                let text = fs::read_to_string(&path).expect("source is text");
                let path = path.strip_prefix(root).expect("it is under the root");
                let path = path.to_string_lossy().replace('\\', "/");
                found.push(Source { path, text });
            }
        }
    }
    found.retain(|source| !GENERATED.contains(&source.path.as_str()));
    found.sort_by(|a, b| a.path.cmp(&b.path));
    assert!(found.len() > 300, "only {} files were found", found.len());
    found
}

/// Fails with all that breaks a habit.
fn check(rule: &str, broken: Vec<String>) {
    assert!(broken.is_empty(), "{rule}:\n{}", broken.join("\n"));
}

#[test]
fn files_answer_one_question() {
    let lines = |source: &Source| source.text.lines().count();
    let long = sources().into_iter().filter(|source| lines(source) > LONGEST_FILE);
    let long = long.map(|source| format!("{}: {} lines", source.path, lines(&source)));
    check("a file has at most 400 lines: split it by what it answers", long.collect());
}

#[test]
fn functions_fit_on_a_screen() {
    let mut long = Vec::new();
    for Source { path, text } in sources() {
        let lines: Vec<&str> = text.lines().collect();
        for (at, line) in lines.iter().enumerate() {
            let Some((indent, name)) = function(line) else { continue };
            let end = lines[at..].iter().position(|line| *line == format!("{indent}}}"));
            // A declaration without a body, or a body on its own line, ends before the next one does.
            let body = lines[at..].iter().position(|line| line.ends_with(['{', ';', '}']));
            if let (Some(end), Some(body)) = (end, body)
                && lines[at + body].ends_with('{')
                && end + 1 > LONGEST_FUNCTION
                && !LONG_KERNELS.contains(&name)
            {
                long.push(format!("{path}:{}: {name} has {} lines", at + 1, end + 1));
            }
        }
    }
    check("a function has at most 60 lines", long);
}

/// The indentation and the name, if a function begins on this line, as rustfmt writes it.
fn function(line: &str) -> Option<(&str, &str)> {
    let trimmed = line.trim_start();
    let indent = &line[..line.len() - trimmed.len()];
    let (before, after) = trimmed.split_once("fn ")?;
    let is_prefix = |word: &str| {
        matches!(word, "pub" | "const" | "async" | "unsafe" | "extern" | "\"C\"") || word.starts_with("pub(")
    };
    let name = after.split(['(', '<']).next()?;
    before.split_whitespace().all(is_prefix).then_some((indent, name))
}

#[test]
fn comments_are_as_wide_as_code() {
    let mut wide = Vec::new();
    for Source { path, text } in sources() {
        // Samples of declarations are compared with messages that tell their places.
        if path.starts_with("ops-macros/tests/ui/")
            || path.starts_with("tests/editor/")
            || path.starts_with("ops-spec/tests/")
        {
            continue;
        }
        let mut is_example = false;
        for (at, line) in text.lines().enumerate() {
            let Some(comment) = line.trim_start().strip_prefix("//") else { continue };
            let comment = comment.trim_start_matches(['/', '!']).trim_start();
            is_example ^= comment.starts_with("```");
            let is_table = comment.starts_with('|') || comment.contains("   ");
            if !is_example && !is_table && line.chars().count() > WIDEST {
                wide.push(format!("{path}:{}: {} characters", at + 1, line.chars().count()));
            }
        }
    }
    check("a line of comments has at most 110 characters", wide);
}

/// Analysis works on the graph, and tokens are made at the end, in `emit/`. There are two exceptions: what an
/// editor reads in place of a formula, and calls of macros by macros.
#[test]
fn tokens_are_quoted_in_emit_alone() {
    let quotes = |source: &Source| {
        [concat!("quote", "!"), concat!("quote_spanned", "!")].iter().any(|word| source.text.contains(word))
    };
    let odd = sources()
        .into_iter()
        .filter(|source| quotes(source) && !source.path.starts_with("ops-spec/src/emit/"));
    check("tokens are quoted in emit/", odd.map(|source| source.path).collect());
}

/// Wrong input of a user gives an `Err`. An `expect` gives the reason why our own code has made sure.
#[test]
fn libraries_do_not_unwrap() {
    let mut panics = Vec::new();
    for Source { path, text } in sources() {
        if MAY_PANIC.contains(&path.as_str()) {
            continue;
        }
        let is_library =
            path.contains("src/") && !path.starts_with("examples/") && !path.contains("/examples/");
        if !is_library
            || path.contains("tests")
            || path.starts_with("testing/")
            || path.contains("src/testing/")
        {
            continue;
        }
        let code = text.split("#[cfg(test)]").next().expect("a split gives a part");
        let code = code.split("#[cfg(all(test").next().expect("a split gives a part");
        for (at, line) in code.lines().enumerate() {
            let line = line.trim_start();
            let is_code = !line.starts_with("//");
            if is_code
                && [".unwrap()", "panic!(", "todo!(", "unimplemented!("]
                    .iter()
                    .any(|word| line.contains(word))
            {
                panics.push(format!("{path}:{}: {line}", at + 1));
            }
        }
    }
    check("libraries give an `Err`, or say with `expect` why there is none", panics);
}
