//! The `match` by which a call chooses a formula. It is one over the user's own enum, so that rustc checks
//! that no variant is missing.

use super::Formula;
use crate::ast::Item;
use crate::choose::{Choice, Values};
use proc_macro2::{Ident, TokenStream};
use quote::{quote, quote_spanned};

/// What is run for the formula that the arguments choose.
pub(super) fn chosen(
    item: &Item,
    choices: &[Choice],
    formulas: &[Formula],
    run: impl Fn(&Formula) -> TokenStream,
) -> TokenStream {
    let names: Vec<&Ident> = choices.iter().map(|choice| &choice.name).collect();
    let span = names.last().map_or(item.name.span(), |name| name.span());
    let arms = formulas.iter().map(|formula| {
        let patterns =
            choices.iter().zip(&formula.picks).map(|(choice, pick)| pattern(choice, *pick, &formula.item));
        let patterns = tuple(patterns.collect(), span);
        let run = run(formula);
        quote!(#patterns => #run,)
    });
    match formulas {
        [one] if choices.is_empty() => run(one),
        _ => {
            let on = tuple(names.iter().map(|name| quote!(#name)).collect(), span);
            quote!(match #on { #(#arms)* })
        }
    }
}

fn tuple(parts: Vec<TokenStream>, span: proc_macro2::Span) -> TokenStream {
    if parts.len() == 1 { quote!(#(#parts)*) } else { quote_spanned!(span=> (#(#parts),*)) }
}

fn pattern(choice: &Choice, pick: usize, item: &Item) -> TokenStream {
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
    }
}
