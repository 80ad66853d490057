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
    /// Its public functions of Rust, which call declared ops.
    pub(crate) functions: Vec<syn::ItemFn>,
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
    let is_family = |path: &&PathBuf| {
        path.is_dir()
            || (path.extension().is_some_and(|extension| extension == "rs") && !path.ends_with("mod.rs"))
    };
    paths.retain(|path| is_family(&path));
    let of_path = |path: &PathBuf| {
        let name = name(path);
        if path.is_dir() {
            let attrs = attributes(&path.join("mod.rs"));
            let (declarations, functions): (Vec<_>, Vec<_>) =
                of_folder(path).into_iter().map(|family| (family.declarations, family.functions)).unzip();
            Family { name, attrs, declarations: declarations.concat(), functions: functions.concat() }
        } else {
            let text = fs::read_to_string(path).expect("readable");
            let declarations = with_callees(&shared, &functions(&text), &paths);
            Family { name, attrs: attributes(path), declarations, functions: functions_of_rust(&text) }
        }
    };
    paths.iter().map(of_path).collect()
}

/// What a file or a folder is called in paths of Rust.
fn name(path: &Path) -> String {
    path.file_stem().expect("a file has a name").to_string_lossy().into_owned()
}

/// The attributes of a file. A snapshot test's file is one declaration, whose attributes they are not.
fn attributes(path: &Path) -> Vec<syn::Attribute> {
    syn::parse_file(&fs::read_to_string(path).unwrap_or_default()).map(|file| file.attrs).unwrap_or_default()
}

/// The declarations of a file. If some have the attribute, the other functions are plain Rust.
fn functions(text: &str) -> Vec<String> {
    let (declared, _) = parted(text);
    declared.into_iter().map(|function| function.into_token_stream().to_string()).collect()
}

/// The public functions of a file that are no declarations. One without arguments only lists the others.
fn functions_of_rust(text: &str) -> Vec<syn::ItemFn> {
    let is_public = |function: &syn::ItemFn| matches!(function.vis, syn::Visibility::Public(_));
    let (_, others) = parted(text);
    others.into_iter().filter(|function| is_public(function) && !function.sig.inputs.is_empty()).collect()
}

/// The declarations of a file, and its other functions.
fn parted(text: &str) -> (Vec<syn::ItemFn>, Vec<syn::ItemFn>) {
    let file = syn::parse_file(text).expect("the file is Rust");
    let functions: Vec<syn::ItemFn> = file
        .items
        .into_iter()
        .filter_map(|item| match item {
            syn::Item::Fn(function) => Some(function),
            _ => None,
        })
        .collect();
    let is_marked =
        |function: &syn::ItemFn| function.attrs.iter().any(|attr| attr.path().is_ident("tensor_op"));
    let has_marks = functions.iter().any(is_marked);
    functions.into_iter().partition(|function| match has_marks {
        true => is_marked(function),
        false => !is_of_rust(function) && !function.sig.inputs.is_empty(),
    })
}

/// Whether a function takes references, or any types that have a trait: then it is plain Rust.
fn is_of_rust(function: &syn::ItemFn) -> bool {
    function.sig.inputs.iter().any(|arg| match arg {
        syn::FnArg::Typed(arg) => matches!(*arg.ty, syn::Type::ImplTrait(_) | syn::Type::Reference(_)),
        syn::FnArg::Receiver(_) => true,
    })
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

/// A declaration that calls ops comes after those that it may call, all of them by `self::`: those of
/// `mod.rs`, those before it, and those of the files and folders beside it that it names.
fn with_callees(shared: &[String], own: &[String], beside: &[PathBuf]) -> Vec<String> {
    let with_callees = |(index, function): (usize, &String)| {
        let calls = function.contains("self ::") || function.contains("super ::");
        let before = if calls { [shared, &own[..index]].concat() } else { vec![] };
        let mut text = [&before[..], std::slice::from_ref(function)].concat().join("\n");
        for path in beside {
            let called = format!("super :: {} ::", name(path));
            if text.contains(&called) {
                text = all_functions(path).join("\n") + "\n" + &text.replace(&called, "self ::");
            }
        }
        text.replace("super ::", "self ::")
    };
    own.iter().enumerate().map(with_callees).collect()
}

/// The declarations of a file, or of the files of a folder.
fn all_functions(path: &Path) -> Vec<String> {
    if !path.is_dir() {
        return functions(&fs::read_to_string(path).expect("readable"));
    }
    let entries = fs::read_dir(path).expect("the folder is in the repository");
    let mut files: Vec<_> = entries.map(|entry| entry.expect("readable").path()).collect();
    files.sort();
    files.iter().flat_map(|path| all_functions(path)).collect()
}
