//! Graphs of declarations: those of the snapshots and of the catalogue, and one for each named formula.

use crate::compile::{source_graph, source_schedules};
use crate::emit::Scheduled;
use crate::ir::Graph;
use quote::ToTokens;
use std::fs;
use std::path::Path;

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

/// The text of every declaration in a folder. The path is relative to this crate's folder. `mod.rs` has no
/// declarations.
pub(crate) fn declarations(folder: &str) -> Vec<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let mut paths: Vec<_> = fs::read_dir(folder)
        .expect("the folder is in the repository")
        .map(|file| file.expect("readable").path())
        .filter(|path| !path.ends_with("mod.rs"))
        .collect();
    paths.sort();
    paths.iter().flat_map(|path| functions(&fs::read_to_string(path).expect("readable"))).collect()
}

/// The declarations of a file, without `#[tensor_op]`. A declaration that calls ops comes after those that
/// are above it in the file.
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
    let functions: Vec<String> = file.items.into_iter().filter_map(function).collect();
    let with_callees = |(index, function): (usize, &String)| {
        if function.contains("self ::") { functions[..=index].join("\n") } else { function.clone() }
    };
    functions.iter().enumerate().map(with_callees).collect()
}
