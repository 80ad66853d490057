//! Tables of features and of dependencies, beside the manifests.

use std::collections::BTreeSet;

use crate::cargo::{WORKSPACES, file, list, packages, rows, same, text};

#[test]
fn docs_name_each_feature() {
    let packages = packages(".");
    let facade = packages.iter().find(|package| package["name"] == "tensor-op").expect("it is the root");
    let features = facade["features"].as_object().expect("cargo gives a map");
    same("src/lib.rs", &rows(&file("src/lib.rs")), &features.keys().cloned().collect());
}

/// Features that do not exist, or that docs.rs can't build, would fail when the crate is published.
#[test]
fn features_of_docs_exist() {
    for package in packages(".") {
        let wanted = package["metadata"]["docs"]["rs"]["features"].as_array();
        for feature in wanted.into_iter().flatten() {
            let name = text(&package["name"]);
            assert!(package["features"].get(text(feature)).is_some(), "{name} has no feature {feature}");
        }
    }
}

#[test]
fn each_dependency_has_a_reason() {
    let mut direct = BTreeSet::new();
    for package in WORKSPACES.into_iter().flat_map(packages) {
        let outside = list(&package["dependencies"]).iter().filter(|dependency| dependency["path"].is_null());
        direct.extend(outside.map(|dependency| text(&dependency["name"]).to_string()));
    }
    same("docs/dependencies.md", &rows(&file("docs/dependencies.md")), &direct);

    let shared = file("Cargo.toml");
    let shared = shared.split("[workspace.dependencies]").nth(1).expect("the workspace has dependencies");
    let shared = shared.split("\n[").next().expect("a split gives a part");
    let names = shared.lines().filter_map(|line| Some(line.split_once(" = ")?.0));
    let unused: Vec<&str> =
        names.filter(|name| !name.starts_with("tensor-op") && !direct.contains(*name)).collect();
    assert!(unused.is_empty(), "no crate of the workspace uses {unused:?}");
}

/// What crates.io asks for, and what a reader of it looks for.
#[test]
fn packages_can_be_published() {
    for package in packages(".") {
        let name = text(&package["name"]);
        if package["publish"].as_array().is_some_and(|registries| registries.is_empty()) {
            continue;
        }
        for field in ["description", "license", "repository", "documentation", "readme", "rust_version"] {
            assert!(package[field].is_string(), "{name} has no {field}");
        }
        let keywords = list(&package["keywords"]);
        assert!((1..=5).contains(&keywords.len()), "{name}: crates.io takes up to five keywords");
        assert!(
            keywords.iter().all(|word| text(word).len() <= 20),
            "{name}: a keyword has at most 20 letters"
        );
        assert!(!list(&package["categories"]).is_empty(), "{name} has no category");
        let folder = text(&package["manifest_path"]).trim_end_matches("Cargo.toml");
        for licence in ["LICENSE-MIT", "LICENSE-APACHE"] {
            assert!(
                std::fs::exists(format!("{folder}{licence}")).unwrap_or(false),
                "{name} has no {licence}"
            );
        }
        for dependency in list(&package["dependencies"]) {
            let is_own = !dependency["path"].is_null() && dependency["kind"] != "dev";
            let req = text(&dependency["req"]);
            assert!(!is_own || req.starts_with('='), "{name}: {} is of any version", dependency["name"]);
        }
    }
}

/// wasm-bindgen reads what the same version of itself has written.
#[test]
fn the_playground_is_bound_by_the_version_that_it_is_compiled_with() {
    let wanted = file("playground/bind/Cargo.toml");
    let wanted =
        wanted.split_once("wasm-bindgen-cli-support = \"=").and_then(|(_, rest)| rest.split_once('"'));
    let lock = file("Cargo.lock");
    let locked =
        lock.split_once("name = \"wasm-bindgen\"\nversion = \"").and_then(|(_, rest)| rest.split_once('"'));
    assert_eq!(wanted.expect("a version").0, locked.expect("a version").0);
}
