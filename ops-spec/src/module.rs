//! `#[derive(Module)]`: code that walks over the tensors of a struct and names them by its fields.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{quote, quote_spanned};
use std::collections::BTreeSet;
use syn::spanned::Spanned;
use syn::{Attribute, Data, DeriveInput, Error, Field, Generics, Index, LitStr, Member, Result, parse_quote};

/// Expands `#[derive(Module)] struct ..`. A mistake becomes a `compile_error!` at its token.
pub fn derive_module(input: TokenStream) -> TokenStream {
    syn::parse2(input)
        .and_then(|input| implementation(&input))
        .unwrap_or_else(|error| error.to_compile_error())
}

/// A field that is walked over, and the name of it.
struct Part {
    member: Member,
    name: String,
    span: Span,
}

fn implementation(input: &DeriveInput) -> Result<TokenStream> {
    let parts = parts(input)?;
    let visited = parts.iter().map(|part| part.visit(&quote!(visit), &quote_spanned!(part.span => &)));
    let changed = parts.iter().map(|part| part.visit(&quote!(visit_mut), &quote_spanned!(part.span => &mut)));
    let (ident, generics) = (&input.ident, bounded(&input.generics));
    let (params, args, bounds) = generics.split_for_impl();
    Ok(quote! {
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
    })
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

/// The fields of the struct that are not skipped.
fn parts(input: &DeriveInput) -> Result<Vec<Part>> {
    let Data::Struct(data) = &input.data else {
        let message = "`Module` can be derived for structs only: write the `impl` for this type by hand";
        return Err(Error::new(input.ident.span(), message));
    };
    if let Some(attribute) = input.attrs.iter().find(|attribute| attribute.path().is_ident("module")) {
        return Err(Error::new(attribute.path().span(), "`module` belongs before a field"));
    }
    let mut names = BTreeSet::new();
    let mut parts = vec![];
    for (place, field) in data.fields.iter().enumerate() {
        if let Some((name, span)) = name(field, place)? {
            if !names.insert(name.clone()) {
                return Err(Error::new(span, format!("two fields have the name `{name}`")));
            }
            let member = match &field.ident {
                Some(ident) => Member::Named(ident.clone()),
                None => Member::Unnamed(Index::from(place)),
            };
            parts.push(Part { member, name, span: field.ty.span() });
        }
    }
    Ok(parts)
}

/// The name of a field and its place, or nothing for a field that is skipped.
fn name(field: &Field, place: usize) -> Result<Option<(String, Span)>> {
    let own = match &field.ident {
        Some(ident) => (plain(ident), ident.span()),
        None => (place.to_string(), field.span()),
    };
    let (mut name, mut is_skipped) = (own, false);
    for attribute in field.attrs.iter().filter(|attribute| attribute.path().is_ident("module")) {
        read(attribute, &mut name, &mut is_skipped)?;
    }
    Ok((!is_skipped).then_some(name))
}

fn read(attribute: &Attribute, name: &mut (String, Span), is_skipped: &mut bool) -> Result<()> {
    attribute.parse_nested_meta(|meta| {
        if meta.path.is_ident("skip") {
            *is_skipped = true;
            return Ok(());
        }
        if !meta.path.is_ident("name") {
            return Err(meta.error("unknown word: write `skip` or `name = \"..\"`"));
        }
        let text: LitStr = meta.value()?.parse()?;
        if text.value().split('.').any(str::is_empty) {
            return Err(Error::new(
                text.span(),
                "a name has words with dots in between: `\"q_proj.weight\"`",
            ));
        }
        *name = (text.value(), text.span());
        Ok(())
    })
}

fn plain(ident: &Ident) -> String {
    let text = ident.to_string();
    text.strip_prefix("r#").map_or(text.clone(), str::to_string)
}

/// The generics, where each type is a module too.
fn bounded(generics: &Generics) -> Generics {
    let mut generics = generics.clone();
    for param in generics.type_params_mut() {
        param.bounds.push(parse_quote!(::tensor_op::Module));
    }
    generics
}
