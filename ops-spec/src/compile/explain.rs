//! A declaration with all that is derived from it, for tools that show it to a reader.

use super::{Compiled, Failed, compile, read};
use crate::choose::Choice;
use crate::diag::{Error, Mistakes, TokenRange};
use crate::emit::{self, Scheduled};
use crate::inline::{Callee, Request};
use crate::ir::Graph;
use crate::picture::Plan;
use crate::schedule::Schedule;
use proc_macro2::TokenStream;
use syn::ext::IdentExt;

/// A compiled declaration.
#[derive(Clone, Debug)]
pub struct Explained {
    /// The name of the function.
    pub name: String,
    /// Its formulas: one, or one for each choice that a call has.
    pub formulas: Vec<Explanation>,
    /// All items that the macro generates.
    pub code: TokenStream,
    /// The function on Burn's tensors and its method, as `#[tensor_op(burn)]` generates them.
    pub on_burn: TokenStream,
    /// What a declaration that calls this one has to know: see [`explain`].
    pub callee: String,
}

/// One formula of a declaration.
#[derive(Clone, Debug)]
pub struct Explanation {
    /// What a call chooses to get this formula. Empty if there is nothing to choose.
    pub picks: Vec<Pick>,
    /// The declaration with this formula alone.
    pub declaration: String,
    /// Whether the declaration gives a rule for a gradient.
    pub has_given_rule: bool,
    /// The formula, and its kernels for the CPU.
    pub forward: Planned,
    /// Its gradient. `None` if no input has one.
    pub backward: Option<Planned>,
}

/// What a call chooses by one argument.
#[derive(Clone, Debug)]
pub struct Pick {
    /// The argument.
    pub arg: String,
    /// The value in a word: `Mean`, `true`, `None`, `Some`, `float`.
    pub value: String,
    /// The choice as part of a sentence: `` `bias` is passed ``.
    pub text: String,
}

/// A graph with its kernels.
#[derive(Clone, Debug)]
pub struct Planned {
    /// The graph that kernels run.
    pub graph: Graph,
    /// Its kernels for the CPU.
    pub schedule: Schedule,
    /// How exact the results are, in sentences.
    pub rounding: Vec<String>,
}

impl Planned {
    /// The graph and its kernels, for a picture.
    pub fn plan(&self) -> Plan<'_> {
        Plan { graph: &self.graph, schedule: &self.schedule }
    }
}

/// Compiles `#[tensor_op(attr)] item` and explains it. Where the declaration calls an op, `callee` gets the
/// path as it was written, and gives [`Explained::callee`] of that op.
///
/// # Errors
/// The mistakes in the declaration; what `callee` says of an op is one of them, at the name of the
/// declaration.
///
/// ```
/// let item = "fn twice(x: Tensor) -> Tensor { self::double(x) }".parse().unwrap();
/// let explained = tensor_op_spec::explain(Default::default(), item, &mut |path| {
///     assert_eq!(path, "self::double");
///     let double = "fn double(x: Tensor) -> Tensor { x + x }".parse().unwrap();
///     Ok(tensor_op_spec::explain(Default::default(), double, &mut |_| Err(String::new())).unwrap().callee)
/// });
/// assert!(explained.unwrap().formulas[0].declaration.contains("x + x"));
/// ```
pub fn explain(
    attr: TokenStream,
    item: TokenStream,
    callee: &mut dyn FnMut(&str) -> Result<String, String>,
) -> Result<Explained, Mistakes> {
    let mut request = Request::new("", attr.clone(), item.clone());
    let item = read(attr, item).map_err(mistakes)?;
    while let Some(call) = request.missing(&item) {
        let path = call.name();
        let at_call = |message| {
            let place = TokenRange { start: call.span(), end: call.span() };
            Mistakes(vec![Error { place, message }])
        };
        let text = callee(&path).map_err(at_call)?;
        request.texts.push((path, text));
    }
    let compiled = compile(item, |errors, item| request.graphs(errors, item)).map_err(mistakes)?;
    Ok(compiled.explained())
}

fn mistakes(failed: Failed) -> Mistakes {
    Mistakes(failed.errors)
}

impl Compiled {
    fn explained(&self) -> Explained {
        let formulas = self.formulas.iter().map(|formula| Explanation {
            picks: self.choices.iter().zip(&formula.picks).map(|(choice, at)| pick(choice, *at)).collect(),
            declaration: emit::declaration(&formula.forward.source.with_results(false)),
            has_given_rule: !formula.item.rules.is_empty(),
            forward: planned(&formula.forward),
            backward: formula.backward.as_ref().map(planned),
        });
        Explained {
            name: self.item.name.unraw().to_string(),
            formulas: formulas.collect(),
            code: self.items(""),
            on_burn: emit::on_burn(&self.item, &self.choices, &self.formulas),
            callee: Callee::text(Some(&self.callee())),
        }
    }
}

fn pick(choice: &Choice, at: usize) -> Pick {
    Pick { arg: choice.name.unraw().to_string(), value: choice.value(at), text: choice.text(at) }
}

fn planned(op: &Scheduled) -> Planned {
    Planned { graph: op.graph.clone(), schedule: op.schedule.clone(), rounding: emit::rounding(op) }
}
