//! The pipeline, read aloud: each phase records its errors, the gate between phases stops at the first that has any.

use crate::ast::Item;
use crate::diag::{Error, Errors, compile_errors};
use crate::emit::{self, Scheduled};
use crate::ir::Graph;
use crate::lower::Lowered;
use crate::schedule::{regroup, schedule};
use crate::{check, grad, lower, parse, simplify};
use proc_macro2::TokenStream;

/// Expands `#[tensor_op(attr)] item`. Mistakes become `compile_error!`s at their tokens beside stubs of the signatures.
pub fn expand(attr: TokenStream, item: TokenStream) -> TokenStream {
    match compile(attr, item) {
        Ok(compiled) => compiled.items(),
        Err(Failed { item, errors }) => {
            let stub = item.as_deref().map(emit::stub);
            let errors = compile_errors(&errors);
            quote::quote!(#stub #errors)
        }
    }
}

/// What the phases make of a declaration, in text: the stages that a snapshot shows.
#[derive(Clone, Debug)]
pub struct Stages {
    /// The graph of the formula.
    pub graph: String,
    /// The graph of the derived gradient; `None` if no input has one.
    pub gradient: Option<String>,
    /// The kernels of the formula.
    pub schedule: String,
    /// The kernels of the gradient.
    pub gradient_schedule: Option<String>,
    /// The generated items.
    pub code: TokenStream,
}

/// Compiles a declaration and shows each stage.
///
/// # Errors
/// The messages of all mistakes, one a line.
///
/// ```
/// let stages = tensor_op_spec::stages("fn double(x: Tensor) -> Tensor { x + x }".parse().unwrap()).unwrap();
/// assert!(stages.schedule.starts_with("kernel 0: pointwise"));
/// ```
pub fn stages(item: TokenStream) -> Result<Stages, String> {
    let compiled = compile(TokenStream::new(), item).map_err(|failed| failed.messages())?;
    let Compiled { forward, backward, .. } = &compiled;
    Ok(Stages {
        graph: forward.graph.to_string(),
        gradient: backward.as_ref().map(|b| b.graph.to_string()),
        schedule: forward.schedule.explain(&forward.graph),
        gradient_schedule: backward.as_ref().map(|b| b.schedule.explain(&b.graph)),
        code: compiled.items(),
    })
}

/// The graph of a declaration before it is simplified, and without what it keeps; `Err` is its mistakes, one a line.
#[cfg(test)]
pub(crate) fn source_graph(item: TokenStream) -> Result<Graph, String> {
    Ok(source_schedules(item)?.0.source.with_results(false))
}

/// A declaration and its gradient with their kernels; `Err` is its mistakes, one a line.
#[cfg(test)]
pub(crate) fn source_schedules(item: TokenStream) -> Result<(Scheduled, Option<Scheduled>), String> {
    let compiled = compile(TokenStream::new(), item).map_err(|failed| failed.messages())?;
    Ok((compiled.forward, compiled.backward))
}

/// A declaration without mistakes.
struct Compiled {
    item: Item,
    forward: Scheduled,
    /// `None` if no input has a gradient.
    backward: Option<Scheduled>,
}

/// A declaration with mistakes; `item` is there if it could be read.
struct Failed {
    item: Option<Box<Item>>,
    errors: Vec<Error>,
}

impl Failed {
    fn messages(&self) -> String {
        let messages: Vec<&str> = self.errors.iter().map(|error| error.message.as_str()).collect();
        messages.join("\n")
    }
}

fn compile(attr: TokenStream, item: TokenStream) -> Result<Compiled, Failed> {
    let mut errors = Errors::new();
    let Some(item) = parse::item(&mut errors, attr, item) else {
        return Err(Failed { item: None, errors: errors.gate().err().unwrap_or_default() });
    };
    match graphs(&mut errors, &item) {
        Ok((forward, backward)) => Ok(Compiled { item, forward, backward }),
        Err(errors) => Err(Failed { item: Some(Box::new(item)), errors }),
    }
}

fn graphs(errors: &mut Errors, item: &Item) -> Result<(Scheduled, Option<Scheduled>), Vec<Error>> {
    errors.gate()?;
    let lowered = lower::graph(errors, item);
    errors.gate()?;
    check::declaration(errors, item, &lowered);
    errors.gate()?;
    let (forward, backward) = gradient(errors, item, lowered);
    errors.gate()?;
    Ok((scheduled(forward), backward.map(scheduled)))
}

/// The graph with what it keeps, and the graph of the gradient, if an input has one.
fn gradient(errors: &mut Errors, item: &Item, lowered: Lowered) -> (Graph, Option<Graph>) {
    if !grad::is_differentiable(&lowered.graph) {
        return (lowered.graph, None);
    }
    match grad::pair(&lowered.graph, &check::kept::keep(item, &lowered)) {
        Ok(pair) => {
            check::kept::is_needed(errors, item, &pair);
            (pair.forward, Some(pair.backward))
        }
        Err(missing) => {
            for gap in missing {
                errors.at(lowered.spans[gap.node.0 as usize], gap.reason);
            }
            (lowered.graph, None)
        }
    }
}

fn scheduled(source: Graph) -> Scheduled {
    let graph = regroup(simplify::strip(&source));
    let schedule = schedule(&graph);
    Scheduled { source, graph, schedule }
}

impl Compiled {
    fn items(&self) -> TokenStream {
        emit::items(&self.item, &self.forward, self.backward.as_ref())
    }
}
