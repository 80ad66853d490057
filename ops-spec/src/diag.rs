//! The sink of diagnostics: every phase records what it finds and goes on; the gate between phases stops the pipeline.

use proc_macro2::{Span, TokenStream};
use quote::quote_spanned;
use std::fmt::Display;

/// Mistakes found so far. Whoever makes one must [`gate`](Errors::gate) it.
#[derive(Debug, Default)]
pub(crate) struct Errors {
    list: Vec<Error>,
}

/// One mistake: one message at one token.
#[derive(Clone, Debug)]
pub(crate) struct Error {
    /// The token at fault.
    pub(crate) span: Span,
    /// What is wrong and what to write instead.
    pub(crate) message: String,
}

impl Errors {
    /// No mistakes yet.
    pub(crate) fn new() -> Errors {
        Errors::default()
    }

    /// Records a mistake.
    pub(crate) fn at(&mut self, span: Span, message: impl Display) {
        self.list.push(Error { span, message: message.to_string() });
    }

    /// Records what syn found.
    pub(crate) fn syntax(&mut self, error: &syn::Error) {
        self.list.extend(error.clone().into_iter().map(|e| Error { span: e.span(), message: e.to_string() }));
    }

    /// Number of mistakes so far, to learn whether a step found any.
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

/// The messages as `compile_error!` items.
pub(crate) fn compile_errors(errors: &[Error]) -> TokenStream {
    let emit = |Error { span, message }: &Error| quote_spanned!(*span=> ::core::compile_error! { #message });
    errors.iter().map(emit).collect()
}
