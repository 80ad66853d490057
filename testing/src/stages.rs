//! Texts of what the macro made of an op, for snapshot tests of declared ops.

use std::fmt::Write;
use tensor_op_core::{Op, Spec};
use tensor_op_spec::ir;

/// The formula of an op, as kernels compute it.
pub fn formula(op: &dyn Op) -> String {
    ir::formula(&op.spec().graph().with_results(false))
}

/// The formula of an op's gradient; empty if it has none.
pub fn gradient(op: &dyn Op) -> String {
    op.backward().map(|backward| ir::formula(backward.spec().graph())).unwrap_or_default()
}

/// The graph of an op, in text form.
pub fn graph(op: &dyn Op) -> String {
    op.spec().graph().to_string()
}

/// The kernels of an op: what each computes, and what it stores.
pub fn schedule(op: &dyn Op) -> String {
    explained(op.spec())
}

/// The kernels of an op's gradient; empty if it has none.
pub fn gradient_schedule(op: &dyn Op) -> String {
    op.backward().map(|backward| explained(backward.spec())).unwrap_or_default()
}

/// Formula, gradient and kernels of an op, for one snapshot: `insta::assert_snapshot!(stages(&SiluMul))`.
pub fn stages(op: &dyn Op) -> String {
    let parts = [
        ("formula", formula(op)),
        ("gradient", gradient(op)),
        ("kernels", schedule(op)),
        ("kernels of the gradient", gradient_schedule(op)),
    ];
    let mut text = String::new();
    for (title, part) in parts.iter().filter(|(_, part)| !part.is_empty()) {
        let _ = write!(text, "==== {title} ====\n{}\n\n", part.trim_end());
    }
    text
}

fn explained(spec: &Spec) -> String {
    spec.schedule().explain(spec.graph())
}

/// The formatted code that the macro generates for the function with this name. `file` is the text of its
/// source file, which `include_str!` gives. If the function calls other ops, this is only the first step of
/// the expansion, since only the compiler can find their graphs. An `Err` if the file is not Rust or has no
/// such function.
#[cfg(feature = "expansion")]
pub fn expansion(file: &str, function: &str) -> Result<String, String> {
    use quote::ToTokens;
    let items = syn::parse_file(file).map_err(|error| error.to_string())?.items;
    let mut declared = find(items, function).ok_or_else(|| format!("there is no function `{function}`"))?;
    let is_macro =
        |attr: &syn::Attribute| attr.path().segments.last().is_some_and(|last| last.ident == "tensor_op");
    let options = declared.attrs.iter().find(|attr| is_macro(attr)).map(|attr| match &attr.meta {
        syn::Meta::List(list) => list.tokens.clone(),
        syn::Meta::Path(_) | syn::Meta::NameValue(_) => Default::default(),
    });
    let options = options.ok_or_else(|| format!("`{function}` is not under `#[tensor_op]`"))?;
    declared.attrs.retain(|attr| !is_macro(attr));
    let code = tensor_op_spec::expand(options, declared.into_token_stream(), function);
    Ok(prettyplease::unparse(&syn::parse2(code).map_err(|error| error.to_string())?))
}

/// Finds a function, also inside modules.
#[cfg(feature = "expansion")]
fn find(items: Vec<syn::Item>, name: &str) -> Option<syn::ItemFn> {
    use syn::ext::IdentExt;
    items.into_iter().find_map(|item| match item {
        syn::Item::Fn(function) => (function.sig.ident.unraw() == name).then_some(function),
        syn::Item::Mod(module) => find(module.content?.1, name),
        _ => None,
    })
}
