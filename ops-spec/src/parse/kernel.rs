//! `#[kernel(cpu = path, cpu_backward = path, Mine = path, saves)]`.

use super::attrs::listed;
use crate::ast::{ByHand, Kernels, Target};
use crate::diag::Errors;
use proc_macro2::Span;
use syn::parse::{Parse, ParseStream};
use syn::spanned::Spanned;
use syn::{Attribute, Path, Token};

/// Adds the kernels of an attribute to those of the attributes before it.
pub(super) fn kernels(errors: &mut Errors, attr: &Attribute, found: &mut Kernels) {
    for setting in listed::<Setting>(errors, attr, "write `#[kernel(cpu = path)]`").unwrap_or_default() {
        let (name, path) = match setting {
            Setting::Kernel { name, path } => (name, path),
            Setting::Saves(span) => {
                if found.saves.replace(span).is_some() {
                    errors.at(span, "a second `saves`: remove one");
                }
                continue;
            }
        };
        let span = name.span();
        let (target, is_backward) = target(name);
        if let Target::Backend(path) = &target
            && !is_type(path)
        {
            let name = path.segments.last().map_or(String::new(), |segment| segment.ident.to_string());
            let hint = "name `cpu`, `cube` or the type of a backend, as in `#[kernel(cpu = path)]`";
            errors.at(span, format!("no backend `{name}` takes kernels: {hint}"));
            continue;
        }
        let kernel = ByHand { target, is_backward, path, span };
        if found.list.iter().any(|other| other.is_for_the_same(&kernel)) {
            errors.at(span, "a second kernel for the same backend: remove one");
        } else {
            found.list.push(kernel);
        }
    }
}

enum Setting {
    /// `cpu = path`.
    Kernel { name: Path, path: Path },
    /// `saves`.
    Saves(Span),
}

impl Parse for Setting {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let name = input.call(Path::parse_mod_style)?;
        if name.is_ident("saves") && !input.peek(Token![=]) {
            return Ok(Setting::Saves(name.span()));
        }
        input.parse::<Token![=]>()?;
        Ok(Setting::Kernel { name, path: input.parse()? })
    }
}

/// What a name stands for, and whether `_backward` is behind it.
fn target(mut name: Path) -> (Target, bool) {
    let mut is_backward = false;
    if let Some(last) = name.segments.last_mut()
        && let Some(forward) = last.ident.to_string().strip_suffix("_backward")
        && let Ok(mut forward) = syn::parse_str::<syn::Ident>(forward)
    {
        is_backward = true;
        forward.set_span(last.ident.span());
        last.ident = forward;
    }
    let target = match name.get_ident() {
        Some(ident) if ident == "cpu" => Target::Cpu,
        Some(ident) if ident == "cube" => Target::Cube,
        Some(_) | None => Target::Backend(name),
    };
    (target, is_backward)
}

/// Whether a path has the name of a type.
fn is_type(path: &Path) -> bool {
    let last = path.segments.last().map(|segment| segment.ident.to_string());
    last.is_some_and(|name| name.trim_start_matches("r#").starts_with(char::is_uppercase))
}
