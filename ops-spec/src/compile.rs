//! The whole pipeline in order. Each phase records its errors, and the gate after a phase stops the pipeline
//! if there are any.

mod explain;
mod picture;

pub use explain::{Explained, Explanation, Pick, Planned, explain};
pub use picture::{kernels_picture, picture_of};

use crate::ast::{Item, Keep};
use crate::choose::{self, Choice, Variant};
use crate::diag::{Error, Errors, Mistakes};
use crate::emit::{self, Described, Formula, Processor, Scheduled};
use crate::inline::{self, Callee, Callees, Found, Request};
use crate::ir::Graph;
use crate::lower::Lowered;
use crate::schedule::{CostModel, regroup, schedule, schedule_for_gpu};
use crate::{check, grad, lower, module, parse, simplify};
use proc_macro2::TokenStream;
use quote::ToTokens;
use std::rc::Rc;

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

/// Expands `#[derive(Module)] struct ..`, which has no formula. A mistake becomes a `compile_error!` at its
/// token.
pub fn derive_module(input: TokenStream) -> TokenStream {
    let read = syn::parse2(input).and_then(|input| module::parts(&input).map(|parts| (input, parts)));
    read.map_or_else(|error| error.to_compile_error(), |(input, parts)| emit::module(&input, &parts))
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

/// The results of the phases for a declaration, as text. If a call chooses among several formulas, their
/// texts follow each other, with an empty line in between. Snapshots show these stages.
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
    /// The ops, one for each formula.
    pub ops: Vec<Described>,
}

/// Compiles a declaration and shows each stage. Functions before it are declarations that it may call, as
/// `self::f(x)`.
///
/// # Errors
/// All mistakes, each with its tokens.
///
/// ```
/// use tensor_op_spec::stages;
///
/// let found = stages("fn double(x: Tensor) -> Tensor { x + x }".parse().unwrap()).unwrap();
/// assert!(found.schedule.starts_with("kernel 0: pointwise"));
///
/// let mistakes = stages("fn f(x: Tensor) -> Tensor { sigmod(x) }".parse().unwrap()).unwrap_err();
/// assert_eq!(mistakes.to_string(), "unknown function `sigmod`: did you mean `sigmoid`?");
/// ```
pub fn stages(items: TokenStream) -> Result<Stages, Mistakes> {
    let compiled = compile_last(items).map_err(|failed| Mistakes(failed.errors))?;
    let all = |text: &dyn Fn(&Formula) -> Option<String>| {
        let texts: Vec<String> = compiled.formulas.iter().filter_map(text).collect();
        (!texts.is_empty()).then(|| texts.join("\n"))
    };
    let each = |text: &dyn Fn(&Formula) -> String| all(&|formula| Some(text(formula))).unwrap_or_default();
    let explain = |op: &Scheduled| op.schedule.explain(&op.graph);
    Ok(Stages {
        written: each(&|formula| formula.declared.to_string()),
        graph: each(&|formula| formula.forward.graph.to_string()),
        source: each(&|formula| formula.forward.source.to_string()),
        gradient: all(&|formula| formula.backward.as_ref().map(|op| op.graph.to_string())),
        schedule: each(&|formula| explain(&formula.forward)),
        gradient_schedule: all(&|formula| formula.backward.as_ref().map(explain)),
        code: compiled.items(""),
        ops: compiled.formulas.iter().map(|formula| formula.described(&compiled.choices)).collect(),
    })
}

/// The kernels of an op for the CPU, and those of its gradient, as a Rust file: for each of the two a
/// function that `#[kernel(..)]` takes, and for each of its passes the body that the macro generates.
///
/// ```
/// let graph = tensor_op_spec::ir::Graph::parse(
///     "op double\ndim .. group\narg x: float[..], forward 0\n%0 = input x : float[..]\n\
///      %1 = add(%0, %0) : float[..]\nout out = %1 [..]\n",
/// );
/// let file = tensor_op_spec::eject(&graph.unwrap(), None).to_string();
/// assert!(file.contains("[x + x]"));
/// ```
pub fn eject(forward: &Graph, backward: Option<&Graph>) -> TokenStream {
    let scheduled = |graph: &Graph| (graph.clone(), schedule(graph, CostModel::CPU));
    emit::ejected(Processor::Cpu, &scheduled(forward), backward.map(scheduled).as_ref())
}

/// The kernels of a graph and of its gradient for GPUs as a Rust file.
///
/// ```
/// # use tensor_op_spec::ir::Graph;
/// let graph = Graph::parse(
///     "op double\ndim .. group\narg x: float[..], forward 0\n%0 = input x : float[..]\n\
///      %1 = add(%0, %0) : float[..]\nout out = %1 [..]\n",
/// );
/// let file = tensor_op_spec::eject_gpu(&graph.unwrap(), None).to_string();
/// assert!(file.contains("at . floats . push (x + x)"));
/// ```
pub fn eject_gpu(forward: &Graph, backward: Option<&Graph>) -> TokenStream {
    let scheduled = |graph: &Graph| (graph.clone(), schedule_for_gpu(graph));
    emit::ejected(Processor::Gpu, &scheduled(forward), backward.map(scheduled).as_ref())
}

/// The graph of a declaration before it is simplified, without the values that it keeps. `Err` holds its
/// mistakes, one per line.
#[cfg(test)]
pub(crate) fn source_graph(items: TokenStream) -> Result<Graph, String> {
    let schedules = source_schedules(items)?;
    Ok(schedules
        .into_iter()
        .map(|(forward, _)| forward.source.with_results(false))
        .next()
        .expect("a formula"))
}

/// The formulas of a declaration and their gradients, with their kernels. `Err` holds its mistakes, one per
/// line.
#[cfg(test)]
pub(crate) fn source_schedules(items: TokenStream) -> Result<Vec<(Scheduled, Option<Scheduled>)>, String> {
    let formulas = compiled(items)?.formulas.into_iter();
    Ok(formulas.map(|formula| (formula.forward, formula.backward)).collect())
}

/// The last of several declarations, with all that later phases made of it. `Err` holds its mistakes, one per
/// line.
#[cfg(test)]
pub(crate) fn compiled(items: TokenStream) -> Result<Compiled, String> {
    compile_last(items).map_err(|failed| Mistakes(failed.errors).to_string())
}

/// The mistakes in the last of several declarations.
#[cfg(test)]
pub(crate) fn mistakes(items: TokenStream) -> Vec<Error> {
    compile_last(items).err().map(|failed| failed.errors).unwrap_or_default()
}

/// Compiles the last of several declarations, each of which may call those before it. `#[tensor_op(..)]`
/// gives the options of a declaration.
fn compile_last(items: TokenStream) -> Result<Compiled, Failed> {
    let mut errors = Errors::new();
    // syn reads all of them as a file.
    parse::is_shallow(&mut errors, &items);
    errors.gate().map_err(|errors| Failed { item: None, errors })?;
    let declarations = match syn::parse2::<syn::File>(items.clone()) {
        Ok(file) => file.items.into_iter().map(with_options).collect(),
        Err(_) => vec![(TokenStream::new(), items)],
    };
    let mut callees = Callees::new();
    let mut last = Err(Failed { item: None, errors: vec![] });
    for (options, function) in declarations {
        let compiled =
            read(options, function).and_then(|item| compile(item, |_, _| Found::Graphs(callees.clone())))?;
        callees.insert(format!("self::{}", compiled.item.name), compiled.callee());
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
            syn::Meta::Path(path) => !path.is_ident("tensor_op"),
            syn::Meta::List(_) | syn::Meta::NameValue(_) => true,
        });
    }
    (options, item.into_token_stream())
}

/// A declaration without mistakes.
pub(crate) struct Compiled {
    pub(crate) item: Item,
    /// The arguments by which a call chooses a formula.
    choices: Vec<Choice>,
    /// The formulas; one if there is nothing to choose.
    pub(crate) formulas: Vec<Formula>,
}

/// A declaration with mistakes. `item` is `None` if it could not be read at all.
struct Failed {
    item: Option<Box<Item>>,
    errors: Vec<Error>,
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
    match formulas(&mut errors, &item, callees) {
        Ok((choices, formulas)) => Ok(Compiled { item, choices, formulas }),
        Err(errors) => Err(Failed { item: Some(Box::new(item)), errors }),
    }
}

fn formulas(
    errors: &mut Errors,
    item: &Item,
    callees: impl FnOnce(&mut Errors, &Item) -> Found,
) -> Result<(Vec<Choice>, Vec<Formula>), Vec<Error>> {
    let found = callees(errors, item);
    errors.gate()?;
    // Mistakes in a callee are reported at the callee, and only once.
    let Found::Graphs(callees) = found else { return Err(vec![]) };
    let choices = choose::choices(errors, item, &callees);
    errors.gate()?;
    let variants = choose::variants(item, &choices);
    let each = |phase: &mut dyn FnMut(usize, &mut Errors)| each(&choices, &variants, phase);
    let mut lowered: Vec<Lowered> = Vec::new();
    each(&mut |at, errors| lowered.push(lower::graph(errors, &variants[at].item, &callees)))?;
    each(&mut |at, errors| check::declaration(errors, &variants[at].item, &lowered[at]))?;
    check::of_all(errors, item, variants.iter().map(|variant| &variant.item).zip(&lowered).collect());
    errors.gate()?;
    let mut formulas = Vec::new();
    each(&mut |at, errors| {
        let has_place = item.place().is_some();
        let (item, lowered) = chosen(&choices, &variants[at].item, &lowered[at], &callees);
        if item.place().is_some() && !has_place {
            errors.at(
                item.name.span(),
                "this formula uses no tensor, which would say where to compute it: use one of the arguments",
            );
        }
        let declared = Rc::new(lowered.graph.clone());
        let (forward, backward) = gradient(errors, &item, lowered);
        let (forward, backward) = (scheduled(forward), backward.map(scheduled));
        formulas.push(Formula { picks: variants[at].picks.clone(), item, declared, forward, backward });
    })?;
    Ok((choices, formulas))
}

/// Runs a phase for each variant, and stops the pipeline if one of them has mistakes.
fn each(
    choices: &[Choice],
    variants: &[Variant],
    phase: &mut dyn FnMut(usize, &mut Errors),
) -> Result<(), Vec<Error>> {
    let run = |at: usize| {
        let mut errors = Errors::new();
        phase(at, &mut errors);
        errors.gate().err().unwrap_or_default()
    };
    let found: Vec<Vec<Error>> = (0..variants.len()).map(run).collect();
    let merged = choose::merged(choices, variants, &found);
    if merged.is_empty() { Ok(()) } else { Err(merged) }
}

/// A formula without the arguments that it does not use, where others of its op use them. It keeps for its
/// gradient what it has of the `let`s to be kept.
fn chosen(choices: &[Choice], item: &Item, lowered: &Lowered, callees: &Callees) -> (Item, Lowered) {
    if choices.is_empty() {
        return (item.clone(), lowered.clone());
    }
    let mut item = check::unused::without_unused(item, lowered);
    let mut errors = Errors::new();
    let lowered = lower::graph(&mut errors, &item, callees);
    // The same formula had no mistakes with the arguments.
    let _ = errors.gate();
    if let Keep::Lets(names) = &mut item.keep {
        names.retain(|name| check::kept::value(&lowered, name).is_some());
        if names.is_empty() {
            item.keep = Keep::Cheapest;
        }
    }
    (item, lowered)
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
        let items = emit::items(&self.item, &self.choices, &self.formulas);
        let carrier = emit::carrier(&self.item, &Callee::text(Some(&self.callee())), site);
        [items, carrier].into_iter().collect()
    }

    /// What a declaration that calls this one needs to know.
    fn callee(&self) -> Callee {
        let declared = self.formulas.iter().map(|formula| &formula.declared);
        let graphs = declared.map(|graph| Rc::new(Graph::clone(graph).without_place())).collect();
        Callee::new(&self.item, &self.choices, graphs)
    }
}

/// The signatures that are emitted for a declaration with mistakes.
fn stub(item: &Item, site: &str) -> TokenStream {
    let stub = emit::stub(item);
    let carrier = emit::carrier(item, &Callee::text(None), site);
    [stub, carrier].into_iter().collect()
}
