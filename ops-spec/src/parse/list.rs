//! Lists of scalars: `stride @ [sh, sw]: [usize; 2]`. A caller passes `stride`, and the formula has its
//! elements by their names.

use super::{attrs, expr, plain_name, types};
use crate::ast::{Arg, ArgType};
use crate::diag::{Errors, TokenRange};
use crate::ir::ScalarType;
use proc_macro2::Ident;
use syn::Attribute;
use syn::ext::IdentExt;
use syn::spanned::Spanned;

/// The elements of a list. `None` if the argument is no list.
pub(super) fn elements(errors: &mut Errors, typed: &syn::PatType) -> Option<Vec<Arg>> {
    let (name, pattern) = match &*typed.pat {
        syn::Pat::Ident(syn::PatIdent { ident, subpat: Some((_, pattern)), .. }) => (Some(ident), &**pattern),
        pattern => (None, pattern),
    };
    let (syn::Pat::Slice(names), syn::Type::Array(ty)) = (pattern, &*typed.ty) else {
        return no_list(errors, typed);
    };
    let before = errors.count();
    let names: Vec<Ident> =
        names.elems.iter().filter_map(|name| plain_name(errors, name, "an element of a list")).collect();
    if errors.count() > before {
        return Some(mistaken(names));
    }
    let Some(name) = name else {
        errors.at(TokenRange::of(pattern), "a list has a name for its callers: write `stride @ [sh, sw]`");
        return Some(mistaken(names));
    };
    let ty = element(errors, &ty.elem).filter(|_| length(errors, &ty.len, names.len()));
    let Some(ty) = ty else { return Some(mistaken(names)) };
    Some(arguments(errors, &typed.attrs, name, names, &ArgType::Scalar(ty)))
}

const NAMES: &str = "a list of numbers has a name for each: write `stride @ [sh, sw]: [usize; 2]`";

/// Reports a pattern without a list of names, or with one but of another type.
fn no_list(errors: &mut Errors, typed: &syn::PatType) -> Option<Vec<Arg>> {
    let is_list = matches!(&*typed.ty, syn::Type::Array(ty) if types::scalar(&ty.elem).is_some());
    let names = match &*typed.pat {
        syn::Pat::Ident(syn::PatIdent { subpat: Some((_, pattern)), .. }) => names_in(pattern),
        syn::Pat::Ident(name) if is_list => vec![name.ident.clone()],
        pattern @ syn::Pat::Slice(_) => names_in(pattern),
        _ => return None,
    };
    errors.at(TokenRange::of(&typed.ty), NAMES);
    Some(mistaken(names))
}

fn names_in(pattern: &syn::Pat) -> Vec<Ident> {
    let syn::Pat::Slice(names) = pattern else { return vec![] };
    let name = |name: &syn::Pat| match name {
        syn::Pat::Ident(name) => Some(name.ident.clone()),
        _ => None,
    };
    names.elems.iter().filter_map(name).collect()
}

/// Arguments that stand for a list with a mistake, so that their uses are not reported again.
fn mistaken(names: Vec<Ident>) -> Vec<Arg> {
    let argument = |name| Arg {
        name,
        list: None,
        ty: ArgType::Error,
        default: None,
        default_arg: None,
        default_variant: None,
        no_grad: false,
    };
    names.into_iter().map(argument).collect()
}

fn element(errors: &mut Errors, ty: &syn::Type) -> Option<ScalarType> {
    let found = types::scalar(ty).filter(|ty| match ty {
        ScalarType::Usize | ScalarType::I64 | ScalarType::F64 => true,
        ScalarType::F32 | ScalarType::Fraction | ScalarType::Seed | ScalarType::Bool => false,
    });
    if found.is_none() {
        errors.at(TokenRange::of(ty), "the elements of a list are `usize`, `i64` or `f64`");
    }
    found
}

fn length(errors: &mut Errors, written: &syn::Expr, names: usize) -> bool {
    let found = match written {
        syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Int(length), .. }) => {
            length.base10_parse::<usize>().ok()
        }
        _ => None,
    };
    let is_right = found == Some(names) && names > 0;
    if !is_right {
        let message = match names {
            0 => "a list has at least one element".to_string(),
            _ => format!("the pattern names {names} elements: write `; {names}]`"),
        };
        errors.at(TokenRange::of(written), message);
    }
    is_right
}

/// `#[default(1)]` is the default of each element, `#[default([1, 2])]` has one for each.
fn arguments(
    errors: &mut Errors,
    all: &[Attribute],
    list: &Ident,
    names: Vec<Ident>,
    ty: &ArgType,
) -> Vec<Arg> {
    let mut defaults = all.iter().filter(|attr| attr.path().is_ident("default"));
    if let Some(second) = defaults.nth(1) {
        errors.at(second.path().span(), "a second default: remove one");
        return mistaken(names);
    }
    let each = all.iter().find_map(|attr| {
        let is_default = attr.path().is_ident("default");
        attr.parse_args::<syn::ExprArray>().ok().filter(|_| is_default)
    });
    if let Some(each) = each.as_ref().filter(|each| each.elems.len() != names.len()) {
        let message = format!("`{}` has {} elements: write a default for each", list.unraw(), names.len());
        errors.at(each.span(), message);
        return mistaken(names);
    }
    let others: Vec<Attribute> =
        all.iter().filter(|attr| each.is_none() || !attr.path().is_ident("default")).cloned().collect();
    let shared = attrs::of_arg(errors, &others, list, ty);
    let argument = |(index, name): (usize, Ident)| {
        let own = each.as_ref().map(|each| expr::expr(errors, &each.elems[index]));
        let default = match own {
            Some(value) => attrs::default_value(errors, &value, &name, ty),
            None => shared.default,
        };
        Arg {
            name,
            list: Some(list.clone()),
            ty: ty.clone(),
            default,
            default_arg: shared.argument.clone(),
            default_variant: None,
            no_grad: false,
        }
    };
    names.into_iter().enumerate().map(argument).collect()
}
