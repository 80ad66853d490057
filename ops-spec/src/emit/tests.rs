//! The tests of the op: one per claim, each a call of the testing crate.

use super::{Formula, Scheduled, op_type};
use crate::ast::{TestClaim, TestDtype};
use crate::grad;
use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};
use syn::ext::IdentExt;

/// `::tensor_op::__private::tests!`, which is a module of tests if `tensor_op` is built with its feature
/// `testing`. Empty if the declaration turns tests off.
pub(super) fn tests(formula: &Formula) -> TokenStream {
    let item = &formula.item;
    let ty = op_type(&item.name);
    if !item.tests.generated {
        return TokenStream::new();
    }
    let cfgs = item.attrs.iter().filter(|attr| attr.path().is_ident("cfg"));
    let module = format_ident!("{}_tests", item.name.unraw());
    let is_wanted = |claim: &TestClaim| !item.tests.skip.contains(claim);
    let claims = claims(formula).into_iter().filter(is_wanted).map(|claim| {
        let (test, claim) = (format_ident!("{}", claim.test()), format_ident!("{}", claim.variant()));
        quote!(#test = #claim)
    });
    let dtypes: Vec<Ident> =
        item.tests.dtypes.iter().map(|dtype| format_ident!("{}", dtype.variant())).collect();
    let dtypes = (!dtypes.is_empty()).then(|| quote!(in [#(#dtypes),*]));
    quote! {
        #(#cfgs)*
        ::tensor_op::__private::tests! { #module #ty #dtypes { #(#claims),* } }
    }
}

/// The tests that apply. A declaration may leave some of them out.
pub(crate) fn claims(formula: &Formula) -> Vec<TestClaim> {
    let Formula { item, forward, backward, .. } = formula;
    let mut claims = vec![
        TestClaim::Forward,
        TestClaim::Views,
        TestClaim::Shapes,
        TestClaim::SpecialValues,
        TestClaim::Lanes,
        TestClaim::SameBuffers,
        TestClaim::Repeatable,
        TestClaim::Guards,
    ];
    claims.extend(item.associative.then_some(TestClaim::Associative));
    if backward.is_none() {
        return claims;
    }
    // A rule for what is flat everywhere, such as `round`, has no derived one to agree with.
    if !item.rules.is_empty() && has_derived_rule(forward) {
        claims.push(TestClaim::GivenRule);
    }
    // The others are in f64.
    let mut floats = item.tests.dtypes.iter().filter(|dtype| dtype.is_float()).peekable();
    if floats.peek().is_some() && floats.all(|dtype| *dtype != TestDtype::F64) {
        return claims;
    }
    claims.extend([TestClaim::Checkpoint, TestClaim::GradLayouts]);
    let inputs = item.args.iter().filter(|arg| arg.ty.is_float_tensor() && !arg.no_grad);
    if inputs.count() > 1 {
        claims.push(TestClaim::Masks);
    }
    // Differences see the formula, so that they agree with a given rule only where that is the derivative.
    if item.rules.is_empty() || has_derived_rule(forward) {
        claims.extend([TestClaim::Gradcheck, TestClaim::Gradgradcheck]);
        claims.extend(has_forward_mode(forward).then_some(TestClaim::Jvp));
    }
    claims
}

/// Whether there is a derived rule for the given ones to agree with.
fn has_derived_rule(forward: &Scheduled) -> bool {
    grad::backward(&grad::without_given(&forward.source)).is_ok()
}

/// Whether given rules are linear in the gradient, as forward mode needs them.
fn has_forward_mode(forward: &Scheduled) -> bool {
    let all = vec![true; forward.source.args.len()];
    !forward.source.has_gradient_markers() || grad::jvp(&forward.source, &all).is_ok()
}
