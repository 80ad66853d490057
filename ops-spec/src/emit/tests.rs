//! The tests of the op: one per claim, each a call of the testing crate.

use super::Scheduled;
use crate::ast::Item;
use crate::grad;
use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};
use syn::ext::IdentExt;

/// `::tensor_op::__private::tests!`, which is a module of tests if `tensor_op` is built with its feature `testing`. Empty if the
/// declaration turns tests off.
pub(super) fn tests(
    item: &Item,
    ty: &Ident,
    forward: &Scheduled,
    backward: Option<&Scheduled>,
) -> TokenStream {
    if !item.tests {
        return TokenStream::new();
    }
    let cfgs = item.attrs.iter().filter(|attr| attr.path().is_ident("cfg"));
    let module = format_ident!("{}_tests", item.name.unraw());
    let claims = claims(item, forward, backward.is_some()).into_iter().map(|(test, claim)| {
        let (test, claim) = (format_ident!("{test}"), format_ident!("{claim}"));
        quote!(#test = #claim)
    });
    quote! {
        #(#cfgs)*
        ::tensor_op::__private::tests! { #module #ty { #(#claims),* } }
    }
}

/// Names of the tests and of the claims that they check.
fn claims(item: &Item, forward: &Scheduled, differentiable: bool) -> Vec<(&'static str, &'static str)> {
    let mut claims = vec![
        ("forward", "Forward"),
        ("views", "Views"),
        ("shapes", "Shapes"),
        ("special_values", "SpecialValues"),
        ("repeatable", "Repeatable"),
        ("guards", "Guards"),
    ];
    if differentiable {
        let inputs = item.args.iter().filter(|arg| arg.ty.is_float_tensor() && !arg.no_grad);
        if inputs.count() > 1 {
            claims.push(("masks", "Masks"));
        }
        // Differences see the formula, so that they agree with a given rule only where that is the derivative.
        if item.rules.is_empty() {
            claims.extend([("gradcheck", "Gradcheck"), ("gradgradcheck", "Gradgradcheck")]);
        } else if has_derived_rule(forward) {
            claims.push(("given_rule", "GivenRule"));
            claims.extend([("gradcheck", "Gradcheck"), ("gradgradcheck", "Gradgradcheck")]);
        }
    }
    claims
}

/// Whether there is a derived rule for the given ones to agree with: what is flat everywhere, such as `round`, has none.
fn has_derived_rule(forward: &Scheduled) -> bool {
    grad::backward(&grad::without_given(&forward.source)).is_ok()
}
