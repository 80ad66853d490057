//! A declaration that asks for the graph of an op that it calls.

use crate::ast::{Item, OpCall};
use crate::inline::Request;
use proc_macro2::TokenStream;
use quote::quote;

/// A call of the carrier behind a path. It gets this declaration to continue with.
pub(crate) fn request(request: &Request, item: &Item, call: &OpCall) -> TokenStream {
    let Request { site, attr, item: tokens, texts } = request;
    let (path, name) = (&call.path, call.name());
    let texts = texts.iter().map(|(path, text)| quote!(#path #text));
    let cfg = item.attrs.iter().filter(|attr| attr.path().is_ident("cfg"));
    quote!(#(#cfg)* #path! { #name [#(#texts)*] #site { #attr } { #tokens } })
}
