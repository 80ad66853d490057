//! The snippets of `docs/tensor-op.code-snippets`. With the texts that they propose they are the ops and
//! tests of `expanded.rs`, which `UPDATE=1` writes.

#[rustfmt::skip]
#[allow(dead_code, unreachable_pub, reason = "a user's ops are public, and nothing here calls all of them")]
mod expanded;

use serde_json::Value;

/// What an editor inserts if its user changes nothing: `${1:text}` stands for its text.
fn inserted(body: &str) -> String {
    let mut out = String::new();
    let mut rest = body;
    let mut depth = 0;
    while let Some(letter) = rest.chars().next() {
        rest = &rest[letter.len_utf8()..];
        match letter {
            '$' => {
                let number = rest.strip_prefix('{').and_then(|rest| rest.split_once(':'));
                let (number, text) =
                    number.unwrap_or_else(|| panic!("a placeholder is `${{1:text}}`: {rest}"));
                assert!(number.parse::<u8>().is_ok(), "a placeholder has a number: {rest}");
                (rest, depth) = (text, depth + 1);
            }
            '}' if depth > 0 => depth -= 1,
            '{' => {
                assert_eq!(depth, 0, "a brace inside of a placeholder ends it: {rest}");
                out.push(letter);
            }
            _ => out.push(letter),
        }
    }
    assert_eq!(depth, 0, "a placeholder is not closed: {body}");
    out
}

#[test]
fn snippets_are_ops_and_tests() {
    let root = env!("CARGO_MANIFEST_DIR");
    let read = |path: &str| std::fs::read_to_string(format!("{root}/{path}"));
    let text = read("docs/tensor-op.code-snippets").expect("it is in the repository");
    let snippets: Value = serde_json::from_str(&text).expect("it is JSON");
    let mut file = String::from("// Written by the test of `mod.rs`.\n\nuse tensor_op::prelude::*;\n");
    for (name, snippet) in snippets.as_object().expect("a map of snippets") {
        assert_eq!(snippet["scope"], "rust", "{name}");
        let prefix = snippet["prefix"].as_str().unwrap_or_default();
        assert!(prefix.starts_with("tensor_op") && snippet["description"].is_string(), "{name}");
        let lines: Option<Vec<&str>> =
            snippet["body"].as_array().and_then(|lines| lines.iter().map(Value::as_str).collect());
        let lines = lines.unwrap_or_else(|| panic!("{name} has no lines"));
        file += &format!("\n{}\n", inserted(&lines.join("\n")));
    }
    let path = "tests/habits/snippets/expanded.rs";
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(format!("{root}/{path}"), &file).expect("the folder is in the repository");
    }
    assert!(
        read(path).is_ok_and(|found| found == file),
        "{path} is out of date: run this test with UPDATE=1"
    );
}
