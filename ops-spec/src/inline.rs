//! How a declaration gets the graphs of the ops that it calls. These are known to other declarations only.
//!
//! A macro sees only the tokens of its own item, so a declaration can't look up another one. Therefore every
//! declaration leaves a **carrier** under its name. A carrier is a `macro_rules!` macro that hands two things
//! to the macro `inline!`: the text of the declaration's graph, and the tokens that the carrier is given. A
//! declaration with calls first expands to a call of its first callee's carrier, and gives it the declaration
//! itself as tokens (a [`Request`]). `inline!` reads the text and asks the carrier of the next callee, until
//! all graphs are there. Then it compiles the declaration.
//!
//! - *Why a call is a path.* rustc resolves a path to a macro before or after the macro's definition, in this
//!   crate or in another. A single word always belongs to the language. So a misspelt `sigmod` is one error
//!   of ours, and not an error of rustc about macros.
//! - *Why a carrier holds text.* The text already contains what the callee itself calls, so no path in it has
//!   to be valid where it is inlined. The compiler of the caller parses the same text as the runtime. It is
//!   the graph before simplification, with `stop_grad` and given rules. Its first line names the release that
//!   wrote it, because no other release is sure to read it.
//! - *Why a carrier is imported.* `#[macro_export]` puts a macro at the root of the crate, where two ops with
//!   the same name would collide. So the exported name contains a hash of the text and of the place of the
//!   declaration. The module imports it under the name of the function. Then function and carrier have one
//!   path and one visibility, and are re-exported together.
//! - *What rustc can't do.* If a module imports a carrier by `*` and declares an op with the same name, the
//!   name is ambiguous in paths and imports: import it by name. If one `macro_rules!` declares the same `pub`
//!   op in two modules, both carriers get the same name, and rustc refuses them.

mod callee;

pub(crate) use callee::{Callee, Param, ParamKind};

use crate::ast::{Expr, ExprKind, Item, OpCall};
use crate::diag::Errors;
use proc_macro2::{Delimiter, Ident, TokenStream, TokenTree};
use std::collections::BTreeMap;
use syn::ext::IdentExt;
use syn::parse::{ParseStream, Parser};

/// Called ops by path.
pub(crate) type Callees = BTreeMap<String, Callee>;

/// A declaration that is collecting graphs: its tokens, and the texts that carriers have passed so far.
#[derive(Clone, Debug)]
pub(crate) struct Request {
    /// The position of the declaration, which makes the name of its carrier unique.
    pub(crate) site: String,
    /// The tokens in `#[tensor_op(..)]`.
    pub(crate) attr: TokenStream,
    /// The function.
    pub(crate) item: TokenStream,
    /// The texts that carriers passed, by path.
    pub(crate) texts: Vec<(String, String)>,
}

/// The result of looking for the callees.
pub(crate) enum Found {
    /// All graphs are known.
    Graphs(Callees),
    /// The declaration of a callee has mistakes, which were reported there.
    Broken,
}

impl Request {
    pub(crate) fn new(site: &str, attr: TokenStream, item: TokenStream) -> Request {
        Request { site: site.to_string(), attr, item, texts: vec![] }
    }

    /// The first call whose graph is not known yet.
    pub(crate) fn missing<'i>(&self, item: &'i Item) -> Option<&'i OpCall> {
        let is_here = |call: &OpCall| self.texts.iter().any(|(path, _)| *path == call.name());
        calls(item).into_iter().find(|call| !is_here(call))
    }

    /// The graphs of all callees. Reports an error at the call if one can't be used.
    pub(crate) fn graphs(&self, errors: &mut Errors, item: &Item) -> Found {
        let mut graphs = Callees::new();
        for (path, text) in &self.texts {
            match Callee::read(text) {
                Ok(Some(callee)) => {
                    graphs.insert(path.clone(), callee);
                }
                Ok(None) => return Found::Broken,
                Err(message) => {
                    let call = calls(item).into_iter().find(|call| call.name() == *path);
                    errors.at(
                        call.map_or_else(|| item.name.span(), OpCall::span),
                        format!("`{path}` {message}"),
                    );
                }
            }
        }
        Found::Graphs(graphs)
    }

    /// Reads the tokens that a carrier passes: its text, then those of the request that it got. For
    /// anything else, `Err` is the message to answer with.
    pub(crate) fn read(tokens: TokenStream) -> Result<Request, &'static str> {
        let request = |input: ParseStream<'_>| {
            let text = string(input)?;
            if input.is_empty() {
                return Err(input.error(""));
            }
            let path = string(input)?;
            let known = group(input, Delimiter::Bracket)?;
            let mut texts = pairs.parse2(known)?;
            texts.push((path, text));
            let site = string(input)?;
            let (attr, item) = (group(input, Delimiter::Brace)?, group(input, Delimiter::Brace)?);
            Ok(Request { site, attr, item, texts })
        };
        request.parse2(tokens).map_err(|_| "an op is a function: call it without `!`")
    }
}

fn string(input: ParseStream<'_>) -> syn::Result<String> {
    Ok(input.parse::<syn::LitStr>()?.value())
}

fn group(input: ParseStream<'_>, delimiter: Delimiter) -> syn::Result<TokenStream> {
    match input.parse::<TokenTree>()? {
        TokenTree::Group(group) if group.delimiter() == delimiter => Ok(group.stream()),
        other => Err(syn::Error::new(other.span(), "not what a declaration hands on")),
    }
}

fn pairs(input: ParseStream<'_>) -> syn::Result<Vec<(String, String)>> {
    let mut pairs = Vec::new();
    while !input.is_empty() {
        pairs.push((string(input)?, string(input)?));
    }
    Ok(pairs)
}

/// Refuses calls of the declaration itself, because its carrier exists only after its graph does.
pub(crate) fn refuse_itself(errors: &mut Errors, item: &Item) {
    let own = format!("self::{}", item.name);
    for call in calls(item).into_iter().filter(|call| call.name() == own) {
        errors.at(
            call.span(),
            format!("`{}` calls itself: a formula is a finite expression", item.name.unraw()),
        );
    }
}

/// Calls of ops, in order.
fn calls(item: &Item) -> Vec<&OpCall> {
    let mut found = Vec::new();
    item.exprs().for_each(|e| collect(e, &mut found));
    found
}

fn collect<'i>(e: &'i Expr, found: &mut Vec<&'i OpCall>) {
    if let ExprKind::OpCall(call) = &e.kind {
        found.push(call);
    }
    e.parts().into_iter().for_each(|part| collect(part, found));
}

/// The name of a carrier, which no other declaration of the crate has.
pub(crate) fn carrier_name(op: &Ident, text: &str, site: &str) -> Ident {
    let op = op.unraw();
    let bytes = [op.to_string().as_str(), text, site].join("\n");
    // The FNV-1a hash, which is the same on every machine.
    let hash = bytes.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    Ident::new(&format!("__tensor_op_{op}_{hash:016x}"), proc_macro2::Span::call_site())
}

/// Whether a carrier of this name would replace a macro that every module sees.
pub(crate) fn is_macro_of_rust(name: &Ident) -> bool {
    MACROS.iter().any(|known| name == known)
}

const MACROS: [&str; 38] = [
    "assert",
    "assert_eq",
    "assert_ne",
    "assert_matches",
    "cfg",
    "cfg_select",
    "column",
    "compile_error",
    "concat",
    "concat_bytes",
    "dbg",
    "debug_assert",
    "debug_assert_eq",
    "debug_assert_ne",
    "env",
    "eprint",
    "eprintln",
    "file",
    "format",
    "format_args",
    "include",
    "include_bytes",
    "include_str",
    "line",
    "matches",
    "module_path",
    "option_env",
    "panic",
    "print",
    "println",
    "stringify",
    "thread_local",
    "todo",
    "unimplemented",
    "unreachable",
    "vec",
    "write",
    "writeln",
];
