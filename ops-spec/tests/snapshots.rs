//! Every stage of each declaration in `ops/`, as snapshots: graph, gradient, schedules, code. A new case is a new file.

#![cfg(feature = "syntax")]

use std::fs;
use std::path::Path;
use tensor_op_spec::{Stages, stages};

#[test]
fn stages_of_declarations() {
    for (name, source) in declarations() {
        let Stages { graph, source: _, gradient, schedule, gradient_schedule, code } =
            compile(&name, &source);
        let gradient = gradient.unwrap_or_else(|| "none\n".to_string());
        let gradient_schedule = gradient_schedule.unwrap_or_else(|| "none\n".to_string());
        let code = prettyplease::unparse(&syn::parse2(code).expect("generated code is Rust"));
        let parts = [
            ("graph", graph),
            ("gradient", gradient),
            ("schedule", schedule),
            ("gradient schedule", gradient_schedule),
            ("code", code),
        ];
        let text: String = parts.iter().map(|(title, part)| format!("==== {title} ====\n{part}\n")).collect();
        insta::with_settings!({ description => source.trim(), omit_expression => true, prepend_module_to_snapshot => false }, {
            insta::assert_snapshot!(name.as_str(), text);
        });
    }
}

/// Two expansions of one declaration are the same to the byte.
#[test]
fn expansion_is_deterministic() {
    for (name, source) in declarations() {
        let [first, second] = [0, 1].map(|_| compile(&name, &source).code.to_string());
        assert_eq!(first, second, "{name}");
    }
}

/// Generated lines are what users read and compile: they grow only on purpose.
#[test]
fn generated_code_stays_small() {
    for (name, source) in declarations() {
        let code = prettyplease::unparse(
            &syn::parse2(compile(&name, &source).code).expect("generated code is Rust"),
        );
        let lines = code.lines().filter(|line| !line.trim_start().starts_with("///")).count();
        assert!(lines <= 700, "{name}: {lines} lines");
    }
}

fn compile(name: &str, source: &str) -> Stages {
    let tokens = source.parse().unwrap_or_else(|error| panic!("{name}: {error}"));
    stages(tokens).unwrap_or_else(|errors| panic!("{name}: {errors}"))
}

fn declarations() -> Vec<(String, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/ops");
    let files = fs::read_dir(&folder).expect("the folder is in the repository");
    let mut paths: Vec<_> = files.map(|file| file.expect("readable").path()).collect();
    paths.sort();
    let read = |path: &Path| fs::read_to_string(path).expect("readable");
    paths
        .iter()
        .map(|path| (path.file_stem().expect("named").to_string_lossy().into_owned(), read(path)))
        .collect()
}
