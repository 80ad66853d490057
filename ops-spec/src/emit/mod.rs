//! Generated Rust: the function, the backend trait, the op types, their CPU bodies, the docs, the tests.
//!
//! Takes a checked declaration and its scheduled graphs. Emission decides nothing and cannot fail: what could
//! go wrong was reported by the phases before it.

mod body;
mod burn;
mod carrier;
mod choice;
mod cpu;
mod declaration;
mod docs;
pub(crate) mod editor;
mod ejected;
mod gpu;
mod kernels;
mod messages;
mod method;
mod module;
mod names;
mod op;
mod picture;
mod request;
mod scan;
mod signature;
mod tests;
mod tolerance;

pub(crate) use carrier::carrier;
pub(crate) use declaration::declaration;
pub(crate) use ejected::{Processor, ejected};
pub(crate) use messages::{compile_error, compile_errors};
pub(crate) use module::module;
pub(crate) use picture::drawn;
pub(crate) use request::request;
#[cfg(test)]
pub(crate) use tests::claims;
pub(crate) use tolerance::rounding;

use crate::ast::{Burn, Item};
use crate::choose::Choice;
use crate::ir::Graph;
use crate::schedule::Schedule;
use docs::Refusal;
use proc_macro2::{Ident, TokenStream};
use quote::quote;
use signature::Signature;
use std::rc::Rc;
use syn::ext::IdentExt;

/// A graph with its kernels.
pub(crate) struct Scheduled {
    /// The graph with gradient markers, from which derivatives are taken.
    pub(crate) source: Graph,
    /// The graph that kernels run.
    pub(crate) graph: Graph,
    pub(crate) schedule: Schedule,
}

/// A formula of a declaration, ready to be emitted.
pub(crate) struct Formula {
    /// For each choice of the declaration, the index of the value for which this is the formula.
    pub(crate) picks: Vec<usize>,
    /// The declaration with nothing left to choose.
    pub(crate) item: Item,
    /// Its graph before any pass, which callers inline.
    pub(crate) declared: Rc<Graph>,
    pub(crate) forward: Scheduled,
    /// The gradient. `None` if no input has one.
    pub(crate) backward: Option<Scheduled>,
}

/// An op as readers see it: one formula of a declaration, with its gradient.
#[derive(Clone, Debug)]
pub struct Described {
    /// For which arguments a call runs it: `` `bias` is passed ``. Empty if there is nothing to choose.
    pub when: String,
    /// The declaration as its docs show it, which can be declared again.
    pub declaration: String,
    /// The graph of the formula, with its `stop_grad`, its given rules and the values that it keeps.
    pub forward: Graph,
    /// The graph of the gradient; `None` if no input has one.
    pub backward: Option<Graph>,
    /// What autodiff keeps between the passes, in words; `None` without a gradient.
    pub saved: Option<String>,
}

impl Formula {
    /// What a reader is told of the op.
    pub(crate) fn described(&self, choices: &[Choice]) -> Described {
        Described {
            when: docs::chosen(choices, self),
            declaration: docs::written(self),
            forward: self.forward.source.clone(),
            backward: self.backward.as_ref().map(|op| op.source.clone()),
            saved: self.backward.as_ref().map(|op| docs::saved(&op.graph, &self.forward.graph)),
        }
    }
}

/// All that a declaration generates. There is one formula if a call has nothing to choose.
pub(crate) fn items(item: &Item, choices: &[Choice], formulas: &[Formula]) -> TokenStream {
    let signature = Signature::new(item);
    let own = || op::function(item, &signature, &docs::function(choices, formulas, Refusal::Err));
    let function = match &item.burn {
        Burn::No => own(),
        Burn::Instead => {
            let docs = docs::function(choices, formulas, Refusal::Panic);
            burn::guarded(item, burn::items(item, choices, formulas, &docs))
        }
        Burn::Beside(_) => {
            let (own, beside) = (own(), burn::guarded(item, beside(item, choices, formulas)));
            quote!(#own #beside)
        }
    };
    let method = method::on_tensors(item, &signature);
    let scan = scan::function(item, &signature);
    let backend_trait = op::backend_trait(item, &signature, choices, formulas);
    let types = formulas.iter().map(|formula| op::types(formula, &docs::op_type(item, choices, formula)));
    let tests = formulas.iter().map(tests::tests);
    quote!(#function #method #scan #backend_trait #(#types)* #(#tests)*)
}

/// The items for Burn's tensors beside those for ours, which have the picture.
fn beside(item: &Item, choices: &[Choice], formulas: &[Formula]) -> [TokenStream; 2] {
    let docs = docs::without_picture(docs::function(choices, formulas, Refusal::Panic));
    burn::items(item, choices, formulas, &docs)
}

/// What a declaration generates for Burn, also if it does not ask for it.
pub(crate) fn on_burn(item: &Item, choices: &[Choice], formulas: &[Formula]) -> TokenStream {
    beside(item, choices, formulas).into_iter().collect()
}

/// The signatures of a declaration with mistakes, so that its callers are not told of them too.
pub(crate) fn stub(item: &Item) -> TokenStream {
    op::stub(item, &Signature::new(item))
}

/// `SiluMul` for `silu_mul`.
fn op_type(function: &Ident) -> Ident {
    let name = function.unraw().to_string();
    let camel: String = name.split('_').flat_map(capitalized).collect();
    // `_2` would begin with a digit.
    let camel = if camel.starts_with(char::is_alphabetic) { camel } else { format!("Op{camel}") };
    Ident::new(&camel, function.span())
}

fn capitalized(word: &str) -> impl Iterator<Item = char> {
    let mut chars = word.chars();
    chars.next().into_iter().flat_map(char::to_uppercase).chain(chars)
}
