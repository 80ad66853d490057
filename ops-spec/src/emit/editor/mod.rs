//! The code that an editor reads instead of a formula.
//!
//! The macro replaces a formula by generated code, in which no token of the body is left. An editor would
//! then know nothing of the body: no hover, no go to definition, no rename, no completion. So each expansion
//! starts with an item that has the user's tokens, with their spans, as ordinary Rust: arguments, dims and
//! `let`s are bindings of one marker type, and the functions of the language are documented functions in
//! `::tensor_op::__private::editor`.
//!
//! The item has `#[cfg(rust_analyzer)]`, which only rust-analyzer sets, for the crates of a workspace. Its
//! tokens are those of a macro call. rustc drops the call with its tokens as they are: it parses none of
//! them, resolves no name and checks no type. So the item costs next to nothing, and can't lead to an error
//! or a warning, not even if a formula is unfinished. Without a `cfg` rustc would check the item in every
//! build, and report each mistake in a formula a second time, in its own words. The lint `unexpected_cfgs`
//! does not know the name. It is allowed at an item around the call, because an attribute at the call would
//! be too late.
//!
//! The tokens are read here a second time, without syn, because an editor asks for completions while the
//! formula does not parse. For any tokens there is an item, and rust-analyzer accepts it as it accepts all
//! unfinished code. The item is the first one of the expansion. For a completion, rust-analyzer expands a
//! formula twice, unchanged and with a name at the cursor, and finds a place of one expansion in the other by
//! its offset.

mod choice;
mod expr;
mod made;
mod signature;
#[cfg(test)]
mod tests;

use crate::tokens;
use expr::{Writer, statements};
use proc_macro2::TokenStream;
use quote::quote;
use signature::Function;

/// The item for an editor. Empty if the tokens hold no function.
pub(crate) fn item(item: &TokenStream) -> TokenStream {
    let Some(function) = Function::read(item.clone()) else { return TokenStream::new() };
    let Function { cfg, bindings, bound, rules, kept, grads, body } = &function;
    let constants = CONSTANTS.iter().filter(|name| !bound.contains(**name));
    let constants = constants.map(|name| proc_macro2::Ident::new(name, proc_macro2::Span::call_site()));
    let mut bound = bound.clone();
    let (lets, last) = statements(Writer::default(), body.clone(), Some(&mut bound));
    let rules = (!rules.is_empty()).then(|| quote!({ #(let #grads = __editor::value();)* #(#rules;)* }));
    quote! {
        #(#cfg)*
        #[allow(unexpected_cfgs)]
        const _: () = {
            #[cfg(rust_analyzer)]
            ::tensor_op::__private::editor_item! {
                use ::tensor_op::__private::editor as __editor;
                #[allow(unused_imports)]
                use __editor::{constants::{#(#constants),*}, functions::*};
                #[allow(unused, non_snake_case)]
                fn formula() {
                    #(#bindings)*
                    #(#lets)*
                    #(#kept;)*
                    #rules
                    #last;
                }
            }
        };
    }
}

/// Names that are in scope in every formula, unless the formula defines them itself: the constants, and the
/// kinds that `cast` takes.
const CONSTANTS: [&str; 8] = ["PI", "E", "LN_2", "SQRT_2", "INFINITY", "NAN", "float", "int"];

/// Reads an expression, such as those in `#[grad(..)]`.
fn expression(tokens: TokenStream) -> TokenStream {
    Writer::default().expression(&tokens::flat(tokens))
}
