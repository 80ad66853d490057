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

/// The text of every declaration in a folder, without `#[tensor_op]`. The path is relative to this crate's
/// folder.
pub(crate) fn declarations(folder: &str) -> Vec<String> {
    let declarations = families(folder).into_iter().flat_map(|family| family.declarations);
    declarations.map(|text| without_options(&text)).collect()
}

/// A file with declarations, or a folder of such files.
pub(crate) struct Family {
    pub(crate) name: String,
    /// The attributes of the module: its docs.
    pub(crate) attrs: Vec<syn::Attribute>,
    /// The text of each declaration, after those that it may call.
    pub(crate) declarations: Vec<String>,
}

/// The files and folders of a folder, in the order of their names.
pub(crate) fn families(folder: &str) -> Vec<Family> {
    of_folder(&Path::new(env!("CARGO_MANIFEST_DIR")).join(folder))
}

/// What `mod.rs` declares is for the other files, which call it as `super::f(x)`.
fn of_folder(folder: &Path) -> Vec<Family> {
    let entries = fs::read_dir(folder).expect("the folder is in the repository");
    let mut paths: Vec<_> = entries.map(|entry| entry.expect("readable").path()).collect();
    paths.sort();
    let shared = fs::read_to_string(folder.join("mod.rs")).map(|text| functions(&text)).unwrap_or_default();
    let of_path = |path: &PathBuf| {
        let name = path.file_stem().expect("a file has a name").to_string_lossy().into_owned();
        if path.is_dir() {
            let attrs = attributes(&path.join("mod.rs"));
            let declarations = of_folder(path).into_iter().flat_map(|family| family.declarations);
            Family { name, attrs, declarations: declarations.collect() }
        } else {
            let own = functions(&fs::read_to_string(path).expect("readable"));
            Family { name, attrs: attributes(path), declarations: with_callees(&shared, &own) }
        }
    };
    let is_family = |path: &&PathBuf| {
        path.is_dir()
            || (path.extension().is_some_and(|extension| extension == "rs") && !path.ends_with("mod.rs"))
    };
    paths.iter().filter(is_family).map(of_path).collect()
}

/// The attributes of a file. A snapshot test's file is one declaration, whose attributes they are not.
fn attributes(path: &Path) -> Vec<syn::Attribute> {
    syn::parse_file(&fs::read_to_string(path).unwrap_or_default()).map(|file| file.attrs).unwrap_or_default()
}

/// The declarations of a file. If some have the attribute, the other functions are plain Rust.
fn functions(text: &str) -> Vec<String> {
    let file = syn::parse_file(text).expect("the file is Rust");
    let is_marked =
        |function: &syn::ItemFn| function.attrs.iter().any(|attr| attr.path().is_ident("tensor_op"));
    let has_marks =
        file.items.iter().any(|item| matches!(item, syn::Item::Fn(function) if is_marked(function)));
    let is_impl = |arg: &syn::FnArg| match arg {
        syn::FnArg::Typed(arg) => matches!(*arg.ty, syn::Type::ImplTrait(_)),
        syn::FnArg::Receiver(_) => true,
    };
    let function = |item: syn::Item| match item {
        syn::Item::Fn(function) if has_marks && !is_marked(&function) => None,
        // A function without arguments only lists the others, and one of any types that have a trait is
        // plain Rust, which calls declared ops.
        syn::Item::Fn(function)
            if function.sig.inputs.is_empty() || function.sig.inputs.iter().any(is_impl) =>
        {
            None
        }
        syn::Item::Fn(function) => Some(function.into_token_stream().to_string()),
        _ => None,
    };
    file.items.into_iter().filter_map(function).collect()
}

/// Declarations without `#[tensor_op]`.
fn without_options(text: &str) -> String {
    let mut file = syn::parse_file(text).expect("declarations are Rust");
    for item in &mut file.items {
        if let syn::Item::Fn(function) = item {
            function.attrs.retain(|attr| !attr.path().is_ident("tensor_op"));
        }
    }
    file.into_token_stream().to_string()
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
