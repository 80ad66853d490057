//! Collects diagnostics. Every phase records its mistakes and continues; the gate between phases stops the
//! pipeline if there are any.

use proc_macro2::Span;
use quote::ToTokens;
use std::fmt::{self, Display};

/// The mistakes found so far. Whoever creates this must [`gate`](Errors::gate) it.
#[derive(Debug, Default)]
pub(crate) struct Errors {
    list: Vec<Error>,
}

/// A mistake: one message at one place.
#[derive(Clone, Debug)]
pub struct Error {
    /// The token to which the message belongs.
    pub place: TokenRange,
    /// What is wrong and what to write instead.
    pub message: String,
}

/// A token, or a range of tokens from the first to the last. Both spans are kept, because a stable compiler
/// can't join them.
#[derive(Clone, Copy, Debug)]
pub struct TokenRange {
    /// Span of the first token.
    pub start: Span,
    /// Span of the last token.
    pub end: Span,
}

/// The mistakes in a declaration. Their text has one message a line.
#[derive(Clone, Debug)]
pub struct Mistakes(pub Vec<Error>);

impl Display for Mistakes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let messages: Vec<&str> = self.0.iter().map(|error| error.message.as_str()).collect();
        f.write_str(&messages.join("\n"))
    }
}

impl std::error::Error for Mistakes {}

impl TokenRange {
    /// From the first token of a syntax tree to its last one.
    pub(crate) fn of(tokens: &impl ToTokens) -> TokenRange {
        let mut spans = tokens.to_token_stream().into_iter().map(|token| token.span());
        let start = spans.next().unwrap_or_else(Span::call_site);
        TokenRange { start, end: spans.last().unwrap_or(start) }
    }
}

impl From<Span> for TokenRange {
    fn from(span: Span) -> TokenRange {
        TokenRange { start: span, end: span }
    }
}

/// The position of a token, by which two of them are told apart: spans can't be compared.
pub(crate) fn place(span: Span) -> String {
    format!("{span:?}")
}

impl Errors {
    /// An empty list of mistakes.
    pub(crate) fn new() -> Errors {
        Errors::default()
    }

    /// Records a mistake.
    #[track_caller]
    pub(crate) fn at(&mut self, place: impl Into<TokenRange>, message: impl Display) {
        #[cfg(test)]
        sites::note(std::panic::Location::caller());
        self.list.push(Error { place: place.into(), message: message.to_string() });
    }

    /// Records a mistake that syn found.
    #[track_caller]
    pub(crate) fn syntax(&mut self, error: &syn::Error) {
        #[cfg(test)]
        sites::note(std::panic::Location::caller());
        self.list.extend(
            error.clone().into_iter().map(|e| Error { place: e.span().into(), message: e.to_string() }),
        );
    }

    /// Number of mistakes so far. With it a caller can tell whether a step found any.
    pub(crate) fn count(&self) -> usize {
        self.list.len()
    }

    /// Ends a phase: `Err` with all mistakes, if there are any.
    pub(crate) fn gate(&mut self) -> Result<(), Vec<Error>> {
        if self.list.is_empty() { Ok(()) } else { Err(std::mem::take(&mut self.list)) }
    }
}

impl Drop for Errors {
    fn drop(&mut self) {
        debug_assert!(self.list.is_empty() || std::thread::panicking(), "ungated: {:?}", self.list);
    }
}

/// The places of the source code that have recorded a mistake on this thread. The page of messages must reach
/// all of them.
#[cfg(test)]
pub(crate) mod sites {
    use std::cell::RefCell;
    use std::collections::BTreeSet;
    use std::panic::Location;
    use std::path::Path;

    /// A source file with its folder, and a line.
    type Site = (String, u32);

    thread_local! {
        static REACHED: RefCell<BTreeSet<Site>> = const { RefCell::new(BTreeSet::new()) };
    }

    pub(super) fn note(location: &Location<'_>) {
        let path = Path::new(location.file());
        let name = |path: Option<&std::ffi::OsStr>| path.map(|name| name.to_string_lossy().into_owned());
        let folder = name(path.parent().and_then(Path::file_name)).unwrap_or_default();
        let file = name(path.file_name()).unwrap_or_default();
        REACHED.with_borrow_mut(|reached| reached.insert((format!("{folder}/{file}"), location.line())));
    }

    pub(crate) fn reached() -> BTreeSet<Site> {
        REACHED.with_borrow(Clone::clone)
    }
}
