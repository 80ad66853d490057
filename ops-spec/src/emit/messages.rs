//! Mistakes as `compile_error!` items, each at its tokens.

use crate::diag::Error;
use proc_macro2::{Span, TokenStream};
use quote::quote_spanned;

/// The messages of all mistakes.
pub(crate) fn compile_errors(errors: &[Error]) -> TokenStream {
    errors.iter().map(|Error { place, message }| spanned(place.start, place.end, message)).collect()
}

/// A message at the macro that is expanded.
pub(crate) fn compile_error(message: &str) -> TokenStream {
    spanned(Span::call_site(), Span::call_site(), message)
}

fn spanned(start: Span, end: Span, message: &str) -> TokenStream {
    let arguments = quote_spanned!(end=> { #message });
    quote_spanned!(start=> ::core::compile_error! #arguments)
}
