//! What cargo says of the packages of the repository.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

/// The folders of the workspaces: that of the root, and those that it excludes.
pub(crate) const WORKSPACES: [&str; 8] = [
    ".",
    "fuzz",
    "benches/burn",
    "examples/burn",
    "examples/custom-backend",
    "playground/bind",
    "tests/editor/sample",
    "tests/wasi",
];

/// `cargo metadata` of a workspace.
pub(crate) fn metadata(folder: &str, options: &[&str]) -> Value {
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder).join("Cargo.toml");
    let mut command = Command::new(env!("CARGO"));
    command.args(["metadata", "--format-version", "1", "--manifest-path"]).arg(manifest).args(options);
    let output = command.output().expect("cargo starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).expect("cargo writes JSON")
}

/// The packages of a workspace.
pub(crate) fn packages(folder: &str) -> Vec<Value> {
    list(&metadata(folder, &["--no-deps"])["packages"]).to_vec()
}

pub(crate) fn list(value: &Value) -> &[Value] {
    value.as_array().expect("cargo gives a list")
}

pub(crate) fn text(value: &Value) -> &str {
    value.as_str().expect("cargo gives a text")
}

/// A file of the repository.
pub(crate) fn file(path: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    std::fs::read_to_string(path).expect("the file is in the repository")
}

/// The names in the first column of the tables of a page, which stand in backticks.
pub(crate) fn rows(lines: &str) -> Vec<String> {
    let names = lines.lines().filter_map(|line| line.trim_start_matches("//! ").strip_prefix("| `"));
    names.filter_map(|row| Some(row.split_once('`')?.0.to_string())).collect()
}

/// Asserts that a table has a row for each name, and no other.
pub(crate) fn same(page: &str, rows: &[String], names: &BTreeSet<String>) {
    let unique: BTreeSet<String> = rows.iter().cloned().collect();
    let missing: Vec<&String> = names.difference(&unique).collect();
    let odd: Vec<&String> = unique.difference(names).collect();
    assert!(missing.is_empty() && odd.is_empty(), "{page} has no row of {missing:?}, and one of {odd:?}");
    assert_eq!(unique.len(), rows.len(), "{page} has a row twice");
}
