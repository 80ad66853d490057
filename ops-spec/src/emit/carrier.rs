//! The macro under an op's name that hands its graph to the declarations that call it.

use super::op::{raw_string, shared_attrs};
use crate::ast::Item;
use crate::inline::{carrier_name, is_macro_of_rust};
use proc_macro2::TokenStream;
use quote::quote;

/// The carrier of a text, imported as the function's name so that both have one path. A macro can leave its
/// crate only if it is exported, under a name that is unique there.
pub(crate) fn carrier(item: &Item, text: &str, site: &str) -> TokenStream {
    let Item { vis, name, .. } = item;
    if is_macro_of_rust(name) {
        return TokenStream::new();
    }
    let attrs = shared_attrs(item);
    // `allow` says nothing of an import, and clippy says so.
    let cfg = item.attrs.iter().filter(|attr| attr.path().is_ident("cfg"));
    let carrier = carrier_name(name, text, site);
    let text = raw_string(text);
    let export = match vis {
        syn::Visibility::Public(_) => quote!(#[macro_export]),
        syn::Visibility::Restricted(_) | syn::Visibility::Inherited => TokenStream::new(),
    };
    quote! {
        #(#attrs)*
        #[doc(hidden)]
        #[allow(non_local_definitions)]
        #export
        macro_rules! #carrier {
            ($($declaration:tt)*) => { ::tensor_op::__private::inline! { #text $($declaration)* } };
        }
        #(#cfg)*
        #[doc(hidden)]
        #vis use #carrier as #name;
    }
}
