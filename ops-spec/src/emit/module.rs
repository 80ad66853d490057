//! The code of `#[derive(Module)]`: a call for each field that has tensors.

use crate::module::Part;
use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::{DeriveInput, Generics, parse_quote};

/// The implementation of `Module` for a struct with these parts.
pub(crate) fn module(input: &DeriveInput, parts: &[Part]) -> TokenStream {
    let visited = parts.iter().map(|part| part.visit(&quote!(visit), &quote_spanned!(part.span => &)));
    let changed = parts.iter().map(|part| part.visit(&quote!(visit_mut), &quote_spanned!(part.span => &mut)));
    let (ident, generics) = (&input.ident, bounded(&input.generics));
    let (params, args, bounds) = generics.split_for_impl();
    quote! {
        #[automatically_derived]
        #[allow(unused_variables)]
        impl #params ::tensor_op::Module for #ident #args #bounds {
            fn visit<'__module>(
                &'__module self,
                name: &::core::primitive::str,
                visit: &mut dyn ::core::ops::FnMut(&::core::primitive::str, &'__module ::tensor_op::Tensor),
            ) {
                #(#visited)*
            }

            fn visit_mut<'__module>(
                &'__module mut self,
                name: &::core::primitive::str,
                visit: &mut dyn ::core::ops::FnMut(&::core::primitive::str, &'__module mut ::tensor_op::Tensor),
            ) {
                #(#changed)*
            }
        }
    }
}

impl Part {
    /// The call for this field. It stands at the field, where an error of its type belongs.
    fn visit(&self, method: &TokenStream, borrow: &TokenStream) -> TokenStream {
        let (member, name) = (&self.member, &self.name);
        quote_spanned! { self.span =>
            ::tensor_op::Module::#method(
                #borrow self.#member,
                &::tensor_op::__private::child(name, #name),
                visit,
            );
        }
    }
}

/// The generics, where each type is a module too.
fn bounded(generics: &Generics) -> Generics {
    let mut generics = generics.clone();
    for param in generics.type_params_mut() {
        param.bounds.push(parse_quote!(::tensor_op::Module));
    }
    generics
}
