//! Functions of the catalogue that are written around ops: what no formula states.

use super::signature::first_sentence;
use quote::ToTokens;
use std::path::{Path, PathBuf};

/// A public function that is no declared op.
pub(super) struct Function {
    /// `ctc_loss(log_probs, targets, blank = None)`.
    pub(super) signature: String,
    /// The first sentence of its docs.
    pub(super) doc: String,
}

/// Those of a family, in the order of its files.
pub(super) fn of(family: &str) -> Vec<Function> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../src/catalogue");
    let file = folder.join(format!("{family}.rs"));
    let paths = if file.exists() { vec![file] } else { files(&folder.join(family)) };
    let text = |path: &PathBuf| std::fs::read_to_string(path).expect("the file is in the repository");
    paths.iter().flat_map(|path| in_file(&text(path))).collect()
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).expect("the folder is in the repository");
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("readable").path()).collect();
    paths.sort();
    paths
}

fn in_file(text: &str) -> Vec<Function> {
    let file = syn::parse_file(text).expect("the catalogue compiles");
    let function = |item: syn::Item| match item {
        syn::Item::Fn(function) => Some(function),
        _ => None,
    };
    let is_one = |function: &syn::ItemFn| {
        let is_op = function.attrs.iter().any(|attr| attr.path().is_ident("tensor_op"));
        matches!(function.vis, syn::Visibility::Public(_)) && !is_op
    };
    file.items.into_iter().filter_map(function).filter(is_one).map(|one| described(&one)).collect()
}

fn described(function: &syn::ItemFn) -> Function {
    let args = function.sig.inputs.iter().filter_map(|arg| match arg {
        syn::FnArg::Typed(arg) => Some(arg),
        syn::FnArg::Receiver(_) => None,
    });
    let args: Vec<String> = args
        .map(|arg| {
            let (name, ty) = (arg.pat.to_token_stream().to_string(), arg.ty.to_token_stream().to_string());
            let may_be_left_out = ty.contains("Option");
            if may_be_left_out { format!("{name} = None") } else { name }
        })
        .collect();
    Function {
        signature: format!("{}({})", function.sig.ident, args.join(", ")),
        doc: first_sentence(&function.attrs),
    }
}
