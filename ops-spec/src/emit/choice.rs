//! The `match` by which a call chooses a formula. It is one over the user's own enum, so that rustc checks
//! that no variant is missing.

use super::Formula;
use crate::ast::{Item, Kinds};
use crate::choose::{Choice, Values};
use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::ext::IdentExt;

/// What tells a function the kind of the tensors whose kind a call chooses.
#[derive(Clone, Copy)]
pub(super) enum KindFrom<'a> {
    /// The dtype of the first of them, which may also be a wrong one.
    Dtype,
    /// A type parameter, which rustc checks.
    Type(&'a Ident),
}

/// What is run for the formula that the arguments choose.
pub(super) fn chosen(
    item: &Item,
    choices: &[Choice],
    formulas: &[Formula],
    kind: KindFrom<'_>,
    run: impl Fn(&Formula) -> TokenStream,
) -> TokenStream {
    let span = choices.last().map_or(item.name.span(), |choice| choice.name.span());
    let arms = formulas.iter().map(|formula| {
        let patterns = choices
            .iter()
            .zip(&formula.picks)
            .map(|(choice, pick)| pattern(choice, *pick, kind, &formula.item));
        let patterns = tuple(patterns.collect(), span);
        let run = run(formula);
        quote!(#patterns => #run,)
    });
    match formulas {
        [one] if choices.is_empty() => run(one),
        _ => {
            let on = tuple(choices.iter().map(|choice| value(choice, kind)).collect(), span);
            let refused = match kind {
                KindFrom::Dtype => refused(item, choices, span),
                KindFrom::Type(_) => None,
            };
            quote!(match #on { #(#arms)* #refused })
        }
    }
}

/// The arm of bools, where numbers are wanted.
fn refused(item: &Item, choices: &[Choice], span: Span) -> Option<TokenStream> {
    let is_of_numbers = |choice: &Choice| matches!(choice.values, Values::Kind(Kinds::Numbers));
    let choice = choices.iter().find(|choice| is_of_numbers(choice))?;
    let patterns = choices.iter().map(|choice| match is_of_numbers(choice) {
        true => quote!(::tensor_op::__private::Kind::Bool),
        false => quote!(_),
    });
    let patterns = tuple(patterns.collect(), span);
    let (op, arg) = (item.name.unraw().to_string(), choice.name.unraw().to_string());
    Some(quote! {
        #patterns => return ::core::result::Result::Err(::tensor_op::__private::no_number(#op, #arg)),
    })
}

fn tuple(parts: Vec<TokenStream>, span: Span) -> TokenStream {
    if parts.len() == 1 { quote!(#(#parts)*) } else { quote_spanned!(span=> (#(#parts),*)) }
}

/// What is matched.
fn value(choice: &Choice, kind: KindFrom<'_>) -> TokenStream {
    let name = &choice.name;
    match (&choice.values, kind) {
        (Values::Optional | Values::Flag | Values::Enum(_), _) => quote!(#name),
        (Values::Kind(_), KindFrom::Dtype) => quote!(Self::dtype(&#name).kind()),
        (Values::Kind(Kinds::Numbers), KindFrom::Type(ty)) => {
            quote!(<#ty as ::tensor_op::__private::burn::NumberKind>::NUMBER)
        }
        (Values::Kind(Kinds::All), KindFrom::Type(ty)) => {
            quote!(<#ty as ::tensor_op::__private::burn::TensorKind>::KIND)
        }
    }
}

fn pattern(choice: &Choice, pick: usize, kind: KindFrom<'_>, item: &Item) -> TokenStream {
    let name = &choice.name;
    let is_taken = item.args.iter().any(|arg| arg.name == *name);
    match (&choice.values, pick == Values::YES) {
        (Values::Optional, true) if is_taken => quote!(::core::option::Option::Some(#name)),
        (Values::Optional, true) => quote!(::core::option::Option::Some(_)),
        (Values::Optional, false) => quote!(::core::option::Option::None),
        (Values::Flag, is_true) => quote!(#is_true),
        (Values::Enum(paths), _) => {
            let path = &paths[pick];
            quote!(#path)
        }
        (Values::Kind(kinds), _) => {
            let chosen = kinds.list()[pick];
            let variant = format_ident!("{chosen:?}");
            match (kind, kinds) {
                (KindFrom::Type(_), Kinds::Numbers) => {
                    quote!(::tensor_op::__private::burn::Number::#variant)
                }
                (KindFrom::Type(_), Kinds::All) | (KindFrom::Dtype, Kinds::Numbers | Kinds::All) => {
                    quote!(::tensor_op::__private::Kind::#variant)
                }
            }
        }
    }
}
