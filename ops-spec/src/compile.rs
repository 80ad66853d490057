//! The whole pipeline in order. Each phase records its errors, and the gate after a phase stops the pipeline
//! if there are any.

use crate::ast::Item;
use crate::diag::{Error, Errors};
use crate::emit::{self, Scheduled};
use crate::inline::{self, Callees, Found, Request};
use crate::ir::Graph;
use crate::lower::Lowered;
use crate::schedule::{CostModel, regroup, schedule};
use crate::{check, grad, lower, parse, simplify};
use proc_macro2::TokenStream;
use quote::ToTokens;

/// Expands `#[tensor_op(attr)] item`. `site` is a text that no other declaration of the crate has. Mistakes
/// become `compile_error!`s at their tokens, together with stubs of the signatures. A declaration that calls
/// ops asks for their graphs first.
pub fn expand(attr: TokenStream, item: TokenStream, site: &str) -> TokenStream {
    let for_editor = emit::editor::item(&item);
    let generated = go_on(&Request::new(site, attr, item));
    [for_editor, generated].into_iter().collect()
}

/// Continues with a declaration that asked for the graph of an op. `tokens` come from the op's carrier.
pub fn inline(tokens: TokenStream) -> TokenStream {
    Request::read(tokens).map_or_else(emit::compile_error, |request| go_on(&request))
}

fn go_on(request: &Request) -> TokenStream {
    let read = read(request.attr.clone(), request.item.clone());
    let compiled = read.and_then(|item| match request.missing(&item) {
        Some(call) => Ok(Err(emit::request(request, &item, call))),
        None => compile(item, |errors, item| request.graphs(errors, item)).map(Ok),
    });
    match compiled {
        Ok(Ok(compiled)) => compiled.items(&request.site),
        Ok(Err(question)) => question,
        Err(Failed { item, errors }) => {
            let stub = item.as_deref().map(|item| stub(item, &request.site));
            stub.into_iter().chain([emit::compile_errors(&errors)]).collect()
        }
    }
}

/// The results of the phases for a declaration, as text. Snapshots show these stages.
#[derive(Clone, Debug)]
pub struct Stages {
    /// The graph of the formula before any pass has changed it.
    pub written: String,
    /// The graph of the formula that kernels run.
    pub graph: String,
    /// The graph that is differentiated, with its `stop_grad` and given rules.
    pub source: String,
    /// The graph of the derived gradient; `None` if no input has one.
    pub gradient: Option<String>,
    /// The kernels of the formula.
    pub schedule: String,
    /// The kernels of the gradient.
    pub gradient_schedule: Option<String>,
    /// The generated items.
    pub code: TokenStream,
}

/// Compiles a declaration and shows each stage. Functions before it are declarations that it may call, as
/// `self::f(x)`.
///
/// # Errors
/// The messages of all mistakes, one a line.
///
/// ```
/// let stages = tensor_op_spec::stages("fn double(x: Tensor) -> Tensor { x + x }".parse().unwrap()).unwrap();
/// assert!(stages.schedule.starts_with("kernel 0: pointwise"));
/// ```
pub fn stages(items: TokenStream) -> Result<Stages, String> {
    let compiled = compile_last(items).map_err(|failed| failed.messages())?;
    let Compiled { forward, backward, .. } = &compiled;
    Ok(Stages {
        written: compiled.declared.to_string(),
        graph: forward.graph.to_string(),
        source: forward.source.to_string(),
        gradient: backward.as_ref().map(|b| b.graph.to_string()),
        schedule: forward.schedule.explain(&forward.graph),
        gradient_schedule: backward.as_ref().map(|b| b.schedule.explain(&b.graph)),
        code: compiled.items(""),
    })
}

/// The graph of a declaration before it is simplified, without the values that it keeps. `Err` holds its
/// mistakes, one per line.
#[cfg(test)]
pub(crate) fn source_graph(items: TokenStream) -> Result<Graph, String> {
    Ok(source_schedules(items)?.0.source.with_results(false))
}

/// A declaration and its gradient with their kernels. `Err` holds its mistakes, one per line.
#[cfg(test)]
pub(crate) fn source_schedules(items: TokenStream) -> Result<(Scheduled, Option<Scheduled>), String> {
    let compiled = compile_last(items).map_err(|failed| failed.messages())?;
    Ok((compiled.forward, compiled.backward))
}

/// The mistakes in the last of several declarations.
#[cfg(test)]
pub(crate) fn mistakes(items: TokenStream) -> Vec<Error> {
    compile_last(items).err().map(|failed| failed.errors).unwrap_or_default()
}

/// Compiles the last of several declarations, each of which may call those before it. `#[tensor_op(..)]`
/// gives the options of a declaration.
fn compile_last(items: TokenStream) -> Result<Compiled, Failed> {
    let declarations = match syn::parse2::<syn::File>(items.clone()) {
        Ok(file) => file.items.into_iter().map(with_options).collect(),
        Err(_) => vec![(TokenStream::new(), items)],
    };
    let mut callees = Callees::new();
    let mut last = Err(Failed { item: None, errors: vec![] });
    for (options, function) in declarations {
        let compiled =
            read(options, function).and_then(|item| compile(item, |_, _| Found::Graphs(callees.clone())))?;
        callees.insert(format!("self::{}", compiled.item.name), compiled.declared.clone().without_place());
        last = Ok(compiled);
    }
    last
}

/// The options in `#[tensor_op(..)]`, and the item without this attribute.
fn with_options(mut item: syn::Item) -> (TokenStream, TokenStream) {
    let mut options = TokenStream::new();
    if let syn::Item::Fn(function) = &mut item {
        function.attrs.retain(|attr| match &attr.meta {
            syn::Meta::List(list) if list.path.is_ident("tensor_op") => {
                options = list.tokens.clone();
                false
            }
            syn::Meta::List(_) | syn::Meta::Path(_) | syn::Meta::NameValue(_) => true,
        });
    }
    (options, item.into_token_stream())
}

/// A declaration without mistakes.
struct Compiled {
    item: Item,
    /// The graph that callers inline.
    declared: Graph,
    forward: Scheduled,
    /// The gradient. `None` if no input has one.
    backward: Option<Scheduled>,
}

/// A declaration with mistakes. `item` is `None` if it could not be read at all.
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

fn read(attr: TokenStream, item: TokenStream) -> Result<Item, Failed> {
    let mut errors = Errors::new();
    let item = parse::item(&mut errors, attr, item);
    item.iter().for_each(|item| inline::refuse_itself(&mut errors, item));
    match (errors.gate(), item) {
        (Ok(()), Some(item)) => Ok(item),
        (result, item) => Err(Failed { item: item.map(Box::new), errors: result.err().unwrap_or_default() }),
    }
}

fn compile(item: Item, callees: impl FnOnce(&mut Errors, &Item) -> Found) -> Result<Compiled, Failed> {
    let mut errors = Errors::new();
    match graphs(&mut errors, &item, callees) {
        Ok((declared, forward, backward)) => Ok(Compiled { item, declared, forward, backward }),
        Err(errors) => Err(Failed { item: Some(Box::new(item)), errors }),
    }
}

/// The declared graph, the graph that is run, and the graph of the gradient.
type Graphs = (Graph, Scheduled, Option<Scheduled>);

fn graphs(
    errors: &mut Errors,
    item: &Item,
    callees: impl FnOnce(&mut Errors, &Item) -> Found,
) -> Result<Graphs, Vec<Error>> {
    let found = callees(errors, item);
    errors.gate()?;
    // Mistakes in a callee are reported at the callee, and only once.
    let Found::Graphs(callees) = found else { return Err(vec![]) };
    let lowered = lower::graph(errors, item, &callees);
    errors.gate()?;
    check::declaration(errors, item, &lowered);
    errors.gate()?;
    let declared = lowered.graph.clone();
    let (forward, backward) = gradient(errors, item, lowered);
    errors.gate()?;
    Ok((declared, scheduled(forward), backward.map(scheduled)))
}

/// The graph with the values that it keeps, and the graph of the gradient, if an input has one.
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
    let schedule = schedule(&graph, CostModel::CPU);
    Scheduled { source, graph, schedule }
}

impl Compiled {
    fn items(&self, site: &str) -> TokenStream {
        let items = emit::items(&self.item, &self.declared, &self.forward, self.backward.as_ref());
        let carrier =
            emit::carrier(&self.item, &inline::text(Some(self.declared.clone().without_place())), site);
        [items, carrier].into_iter().collect()
    }
}

/// The signatures that are emitted for a declaration with mistakes.
fn stub(item: &Item, site: &str) -> TokenStream {
    let stub = emit::stub(item);
    let carrier = emit::carrier(item, &inline::text(None), site);
    [stub, carrier].into_iter().collect()
}
