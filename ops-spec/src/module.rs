//! `#[derive(Module)]`: the fields of a struct that have tensors, and their names.

use proc_macro2::{Ident, Span};
use std::collections::BTreeSet;
use syn::spanned::Spanned;
use syn::{Attribute, Data, DeriveInput, Error, Field, Index, LitStr, Member, Result};

/// A field that is walked over, and the name of it.
pub(crate) struct Part {
    pub(crate) member: Member,
    pub(crate) name: String,
    /// The place of its type.
    pub(crate) span: Span,
}

/// The fields of the struct that are not skipped.
pub(crate) fn parts(input: &DeriveInput) -> Result<Vec<Part>> {
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
