//! Which formulas a call may choose, and the formula for each choice.
//!
//! A call chooses by its arguments: an optional tensor is passed or not, an enum has a variant, a `bool` in
//! an `if` is true or false, and the tensors of type `NumTensor` or `AnyTensor` have elements of one kind.
//! For each combination there is a **variant**: a plain declaration, in which the forms that speak of choices
//! are replaced by what was chosen. All later phases see variants only, and each variant is an op with its
//! own graph, gradient, kernels and tests. Emission adds what is common to them: the function and the method
//! of the backend trait, which choose.
//!
//! `find.rs` has which arguments choose, with all messages. `resolve.rs` makes the variants. An op without
//! choices has one variant, which is the declaration itself.

mod find;
mod merge;
mod resolve;

pub(crate) use find::choices;
pub(crate) use merge::merged;
pub(crate) use resolve::variants;

use crate::ast::{Item, Kinds};
use proc_macro2::Ident;
use quote::ToTokens;
use syn::ext::IdentExt;

/// An argument by which a call chooses a formula.
#[derive(Clone, Debug)]
pub(crate) struct Choice {
    /// Its place among the arguments.
    pub(crate) arg: usize,
    /// Its name.
    pub(crate) name: Ident,
    /// What it may be.
    pub(crate) values: Values,
}

/// What an argument that chooses may be.
#[derive(Clone, Debug)]
pub(crate) enum Values {
    /// An optional tensor: passed, or `None`.
    Optional,
    /// `true` or `false`.
    Flag,
    /// Variants of an enum, by their paths.
    Enum(Vec<syn::Path>),
    /// The kind of the elements. The first tensor of such a type says it for all of them.
    Kind(Kinds),
}

/// The formula for one combination of values.
#[derive(Clone, Debug)]
pub(crate) struct Variant {
    /// For each choice, the index of its value.
    pub(crate) picks: Vec<usize>,
    /// The declaration, in which nothing is left to choose.
    pub(crate) item: Item,
}

/// The most formulas of one op.
const MOST: usize = 16;

impl Values {
    /// The index of a tensor that is passed, and of `true`.
    pub(crate) const YES: usize = 0;

    /// The number of values.
    pub(crate) fn count(&self) -> usize {
        match self {
            Values::Optional | Values::Flag => 2,
            Values::Enum(paths) => paths.len(),
            Values::Kind(kinds) => kinds.list().len(),
        }
    }
}

impl Choice {
    /// A value as part of a sentence: `` `bias` is passed ``.
    pub(crate) fn text(&self, pick: usize) -> String {
        let name = self.name.unraw();
        match (&self.values, pick == Values::YES) {
            (Values::Optional, true) => format!("`{name}` is passed"),
            (Values::Optional, false) => format!("`{name}` is `None`"),
            (Values::Flag, is_true) => format!("`{name}` is `{is_true}`"),
            (Values::Enum(paths), _) => format!("`{name}` is `{}`", path_text(&paths[pick])),
            (Values::Kind(kinds), _) => format!("`{name}` is {}", kinds.list()[pick]),
        }
    }

    /// A value in a word: `Mean`, `true`, `None`.
    pub(crate) fn value(&self, pick: usize) -> String {
        match (&self.values, pick == Values::YES) {
            (Values::Optional, true) => "Some".to_string(),
            (Values::Optional, false) => "None".to_string(),
            (Values::Flag, is_true) => is_true.to_string(),
            (Values::Enum(paths), _) => last_word(&paths[pick]),
            (Values::Kind(kinds), _) => kinds.list()[pick].to_string(),
        }
    }

    /// A value as a part of the variant's name: `with_bias`, `mean`.
    fn word(&self, pick: usize) -> String {
        let name = self.name.unraw();
        match (&self.values, pick == Values::YES) {
            (Values::Optional, true) => format!("with_{name}"),
            (Values::Optional, false) => format!("without_{name}"),
            (Values::Flag, true) => name.to_string(),
            (Values::Flag, false) => format!("not_{name}"),
            (Values::Enum(paths), _) => snake(&last_word(&paths[pick])),
            (Values::Kind(kinds), _) => kinds.list()[pick].to_string(),
        }
    }
}

/// All combinations of values. The first choice changes last.
pub(crate) fn combinations(choices: &[Choice]) -> Vec<Vec<usize>> {
    choices.iter().fold(vec![vec![]], |found, choice| {
        let longer =
            |picks: Vec<usize>| (0..choice.values.count()).map(move |pick| [&picks[..], &[pick]].concat());
        found.into_iter().flat_map(longer).collect()
    })
}

/// A path as it was written, without spaces.
pub(crate) fn path_text(path: &syn::Path) -> String {
    path.to_token_stream().to_string().replace(' ', "")
}

/// The word of a variant, by which it is known.
pub(crate) fn last_word(path: &syn::Path) -> String {
    path.segments.last().map(|segment| segment.ident.unraw().to_string()).unwrap_or_default()
}

/// `BatchMean` as `batch_mean`.
fn snake(word: &str) -> String {
    let mut out = String::new();
    for letter in word.chars() {
        if letter.is_uppercase() && !out.is_empty() {
            out.push('_');
        }
        out.extend(letter.to_lowercase());
    }
    out
}
