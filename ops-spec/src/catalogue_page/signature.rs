//! The signature of an op or of a function in short, and the first sentence of its docs.

use crate::ast::{Arg, ArgType, Axis, Item, NUMBER, Param, TensorType};
use crate::choose::last_word;
use crate::ir::{ALL_AXES, Scalar, ScalarType};
use quote::ToTokens;
use syn::ext::IdentExt;

/// `topk_of_last(input: NumTensor![.., n], k: usize, largest = true)`.
pub(super) fn of(item: &Item) -> String {
    let args: Vec<String> = item.params().into_iter().map(|one| param(item, one)).collect();
    format!("{}({})", item.name.unraw(), args.join(", "))
}

fn param(item: &Item, param: Param<'_>) -> String {
    let first = match param {
        Param::One(arg) => arg,
        Param::List(_, elements) => &elements[0],
    };
    if let Some(like) = item.args.iter().find(|other| first.default_arg.as_ref() == Some(&other.name)) {
        return format!("{} = {}", param.name().unraw(), like.list.as_ref().unwrap_or(&like.name).unraw());
    }
    let (name, elements) = match param {
        Param::One(arg) => return argument(arg),
        Param::List(name, elements) => (name.unraw(), elements),
    };
    let defaults: Option<Vec<String>> =
        elements.iter().map(|element| element.default.map(|value| value.to_string())).collect();
    match (defaults, &elements[0].ty) {
        (Some(all), _) if all.iter().all(|one| *one == all[0]) => format!("{name} = {}", all[0]),
        (Some(all), _) => format!("{name} = [{}]", all.join(", ")),
        (None, ArgType::Scalar(ty)) => format!("{name}: [{}; {}]", ty.name(), elements.len()),
        (None, _) => name.to_string(),
    }
}

/// `gather(input, dim, index)`, and ` = None` behind what may be left out.
pub(super) fn of_function(function: &syn::ItemFn) -> String {
    let argument = |arg: &syn::FnArg| {
        let syn::FnArg::Typed(arg) = arg else { return "self".to_string() };
        let (name, ty) = (arg.pat.to_token_stream().to_string(), arg.ty.to_token_stream().to_string());
        if ty.contains("Option") { format!("{name} = None") } else { name }
    };
    let args: Vec<String> = function.sig.inputs.iter().map(argument).collect();
    format!("{}({})", function.sig.ident, args.join(", "))
}

fn argument(arg: &Arg) -> String {
    let name = arg.name.unraw();
    match (&arg.ty, arg.default) {
        (ArgType::Tensor(ty), _) => tensor(ty).map_or(name.to_string(), |ty| format!("{name}: {ty}")),
        (ArgType::Optional(_), _) => format!("{name} = None"),
        (ArgType::Axes, Some(Scalar::Int(ALL_AXES))) => format!("{name} = .."),
        (
            ArgType::Enum(_) | ArgType::Scalar(_) | ArgType::Number | ArgType::Axis | ArgType::Axes,
            Some(value),
        ) => {
            format!("{name} = {value}")
        }
        (ArgType::Enum(ty), None) => match &arg.default_variant {
            Some(path) => format!("{name} = {}", last_word(path)),
            None => format!("{name}: {}", last_word(ty)),
        },
        (ArgType::Scalar(ScalarType::Seed), None) => format!("{name} = None"),
        (ArgType::Scalar(ty), None) => format!("{name}: {}", ty.name()),
        (ArgType::Number, None) => format!("{name}: {NUMBER}"),
        (ArgType::Axis, None) => format!("{name}: Axis"),
        (ArgType::Axes, None) => format!("{name}: Axes"),
        (ArgType::Error, _) => name.to_string(),
    }
}

/// The type with the names of its dims; nothing for a bare `Tensor`.
fn tensor(ty: &TensorType) -> Option<String> {
    let word = ty.kinds.map_or(ty.kind.tensor(), |kinds| kinds.tensor());
    if ty.is_plain() {
        return (word != "Tensor").then(|| word.to_string());
    }
    let axes: Vec<String> = ty.axes.iter().map(axis).collect();
    Some(format!("{word}![{}]", axes.join(", ")))
}

fn axis(axis: &Axis) -> String {
    let names: Vec<String> = axis.dims().iter().map(|dim| dim.name.unraw().to_string()).collect();
    match axis {
        Axis::Group(_) => "..".to_string(),
        Axis::Dim(_) => names.concat(),
        Axis::Parts(_) => format!("({})", names.join(", ")),
    }
}

/// The first sentence of the docs, without links, which lead to rustdoc's pages.
pub(super) fn first_sentence(attrs: &[syn::Attribute]) -> String {
    let lines = attrs.iter().filter_map(doc);
    let paragraph: Vec<String> = lines.take_while(|line| !line.is_empty()).collect();
    let text = without_links(&paragraph.join(" "));
    let ends = text.match_indices(". ").map(|(at, _)| at);
    let is_end = |at: &usize| {
        let (before, after) = (&text[..*at], &text[at + 2..]);
        before.matches('`').count() % 2 == 0
            && after.starts_with(|next: char| next.is_uppercase() || next == '`')
    };
    let end = ends.into_iter().find(is_end);
    end.map_or(text.as_str(), |end| &text[..=end]).replace('|', "\\|")
}

/// A line of docs.
fn doc(attr: &syn::Attribute) -> Option<String> {
    match &attr.meta {
        syn::Meta::NameValue(syn::MetaNameValue {
            path,
            value: syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Str(line), .. }),
            ..
        }) if path.is_ident("doc") => Some(line.value().trim().to_string()),
        syn::Meta::NameValue(_) | syn::Meta::List(_) | syn::Meta::Path(_) => None,
    }
}

/// ``[`f`](path)`` and ``[`f`]`` as `` `f` ``.
fn without_links(text: &str) -> String {
    let mut parts = text.split("[`");
    let mut out = parts.next().unwrap_or_default().to_string();
    for part in parts {
        match part.split_once("`]") {
            Some((name, rest)) => {
                let target = rest.strip_prefix('(').and_then(|rest| rest.split_once(')'));
                out += &format!("`{name}`{}", target.map_or(rest, |(_, rest)| rest));
            }
            None => out += &format!("[`{part}"),
        }
    }
    out
}
