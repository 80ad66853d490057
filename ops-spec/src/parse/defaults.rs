//! Defaults that are the value of an argument before: `#[default(kernel_size)] stride: usize`.

use crate::ast::{Arg, ArgType};
use crate::diag::Errors;
use proc_macro2::Ident;
use syn::ext::IdentExt;

/// Lets such a default name the argument itself, or for an element of a list the element of the other list.
/// One that can't be is reported.
pub(super) fn resolve(errors: &mut Errors, args: &mut [Arg]) {
    let mut start = 0;
    while start < args.len() {
        let count = 1 + args[start + 1..].iter().take_while(|arg| arg.shares_list(&args[start])).count();
        if let Some(name) = args[start].default_arg.take() {
            let (before, rest) = args.split_at_mut(start);
            match values(before, &name, &rest[..count]) {
                Ok(names) => {
                    rest.iter_mut().zip(names).for_each(|(arg, name)| arg.default_arg = Some(name));
                }
                Err(message) => {
                    errors.at(name.span(), message);
                    rest[..count].iter_mut().for_each(|arg| arg.default_arg = None);
                }
            }
        }
        start += count;
    }
}

/// The arguments whose values are the default of an argument, or of the elements of a list.
fn values(before: &[Arg], name: &Ident, own: &[Arg]) -> Result<Vec<Ident>, String> {
    let is_list = own[0].list.is_some();
    let is_named = |arg: &&Arg| {
        if is_list { arg.list.as_ref() == Some(name) } else { arg.list.is_none() && arg.name == *name }
    };
    let found: Vec<&Arg> = before.iter().filter(is_named).collect();
    let text = name.unraw();
    let what = if is_list { format!("list of {}", own.len()) } else { "number".to_string() };
    if found.is_empty() {
        return Err(format!("no {what} with the name `{text}` stands before this one: write a number"));
    }
    if found.len() != own.len() {
        return Err(format!(
            "`{text}` is a list of {}, and this is one of {}: write numbers",
            found.len(),
            own.len()
        ));
    }
    let ty = |arg: &Arg| match &arg.ty {
        ArgType::Scalar(ty) => Some(*ty),
        _ => None,
    };
    if ty(found[0]) != ty(&own[0]) {
        return Err(format!("`{text}` has another type: write a number"));
    }
    if found[0].default.is_some() || found[0].default_arg.is_some() {
        return Err(format!("`{text}` has a default itself, so it may be left out too: write a number"));
    }
    Ok(found.into_iter().map(|arg| arg.name.clone()).collect())
}
