//! `#[derive(Module)]`: the fields of a struct that have tensors, and their names.

use proc_macro2::{Ident, Span, TokenStream, TokenTree};
use quote::ToTokens;
use std::collections::BTreeSet;
use syn::ext::IdentExt;
use syn::spanned::Spanned;
use syn::{Attribute, Data, DeriveInput, Error, Field, Index, LitStr, Member, Result};

/// A field that is walked over, and the name of it.
pub(crate) struct Part {
    pub(crate) member: Member,
    pub(crate) name: String,
    /// The place of its type.
    pub(crate) span: Span,
    /// The words of its type.
    words: BTreeSet<String>,
}

impl Part {
    /// Whether its type has this word.
    pub(crate) fn names(&self, ident: &Ident) -> bool {
        self.words.contains(&ident.to_string())
    }
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
            let mut words = BTreeSet::new();
            words_of(field.ty.to_token_stream(), &mut words);
            parts.push(Part { member, name, span: field.ty.span(), words });
        }
    }
    Ok(parts)
}

/// The name of a field and its place, or nothing for a field that is skipped.
fn name(field: &Field, place: usize) -> Result<Option<(String, Span)>> {
    let (mut given, mut is_skipped) = (None, false);
    for attribute in field.attrs.iter().filter(|attribute| attribute.path().is_ident("module")) {
        read(attribute, &mut given, &mut is_skipped)?;
    }
    match (given, is_skipped, &field.ident) {
        (Some((_, span)), true, _) => Err(Error::new(span, "a field that is skipped has no name")),
        (None, true, _) => Ok(None),
        (Some(given), false, _) => Ok(Some(given)),
        (None, false, Some(ident)) => Ok(Some((ident.unraw().to_string(), ident.span()))),
        (None, false, None) => Ok(Some((place.to_string(), field.span()))),
    }
}

fn read(attribute: &Attribute, given: &mut Option<(String, Span)>, is_skipped: &mut bool) -> Result<()> {
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
            let message = "a name has words with dots in between: `\"q_proj.weight\"`";
            return Err(Error::new(text.span(), message));
        }
        *given = Some((text.value(), text.span()));
        Ok(())
    })
}

fn words_of(tokens: TokenStream, words: &mut BTreeSet<String>) {
    for token in tokens {
        match token {
            TokenTree::Ident(ident) => drop(words.insert(ident.to_string())),
            TokenTree::Group(group) => words_of(group.stream(), words),
            TokenTree::Punct(_) | TokenTree::Literal(_) => {}
        }
    }
}
