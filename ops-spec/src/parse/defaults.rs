//! Defaults that are the value of an argument before: `#[default(kernel_size)] stride: usize`.

use crate::ast::{Arg, ArgType};
use crate::diag::Errors;
use proc_macro2::Ident;
use syn::ext::IdentExt;

/// Lets such a default name the argument itself, or for an element of a list the element of the other list.
/// One that can't be is reported.
pub(super) fn resolve(errors: &mut Errors, args: &mut [Arg]) {
    for index in 0..args.len() {
        let Some(name) = args[index].default_arg.take() else { continue };
        let list = args[index].list.clone();
        let own = args[..index].iter().rev().take_while(|arg| list.is_some() && arg.list == list).count();
        let found = named(&args[..index - own], &name, own, &args[index]);
        // The elements of a list have one default, so that one message is enough.
        if found.is_none() && own == 0 {
            let message = format!(
                "`{0}` is no argument before this one that has its type and no default: write a number, or move `{0}`",
                name.unraw()
            );
            errors.at(name.span(), message);
        }
        args[index].default_arg = found;
    }
}

/// The argument with this name, or the element at a place of the list with this name.
fn named(before: &[Arg], name: &Ident, place: usize, arg: &Arg) -> Option<Ident> {
    let found = match before.iter().find(|other| other.name == *name && other.list.is_none()) {
        Some(one) if arg.list.is_none() => one,
        Some(_) => return None,
        None => before
            .iter()
            .filter(|other| arg.list.is_some() && other.list.as_ref() == Some(name))
            .nth(place)?,
    };
    let is_like = match (&found.ty, &arg.ty) {
        (ArgType::Scalar(a), ArgType::Scalar(b)) => a == b,
        _ => false,
    };
    let has_default = found.default.is_some() || found.default_arg.is_some();
    (is_like && !has_default).then(|| found.name.clone())
}
