//! Graphs of declarations: those of the snapshots and of the catalogue, and one for each named formula.

use crate::compile::{source_graph, source_schedules};
use crate::emit::Scheduled;
use crate::ir::Graph;
use quote::ToTokens;
use std::fs;
use std::path::{Path, PathBuf};

/// The graph of a declaration, before it is simplified.
pub(crate) fn declared(source: &str) -> Graph {
    source_graph(source.parse().expect("tests are tokens"))
        .unwrap_or_else(|errors| panic!("{source}: {errors}"))
}

/// A declaration of one formula and its gradient with their kernels. `Err` holds its mistakes, one per line.
pub(crate) fn scheduled(source: &str) -> Result<(Scheduled, Option<Scheduled>), String> {
    Ok(all_scheduled(source)?.into_iter().next().expect("a formula"))
}

/// Each formula of a declaration, as [`scheduled`] gives one.
pub(crate) fn all_scheduled(source: &str) -> Result<Vec<(Scheduled, Option<Scheduled>)>, String> {
    source_schedules(source.parse().expect("tests are tokens"))
}

/// The text of every declaration in a folder. The path is relative to this crate's folder.
pub(crate) fn declarations(folder: &str) -> Vec<String> {
    of_folder(&Path::new(env!("CARGO_MANIFEST_DIR")).join(folder))
}

/// What `mod.rs` declares is for the other files, which call it as `super::f(x)`.
fn of_folder(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).expect("the folder is in the repository");
    let mut paths: Vec<_> = entries.map(|entry| entry.expect("readable").path()).collect();
    paths.sort();
    let shared = fs::read_to_string(folder.join("mod.rs")).map(|text| functions(&text)).unwrap_or_default();
    let of_path = |path: &PathBuf| match path {
        path if path.is_dir() => of_folder(path),
        path if path.ends_with("mod.rs") => vec![],
        path => with_callees(&shared, &functions(&fs::read_to_string(path).expect("readable"))),
    };
    paths.iter().flat_map(of_path).collect()
}

/// The declarations of a file, without `#[tensor_op]`.
fn functions(text: &str) -> Vec<String> {
    let file = syn::parse_file(text).expect("the file is Rust");
    let function = |item: syn::Item| match item {
        // A function without arguments only lists the others.
        syn::Item::Fn(mut function) if !function.sig.inputs.is_empty() => {
            function.attrs.retain(|attr| !attr.path().is_ident("tensor_op"));
            Some(function.into_token_stream().to_string())
        }
        _ => None,
    };
    file.items.into_iter().filter_map(function).collect()
}

/// A declaration that calls ops comes after those that it may call, all of them by `self::`.
fn with_callees(shared: &[String], own: &[String]) -> Vec<String> {
    let with_callees = |(index, function): (usize, &String)| {
        let calls = function.contains("self ::") || function.contains("super ::");
        let before = if calls { [shared, &own[..index]].concat() } else { vec![] };
        [&before[..], std::slice::from_ref(function)].concat().join("\n").replace("super ::", "self ::")
    };
    own.iter().enumerate().map(with_callees).collect()
}
